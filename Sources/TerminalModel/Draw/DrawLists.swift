import AudioSession
import AudioTypes
import PlayerState

extension Renderer {
  // MARK: Queue

  mutating func drawQueue(_ area: Area) {
    let queue = snapshot.queue
    if queue.entries.isEmpty { return drawEmpty(area, emptyQueue) }
    let numbers = "\(queue.entries.count)".count
    drawList(area, empty: ["No track holds these words", "escape shows all again"]) {
      renderer, index, area, _ in
      renderer.drawTrack(index, area, numbers)
    }
  }

  var emptyQueue: [String] {
    let keys = style.keys
    var lines = ["Nothing to play yet", ""]
    if let key = keys.keys(for: .view(.view(.files))).first {
      lines.append("\(key) shows your files")
    }
    if let key = keys.keys(for: .view(.view(.library))).first {
      lines.append("\(key) shows your collection")
    }
    if let key = keys.keys(for: .view(.command(""))).first {
      lines.append("\(key)add PATH puts files into the queue")
    }
    if let key = keys.keys(for: .view(.view(.help))).last { lines.append("\(key) shows all keys") }
    return lines
  }

  /// Mark, state, number, title, artist, time. Columns go as the room does.
  private mutating func drawTrack(_ index: Int, _ area: Area, _ numbers: Int) {
    let queue = snapshot.queue
    let entry = queue.entries[index]
    let isCurrent = index == (snapshot.index ?? queue.current)
    let isMarked = view.marks.contains(queue.ids[index])
    if isMarked { canvas.write(String(glyphs.mark), area, self[.marked]) }
    var left = area.inset(left: 1)
    let sign = stateSign
    if isCurrent { canvas.write(sign.sign, left, self[sign.role]) }
    left = left.inset(left: 3)
    if area.columns >= 50 {
      canvas.write(
        "\(index + 1)", Area(row: left.row, column: left.column, rows: 1, columns: numbers),
        self[.faint], .right)
      left = left.inset(left: numbers + 2)
    }
    let heard = isCurrent ? snapshot.length : entry.duration
    let time = heard.map(TrackText.clock) ?? ""
    if area.columns >= 34 {
      canvas.write(time, left, self[.faint], .right)
      left = left.inset(right: 9)
    }
    let info = isCurrent ? snapshot.info : nil
    let title = TrackText.title(entry, info) ?? ""
    let artist = TrackText.artist(entry, info)
    let role: Role = isMarked ? .marked : isCurrent ? .accent : .text
    if left.columns >= 44 {
      let titleColumns = left.columns * 3 / 5
      canvas.write(
        title, Area(row: left.row, column: left.column, rows: 1, columns: titleColumns - 2),
        self[role])
      canvas.write(
        artist ?? "", left.inset(left: titleColumns), self[isCurrent ? .accent : .artist])
    } else {
      let pieces = artist.map { [(" \(glyphs.dash) ", self[.faint]), ($0, self[.artist])] } ?? []
      canvas.write([(title, self[role])] + pieces, left)
    }
  }

  // MARK: Files and playlists

  mutating func drawListing(_ area: Area) {
    guard let listing = source.listing(view.view) else { return }
    let isFiles = view.view == .files
    var empty = [isFiles ? "This folder is empty" : "No playlists yet"]
    if let fault = listing.fault { empty = [fault] }
    if view.filter?.view == view.view {
      empty = ["Nothing holds these words", "escape shows all again"]
    }
    if listing.isPlaylist, listing.fault == nil, view.filter == nil {
      empty = ["This playlist is empty"]
    } else if !isFiles, listing.fault == nil,
      let key = style.keys.keys(for: .view(.command(""))).first
    {
      empty.append("\(key)save NAME makes one of the queue")
    }
    let marks = view.fileMarks
    let listMarks = listing.isPlaylist ? view.listMarks : nil
    drawList(area, empty: empty) { renderer, index, area, _ in
      let row = listing.rows[index]
      let isMarked = listMarks?.contains(index) ?? marks.contains(row.path)
      if isMarked { renderer.canvas.write(String(renderer.glyphs.mark), area, renderer[.marked]) }
      var left = area.inset(left: 2)
      // What is missing is told on the narrowest screen too.
      let detail = row.isMissing ? "missing" : row.detail
      if !detail.isEmpty, area.columns >= 40 || row.isMissing {
        renderer.canvas.write(detail, left, renderer[row.isMissing ? .warning : .faint], .right)
        left = left.inset(right: renderer.canvas.columns(detail, limit: 30) + 2)
      }
      let role: Role =
        isMarked ? .marked : row.isMissing ? .faint : row.kind == .file ? .text : .accent
      let name = row.kind == .folder ? row.name + renderer.glyphs.folder : row.name
      renderer.canvas.write(name, left, renderer[role])
    }
  }

