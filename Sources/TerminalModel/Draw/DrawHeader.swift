import AudioTypes
import PlayerState

extension Renderer {
  /// The views with their keys where there is room, otherwise the name of this one; at the right
  /// what it holds.
  mutating func drawHeader() {
    let area = layout.header
    let summary = summary
    let summaryColumns = canvas.columns(summary, limit: area.columns)
    let views = ScreenView.allCases
    let digits = style.settings.digits == .views
    let names = views.map { digits ? "\($0.rawValue) \($0.name)" : $0.name }
    let gap = area.columns >= 90 ? 3 : 2
    let needed = names.reduce(0) { $0 + $1.count + gap } - gap
    var column = area.column
    if needed <= area.columns {
      for (view, name) in zip(views, names) {
        let place = Area(row: area.row, column: column, rows: 1, columns: name.count)
        let isCurrent = view == self.view.view
        canvas.write(name, place, self[isCurrent ? .accent : .faint])
        target(place, .view(view))
        if !layout.headerRule.isEmpty {
          canvas.fill(
            Area(row: layout.headerRule.row, column: column, rows: 1, columns: name.count),
            isCurrent ? glyphs.thickRule : glyphs.rule, self[isCurrent ? .accent : .frame])
        }
        column += name.count + gap
      }
      drawRule(from: column - gap)
      if needed + 3 + summaryColumns <= area.columns {
        isSummaryDrawn = true
        canvas.write(
          summary, area.inset(left: needed + 3), self[.faint], .right)
      }
    } else {
      let name = names[self.view.view.rawValue - 1]
      column = canvas.write(name, area, self[.accent])
      if !layout.headerRule.isEmpty {
        canvas.fill(
          Area(
            row: layout.headerRule.row, column: area.column, rows: 1, columns: column - area.column),
          glyphs.thickRule, self[.accent])
      }
      drawRule(from: column)
      isSummaryDrawn = true
      let rest = Area(
        row: area.row, column: column + 2, rows: 1, columns: area.end - column - 2)
      if summaryColumns <= rest.columns { canvas.write(summary, rest, self[.faint], .right) }
    }
  }

  /// The rest of the line beneath the names; between them it goes on.
  private mutating func drawRule(from column: Int) {
    let rule = layout.headerRule
    guard !rule.isEmpty else { return }
    for place in rule.column..<rule.end where canvas.grid[rule.row, place].character == " " {
      canvas.put(glyphs.rule, 1, self[.frame], rule.row, place)
    }
  }

  /// What the view holds, in a few words.
  var summary: String {
    if let filter = view.filter, filter.view == view.view {
      let count = source.count(view.view)
      return "\(filter.rows.count) of \(count) with \"\(filter.text)\""
    }
    switch view.view {
    case .playing, .queue:
      let queue = snapshot.queue
      if queue.entries.isEmpty { return "" }
      let marked = view.marks.count
      var text = TrackText.count(queue.entries.count)
      if queue.unknownDurations == 0 {
        text += ", \(TrackText.roughly(Double(queue.knownMilliseconds) / 1000))"
      }
      return marked > 0 && view.view == .queue ? "\(marked) marked of \(text)" : text
    case .files, .lists:
      guard let listing = source.listing(view.view) else { return "" }
      let marked = listing.isPlaylist ? view.listMarks.count : view.fileMarks.count
      if marked > 0 { return "\(marked) marked" }
      return listing.path.isEmpty ? "" : Text.printable(listing.path)
    case .devices: return snapshot.devices.first.map { Text.printable($0.server) } ?? ""
    case .why:
      let count = snapshot.decisions.count
      return count == 1 ? "1 decision" : "\(count) decisions"
    case .help: return ""
    case .library: return librarySummary
    }
  }
}
