import AudioSession
import Bus
import PlayerState

/// What BlueZ knows of the player, and what it must be told anew. BlueZ counts the position by itself
/// from what it was told, begins at 0 with each Metadata, and tells the headset of every one of them
/// as another track: so nothing goes there that it does not read, and the position only when its own
/// count is wrong.
///
/// A value without a clock.
struct AVRCPNews {
  private var values: [String: BusValue] = [:]
  /// Where BlueZ believes the track to be, in seconds, and since when.
  private var place = (seconds: 0.0, since: SessionTime.zero)
  private var isPlaying = false

  static let position = "Position"
  private static let status = "PlaybackStatus"
  private static let metadata = "Metadata"
  /// AVRCP's settings Repeat and Shuffle, which a headset or a car shows and sets.
  static let loop = "LoopStatus"
  static let shuffle = "Shuffle"

  /// What BlueZ may be wrong by, in seconds: headsets show whole ones.
  private static let tolerance = 1.0

  /// In the order in which BlueZ must read them: a track, the place in it, and whether it runs.
  static let types = [
    ("Identity", "s"), ("CanControl", "b"), ("CanPlay", "b"), ("CanPause", "b"),
    ("CanGoNext", "b"), ("CanGoPrevious", "b"), (loop, "s"), (shuffle, "b"), (metadata, "a{sv}"),
    (position, "x"), (status, "s"),
  ]

  /// Before there is a player.
  static func none(_ name: String) -> BusValue {
    switch name {
    case "Identity": .string("sotto")
    case metadata: .properties([])
    case position: .int64(0)
    case status: .string(PlaybackStatus.stopped.rawValue)
    case loop: .string("None")
    default: .boolean(false)
    }
  }

  /// Everything about the player now.
  static func all(_ snapshot: PlayerSnapshot, at now: SessionTime) -> [(String, BusValue)] {
    types.map { name, _ in
      switch name {
      case metadata: (name, track(snapshot))
      case position: (name, .int64(MPRISServer.microseconds(snapshot.position(at: now))))
      case status: (name, .string(snapshot.situation.status.rawValue))
      case loop: (name, MPRISServer.loopStatus(snapshot))
      case shuffle: (name, .boolean(snapshot.queue.isShuffled))
      case "Identity": (name, none(name))
      // What BlueZ believes that sotto cannot do goes out as a key, to whoever listens to keys. So
      // everything is taken here, and what is impossible does nothing (S71, S81).
      default: (name, .boolean(snapshot.entry != nil))
      }
    }
  }

  /// Neither files nor addresses: a headset shows titles, and BlueZ is another program.
  private static let keys: Set = [
    "mpris:trackid", "mpris:length", "xesam:title", "xesam:artist", "xesam:album", "xesam:genre",
    "xesam:trackNumber",
  ]

  private static func track(_ snapshot: PlayerSnapshot) -> BusValue {
    var pairs = (MPRISMetadata.heard(snapshot, artURL: nil).pairs ?? []).filter { pair in
      pair.key.text.map(keys.contains) ?? false
    }
    // Without one BlueZ keeps the length of the track before.
    if !pairs.contains(where: { $0.key.text == "mpris:length" }) {
      pairs.append(BusValue.Pair(.string("mpris:length"), .variant(.int64(0))))
    }
    return .dictionary(key: "s", value: "v", pairs)
  }

  // MARK: What BlueZ knows

  /// What of it BlueZ does not know yet.
  func changes(_ all: [(String, BusValue)], at now: SessionTime) -> [(String, BusValue)] {
    var news = all.filter { $0.0 != Self.position && values[$0.0] != $0.1 }
    // Where it will believe the track to be after that.
    var after = self
    after.take(news, at: now)
    guard let there = all.first(where: { $0.0 == Self.position })?.1.integer,
      abs(Double(there) / 1e6 - after.believed(at: now)) > Self.tolerance, after.hasLength
    else { return news }
    let index = news.firstIndex { $0.0 == Self.status } ?? news.endIndex
    news.insert((Self.position, .int64(there)), at: index)
    return news
  }

  /// BlueZ is told that.
  mutating func take(_ news: [(String, BusValue)], at now: SessionTime) {
    for (name, value) in news {
      values[name] = value
      switch name {
      case Self.metadata: place = (0, now)
      case Self.position: place = (Double(value.integer ?? 0) / 1e6, now)
      case Self.status:
        place = (believed(at: now), now)
        isPlaying = value.text == PlaybackStatus.playing.rawValue
      default: break
      }
    }
  }

  /// A place in what has no length is its end to BlueZ.
  private var hasLength: Bool {
    (values[Self.metadata]?["mpris:length"]?.integer ?? 0) > 0
  }

  private func believed(at now: SessionTime) -> Double {
    isPlaying ? place.seconds + (now - place.since).seconds : place.seconds
  }
}
