/// What is seen of other programs becomes what stands in the way. Reconciling goes the same way.
extension SessionMachine {
  mutating func streamSeen(_ stream: StreamObservation, _ turn: inout Turn) {
    let old: StreamObservation?
    if let index = state.scene.streams.firstIndex(where: { $0.id == stream.id }) {
      old = state.scene.streams[index]
      state.scene.streams[index] = stream
    } else {
      old = nil
      state.scene.streams.append(stream)
    }
    // A serial that comes back as something else is another stream.
    if let old, old.direction != stream.direction { judge(gone: old, &turn) }
    judge(stream, &turn)
    let programs = [old.flatMap(Scene.program), Scene.program(stream)]
    if let before = programs[0], before != programs[1] { judgeCall(of: before, &turn) }
    if let now = programs[1] { judgeCall(of: now, &turn) }
  }

  mutating func streamGone(_ id: String, _ turn: inout Turn) {
    guard let index = state.scene.streams.firstIndex(where: { $0.id == id }) else { return }
    let stream = state.scene.streams.remove(at: index)
    judge(gone: stream, &turn)
    if let program = Scene.program(stream) { judgeCall(of: program, &turn) }
  }

  mutating func peerSeen(_ peer: PeerObservation, _ turn: inout Turn) {
    // Stand-ins and other machines' players make no sound here.
    guard classifier.isPlayer(peer) else { return peerGone(peer.id, &turn) }
    if let index = state.scene.peers.firstIndex(where: { $0.id == peer.id }) {
      let old = state.scene.peers[index].status
      state.scene.peers[index] = peer
      if old != peer.status { forget(pausedPeer: peer.id, unlessNow: peer.status) }
    } else {
      state.scene.peers.append(peer)
    }
    judge(peer, &turn)
  }

  mutating func peerGone(_ id: String, _ turn: inout Turn) {
    guard let index = state.scene.peers.firstIndex(where: { $0.id == id }) else { return }
    let peer = state.scene.peers.remove(at: index)
    state.pausedPeers.removeAll { $0.id == id }
    settle(Scene.blockerID(peer), nil, source: "", client: nil, &turn)
  }

  /// A player that we paused tells that it did, once; whatever it does after that is its own (S57).
  private mutating func forget(pausedPeer id: String, unlessNow status: PlaybackStatus) {
    guard let index = state.pausedPeers.firstIndex(where: { $0.id == id }) else { return }
    if status == .paused {
      state.pausedPeers[index].hasPaused = true
    } else {
      state.pausedPeers.remove(at: index)
    }
  }

  /// That program is left out from now on: also what it does already.
  mutating func ignore(_ name: String, _ turn: inout Turn) {
    let name = name.lowercased()
    guard !name.isEmpty, !state.scene.ignored.contains(name) else { return }
    state.scene.ignored.append(name)
    turn.rules.insert(.s2)
    turn.aside = .ignored(name)
    judgeAll(ignoring: name, &turn)
  }

  /// What is gone ends, what is new begins, what changed changes. Of an id that is there twice the
  /// last counts, so that the same snapshot again changes nothing.
  mutating func reconcile(_ snapshot: SystemSnapshot, _ turn: inout Turn) {
    turn.rules.insert(.s34)
    for stream in state.scene.streams
    where !snapshot.streams.contains(where: { $0.id == stream.id }) {
      streamGone(stream.id, &turn)
    }
    for peer in state.scene.peers where !snapshot.peers.contains(where: { $0.id == peer.id }) {
      peerGone(peer.id, &turn)
    }
    for (index, stream) in snapshot.streams.enumerated()
    where state.scene.stream(stream.id) != stream
      && !snapshot.streams[(index + 1)...].contains(where: { $0.id == stream.id })
    {
      streamSeen(stream, &turn)
    }
    for (index, peer) in snapshot.peers.enumerated()
    where state.scene.peer(peer.id) != peer
      && !snapshot.peers[(index + 1)...].contains(where: { $0.id == peer.id })
    {
      peerSeen(peer, &turn)
    }
  }

  private mutating func judgeAll(ignoring name: String, _ turn: inout Turn) {
    for stream in state.scene.streams { judge(stream, &turn) }
    for peer in state.scene.peers { judge(peer, &turn) }
    for program in Set(state.scene.streams.compactMap(Scene.program)).sorted() {
      judgeCall(of: program, ignoring: name, &turn)
    }
  }

  // MARK: - Streams and players, each by itself

  private mutating func judge(_ stream: StreamObservation, _ turn: inout Turn) {
    var kind = classifier.kind(of: stream)
    if kind != nil, state.scene.isIgnored(stream) { kind = nil }
    settle(
      Scene.blockerID(stream), kind, source: stream.application, client: Scene.program(stream),
      &turn)
  }

  private mutating func judge(gone stream: StreamObservation, _ turn: inout Turn) {
    settle(Scene.blockerID(stream), nil, source: "", client: nil, &turn)
  }

  private mutating func judge(_ peer: PeerObservation, _ turn: inout Turn) {
    let isPlaying = peer.status == .playing && !state.scene.isIgnored(peer)
    settle(
      Scene.blockerID(peer), isPlaying ? .primary : nil,
      source: PeerName.application(peer.name), client: peer.client, &turn)
  }

