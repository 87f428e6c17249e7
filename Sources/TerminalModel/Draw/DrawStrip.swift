import AudioSession
import AudioTypes
import PlayerState

extension Renderer {
  /// Why it is paused, when that was not the user: it stays said until it plays again. For more room
  /// and for less.
  static func pauseLines(_ snapshot: PlayerSnapshot, dash: String) -> [String]? {
    guard let cause = snapshot.situation.intent.cause else { return nil }
    let play = " \(dash) press play to go on"
    switch cause {
    case .user: return nil
    case .noisy:
      return ["Paused, the device went away" + play, "the device went away", "device gone"]
    case .primary:
      // The other player has a line of its own while it plays.
      if snapshot.causes.contains(where: { $0.kind == .primary }) { return nil }
      return ["Paused, another player took over" + play, "another player", "other player"]
    case .denied:
      return [
        "Paused, the interruption ended without leave to go on" + play,
        "Paused, without leave to go on", "not to go on",
      ]
    case .sleep:
      return ["Paused, the computer slept" + play, "the computer slept", "slept"]
    case .timer:
      return ["Paused, the sleep timer has run out" + play, "the sleep timer", "sleep timer"]
    case .error:
      return [
        "Paused, no track could be played \(dash) choose another one", "no track could be played",
        "not playable",
      ]
    }
  }

  /// The lines that say what stands in the way, most important first.
  var causeLines: [String] {
    var lines: [String] = []
    let room = layout.size.columns - 2 * layout.margin
    func fitting(_ variants: [String]) -> String {
      variants.first { canvas.columns($0, limit: room + 1) <= room } ?? variants.last ?? ""
    }
    if let pause = Self.pauseLines(snapshot, dash: glyphs.dash) { lines.append(fitting(pause)) }
    let suppressing = snapshot.distinctCauses.filter { $0.kind != .duck }
    let ducks = snapshot.causes.filter { $0.kind == .duck }
    for blocker in suppressing + ducks {
      var line = fitting(
        CauseText(blocker, in: snapshot, at: now).lines(dash: glyphs.dash))
      if blocker.kind == .duck, let gain = snapshot.duckedGain, snapshot.situation.isAudible {
        line += ", music at \(TrackText.decibels(gain))"
      }
      lines.append(line)
    }
    return lines
  }

  /// Causes, and beneath them the last decision in words with its rules.
  mutating func drawStrip() {
    drawStripRule()
    let area = layout.strip
    guard area.rows > 0 else { return }
    let lines = causeLines
    if area.rows == 1 {
      if let first = lines.first {
        drawCause(area, first + (lines.count > 1 ? " (+\(lines.count - 1))" : ""))
      } else {
        drawDecision(area)
      }
      return
    }
    let room = area.rows - 1
    for (index, text) in lines.prefix(room).enumerated() {
      let isLast = index == room - 1 && lines.count > room
      drawCause(area.line(index), text + (isLast ? " (+\(lines.count - room))" : ""))
    }
    drawDecision(area.line(area.rows - 1))
  }

  /// What the view holds stands in the line where the header has no room for it.
  private mutating func drawStripRule() {
    let rule = layout.stripRule
    canvas.fill(rule, glyphs.rule, self[.frame])
    guard !rule.isEmpty, !isSummaryDrawn, !summary.isEmpty else { return }
    let text = " \(summary) "
    let columns = canvas.columns(text, limit: rule.columns)
    guard columns + 4 <= rule.columns else {
      // What is wrong with a search is told as far as there is room.
      if view.view == .library, content.library.problem != nil {
        canvas.write(text, rule.inset(left: 2), self[.faint])
      }
      return
    }
    canvas.write(text, rule.inset(left: rule.columns - columns - 2), self[.faint])
  }

  private mutating func drawCause(_ area: Area, _ text: String) {
    canvas.write(text, area, self[.cause])
  }

  private mutating func drawDecision(_ area: Area) {
    guard let decision = snapshot.lastDecision else { return }
    let rules = decision.rules.all.map(\.id).joined(separator: " ")
    let rulesColumns = canvas.columns(rules, limit: area.columns)
    let sentenceColumns = canvas.columns(decision.sentence, limit: area.columns)
    let hasRoom = sentenceColumns + rulesColumns + 4 <= area.columns
    canvas.write(decision.sentence, area, self[.faint])
    if hasRoom { canvas.write(rules, area, self[.faint], .right) }
    target(area, .view(.why))
  }

  // MARK: The last row

