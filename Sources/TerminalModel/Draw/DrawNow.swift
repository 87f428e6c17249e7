import AudioSession
import AudioTypes
import PlayerState

extension Renderer {
  /// The sign of the state, and its word.
  var stateSign: (sign: String, word: String, role: Role) {
    let isWide = layout.size.columns >= 80
    switch snapshot.situation.display {
    case .stopped: return (glyphs.stopped, "stopped", .faint)
    case .playing: return (glyphs.playing, "playing", .accent)
    case .ducked: return (glyphs.playing, isWide ? "playing quietly" : "quiet", .accent)
    case .interrupted: return (glyphs.interrupted, "interrupted", .cause)
    case .paused: return (glyphs.paused, "paused", .warning)
    }
  }

  /// State and title, the seek bar, the volume.
  mutating func drawNow() {
    let area = layout.now
    drawState(area.line(0))
    if area.rows == 2 {
      drawSeek(area.line(1), bars: area.line(1))
    } else {
      let bars = Area(
        row: area.row + 1, column: area.column, rows: area.rows - 2, columns: area.columns)
      drawSeek(area.line(area.rows - 2), bars: bars)
      drawLoudness(area.line(area.rows - 1))
    }
  }

  private mutating func drawState(_ area: Area) {
    let state = stateSign
    let signColumns = layout.size.columns >= 80 ? 19 : layout.size.columns >= 40 ? 15 : 0
    // The title matters more than the words for shuffle and repeat.
    var modes = modes(isShort: false)
    if canvas.columns(modes, limit: area.columns) + signColumns + 22 > area.columns {
      modes = self.modes(isShort: true)
    }
    let modesColumns = canvas.columns(modes, limit: area.columns)
    var column = canvas.write(
      [(state.sign, self[state.role]), (" " + state.word, self[state.role])], area)
    target(
      Area(row: area.row, column: area.column, rows: 1, columns: column - area.column),
      .command(.toggle))
    column = max(column + 2, area.column + signColumns)
    let end = modes.isEmpty ? area.end : area.end - modesColumns - 2
    guard !modes.isEmpty, end - column >= 8 else {
      canvas.write(
        nowText, Area(row: area.row, column: column, rows: 1, columns: area.end - column))
      return
    }
    canvas.write(nowText, Area(row: area.row, column: column, rows: 1, columns: end - column))
    canvas.write(
      modes,
      Area(row: area.row, column: max(column, end), rows: 1, columns: area.end - max(column, end)),
      self[.accent], .right)
  }

  /// The title; where the view tells it already, the place in the queue and what follows.
  private var nowText: [(String, Style)] {
    // What was removed from the queue is heard to its end.
    let entry = snapshot.entry
    if entry == nil, snapshot.info == nil { return [("nothing to play", self[.faint])] }
    let hasTitleAbove = view.view == .playing && layout.main.rows >= 3
    if !hasTitleAbove {
      let artist = TrackText.artist(entry, snapshot.info)
      return [(TrackText.title(entry, snapshot.info) ?? "a track", self[.title])]
        + (artist.map { [(" \(glyphs.dash) ", self[.faint]), ($0, self[.artist])] } ?? [])
    }
    var pieces: [(String, Style)] = []
    if let index = snapshot.index ?? snapshot.queue.current {
      pieces.append(("track \(index + 1) of \(snapshot.queue.entries.count)", self[.text]))
    }
    if !isNextDrawn, let next = snapshot.queue.indexAfterCurrent, next != snapshot.queue.current {
      let title = TrackText.title(snapshot.queue.entries[next]) ?? ""
      pieces.append((", then \(title)", self[.faint]))
    }
    return pieces
  }

