/// What turns a terminal into our screen, and back.
enum ScreenModes {
  /// The other screen, no wrapping, no cursor; pastes, focus and the mouse are told. Private modes
  /// that a terminal does not know it ignores.
  static func enter(_ capabilities: Capabilities, mouse: Bool) -> [UInt8] {
    var text = capabilities.hasAlternateScreen ? "\u{1B}[?1049h" : ""
    text += "\u{1B}[m\u{1B}[?7l\u{1B}[?25l\u{1B}[?2004h\u{1B}[?1004h"
    if mouse { text += mouseOn }
    if capabilities.mayShowPictures { text += KittyPictures.question }
    return Array(text.utf8)
  }

  /// Buttons and drags, in the way that has no largest column.
  static let mouseOn = "\u{1B}[?1002h\u{1B}[?1006h"
  static let mouseOff = "\u{1B}[?1006l\u{1B}[?1002l"

  /// Begins with the end of a string: the program may have been cut off within a sequence. The mouse
  /// may have been turned on since the beginning.
  static func leave(_ capabilities: Capabilities) -> [UInt8] {
    var text = "\u{1B}\\"
    if capabilities.mayShowPictures { text += KittyPictures.end }
    if capabilities.hasSynchronizedOutput { text += "\u{1B}[?2026l" }
    text += mouseOff
    text += "\u{1B}[?1004l\u{1B}[?2004l\u{1B}[m\u{1B}[?7h"
    text += capabilities.hasAlternateScreen ? "\u{1B}[?1049l" : "\u{1B}[H\u{1B}[J"
    return Array((text + "\u{1B}[?25h").utf8)
  }
}
