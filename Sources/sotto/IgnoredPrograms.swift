import AudioTypes
import Glibc

/// The programs that the user has left out for good, a name a line in
/// `$XDG_CONFIG_HOME/sotto/ignored`: some say for as long as they run that they are a call (T2). Lines
/// that begin with `#` are the user's own words.
@MainActor enum IgnoredPrograms {
  static var path: [UInt8]? { Configuration.folder.map { $0 + Array("/ignored".utf8) } }

  /// More than these are left out: nobody wrote them by hand.
  private static let most = 500

  /// A file that cannot be read is told; one that is not there is none.
  static func read() -> [String] {
    guard let path, unsafe access(path.map { CChar(bitPattern: $0) } + [0], F_OK) == 0 else {
      return []
    }
    var names: [String] = []
    let fault = TextFile.eachLine(path) { line, _ in
      let name = String(decoding: line, as: UTF8.self)
      if !name.isEmpty, !name.hasPrefix("#"), names.count < most { names.append(name) }
      return nil
    }
    if let fault { Messages.fault(fault.place, fault.sentence) }
    return names
  }

  /// Adds one, unless it is there. 0, or why it is not kept.
  static func add(_ name: String) -> CInt {
    guard let path, let folder = Configuration.folder, !read().contains(name) else { return 0 }
    // A name is one line.
    let line = Array(name.utf8).filter { $0 != 0x0A && $0 != 0x0D } + [0x0A]
    let cause = Folders.make(folder)
    if cause != 0 { return cause }
    let file = path.map { CChar(bitPattern: $0) } + [0]
    let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    return Descriptor.write(line, to: descriptor)
  }
}
