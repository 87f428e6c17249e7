import AudioEngine
import AudioSession
import AudioTypes
import Dispatch

/// The shell around the session: events come in here, in one order, and what the session decides is
/// carried out after it has decided. Nothing else starts or stops the music.
///
/// On the control thread.
@MainActor public final class Player {
  private var machine: SessionMachine
  private let engine: AudioEngine
  /// The time that the session goes by.
  public let now: @MainActor () -> SessionTime
  private let wake: any Countdown
  /// Events that came while another one was being carried out.
  private var waiting: [SessionEvent] = []
  private var isBusy = false
  /// The user's first wish, while it is being looked who plays already.
  private var firstWish: SessionEvent?
  /// The engine was started with that wish: the first sound is there already.
  private var hasBegun = false
  /// Volume keys that went to the ringer and of which nothing is known yet.
  private var ringerKeys: [VolumeDirection] = []
  /// The latest decisions, the oldest forgotten first.
  public private(set) var log = DecisionLog()

  /// Called for each decision, after it was carried out.
  public var onDecision: (@MainActor (Decision) -> Void)?
  /// Called for each action that is not the music's: peers, the ringer, effects, remotes.
  public var onOther: (@MainActor (Action) -> Void)?

  /// How the music rises after an interruption, in seconds; after the user's own pause it is there
  /// at once, as fast as does not click.
  public nonisolated static let resumeSeconds = 0.05
  /// One step of a volume key, in percent.
  public static let volumeStep = 5

  /// Called for each event as the machine takes it.
  var onEvent: (@MainActor (SessionTime, SessionEvent) -> Void)?

  /// The engine has the queue already; its first track is current.
  ///
  /// - Parameter now: the time; the machine's uptime where it is not given.
  public convenience init(
    engine: AudioEngine, configuration: SessionConfiguration = .musicPlayer, route: Route,
    now: (@MainActor () -> SessionTime)? = nil
  ) {
    self.init(
      engine: engine, configuration: configuration, route: route, wake: DeadlineTimer(), now: now)
  }

  /// - Parameter wake: tells when the machine's next deadline is due.
  init(
    engine: AudioEngine, configuration: SessionConfiguration = .musicPlayer, route: Route,
    wake: any Countdown, now: (@MainActor () -> SessionTime)? = nil
  ) {
    self.engine = engine
    self.wake = wake
    self.now =
      now ?? { SessionTime(nanoseconds: Int64(DispatchTime.now().uptimeNanoseconds)) }
    machine = SessionMachine(
      configuration: configuration, route: route, tracks: [SessionTrack(duration: nil)])
    _ = machine.advance(to: self.now())
  }

  public var state: SessionState { machine.state }

  public var situation: Situation { machine.situation }

  /// What was kept of the last run: the track, the place in it in seconds, and whether it is paused
  /// there or stopped. It is not heard until the user asks (X3, S2).
  public func takeUp(track: Int, position: Double, isPaused: Bool) {
    machine.takeUp(track: track, at: .seconds(position), isPaused: isPaused)
  }

  /// Keeps the user's first wish until it is known what else is heard (`surveyed`): who plays already
  /// is older than the wish, and does not take over (D6). The engine may sound meanwhile.
  public func send(afterSurvey event: SessionEvent) { firstWish = event }

  /// What else is heard is known, as far as it can be known now.
  public func surveyed() {
    guard let wish = firstWish else { return }
    firstWish = nil
    hasBegun = true
    send(wish)
    guard !situation.isAudible else { return }
    // What was begun before anybody knew of the call.
    hasBegun = false
    engine.hold()
  }

  /// What became of a step of the ringer's volume: the server keeps one, or it does not. Without one
  /// volume keys mean the device from now on, and those that asked in vain are made up for (S12).
  ///
  /// - Returns: whether the session has said so.
  @discardableResult public func ringerAnswered(isThere: Bool) -> Bool {
    machine.setHasRingerVolume(isThere)
    let keys = ringerKeys
    ringerKeys = []
    guard !isThere else { return false }
    for key in keys { send(.volumeKey(key)) }
    return !keys.isEmpty
  }

