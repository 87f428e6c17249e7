/// Something of a sound card that a plug goes into, as ALSA tells of it.
public struct Jack: Hashable, Sendable {
  /// What a jack stands for, as its name says.
  public enum Kind: Hashable, Sendable {
    case headphones
    /// Something with loudspeakers of its own: line out, dock, S/PDIF.
    case external
    /// The plug of a screen, and the PCM device that reaches it.
    case screen(device: Int?)
    /// Microphones, line in, and what is not known: sound does not come out there.
    case other
  }

  /// The control's name, as the driver has it: "Front Headphone Jack".
  public var name: String
  /// Of several with one name.
  public var index: Int
  public var isIn: Bool

  public init(_ name: String, index: Int = 0, isIn: Bool) {
    self.name = name
    self.index = index
    self.isIn = isIn
  }

  /// What it stands for, by its name: drivers tell nothing else.
  public var kind: Kind {
    // A phantom jack is always in: the card cannot tell.
    guard name.hasSuffix(" Jack"), !name.hasSuffix("Phantom Jack") else { return .other }
    let words = name.dropLast(" Jack".count)
    if words.hasPrefix("HDMI") || words.hasPrefix("DP") {
      return .screen(device: Self.device(in: words))
    }
    // "Headphone Mic" is one hole for either; "Headset Mic" is a headset's microphone alone.
    if words.contains("Headphone") { return .headphones }
    if words.contains("Mic") { return .other }
    if words.contains("Headset") || words.contains("Earphone") { return .headphones }
    let outputs = ["Line Out", "Lineout", "Dock", "SPDIF", "IEC958", "Optical"]
    let isInput = words.contains(" In")
    return !isInput && outputs.contains { words.contains($0) } ? .external : .other
  }

  /// The number in "HDMI/DP,pcm=3".
  private static func device(in words: Substring) -> Int? {
    let parts = words.split(separator: "=")
    guard parts.count > 1, let last = parts.last else { return nil }
    return Int(last.prefix { $0.isASCII && $0.isNumber })
  }

  /// For people: "Front Headphone".
  var title: String { name.hasSuffix(" Jack") ? String(name.dropLast(" Jack".count)) : name }
}
