import AudioTypes
import PlayerState

/// The one line that `play` shows on a terminal. Pure: facts in, text out.
struct StatusLine: Equatable {
  enum State: Equatable { case starting, playing, paused }

  var state = State.starting
  var title = ""
  var position = 0.0
  var duration: Double?
  /// The device's volume; `nil` when it has none or none is known yet.
  var device: DeviceLevel?
  /// The name of a device that has no volume of its own: then sotto's level stands in its place.
  var deviceWithoutVolume: String?
  /// sotto's own level in percent.
  var level = 100
  /// sotto itself is silent, on a device without mute.
  var isOwnMuted = false
  /// Another mixer keeps sotto mute.
  var isStreamMuted = false
  var isDeviceSuspended = false

  struct DeviceLevel: Equatable {
    var percent: Int
    var isMuted: Bool
  }

  static let keys = "space pause  arrows seek, volume  n p next, previous  m mute  q quit"

  /// At most `columns` wide. What matters least goes first as the line gets narrower: the keys,
  /// the volume, the end of the title.
  func text(columns: Int, width: (Unicode.Scalar) -> Int) -> String {
    func wide(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + width($1) } }
    let head = "\(Self.symbol(state)) \(times)"
    guard wide(head) < columns else { return Self.cut(head, columns, width) }
    var room = columns - wide(head)
    var tail = ""
    let volume = state == .starting && device == nil ? "" : "  " + volumeText
    if room - wide(volume) >= min(wide(title) + 2, 24) {
      tail = volume
      room -= wide(volume)
    }
    if room >= wide(title) + 2 + wide(Self.keys) + 2 { tail += "  " + Self.keys }
    guard room >= 4, !title.isEmpty else { return head + tail }
    return head + "  " + Self.cut(title, room - 2, width) + tail
  }

  private static func symbol(_ state: State) -> String {
    switch state {
    case .starting: return "..."
    case .playing: return ">"
    case .paused: return "||"
    }
  }

  private var times: String {
    Self.clock(position) + (duration.map { " / " + Self.clock($0) } ?? "")
  }

  private var volumeText: String {
    if isDeviceSuspended { return "device suspended" }
    if isStreamMuted { return "muted in the mixer" }
    let own = level == 100 ? "" : ", own level \(level)%"
    if let device {
      return (device.isMuted ? "muted (volume \(device.percent)%)" : "volume \(device.percent)%")
        + own
    }
    let levelText = isOwnMuted ? "muted (own level \(level)%)" : "own level \(level)%"
    return deviceWithoutVolume.map { "\(levelText), volume is set on \($0)" } ?? levelText
  }

  /// Seconds as "0:07", "12:34", "1:02:03".
  static func clock(_ seconds: Double) -> String { TrackText.clock(seconds) }

  /// The text cut to some columns, with three points where something is missing. Cuts between
  /// characters as people see them, so that no accent or joined emoji is torn.
  static func cut(_ text: String, _ columns: Int, _ width: (Unicode.Scalar) -> Int) -> String {
    func wide(_ character: Character) -> Int {
      character.unicodeScalars.reduce(0) { $0 + width($1) }
    }
    guard text.reduce(0, { $0 + wide($1) }) > columns else { return text }
    let points = columns > 3 ? "..." : ""
    var room = columns - points.count
    var result = ""
    for character in text {
      room -= wide(character)
      if room < 0 { break }
      result.append(character)
    }
    return result + points
  }
}

/// sotto's own level: percent as shown, and the factor it means.
enum Level {
  /// The cube: half of the way is about half as loud (-18 dB). 100 changes no sample.
  static func gain(percent: Int) -> Gain {
    let part = Float(min(max(percent, 0), 100)) / 100
    return Gain(linear: part * part * part)
  }
}
