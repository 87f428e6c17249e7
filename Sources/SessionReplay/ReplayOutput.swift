import AudioSession
import AudioTypes
import JSONText

extension Replay.Step {
  /// One line of `--json`.
  public var json: JSON {
    let after = transition.after
    return .object([
      ("at", .double(transition.at.seconds)),
      ("event", .string(name)),
      ("display", .string(after.display.rawValue)),
      ("willResume", .bool(after.willResume)),
      ("intent", .string(intent)),
      ("cause", .string(after.intent.cause?.rawValue)),
      ("audible", .bool(after.isAudible)),
      ("gain", .double(after.gain)),
      ("status", .string(after.status.rawValue)),
      ("track", .int(state.track)),
      ("position", .double(state.position.seconds)),
      ("blockers", .array(state.blockers.map { .string($0.id) })),
      ("peerCalls", .array(peerCalls)),
      ("ops", .array(ops.map { .string($0) })),
      ("rules", .array(transition.rules.all.map { .string($0.id) })),
      ("said", .string(transition.sentence)),
    ])
  }

  private var intent: String {
    switch transition.after.intent {
    case .stopped: "stopped"
    case .playing: "playing"
    case .paused: "paused"
    }
  }

  private var peerCalls: [JSON] {
    transition.actions.compactMap { action in
      switch action {
      case .pausePeer(let id): .object([("id", .string(id)), ("call", .string("Pause"))])
      case .playPeer(let id): .object([("id", .string(id)), ("call", .string("Play"))])
      default: nil
      }
    }
  }

  /// What is done to streams, volumes and remotes.
  private var ops: [String] {
    transition.actions.compactMap { action in
      switch action {
      case .cork: "cork"
      case .uncork: "uncork"
      case .unmuteStream: "unmuteStream"
      case .lowerOthers: "lowerOthers"
      case .restoreOthers: "restoreOthers"
      case .changeDeviceVolume: "deviceVolume"
      case .changeEventVolume: "eventVolume"
      case .playEffect: "effect"
      case .acceptRemote: "acceptRemote"
      case .releaseRemote: "releaseRemote"
      case .keepAwake(true): "keepAwake"
      case .keepAwake(false): "letSleep"
      case .setGain, .go, .pausePeer, .playPeer, .publish: nil
      }
    }
  }

  // MARK: - For people

  /// The head of the table.
  public static let head = row(
    "time", "event", "display", "gain", "track", "at", "blockers", "does", "rules", "said")

  /// One row of the table.
  public var row: String {
    let after = transition.after
    var display = after.display.rawValue
    if let cause = after.intent.cause { display += " (\(cause.rawValue))" }
    if after.display == .interrupted, after.willResume { display += ", will resume" }
    let calls = transition.actions.compactMap { action -> String? in
      switch action {
      case .pausePeer(let id): "pause \(Text.printable(id))"
      case .playPeer(let id): "play \(Text.printable(id))"
      default: nil
      }
    }
    return Self.row(
      Self.fixed(transition.at.seconds), name, display,
      after.gain == 0 ? "0 dB" : "\(Int(after.gain)) dB", "\(state.track + 1)",
      Self.fixed(state.position.seconds),
      state.blockers.map { Text.printable($0.id) }.joined(separator: " "),
      (ops + calls).joined(separator: ", "),
      transition.rules.all.map(\.id).joined(separator: " "), transition.sentence)
  }

  private static let widths = [9, 10, 25, 7, 6, 9, 14, 23, 20]

  private static func row(_ cells: String...) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      if index > 0 { line += " " }
      line += cell
      if index < widths.count, cell.count < widths[index] {
        line += String(repeating: " ", count: widths[index] - cell.count)
      }
    }
    while line.last == " " { line.removeLast() }
    return line
  }

  /// Milliseconds, always.
  private static func fixed(_ seconds: Double) -> String {
    guard seconds < 1e12 else { return "\(seconds)" }
    let thousandths = Int64((seconds * 1000).rounded())
    return "\(thousandths / 1000)." + String(1000 + thousandths % 1000).dropFirst()
  }
}
