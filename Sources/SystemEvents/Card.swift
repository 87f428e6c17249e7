import CAudioOutput

/// A sound card that plays, as ALSA lists it.
public struct Card: Hashable, Sendable {
  /// As in "hw:0"; another card may have it later.
  public var number: Int
  /// As in "hw:Audio"; the same when the card was away and is back.
  public var id: String
  /// For people.
  public var name: String

  public init(number: Int, id: String, name: String) {
    self.number = number
    self.id = id
    self.name = name
  }

  /// Those that are there now. Opens each card's control interface, which waits for nobody.
  public static func all() -> [Card] {
    var cards = [sotto_card](repeating: sotto_card(), count: 32)
    let count = unsafe cards.withUnsafeMutableBufferPointer {
      unsafe sotto_alsa_cards($0.baseAddress, $0.count)
    }
    return cards.prefix(count).map { card in
      Card(number: Int(card.number), id: text(card.id), name: text(card.name))
    }
  }

  private static func text<Characters>(_ characters: Characters) -> String {
    unsafe withUnsafeBytes(of: characters) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
