import AudioTypes
import Database
import Foundation
import Tags

@testable import MusicLibrary

/// An index in memory that tests fill, and a searcher of it.
final class Shelf {
  let index: LibraryIndex
  let searcher: Searcher
  private var node: Int64 = 0

  /// 2026-01-31, 12:00; days begin at midnight in Greenwich.
  static let now: Int64 = 1_769_860_800
  static let clock = SearchClock(now: now) { year, month, day in
    days(year, month, day) * 86_400
  }

  init(history: [UInt8]? = nil) throws {
    index = try LibraryIndex(Database.inMemory())
    searcher = Searcher(index.database, history: history)
  }

  /// Days since 1970; months beyond the end go on.
  static func days(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
    let months = year * 12 + month - 1
    let (year, month) = (months / 12, months % 12 + 1)
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    return Int64(
      era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468)
  }

  /// Puts a track at a path.
  @discardableResult
  func put(
    _ path: String, added: Int64 = Shelf.now, _ fill: (inout TrackRecord) -> Void = { _ in }
  ) throws -> Int64 {
    var track = TrackRecord()
    fill(&track)
    return try put(path, added: added, [track])
  }

  @discardableResult
  func put(_ path: String, added: Int64 = Shelf.now, _ tracks: [TrackRecord]) throws -> Int64 {
    node += 1
    let bytes = Array(path.utf8)
    let folder = try index.folder(Paths.folder(bytes))
    let file = try index.put(
      file: Paths.name(bytes), in: folder,
      FileIdentity(device: 1, node: node, size: 1, modified: 1), at: added)
    try index.replace(tracks: tracks, of: file)
    searcher.forget()
    return file
  }

  /// What a query finds, by title or else by name.
  func find(_ query: String, by order: String = "album") throws -> [String] {
    let result = try searcher.search(
      Query(query), by: CatalogOrder(order)!, at: Self.clock)
    return try searcher.tracks(result, 0..<result.count).map {
      $0.track.title ?? String(decoding: Paths.name($0.path), as: UTF8.self)
    }
  }

  /// The names of a view, with what is beside them.
  func names(_ view: CatalogView, of query: String = "") throws -> [String] {
    let groups = try searcher.groups(view, of: Query(query), at: Self.clock)
    return try searcher.rows(groups, 0..<groups.count).map { row in
      let artist = row.artist.map { " by \($0)" } ?? ""
      let year = row.year.map { " (\($0))" } ?? ""
      return "\(row.name)\(artist)\(year): \(row.tracks)"
    }
  }
}

/// A folder that ends with this value.
final class Scratch {
  let path = FileManager.default.temporaryDirectory.path + "/sotto-" + UUID().uuidString

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
