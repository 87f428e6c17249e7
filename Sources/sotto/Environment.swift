import Glibc
import TerminalScreen

/// What the environment says about texts and terminals.
enum Environment {
  static func value(_ name: String) -> String? {
    guard let text = unsafe getenv(name) else { return nil }
    let value = unsafe String(cString: text)
    return value.isEmpty ? nil : value
  }

  /// A folder's name is bytes.
  static func bytes(_ name: String) -> [UInt8]? {
    guard let text = unsafe getenv(name) else { return nil }
    return unsafe Array(UnsafeBufferPointer(start: text, count: strlen(text))).map {
      UInt8(bitPattern: $0)
    }
  }

  /// True when texts may hold more than ASCII: the locale names UTF-8. Read from the variables, so
  /// that it works where that locale's data is not installed.
  static let isUTF8: Bool = {
    let locale = value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG") ?? "C"
    let lowered = locale.lowercased()
    return lowered.contains("utf-8") || lowered.contains("utf8")
  }()

  static var isDumbTerminal: Bool { (value("TERM") ?? "dumb") == "dumb" }

  /// A text as the locale can show it.
  static func shown(_ text: String) -> String { isUTF8 ? text : ascii(text) }

  /// Everything beyond ASCII as a question mark.
  static func ascii(_ text: String) -> String {
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
    return String(text.map { $0.isASCII ? $0 : "?" })
  }
}

extension Terminal {
  /// True when a line can be redrawn and keys can be read.
  static var isInteractive: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && !Environment.isDumbTerminal
  }
}
