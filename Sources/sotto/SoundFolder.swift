import Glibc

/// Where the sounds of simulated neighbours are: beside the program, as it was installed or built.
enum SoundFolder {
  /// The folder that holds `effects`; `nil` when there is none.
  static func find() -> [UInt8]? {
    if let text = unsafe getenv("SOTTO_SOUNDS") {
      return unsafe Array(UnsafeBufferPointer(start: text, count: strlen(text))).map {
        UInt8(bitPattern: $0)
      }
    }
    guard var place = program() else { return nil }
    var folders: [[UInt8]] = []
    // PREFIX/bin/sotto has PREFIX/share/sotto; .build/release/sotto has Sounds some folders above.
    for _ in 0..<6 {
      guard let slash = place.lastIndex(of: UInt8(ascii: "/")) else { break }
      place = Array(place[..<slash])
      folders.append(place + Array("/share/sotto/Sounds".utf8))
      folders.append(place + Array("/Sounds".utf8))
    }
    return folders.first { exists($0 + Array("/effects/ringtone.wav".utf8)) }
  }

  private static func program() -> [UInt8]? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    return count > 0 ? buffer[..<count].map { UInt8(bitPattern: $0) } : nil
  }

  private static func exists(_ path: [UInt8]) -> Bool {
    unsafe access(path.map { CChar(bitPattern: $0) } + [0], R_OK) == 0
  }
}
