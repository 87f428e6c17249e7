import AudioTypes
import SystemEvents

/// What `doctor` says of what sotto notices of devices and of other programs. Pure.
enum DoctorSystem {
  /// - Parameter server: `nil` when no sound server answers.
  static func sentences(_ server: ServerSnapshot?) -> [(isGood: Bool, sentence: String)] {
    guard let server else {
      return [
        (
          false,
          "Without a sound server no other program is noticed: ALSA does not show who plays or"
            + " records."
        )
      ]
    }
    let name = Text.printable(server.server)
    var lines: [(Bool, String)] = [
      (
        true,
        "\(name) shows devices and other programs: calls, prompts, other players and lost headphones"
          + " are noticed."
      ),
      (
        true,
        "What only keeps a stream open is told from what sounds by measuring it, five times a second"
          + " while it is open."
      ),
    ]
    func has(_ module: String) -> Bool { server.modules.contains(module) }
    if has("module-role-cork") {
      lines.append(
        (true, "module-role-cork is loaded: the server asks for silence in calls, and sotto obeys.")
      )
    } else if server.kind == .pipeWire {
      lines.append(
        (true, "PipeWire asks no stream for silence in calls: sotto notices them by itself."))
    } else {
      lines.append(
        (
          true,
          "module-role-cork is not loaded, and not needed: sotto notices calls by itself."
        ))
    }
    if !has("module-role-ducking") {
      lines.append(
        (
          false,
          "The server lowers nobody by role (module-role-ducking), so other programs are never"
            + " lowered: sotto does not touch their volumes."
        ))
    } else {
      lines.append((true, "module-role-ducking is loaded: the server lowers others by role."))
    }
    lines.append(
      (
        true,
        "A USB or Bluetooth headset is guarded (leak-guard): when it vanishes nothing is heard"
          + " elsewhere, and mixers cannot move the music while it plays there."
      ))
    if server.cards.isEmpty {
      lines.append(
        (true, "The server shows no sound card, so no plug is seen being pulled, only devices."))
    }
    return lines
  }
}
