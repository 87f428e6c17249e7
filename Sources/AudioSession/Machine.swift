import AudioTypes

/// The session's rules: events in, transitions out. A value without a clock, input or output: the
/// caller says what time it is, fires the deadlines (`fireNext`), and carries out the actions.
///
/// What the user wants is kept (`Intent`), and so is what stands in its way (`Blocker`); whether
/// anything is heard follows. So nothing has to be remembered in order to resume, and it does not
/// matter in which order interruptions end.
public struct SessionMachine: Hashable, Sendable {
  public internal(set) var state: SessionState
  let classifier: Classifier

  public init(
    configuration: SessionConfiguration = .musicPlayer, route: Route?,
    tracks: [SessionTrack] = [], applications: KnownApplications = .builtIn
  ) {
    state = SessionState(configuration: configuration, route: route, tracks: tracks)
    classifier = Classifier(applications: applications)
  }

  /// The machine in a state that was kept: exactly that one.
  public init(state: SessionState, applications: KnownApplications = .builtIn) {
    self.state = state
    classifier = Classifier(applications: applications)
  }

  /// The machine after a restart: what the user had is there, what stood in the way is to be seen
  /// anew, and nothing is heard until the user asks (X3, S2).
  public init(restarting image: SessionState, applications: KnownApplications = .builtIn) {
    var state = SessionState(
      configuration: image.configuration, route: image.route, tracks: image.tracks)
    state.knownCount = image.knownCount
    state.now = image.now
    state.track = image.track
    state.position = image.position
    state.intent = image.intent == .playing ? .paused(.user) : image.intent
    state.isSilent = image.isSilent
    state.hasRingerVolume = image.hasRingerVolume
    state.scene.ignored = image.scene.ignored
    state.acceptsRemote = image.trackCount > 0 && image.acceptsRemote
    if state.acceptsRemote, state.intent == .stopped {
      state.remoteReleaseAt = image.now + SessionTiming.remoteRelease
    }
    self.init(state: state, applications: applications)
  }

  public static func == (left: SessionMachine, right: SessionMachine) -> Bool {
    left.state == right.state && left.classifier.applications == right.classifier.applications
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(state) }

  public var situation: Situation { state.situation }

  /// Whether there is a volume for event sounds; without one, volume keys always mean the device.
  public mutating func setHasRingerVolume(_ has: Bool) { state.hasRingerVolume = has }

  /// One event, at the time that was reached last.
  public mutating func apply(_ event: SessionEvent) -> Transition {
    var turn = Turn(state)
    reduce(event, &turn)
    return finish(.event(event), turn)
  }

  /// When the next deadline is; `nil` when nothing is waited for.
  public var nextDeadline: SessionTime? { nextTimer?.due }

  /// Fires the earliest deadline that is due at `time`, at its own time. With none left, moves to
  /// `time` and gives nil: call it until it does. A time that lies before the last one changes
  /// nothing.
  public mutating func fireNext(by time: SessionTime) -> Transition? {
    guard let (timer, due) = nextTimer, due <= time else {
      move(to: time)
      return nil
    }
    move(to: due)
    var turn = Turn(state)
    fire(timer, &turn)
    return finish(.timer(timer), turn)
  }

  /// Fires every deadline up to `time`, in order, and moves there.
  public mutating func advance(to time: SessionTime) -> [Transition] {
    var transitions: [Transition] = []
    while let transition = fireNext(by: time) { transitions.append(transition) }
    return transitions
  }

  // MARK: - Time

  /// The position is what was heard: it moves with time only while something is.
  private mutating func move(to time: SessionTime) {
    guard time > state.now else { return }
    if state.isAudible {
      let position = state.position + (time - state.now)
      let end = state.currentTrack?.duration
      state.position = end.map { min($0, position) } ?? position
    }
    state.now = time
  }

