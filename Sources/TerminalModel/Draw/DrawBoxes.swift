import AudioSession
import AudioTypes
import PlayerState

extension Renderer {
  /// A frame over the middle of the view, with lines in it; says where each line is.
  private mutating func drawBox(_ title: String, _ lines: [[(String, Style)]], _ role: Role)
    -> [Area]
  {
    let room = layout.main
    let widest =
      lines.map { line in
        line.reduce(0) { $0 + canvas.columns($1.0, limit: 200) }
      }.max() ?? 0
    let columns = min(max(widest + 4, canvas.columns(title, limit: 60) + 6, 24), room.columns)
    let rows = min(lines.count + 2, room.rows)
    guard columns >= 8, rows >= 3 else { return [] }
    let box = Area(
      row: room.row + (room.rows - rows) / 2, column: room.column + (room.columns - columns) / 2,
      rows: rows, columns: columns)
    dropPictures(box)
    // A column of air beside it, so that no word runs into the frame.
    canvas.fill(
      Area(row: box.row, column: box.column - 1, rows: rows, columns: columns + 2), " ", self[.text]
    )
    let line = self[role]
    for column in box.column + 1..<box.end - 1 {
      canvas.put(glyphs.rule, 1, line, box.row, column)
      canvas.put(glyphs.rule, 1, line, box.row + rows - 1, column)
    }
    for row in box.row + 1..<box.row + rows - 1 {
      canvas.put(glyphs.frame[4], 1, line, row, box.column)
      canvas.put(glyphs.frame[4], 1, line, row, box.end - 1)
    }
    canvas.put(glyphs.frame[0], 1, line, box.row, box.column)
    canvas.put(glyphs.frame[1], 1, line, box.row, box.end - 1)
    canvas.put(glyphs.frame[2], 1, line, box.row + rows - 1, box.end - 1)
    canvas.put(glyphs.frame[3], 1, line, box.row + rows - 1, box.column)
    canvas.write(
      " \(title) ", Area(row: box.row, column: box.column + 2, rows: 1, columns: columns - 4),
      self[role == .frame ? .title : role])
    var places: [Area] = []
    for (index, pieces) in lines.prefix(rows - 2).enumerated() {
      let place = Area(
        row: box.row + 1 + index, column: box.column + 2, rows: 1, columns: columns - 4)
      canvas.write(pieces, place)
      places.append(place)
    }
    return places
  }

  /// A picture would lie over what is drawn here.
  private mutating func dropPictures(_ area: Area) {
    canvas.grid.pictures.removeAll { picture in
      picture.row < area.row + area.rows && area.row < picture.row + picture.rows
        && picture.column < area.end + 1 && area.column - 1 < picture.column + picture.columns
    }
  }

  /// A call that rings or lasts, and what can be done about it.
  mutating func drawCall() {
    guard let call = snapshot.call else { return }
    let actions = callActions(call)
    if layout.isTiny || layout.main.rows < 5 { return drawCallLine(call, actions) }
    var lines: [[(String, Style)]] = [[(call.name, self[.title])]]
    if call.isAnotherWaiting { lines.append([("another call is waiting", self[.warning])]) }
    lines.append([])
    lines.append(
      actions.flatMap { [($0.key, self[.key]), (" \($0.word)   ", self[.text])] })
    let age = CauseText.age((now - call.since).seconds)
    let title = call.phase == .ringing ? "A call comes in" : "In a call, \(age)"
    let places = drawBox(title, lines, .cause)
    guard places.count == lines.count, let place = places.last else { return }
    var column = place.column
    for action in actions {
      let columns = action.key.count + action.word.count + 1
      target(
        Area(row: place.row, column: column, rows: 1, columns: columns),
        .command(.attempt(action.trial)))
      column += columns + 3
    }
  }

  private func callActions(_ call: PlayerSnapshot.Call)
    -> [(key: String, word: String, trial: PlayerCommand.Trial)]
  {
    let wanted: [(PlayerCommand.Trial, String)] =
      call.phase == .ringing
      ? [(.answer, "answer"), (.decline, "decline")] : [(.decline, "hang up")]
    return wanted.map { trial, word in
      let key = style.keys.keys(for: .player(.attempt(trial)), in: .call).first ?? ":try"
      return (key, word, trial)
    }
  }

  /// In one row, where there is no room for a box: over the state.
  private mutating func drawCallLine(
    _ call: PlayerSnapshot.Call,
    _ actions: [(key: String, word: String, trial: PlayerCommand.Trial)]
  ) {
    let row = layout.isTiny ? min(2, layout.size.rows - 1) : layout.main.row
    let area = Area(
      row: row, column: layout.margin, rows: 1, columns: layout.size.columns - 2 * layout.margin)
    canvas.fill(area, " ", self[.text])
    let word = call.phase == .ringing ? "rings" : "call"
    var pieces = [("\(word)  ", self[.cause])]
    pieces += actions.flatMap { [($0.key, self[.key]), (" \($0.word)  ", self[.text])] }
    pieces.append((call.name, self[.title]))
    canvas.write(pieces, area)
  }

  /// What one can try, with its keys; where the lines do not fit, a word for each.
  mutating func drawMenu() {
    let entries = style.keys.bindings.filter { $0.place == .menu }
    let lines = entries.map { entry in
      [(entry.key.text, self[.key]), ("  \(entry.command.summary)", self[.text])]
    }
    guard !layout.isTiny, layout.main.rows >= lines.count + 2 else { return drawShortMenu(entries) }
    let places = drawBox("Try", lines, .frame)
    for (place, entry) in zip(places, entries) {
      if case .player(let command) = entry.command { target(place, .command(command)) }
    }
  }

