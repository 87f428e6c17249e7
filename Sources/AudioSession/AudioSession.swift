// `Route` is of that module: who uses the session needs no second import.
@_exported import AudioTypes

/// The session of a process, for those who know AVAudioSession: it makes no sound and has no clock,
/// it says what the program may do and what it is to do. On the main actor, as everything that it
/// tells.
///
/// The caller says what time it is (`advance(to:)`), tells what happens (`handle(_:)`) and does what
/// `onActions` says.
@MainActor public final class AudioSession {
  /// The one session of this process (S29). It has no category until `setCategory` was called (S1).
  public static let shared = AudioSession()

  /// What a program is told.
  public enum Notification: Hashable, Sendable {
    /// Other sound holds this program's.
    case interruptionBegan(Obstacle)
    /// It is over. `shouldResume`: the program was playing and may play again; the session does it.
    case interruptionEnded(shouldResume: Bool)
    case routeChanged(reason: RouteChange.Reason, previous: Route?)
    /// Another program began, or ceased, to play what people listen to in the first place.
    case silenceSecondaryAudioHint(Bool)
    case decision(Decision)
  }

  private var machine: SessionMachine?
  /// What was told before there was a category.
  private var route: Route?
  private var now = SessionTime.zero
  private let applications: KnownApplications
  public private(set) var log = DecisionLog()

  /// Called for each step that asks for something, in order.
  public var onActions: (([Action]) -> Void)?
  public var onNotification: ((Notification) -> Void)?

  /// A session of one's own, for tests and for programs that stand in for others.
  public init(route: Route? = nil, applications: KnownApplications = .builtIn) {
    self.route = route
    self.applications = applications
  }

  // MARK: - Category

  public var category: Category? { machine?.state.configuration.category }

  public var categoryOptions: CategoryOptions { machine?.state.configuration.options ?? [] }

  /// Says what the program's sound is for.
  /// - Throws: `.optionsNotAllowed` (S32), `.categoryInUse` while sound is heard (S35).
  public func setCategory(
    _ category: Category, options: CategoryOptions = [], hasTransportControls: Bool = true,
    content: ContentKind = .music
  ) throws(SessionError) {
    try configure(
      SessionConfiguration(
        category: category, options: options, hasTransportControls: hasTransportControls,
        content: content))
  }

  /// The same with one of the ready-made records.
  public func configure(_ configuration: SessionConfiguration) throws(SessionError) {
    guard machine != nil else {
      machine = SessionMachine(
        configuration: configuration, route: route, applications: applications)
      _ = machine?.advance(to: now)
      return
    }
    try request(.configure(configuration))
  }

  // MARK: - Activation

  /// Takes the place of whoever plays, unless the category mixes. Playing does this by itself.
  /// - Throws: `.noCategory`.
  public func activate() throws(SessionError) { try request(.activate) }

  /// Gives the place up, and says of which type the interruption was: whether others may go on
  /// (S47, S57, S58). There is no default.
  public func deactivate(notifyOthers: Bool) throws(SessionError) {
    try request(.deactivate(notifyOthers: notifyOthers))
  }

  public var isActive: Bool { machine?.state.isActive ?? false }

  // MARK: - What is around

  public var currentRoute: Route? { machine?.state.route ?? route }

  public var isOtherAudioPlaying: Bool { machine?.state.isOtherAudioPlaying ?? false }

  public var secondaryAudioShouldBeSilencedHint: Bool {
    machine?.state.secondaryAudioShouldBeSilencedHint ?? false
  }

  public var situation: Situation? { machine?.situation }

  /// The state of the session's machine; `nil` before there is a category. A `SessionMachine` can
  /// go on from it, or begin anew after a restart (`init(restarting:)`); this class cannot. Of the
  /// log nothing is in it.
  public var state: SessionState? { machine?.state }

  // MARK: - What happens

  /// A request of the user or the program.
  /// - Throws: what the rules refuse; nothing has changed then.
  public func request(_ event: SessionEvent) throws(SessionError) {
    guard machine != nil else { throw SessionError(.noCategory) }
    if let refusal = step({ $0.apply(event) })?.refusal { throw refusal }
  }

  /// Something that happened. Nothing is refused; before there is a category only the route is kept.
  public func handle(_ event: SessionEvent) {
    if machine == nil, case .route(let change) = event { route = change.to }
    _ = step { $0.apply(event) }
  }

  /// When `advance(to:)` should be called at the latest.
  public var nextDeadline: SessionTime? { machine?.nextDeadline }

  /// Fires what is due at that time, each at its own.
  public func advance(to time: SessionTime) {
    now = max(now, time)
    while step({ $0.fireNext(by: time) }) != nil {}
  }

  private func step(_ body: (inout SessionMachine) -> Transition?) -> Transition? {
    guard var next = machine else { return nil }
    let before = next.state
    guard let transition = body(&next) else {
      machine = next
      return nil
    }
    machine = next
    if !transition.actions.isEmpty { onActions?(transition.actions) }
    tell(transition, before, next.state)
    return transition
  }

  private func tell(_ transition: Transition, _ before: SessionState, _ after: SessionState) {
    let wasHeld = transition.before.display == .interrupted
    let isHeld = transition.after.display == .interrupted
    if isHeld, !wasHeld, let obstacle = after.obstacle {
      onNotification?(.interruptionBegan(obstacle))
    } else if wasHeld, !isHeld {
      onNotification?(.interruptionEnded(shouldResume: transition.after.isAudible))
    }
    if before.route != after.route {
      var reason = RouteChange.Reason.override
      if case .event(.route(let change)) = transition.trigger { reason = change.reason }
      onNotification?(.routeChanged(reason: reason, previous: before.route))
    }
    let hint = after.secondaryAudioShouldBeSilencedHint
    if before.secondaryAudioShouldBeSilencedHint != hint {
      onNotification?(.silenceSecondaryAudioHint(hint))
    }
    if let decision = transition.decision {
      log.append(decision)
      onNotification?(.decision(decision))
    }
  }
}
