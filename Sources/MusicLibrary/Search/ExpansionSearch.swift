/// Searches among the arguments of an expansion.
extension Expansion {
  static let searchPrefix = Array("search:".utf8)

  /// True for words that mean tracks of the collection.
  static func isOfCollection(_ argument: [UInt8]) -> Bool {
    argument.starts(with: searchPrefix) || argument.starts(with: CatalogPlace.prefix)
  }

  /// The tracks of `search:QUERY` or `library:PLACE`, at least one.
  static func found(
    _ argument: [UInt8], _ collection: MusicCollection
  ) throws(LibraryFault) -> [ListedTrack] {
    guard argument.starts(with: searchPrefix) else {
      guard let place = CatalogPlace(argument) else {
        throw LibraryFault(path: argument, sentence: "no place of the collection")
      }
      return try some(argument) { () throws(MusicCollection.Fault) in try collection.tracks(place) }
    }
    let text = String(decoding: argument.dropFirst(searchPrefix.count), as: UTF8.self)
    let query: Query
    do throws(QueryError) {
      query = try Query(text)
    } catch {
      throw LibraryFault(path: argument, sentence: error.sentence)
    }
    return try tracks(SavedSearch(query), argument, collection)
  }

  /// The tracks of a saved search, at least one.
  static func saved(
    _ path: [UInt8], _ collection: MusicCollection
  ) throws(LibraryFault) -> [ListedTrack] {
    try tracks(SavedSearch(file: path), path, collection)
  }

  private static func tracks(
    _ search: SavedSearch, _ path: [UInt8], _ collection: MusicCollection
  ) throws(LibraryFault) -> [ListedTrack] {
    try some(path) { () throws(MusicCollection.Fault) in try collection.tracks(search) }
  }

  private static func some(
    _ path: [UInt8], _ tracks: () throws(MusicCollection.Fault) -> [ListedTrack]
  ) throws(LibraryFault) -> [ListedTrack] {
    let found: [ListedTrack]
    do throws(MusicCollection.Fault) {
      found = try tracks()
    } catch {
      throw LibraryFault(path: path, sentence: error.sentence)
    }
    if found.isEmpty {
      throw LibraryFault(path: path, sentence: "nothing in the collection matches")
    }
    return found
  }
}