  /// What a stream or player stands for now, against what stood there for it.
  private mutating func settle(
    _ id: String, _ kind: BlockerKind?, source: String, client: String?, _ turn: inout Turn
  ) {
    if kind != .primary { state.scene.cancel(.primaryConfirmed, id) }
    if let live = state.blocker(id) {
      // Over spoken content a duck stands as a solo.
      if live.kind == kind || live.isHeldAtEnd && kind == .duck { return }
      end(id, &turn)
    }
    guard let kind else { return }
    if kind == .primary {
      // It may turn out to be part of a call (browsers are both).
      guard !isInCall(client), !state.scene.isPending(.primaryConfirmed, id) else { return }
      state.scene.pending.append(
        Scene.Pending(
          kind: .primaryConfirmed, id: id, due: state.now + SessionTiming.primaryHold))
    } else {
      if kind == .call, let client { claim(client, &turn) }
      begin(id, kind, source: source, client: client, &turn)
    }
  }

  mutating func primaryConfirmed(_ id: String, _ turn: inout Turn) {
    guard
      let pending = state.scene.pending.first(where: {
        $0.kind == .primaryConfirmed && $0.id == id
      })
    else { return }
    state.scene.cancel(.primaryConfirmed, id)
    let peer = state.scene.peers.first { Scene.blockerID($0) == id }
    let stream = state.scene.streams.first { Scene.blockerID($0) == id }
    let client = peer?.client ?? stream.flatMap(Scene.program)
    guard !isInCall(client) else { return }
    begin(
      id, .primary, source: peer.map { PeerName.application($0.name) } ?? stream?.application ?? "",
      client: client, isOverridden: pending.isOverridden, &turn)
  }

  // MARK: - Calls that no tag tells

  /// A program that plays and records at once is in a call, once it has done so for half a second;
  /// and no longer, once it has not for two.
  ///
  /// - Parameter name: the program that the user leaves out just now. A call of it is over at once.
  private mutating func judgeCall(
    of program: String, ignoring name: String? = nil, _ turn: inout Turn
  ) {
    var plays = false
    var records = false
    var isIgnored = false
    for stream in state.scene.streams
    where Scene.program(stream) == program && classifier.isHalfOfCall(stream) {
      if state.scene.isIgnored(stream) {
        isIgnored =
          isIgnored || stream.application.lowercased() == name
          || stream.binary.lowercased() == name
      } else if stream.direction == .playback {
        plays = true
      } else {
        records = true
      }
    }
    let isLive = state.blocker(Scene.callID(program)) != nil
    if plays && records {
      state.scene.cancel(.callOver, program)
      if !isLive, !state.scene.isPending(.callConfirmed, program) {
        state.scene.pending.append(
          Scene.Pending(
            kind: .callConfirmed, id: program, due: state.now + SessionTiming.callDebounceIn))
      }
    } else {
      state.scene.cancel(.callConfirmed, program)
      if isLive, isIgnored {
        state.scene.cancel(.callOver, program)
        end(Scene.callID(program), &turn)
      } else if isLive, !state.scene.isPending(.callOver, program) {
        state.scene.pending.append(
          Scene.Pending(
            kind: .callOver, id: program, due: state.now + SessionTiming.callDebounceOut))
      }
    }
  }

  mutating func callConfirmed(_ program: String, _ turn: inout Turn) {
    state.scene.cancel(.callConfirmed, program)
    claim(program, &turn)
    let stream =
      state.scene.streams.first {
        Scene.program($0) == program && !$0.application.isEmpty
          && classifier.applications.has(.call, $0.application, $0.binary)
      } ?? state.scene.streams.first { Scene.program($0) == program && !$0.application.isEmpty }
    begin(
      Scene.callID(program), .call, source: stream?.application ?? program, client: program, &turn)
  }

  mutating func callOver(_ program: String, _ turn: inout Turn) {
    state.scene.cancel(.callOver, program)
    end(Scene.callID(program), &turn)
  }

  /// The program is in a call. If it was taken for a player just now, that was a mistake: what it
  /// paused is as it was, and the call holds it instead (S53 for browser meetings).
  private mutating func claim(_ program: String, _ turn: inout Turn) {
    let earliest = state.now - SessionTiming.callClaimsPrimary
    for blocker in state.blockers
    where blocker.kind == .primary && blocker.client == program && blocker.began >= earliest {
      state.blockers.removeAll { $0.id == blocker.id }
    }
    if let takeover = state.pausedByPrimary, takeover.client == program, takeover.at >= earliest {
      state.pausedByPrimary = nil
      // Unless a real player has taken over meanwhile (S56).
      let isTakenOver = state.blockers.contains { $0.kind == .primary && state.suppresses($0) }
      if state.intent == .paused(.primary), !isTakenOver { state.intent = .playing }
    }
    for peer in state.scene.peers where peer.client == program {
      state.scene.cancel(.primaryConfirmed, Scene.blockerID(peer))
    }
    for stream in state.scene.streams where Scene.program(stream) == program {
      state.scene.cancel(.primaryConfirmed, Scene.blockerID(stream))
    }
  }
}

extension Scene {
  /// What we may lower while we speak: whatever is heard, calls excepted (S33).
  func lowerable(_ classifier: Classifier) -> [String] {
    streams.filter { isForeignSound($0) && !isIgnored($0) && classifier.kind(of: $0) != .call }
      .map(\.id)
  }
}
