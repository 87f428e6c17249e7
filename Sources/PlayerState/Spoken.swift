import AudioSession
import AudioTypes
import PlayQueue

/// Lines for people who do not see the screen: whole words, no signs (S72 to S75).
extension PlayerSnapshot {
  /// One line for each change since an earlier snapshot, the most important first. Nothing for time
  /// that passes.
  public func changes(since before: PlayerSnapshot) -> [String] {
    var lines: [String] = []
    let isDecided = lastDecision != nil && lastDecision != before.lastDecision
    // An edit moves the same track to another row.
    let isOtherTrack =
      queue.currentID != before.queue.currentID
      || (queue.currentID == nil && index != before.index)
    if isDecided {
      for decision in decided(since: before) {
        if case .track = decision.remark, isOtherTrack { continue }
        lines.append(decision.spoken)
      }
    } else if situation.display != before.situation.display
      || situation.intent != before.situation.intent
    {
      lines.append(description(of: .transport, at: at) + ".")
    }
    if let notice, notice != before.notice { lines.append(Text.printable(notice.text) + ".") }
    if isOtherTrack, entry != nil {
      lines.append(description(of: .track, at: at) + ".")
    } else if info != before.info, title != before.title, entry != nil {
      lines.append("The track is \(title).")
    }
    lines += callChanges(since: before)
    lines += causeChanges(since: before, isDecided: isDecided)
    lines += loudnessChanges(since: before)
    lines += queueChanges(since: before)
    if alarm != before.alarm { lines.append(description(of: .alarm, at: at) + ".") }
    if sleepsAt != before.sleepsAt { lines.append(description(of: .sleep, at: at) + ".") }
    if isRecordingMemo != before.isRecordingMemo {
      lines.append(
        isRecordingMemo ? description(of: .memo, at: at) + "." : "The voice memo is done.")
    }
    if isLocked != before.isLocked {
      lines.append(isLocked ? "The screen is locked." : "The screen is unlocked.")
    }
    // An edit is a notice and a change: it is told once.
    var told = Set<String>()
    return lines.filter { told.insert($0).inserted }
  }

  /// What was decided since then, oldest first: in one turn a loss may be followed by where sound goes
  /// now, and both count.
  private func decided(since before: PlayerSnapshot) -> [Decision] {
    if let last = before.lastDecision, let place = decisions.lastIndex(of: last) {
      return Array(decisions[(place + 1)...])
    }
    return lastDecision.map { [$0] } ?? []
  }

  private var title: String { TrackText.title(entry, info) ?? "no track" }

  private func callChanges(since before: PlayerSnapshot) -> [String] {
    guard call != before.call else { return [] }
    guard let call else { return ["The call is over."] }
    var lines: [String] = []
    if call.phase != before.call?.phase || call.name != before.call?.name {
      lines.append(description(of: .call, at: at) + ".")
    }
    if call.isAnotherWaiting, before.call?.isAnotherWaiting != true {
      lines.append("Another call is waiting.")
    }
    return lines
  }

  /// Causes that changed nothing for the listener are told too: the strip shows them.
  private func causeChanges(since before: PlayerSnapshot, isDecided: Bool) -> [String] {
    if causes == before.causes { return [] }
    let old = Set(before.causes.map(Self.key))
    let new = Set(causes.map(Self.key))
    var lines: [String] = []
    if !isDecided {
      for cause in distinctCauses where !old.contains(Self.key(cause)) {
        let text = CauseText(cause, in: self, at: at)
        let who = text.kind.isEmpty ? text.name : "\(text.name), \(text.kind)"
        lines.append("\(who), has begun.")
      }
    }
    for cause in before.distinctCauses where !new.contains(Self.key(cause)) {
      let text = CauseText(cause, in: before, at: at)
      let who = text.kind.isEmpty ? text.name : "\(text.name), \(text.kind)"
      lines.append("\(who), is over.")
    }
    return lines
  }

  private func loudnessChanges(since before: PlayerSnapshot) -> [String] {
    var lines: [String] = []
    if isDeviceMuted != before.isDeviceMuted {
      lines.append(isDeviceMuted ? "Muted." : "Not muted any more.")
    }
    if deviceName != before.deviceName || deviceVolume != before.deviceVolume
      || (deviceVolume == nil && route != before.route)
    {
      lines.append(description(of: .volume, at: at) + ".")
    }
    if ringerVolume != before.ringerVolume {
      lines.append(description(of: .ringer, at: at) + ".")
    }
    if level != before.level { lines.append(description(of: .level, at: at) + ".") }
    if isOwnMuted != before.isOwnMuted {
      lines.append(isOwnMuted ? "sotto is muted." : "sotto is not muted any more.")
    }
    if isDeviceSuspended != before.isDeviceSuspended {
      lines.append(
        isDeviceSuspended
          ? "The sound server has suspended the device: nothing is heard until it is back."
          : "The device is not suspended any more.")
    }
    if isStreamMuted != before.isStreamMuted {
      lines.append(
        isStreamMuted
          ? "Another program's mixer has muted sotto."
          : "sotto is not muted in the mixer any more.")
    }
    if isSilent != before.isSilent { lines.append(description(of: .silent, at: at) + ".") }
    if gainMode != before.gainMode { lines.append(description(of: .gain, at: at) + ".") }
    if isUntouched != before.isUntouched, queue.currentID == before.queue.currentID {
      lines.append(description(of: .path, at: at) + ".")
    }
    return lines
  }

  private func queueChanges(since before: PlayerSnapshot) -> [String] {
    if queue == before.queue { return [] }
    var lines: [String] = []
    if queue.shuffleUnit != before.queue.shuffleUnit {
      lines.append(description(of: .shuffle, at: at) + ".")
    }
    if queue.repeatMode != before.queue.repeatMode {
      lines.append(description(of: .repeating, at: at) + ".")
    }
    if queue.isSingle != before.queue.isSingle {
      lines.append(description(of: .single, at: at) + ".")
    }
    if queue.stopsOnce != before.queue.stopsOnce {
      lines.append(description(of: .stopAfter, at: at) + ".")
    }
    if queue.isConsuming != before.queue.isConsuming {
      lines.append(description(of: .consume, at: at) + ".")
    }
    if queue.ids != before.queue.ids {
      let count = queue.entries.count
      lines.append(
        count == before.queue.entries.count
          ? "The order of the queue has changed." : description(of: .queue, at: at) + ".")
    }
    return lines
  }
}

extension PlayerSnapshot {
  /// A seek to a chapter may end a sample before it.
  public static let chapterTolerance = 0.001

  /// The chapter that is heard: its number from 1, how many there are, its title.
  public func chapter(at now: SessionTime) -> (number: Int, count: Int, title: String?)? {
    guard let chapters = info?.chapters, !chapters.isEmpty else { return nil }
    let position = position(at: now)
    let index = chapters.lastIndex { $0.start <= position + Self.chapterTolerance } ?? 0
    return (index + 1, chapters.count, chapters[index].title.map { Text.printable($0) })
  }

  /// The words that are sung now; empty in a pause, nil without any.
  func lyric(at now: SessionTime) -> String? {
    guard !lyrics.isEmpty else { return nil }
    return lyricIndex(at: now).map { Text.printable(lyrics[$0].text) } ?? ""
  }

  /// Which line of the words is sung; nil before the first, and where they have no times.
  public func lyricIndex(at now: SessionTime) -> Int? {
    let position = position(at: now)
    return lyrics.lastIndex { ($0.start ?? .infinity) <= position }
  }
}
