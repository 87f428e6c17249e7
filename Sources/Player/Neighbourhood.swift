import AudioEngine
import AudioSession
import AudioTypes
import Decoding

/// The simulated neighbours, and what becomes of them. Each has a session of its own, which hears of
/// all others; what each is to sotto follows from its category.
@MainActor public final class Neighbourhood {
  /// What a user can try.
  public enum Act: String, CaseIterable, Sendable {
    case call, answer, decline
    case prompt, message, alarm, assistant, music, game
    case headphones, bluetooth, profile, lock, sleep, silent
  }

  let player: Player
  let engine: AudioEngine
  /// Where effects and music are.
  let folder: [UInt8]
  private(set) var neighbours: [Neighbour] = []
  var timers: [String: any Countdown] = [:]
  let countdown: @MainActor () -> any Countdown
  /// Until the first deadline of a neighbour's session.
  private lazy var wake = countdown()
  var count = 0
  var calls: [Call] = []
  private var isLocked = false
  /// The alarm that the user has set, while it rings.
  private var waking: String?
  /// The session's own, which a desktop's do-not-disturb changes too.
  var isSilent: Bool { player.state.isSilent }
  /// Loudness of ringing and tones where nobody else keeps one, in percent: apart from the device's
  /// volume (S11, S12).
  var ownRinger = 80
  /// The number of the ringing in the channel of events; `nil` while it is in the mix, or is not.
  var ringEvent: Int?
  /// What was said once.
  var noticed: Set<String> = []
  /// A fault in one line: a sound that is missing.
  public var onFault: (@MainActor (_ path: [UInt8], _ sentence: String) -> Void)?
  /// A call comes in, and is about to ring.
  public var onCall: (@MainActor () -> Void)?
  /// Something to know, in one line, that is no fault of a file.
  public var onNotice: (@MainActor (_ sentence: String) -> Void)?

  struct Call {
    enum Phase { case ringing, talking, waiting }
    var id: String
    var phase: Phase
    /// When it began to ring, and then to be talked on.
    var since: SessionTime
  }

  /// The place of what rings and beeps where it has no stream of its own, and of the one who answers.
  static let ringPlace = 5
  static let answerPlace = 4
  /// A call that nobody answers is missed after this, in seconds.
  static let ringSeconds = 25.0

  static let speakers = Route(id: "speakers", name: "Speakers", routeClass: .speaker)
  static let headphones = Route(
    id: "simulated-headphones", name: "Headphones", routeClass: .private)
  static let bluetooth = Route(
    id: "simulated-bluetooth", name: "Bluetooth headset", routeClass: .private,
    deviceAddress: "00:00:00:00:00:01")
  static let bluetoothCall = Route(
    id: "simulated-bluetooth-call", name: "Bluetooth headset (call)", routeClass: .private,
    deviceAddress: "00:00:00:00:00:01")

  /// - Parameter folder: holds `effects` and `music`.
  public convenience init(player: Player, engine: AudioEngine, folder: [UInt8]) {
    self.init(player: player, engine: engine, folder: folder, countdown: { DeadlineTimer() })
  }

  /// - Parameter countdown: makes what tells the ends of sounds and calls.
  init(
    player: Player, engine: AudioEngine, folder: [UInt8],
    countdown: @escaping @MainActor () -> any Countdown
  ) {
    self.countdown = countdown
    self.player = player
    self.engine = engine
    self.folder = folder
  }

  /// A call rings or lasts: `a` and `d` mean it.
  public var isCalling: Bool { !calls.isEmpty }

  /// The call that rings, or otherwise the one that lasts.
  public var call: (isRinging: Bool, since: SessionTime, isAnotherWaiting: Bool)? {
    guard let call = calls.first(where: { $0.phase == .ringing }) ?? calls.last else { return nil }
    return (call.phase == .ringing, call.since, calls.count > 1)
  }

  /// The ringer volume in percent; `nil` where the server keeps it.
  public var ringer: Int? { engine.events?.streams == .withVolume ? nil : ownRinger }

  /// Does one of the things that can be tried.
  public func perform(_ act: Act) {
    switch act {
    case .call: ring()
    case .answer: answer()
    case .decline: hangUp()
    case .prompt: start(.prompt)
    case .alarm: start(.alarm)
    case .assistant: start(.assistant)
    case .music: toggle(.music)
    case .game: toggle(.game)
    case .message: player.send(.effect(.seconds(1.4)))
    case .headphones: toggleRoute(Self.headphones)
    case .bluetooth: toggleRoute(Self.bluetooth)
    case .profile: changeProfile()
    case .lock:
      isLocked.toggle()
      tellAll(.lock(isLocked))
    case .silent:
      let isOn = !isSilent
      if isOn { endRing() }
      tellAll(.silent(isOn))
    case .sleep:
      // Down and up again: what is left of it is the pause.
      player.send(.sleep(true))
      player.send(.sleep(false))
    }
  }