  /// Everything that can happen goes through here. Deadlines that were due before it come first.
  public func send(_ event: SessionEvent) {
    // The user's words keep their order.
    if !event.isSeen { surveyed() }
    waiting.append(event)
    guard !isBusy else { return }
    isBusy = true
    while !waiting.isEmpty {
      let next = waiting.removeFirst()
      fireDue()
      if case .serverBack = next {
        // Another server may keep a volume for ringing that the last one did not.
        machine.setHasRingerVolume(true)
        ringerKeys = []
      }
      onEvent?(now(), next)
      carryOut(machine.apply(next))
    }
    isBusy = false
    setAlarm()
  }

  private func fireDue() {
    let time = now()
    while let transition = machine.fireNext(by: time) { carryOut(transition) }
  }

  private func setAlarm() {
    guard let deadline = machine.nextDeadline else { return wake.cancel() }
    wake.set(after: max(0, (deadline - now()).seconds)) { [weak self] in self?.send(.wait) }
  }

  /// Within how many seconds the music rises in that step.
  public nonisolated static func releaseSeconds(_ transition: Transition) -> Double {
    transition.before.display == .interrupted ? resumeSeconds : AudioEngine.fadeSeconds
  }

  // MARK: Actions

  private func carryOut(_ transition: Transition) {
    for action in transition.actions { carryOut(action, transition) }
    if let decision = transition.decision {
      log.append(decision)
      onDecision?(decision)
    }
  }

  private func carryOut(_ action: Action, _ transition: Transition) {
    switch action {
    case .cork(let fade): engine.hold(fade: fade.seconds)
    case .uncork:
      if hasBegun {
        hasBegun = false
      } else if engine.snapshot().state == .idle {
        // Nothing is loaded: nothing could be played, and now it is tried again.
        engine.play(index: machine.state.track)
      } else {
        engine.release(fade: Self.releaseSeconds(transition))
      }
    case .setGain(let decibels, let ramp):
      engine.setMusicLevel(decibels: decibels, within: ramp.seconds)
    case .go(let track, let position):
      let heard = engine.snapshot().index
      if heard == track {
        engine.seek(to: position.seconds)
      } else if heard != nil || !Self.ends.contains(transition.trigger) {
        // A queue that ended without a sound has no place to stand at: it would be tried again.
        engine.move(to: track)
      }
    case .changeDeviceVolume(let direction): changeVolume(direction)
    case .unmuteStream: engine.unmuteStream()
    case .changeEventVolume(let direction):
      // Where nobody keeps such a volume but sotto itself, no answer comes.
      if ringerKeys.count < Self.mostKeys { ringerKeys.append(direction) }
      onOther?(action)
    case .publish, .pausePeer, .playPeer, .lowerOthers, .restoreOthers, .playEffect, .acceptRemote,
      .releaseRemote, .keepAwake:
      onOther?(action)
    }
  }

  /// As many steps lead from one end of a volume to the other.
  private static let mostKeys = 100 / volumeStep

  private static let ends: [Trigger] = [.event(.queueEnded), .event(.stoppedAfterTrack)]

  private func changeVolume(_ direction: VolumeDirection) {
    guard let volume = engine.snapshot().deviceVolume else { return }
    switch direction {
    case .mute: engine.toggleMuted()
    case .up, .down:
      let step = direction == .up ? Self.volumeStep : -Self.volumeStep
      // Up to 100, but what somebody set above it is not pulled down by a step up.
      let top = max(100, volume.percent)
      engine.setDeviceVolume(percent: min(max(volume.percent + step, 0), top))
    }
  }
}

/// Calls something after a while, unless it is set again or cancelled before.
@MainActor protocol Countdown: AnyObject {
  func set(after seconds: Double, _ action: @escaping @MainActor () -> Void)
  func cancel()
}

/// On the main queue, by the machine's clock.
@MainActor final class DeadlineTimer: Countdown {
  private var timer: (any DispatchSourceTimer)?

  func set(after seconds: Double, _ action: @escaping @MainActor () -> Void) {
    timer?.cancel()
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(deadline: .now() + seconds, leeway: .milliseconds(2))
    timer.setEventHandler { MainActor.assumeIsolated { action() } }
    timer.activate()
    self.timer = timer
  }

  func cancel() {
    timer?.cancel()
    timer = nil
  }
}

extension SessionEvent {
  /// It is something seen around us, or told by the engine, before the first wish: not a wish.
  fileprivate var isSeen: Bool {
    switch self {
    case .stream, .streamGone, .clientGone, .peer, .peerGone, .route, .linkLost, .trackBegan, .wait,
      .silent, .lock, .background, .begin, .end:
      true
    default: false
    }
  }
}