  /// What is on of shuffle, repeat and what else decides on the tracks that follow; and how long it
  /// is until the sleep timer pauses.
  private func modes(isShort: Bool) -> String {
    var words: [String] = []
    switch snapshot.queue.shuffleUnit {
    case nil: break
    case .track: words.append(isShort ? "shuf" : "shuffle")
    case .album: words.append(isShort ? "shuf alb" : "shuffle albums")
    }
    switch snapshot.queue.repeatMode {
    case .off: break
    case .all: words.append(isShort ? "rep" : "repeat all")
    case .one: words.append(isShort ? "rep 1" : "repeat one")
    }
    if snapshot.queue.isSingle { words.append(isShort ? "sing" : "single") }
    if snapshot.queue.stopsOnce { words.append(isShort ? "stop" : "stop after") }
    if snapshot.queue.isConsuming { words.append(isShort ? "cons" : "consume") }
    if let minutes = snapshot.sleepMinutes(at: now) {
      words.append(isShort ? "zz \(minutes)" : "sleep \(minutes) min")
    }
    if let alarm = snapshot.alarm {
      words.append((isShort ? "al " : "alarm ") + alarm.time.clock)
    }
    return words.joined(separator: isShort ? " " : " \(glyphs.dot) ")
  }

  // MARK: Seek bar

  /// Elapsed, the bar, remaining. The bar may be higher than the line of the times.
  private mutating func drawSeek(_ line: Area, bars: Area) {
    // The bar begins where that of the volume does. In full seconds: both times and the head move at once, and nothing moves between them.
    let position = snapshot.position(at: now).rounded(.down)
    let duration = snapshot.length
    let isLong = (duration ?? position) >= 3600
    let times = isLong ? 8 : 6
    let elapsed = snapshot.entry == nil ? "" : TrackText.clock(position)
    canvas.write(
      elapsed, Area(row: line.row, column: line.column, rows: 1, columns: times), self[.text])
    let remaining = duration.map { "-" + TrackText.clock($0.rounded(.down) - position) } ?? ""
    canvas.write(
      remaining, Area(row: line.row, column: line.end - times, rows: 1, columns: times),
      self[.faint], .right)
    let bar = Area(
      row: bars.row, column: line.column + times + 1, rows: bars.rows,
      columns: line.columns - 2 * times - 2)
    guard bar.columns >= 4 else { return }
    target(bar, .seek)
    let part = duration.map { min(position / $0, 1) } ?? 0
    let hasTrack = snapshot.entry != nil && snapshot.situation.display != .stopped
    let head = hasTrack ? min(Int(part * Double(bar.columns)), bar.columns - 1) : -1
    if style.settings.waveform, !glyphs.heights.isEmpty, snapshot.peaks.count >= 2,
      snapshot.entry != nil
    {
      drawWaveform(bar, head: head)
    } else {
      drawPlainBar(
        Area(row: line.row, column: bar.column, rows: 1, columns: bar.columns), head: head)
    }
    drawChapters(
      Area(row: line.row, column: bar.column, rows: 1, columns: bar.columns), duration, head: head)
  }

  private mutating func drawPlainBar(_ bar: Area, head: Int) {
    for column in 0..<bar.columns {
      let isHeard = column < head
      let character = column == head ? glyphs.head : isHeard ? glyphs.barFull : glyphs.barEmpty
      let role: Role = column == head ? .accent : isHeard ? .bar : .barRest
      canvas.put(character, 1, self[role], bar.row, bar.column + column)
    }
  }

  /// One or more rows of cells, each of eight steps. Heard and unheard differ by colour, and the
  /// head stands between them.
  private mutating func drawWaveform(_ bar: Area, head: Int) {
    let peaks = snapshot.peaks
    let steps = glyphs.heights.count
    for column in 0..<bar.columns {
      let from = column * peaks.count / bar.columns
      let to = max((column + 1) * peaks.count / bar.columns, from + 1)
      let peak = peaks[from..<min(to, peaks.count)].max() ?? 0
      // At least one step, so that the bar has no holes.
      let height = max(1, (Int(peak) * bar.rows * steps + 127) / 255)
      let role: Role = column == head ? .accent : column < head ? .bar : .barRest
      for line in 0..<bar.rows {
        let filled = height - line * steps
        let row = bar.row + bar.rows - 1 - line
        if column == head {
          canvas.put(glyphs.head, 1, self[role], row, bar.column + column)
        } else if filled > 0 {
          let character = glyphs.heights[min(filled, steps) - 1]
          canvas.put(character, 1, self[role], row, bar.column + column)
        }
      }
    }
  }

