import AudioTypes
import Glibc
import PlayerState
import TerminalModel

/// What the user has set: `config`, `keys` and `themes/` in `$XDG_CONFIG_HOME/sotto`. None of it is
/// needed; what is wrong in it is told with its line, and the rest holds.
@MainActor struct Configuration: @MainActor Equatable {
  var settings = Settings()
  /// The lines of `config` that say something, by name.
  var lines: [String: Int] = [:]
  var keys = KeyTable.defaults
  /// The themes of the user's own, by name.
  var themes: [String: Theme] = [:]
  /// What is wrong, a sentence each, with file and line.
  var faults: [String] = []
  /// The file that was read, for people.
  var file = ""

  /// `$XDG_CONFIG_HOME/sotto`, or the same in the home folder; `nil` without either.
  static var folder: [UInt8]? {
    if let folder = Environment.bytes("XDG_CONFIG_HOME"), folder.first == UInt8(ascii: "/") {
      return folder + Array("/sotto".utf8)
    }
    guard let home = Environment.bytes("HOME"), !home.isEmpty else { return nil }
    return home + Array("/.config/sotto".utf8)
  }

  /// - Parameter given: the file of `--config`, which must be there.
  static func read(_ given: [UInt8]?) -> Configuration {
    var configuration = Configuration()
    let folder = folder
    let file = given ?? folder.map { $0 + Array("/config".utf8) }
    if let file {
      configuration.file = Text.printable(file)
      switch text(file) {
      case .text(let text):
        let (settings, lines, errors) = Settings.read(text)
        configuration.settings = settings
        configuration.lines = lines
        configuration.faults += errors.map { $0.message(in: Text.printable(file)) }
      case .missing:
        if given != nil { configuration.faults.append("\(Text.printable(file)): no such file") }
      case .fault(let sentence):
        configuration.faults.append("\(Text.printable(file)): \(sentence)")
      }
    }
    guard let folder else { return configuration }
    let keysFile = folder + Array("/keys".utf8)
    if case .text(let text) = text(keysFile) {
      let (keys, errors) = KeysFile.read(text)
      configuration.keys = keys
      configuration.faults += errors.map { $0.message(in: Text.printable(keysFile)) }
    }
    configuration.readThemes(folder + Array("/themes".utf8))
    return configuration.checkingTheme()
  }

  /// Says what is wrong in it. Who was told reads on with what holds, and does not end with 0.
  func tellFaults() {
    for fault in faults {
      Messages.status = 1
      Messages.tell(fault)
    }
  }

  /// Whether the theme that is set is there, once all are known.
  private func checkingTheme() -> Configuration {
    guard theme(settings.theme) == nil else { return self }
    var checked = self
    let names = Theme.all.map(\.name) + themes.keys.sorted()
    let place = lines["theme"].map { "\(file):\($0): " } ?? ""
    checked.faults.append(
      "\(place)no theme is called '\(Text.printable(settings.theme))'; there are"
        + " \(names.joined(separator: ", "))")
    checked.settings.theme = Settings().theme
    return checked
  }

  private mutating func readThemes(_ folder: [UInt8]) {
    for name in FolderNames.sorted(folder) where name.first != UInt8(ascii: ".") {
      let path = folder + [UInt8(ascii: "/")] + name
      guard case .text(let text) = Self.text(path) else { continue }
      let title = Text.printable(name)
      let (theme, errors) = ThemeFile.read(text, name: title)
      themes[title] = theme
      faults += errors.map { $0.message(in: Text.printable(path)) }
    }
  }

  /// The theme that the settings name; the standard one where nobody knows it.
  func theme(_ name: String) -> Theme? {
    themes[name] ?? Theme.all.first { $0.name == name }
  }

  // MARK: Files

  private enum Content {
    case text(String)
    case missing
    case fault(String)
  }

  /// A configuration is no longer than this.
  private static let limit = 1 << 20

  private static func text(_ path: [UInt8]) -> Content {
    let descriptor = unsafe open(
      path.map { CChar(bitPattern: $0) } + [0], O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      return errno == ENOENT || errno == ENOTDIR
        ? .missing : .fault("cannot be read: \(Descriptor.sentence(errno))")
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe piece.withUnsafeMutableBytes {
        unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 {
        if errno == EINTR { continue }
        return .fault("cannot be read: \(Descriptor.sentence(errno))")
      }
      if count == 0 { break }
      bytes += piece[..<count]
      if bytes.count > limit { return .fault("is longer than 1 MiB") }
    }
    return .text(String(decoding: bytes, as: UTF8.self))
  }
}

/// The names in a folder.
enum FolderNames {
  /// In the order of their bytes; empty where it cannot be read.
  static func sorted(_ folder: [UInt8]) -> [[UInt8]] {
    guard let handle = unsafe opendir(folder.map { CChar(bitPattern: $0) } + [0]) else { return [] }
    defer { unsafe closedir(handle) }
    var names: [[UInt8]] = []
    while let entry = unsafe readdir(handle) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
        unsafe Array($0.prefix { $0 != 0 })
      }
      if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