  // MARK: Actions of sotto's session

  /// What the session asks for beside the music.
  public func carryOut(_ action: Action) {
    switch action {
    case .playEffect: alert("effects/message.wav", name: "Message")
    case .changeEventVolume(let direction): changeRinger(direction)
    case .pausePeer(let id):
      for neighbour in neighbours where Self.peer(neighbour) == id {
        tell(neighbour.id, .pause(.mpris))
      }
    case .playPeer(let id):
      for neighbour in neighbours where Self.peer(neighbour) == id {
        tell(neighbour.id, .play(.mpris))
      }
    default: break
    }
  }

  // MARK: Neighbours

  static func peer(_ neighbour: Neighbour) -> String { "neighbour:" + neighbour.id }

  private func toggle(_ kind: Neighbour.Kind) {
    if let live = neighbours.first(where: { $0.kind == kind }) {
      // Paused, by sotto's own play say, it starts again.
      guard live.session.situation.intent == .playing else { return tell(live.id, .play(.key)) }
      leave(live.id)
    } else {
      start(kind)
    }
  }

  /// The alarm that the user has set begins to ring, and goes on until `endWake`. False where it
  /// cannot be heard.
  public func beginWake() -> Bool {
    guard waking == nil else { return true }
    start(.alarm, isWake: true)
    return waking != nil
  }

  /// The alarm is over: the music goes on as it was.
  public func endWake() {
    guard let id = waking else { return }
    waking = nil
    leave(id)
  }

  private func start(_ kind: Neighbour.Kind, isWake: Bool = false) {
    count += 1
    var neighbour = Neighbour(
      kind, number: count, otherAudioPlaying: player.situation.isAudible,
      route: player.state.route ?? Self.speakers)
    if isWake {
      neighbour.sound.isLooping = true
      waking = neighbour.id
    }
    neighbours.append(neighbour)
    if isSilent { tell(neighbour.id, .silent(true)) }
    if isLocked { tell(neighbour.id, .lock(true)) }
    // Whoever was there first stands in its way too: a direction waits for the end of a call.
    for call in calls {
      tell(neighbour.id, .begin(id: call.id, kind: .call, source: "Phone"))
    }
    for other in neighbours where other.id != neighbour.id && other.session.situation.isAudible {
      guard let kind = other.interruption, kind != .primary else { continue }
      tell(neighbour.id, .begin(id: other.id, kind: kind, source: other.name))
    }
    reach(neighbour)
    tell(neighbour.id, .play(.key))
  }

  /// What its becoming active is to all others.
  private func reach(_ neighbour: Neighbour) {
    guard let kind = neighbour.interruption else { return }
    if neighbour.session.state.configuration.hasTransportControls {
      player.send(
        .peer(
          PeerObservation(
            id: Self.peer(neighbour), name: neighbour.name, status: .playing,
            client: neighbour.id)))
    } else {
      player.send(.begin(id: neighbour.id, kind: kind, source: neighbour.name))
    }
    for other in neighbours where other.id != neighbour.id {
      tell(other.id, .begin(id: neighbour.id, kind: kind, source: neighbour.name))
    }
  }

  /// It gives its place up: others may go on, for all but another player are interludes (S57).
  private func leave(_ id: String) {
    guard let index = neighbours.firstIndex(where: { $0.id == id }) else { return }
    silence(index)
    let neighbour = neighbours.remove(at: index)
    timers.removeValue(forKey: id)?.cancel()
    setAlarm()
    let isPlayer = neighbour.session.state.configuration.hasTransportControls
    player.send(
      isPlayer
        ? .peerGone(id: Self.peer(neighbour)) : .end(id: neighbour.id, shouldResume: true))
    for other in neighbours {
      tell(other.id, .end(id: neighbour.id, shouldResume: !isPlayer))
    }
  }

