import AudioSession
import AudioTypes
import Player

/// A situation that plays itself through: what happens when, and what must be heard of it. Times are
/// seconds from the start.
struct Scenario {
  var name: Name
  /// What it shows, in a line.
  var title: String
  /// sotto's own session.
  var configuration = SessionConfiguration.musicPlayer
  /// What sotto plays, in the folder of sounds.
  var tracks = ["music/03-gymnopedie-no-1.flac", "music/01-prelude-in-c-part-1.wav"]
  var steps: [Step]
  /// Which sound is where, so that it can be told from the others.
  var sounds: [Presence]
  var checks: [Check]

  enum Name: String, CaseIterable, Sendable {
    case language, call, game, navigation, interface, unplug
  }

  struct Step {
    var at: Double
    /// What happens, for people.
    var text: String
    var acts: [Act]

    init(_ at: Double, _ text: String, _ acts: Act...) {
      self.at = at
      self.text = text
      self.acts = acts
    }
  }

  enum Act {
    case neighbour(Neighbourhood.Act)
    case event(SessionEvent)
  }

  enum Sound: String {
    /// What sotto plays.
    case music
    case prompt, message, ringtone, caller, callee, game
    case otherMusic = "other music"
  }

  /// A sound is somewhere in a stretch of time, if all goes well.
  struct Presence {
    var sound: Sound
    var from: Double
    var to: Double
    /// Where it is looked for: where it sounds for sure and, where that can be, alone.
    var probe: Double

    init(_ sound: Sound, _ from: Double, _ to: Double, probe: Double? = nil) {
      self.sound = sound
      self.from = from
      self.to = to
      self.probe = probe ?? from + 0.3
    }
  }

  enum Heard: Equatable {
    /// At this many decibels, to within one.
    case level(Double)
    /// Not at all.
    case silent
    /// Audible, at whatever level.
    case sounding
  }

  struct Check {
    var sound: Sound
    var from: Double
    var to: Double
    var heard: Heard
    var rules: [Rule]

    init(_ sound: Sound, _ from: Double, _ to: Double, _ heard: Heard, _ rules: Rule...) {
      self.sound = sound
      self.from = from
      self.to = to
      self.heard = heard
      self.rules = rules
    }
  }

  /// How long the whole takes.
  var seconds: Double {
    max(steps.map(\.at).max() ?? 0, checks.map(\.to).max() ?? 0) + 0.5
  }
}

// MARK: - The scenarios

extension Scenario {
  static func named(_ name: Name) -> Scenario {
    switch name {
    case .language: language
    case .call: call
    case .game: game
    case .navigation: navigation
    case .interface: interface
    case .unplug: unplug
    }
  }

  /// The music goes on where it was held.
  private static let own = Heard.level(0)
  private static let ducked = Heard.level(SessionTiming.duckDecibels)
  private static let besides = Heard.level(-3)

  private static let language = Scenario(
    name: .language, title: "a language lesson takes the place of music, and is never silenced",
    configuration: .languageLesson, tracks: ["effects/call-caller.wav"],
    steps: [
      Step(0, "other music plays", .neighbour(.music)),
      Step(2, "the lesson begins", .event(.play(.key))),
      Step(
        3.6, "silent mode is switched on, the screen is locked", .neighbour(.silent),
        .neighbour(.lock)),
      Step(4.5, "a spoken direction over the lesson", .neighbour(.prompt)),
      Step(8.5, "the lesson is left", .event(.deactivate(notifyOthers: true))),
    ],
    sounds: [
      Presence(.otherMusic, 0, 3), Presence(.music, 2, 4.8, probe: 3.1),
      Presence(.prompt, 4.5, 7.5), Presence(.music, 7.1, 8.8, probe: 7.8),
      Presence(.otherMusic, 8.5, 10.5),
    ],
    checks: [
      Check(.otherMusic, 0.5, 1.9, besides, .s41),
      Check(.otherMusic, 2.6, 4.4, .silent, .s41),
      Check(.music, 3.1, 3.5, own, .s41),
      Check(.music, 3.8, 4.4, own, .s7, .s41),
      Check(.music, 4.8, 7, .silent, .s54),
      Check(.prompt, 4.9, 6.7, .level(0), .s54),
      Check(.music, 7.7, 8.1, own, .s61),
      Check(.music, 8.9, 9.9, .silent, .s57),
      Check(.otherMusic, 9, 9.9, besides, .s57),
    ])

