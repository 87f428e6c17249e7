import AudioSession
import AudioTypes
import PlayQueue
import PlayerState

@testable import TerminalModel

/// A player without sound in front of the screen: the real session rules on a clock of its own.
struct Stage {
  var machine: SessionMachine
  var snapshot: PlayerSnapshot
  var content = ScreenContent()
  var view = ViewState()
  var style = ScreenStyle()
  var size = ScreenSize(columns: 80, rows: 24)
  var commands: [PlayerCommand] = []
  private var track: Int?

  static let speakers = Route(id: "speakers", name: "Built-in Audio", routeClass: .speaker)
  static let headphones = Route(id: "headphones", name: "Headphones", routeClass: .private)

  static let tracks: [(String, String, Double)] = [
    ("Aria", "Glenn Gould", 113), ("Spiegel im Spiegel", "Arvo Pärt", 625),
    ("Gymnopédie No. 1", "Erik Satie", 185), ("戦場のメリークリスマス", "坂本龍一", 277),
    ("Nuvole bianche", "Ludovico Einaudi", 357), ("An Ending (Ascent)", "Brian Eno", 266),
    ("Avril 14th", "Aphex Twin", 125), ("Opening", "Philip Glass", 384),
    ("Prelude in C, from The Well-Tempered Clavier, Book I", "Johann Sebastian Bach", 133),
    ("Für Alina", "Arvo Pärt", 171), ("Clair de lune", "Claude Debussy", 302),
    ("Weightless", "Marconi Union", 490),
  ]

  init(route: Route = speakers, tracks: Int = Self.tracks.count) {
    let listed = (0..<tracks).map { Self.tracks[$0 % Self.tracks.count] }
    machine = SessionMachine(
      configuration: .musicPlayer, route: route,
      tracks: listed.map { SessionTrack(duration: .seconds($0.2), title: $0.0) })
    snapshot = PlayerSnapshot(at: .zero, situation: machine.situation)
    snapshot.queue = PlayQueue(
      listed.map {
        QueueEntry(TrackLocation("/m/\($0.0).flac"), title: $0.0, artist: $0.1, duration: $0.2)
      })
    snapshot.route = route
    snapshot.deviceName = route.name
    snapshot.deviceVolume = 60
    snapshot.outputRate = 44_100
    snapshot.isUntouched = true
    snapshot.peaks = (0..<400).map { part in
      let wave = (part * 37 % 101) + (part * 61 % 83)
      let swell = part < 40 ? part * 4 : part > 360 ? (400 - part) * 4 : 160
      return UInt8(min(255, max(12, swell * wave / 184 + 40)))
    }
    snapshot.devices = [
      .init(
        id: "speakers", name: "Built-in Audio", server: "PulseAudio 16.1", routeClass: .speaker,
        isCurrent: true),
      .init(id: "headphones", name: "WH-1000XM4", server: "PulseAudio 16.1", routeClass: .private),
      .init(
        id: "dac", name: "USB DAC Analog Stereo", server: "PulseAudio 16.1", routeClass: .external),
      .init(
        id: "hdmi", name: "HDMI / DisplayPort", server: "PulseAudio 16.1", routeClass: .external,
        isAvailable: false),
      .init(id: "hall", name: "Living room", server: "PulseAudio 16.1", routeClass: .network),
    ]
    take()
  }

  /// What happens after some seconds.
  mutating func happen(after seconds: Double = 1, _ events: SessionEvent...) {
    for transition in machine.advance(to: machine.state.now + .seconds(seconds)) {
      note(transition)
    }
    for event in events { note(machine.apply(event)) }
    take()
  }

  private mutating func note(_ transition: Transition) {
    if let decision = transition.decision {
      snapshot.lastDecision = decision
      snapshot.decisions.append(decision)
    }
  }

  mutating func take() {
    let state = machine.state
    snapshot.at = state.now
    snapshot.situation = machine.situation
    snapshot.causes = state.blockers
    snapshot.isSilent = state.isSilent
    snapshot.isLocked = state.isLocked
    if machine.situation.display != .stopped, track != state.track {
      track = state.track
      snapshot.queue.select(state.track)
    }
    snapshot.index = snapshot.queue.current
    snapshot.position = state.position.seconds
    snapshot.duration = snapshot.entry?.duration
    snapshot.isAdvancing = machine.situation.isAudible
    snapshot.info = snapshot.entry.map { _ in Self.info }
    if let route = state.route, route != snapshot.route {
      snapshot.route = route
      snapshot.deviceName = route.name
    }
  }

  static let info: TrackInfo = {
    var info = TrackInfo(format: AudioFormat(sampleRate: 44_100, layout: .stereo))
    info.codec = "FLAC"
    info.bitDepth = 16
    info.tags = [("album", "Trois Gymnopédies"), ("date", "1888-04-01")]
    return info
  }()

  // MARK: In front of the screen

  mutating func press(_ keys: String...) {
    for key in keys { input(.key(Key(named: key)!)) }
  }

  mutating func type(_ text: String) {
    for character in text { input(.key(Key(.character(character)))) }
  }

  mutating func input(_ input: TerminalInput) {
    let (view, commands) = view.reduce(input, snapshot, content, size, style)
    self.view = view
    self.commands += commands
  }

  /// What was asked for since the last time.
  mutating func asked() -> [String] {
    defer { commands = [] }
    return commands.map(\.text)
  }

  func frame(after seconds: Double = 0) -> Grid {
    view.render(snapshot, content, size, style, now: snapshot.at + .seconds(seconds))
  }

  var lines: [String] {
    frame().text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Where a text stands on the screen.
  func place(of text: String) -> (row: Int, column: Int)? {
    for (row, line) in lines.enumerated() {
      if let range = line.range(of: text) {
        let column = line[..<range.lowerBound].reduce(0) { $0 + CharacterWidth.columns($1) }
        return (row, column)
      }
    }
    return nil
  }

  mutating func click(_ text: String, _ button: MouseEvent.Button = .left, offset: Int = 0) {
    guard let place = place(of: text) else { return }
    input(.mouse(MouseEvent(.press(button), row: place.row, column: place.column + offset)))
  }
}