  /// The earliest deadline; of several at one time, the one that silences comes first.
  private var nextTimer: (timer: SessionTimer, due: SessionTime)? {
    var next: (timer: SessionTimer, due: SessionTime)?
    func offer(_ timer: @autoclosure () -> SessionTimer, _ due: SessionTime?) {
      guard let due, next.map({ due < $0.due }) ?? true else { return }
      next = (timer(), due)
    }
    offer(.profileSwitch, state.pendingRoute?.deadline)
    for kind in [Scene.Pending.Kind.callConfirmed, .primaryConfirmed, .callOver] {
      for pending in state.scene.pending where pending.kind == kind {
        offer(Self.timer(pending), pending.due)
      }
    }
    offer(.soloHold, state.soloHoldUntil)
    offer(.duckHold, state.duckHoldUntil)
    if let duration = state.currentTrack?.duration, state.isAudible {
      offer(.trackEnd, state.now + max(.zero, duration - state.position))
    }
    offer(.remoteRelease, state.remoteReleaseAt)
    return next
  }

  private static func timer(_ pending: Scene.Pending) -> SessionTimer {
    switch pending.kind {
    case .callConfirmed: .callConfirmed(client: pending.id)
    case .primaryConfirmed: .primaryConfirmed(id: pending.id)
    case .callOver: .callOver(client: pending.id)
    }
  }

  private mutating func fire(_ timer: SessionTimer, _ turn: inout Turn) {
    switch timer {
    case .profileSwitch: profileSwitchFailed(&turn)
    case .callConfirmed(let client): callConfirmed(client, &turn)
    case .primaryConfirmed(let id): primaryConfirmed(id, &turn)
    case .callOver(let client): callOver(client, &turn)
    case .soloHold:
      state.soloHoldUntil = nil
      turn.rules.insert(.s51)
    case .duckHold:
      state.duckHoldUntil = nil
      turn.rules.insert(.s54)
    case .trackEnd: trackEnded(&turn)
    case .remoteRelease:
      state.remoteReleaseAt = nil
      state.acceptsRemote = false
      turn.rules.formUnion([.s66, .s67])
    }
  }

  // MARK: - Events

  private mutating func reduce(_ event: SessionEvent, _ turn: inout Turn) {
    switch event {
    case .play: play(isForced: false, &turn)
    case .force(let source): play(isForced: source.isAtTheMachine, &turn)
    case .pause(let source): pause(source, &turn)
    case .toggle(let source):
      turn.rules.insert(.s70)
      if turn.before.isAudible { pause(source, &turn) } else { play(isForced: false, &turn) }
    case .stop: stop(&turn)
    case .next: next(&turn)
    case .previous: previous(&turn)
    case .seek(let position): seek(to: position, &turn)
    case .load(let tracks): load(tracks, &turn)
    case .choose(let track): choose(track, &turn)
    case .trackBegan(let track): trackBegan(track)
    case .queueEnded: queueEnded(.queueEnded, &turn)
    case .stoppedAfterTrack: queueEnded(.stoppedAfterTrack, &turn)
    case .trackEnded: trackEnded(&turn)
    case .trackFailed: trackFailed(&turn)
    case .volumeKey(let direction): volumeKey(direction, &turn)
    case .effect(let length): effect(length, &turn)

    case .configure(let configuration): configure(configuration, &turn)
    case .activate: activate(&turn)
    case .deactivate(let notify): deactivate(notifyOthers: notify, &turn)
    case .silent(let isOn):
      let isSilenced = state.configuration.category.isSilencedBySwitch
      silence(\.isSilent, isOn, isSilenced ? [.s3, .s38] : [.s4, .s5], &turn)
    case .lock(let isOn): silence(\.isLocked, isOn, [.s38], &turn)
    case .background(let isOn): silence(\.isInBackground, isOn, [.s30, .s38], &turn)

    case .begin(let id, let kind, let source):
      if let kind {
        begin(id, kind, source: source, &turn)
      } else {
        turn.remark = .unknownKind
      }
    case .end(let id, let shouldResume): end(id, shouldResume: shouldResume, &turn)
    case .sleep(true): begin(Self.sleepID, .sleep, &turn)
    case .sleep(false): end(Self.sleepID, &turn)
    case .suspended(true): begin(Self.suspendedID, .stopped, &turn)
    case .suspended(false):
      end(Self.suspendedID, &turn)
      if state.intent == .paused(.denied), turn.before.intent == .playing {
        turn.remark = .otherDeviceNow
      }
    case .serverLost: begin(Self.serverID, .serverLost, &turn)
    case .serverBack(let route): serverBack(route, &turn)
    case .streamDestroyed(let id): end("cork:" + id, &turn)
    case .clientGone(let client): clientGone(client, &turn)

    case .route(let change): routeChanged(change, &turn)
    case .linkLost(let address): linkLost(address, &turn)

    case .stream(let stream): streamSeen(stream, &turn)
    case .streamGone(let id): streamGone(id, &turn)
    case .peer(let peer): peerSeen(peer, &turn)
    case .peerGone(let id): peerGone(id, &turn)
    case .ignore(let name): ignore(name, &turn)
    case .reconcile(let snapshot): reconcile(snapshot, &turn)
    case .wait: break
    }
  }

