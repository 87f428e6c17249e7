import AudioTypes
import Decoding
import Dispatch
import Glibc
import MusicLibrary
import RemoteControl

/// The heard track's cover as a file that other programs can show: MPRIS gives its URL. Pictures
/// that lie in a file of music are copied into `$XDG_CACHE_HOME/sotto/covers`, a few of them.
@MainActor final class CoverFiles {
  /// Of the heard track; nil until it is found, and where there is none.
  private(set) var url: String?
  private var wanted: (path: [UInt8], isEmbedded: Bool)?
  private let queue = DispatchQueue(label: "sotto.coverfile", qos: .utility)

  /// Files that are kept.
  nonisolated private static let most = 50
  nonisolated private static let largest = 16 << 20

  /// The heard track; nothing happens while it is the same.
  func follow(
    _ location: TrackLocation?, isEmbedded: Bool, onChange: @escaping @MainActor () -> Void
  ) {
    guard let location, !location.isURL else {
      wanted = nil
      url = nil
      return
    }
    if wanted?.path == location.path, wanted?.isEmbedded == isEmbedded { return }
    wanted = (location.path, isEmbedded)
    url = nil
    let path = location.path
    queue.async { [weak self] in
      let found = Self.file(path, isEmbedded)
      DispatchQueue.main.async {
        MainActor.assumeIsolated {
          guard let self, self.wanted?.path == path, self.wanted?.isEmbedded == isEmbedded else {
            return
          }
          self.url = found
          if found != nil { onChange() }
        }
      }
    }
  }

  nonisolated private static func file(_ path: [UInt8], _ isEmbedded: Bool) -> String? {
    let bytes =
      (isEmbedded ? Pictures.attached(to: path) : nil) ?? SideFiles.cover(beside: path)
    guard let bytes, bytes.count <= largest, let ending = ending(bytes), let folder else {
      return nil
    }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let file = folder + Array("/\(String(hash, radix: 16)).\(ending)".utf8)
    guard isThere(file, bytes.count) || write(bytes, file) else { return nil }
    return RemoteAddress.url(ofFile: file)
  }

  nonisolated private static var folder: [UInt8]? {
    if let cache = Environment.bytes("XDG_CACHE_HOME"), cache.first == UInt8(ascii: "/") {
      return cache + Array("/sotto/covers".utf8)
    }
    guard let home = Environment.bytes("HOME"), !home.isEmpty else { return nil }
    return home + Array("/.cache/sotto/covers".utf8)
  }

  /// By its first bytes; what is no picture is not handed on.
  nonisolated private static func ending(_ bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "jpg" }
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "png" }
    if bytes.starts(with: Array("GIF8".utf8)) { return "gif" }
    if bytes.starts(with: Array("BM".utf8)) { return "bmp" }
    if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
      return "webp"
    }
    return nil
  }

  nonisolated private static func isThere(_ file: [UInt8], _ size: Int) -> Bool {
    var facts = stat()
    return unsafe stat(cString(file), &facts) == 0 && facts.st_size == size
  }

  nonisolated private static func write(_ bytes: [UInt8], _ file: [UInt8]) -> Bool {
    guard let folder, Folders.make(folder) == 0 else { return false }
    let beside = file + Array(".\(getpid())".utf8)
    let descriptor = unsafe open(cString(beside), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return false }
    var cause = Descriptor.write(bytes, to: descriptor)
    if close(descriptor) != 0, cause == 0 { cause = errno }
    if cause == 0, unsafe rename(cString(beside), cString(file)) != 0 { cause = errno }
    if cause != 0 { _ = unsafe unlink(cString(beside)) }
    removeOldest(folder)
    return cause == 0
  }

  nonisolated private static func removeOldest(_ folder: [UInt8]) {
    guard let listing = unsafe opendir(cString(folder)) else { return }
    defer { unsafe _ = closedir(listing) }
    var files: [(path: [CChar], time: Int)] = []
    while let entry = unsafe readdir(listing) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        unsafe Array(bytes.prefix { $0 != 0 })
      }
      let path = cString(folder + [UInt8(ascii: "/")] + name)
      var facts = stat()
      guard unsafe stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { continue }
      files.append((path, facts.st_mtim.tv_sec))
    }
    guard files.count > most else { return }
    files.sort { $0.time < $1.time }
    for file in files.prefix(files.count - most) { _ = unsafe unlink(file.path) }
  }

  nonisolated private static func cString(_ bytes: [UInt8]) -> [CChar] {
    bytes.map { CChar(bitPattern: $0) } + [0]
  }
}
