import AudioTypes
import Decoding
import Dispatch
import Glibc
import MusicLibrary
import PlayQueue
import Synchronization

/// Finds out what the tracks of the queue are called before they are heard: those that are looked at
/// first, then all others, on a thread of its own. What the collection knows is there at once; other
/// files are read. One that cannot be read keeps its name.
final class Titles: Sendable {
  private struct Wish {
    /// The row that is looked at.
    var focus = 0
    var revision = -1
    var isAwake = true
  }

  private let queue: SharedQueue
  private let index: [UInt8]?
  private let folder: [UInt8]
  private let onChange: @MainActor @Sendable () -> Void
  private let wish = Mutex(Wish())
  private let woken = DispatchSemaphore(value: 0)

  /// Fewer a second than would be noticed elsewhere.
  private static let pause: UInt32 = 5000
  /// So often the queue is changed, and with it the screen.
  private static let batchNanoseconds: UInt64 = 400_000_000
  private static let batch = 64
  /// What the collection knows costs next to nothing.
  private static let knownBatch = 1024

  /// - Parameters:
  ///   - index: the path of the collection's, which need not be there.
  ///   - folder: where relative paths begin.
  init(
    _ queue: SharedQueue, index: [UInt8]?, in folder: [UInt8],
    onChange: @escaping @MainActor @Sendable () -> Void
  ) {
    self.queue = queue
    self.index = index
    self.folder = folder
    self.onChange = onChange
  }

  /// Begins; once.
  func start() { Background.run { [self] in run() } }

  /// Which row is looked at, and how the queue is by now.
  func look(at row: Int, revision: Int) {
    let wakes = wish.withLock { wish in
      wish.focus = row
      guard wish.revision != revision else { return false }
      wish.revision = revision
      defer { wish.isAwake = true }
      return !wish.isAwake
    }
    if wakes { woken.signal() }
  }

  // MARK: The thread

  private func run() {
    var plan = TitlePlan()
    let known = KnownTracks(index: index, in: folder)
    while true {
      let focus = wish.withLock { wish in
        wish.isAwake = true
        return wish.focus
      }
      let before = wish.withLock(\.revision)
      let wanted = queue.read { plan.next($0, focus: focus, atMost: Self.knownBatch) }
      if wanted.isEmpty {
        // Unless the queue has changed while it was looked through.
        let sleeps = wish.withLock { wish in
          guard wish.revision == before else { return false }
          wish.isAwake = false
          return true
        }
        if sleeps { woken.wait() }
        continue
      }
      known.refresh()
      let told = wanted.compactMap { Self.find($0, known) }
      for row in told { plan.take(row.id, isComplete: row.isComplete) }
      if !told.isEmpty {
        describe(told)
        continue
      }
      var found: [Found] = []
      let end = DispatchTime.now().uptimeNanoseconds + Self.batchNanoseconds
      for row in wanted.prefix(Self.batch) {
        let answer = Self.read(row)
        if let answer { found.append(answer) }
        plan.take(row.id, isComplete: answer?.isComplete ?? false)
        usleep(Self.pause)
        if DispatchTime.now().uptimeNanoseconds > end { break }
      }
      if !found.isEmpty { describe(found) }
    }
  }

  private func describe(_ rows: [Found]) {
    queue.edit { queue in for row in rows { row.describe(in: &queue) } }
    let onChange = onChange
    DispatchQueue.main.async { MainActor.assumeIsolated { onChange() } }
  }

  /// What a file says.
  private struct Found {
    var row: Int
    var id: EntryID
    var title: String?
    var artist: String?
    var album: String?
    var duration: Double?

    var isComplete: Bool { title != nil && duration != nil }

    func describe(in queue: inout PlayQueue) {
      // Edits may have moved it, or taken it away.
      let isThere = queue.ids.indices.contains(row) && queue.ids[row] == id
      guard let row = isThere ? row : queue.index(of: id) else { return }
      queue.describe(at: row, title: title, artist: artist, album: album, duration: duration)
    }
  }

  /// What the collection knows, without a look into the file.
  private static func find(_ row: TitlePlan.Row, _ known: KnownTracks) -> Found? {
    let location = row.entry.location
    guard let track = known.track(at: location) else { return nil }
    let isPart = location.start > 0 || location.end != nil
    // As InfoText does: a part is called what its sheet says, a file what its own tags say.
    return Found(
      row: row.row, id: row.id,
      title: cut(isPart ? row.entry.title ?? track.title : track.title ?? row.entry.title),
      artist: cut(isPart ? row.entry.artist ?? track.artist : track.artist ?? row.entry.artist),
      album: cut(
        track.album.map { InfoText.albumKey($0, by: track.albumArtist, location) }),
      duration: track.duration)
  }

  private static func read(_ row: TitlePlan.Row) -> Found? {
    let entry = row.entry
    guard let info = try? TrackOpener.info(entry.location) else { return nil }
    let track = ListedTrack(
      entry.location, title: entry.title, artist: entry.artist, duration: entry.duration)
    return Found(
      row: row.row, id: row.id, title: cut(InfoText.title(track, info)),
      artist: cut(InfoText.artist(track, info)),
      album: cut(InfoText.albumKey(track.location, info)),
      duration: info.duration)
  }

  /// A queue of many rows must not hold what some of them could claim.
  private static func cut(_ text: String?) -> String? {
    guard let text, text.utf8.count > 500 else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.prefix(500)))
  }
}

/// Which rows are read next. Pure.
struct TitlePlan {
  struct Row: Equatable {
    var row: Int
    var id: EntryID
    var entry: QueueEntry
  }

  /// Rows around the one that is looked at come first.
  static let before = 30
  static let after = 60

  /// A bit for each entry that had nothing more to say.
  private var read: [UInt64] = []
  /// Where the rest is looked through.
  private var place = 0

  /// An entry was read. One that said all needs no mark: what it said is in the queue.
  mutating func take(_ id: EntryID, isComplete: Bool) {
    guard !isComplete else { return }
    let (word, bit) = (Int(id.number / 64), UInt64(id.number % 64))
    if word >= read.count { read += Array(repeating: 0, count: word + 1 - read.count) }
    read[word] |= 1 << bit
  }

  private func isWanted(_ row: Int, _ queue: PlayQueue) -> Bool {
    let entry = queue.entries[row]
    guard entry.title == nil || entry.duration == nil, !entry.location.isURL else { return false }
    let number = queue.ids[row].number
    let word = Int(number / 64)
    return word >= read.count || read[word] >> UInt64(number % 64) & 1 == 0
  }

  /// The next rows; none once all have been read.
  mutating func next(_ queue: PlayQueue, focus: Int, atMost count: Int) -> [Row] {
    let total = queue.entries.count
    guard total > 0 else { return [] }
    var rows: [Int] = []
    let centre = min(max(focus, 0), total - 1)
    let near = max(centre - Self.before, 0)..<min(centre + Self.after, total)
    for row in Array(centre..<near.upperBound) + (near.lowerBound..<centre).reversed()
    where rows.count < count && isWanted(row, queue) {
      rows.append(row)
    }
    var looked = 0
    while rows.count < count, looked < total {
      if place >= total { place = 0 }
      if !near.contains(place), isWanted(place, queue) { rows.append(place) }
      place += 1
      looked += 1
    }
    return rows.prefix(count).map { Row(row: $0, id: queue.ids[$0], entry: queue.entries[$0]) }
  }
}
