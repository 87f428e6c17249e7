import AudioSession
import AudioTypes
import Player

/// What each key does in `sotto play`.
extension PlayCommand {
  func press(_ key: Key) {
    guard let engine, let player else { return }
    if alarm.isRinging { return alarm.dismiss() }
    if key != .character("q"), kept?.postpones({ [weak self] in self?.press(key) }) == true {
      return
    }
    if isMenuOpen {
      isMenuOpen = false
      if case .character(let letter) = key, let entry = Self.menu.first(where: { $0.key == letter })
      {
        if let act = entry.act { neighbourhood()?.perform(act) } else { memo?.toggle() }
      }
      return refresh()
    }
    switch key {
    case .character(" "), .character("c"): player.send(.toggle(.key))
    case .character("v"): player.send(.stop(.key))
    case .character("C"):
      neighbourhood()?.perform(.call)
      if neighbours?.call?.isRinging == true { screen?.tell("A call rings: a answers, d declines") }
    case .character("a") where neighbours?.call?.isRinging == true:
      neighbours?.perform(.answer)
      screen?.tell("In a call: d hangs up")
    case .character("d") where neighbours?.isCalling == true: neighbours?.perform(.decline)
    case .character("S"): neighbourhood()?.perform(.silent)
    case .character("F"): player.send(.force(.key))
    case .character("!"):
      isMenuOpen = true
      screen?.tell(Self.menu.map { "\($0.key) \($0.name)" }.joined(separator: "  "))
    case .character("y"): why()
    case .character("?"): help()
    case .left: seek(by: -5)
    case .right: seek(by: 5)
    case .character(","): seek(by: -60)
    case .character("."): seek(by: 60)
    case .up: changeVolume(by: 5)
    case .down: changeVolume(by: -5)
    case .character("("): changeLevel(by: -5)
    case .character(")"): changeLevel(by: 5)
    case .character("m"): mute()
    case .character("n"):
      guard let next = queue.keyAfterSkip else {
        if !queue.mayFollow(index) { finish() }
        return
      }
      jump(to: next)
    case .character("p"):
      if let previous = queue.previous(position: engine.snapshot().position) { jump(to: previous) }
    case .character("q"): finish()
    default: return
    }
    refresh()
  }

  /// What `!` offers. The voice memo is sotto's own, no neighbour's.
  private static let menu: [(key: Unicode.Scalar, name: String, act: Neighbourhood.Act?)] = [
    ("p", "prompt", .prompt), ("m", "message", .message), ("a", "alarm", .alarm),
    ("s", "assistant", .assistant), ("o", "other music", .music), ("g", "game", .game),
    ("h", "headphones", .headphones), ("b", "Bluetooth", .bluetooth),
    ("k", "Bluetooth profile", .profile), ("l", "lock", .lock), ("z", "sleep", .sleep),
    ("v", "voice memo", nil),
  ]

  /// The latest decisions, newest last.
  private func why() {
    guard let player else { return }
    let latest = player.log.latest(8)
    for decision in latest {
      let rules = decision.rules.all.map(\.id).joined(separator: " ")
      screen?.tell("\(decision.sentence) (\(rules), \(decision.trigger.name))")
    }
    if latest.isEmpty { screen?.tell("nothing was decided yet") }
  }

  private func help() {
    for line in Self.help { screen?.tell(line) }
  }

  static let help = [
    "space, c  pause or play              v        stop",
    "n p       next, previous             arrows   seek 5 s, device volume",
    ", .       back or on 1 min           ( ) m    sotto's own level, mute",
    "C         a call comes in            a d      answer; decline or hang up",
    "!         other sounds, voice memo   S        silent mode",
    "F         play over a call           y        why: the latest decisions",
    "q         quit",
  ]

  func jump(to index: Int) {
    isLeaving = index != engine?.snapshot().index
    self.index = index
    seekTarget = nil
    player?.send(.choose(track: index))
  }

  func seek(by seconds: Double) {
    guard let engine else { return }
    guard player?.situation.intent != .stopped else { return say(Self.stoppedSentence) }
    let snapshot = engine.snapshot()
    let target = max(0, (seekTarget ?? snapshot.position) + seconds)
    seekTarget = min(target, snapshot.duration ?? target)
    guard let duration = snapshot.duration, target >= duration else {
      player?.send(.seek(.seconds(target)))
      return
    }
    // The engine goes on to what follows: the place that was asked for is none.
    let asked = asked
    self.asked = nil
    player?.send(.seek(.seconds(target)))
    self.asked = asked
    let follows = queue.index(after: snapshot.index ?? index) != nil
    asked?.hear("Past its end: " + (follows ? "on to what follows" : "nothing follows"))
  }

  /// The device's volume; sotto's own level where the device has none.
  func changeVolume(by points: Int) {
    guard engine?.snapshot().deviceVolume != nil else { return changeLevel(by: points) }
    // One press is five percent.
    for _ in 0..<max(1, abs(points) / Player.volumeStep) {
      player?.send(.volumeKey(points > 0 ? .up : .down))
    }
  }

  private func changeLevel(by points: Int) { setLevel(level + points) }

  func setLevel(_ percent: Int) {
    level = min(max(percent, 0), 100)
    isOwnMuted = false
    engine?.setLevel(Level.gain(percent: level))
  }

  func mute() {
    if engine?.snapshot().deviceVolume != nil {
      player?.send(.volumeKey(.mute))
    } else {
      isOwnMuted.toggle()
      engine?.setLevel(isOwnMuted ? .silence : Level.gain(percent: level))
    }
  }
}
