import AudioSession
import AudioTypes

/// A program beside sotto that exists only here, with a session of its own and real sound: for
/// hearing what the rules do without any other program.
struct Neighbour {
  enum Kind: String, CaseIterable {
    case prompt, alarm, assistant, music, game, call
  }

  let kind: Kind
  /// Tells one from another of the same kind.
  let id: String
  /// What it is called on the screen.
  let name: String
  var session: SessionMachine
  /// What it plays, in the folder of sounds.
  var sound: Sound
  /// When it began to sound, and how much of it has sounded before that, in seconds.
  var since: SessionTime?
  var heard = 0.0

  struct Sound {
    var file: String
    /// Its place in the mix.
    var place: Int
    var gain = Gain.unity
    var isLooping = false
  }

  init(_ kind: Kind, number: Int, otherAudioPlaying: Bool, route: Route) {
    self.kind = kind
    id = "\(kind.rawValue)-\(number)"
    let configuration: SessionConfiguration
    switch kind {
    case .prompt:
      (name, configuration) = ("Navigation", .navigation)
      sound = Sound(file: "effects/navigation.wav", place: 0)
    case .alarm:
      (name, configuration) = ("Alarm", .alarm)
      sound = Sound(file: "effects/alarm.wav", place: 1)
    case .assistant:
      (name, configuration) = ("Assistant", .alarm)
      sound = Sound(file: "effects/navigation.wav", place: 1)
    case .music:
      (name, configuration) = ("Other music", .musicPlayer)
      sound = Sound(
        file: "music/04-ode-to-joy.mp3", place: 2, gain: Gain(decibels: -3), isLooping: true)
    case .game:
      (name, configuration) = ("Game", .game(otherAudioPlaying: otherAudioPlaying))
      sound = Sound(
        file: "music/05-greensleeves-verse.ogg", place: 2, gain: Gain(decibels: -9),
        isLooping: true)
    case .call:
      (name, configuration) = ("Phone", .voiceCall)
      sound = Sound(file: "effects/call-caller.wav", place: 3)
    }
    session = SessionMachine(
      configuration: configuration, route: route, tracks: [SessionTrack(duration: nil)])
  }

  /// How it reaches others while it is active.
  var interruption: BlockerKind? { session.state.configuration.interruptionOfOthers }
}
