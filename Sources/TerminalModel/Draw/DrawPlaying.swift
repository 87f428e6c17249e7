import AudioSession
import AudioTypes
import PlayerState

extension Renderer {
  /// What is heard: the cover, who and what, the words, the sound itself; where there is room, what
  /// follows.
  mutating func drawPlaying(_ area: Area) {
    guard snapshot.entry != nil else { return drawEmpty(area, emptyQueue) }
    if hasNextBeside {
      let columns = layout.nextColumns
      drawNext(Area(row: area.row, column: area.end - columns, rows: area.rows, columns: columns))
    }
    if let cover = content.cover, hasCover(area) { drawCover(cover, layout.coverArea) }
    let left = wordsArea(area)
    let sound = soundRows(left)
    drawTrackText(left.inset(bottom: sound.total))
    drawSound(left.inset(top: left.rows - sound.total), sound)
  }

  /// Meter and spectrum alone, over what was drawn before.
  mutating func drawLevels(_ area: Area) {
    let left = wordsArea(area)
    let sound = soundRows(left)
    let place = left.inset(top: left.rows - sound.total)
    let ground = self[.text]
    canvas.fill(place, " ", ground.background == .terminal ? Style() : ground)
    drawSound(place, sound)
  }

  /// What is left beside what follows and the cover.
  private func wordsArea(_ area: Area) -> Area {
    let left = hasNextBeside ? area.inset(right: layout.nextColumns + 4) : area
    return hasCover(area) ? left.inset(left: layout.coverArea.columns + 3) : left
  }

  private func hasCover(_ area: Area) -> Bool {
    let left = hasNextBeside ? area.inset(right: layout.nextColumns + 4) : area
    let place = layout.coverArea
    return style.settings.showsCover && content.cover != nil && !place.isEmpty
      && place.columns < left.columns
  }

  private var hasNextBeside: Bool { layout.nextColumns > 0 }

  private mutating func drawCover(_ cover: Cover, _ place: Area) {
    // The middle of it, where it was made for another size.
    let rows = min(cover.rows, place.rows)
    let columns = min(cover.columns, place.columns)
    guard rows > 0, columns > 0 else { return }
    let (row, column) = (
      place.row + (place.rows - rows) / 2, place.column + (place.columns - columns) / 2
    )
    if let picture = cover.picture {
      canvas.grid.pictures.append(
        PicturePlace(id: picture, row: row, column: column, rows: rows, columns: columns))
    }
    guard cover.cells.count == cover.rows * cover.columns else { return }
    let top = (cover.rows - rows) / 2
    let start = (cover.columns - columns) / 2
    for line in 0..<rows {
      for place in 0..<columns {
        let cell = cover.cells[(top + line) * cover.columns + start + place]
        guard cell.width > 0 else { continue }
        // Thirty times a second: what pictures are made of needs no look at its width.
        if cell.width == 1, Self.isSymbol(cell.character) {
          canvas.put(cell.character, 1, cell.style, row + line, column + place)
          continue
        }
        guard let (character, width) = canvas.cut(String(cell.character), columns - place).first
        else { continue }
        canvas.put(character, width, cell.style, row + line, column + place)
      }
    }
  }

  /// ASCII, blocks and sextants, alone: a column wide wherever they can be shown.
  private static func isSymbol(_ character: Character) -> Bool {
    let scalars = character.unicodeScalars
    guard let scalar = scalars.first, scalars.index(after: scalars.startIndex) == scalars.endIndex
    else { return false }
    switch scalar.value {
    case 0x20..<0x7F, 0x2580...0x259F, 0x1FB00...0x1FB3B: return true
    default: return false
    }
  }

  // MARK: Text

  private mutating func drawTrackText(_ area: Area) {
    guard area.rows > 0 else { return }
    let info = snapshot.info
    var lines: [[(String, Style)]] = [
      [(TrackText.title(snapshot.entry, info) ?? "", self[.title])]
    ]
    if let artist = TrackText.artist(snapshot.entry, info) {
      lines.append([(artist, self[.artist])])
    }
    if let album = TrackText.album(info) { lines.append([(album, self[.faint])]) }
    let isRoomy = area.rows >= 8
    let facts = factLines(area.columns)
    if !facts.isEmpty {
      if isRoomy { lines.append([]) }
      lines += facts.map { [($0, self[.faint])] }
    }
    if let chapter = snapshot.chapter(at: now) {
      let title = chapter.title.map { ": \($0)" } ?? ""
      lines.append([("chapter \(chapter.number) of \(chapter.count)\(title)", self[.text])])
    }
    var row = 0
    for pieces in lines.prefix(area.rows) {
      canvas.write(pieces, area.line(row))
      row += 1
    }
    let rest = area.inset(top: row + (isRoomy ? 1 : 0))
    guard rest.rows > 0 else { return }
    if style.settings.lyrics, !snapshot.lyrics.isEmpty {
      drawLyrics(rest)
    } else if !hasNextBeside, rest.rows >= 3 {
      drawNext(rest)
    }
  }

  /// The format, and what becomes of it on the way out; in two lines where one is too narrow.
  private func factLines(_ columns: Int) -> [String] {
    let dot = " \(glyphs.dot) "
    let format = TrackText.format(snapshot.info).joined(separator: dot)
    let path = snapshot.info == nil ? "" : pathWords
    if path.isEmpty || format.isEmpty { return [format, path].filter { !$0.isEmpty } }
    let both = format + dot + path
    return canvas.columns(both, limit: columns + 1) <= columns ? [both] : [format, path]
  }