  /// What is typed, or what there is to say, or which keys there are.
  mutating func drawBottom() {
    let area = layout.bottom
    if let prompt = view.prompt { return drawPrompt(prompt.line, ":", prompt) }
    if let filter = view.filter, filter.isTyping {
      return drawPrompt(LineEditor(filter.text), "/", nil)
    }
    if view.isSearching, let search = view.library.search {
      return drawPrompt(search.line, "/", nil)
    }
    guard !area.isEmpty else { return }
    // In the smallest lists a row lies beneath it.
    if layout.isTiny, view.view != .playing, hasSaying {
      canvas.fill(area, " ", self[.text])
    }
    if let message = view.message {
      canvas.write(message.text, area, self[message.isFault ? .error : .text])
    } else if let notice = snapshot.notice, (now - notice.at).seconds < Self.noticeSeconds(notice) {
      canvas.write(notice.text, area, self[notice.isFault ? .error : .text])
    } else if let count = view.count {
      canvas.write("\(count)", area, self[.prompt])
    } else if layout.isTiny {
      drawTinyBottom(area)
    } else if layout.strip.rows == 0 {
      // No row of its own for what stands in the way, and none for the loudness.
      if let cause = causeLines.first {
        canvas.write(cause, area, self[.cause])
      } else {
        canvas.write(loudnessLine, area, self[.text])
      }
    } else {
      drawHints(area)
    }
  }

  private var hasSaying: Bool {
    if view.message != nil || view.count != nil { return true }
    return snapshot.notice.map { (now - $0.at).seconds < Self.noticeSeconds($0) } ?? false
  }

  static func noticeSeconds(_ notice: PlayerSnapshot.Notice) -> Double {
    notice.isFault ? 15 : 5
  }

  /// A few keys, from the table: as many as are seen whole.
  private mutating func drawHints(_ area: Area) {
    let isLibrary = view.view == .library
    let wanted: [(ScreenCommand, String)] = [
      (.view(.view(.help)), "help"), (.view(.command("")), "command"),
      isLibrary ? (.view(.search("")), "search") : (.view(.filter), "filter"),
      (.view(.menu), "try"), (.player(.undo), "undo"), (.player(.quit), "quit"),
    ]
    var column = area.column
    for (command, word) in wanted {
      let own = style.keys.keys(for: command, in: KeyTable.Place(view.view)).last
      guard let key = own ?? style.keys.keys(for: command).last else { continue }
      var text = word
      if command == .player(.undo) {
        guard let edit = snapshot.queue.undoable else { continue }
        text = "undo: \(edit.sentence)"
      }
      let columns = canvas.columns(key, limit: 20) + 1 + canvas.columns(text, limit: 60)
      guard column + columns <= area.end else { continue }
      canvas.write(
        [(key, self[.key]), (" " + text, self[.faint])],
        Area(row: area.row, column: column, rows: 1, columns: columns))
      column += columns + 3
    }
  }

  /// A line that is typed: the part around the cursor, where it is longer than the row.
  private mutating func drawPrompt(_ line: LineEditor, _ sign: String, _ prompt: ViewState.Prompt?)
  {
    let area =
      layout.bottom.isEmpty
      ? Area(row: layout.size.rows - 1, column: 0, rows: 1, columns: layout.size.columns)
      : layout.bottom
    canvas.fill(area, " ", self[.text])
    let start = canvas.write(sign, area, self[.prompt])
    let room = area.end - start - 1
    guard room > 0 else { return }
    // From the left while the cursor is seen, otherwise as far as the cursor needs.
    var first = 0
    var used = 0
    for index in 0..<line.cursor {
      used += max(canvas.columns(String(line.characters[index]), limit: 2), 0)
      while used > room {
        used -= canvas.columns(String(line.characters[first]), limit: 2)
        first += 1
      }
    }
    canvas.write(
      String(line.characters[first...]),
      Area(row: area.row, column: start, rows: 1, columns: area.end - start), self[.text])
    canvas.grid.cursor = Grid.Position(row: area.row, column: min(start + used, area.end - 1))
    if let prompt, prompt.completions.count > 1, area.row > 0, !layout.isTiny {
      drawCompletions(
        prompt, Area(row: area.row - 1, column: area.column, rows: 1, columns: area.columns))
    }
  }

  private mutating func drawCompletions(_ prompt: ViewState.Prompt, _ area: Area) {
    canvas.fill(area, " ", self[.text])
    let chosen = prompt.completion ?? 0
    let texts = prompt.completions.map { line in
      line.split(separator: " ", omittingEmptySubsequences: true).last.map(String.init) ?? line
    }
    // The chosen one is always among those that are seen.
    var first = 0
    var width = 0
    for index in 0...chosen {
      width += canvas.columns(texts[index], limit: area.columns) + 2
      while width > area.columns, first < index {
        width -= canvas.columns(texts[first], limit: area.columns) + 2
        first += 1
      }
    }
    var column = area.column
    for index in first..<texts.count where column < area.end {
      let style =
        index == prompt.completion ? self[.faint].selected(self[.selection]) : self[.faint]
      column = canvas.write(
        texts[index], Area(row: area.row, column: column, rows: 1, columns: area.end - column),
        style)
      column += 2
    }
  }
}
