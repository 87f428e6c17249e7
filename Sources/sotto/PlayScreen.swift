import AudioEngine
import AudioSession
import AudioTypes
import Dispatch
import Glibc
import PlayerState
import TerminalModel
import TerminalScreen

/// The full screen of `sotto play`: snapshots of the player and inputs of the terminal go into the
/// model, its grids onto the screen, its commands to the player. On the control thread.
@MainActor final class PlayScreen {
  private unowned let command: PlayCommand
  private let screen: FullScreen
  /// What the terminal can do, and how much of it is wanted.
  private let detected: Capabilities
  private var capabilities: Capabilities { detected.colored(style.settings.color) }
  private var view: ViewState
  private var content = ScreenContent()
  private var style: ScreenStyle
  private let tick = MainTimer()
  /// A frame is to be drawn once what happens now is over.
  private var isDue = false
  private var isOver = false
  /// The terminal's window is looked at, as far as it tells.
  private var isFocused = true
  /// What the last frame showed.
  private var shown: PlayerSnapshot
  /// Before the output is open, inputs wait.
  private var early: [TerminalInput] = []
  private let browser: Browser
  private lazy var library = LibraryReader(LibraryPlace.collection) { [weak self] page in
    self?.content.library = page
    self?.changed()
  }
  private var listWatch: FolderWatch?
  private var watched: [UInt8]?
  /// Reads what is shown beside what is heard, once something was heard.
  private var titles: Titles?
  private lazy var covers = Covers { [weak self] in self?.coverChanged() }
  private lazy var waveforms = Waveforms { [weak self] in self?.changed() }
  private lazy var lyrics = LyricsReader { [weak self] in self?.changed() }
  private var meter = SoundMeter()
  private var sound = HeardSound()
  /// Runs while meter and spectrum move.
  private var metering: (any DispatchSourceTimer)?
  private var measured = DispatchTime.now()
  /// The grid that was shown last.
  private var painted: Grid?
  /// The number under which the terminal has the picture itself, where it shows pictures.
  private var picture = 0
  private var shownImage: PixelImage?

  /// `nil`, after a line that says why, where the terminal cannot show it: then there is the line.
  init?(_ command: PlayCommand) {
    self.command = command
    do throws(TerminalRefusal) {
      detected = try Capabilities.detect(
        variable: Environment.value, terminfo: TerminfoEntry.read)
    } catch {
      Messages.tell(Text.printable(error.sentence))
      return nil
    }
    let settings = command.configuration.settings
    style = ScreenStyle(keys: command.configuration.keys, settings: settings)
    // As it was, where the configuration does not say it.
    let kept = command.configuration.lines["view"] == nil ? command.kept?.moment?.view : nil
    let last = ScreenView.allCases.first { $0.word == kept }
    view = ViewState(view: last ?? settings.view)
    screen = FullScreen(detected.colored(settings.color), mouse: settings.mouse)
    shown = PlayScreen.nothing
    browser = Browser(settings)
    restyle()
    content.themes = command.configuration.themes.keys.sorted()
  }

  /// Before there is a session.
  private static let nothing = PlayerSnapshot(
    at: .zero, situation: SessionState(route: nil).situation)

  // MARK: Life

  /// Takes the terminal and shows the first frame.
  func start() {
    Signals.installCrashHandlers()
    Exit.beforeEnd = { [weak self] in
      self?.end()
      Messages.printKept()
    }
    Messages.instead = { [weak self] sentence in self?.command.say(sentence, isFault: true) }
    screen.onInput = { [weak self] input in self?.take(input) }
    screen.onPictures = { [weak self] in self?.coverChanged() }
    screen.onTaken = { [weak self] in self?.resized() }
    screen.onEnd = { [weak self] in self?.isFocused = false }
    browser.onListing = { [weak self] listing, arePlaylists in
      guard let self else { return }
      if arePlaylists {
        // One may have been opened since.
        if command.lists.isOpen { return }
        content.playlists = listing
      } else {
        content.files = listing
      }
      changed()
    }
    screen.start()
    draw()
  }

  /// The player is there: what was typed before is done now.
  func ready() {
    browser.list([])
    browser.list(Array("playlists:".utf8))
    command.readDevices()
    watchPlaylists()
    let inputs = early
    early = []
    for input in inputs { take(input) }
    draw()
  }

  /// Playlists that other programs write are seen at once.
  private func watchPlaylists() {
    let folder = Playlists.folder(command.configuration.settings)
    guard folder != watched else { return }
    watched = folder
    listWatch?.end()
    listWatch = folder.map { folder in
      FolderWatch([folder]) { [weak self] in
        guard let self, !self.command.lists.folderChanged() else { return }
        self.browse(Array("playlists:".utf8))
        self.command.bus?.readPlaylists()
      }
    }
  }

  /// The folders may have been set otherwise.
  func foldersChanged() {
    browser.follow(command.configuration.settings)
    let before = watched
    watchPlaylists()
    if watched != before { command.bus?.readPlaylists() }
  }