  /// Gives a neighbour an event, and lets it be heard or not as its session says.
  private func tell(_ id: String, _ event: SessionEvent) {
    guard let index = neighbours.firstIndex(where: { $0.id == id }) else { return }
    let due = neighbours[index].session.advance(to: player.now())
    var isGivenUp = false
    for transition in due + [neighbours[index].session.apply(event)] {
      // Nobody presses play on an alarm or a direction: paused, it would stand in the way for ever.
      isGivenUp =
        isGivenUp && transition.after.intent != .playing
        || transition.before.intent == .playing && transition.after.intent != .playing
      guard transition.before.isAudible != transition.after.isAudible else { continue }
      if transition.after.isAudible { sound(index) } else { silence(index) }
      if neighbours[index].kind == .music { reportPeer(neighbours[index]) }
    }
    // What the user has set rings on where headphones were pulled: nobody else would wake them.
    if isGivenUp, id == waking { return tell(id, .play(.key)) }
    if isGivenUp, neighbours.contains(where: { $0.id == id && !$0.sound.isLooping }) { leave(id) }
    setAlarm()
  }

  /// Their sessions have deadlines too: what was held for a moment goes on.
  private func setAlarm() {
    guard let deadline = neighbours.compactMap(\.session.nextDeadline).min() else {
      return wake.cancel()
    }
    wake.set(after: max(0, (deadline - player.now()).seconds)) { [weak self] in
      guard let self else { return }
      wake.cancel()
      for neighbour in neighbours { tell(neighbour.id, .wait) }
    }
  }

  func tellAll(_ event: SessionEvent) {
    player.send(event)
    for neighbour in neighbours { tell(neighbour.id, event) }
  }

  private func reportPeer(_ neighbour: Neighbour) {
    player.send(
      .peer(
        PeerObservation(
          id: Self.peer(neighbour), name: neighbour.name,
          status: neighbour.session.situation.status, client: neighbour.id)))
  }

  /// It sounds from where it was held.
  private func sound(_ index: Int) {
    let neighbour = neighbours[index]
    let sound = neighbour.sound
    let from = neighbour.heard
    guard
      let length = self.sound(
        sound.file, place: sound.place, gain: sound.gain, isLooping: sound.isLooping, from: from)
    else {
      // Nothing to hear: it is over at once.
      if waking == neighbour.id { waking = nil }
      if !sound.isLooping || neighbour.kind == .alarm { over(neighbour.id, after: 0) }
      return
    }
    neighbours[index].since = player.now()
    if !sound.isLooping { over(neighbour.id, after: max(0, length - from)) }
  }

  func over(_ id: String, after seconds: Double) {
    let timer = timers[id] ?? countdown()
    timers[id] = timer
    timer.set(after: seconds) { [weak self] in
      guard let self else { return }
      timers[id]?.cancel()
      if calls.contains(where: { $0.id == id }) { hangUp(id) } else { leave(id) }
    }
  }

  private func silence(_ index: Int) {
    guard let since = neighbours[index].since else { return }
    neighbours[index].heard += (player.now() - since).seconds
    neighbours[index].since = nil
    engine.end(soundIn: neighbours[index].sound.place)
    timers[neighbours[index].id]?.cancel()
  }

  /// The sound's length; nil, after a line that says why, when it cannot be heard.
  @discardableResult
  func sound(
    _ file: String, place: Int, gain: Gain = .unity, isLooping: Bool = false, from: Double = 0
  ) -> Double? {
    let path = folder + Array("/\(file)".utf8)
    do throws(DecodingError) {
      return try engine.begin(
        sound: TrackLocation(path: path), place: place, gain: gain, isLooping: isLooping, from: from
      )
    } catch {
      onFault?(path, error.sentence)
      return nil
    }
  }

  // MARK: Devices

  private func toggleRoute(_ route: Route) {
    if player.state.route == route {
      tellAll(
        .route(
          RouteChange(from: route.id, to: Self.speakers, reason: .oldDeviceUnavailable)))
    } else {
      tellAll(.route(RouteChange(to: route, reason: .newDeviceAvailable)))
    }
  }

  /// The Bluetooth headset goes, and comes back as its other profile a second later.
  private func changeProfile() {
    guard let old = player.state.route, let address = old.deviceAddress else { return }
    let new = old == Self.bluetooth ? Self.bluetoothCall : Self.bluetooth
    guard address == new.deviceAddress else { return }
    player.send(
      .route(
        RouteChange(
          from: old.id, to: Self.speakers, reason: .oldDeviceUnavailable, isLinkKept: true)))
    let timer = countdown()
    timers["profile"] = timer
    timer.set(after: 1) { [weak self] in
      self?.timers["profile"]?.cancel()
      self?.player.send(.route(RouteChange(to: new, reason: .newDeviceAvailable)))
    }
  }
}
