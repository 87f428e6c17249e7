import AudioSession
import Player
import PlayerState
import RemoteControl
import TerminalModel

/// The buttons of headsets beside the player, as long as remote keys are taken; and one press that
/// comes in from several sides. On the control thread.
@MainActor final class PlayHeadset {
  private unowned let command: PlayCommand
  private let player: Player
  private var buttons: HeadsetButtons?
  private var echo = Echo()
  private var isAccepting = false
  private var isResting = false

  /// - Parameter choice: what the configuration says.
  init(_ command: PlayCommand, _ player: Player, _ choice: Settings.HeadsetChoice) {
    self.command = command
    self.player = player
    isAccepting = player.situation.acceptsRemote
    follow(choice)
  }

  /// What the configuration says now.
  func follow(_ choice: Settings.HeadsetChoice) {
    guard Self.isWanted(choice) != (buttons != nil) else { return }
    buttons?.close()
    buttons = nil
    guard Self.isWanted(choice) else { return }
    buttons = HeadsetButtons(
      now: player.now, meaning: { [weak self] in self?.meaning ?? .transport },
      take: { [weak self] wish in self?.take(wish) })
    follow()
  }

  /// A desktop hands its keys to players itself.
  static func isWanted(_ choice: Settings.HeadsetChoice) -> Bool {
    switch choice {
    case .on: true
    case .off: false
    case .auto:
      Environment.value("DISPLAY") == nil && Environment.value("WAYLAND_DISPLAY") == nil
    }
  }

  func carryOut(_ action: Action) {
    switch action {
    case .acceptRemote: isAccepting = true
    case .releaseRemote: isAccepting = false
    default: return
    }
    follow()
  }

  /// While the program is stopped nobody reads: what is pressed then is not meant for later.
  func rest(_ wish: Bool) {
    isResting = wish
    follow()
  }

  private func follow() {
    if isAccepting, !isResting { buttons?.open() } else { buttons?.close() }
  }

  /// The device that was heard is gone: pulling a plug often presses its button.
  func forget() { buttons?.forget() }

  /// False for what came in from another side already.
  func admits(_ wish: PlayerCommand, from source: CommandSource) -> Bool {
    guard echo.admits(wish, from: source, at: player.now()) else { return false }
    if source == .mpris || source == .avrcp { buttons?.heard(wish) }
    return true
  }

  private var meaning: Presses.Meaning {
    guard let call = command.neighbours?.call else { return .transport }
    return call.isRinging ? .ringing : .talking
  }

  private func take(_ wish: HeadsetButtons.Wish) {
    switch wish {
    case .command(let wish): return command.perform(wish, from: .headset)
    case .answer: command.neighbours?.perform(.answer)
    case .decline, .hangUp: command.neighbours?.perform(.decline)
    }
    command.refresh()
  }
}