  /// The first sound is there: whatever takes time may begin.
  func soundHasBegun() {
    guard titles == nil else { return }
    let titles = Titles(
      command.queue, index: LibraryPlace.path, in: CtlCommand.workingFolder
    ) { [weak self] in self?.changed() }
    self.titles = titles
    titles.start()
    changed()
  }

  func end() {
    guard !isOver else { return }
    isOver = true
    tick.cancel()
    metering?.cancel()
    metering = nil
    listWatch?.end()
    screen.end()
  }

  /// The configuration was saved: how it looks and what the keys do changes at once. A file with a
  /// fault changes what is right in it.
  func follow(_ new: Configuration) {
    let waiting = new.settings.changes(from: style.settings).filter(Settings.atStart.contains)
    style.settings = new.settings
    style.keys = new.keys
    content.themes = new.themes.keys.sorted()
    restyle()
    screen.resized()
    if let fault = new.faults.first {
      let more = new.faults.count > 1 ? " (and \(new.faults.count - 1) more)" : ""
      command.say(fault + more, isFault: true)
    } else {
      let rest =
        waiting.isEmpty
        ? "" : "; from the next start on: \(waiting.joined(separator: ", "))"
      command.say("The configuration was read again" + rest)
    }
    coverChanged()
    changed()
  }

  /// A scan has brought what views of the collection do not show yet.
  func libraryChanged() { library.changed() }

  /// Something was played or rated: views that show it are read anew.
  func historyChanged() {
    if view.view == .library { library.look() }
  }

  func suspend() { screen.suspend() }

  func resume() {
    screen.resume()
    resized()
  }

  func resized() {
    screen.resized()
    draw()
  }

  // MARK: Drawing

  /// Something has changed: a frame follows, one for all that changes in this turn.
  func changed() {
    guard !isDue, !isOver else { return }
    isDue = true
    DispatchQueue.main.async { [weak self] in
      MainActor.assumeIsolated {
        guard let self, self.isDue else { return }
        self.draw()
      }
    }
  }

  private var size: ScreenSize {
    let size = screen.size
    return ScreenSize(columns: size.columns, rows: size.rows)
  }

  private func draw() {
    isDue = false
    guard !isOver else { return }
    let size = size
    if let snapshot = command.snapshot() { shown = snapshot }
    followTrack()
    shown.peaks = waveforms.peaks
    shown.lyrics = lyrics.lines
    titles?.look(at: view.queueRow(shown), revision: shown.queue.revision)
    if let wish = view.libraryWish(size) { library.follow(wish) }
    setMetering()
    command.kept?.changed()
    let now = paint()
    tick.cancel()
    guard let next = view.nextChange(shown, size, after: now) else { return }
    // A window that nobody looks at need not be right to the second.
    let wait = max((next - now).seconds, isFocused ? 0 : Self.unseenSeconds)
    tick.set(after: wait, leeway: isFocused ? 10 : 1000) { [weak self] in self?.ticked() }
  }

  /// Shows what is known, as it is at this moment.
  @discardableResult private func paint() -> SessionTime {
    let now = command.player?.now() ?? .zero
    show(view.render(shown, content, size, style, now: now))
    return now
  }

  private func show(_ grid: Grid) {
    painted = grid
    screen.show(grid)
  }

  private static let unseenSeconds = 10.0

  // MARK: Levels