  private mutating func drawShortMenu(_ entries: [KeyTable.Binding]) {
    let room =
      layout.isTiny
      ? Area(
        row: min(1, layout.size.rows - 1), column: 0, rows: max(layout.size.rows - 1, 1),
        columns: layout.size.columns) : layout.main
    let across = max(room.columns / (layout.isTiny ? 10 : 13), 1)
    let columns = room.columns / across
    let rows = (entries.count + across - 1) / across
    let hasTitle = rows < room.rows
    dropPictures(room)
    canvas.fill(
      Area(
        row: room.row, column: room.column, rows: min(rows + (hasTitle ? 2 : 0), room.rows),
        columns: room.columns), " ", self[.text])
    if hasTitle { canvas.write("Try", room, self[.title]) }
    let top = room.row + (hasTitle ? 1 : 0)
    let fits = (room.row + room.rows - top) * across
    for (index, entry) in entries.enumerated().prefix(fits) {
      let place = Area(
        row: top + index / across, column: room.column + index % across * columns, rows: 1,
        columns: columns - (index % across == across - 1 ? 0 : 1))
      let isCut = index == fits - 1 && entries.count > fits
      canvas.write(
        isCut
          ? [(String(glyphs.ellipsis), self[.faint])]
          : [(entry.key.text, self[.key]), (" " + Self.shortName(entry.command), self[.text])],
        place)
      if case .player(let command) = entry.command { target(place, .command(command)) }
    }
  }

  private static func shortName(_ command: ScreenCommand) -> String {
    if case .player(.attempt(let trial)) = command { return trial.rawValue }
    return command.text
  }

  // MARK: The smallest screens

  /// A line each of transport, title and state; what else is open takes the place of the last two.
  mutating func drawTiny() {
    let first = layout.now.line(0)
    let state = stateSign
    let clock = tinyClock
    let columns = canvas.columns(clock, limit: first.columns)
    canvas.write([(state.sign + " ", self[state.role]), (state.word, self[state.role])], first)
    if snapshot.entry != nil { canvas.write(clock, first, self[.text], .right) }
    target(first, .command(.toggle))
    // Where both do not fit, the time gives way to its shorter half.
    if state.sign.count + state.word.count + 2 + columns > first.columns {
      canvas.fill(first, " ", self[.text])
      canvas.write([(state.sign + " ", self[state.role]), (state.word, self[state.role])], first)
      let short = TrackText.clock(snapshot.position(at: now))
      if state.sign.count + state.word.count + 2 + short.count <= first.columns {
        canvas.write(short, first, self[.text], .right)
      }
    }
    if view.view == .playing {
      drawTinyTitle(layout.now.line(1))
      drawTinyState(layout.now.line(2))
      guard layout.main.rows > 0 else { return }
      if layout.main.rows >= 1 { drawSeekTiny(layout.main.line(0)) }
    } else {
      drawView(layout.main)
    }
  }

  private var tinyClock: String {
    let position = TrackText.clock(snapshot.position(at: now))
    guard let duration = snapshot.length else { return position }
    return "\(position)/\(TrackText.clock(duration))"
  }

  private mutating func drawTinyTitle(_ area: Area) {
    guard let entry = snapshot.entry else {
      canvas.write("Nothing to play yet", area, self[.faint])
      return
    }
    let artist = TrackText.artist(entry, snapshot.info)
    let rest = artist.map { [(" \(glyphs.dash) ", self[.faint]), ($0, self[.artist])] } ?? []
    canvas.write([(TrackText.title(entry, snapshot.info) ?? "", self[.title])] + rest, area)
  }

  /// What stands in the way, otherwise the loudness.
  private mutating func drawTinyState(_ area: Area) {
    if let first = causeLines.first {
      canvas.write(first, area, self[.cause])
    } else {
      canvas.write(loudnessLine, area, self[.text])
    }
  }

  private mutating func drawSeekTiny(_ area: Area) {
    guard let duration = snapshot.length, snapshot.entry != nil else { return }
    let part = min(max(snapshot.position(at: now).rounded(.down) / duration, 0), 1)
    let head = min(Int(part * Double(area.columns)), area.columns - 1)
    for column in 0..<area.columns {
      let character =
        column == head ? glyphs.head : column < head ? glyphs.barFull : glyphs.barEmpty
      canvas.put(
        character, 1, self[column <= head ? .bar : .barRest], area.row, area.column + column)
    }
    target(area, .seek)
  }

  /// The last row: the loudness while something stands in the way, otherwise the place in the
  /// queue.
  mutating func drawTinyBottom(_ area: Area) {
    guard view.view == .playing else { return }
    if !causeLines.isEmpty {
      canvas.write(loudnessLine, area, self[.faint])
    } else if let index = snapshot.index ?? snapshot.queue.current {
      canvas.write("track \(index + 1) of \(snapshot.queue.entries.count)", area, self[.faint])
    } else if !snapshot.queue.entries.isEmpty {
      canvas.write(TrackText.count(snapshot.queue.entries.count), area, self[.faint])
    }
  }

  var loudnessLine: String {
    switch snapshot.volumeTarget {
    case .device(let percent, let isMuted): isMuted ? "muted" : "volume \(percent) %"
    case .ringer(let percent): "ringer \(percent) %"
    case .onDevice(let name): "volume is set on \(Text.printable(name))"
    case .none: "no device"
    }
  }
}
