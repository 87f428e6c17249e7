import AudioSession
import AudioTypes
import PlayQueue

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
    case .transport: transportText
    case .track: trackText
    case .progress: progressText(at: now)
    case .format: formatText
    case .path:
      isUntouched
        ? "The samples reach the device untouched" : "The samples are adapted for the device"
    case .cover: info?.picture == nil ? "No cover" : "A cover picture"
    case .chapter: chapterText(at: now)
    case .lyrics: lyricsText(at: now)
    case .volume: volumeText
    case .ringer:
      hasRingerVolume
        ? "Ringer volume \(ringerVolume) percent" : "There is no volume for the ringer alone"
    case .level: "sotto's own level \(level) percent"
    case .mute: muteText
    case .silent: "Silent mode \(isSilent ? "on" : "off")"
    case .gain: gainText
    case .shuffle: PlayQueue.shuffleSentence(queue.shuffleUnit)
    case .repeating: repeatText
    case .single: queue.isSingle ? "Stops after each track" : "Goes on after each track"
    case .stopAfter: queue.stopsOnce ? "Stops after this track" : "Goes on after this track"
    case .consume:
      queue.isConsuming ? "Played tracks leave the queue" : "Played tracks stay in the queue"
    case .sleep: sleepText(at: now)
    case .alarm: alarmText
    case .lock: isLocked ? "The screen is locked" : "The screen is not locked"
    case .memo: isRecordingMemo ? "A voice memo is recorded" : "No voice memo is recorded"
    case .session: causesText(at: now)
    case .decision: lastDecision.map { Self.unstopped($0.spoken) } ?? "Nothing was decided yet"
    case .call: callText
    case .queue: queueText
    case .devices: devicesText
    case .meter: "Level meter: \(situation.isAudible ? "sound is heard" : "silence")"
    }
  }

  // MARK: What plays

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

  private func progressText(at now: SessionTime) -> String {
    let position = position(at: now)
    guard let length else { return "At \(TrackText.spoken(position))" }
    return "At \(TrackText.spoken(position)) of \(TrackText.spoken(length))"
  }

  private var formatText: String {
    let parts = TrackText.format(info)
    return parts.isEmpty ? "The format is not known" : parts.joined(separator: ", ")
  }

  private func chapterText(at now: SessionTime) -> String {
    guard let chapter = chapter(at: now) else { return "No chapters" }
    return "Chapter \(chapter.number) of \(chapter.count)"
      + (chapter.title.map { ", \($0)" } ?? "")
  }

  private func lyricsText(at now: SessionTime) -> String {
    guard let line = lyric(at: now) else { return "No lyrics" }
    return line.isEmpty ? "Lyrics pause" : line
  }

  // MARK: How loud it is

  private var volumeText: String {
    switch deviceLoudness {
    case .device(let percent, let isMuted):
      let name = deviceName.map { ", " + Text.printable($0) } ?? ""
      return (isMuted ? "Muted, volume \(percent) percent" : "Volume \(percent) percent") + name
    case .onDevice(let name): return "The volume is set on \(Text.printable(name))"
    case .ringer, .none: return "There is no device whose volume could change"
    }
  }

  private var muteText: String {
    if isStreamMuted { return "Muted by another program's mixer" }
    return isDeviceMuted || isOwnMuted ? "Muted" : "Not muted"
  }

  private var gainText: String {
    switch gainMode {
    case .off: return "ReplayGain off"
    case .track, .album:
      let gain = replayGain.map { ", \(TrackText.decibels($0, isSpoken: true))" } ?? ", no tags"
      return "ReplayGain of the \(gainMode.rawValue)\(gain)"
    }
  }

  // MARK: The queue

  private var queueText: String {
    let count = queue.entries.count
    if count == 0 { return "The queue is empty" }
    let time =
      queue.unknownDurations == 0
      ? ", \(TrackText.roughly(Double(queue.knownMilliseconds) / 1000))" : ""
    return "The queue has \(TrackText.count(count))\(time)"
  }

  private var repeatText: String {
    switch queue.repeatMode {
    case .off: "Repeat off"
    case .all: "Repeat all tracks"
    case .one: "Repeat this track"
    }
  }

  // MARK: The clock

  private func sleepText(at now: SessionTime) -> String {
    guard let sleepsAt, let minutes = sleepMinutes(at: now) else { return "No sleep timer" }
    // Whole minutes, and in the last of them seconds.
    let seconds = (sleepsAt - now).seconds.rounded(.up)
    let left = seconds < 60 ? max(1, seconds) : Double(minutes) * 60
    return "The sleep timer pauses in \(TrackText.spoken(left))"
  }

  private var alarmText: String {
    guard let alarm else { return "No alarm is set" }
    return alarm.isRinging
      ? "The alarm of \(alarm.time.clock) rings. Any key ends it"
      : "The alarm is set to \(alarm.time.text)"
  }

  // MARK: What is around

  private func causesText(at now: SessionTime) -> String {
    if causes.isEmpty { return "Nothing stands in the way" }
    return distinctCauses.map { CauseText($0, in: self, at: now).spoken }.joined(separator: "; ")
  }

  private static func unstopped(_ text: String) -> String {
    text.hasSuffix(".") ? String(text.dropLast()) : text
  }

  private var callText: String {
    guard let call else { return "No call" }
    let name = Text.printable(call.name)
    switch call.phase {
    case .ringing: return "A call rings: \(name). Press a to answer, d to decline"
    case .talking: return "In a call with \(name). Press d to hang up"
    }
  }

  private var devicesText: String {
    let names = devices.map { device in
      Text.printable(device.name) + (device.isCurrent ? ", in use" : "")
        + (device.isAvailable ? "" : ", not available")
    }
    return names.isEmpty ? "No devices" : names.joined(separator: "; ")
  }
}
