import AudioSession
import PlayerState

/// The keys of input devices that mean something to a player, by the kernel's numbers
/// (linux/input-event-codes.h). Each does what its name says (S70).
enum ButtonKeys {
  enum Meaning: Hashable {
    case command(PlayerCommand)
    /// A headset's one button, which is counted.
    case single
  }

  static let media: UInt16 = 226
  static let first: UInt16 = 0x100
  /// A device with letters is a keyboard.
  static let letter: UInt16 = 30

  static let meanings: [UInt16: Meaning] = [
    164: .command(.toggle), 200: .command(.play), 201: .command(.pause), 166: .command(.stop),
    163: .command(.next), 165: .command(.previous), 115: .command(.volume(.by(step))),
    114: .command(.volume(.by(-step))), 113: .command(.mute), media: .single, first: .single,
  ]

  static let codes = meanings.keys.sorted()
  private static let step = 5

  /// Held down, a key of the volume goes on; not faster than this.
  static let repeatSeconds = 0.1

  /// Keys that are a headset's button while a call rings or lasts.
  static func isButton(_ code: UInt16) -> Bool {
    switch meanings[code] {
    case .single, .command(.toggle), .command(.play), .command(.pause): true
    default: false
    }
  }
}
