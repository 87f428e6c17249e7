import AudioEngine
import AudioSession
import AudioTypes
import Dispatch
import OutputInterface
import PlayQueue
import Player
import PlayerState

/// What the engine and the session tell, and what follows of it. On the control thread.
extension PlayCommand {
  /// What changed, and under which rule, above the line; and into the file for `sotto why`.
  func tell(_ decision: Decision) {
    asked?.hear(decision)
    if decision.remark == .stopped { kept?.stopped() }
    if player?.situation.intent.cause == .noisy { headset?.forget() }
    if system?.isSettling == true { return refresh() }
    switch decision.remark {
    case .stopped:
      // Stopped already: the next track that is played is not the one that was meant.
      queue.edit { $0.stopsOnce = false }
      engine?.successionChanged()
      if let player { engine?.letGo(at: player.state.track) }
    case .playing where screen == nil && hasToldSilence: tellLine(of: decision)
    case .playing, .track, .soughtTo, .loaded, .queueEnded, .alreadyPlaying: break
    default:
      DecisionFile.append(decision)
      if full != nil || voice != nil { break }
      tellLine(of: decision)
    }
    refresh()
  }

  private func tellLine(of decision: Decision) {
    let rules = decision.rules.all.map(\.id).joined(separator: " ")
    var sentence = decision.sentence
    if decision.remark == .ringerVolume, let neighbours {
      // The server's own is told when it has answered.
      guard let ringer = neighbours.ringer else { return }
      sentence += ", \(ringer)%"
    }
    hasToldSilence = player?.situation.isAudible == false
    tellLine(rules.isEmpty ? sentence : "\(sentence) (\(rules))")
  }

  private func tellRinger(_ volume: DeviceVolume?) {
    let sentence = Remark.ringerVolume.sentence
    serverRinger = volume?.percent
    if player?.ringerAnswered(isThere: volume != nil) == true { return refresh() }
    guard let volume else {
      return say("\(sentence), but the sound server keeps no volume for ringing (S12)")
    }
    let muted = volume.isMuted ? ", muted" : ""
    say("\(sentence), \(volume.percent)%\(muted) (S12 S78)")
  }

  func take(_ event: EngineEvent) {
    switch event {
    case .track(let index, let info):
      if queue.pass(to: index) { engine?.successionChanged() }
      seekTarget = nil
      self.index = index
      let isTakenUp = kept?.began(index, info, byUser: isLeaving) ?? false
      isLeaving = false
      if !isTakenUp { player?.send(.trackBegan(index)) }
      let entry = queue.entry(at: index)
      engine?.setTrackName(title(entry?.title, entry?.artist, at: index, info))
      let track = listed(index)
      let (title, artist) = (InfoText.title(track, info), InfoText.artist(track, info))
      queue.edit { queue in
        let id = EntryID(UInt32(truncatingIfNeeded: index))
        guard let row = queue.index(of: id) else { return }
        queue.describe(
          at: row, title: title, artist: artist,
          album: InfoText.albumKey(track.location, info), duration: info.duration)
      }
      if screen == nil, full == nil, voice == nil { announce(info) }
      refresh()
    case .failed(_, let location, let error):
      seekTarget = nil
      Messages.fault(location.path, error.sentence)
    case .state(let state):
      self.state = state
      if state == .playing {
        hasSounded = true
        isOver = false
        openBus()
      }
      jacks.streamChanged()
      // Sound comes first, and what is read beside it after; paused, nothing comes before it.
      if state == .playing || state == .held {
        full?.soundHasBegun()
        library.begin()
      }
      refresh()
    case .volume: refresh()
    case .ringer(let volume): tellRinger(volume)
    case .seeked(let position):
      // An earlier seek may be told while a later one is still on its way.
      if let target = seekTarget, abs(target - position) < 1 { seekTarget = nil }
      bus?.seeked(to: position)
      refresh()
    case .ended: ended()
    case .silenceWanted(let isWanted):
      system?.silence(isWanted: isWanted)
      refresh()
    case .device, .stalled:
      _ = keeper?.take(event)
      refresh()
    case .lost(let error):
      if keeper?.take(event) == true { return refresh() }
      screen?.end()
      full?.end()
      Messages.tell(Text.printable(error.sentence))
      Messages.status = 69
      finish()
    }
  }

  /// Nothing follows by itself. On the screen the queue stands at its beginning then, or at what comes
  /// next where the user wanted it to stop before: unless nothing of it can be heard.
  private func ended() {
    // Nothing was there when the output was opened, and something is by now.
    if kept?.isWaiting == true { return refresh() }
    kept?.ended(byUser: false)
    let wasWanted = queue.read(\.stopsOnce)
    // Who wanted it to stop after one track may want the next one later.
    let isOver = !wasWanted || queue.keyAfterSkip == nil
    let next = hasSounded ? queue.end() : nil
    player?.send(wasWanted ? .stoppedAfterTrack : .queueEnded)
    // Without a track from the beginning it waits for some, or for the user to play what was kept.
    let hasBegun = hasSounded || !options.paths.isEmpty
    if full == nil, hasBegun, isOver || next == nil {
      self.isOver = true
      guard alarm.state != nil else { return finish() }
    }
    if hasSounded, let next {
      hasSounded = false
      index = next
      engine?.rest(at: next)
      engine?.letGo(at: next)
    }
    refresh()
  }

  /// Without a screen the end of the queue is that of the program, once no alarm is waited for.
  func endIfOver() {
    // Whoever took the alarm back has an answer first.
    DispatchQueue.main.async { [weak self] in
      MainActor.assumeIsolated {
        guard let self, self.isOver, self.state != .playing, self.alarm.state == nil else { return }
        self.finish()
      }
    }
  }
}
