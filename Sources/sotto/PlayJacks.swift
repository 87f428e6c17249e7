import AudioEngine
import AudioSession
import AudioTypes
import OutputInterface
import SystemEvents

/// What ALSA tells of the card in use, as events of the session: headphones in and out, the card
/// pulled and back. Where a sound server plays, that is the server's to tell. On the control thread.
@MainActor final class PlayJacks {
  private unowned let command: PlayCommand
  private var place: HardwarePlace?
  private var watch: JackWatch?
  private var tracker: JackTracker?
  /// The card in use.
  private var card: Card?
  /// It was pulled out.
  private var isGone = false
  /// The engine knows that too: what it plays on from then on is something else.
  private var isStreamLost = false
  private var cards: [Card] = []
  private var folder: FolderWatch?

  init(_ command: PlayCommand) { self.command = command }

  /// Where the engine's output plays: at the beginning, before the session has begun.
  func begin(_ engine: AudioEngine) -> Route? {
    follow(engine.snapshot())
    return tracker?.route
  }

  /// The engine may play on another card now.
  func streamChanged() {
    guard let engine = command.engine, let player = command.player else { return }
    let snapshot = engine.snapshot()
    if snapshot.state == .lost {
      isStreamLost = true
      return
    }
    guard snapshot.hardware != place || isStreamLost, !isGone || isStreamLost else { return }
    follow(snapshot)
    guard let route = tracker?.route, route != player.state.route else { return }
    player.send(.route(RouteChange(to: route, reason: .override)))
  }

  func end() {
    watch?.end()
    watch = nil
    folder?.end()
    folder = nil
  }

  private func follow(_ snapshot: EngineSnapshot) {
    watch?.end()
    watch = nil
    tracker = nil
    card = nil
    isGone = false
    isStreamLost = false
    place = snapshot.hardware
    guard let place else { return }
    cards = Card.all()
    card = cards.first { $0.number == place.card }
    watchCards()
    let name = snapshot.device ?? place.name
    // Without leave to look at the card there are no jacks; that it goes is seen all the same.
    watch = try? JackWatch(control: "hw:\(place.card)") { [weak self] in self?.take($0) }
    tracker = JackTracker(
      place: place, device: name, routeClass: Self.routeClass(name), jacks: watch?.jacks ?? [])
  }

  /// As far as the name tells. What is nobody's headphones may be heard by everybody.
  private static func routeClass(_ name: String) -> RouteClass {
    if name.contains("eadphone") || name.contains("eadset") { return .private }
    return name.contains("HDMI") ? .external : .speaker
  }

  private func take(_ jacks: [Jack]?) {
    if jacks == nil {
      isGone = true
      watch = nil
    }
    guard let change = tracker?.take(jacks) else { return }
    command.player?.send(.route(change))
    command.refresh()
  }

  // MARK: Cards

  private func watchCards() {
    guard folder == nil else { return }
    folder = FolderWatch([Array("/dev/snd".utf8)]) { [weak self] in self?.cardsChanged() }
  }

  private func cardsChanged() {
    let now = Card.all()
    let arrived = now.filter { card in !cards.contains { $0.id == card.id } }
    cards = now
    if let card, !isGone, !now.contains(where: { $0.id == card.id }) { take(nil) }
    for other in arrived {
      let name = Text.printable(other.name)
      if isGone, other.id == card?.id {
        // Held: nothing begins by itself (S17).
        command.keeper?.tryNow()
        command.say("\(name) is back: play goes on there")
      } else {
        command.say("\(name) is connected, as hw:\(Text.printable(other.id))")
      }
    }
  }
}
