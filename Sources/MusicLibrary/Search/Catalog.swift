import Database
import Glibc

/// The collection as a search sees it, in memory: folded texts one after the other, and the numbers
/// of each track. Read at once from the index and never changed; another one is read when the index
/// has changed. Used by one thread at a time.
///
/// Rows count from 0 and mean nothing outside; files that are not there now are left out.
public final class Catalog {
  /// The numbers of the tracks in the index.
  private(set) var ids: [Int64] = []
  private(set) var facts: [SearchEntry.Facts] = []
  private(set) var added: [UInt32] = []
  /// For each row the place in `folders`.
  private(set) var folder: [UInt32] = []
  private(set) var folders: [Folder] = []
  /// What is shown of all folders, one after the other, each with an end.
  private(set) var folderText: [UInt8] = []
  private(set) var folderStarts: [UInt32] = [0]
  /// All entries.
  private(set) var text: [UInt8] = []
  /// Where the entry of a row begins; one more for the end.
  private(set) var starts: [UInt32] = [0]

  struct Folder {
    var id: Int64
    /// Folded, whole.
    var path: [UInt8]
    /// Folded, without the part that all of the collection has in common.
    var shown: [UInt8]
  }

  public var count: Int { ids.count }

  /// Made when they are needed first.
  var orders: [CatalogOrder: [UInt32]] = [:]
  var groupings: [CatalogView: [CatalogGroup]] = [:]
  var albumsMade: Albums?
  var baseMade: (rows: [UInt32], ranks: [UInt32])?
  var ranksMade: [CatalogOrder: [UInt32]] = [:]
  var folderRowsMade: (starts: [Int], rows: [UInt32])?
  /// What words have found.
  var findings = Findings()
  var names: [[UInt8]]?
  var history: [HistoryEntry] = []

  /// What happened to a track.
  public struct HistoryEntry: Equatable, Sendable {
    public var plays: UInt32 = 0
    /// Seconds since 1970, when it was played last; 0 is never.
    public var played: UInt32 = 0
    /// 0 to 1, as the user has rated it; below 0 not.
    public var rating: Float = -1

    public init(plays: UInt32 = 0, played: UInt32 = 0, rating: Float = -1) {
      self.plays = plays
      self.played = played
      self.rating = rating
    }

    /// What is known of it under another path too, until it is played the next time: of the ratings
    /// the later played one's.
    mutating func add(plays: UInt32, played: UInt32, rating: Float) {
      let (sum, isBeyond) = self.plays.addingReportingOverflow(plays)
      self.plays = isBeyond ? .max : sum
      if rating >= 0, self.rating < 0 || played > self.played { self.rating = rating }
      self.played = max(self.played, played)
    }
  }

  /// Reads all of it.
  public init(_ database: Database) throws(DatabaseError) {
    let count = Int(try database.integer("SELECT max(rowid) FROM search") ?? 0)
    var rows = Rows(capacity: min(count, Self.mostExpected))
    let places = try readFolders(database)
    try database.rows("SELECT track, folder, added, facts, text FROM search WHERE missing IS NULL")
    { rows.take($0, places) }
    (ids, facts, added) = (rows.ids, rows.facts, rows.added)
    (folder, text, starts) = (rows.folder, rows.text, rows.starts)
  }

  /// More is not made room for before it is there.
  private static let mostExpected = 200_000

  /// What is being read: local, so that each row costs no more than its bytes.
  private struct Rows {
    var ids: [Int64] = []
    var facts: [SearchEntry.Facts] = []
    var added: [UInt32] = []
    var folder: [UInt32] = []
    var text: [UInt8] = []
    var starts: [UInt32] = [0]
    private var lastID: Int64 = -1
    private var lastPlace: UInt32 = 0

    init(capacity: Int) {
      ids.reserveCapacity(capacity)
      facts.reserveCapacity(capacity)
      added.reserveCapacity(capacity)
      folder.reserveCapacity(capacity)
      starts.reserveCapacity(capacity + 1)
      text.reserveCapacity(capacity * 90)
    }

    mutating func take(_ row: Row, _ places: [Int64: UInt32]) {
      let folderID = row.integer(1)
      if folderID != lastID {
        guard let place = places[folderID] else { return }
        lastID = folderID
        lastPlace = place
      }
      let before = text.count
      row.withBytes(4) { text.append(contentsOf: $0) }
      // Whatever the file holds: an entry has an end, and all have room.
      guard text.count > before, text.last == SearchEntry.entryEnd, text.count <= Int(UInt32.max)
      else {
        text.removeLast(text.count - before)
        return
      }
      ids.append(row.integer(0))
      folder.append(lastPlace)
      added.append(UInt32(clamping: row.integer(2)))
      facts.append(row.withBytes(3) { SearchEntry.Facts($0) })
      starts.append(UInt32(text.count))
    }
  }

  private func readFolders(_ database: Database) throws(DatabaseError) -> [Int64: UInt32] {
    var roots: [[UInt8]] = []
    try database.rows("SELECT path FROM root") { roots.append($0.bytes(0)) }
    var places: [Int64: UInt32] = [:]
    try database.rows("SELECT id, path FROM folder") { row in
      let path = row.bytes(1)
      let root = roots.filter { Self.isWithin(path, $0) }.map(\.count).max() ?? 0
      let shown = Folding.folded(root == 0 ? path : Array(path[root...]))
      let head = root == 0 ? [] : Folding.folded(Array(path[..<root]))
      places[row.integer(0)] = UInt32(folders.count)
      folders.append(Folder(id: row.integer(0), path: head + shown, shown: shown))
      folderText += shown
      folderText.append(SearchEntry.entryEnd)
      folderStarts.append(UInt32(folderText.count))
    }
    return places
  }

  private static func isWithin(_ path: [UInt8], _ root: [UInt8]) -> Bool {
    guard path.starts(with: root) else { return false }
    return path.count == root.count || root.last == 0x2F || path[root.count] == 0x2F
  }

  /// The bytes of one field of a row, as places in `text`.
  func field(_ field: SearchEntry.Field, _ row: Int) -> Range<Int> {
    text.withUnsafeBytes { text in
      var start = Int(starts[row])
      let end = Int(starts[row + 1]) - 1
      var left = field.rawValue
      var place = start
      while place < end {
        if text[place] == SearchEntry.fieldEnd {
          if left == 0 { return start..<place }
          left -= 1
          start = place + 1
        }
        place += 1
      }
      return left == 0 ? start..<end : end..<end
    }
  }

  /// Artist, album artist and album of a row, beside one another.
  func albumFields(_ row: Int) -> Range<Int> {
    text.withUnsafeBytes { text in
      let end = Int(starts[row + 1]) - 1
      func next(_ place: Int) -> Int {
        guard place < end,
          let hit = memchr(text.baseAddress! + place, Int32(SearchEntry.fieldEnd), end - place)
        else { return end }
        return UnsafeRawPointer(hit) - text.baseAddress!
      }
      let start = min(next(Int(starts[row])) + 1, end)
      let artist = next(start)
      let albumArtist = next(min(artist + 1, end))
      return start..<next(min(albumArtist + 1, end))
    }
  }
}
