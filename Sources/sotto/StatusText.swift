import AudioSession
import AudioTypes
import Glibc
import JSONText
import MusicLibrary
import PlayQueue
import PlayerState

/// How a player stands, for `sotto ctl status` and `watch`. Fields are called what
/// `sotto session replay` and `sotto info` call the same things; Docs/Remote.md lists them.
enum StatusText {
  /// - Parameters:
  ///   - now: a moment not before the snapshot's own.
  ///   - track: what is heard, with what its playlist says of it.
  ///   - folder: the player's working folder; who asks has another one.
  static func fields(
    _ snapshot: PlayerSnapshot, now: SessionTime, track: ListedTrack?, in folder: [UInt8],
    instance: String?
  ) -> [(String, JSON)] {
    let situation = snapshot.situation
    let row = snapshot.index ?? snapshot.queue.current
    var fields: [(String, JSON)] = [
      ("instance", .string(instance)), ("pid", .int(Int(getpid()))),
      ("version", .string(Help.version)),
      ("at", .double(now.seconds)),
      ("display", .string(situation.display.rawValue)),
      ("willResume", .bool(situation.willResume)),
      ("intent", .string(intent(situation.intent))),
      ("cause", .string(situation.intent.cause?.rawValue)),
      ("audible", .bool(situation.isAudible)),
      ("gain", .double(situation.gain)),
      ("status", .string(situation.status.rawValue)),
      ("track", .int(track == nil ? nil : row)),
      ("tracks", .int(snapshot.queue.entries.count)),
      ("position", .double(thousandths(snapshot.position(at: now)))),
      ("isAdvancing", .bool(snapshot.isAdvancing)),
      ("duration", .double(snapshot.length)),
    ]
    fields += track.map { of($0, snapshot, in: folder) } ?? Self.trackFields.map { ($0, .null) }
    fields += [
      ("blockers", .array(snapshot.causes.map { .string($0.id) })),
      (
        "causes",
        .array(
          snapshot.causes.map {
            .object([
              ("id", .string($0.id)), ("kind", .string($0.kind.rawValue)),
              ("source", .string($0.source)), ("overridden", .bool($0.isOverridden)),
            ])
          })
      ),
      ("said", .string(snapshot.lastDecision?.sentence)),
      ("rules", .array((snapshot.lastDecision?.rules.all ?? []).map { .string($0.id) })),
      ("device", .string(snapshot.deviceName)),
      (
        "route",
        snapshot.route.map {
          .object([("id", .string($0.id)), ("class", .string($0.routeClass.rawValue))])
        } ?? .null
      ),
      ("volume", .int(snapshot.deviceVolume)), ("muted", .bool(snapshot.isDeviceMuted)),
      ("streamMuted", .bool(snapshot.isStreamMuted)),
      ("deviceSuspended", .bool(snapshot.isDeviceSuspended)),
      ("ringer", .int(snapshot.hasRingerVolume ? snapshot.ringerVolume : nil)),
      ("level", .int(snapshot.level)), ("levelMuted", .bool(snapshot.isOwnMuted)),
      ("loudness", .string(snapshot.gainMode.rawValue)),
      ("replayGain", .double(snapshot.replayGain)),
      ("silent", .bool(snapshot.isSilent)), ("lock", .bool(snapshot.isLocked)),
      ("shuffle", .bool(snapshot.queue.isShuffled)),
      ("repeat", .string(repeating(snapshot.queue.repeatMode))),
      ("single", .bool(snapshot.queue.isSingle)),
      ("shuffleBy", .string(snapshot.queue.shuffleUnit?.rawValue)),
      ("stopAfter", .bool(snapshot.queue.stopsOnce)),
      ("consume", .bool(snapshot.queue.isConsuming)),
      ("sleepsAt", .double(snapshot.sleepsAt.map { thousandths($0.seconds) })),
      (
        "alarm",
        snapshot.alarm.map {
          .object([
            ("time", .string($0.time.clock)), ("days", .string($0.time.days.rawValue)),
            ("due", .int($0.due)), ("ringing", .bool($0.isRinging)),
          ])
        } ?? .null
      ),
      ("memo", .bool(snapshot.isRecordingMemo)),
      (
        "call",
        snapshot.call.map {
          .object([
            ("name", .string($0.name)),
            ("phase", .string($0.phase == .ringing ? "ringing" : "talking")),
            ("since", .double($0.since.seconds)), ("waiting", .bool($0.isAnotherWaiting)),
          ])
        } ?? .null
      ),
      (
        "notice",
        snapshot.notice.map {
          .object([("text", .string($0.text)), ("fault", .bool($0.isFault))])
        } ?? .null
      ),
    ]
    return fields
  }

  /// What `info` says of the file, without what is long.
  private static let trackFields = [
    "path", "title", "artist", "album", "albumArtist", "date", "genre", "container", "codec",
    "sampleRate", "channels", "bitDepth", "bitRate", "start", "end",
  ]

  private static func of(
    _ track: ListedTrack, _ snapshot: PlayerSnapshot, in folder: [UInt8]
  ) -> [(String, JSON)] {
    var track = track
    track.location.path = PlayerCommand.whole(track.location.path, in: folder)
    var known: [String: JSON] = [
      "path": .bytes(track.location.path), "title": .string(track.title),
      "artist": .string(track.artist), "album": .string(track.album),
    ]
    if let info = snapshot.info, case .object(let fields) = InfoText.json(track, info) {
      known = Dictionary(fields) { $1 }
    }
    return trackFields.map { ($0, known[$0] ?? .null) }
  }

  private static func intent(_ intent: Intent) -> String {
    switch intent {
    case .stopped: "stopped"
    case .playing: "playing"
    case .paused: "paused"
    }
  }

  private static func repeating(_ mode: RepeatMode) -> String {
    switch mode {
    case .off: "off"
    case .all: "all"
    case .one: "one"
    }
  }

  private static func thousandths(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

  /// For people: the screen's own words.
  static func lines(_ snapshot: PlayerSnapshot) -> [String] {
    var controls: [Control] = [.transport]
    if !snapshot.causes.isEmpty { controls.append(.session) }
    controls += snapshot.entry == nil ? [.queue] : [.track, .progress]
    controls += [.volume, .level]
    if snapshot.isRecordingMemo { controls.append(.memo) }
    if snapshot.isLocked { controls.append(.lock) }
    if snapshot.isSilent { controls.append(.silent) }
    if snapshot.queue.isShuffled { controls.append(.shuffle) }
    if snapshot.queue.repeatMode != .off { controls.append(.repeating) }
    if snapshot.queue.isSingle { controls.append(.single) }
    if snapshot.queue.stopsOnce { controls.append(.stopAfter) }
    if snapshot.queue.isConsuming { controls.append(.consume) }
    if snapshot.sleepsAt != nil { controls.append(.sleep) }
    if snapshot.alarm != nil { controls.append(.alarm) }
    return controls.map { snapshot.description(of: $0, at: snapshot.at) }
  }
}