  /// Whether the samples are the file's own on their way out.
  private var pathWords: String {
    if snapshot.isUntouched { return "untouched" }
    guard let rate = snapshot.outputRate else { return "" }
    if rate == snapshot.info?.format.sampleRate { return "adapted" }
    return "adapted to \(TrackText.rate(rate))"
  }

  /// The words that are sung in the middle, those around them fainter.
  private mutating func drawLyrics(_ area: Area) {
    let lyrics = snapshot.lyrics
    guard !lyrics.isEmpty else { return }
    let isTimed = lyrics.contains { $0.start != nil }
    let current = snapshot.lyricIndex(at: now)
    let first =
      isTimed ? min(max((current ?? 0) - area.rows / 2, 0), max(lyrics.count - area.rows, 0)) : 0
    for line in 0..<area.rows where lyrics.indices.contains(first + line) {
      let isCurrent = first + line == current
      canvas.write(
        lyrics[first + line].text, area.line(line),
        self[isCurrent ? .accent : isTimed ? .faint : .text])
    }
  }

  // MARK: What follows

  private mutating func drawNext(_ area: Area) {
    isNextDrawn = true
    canvas.write("Next", area, self[.faint])
    let queue = snapshot.queue
    var lines: [Int] = []
    let stops = queue.isSingle || queue.stopsOnce
    if queue.isShuffled || queue.repeatMode == .one || stops {
      // Only the next one is promised here: the order beyond it is nobody's to read.
      if let next = queue.indexAfterCurrent { lines = [next] }
    } else if let first = queue.indexAfterCurrent {
      lines = Array(first..<min(first + area.rows - 1, queue.entries.count))
    }
    if lines.isEmpty {
      canvas.write(
        stops ? "stops after this track" : "the queue ends here", area.line(1),
        self[.faint])
    }
    for (offset, index) in lines.prefix(area.rows - 1).enumerated() {
      let entry = queue.entries[index]
      let line = area.line(offset + 1)
      let time = entry.duration.map(TrackText.clock) ?? ""
      canvas.write(time, line, self[.faint], .right)
      let artist = TrackText.artist(entry).map {
        [(" \(glyphs.dash) ", self[.faint]), ($0, self[.faint])]
      }
      canvas.write(
        [(TrackText.title(entry) ?? "", self[.text])] + (artist ?? []), line.inset(right: 9))
      target(line, .command(.choose(index)))
    }
  }

  // MARK: Sound

  private func soundRows(_ area: Area) -> (spectrum: Int, meter: Int, total: Int) {
    guard area.rows >= 10, area.columns >= 20 else { return (0, 0, 0) }
    let meter = style.settings.meter ? min(content.levels.count, 2) : 0
    let hasSpectrum =
      style.settings.spectrum && !content.spectrum.isEmpty && !glyphs.heights.isEmpty
    let spectrum = hasSpectrum ? min(max(area.rows - 8 - meter, 0) / 2, 8) : 0
    return (spectrum, meter, spectrum + meter)
  }

  private mutating func drawSound(_ area: Area, _ rows: (spectrum: Int, meter: Int, total: Int)) {
    if rows.spectrum > 0 {
      drawSpectrum(
        Area(row: area.row, column: area.column, rows: rows.spectrum, columns: area.columns))
    }
    for channel in 0..<rows.meter {
      drawLevel(channel, of: rows.meter, area.line(rows.spectrum + channel))
    }
  }

  private mutating func drawSpectrum(_ area: Area) {
    let bands = content.spectrum
    // A band takes two columns and a gap where there is room.
    let columns = area.columns >= bands.count * 3 ? 3 : area.columns >= bands.count * 2 ? 2 : 1
    let steps = glyphs.heights.count
    for (band, value) in bands.prefix(area.columns / columns).enumerated() {
      let part = value.isFinite ? min(max(value, 0), 1) : 0
      let height = Int((part * Float(area.rows * steps)).rounded())
      for line in 0..<area.rows {
        let filled = height - line * steps
        guard filled > 0 else { break }
        for column in 0..<max(columns - 1, 1) {
          canvas.put(
            glyphs.heights[min(filled, steps) - 1], 1, self[.bar], area.row + area.rows - 1 - line,
            area.column + band * columns + column)
        }
      }
    }
  }

  /// From -60 dB to full scale.
  private mutating func drawLevel(_ channel: Int, of count: Int, _ area: Area) {
    let level = content.levels[channel]
    let decibels = level.isNaN ? -60 : min(max(level, -60), 0)
    let label = count == 1 ? "level" : channel == 0 ? "left " : "right"
    canvas.write(label, area, self[.faint])
    let bar = area.inset(left: 6, right: 8)
    let full = Int((decibels + 60) / 60 * Float(bar.columns))
    for column in 0..<bar.columns {
      let isFull = column < full
      canvas.put(
        isFull ? glyphs.barFull : glyphs.barEmpty, 1, self[isFull ? .bar : .barRest], bar.row,
        bar.column + column)
    }
    canvas.write("\(Int(decibels.rounded())) dB", area, self[.faint], .right)
  }
}
