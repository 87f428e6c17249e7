import AudioSession
import AudioTypes
import PlayQueue
import PlayerState

extension ViewState {
  /// What an input makes of the screen, and what it asks of the player.
  public func reduce(
    _ input: TerminalInput, _ snapshot: PlayerSnapshot, _ content: ScreenContent = ScreenContent(),
    _ size: ScreenSize, _ style: ScreenStyle = ScreenStyle()
  ) -> (view: ViewState, commands: [PlayerCommand]) {
    var reducer = Reducer(self, snapshot, content, size, style)
    reducer.take(input)
    reducer.view.settle(snapshot, content, size, style)
    return (reducer.view, reducer.commands)
  }
}

extension ViewState {
  /// What a command that comes from elsewhere makes of the screen, what it asks of the player, and what
  /// the screen says to it.
  public func perform(
    _ command: ViewCommand, _ snapshot: PlayerSnapshot, _ content: ScreenContent,
    _ size: ScreenSize, _ style: ScreenStyle
  ) -> (view: ViewState, commands: [PlayerCommand], said: (text: String, isFault: Bool)?) {
    var reducer = Reducer(self, snapshot, content, size, style)
    reducer.view.message = nil
    reducer.run(.view(command))
    reducer.view.settle(snapshot, content, size, style)
    let message = reducer.view.message
    return (reducer.view, reducer.commands, message.map { ($0.text, $0.isFault) })
  }
}

/// Works on one input.
struct Reducer {
  var view: ViewState
  let snapshot: PlayerSnapshot
  let content: ScreenContent
  let size: ScreenSize
  let style: ScreenStyle
  var source: RowSource { RowSource(snapshot, content, style, view.view) }
  var commands: [PlayerCommand] = []

  /// More repetitions than this are a slip of the finger.
  private static let mostRepeats = 999

  init(
    _ view: ViewState, _ snapshot: PlayerSnapshot, _ content: ScreenContent, _ size: ScreenSize,
    _ style: ScreenStyle
  ) {
    self.view = view
    self.snapshot = snapshot
    self.content = content
    self.size = size
    self.style = style
    self.view.settle(snapshot, content, size, style)
  }

  mutating func take(_ input: TerminalInput) {
    switch input {
    case .key(let key): press(key)
    case .mouse(let event): point(event)
    case .paste(let text): paste(text)
    case .focus: break
    }
  }

  // MARK: Keys

  private mutating func press(_ key: Key) {
    view.message = nil
    if view.prompt != nil { return typeCommand(key) }
    if view.filter?.isTyping == true { return typeFilter(key) }
    if view.isSearching { return typeSearch(key) }
    // While a call rings or lasts, its keys come first.
    if snapshot.call != nil, let command = style.keys.command(for: key, in: .call) {
      return run(command)
    }
    if view.isMenuOpen {
      view.isMenuOpen = false
      if let command = style.keys.command(for: key, in: .menu) { run(command) }
      return
    }
    if takeDigit(key) { return }
    let place = KeyTable.Place(view.view)
    guard
      let command = style.keys.command(for: key, in: place)
        ?? style.keys.command(for: key, in: .everywhere)
    else {
      view.count = nil
      return
    }
    let count = view.count
    view.count = nil
    run(command, count: count)
  }

  /// A number before a key: with alt where digits are views, and after its first digit plainly.
  private mutating func takeDigit(_ key: Key) -> Bool {
    guard case .character(let character) = key.name, let digit = character.wholeNumberValue,
      character.isASCII
    else { return false }
    let begins = key.modifiers == .alt || (style.settings.digits == .counts && key.modifiers == [])
    guard view.count != nil && key.modifiers.isSubset(of: .alt) || begins && digit > 0 else {
      return false
    }
    view.count = min((view.count ?? 0) * 10 + digit, 999_999)
    return true
  }

  mutating func run(_ command: ScreenCommand, count: Int? = nil) {
    switch command {
    case .view(let command): run(command, count)
    case .player(let command): ask(command, count)
    }
  }

  private mutating func ask(_ command: PlayerCommand, _ count: Int?) {
    let times = min(max(count ?? 1, 1), Self.mostRepeats)
    switch command {
    case .seek(.by(let seconds)): commands.append(.seek(.by(seconds * Double(times))))
    case .volume(.by(let step)): commands.append(.volume(.by(Self.percent(step, times))))
    case .level(.by(let step)): commands.append(.level(.by(Self.percent(step, times))))
    case .ringer(.by(let step)): commands.append(.ringer(.by(Self.percent(step, times))))
    case .undo where openList != nil, .redo where openList != nil:
      guard let openList else { return }
      let wish: ListWish = command == .undo ? .undo : .redo
      commands += Array(repeating: .list(openList.path, wish), count: times)
    case .next, .previous, .undo, .redo:
      commands += Array(repeating: command, count: times)
    default: commands.append(command)
    }
  }

  /// No step is more than all there is.
  private static func percent(_ step: Int, _ times: Int) -> Int {
    min(max(step * times, -100), 100)
  }

  // MARK: The command line

  mutating func openPrompt(_ text: String) {
    view.prompt = ViewState.Prompt(line: LineEditor(text))
  }