  // MARK: Devices

  mutating func drawDevices(_ area: Area) {
    let devices = snapshot.devices
    drawList(area, empty: ["No output device is known"]) { renderer, index, area, _ in
      let device = devices[index]
      let role: Role = device.isCurrent ? .accent : device.isAvailable ? .text : .faint
      let sign = device.isCurrent ? renderer.glyphs.inUse : renderer.glyphs.notInUse
      renderer.canvas.write(String(sign), area.inset(left: 1), renderer[role])
      var left = area.inset(left: 3)
      let state = device.isCurrent ? "in use" : device.isAvailable ? "" : "not available"
      let words = [renderer.layout.size.columns >= 60 ? Self.words(device.routeClass) : "", state]
        .filter { !$0.isEmpty }.joined(separator: ", ")
      renderer.canvas.write(words, left, renderer[.faint], .right)
      let used = renderer.canvas.columns(words, limit: left.columns)
      left = left.inset(right: used == 0 ? 0 : used + 2)
      renderer.canvas.write(device.name, left, renderer[role])
    }
  }

  private static func words(_ routeClass: RouteClass) -> String {
    switch routeClass {
    case .private: "only you hear it"
    case .external: "external"
    case .speaker: "speakers"
    case .network: "over the network"
    }
  }

  // MARK: Decisions

  mutating func drawDecisions(_ area: Area) {
    let list = area.inset(bottom: layout.isTiny ? 0 : layout.main.rows - layout.listArea(.why).rows)
    drawList(list, empty: ["Nothing was decided yet"]) { renderer, index, area, _ in
      guard let decision = renderer.source.decision(index) else { return }
      var left = area.inset(left: 1)
      if area.columns >= 34 {
        let age = CauseText.age((renderer.now - decision.at).seconds)
        renderer.canvas.write(
          age, Area(row: left.row, column: left.column, rows: 1, columns: 8), renderer[.faint],
          .right)
        left = left.inset(left: 10)
      }
      let rules = decision.rules.all.map(\.id).joined(separator: " ")
      let columns = renderer.canvas.columns(rules, limit: 24)
      if area.columns >= 60 {
        renderer.canvas.write(
          rules, Area(row: left.row, column: left.end - columns, rows: 1, columns: columns),
          renderer[.faint])
        left = left.inset(right: columns + 2)
      }
      renderer.canvas.write(decision.sentence, left, renderer[.text])
    }
    if list.rows < area.rows { drawDecision(area.inset(top: list.rows)) }
  }

  /// The selected decision whole: its cause, its rules in words, and what can be left out.
  private mutating func drawDecision(_ area: Area) {
    guard let decision = source.decision(view.row(view.position.selected)) else { return }
    canvas.fill(area.line(0), glyphs.rule, self[.frame])
    canvas.write(decision.spoken, area.line(1), self[.title])
    var line = 2
    for rule in decision.rules.all.prefix(max(area.rows - 3, 0)) {
      canvas.write([(rule.id, self[.key]), ("  \(rule.sentence)", self[.text])], area.line(line))
      line += 1
    }
    var last = "because of: \(decision.trigger.name)"
    if let program = decision.program {
      last = "because of \(Text.printable(program)), \(decision.trigger.name)"
      if let key = style.keys.keys(for: .view(.ignoreRow), in: .why).first {
        last += " \(glyphs.dash) \(key) leaves it out from now on"
      }
    }
    canvas.write(last, area.line(area.rows - 1), self[.faint])
  }

  // MARK: Help

  mutating func drawHelp(_ area: Area) {
    let rows = source.help
    let keyColumns = min(
      rows.map { canvas.columns($0.keys, limit: 30) }.max() ?? 0, area.columns / 3)
    drawList(area, empty: ["No key does anything with these words"]) { renderer, index, area, _ in
      let row = rows[index]
      let left = area.inset(left: 1)
      if row.isHeading {
        renderer.canvas.write(row.text, left, renderer[.title])
      } else {
        renderer.canvas.write(
          row.keys, Area(row: left.row, column: left.column, rows: 1, columns: keyColumns),
          renderer[.key])
        renderer.canvas.write(row.text, left.inset(left: keyColumns + 2), renderer[.text])
      }
    }
  }
}
