import AudioSession

extension PlayerCommand.Seek {
  /// Where it leads to, in seconds; nil for a part of a track whose length is not known. Past the
  /// end stays past it: that means the next track.
  public func target(from position: Double, length: Double?) -> Double? {
    let target: Double?
    switch self {
    case .by(let seconds): target = position + seconds
    case .to(let seconds): target = seconds
    case .part(let part): target = length.map { $0 * part }
    }
    guard let target, target.isFinite else { return nil }
    return max(0, target)
  }
}

extension PlayerCommand {
  /// The event that the session must hear for it, at a moment; nil for what is no business of the
  /// session's, and for `next` and `previous`: the queue knows where these lead to.
  public func event(
    from source: CommandSource, in snapshot: PlayerSnapshot, at now: SessionTime
  ) -> SessionEvent? {
    switch self {
    case .play: .play(source)
    case .pause: .pause(source)
    case .toggle: .toggle(source)
    case .stop: .stop(source)
    case .force: .force(source)
    case .choose(let row): snapshot.queue.entries.indices.contains(row) ? .choose(track: row) : nil
    case .seek(let seek):
      seek.target(from: snapshot.position(at: now), length: snapshot.length)
        .map { .seek(.seconds($0)) }
    // A step is that of a volume key, and means what the key means at this moment (S11, S12).
    case .volume(.by(let step)): step == 0 ? nil : .volumeKey(step > 0 ? .up : .down)
    case .mute: .volumeKey(.mute)
    case .silent(let wish): .silent(wish.applied(to: snapshot.isSilent))
    case .ignore(let program): .ignore(program)
    default: nil
    }
  }
}
