import AudioEngine
import AudioSession
import AudioTypes
import Dispatch
import Glibc
import PlayQueue
import PlayerState
import StateStore
import TerminalModel

/// What outlives the player: it is told of everything that is to be kept, and gives back what was
/// kept. On the control thread; nothing here waits for a disk.
@MainActor final class KeptState {
  let store: StateStore
  unowned let command: PlayCommand
  /// What is kept has not been read yet; the user's wishes wait for it.
  private(set) var isReading = false
  private var waiting: [@MainActor () -> Void] = []
  /// It was read: from here on it may be written over.
  var hasRead = false
  /// The queue that was kept, to be put under the one that is played: by an undo it is back.
  private var older: QueueState?
  private var olderMoment: Moment?
  private var isFilled = false
  var listening: Listening?
  /// The track that is taken up, paused: it does not begin.
  var takenUp: Int?
  private var epoch: Int64 = 0
  /// The first track was looked at: later ones begin where they should.
  var hasCaughtUp = false
  private let beat = MainTimer()
  private var noted = Moment()
  private var notedAt = DispatchTime(uptimeNanoseconds: 1)

  /// A position that moves is kept so often, in seconds.
  private static let beatSeconds = 1.0

  /// The folder of everything that is kept; `nil` without a home.
  static var folder: [UInt8]? { DecisionFile.folder() }

  /// `nil` where nothing is kept: by the user's wish, without a home, or without the library.
  init?(_ command: PlayCommand) {
    guard !command.options.isFresh, let folder = Self.folder, StateStore.isAvailable else {
      return nil
    }
    // Who writes a file does not listen.
    if case .file = command.options.output { return nil }
    self.command = command
    store = StateStore(folder: folder) { sentence, isFault in
      DispatchQueue.main.async {
        MainActor.assumeIsolated { KeptState.told(sentence, isFault: isFault) }
      }
    }
  }

  private static weak var current: KeptState?

  private static func told(_ sentence: String, isFault: Bool) {
    guard !isFault, let command = current?.command,
      command.full != nil || command.voice != nil || command.screen != nil
    else { return Messages.tell(sentence) }
    command.say(sentence)
  }

  var isOwn: Bool { store.standing == .own }

  /// The queue is that of the last time: nothing else is asked for.
  var takesUp: Bool { command.options.paths.isEmpty && command.configuration.settings.resume }

  /// How it stood, for what must be right before the first sound and on the first frame.
  var moment: Moment? { store.moment }

  // MARK: Reading

  /// Begins to read what is kept.
  func begin() {
    Self.current = self
    guard isOwn else { return }
    isReading = command.options.paths.isEmpty
    if let moment {
      // It needs no database, and rings also where that cannot be read. Once there is a place to say
      // that it was missed.
      DispatchQueue.main.async { [weak self] in
        MainActor.assumeIsolated {
          self?.command.alarm.restore(moment.alarm, due: moment.alarmDue)
        }
      }
    }
    store.read { [weak self] reading in
      switch reading {
      case .waits:
        DispatchQueue.main.async { MainActor.assumeIsolated { self?.readingIsOver() } }
      case .saved(let saved):
        // What takes time is done here: names are looked through.
        let queue = saved.queue.map { PlayQueue($0) }
        let row = saved.queue.flatMap { Self.row($0.queue, self?.store.moment ?? saved.moment) }
        DispatchQueue.main.async { MainActor.assumeIsolated { self?.take(saved, queue, row) } }
      }
    }
  }

  /// Says why nothing is kept, once there is a place to say it.
  func tellStanding() {
    switch store.standing {
    case .own: break
    case .taken:
      Messages.tell("another sotto runs: the queue of this one is its own, and is not kept")
    case .refused(let sentence): Messages.tell("\(sentence); what you do is not kept")
    }
  }

  /// Why there is nothing to take up, where that is not for want of anything; without a full stop.
  var whyNothing: String? {
    switch store.standing {
    case .own: nil
    case .taken: "another sotto runs and keeps the queue; without a PATH there is nothing to play"
    case .refused(let sentence): "\(sentence); what was kept cannot be read, and no PATH is given"
    }
  }

  /// It stands where the last one ended, and the user has not asked for sound.
  var isWaiting: Bool { takenUp != nil && command.player?.situation.intent != .playing }