  private static let call = Scenario(
    name: .call, title: "a call comes in, is answered, and the music comes back",
    steps: [
      Step(0, "music plays", .event(.play(.key))),
      Step(2, "a call rings", .neighbour(.call)),
      Step(3.5, "it is answered", .neighbour(.answer)),
      Step(6, "the call ends", .neighbour(.decline)),
      Step(8, "the music is paused, and a call comes in", .event(.pause(.key)), .neighbour(.call)),
      Step(9.5, "it is declined", .neighbour(.decline)),
      Step(11, "play", .event(.play(.key))),
      Step(12, "a call, answered", .neighbour(.call), .neighbour(.answer)),
      Step(13, "a second call in the first, answered", .neighbour(.call), .neighbour(.answer)),
      Step(14, "the second ends", .neighbour(.decline)),
      Step(15, "the first ends", .neighbour(.decline)),
    ],
    sounds: [
      Presence(.music, 0, 2.3), Presence(.ringtone, 2, 3.7),
      Presence(.caller, 3.5, 6.2, probe: 4.7), Presence(.callee, 3.5, 6.2),
      Presence(.music, 6, 8.2), Presence(.ringtone, 8, 9.7), Presence(.music, 11, 12.2),
      Presence(.callee, 12, 13.2), Presence(.callee, 13, 14.2), Presence(.callee, 14, 15.2),
      Presence(.music, 15, 17),
    ],
    checks: [
      Check(.music, 0.3, 1.9, own, .s5),
      Check(.music, 2.25, 5.9, .silent, .s42, .s53),
      Check(.ringtone, 2.3, 3.4, .sounding, .s28),
      Check(.caller, 4.7, 5.9, .level(0), .s42),
      Check(.music, 6.3, 7.9, own, .s51, .s53),
      Check(.music, 8.2, 10.9, .silent, .s51, .s53),
      Check(.music, 11.3, 11.9, own, .s2),
      Check(.music, 12.25, 14.9, .silent, .s42),
      Check(.music, 15.3, 16.5, own, .s53),
    ])

  private static let game = Scenario(
    name: .game, title: "a game in front joins the music, and keeps to silent mode",
    steps: [
      Step(0, "music plays", .event(.play(.key))),
      Step(2, "a game comes to the front", .neighbour(.game)),
      Step(4, "silent mode", .neighbour(.silent)),
      Step(5.5, "silent mode ends", .neighbour(.silent)),
      Step(7, "the game ends", .neighbour(.game)),
      Step(8, "the music is paused", .event(.pause(.key))),
      Step(8.5, "the game again: nothing else plays", .neighbour(.game)),
      Step(10.5, "it ends; the music was paused before", .neighbour(.game)),
    ],
    sounds: [
      Presence(.music, 0, 8.2), Presence(.game, 2, 4.2), Presence(.game, 5.5, 7.2),
      Presence(.game, 8.5, 10.7),
    ],
    checks: [
      Check(.music, 0.3, 7.9, own, .s5, .s43),
      Check(.game, 2.4, 3.9, .level(-9), .s43),
      Check(.game, 4.2, 5.4, .silent, .s3, .s43),
      Check(.game, 5.8, 6.9, .level(-9), .s43),
      Check(.game, 7.2, 7.9, .silent, .s43),
      Check(.music, 8.2, 11.5, .silent, .s2),
      Check(.game, 8.9, 10.4, .level(-9), .s43),
    ])

