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

/// All that is drawn has words (S74).
public enum Control: String, CaseIterable, Sendable {
  case transport, track, progress, format, path, cover, chapter, lyrics
  case volume, ringer, level, mute, silent, gain
  case shuffle, repeating, single, stopAfter, consume, sleep, alarm
  case lock, memo
  case session, decision, call, queue, devices, meter
}

extension PlayerSnapshot {
  /// One control in words, without a full stop. Never empty.
  public func description(of control: Control, at now: SessionTime) -> String {
    switch control {
    case .transport: return transportText
    case .track: return trackText
    case .progress:
      let position = position(at: now)
      guard let length else { return "At \(TrackText.spoken(position))" }
      return "At \(TrackText.spoken(position)) of \(TrackText.spoken(length))"
    case .format:
      let parts = TrackText.format(info)
      return parts.isEmpty ? "The format is not known" : parts.joined(separator: ", ")
    case .path:
      return isUntouched
        ? "The samples reach the device untouched" : "The samples are adapted for the device"
    case .cover: return info?.picture == nil ? "No cover" : "A cover picture"
    case .chapter:
      guard let chapter = chapter(at: now) else { return "No chapters" }
      return "Chapter \(chapter.number) of \(chapter.count)"
        + (chapter.title.map { ", \($0)" } ?? "")
    case .lyrics:
      guard let line = lyric(at: now) else { return "No lyrics" }
      return line.isEmpty ? "Lyrics pause" : line
    case .volume:
      switch deviceLoudness {
      case .device(let percent, let isMuted):
        let name = deviceName.map { ", " + Text.printable($0) } ?? ""
        return (isMuted ? "Muted, volume \(percent) percent" : "Volume \(percent) percent") + name
      case .onDevice(let name): return "The volume is set on \(Text.printable(name))"
      case .ringer, .none: return "There is no device whose volume could change"
      }
    case .ringer:
      return hasRingerVolume
        ? "Ringer volume \(ringerVolume) percent" : "There is no volume for the ringer alone"
    case .level: return "sotto's own level \(level) percent"
    case .mute:
      if isStreamMuted { return "Muted by another program's mixer" }
      return isDeviceMuted || isOwnMuted ? "Muted" : "Not muted"
    case .silent: return "Silent mode \(isSilent ? "on" : "off")"
    case .gain:
      switch gainMode {
      case .off: return "ReplayGain off"
      case .track, .album:
        let gain = replayGain.map { ", \(TrackText.decibels($0, isSpoken: true))" } ?? ", no tags"
        return "ReplayGain of the \(gainMode.rawValue)\(gain)"
      }
    case .shuffle: return PlayQueue.shuffleSentence(queue.shuffleUnit)
    case .repeating:
      switch queue.repeatMode {
      case .off: return "Repeat off"
      case .all: return "Repeat all tracks"
      case .one: return "Repeat this track"
      }
    case .single: return queue.isSingle ? "Stops after each track" : "Goes on after each track"
    case .stopAfter:
      return queue.stopsOnce ? "Stops after this track" : "Goes on after this track"
    case .consume:
      return queue.isConsuming ? "Played tracks leave the queue" : "Played tracks stay in the queue"
    case .sleep:
      guard let sleepsAt, let minutes = sleepMinutes(at: now) else { return "No sleep timer" }
      // Whole minutes, and in the last of them seconds.
      let seconds = (sleepsAt - now).seconds.rounded(.up)
      let left = seconds < 60 ? max(1, seconds) : Double(minutes) * 60
      return "The sleep timer pauses in \(TrackText.spoken(left))"
    case .alarm:
      guard let alarm else { return "No alarm is set" }
      return alarm.isRinging
        ? "The alarm of \(alarm.time.clock) rings. Any key ends it"
        : "The alarm is set to \(alarm.time.text)"
    case .lock: return isLocked ? "The screen is locked" : "The screen is not locked"
    case .memo: return isRecordingMemo ? "A voice memo is recorded" : "No voice memo is recorded"
    case .session:
      if causes.isEmpty { return "Nothing stands in the way" }
      return distinctCauses.map { CauseText($0, in: self, at: now).spoken }.joined(separator: "; ")
    case .decision:
      return lastDecision.map { Self.unstopped($0.spoken) } ?? "Nothing was decided yet"
    case .call:
      guard let call else { return "No call" }
      let name = Text.printable(call.name)
      switch call.phase {
      case .ringing: return "A call rings: \(name). Press a to answer, d to decline"
      case .talking: return "In a call with \(name). Press d to hang up"
      }
    case .queue: return queueText
    case .devices:
      let names = devices.map { device in
        Text.printable(device.name) + (device.isCurrent ? ", in use" : "")
          + (device.isAvailable ? "" : ", not available")
      }
      return names.isEmpty ? "No devices" : names.joined(separator: "; ")
    case .meter: return "Level meter: \(situation.isAudible ? "sound is heard" : "silence")"
    }
  }

  private static func unstopped(_ text: String) -> String {
    text.hasSuffix(".") ? String(text.dropLast()) : text
  }

  /// What plays and cannot be heard says why.
  private var transportText: String {
    let text = sessionText
    guard situation.isAudible else { return text }
    if isDeviceSuspended { return text + ", the sound server has suspended the device" }
    if isStreamMuted { return text + ", muted by another program's mixer" }
    if isDeviceMuted { return text + ", the device is muted" }
    if isOwnMuted { return text + ", sotto is muted" }
    return text
  }

  private var sessionText: String {
    switch situation.display {
    case .stopped: return "Stopped"
    case .playing: return "Playing"
    case .ducked: return "Playing quietly under a prompt"
    case .interrupted: return "Interrupted" + (situation.willResume ? ", goes on afterwards" : "")
    case .paused: return "Paused" + (situation.intent.cause.map(Self.reason) ?? "")
    }
  }

  /// Why it is paused, after the word: empty for the user's own pause.
  static func reason(_ cause: PauseCause) -> String {
    switch cause {
    case .user: ""
    case .noisy: ", the device went away"
    case .primary: ", another player took over"
    case .denied: ", the interruption ended without leave to go on"
    case .sleep: ", the computer slept"
    case .timer: ", the sleep timer has run out"
    case .error: ", no track could be played"
    }
  }

  private var trackText: String {
    guard let entry else { return "No track" }
    var text = ""
    if let index = index ?? queue.current {
      text = "Track \(index + 1) of \(queue.entries.count): "
    }
    text += TrackText.title(entry, info) ?? "no title"
    if let artist = TrackText.artist(entry, info) { text += " by \(artist)" }
    if let album = TrackText.album(info) { text += ", from \(album)" }
    if let length { text += ", \(TrackText.spoken(length))" }
    return text
  }

  private var queueText: String {
    let count = queue.entries.count
    if count == 0 { return "The queue is empty" }
    let time =
      queue.unknownDurations == 0
      ? ", \(TrackText.roughly(Double(queue.knownMilliseconds) / 1000))" : ""
    return "The queue has \(TrackText.count(count))\(time)"
  }

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

  public func lyricIndex(at now: SessionTime) -> Int? {
    let position = position(at: now)
    return lyrics.lastIndex { ($0.start ?? .infinity) <= position }
  }
}