  private mutating func typeCommand(_ key: Key) {
    guard var prompt = view.prompt else { return }
    switch (key.name, key.modifiers) {
    case (.escape, _), (.character("c"), .control), (.character("g"), .control):
      view.prompt = nil
      return
    case (.enter, _):
      view.prompt = nil
      return submit(prompt.line.text)
    case (.backspace, []) where prompt.line.isEmpty:
      view.prompt = nil
      return
    case (.tab, _):
      complete(&prompt, backwards: key.modifiers.contains(.shift))
    case (.up, _), (.character("p"), .control): recall(&prompt, 1)
    case (.down, _), (.character("n"), .control): recall(&prompt, -1)
    default:
      if prompt.line.edit(key) {
        prompt.completions = []
        prompt.completion = nil
        prompt.historyIndex = nil
      }
    }
    view.prompt = prompt
  }

  private mutating func submit(_ text: String) {
    let line = text.trimmed
    guard !line.isEmpty else { return }
    view.history.removeAll { $0 == line }
    view.history.append(line)
    if view.history.count > ViewState.historyLength { view.history.removeFirst() }
    do throws(CommandError) {
      run(try ScreenCommand(line))
    } catch {
      view.message = ViewState.Message(text: error.sentence, isFault: true)
    }
  }

  private func complete(_ prompt: inout ViewState.Prompt, backwards: Bool) {
    if prompt.completions.isEmpty {
      prompt.completions = CommandSpec.completions(
        of: prompt.line.text, among: ScreenCommand.specs, choices: choices)
      prompt.completion = nil
    }
    let count = prompt.completions.count
    guard count > 0 else { return }
    let next =
      prompt.completion.map { ($0 + (backwards ? count - 1 : 1)) % count }
      ?? (backwards ? count - 1 : 0)
    prompt.completion = next
    prompt.line.replace(with: prompt.completions[next])
    // The only one is taken: what is typed next is completed anew.
    if count == 1 {
      prompt.completions = []
      prompt.completion = nil
    }
  }

  private func choices(_ argument: CommandSpec.Argument) -> [String] {
    switch argument {
    case .device: snapshot.devices.map(\.id)
    case .program: programs
    case .theme: Theme.all.map(\.name) + content.themes
    case .setting: Settings.names
    case .path:
      content.files.rows.map { String(decoding: $0.path, as: UTF8.self) }
    default: []
    }
  }

  /// Those of the latest decisions first, then those that are seen.
  private var programs: [String] {
    var found: [String] = []
    for name in snapshot.decisions.reversed().compactMap(\.program) + content.programs
    where !found.contains(name) {
      found.append(name)
    }
    return found
  }

  /// Older lines, or newer ones; the line that is being typed is the newest.
  private func recall(_ prompt: inout ViewState.Prompt, _ step: Int) {
    let count = view.history.count
    let index = (prompt.historyIndex ?? -1) + step
    guard index >= -1, index < count else { return }
    if prompt.historyIndex == nil { prompt.kept = prompt.line.text }
    prompt.historyIndex = index < 0 ? nil : index
    prompt.line.replace(with: index < 0 ? prompt.kept : view.history[count - 1 - index])
    prompt.completions = []
    prompt.completion = nil
  }

  // MARK: The filter

  private mutating func typeFilter(_ key: Key) {
    guard var filter = view.filter else { return }
    switch (key.name, key.modifiers) {
    case (.escape, _), (.character("c"), .control): return closeFilter()
    case (.enter, _):
      filter.isTyping = false
      view.filter = filter.text.isEmpty ? nil : filter
      return
    case (.up, _): return run(.view(.up))
    case (.down, _): return run(.view(.down))
    case (.pageUp, _): return run(.view(.pageUp))
    case (.pageDown, _): return run(.view(.pageDown))
    case (.backspace, []) where filter.text.isEmpty: return closeFilter()
    default: break
    }
    var line = LineEditor(filter.text)
    guard line.edit(key), line.text != filter.text else { return }
    setFilter(line.text)
  }

  mutating func setFilter(_ text: String) {
    guard var filter = view.filter else { return }
    // More letters leave fewer rows: those that were left are looked through again.
    let goesOn = text.hasPrefix(filter.text) && filter.revision == source.revision(filter.view)
    filter.rows = source.matches(text, in: filter.view, among: goesOn ? filter.rows : nil)
    filter.text = text
    filter.revision = source.revision(filter.view)
    view.filter = filter
    select(0, follows: false)
  }

  mutating func closeFilter() {
    guard let filter = view.filter else { return }
    // What was selected stays so.
    let selected = filter.rows.isEmpty ? filter.selectedBefore : view.row(view.position.selected)
    view.filter = nil
    if filter.view == view.view { select(selected, follows: false) }
  }

  // MARK: Pastes

  /// A paste never presses keys: it is text for the line that is typed, or paths for the queue.
  private mutating func paste(_ text: String) {
    if view.prompt != nil {
      view.prompt?.line.insert(Text.printable(text.trimmed))
      return
    }
    if let filter = view.filter, filter.isTyping {
      return setFilter(String((filter.text + Text.printable(text.trimmed)).prefix(200)))
    }
    if view.isSearching { return pasteIntoSearch(text) }
    let paths = PastedPaths.read(text)
    if paths.isEmpty {
      view.message = ViewState.Message(
        text: "What was pasted is no path: nothing was done", isFault: false)
    } else {
      commands.append(.add(paths, .end))
    }
  }
}

extension String {
  /// Without blanks at the ends.
  var trimmed: String { String(ConfigLines.trim(self[...])) }
}