  static let sleepID = "logind"
  static let suspendedID = "job"
  static let serverID = "server"
  static let routeID = "route"

  /// What one step gathers on its way.
  struct Turn {
    let before: Situation
    let position: (track: Int, position: SessionTime)
    var rules = RuleSet()
    /// What there is to say; nil says what follows from the difference.
    var remark: Remark?
    /// What there is to say when the difference says nothing.
    var aside: Remark?
    var refusal: SessionError?
    /// Actions beyond those that follow from the difference.
    var extra: [Action] = []
    /// How the music is faded if it is held.
    var fade = SessionTiming.interruptionFade
    /// The shell must go to another place than where it is.
    var goes = false

    init(_ state: SessionState) {
      before = state.situation
      position = (state.track, state.position)
    }
  }

  /// The difference of before and after, as actions.
  private mutating func finish(_ trigger: Trigger, _ turn: Turn) -> Transition {
    var turn = turn
    if state.intent != .playing { state.ownsNextStart = false }
    updateRemote()
    let after = state.situation
    if after.isAudible, state.ownsNextStart {
      // The first sound that the user asked for, be it late (S41): whoever plays is paused, once.
      state.ownsNextStart = false
      pausePeers(&turn)
    }
    return Transition(
      at: state.now, trigger: trigger, before: turn.before, after: after,
      actions: actions(turn, after), rules: turn.rules,
      remark: turn.remark ?? Remark.difference(turn.before, after, state) ?? turn.aside,
      refusal: turn.refusal)
  }

  private mutating func actions(_ turn: Turn, _ after: Situation) -> [Action] {
    let before = turn.before
    var actions: [Action] = []
    if before.isAudible, !after.isAudible { actions.append(.cork(fade: turn.fade)) }
    if turn.goes {
      actions.append(.go(track: state.track, position: state.position))
    }
    if before.gain != after.gain {
      actions.append(
        .setGain(
          decibels: after.gain,
          ramp: after.gain < before.gain ? SessionTiming.duckAttack : SessionTiming.duckRelease))
    }
    actions += turn.extra
    if before.ducksOthers != after.ducksOthers {
      if after.ducksOthers {
        state.lowered = state.scene.lowerable(classifier)
        actions.append(.lowerOthers(ids: state.lowered))
      } else {
        actions.append(.restoreOthers(ids: state.lowered))
        state.lowered = []
      }
    }
    if before.acceptsRemote != after.acceptsRemote {
      actions.append(after.acceptsRemote ? .acceptRemote : .releaseRemote)
    }
    if after.isAudible, !before.isAudible { actions.append(.uncork) }
    if before.status != after.status { actions.append(.publish(after.status)) }
    if before.keepsAwake != after.keepsAwake { actions.append(.keepAwake(after.keepsAwake)) }
    return actions
  }

  /// Remote commands are taken while there is something to control (S66): a queue that was loaded or
  /// played, until ten minutes after the stop (S67).
  private mutating func updateRemote() {
    if state.intent != .stopped {
      state.acceptsRemote = true
      state.remoteReleaseAt = nil
    } else if state.acceptsRemote, state.remoteReleaseAt == nil {
      state.remoteReleaseAt = state.now + SessionTiming.remoteRelease
    }
  }
}