  /// Meter and spectrum move while they are seen and something is heard; otherwise nothing wakes
  /// for them.
  private func setMetering() {
    let isPlaying = command.state == .playing
    let isSeen = isPlaying && isFocused && view.showsLevels(size, style)
    if !isPlaying, metering != nil {
      meter.rest()
      takeLevels()
    }
    guard isSeen != (metering != nil) else { return }
    metering?.cancel()
    metering = nil
    guard isSeen else { return }
    measured = .now()
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(
      deadline: .now(), repeating: .milliseconds(Self.frameMilliseconds),
      leeway: .milliseconds(Self.frameMilliseconds / 4))
    timer.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.measure() } }
    timer.activate()
    metering = timer
  }

  /// Thirty frames a second.
  private static let frameMilliseconds = 33

  private func measure() {
    guard !isOver, let engine = command.engine,
      engine.copyHeard(frames: SoundMeter.frames, into: &sound)
    else { return }
    let now = DispatchTime.now()
    meter.take(sound, after: Double(now.uptimeNanoseconds - measured.uptimeNanoseconds) / 1e9)
    measured = now
    takeLevels()
    // What has happened since the last frame is painted with its own.
    if isDue { return }
    if let painted, let grid = view.renderLevels(onto: painted, shown, content, size, style) {
      show(grid)
    } else {
      paint()
    }
  }

  private func takeLevels() {
    content.levels = meter.levels
    content.spectrum = meter.spectrum
  }

  // MARK: Beside the track

  /// Brings what belongs to the heard track, once something was heard.
  private func followTrack() {
    guard titles != nil else { return }
    let location = shown.entry == nil ? nil : command.heardLocation
    let showsWaveform = style.settings.waveform && !style.glyphs.heights.isEmpty
    waveforms.follow(showsWaveform ? location : nil)
    lyrics.follow(style.settings.lyrics ? location : nil, shown.info)
    // An address has none, and not that of the file before it.
    guard let location, !location.isURL else {
      covers.clear()
      return coverChanged()
    }
    guard let room = view.coverSize(shown, size, style) else { return }
    var capabilities = capabilities
    if style.glyphs == .ascii { capabilities.showsUnicode = false }
    covers.follow(
      Covers.Wish(
        path: location.path, isEmbedded: shown.info?.picture != nil, rows: room.rows,
        columns: room.columns, cell: screen.size.cell, capabilities: capabilities,
        hasSymbols: style.settings.pictures != .kitty))
  }

  private func coverChanged() {
    var cover = covers.cover
    let pictures = style.settings.pictures
    let isShown = screen.showsPictures && (pictures == .auto || pictures == .kitty)
    if !isShown, shownImage != nil {
      // The terminal need not keep it.
      screen.define(picture: picture, nil)
      shownImage = nil
    }
    if isShown, cover != nil, let image = covers.image {
      if image != shownImage {
        screen.define(picture: picture, nil)
        picture += 1
        screen.define(picture: picture, image)
        shownImage = image
      }
      cover?.picture = picture
    }
    // Nothing of it would be seen.
    if cover?.picture == nil, cover?.cells.isEmpty == true { cover = nil }
    guard cover != content.cover else { return }
    content.cover = cover
    changed()
  }

  /// Which view is open: it is as well the next time.
  var viewWord: String { view.view.word }

  private func ticked() {
    command.seekTarget = nil
    draw()
  }

  // MARK: Inputs

  private func take(_ input: TerminalInput) {
    guard let snapshot = command.snapshot() else {
      // Whoever wants to leave does not wait.
      let (_, wishes) = view.reduce(input, shown, content, size, style)
      if wishes.contains(.quit) { return command.finish() }
      early.append(input)
      return
    }
    if case .focus(let isFocused) = input { self.isFocused = isFocused }
    if case .key = input, command.alarm.isRinging { return command.alarm.dismiss() }
    let before = view.view
    content.programs = command.system?.programs ?? []
    let commands: [PlayerCommand]
    (view, commands) = view.reduce(input, snapshot, content, size, style)
    carryOut(commands, from: before)
  }

  /// A command of the screen's own that somebody else gives.
  func perform(_ wish: ViewCommand) {
    guard let snapshot = command.snapshot() else { return }
    let before = view.view
    let result = view.perform(wish, snapshot, content, size, style)
    view = result.view
    if let said = result.said { command.asked?.hear(said.text, isFault: said.isFault) }
    carryOut(result.commands, from: before)
  }

  private func carryOut(_ commands: [PlayerCommand], from before: ScreenView) {
    if view.view != before, view.view == .devices { command.readDevices() }
    for wish in commands { command.perform(wish) }
    if view.view == .library { library.look() }
    draw()
  }

  /// A folder, all playlists (`playlists:`), or the rows of one (`playlists:PATH`).
  ///
  /// - Parameter asked: who is told when the rows are there, or why not.
  func browse(_ path: [UInt8], _ asked: Asked? = nil) {
    let lists = Array("playlists:".utf8)
    if path.starts(with: lists), path.count > lists.count {
      return command.lists.open(Array(path[lists.count...]), asked)
    }
    if path == lists { command.lists.close() }
    browser.list(path) { [weak self] listing in
      // The screen shows it in the rows' place, where they are looked at.
      if let listing, let fault = listing.fault, let self {
        let sentence = "\(Text.printable(listing.path)): \(fault)"
        asked?.hear(sentence, isFault: true)
        if self.view.view != .files { self.command.say(sentence, isFault: true) }
      }
      asked?.finish()
    }
  }

  /// The rows of the playlist that is open.
  func show(_ list: Listing) {
    content.playlists = list
    changed()
  }

  // MARK: Looks

  /// Theme and signs as settings and terminal have them.
  private func restyle() {
    let settings = style.settings
    var theme = command.configuration.theme(settings.theme) ?? .standard
    if capabilities.colors == .none { theme = theme.monochrome }
    style.theme = theme
    let isUnicode =
      settings.glyphs == .unicode || settings.glyphs == .auto && capabilities.showsUnicode
    style.glyphs = isUnicode ? .unicode : .ascii
    screen.use(capabilities)
    screen.setMouse(settings.mouse)
  }

  func setTheme(_ name: String) { set("theme", name) }

  /// One setting, until the end of the program.
  func set(_ name: String, _ value: String) {
    var settings = style.settings
    do throws(CommandError) {
      try settings.set(name, to: value)
      try command.check(name, value)
    } catch {
      return command.say(error.sentence, isFault: true)
    }
    style.settings = settings
    restyle()
    screen.resized()
    coverChanged()
    command.follow(name, settings)
  }
}
