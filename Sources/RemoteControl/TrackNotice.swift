import AudioTypes
import Bus

/// A desktop's notification of the track: one, which is replaced and never stacked. Without a bus
/// or a desktop nothing happens.
///
/// On the control thread.
@MainActor public final class TrackNotice {
  /// What is shown.
  public struct Track: Hashable, Sendable {
    public var title: String
    public var artist: String?
    public var album: String?
    /// The address of a picture.
    public var artURL: String?

    public init(title: String, artist: String? = nil, album: String? = nil, artURL: String? = nil) {
      self.title = title
      self.artist = artist
      self.album = album
      self.artURL = artURL
    }
  }

  private let bus: BusConnection
  /// The desktop's number for the notice; 0 before there is one.
  private var id: UInt32 = 0
  private var isAsking = false
  private var next: Track?
  /// It was taken away before the desktop had given its number.
  private var isWithdrawn = false
  /// Whether the desktop takes its body for markup.
  private var takesMarkup: Bool?

  static let name = "org.freedesktop.Notifications"
  static let path = "/org/freedesktop/Notifications"

  /// - Parameter bus: the session's. Nothing is shown before `show`.
  public init(_ bus: BusConnection) {
    self.bus = bus
    bus.observe { [weak self] _ in
      guard let self else { return }
      // Another bus has another desktop.
      (id, isAsking, isWithdrawn, takesMarkup) = (0, false, false, nil)
    }
  }

  /// Shows a track in the place of the one before.
  public func show(_ track: Track) {
    next = track
    isWithdrawn = false
    send()
  }

  /// Takes the notice away.
  public func withdraw() {
    next = nil
    guard id != 0 else {
      isWithdrawn = isAsking
      return
    }
    Self.close(id, on: bus)
    id = 0
  }

  private static func close(_ id: UInt32, on bus: BusConnection) {
    bus.call(name, path, name, "CloseNotification", [.uint32(id)]) { _ in }
  }

  private func send() {
    guard bus.isReady, !isAsking, let track = next else { return }
    isAsking = true
    guard let takesMarkup else {
      return bus.call(Self.name, Self.path, Self.name, "GetCapabilities", mayStart: true) {
        [weak self] result in
        guard let self else { return }
        isAsking = false
        // Nobody shows notices here: the next track asks again.
        guard case .success(let values) = result else {
          next = nil
          return
        }
        takesMarkup = values.first.map { Self.texts($0).contains("body-markup") } ?? false
        send()
      }
    }
    next = nil
    bus.call(
      Self.name, Self.path, Self.name, "Notify", Self.arguments(track, id, takesMarkup)
    ) { [weak self, bus] result in
      var number: UInt32 = 0
      if case .success(let values) = result, case .uint32(let given)? = values.first {
        number = given
      }
      guard let self, !isWithdrawn else {
        if number != 0 { Self.close(number, on: bus) }
        self?.ended()
        return
      }
      isAsking = false
      if number != 0 { id = number }
      send()
    }
  }

  /// What was withdrawn is gone: the next one is new.
  private func ended() {
    isAsking = false
    isWithdrawn = false
  }

  private static func texts(_ value: BusValue) -> [String] {
    guard case .array(_, let elements) = value.plain else { return [] }
    return elements.compactMap(\.text)
  }

  static func arguments(_ track: Track, _ id: UInt32, _ takesMarkup: Bool) -> [BusValue] {
    let lines = [track.artist, track.album].compactMap(\.self).map {
      let text = Text.printable($0)
      return takesMarkup ? escaped(text) : text
    }
    // It says nothing aloud: a tone would step into the music.
    var hints: [(String, BusValue)] = [
      ("desktop-entry", .string("sotto")), ("urgency", .byte(0)), ("transient", .boolean(true)),
      ("suppress-sound", .boolean(true)),
    ]
    if let url = track.artURL { hints.append(("image-path", .string(url))) }
    return [
      .string("sotto"), .uint32(id), .string("sotto"), .string(Text.printable(track.title)),
      .string(lines.joined(separator: " — ")), .strings([]), .properties(hints), .int32(-1),
    ]
  }

  /// Tags are text, whatever signs are in them.
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.append(character)
      }
    }
    return result
  }
}
