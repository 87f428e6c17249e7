import AudioTypes
import Decoding
import Glibc

/// Waveforms kept in files, a small one for each track. Whatever fails here costs the cache alone:
/// then a waveform is computed again.
struct WaveformCache: Sendable {
  let folder: [UInt8]
  /// Files that are kept; each takes a block of the disk, 4 MB together.
  var most = 1000

  /// `$XDG_CACHE_HOME/sotto/waveforms`, or the same in the home folder; `nil` without either.
  static var standard: WaveformCache? {
    let rest = Array("/sotto/waveforms".utf8)
    if let cache = Environment.bytes("XDG_CACHE_HOME"), cache.first == UInt8(ascii: "/") {
      return WaveformCache(folder: cache + rest)
    }
    guard let home = Environment.bytes("HOME"), !home.isEmpty else { return nil }
    return WaveformCache(folder: home + Array("/.cache".utf8) + rest)
  }

  private static let mark = Array("sotto waveform 1\n".utf8)

  /// Names a track as it is now: another size or time of the file is another track. `nil` where
  /// there is no such file.
  static func key(_ location: TrackLocation) -> [UInt8]? {
    guard !location.isURL, !location.path.contains(0) else { return nil }
    let name = cString(location.path)
    var facts = stat()
    guard unsafe stat(name, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
      let real = unsafe realpath(name, nil)
    else { return nil }
    defer { unsafe free(real) }
    let path = unsafe Array(UnsafeBufferPointer(start: real, count: strlen(real)))
    let time = facts.st_mtim
    let end = location.end.map { "\($0)" } ?? "-"
    let rest = "\n\(facts.st_size) \(time.tv_sec) \(time.tv_nsec) \(location.start) \(end)\n"
    return path.map { UInt8(bitPattern: $0) } + Array(rest.utf8)
  }

  /// The file of a key: its name is a hash, the key itself stands inside.
  private func file(_ key: [UInt8]) -> [UInt8] {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in key { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = String(hash, radix: 16)
    let name = String(repeating: "0", count: 16 - digits.count) + digits
    return folder + Array("/\(name)".utf8)
  }

  func read(_ key: [UInt8]) -> [UInt8]? {
    let descriptor = unsafe open(Self.cString(file(key)), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let head = Self.mark + key
    let count = head.count + Waveform.parts
    var bytes = [UInt8](repeating: 0, count: count + 1)
    let got = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    }
    guard got == count, bytes.starts(with: head) else { return nil }
    // What was used last goes last.
    _ = futimens(descriptor, nil)
    return Array(bytes[head.count..<count])
  }

  func write(_ key: [UInt8], _ peaks: [UInt8]) {
    guard peaks.count == Waveform.parts else { return }
    Folders.make(folder)
    let file = file(key)
    // Another sotto may write the same at the same time.
    let beside = file + Array(".\(getpid())".utf8)
    let name = Self.cString(beside)
    let descriptor = unsafe open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    var cause = Descriptor.write(Self.mark + key + peaks, to: descriptor)
    if close(descriptor) != 0, cause == 0 { cause = errno }
    if cause == 0, unsafe rename(name, Self.cString(file)) != 0 { cause = errno }
    if cause != 0 { _ = unsafe unlink(name) }
    removeOldest()
  }

  /// A tenth more than has to go, so that it is not done at every file.
  private func removeOldest() {
    guard let listing = unsafe opendir(Self.cString(folder)) else { return }
    defer { unsafe _ = closedir(listing) }
    var files: [(path: [CChar], time: Int)] = []
    while let entry = unsafe readdir(listing) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        unsafe Array(bytes.prefix { $0 != 0 })
      }
      let path = Self.cString(folder + [UInt8(ascii: "/")] + name)
      var facts = stat()
      guard unsafe stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { continue }
      files.append((path, facts.st_mtim.tv_sec))
    }
    guard files.count > most else { return }
    files.sort { $0.time < $1.time }
    for file in files.prefix(files.count - most * 9 / 10) { _ = unsafe unlink(file.path) }
  }

  private static func cString(_ bytes: [UInt8]) -> [CChar] {
    bytes.map { CChar(bitPattern: $0) } + [0]
  }
}