  /// Where chapters begin; the first one is the beginning itself.
  private mutating func drawChapters(_ bar: Area, _ duration: Double?, head: Int) {
    guard let duration, duration > 0, let chapters = snapshot.info?.chapters, chapters.count > 1
    else { return }
    // More marks than every fourth column say nothing.
    guard chapters.count <= bar.columns / 4 else { return }
    for chapter in chapters where chapter.start > 0 && chapter.start < duration {
      let column = Int(chapter.start / duration * Double(bar.columns))
      if column != head, (0..<bar.columns).contains(column) {
        canvas.put(
          glyphs.chapter, 1, self[column < head ? .bar : .faint], bar.row, bar.column + column)
      }
    }
  }

  // MARK: Loudness

  /// What the volume keys mean, as a bar or in words; beside it what else changes the loudness.
  private mutating func drawLoudness(_ area: Area) {
    let extra = loudnessWords.joined(separator: " \(glyphs.dot) ")
    let extraColumns = canvas.columns(extra, limit: area.columns)
    var room = area
    if !extra.isEmpty, extraColumns + 24 <= area.columns {
      canvas.write(extra, area, self[.faint], .right)
      room = area.inset(right: extraColumns + 2)
    }
    switch snapshot.volumeTarget {
    case .device(let percent, let isMuted):
      let name = snapshot.deviceName ?? snapshot.route?.name ?? ""
      drawVolume(
        room, "volume", percent, isMuted ? "muted" : nil, name, .volume)
    case .ringer(let percent):
      drawVolume(room, "ringer", percent, nil, deviceWords, .ringer)
    case .onDevice(let name): canvas.write("volume is set on \(name)", room, self[.text])
    case .none: canvas.write("no device", room, self[.warning])
    }
  }

  private mutating func drawVolume(
    _ area: Area, _ label: String, _ percent: Int, _ state: String?, _ name: String,
    _ target: Target
  ) {
    let shown = min(max(percent, 0), 999)
    let columns = min(area.columns >= 90 ? 20 : area.columns / 4, 20)
    let nameColumns = min(canvas.columns(name, limit: 60), 12)
    var column = canvas.write(label, area, self[.text]) + 1
    if columns >= 6 {
      let bar = Area(row: area.row, column: column, rows: 1, columns: columns)
      let full = min(shown, 100) * columns / 100
      for place in 0..<columns {
        let isFull = place < full && state == nil
        canvas.put(
          isFull ? glyphs.barFull : glyphs.barEmpty, 1, self[isFull ? .bar : .barRest], bar.row,
          bar.column + place)
      }
      self.target(bar, target)
      column = bar.end + 1
    }
    let number = shown < 10 ? "  \(shown)" : shown < 100 ? " \(shown)" : "\(shown)"
    column = canvas.write(
      "\(number) %" + (state.map { " \($0)" } ?? ""),
      Area(row: area.row, column: column, rows: 1, columns: area.end - column),
      self[state == nil ? .text : .warning])
    guard !name.isEmpty, area.end - column - 2 >= nameColumns else { return }
    canvas.write(
      name, Area(row: area.row, column: column + 2, rows: 1, columns: area.end - column - 2),
      self[.faint])
  }

  /// The device beside the ringer.
  private var deviceWords: String {
    switch snapshot.deviceLoudness {
    case .device(let percent, let isMuted):
      "\(snapshot.deviceName ?? snapshot.route?.name ?? "device") \(isMuted ? "muted" : "\(percent) %")"
    case .onDevice(let name): name
    case .ringer, .none: "no device"
    }
  }

  private var loudnessWords: [String] {
    var words: [String] = []
    if snapshot.isOwnMuted { words.append("sotto muted") }
    if snapshot.isDeviceSuspended { words.append("device suspended") }
    if snapshot.isStreamMuted { words.append("muted in the mixer") }
    if snapshot.level != 100 { words.append("level \(snapshot.level) %") }
    if let gain = snapshot.replayGain, snapshot.gainMode != .off {
      words.append("ReplayGain \(TrackText.decibels(gain))")
    }
    if snapshot.isSilent { words.append("silent mode") }
    if snapshot.isLocked { words.append("locked") }
    if snapshot.isRecordingMemo { words.append("recording") }
    return words
  }
}