  /// What waits for the state to be read is done now.
  private func readingIsOver() {
    guard isReading else { return }
    (isReading, isLooking) = (false, false)
    patience.cancel()
    let wishes = waiting
    waiting = []
    for wish in wishes { wish() }
  }

  /// Keeps a wish until what is kept has been read. False where it is read already.
  func postpones(_ wish: @escaping @MainActor () -> Void) -> Bool {
    guard isReading else { return false }
    waiting.append(wish)
    return true
  }

  /// Where the moment says that it stood.
  private nonisolated static func row(_ queue: QueueState.Entries, _ moment: Moment?) -> Int? {
    guard let moment, let entry = moment.entry else { return nil }
    let isSame = { (row: Int) in
      Moment.sign(of: queue.entries[row].location) == moment.track
    }
    if let row = queue.ids.firstIndex(of: EntryID(entry)), isSame(row) { return row }
    return queue.entries.indices.first(where: isSame)
  }

  /// Asks on a thread of its own: a share that does not answer keeps whoever asks. The user's wishes
  /// wait for the answer, though not for ever.
  private func look(for location: TrackLocation, _ then: @escaping @MainActor (Bool) -> Void) {
    (isReading, isLooking) = (true, true)
    patience.set(after: Self.longestLook) { [weak self] in self?.readingIsOver() }
    let path = location.path.map { CChar(bitPattern: $0) } + [0]
    DispatchQueue(label: "sotto.state.file").async { [weak self] in
      let isThere = unsafe access(path, R_OK) == 0
      DispatchQueue.main.async {
        MainActor.assumeIsolated {
          guard let self, !self.command.isEnding else { return }
          then(isThere)
          self.readingIsOver()
        }
      }
    }
  }

  /// The file of the track that is taken up is looked for.
  private var isLooking = false
  private let patience = MainTimer()
  /// Seconds.
  private static let longestLook = 1.0

  /// - Parameter row: where it stood.
  private func take(_ saved: SavedState, _ queue: PlayQueue?, _ row: Int?) {
    guard !command.isEnding else { return }
    epoch = saved.epoch
    hasRead = true
    command.queue.takeUp(beginnings: saved.bookmarks)
    let moment = store.moment ?? saved.moment
    if store.moment == nil { command.alarm.restore(moment?.alarm, due: moment?.alarmDue) }
    if let state = saved.queue, let queue {
      keepPlace(of: moment, in: state, row)
      let isUntouched = command.queue.read { $0.entries.isEmpty && $0.editCount == 0 }
      if isUntouched, takesUp {
        resume(queue, state, moment, row)
      } else {
        (older, olderMoment) = (state, moment)
        putUnder()
      }
    }
    catchUp()
    let shared = command.queue
    store.keep { shared.value }
    shared.tell { [store] in store.queueChanged() }
    store.queueChanged()
    if !isLooking { readingIsOver() }
    command.refresh()
    note(isLasting: false)
  }

  /// As it was, and paused there (X3); nothing is heard (S2).
  private func resume(
    _ queue: PlayQueue, _ state: QueueState, _ moment: Moment?, _ row: Int?
  ) {
    command.queue.edit { $0 = queue }
    let known = row.map { state.queue.ids[$0] } ?? queue.current.map { queue.ids[$0] }
    guard let id = known ?? queue.playOrder.first, let entry = queue.entry(id) else { return }
    let key = Int(id.number)
    command.queue.edit { queue in
      if let row = queue.index(of: id) { queue.select(row) }
    }
    command.index = key
    let wasHeard = row != nil && moment?.intent != .stopped
    let position = wasHeard ? moment?.position ?? 0 : 0
    takenUp = key
    listening = Listening(
      key: key, location: entry.location, duration: entry.duration, isLong: false,
      heard: row == nil ? 0 : moment?.heard ?? 0, isCounted: row != nil && moment?.isCounted == true
    )
    listening?.position = position
    command.player?.takeUp(track: key, position: position, isPaused: wasHeard)
    command.seekTarget = nil
    // An address is not asked, and a file that is not there not looked for, before it is its turn.
    if entry.location.isURL { return }
    look(for: entry.location) { [weak self] isThere in
      guard let self, takenUp == key else { return }
      guard isThere else {
        return Messages.tell(
          "\(Text.printable(entry.location.path)) is not there now; it stays in the queue")
      }
      command.engine?.rest(at: key, seconds: position)
      // Stopped, not paused: it is opened when it is played.
      if !wasHeard { command.engine?.letGo(at: key, seconds: position) }
    }
  }