  private static let navigation = Scenario(
    name: .navigation,
    title: "a spoken direction: the music steps under it, the telephone does not",
    steps: [
      Step(0, "music plays", .event(.play(.key))),
      Step(2, "a spoken direction", .neighbour(.prompt)),
      Step(7, "a call, answered", .neighbour(.call), .neighbour(.answer)),
      Step(8, "a spoken direction, which waits for the end of the call", .neighbour(.prompt)),
      Step(10.5, "the call ends", .neighbour(.decline)),
    ],
    sounds: [
      Presence(.music, 0, 7.2), Presence(.prompt, 2, 5), Presence(.caller, 7, 10.7, probe: 8.2),
      Presence(.callee, 7, 10.7), Presence(.prompt, 10.5, 13.5),
      Presence(.music, 10.5, 15.5, probe: 14.3),
    ],
    checks: [
      Check(.music, 0.3, 1.9, own, .s5),
      Check(.music, 2.25, 4.6, ducked, .s44, .s54),
      Check(.prompt, 2.3, 4.3, .level(0), .s44),
      Check(.music, 5.7, 6.9, own, .s44, .s54),
      Check(.music, 7.25, 10.4, .silent, .s42),
      Check(.caller, 8.2, 10.2, .level(0), .s44),
      Check(.prompt, 8.1, 10.4, .silent, .s42),
      Check(.music, 10.8, 13, ducked, .s53, .s54),
      Check(.prompt, 10.8, 12.8, .level(0), .s54),
      Check(.music, 14.2, 15, own, .s53),
    ])

  private static let interface = Scenario(
    name: .interface,
    title: "message tones: beside the music, on the ringer's volume, never in silent mode",
    steps: [
      Step(0, "music plays", .event(.play(.key))),
      Step(2, "a message comes", .neighbour(.message)),
      Step(4, "silent mode, and another message", .neighbour(.silent), .neighbour(.message)),
      Step(6, "silent mode ends", .neighbour(.silent)),
      Step(7, "the music is paused", .event(.pause(.key))),
      Step(
        7.4, "the volume keys mean the ringer now: four steps down",
        .event(.volumeKey(.down)), .event(.volumeKey(.down)), .event(.volumeKey(.down)),
        .event(.volumeKey(.down))),
      Step(7.8, "a message comes", .neighbour(.message)),
      Step(
        9.3, "four steps up again",
        .event(.volumeKey(.up)), .event(.volumeKey(.up)), .event(.volumeKey(.up)),
        .event(.volumeKey(.up))),
      Step(9.5, "play", .event(.play(.key))),
    ],
    sounds: [
      Presence(.music, 0, 7.2), Presence(.message, 2, 3.5, probe: 2.15),
      Presence(.message, 7.8, 9.3, probe: 7.95), Presence(.music, 9.5, 11.5),
    ],
    checks: [
      Check(.music, 0.3, 6.9, own, .s25),
      Check(.message, 2.2, 3, .level(-5.8), .s11, .s24),
      Check(.message, 4.1, 5.6, .silent, .s3, .s24),
      Check(.music, 7.2, 9.4, .silent, .s2),
      Check(.message, 8, 8.8, .level(-13.3), .s12),
      Check(.music, 9.8, 11, own, .s2),
    ])

  private static let unplug = Scenario(
    name: .unplug, title: "headphones come and go: the speakers never play by themselves",
    steps: [
      Step(0, "headphones, and music", .neighbour(.headphones), .event(.play(.key))),
      Step(2, "the headphones are pulled out", .neighbour(.headphones)),
      Step(3.5, "they are plugged in again", .neighbour(.headphones)),
      Step(5, "play", .event(.play(.key))),
      Step(6.5, "a Bluetooth headset connects", .neighbour(.bluetooth)),
      Step(7.5, "it changes its profile", .neighbour(.profile)),
      Step(
        10, "the speakers are picked", .event(.route(RouteChange(to: speakers, reason: .override)))),
    ],
    sounds: [
      Presence(.music, 0, 2.2), Presence(.music, 5, 7.7), Presence(.music, 8.5, 12, probe: 9.0),
    ],
    checks: [
      Check(.music, 0.3, 1.9, own, .s15),
      Check(.music, 2.1, 4.9, .silent, .s2, .s16),
      Check(.music, 5.3, 7.4, own, .s15, .s17),
      Check(.music, 7.7, 8.4, .silent, .s16),
      Check(.music, 8.9, 9.9, own, .s15),
      Check(.music, 10.1, 11.2, own, .s21),
    ])

  private static let speakers = Route(id: "speakers", name: "Speakers", routeClass: .speaker)
}
