import AudioEngine
import AudioSession
import AudioTypes
import OutputInterface
import PlayQueue
import Player
import PlayerState
import TerminalModel

/// What the screen and remotes ask for, carried out.
extension PlayCommand {
  func perform(_ command: PlayerCommand, from source: CommandSource = .key) {
    guard let engine, let player else { return }
    if command != .quit,
      kept?.postpones({ [weak self] in self?.perform(command, from: source) }) == true
    {
      return
    }
    if headset?.admits(command, from: source) == false { return }
    if alarm.takes(command) { return refresh() }
    previews.hear(command)
    switch command {
    case .play:
      leaveRemoved()
      player.send(.play(source))
      keeper?.tryNow()
    case .pause: player.send(.pause(source))
    case .toggle:
      leaveRemoved()
      player.send(.toggle(source))
      keeper?.tryNow()
    case .stop: player.send(.stop(source))
    case .force:
      leaveRemoved()
      player.send(.force(source))
    case .next: skip(source)
    case .previous:
      if let key = queue.previous(position: engine.snapshot().position) { jump(to: key) }
    case .seek(let seek): self.seek(seek)
    case .choose(let row):
      guard let key = queue.key(ofRow: row) else { break }
      queue.choose(key)
      jump(to: key)
      // Picked is played, also what was paused.
      if player.situation.intent != .playing { player.send(.play(source)) }
    case .volume(.by(let percent)): changeVolume(by: percent)
    case .volume(.to(let percent)):
      if engine.snapshot().deviceVolume == nil {
        setLevel(percent)
      } else {
        engine.setDeviceVolume(percent: min(max(percent, 0), 100))
      }
    case .ringer(.by(let percent)): neighbourhood()?.stepRinger(percent: percent)
    case .ringer(.to(let percent)):
      let now = neighbours?.ringer ?? serverRinger ?? 100
      neighbourhood()?.stepRinger(percent: percent - now)
    case .level(.by(let percent)): setLevel(level + percent)
    case .level(.to(let percent)): setLevel(percent)
    case .mute: mute()
    case .silent(let wish):
      setSilent(wish.applied(to: player.state.isSilent))
    case .gain(let mode):
      gainMode = mode
      engine.setLoudness(mode)
    case .attempt(.memo): memo?.toggle()
    case .attempt(let trial):
      if let act = Neighbourhood.Act(rawValue: trial.rawValue) { neighbourhood()?.perform(act) }
    case .add(let paths, let destination): add(paths, destination)
    case .save(let name, let replaces): save(name, replaces: replaces)
    case .list(let name, let wish): lists.perform(wish, of: name)
    case .rate(let rating): rate(rating)
    case .device(let id): move(toDevice: id)
    case .ignore(let program):
      player.send(.ignore(program))
      let cause = IgnoredPrograms.add(program)
      let kept = cause == 0 ? "" : ", but not the next time: \(Descriptor.sentence(cause))"
      say("\(Text.printable(program)) is left out from now on\(kept)", isFault: cause != 0)
    case .preview(let location): previews.begin(location)
    case .browse(let path): full?.browse(path, asked?.wait())
    case .theme(let name): full?.setTheme(name)
    case .set(let name, let value): full?.set(name, value)
    case .quit: return finish()
    case .sleep(let wish): sleep(wish)
    case .alarm(let wish): alarm.perform(wish)
    case .shuffle, .repeating, .single, .stopAfter, .consume, .remove, .move, .moveNext, .cut,
      .copy, .paste, .clear,
      .undo, .redo:
      edit(command)
    }
    refresh()
  }

  /// Silent mode; what rings hears of it too.
  func setSilent(_ isOn: Bool) {
    guard let player, player.state.isSilent != isOn else { return }
    if let neighbours { neighbours.perform(.silent) } else { player.send(.silent(isOn)) }
  }

  /// Stopped in a track that has left the queue since: what stands in its place is played.
  private func leaveRemoved() {
    let isRemoved = queue.read { queue in
      queue.currentID.map { queue.index(of: $0) == nil } == true && !queue.entries.isEmpty
    }
    guard isRemoved, player?.situation.intent == .stopped,
      let key = queue.keyAfterSkip ?? queue.firstKey
    else { return }
    queue.choose(key)
    jump(to: key)
  }

  private func skip(_ source: CommandSource) {
    if let key = queue.keyAfterSkip { return jump(to: key) }
    // After the last track there is silence, as at its own end.
    if !queue.mayFollow(index) { player?.send(.stop(source)) }
  }

  private func seek(_ seek: PlayerCommand.Seek) {
    guard let engine else { return }
    let heard = engine.snapshot()
    switch seek {
    case .by(let seconds): self.seek(by: seconds)
    case .to(let seconds): self.seek(by: seconds - (seekTarget ?? heard.position))
    case .part(let part):
      guard let duration = heard.duration else { return say("The track's length is not known") }
      self.seek(by: duration * part - (seekTarget ?? heard.position))
    }
  }

  /// The queue's own business. The engine looks at what follows.
  private func edit(_ command: PlayerCommand) {
    let (undone, earlier) = queue.read { queue in
      switch command {
      case .undo: (queue.undoable, queue.currentBeforeEdit)
      case .redo: (queue.redoable, nil)
      default: (nil, nil)
      }
    }
    leaveList(undone?.kind == .replaced)
    let answer = queue.edit { $0.perform(command, seed: .random(in: 0...(.max))) }
    engine?.successionChanged()
    let isStopped = player?.situation.intent == .stopped
    // Also where the first tracks of all come by it.
    let isNowhere = engine?.snapshot().index == nil
    if let undone, undone.kind == .replaced || isNowhere,
      let key = queue.comeBack(to: earlier, isStopped: isStopped, isNowhere: isNowhere)
    {
      jump(to: key)
    }
    if let sentence = answer?.sentence { say(sentence) }
  }

  /// Another list takes the place of the queue: an undo goes on where this one was left.
  func leaveList(_ isReplaced: Bool = true) {
    guard isReplaced, let engine else { return }
    let key = engine.snapshot().index ?? index
    if queue.read({ $0.currentID }) == EntryID(UInt32(truncatingIfNeeded: key)) {
      queue.leave(key, at: player?.situation.intent == .stopped ? 0 : position)
    }
  }

  // MARK: Devices

  private func move(toDevice id: String) {
    guard let engine else { return }
    if let sentence = noDevice(id) { return say(sentence, isFault: true) }
    let asked = asked?.wait()
    engine.handOver(to: id) { [weak self] error in
      let before = self?.asked
      self?.asked = asked
      self?.moved(toDevice: id, error)
      self?.asked = before
      asked?.finish()
    }
  }

  private func moved(toDevice id: String, _ error: OutputError?) {
    guard let engine, let player else { return }
    if let error { return say(Text.printable(error.sentence), isFault: true) }
    let choice = devices.first { $0.id == id }
    for index in devices.indices { devices[index].isCurrent = devices[index].id == id }
    let name = engine.snapshot().device ?? choice?.name ?? id
    let route =
      system?.route(toDevice: id)
      ?? Route(id: id, name: name, routeClass: choice?.routeClass ?? .speaker)
    // The user's own choice: music goes on (S21).
    player.send(.route(RouteChange(to: route, reason: .override)))
    jacks.streamChanged()
    refresh()
  }
}