  /// The arguments have all been looked through.
  func filled() {
    isFilled = true
    putUnder()
  }

  /// Puts the kept queue under the one that is played: an undo brings it back.
  private func putUnder() {
    guard let state = older, isFilled else { return }
    older = nil
    // Names that are free, also when more is put into the queue meanwhile.
    let first = command.queue.read { $0.freeName } &+ Self.spareNames
    let moment = olderMoment
    DispatchQueue(label: "sotto.state.names", qos: .utility).async { [weak self] in
      let renamed = PlayQueue(state.renamed(from: first))
      let row = Self.row(state.queue, moment)
      let heard = row.flatMap { renamed.ids.indices.contains($0) ? renamed.ids[$0] : nil }
      DispatchQueue.main.async {
        MainActor.assumeIsolated {
          guard let self, !self.command.isEnding else { return }
          let isDone = self.command.queue.edit { $0.takePlace(of: renamed, namedFrom: first) }
          if isDone {
            if let heard, let moment, moment.intent != .stopped {
              self.command.queue.leave(Int(heard.number), at: moment.position)
            }
            return self.command.refresh()
          }
          self.older = state
          self.putUnder()
        }
      }
    }
  }

  private static let spareNames: UInt32 = 1000

  // MARK: Keeping

  /// Something may have changed. Cheap: called at every turn.
  func changed() { note(isLasting: false) }

  /// A frame was drawn: when something moves, that is as good a time as any.
  func note(isLasting: Bool) {
    guard hasRead, !command.isEnding else { return }
    let moment = present()
    let isMoving = command.state == .playing
    defer {
      if isMoving {
        beat.set(after: Self.beatSeconds, leeway: 50) { [weak self] in self?.note(isLasting: false)
        }
      } else {
        beat.cancel()
      }
    }
    var still = moment
    (still.position, still.heard) = (noted.position, noted.heard)
    let isSame = still == noted
    let elapsed = Double(DispatchTime.now().uptimeNanoseconds - notedAt.uptimeNanoseconds) * 1e-9
    if isSame, !isLasting, abs(moment.position - noted.position) < 2,
      isMoving ? elapsed < Self.beatSeconds / 2 : moment.position == noted.position
    {
      return
    }
    let isOther = moment.intent != noted.intent || moment.entry != noted.entry
    noted = moment
    notedAt = .now()
    store.note(moment, isLasting: isLasting || isOther)
    if isOther, let listening, listening.tellsPlace, moment.intent != .playing {
      keep(listening.bookmark, for: listening.location)
    }
  }

  private func present() -> Moment {
    var moment = Moment()
    moment.epoch = epoch
    let heard = command.engine?.snapshot()
    let key = heard?.index ?? command.index
    if var now = listening {
      count(&now, isSounding: command.state == .playing)
      if heard?.index == now.key, takenUp == nil { now.position = heard?.position ?? now.position }
      (moment.position, moment.heard, moment.isCounted) = (now.position, now.heard, now.isCounted)
      moment.isLong = now.isLong
      listening = now
    }
    if let entry = command.queue.entry(at: key) {
      moment.entry = UInt32(truncatingIfNeeded: key)
      moment.track = Moment.sign(of: entry.location)
    }
    switch command.player?.situation.intent {
    case .playing: moment.intent = .playing
    case .paused: moment.intent = .paused
    default: moment.intent = .stopped
    }
    moment.level = command.level
    moment.isMuted = command.isOwnMuted
    moment.gain = command.gainMode.rawValue
    moment.view = command.full?.viewWord ?? store.moment?.view
    moment.alarm = command.alarm.time?.text
    moment.alarmDue = command.alarm.due
    return moment
  }

  /// The player ends: this is how it stood.
  func end() {
    guard isOwn else { return }
    note(isLasting: true)
    if let listening, listening.tellsPlace { keep(listening.bookmark, for: listening.location) }
    beat.cancel()
  }

  /// Writes what is not written yet; not longer than two seconds.
  func close() { if isOwn { store.close() } }
}
