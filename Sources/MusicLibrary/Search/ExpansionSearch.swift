/// Searches among the arguments of an expansion.
extension Expansion {
  static let searchPrefix = Array("search:".utf8)

  /// True for words that mean tracks of the collection.
  static func isOfCollection(_ argument: [UInt8]) -> Bool {
    argument.starts(with: searchPrefix) || argument.starts(with: CatalogPlace.prefix)
  }

  /// The tracks of `search:QUERY` or `library:PLACE`.
  static func found(_ argument: [UInt8], _ collection: MusicCollection) -> [Item] {
    guard argument.starts(with: searchPrefix) else {
      guard let place = CatalogPlace(argument) else {
        return [.fault(LibraryFault(path: argument, sentence: "no place of the collection"))]
      }
      return items(argument) { () throws(MusicCollection.Fault) in try collection.tracks(place) }
    }
    let text = String(decoding: argument.dropFirst(searchPrefix.count), as: UTF8.self)
    do throws(QueryError) {
      return tracks(SavedSearch(try Query(text)), argument, collection)
    } catch {
      return [.fault(LibraryFault(path: argument, sentence: error.sentence))]
    }
  }

  /// The tracks of a saved search.
  static func saved(_ path: [UInt8], _ collection: MusicCollection) -> [Item] {
    do throws(LibraryFault) {
      return tracks(try SavedSearch(file: path), path, collection)
    } catch {
      return [.fault(error)]
    }
  }

  private static func tracks(
    _ search: SavedSearch, _ path: [UInt8], _ collection: MusicCollection
  ) -> [Item] {
    items(path) { () throws(MusicCollection.Fault) in try collection.tracks(search) }
  }

  private static func items(
    _ path: [UInt8], _ tracks: () throws(MusicCollection.Fault) -> [ListedTrack]
  ) -> [Item] {
    do throws(MusicCollection.Fault) {
      let tracks = try tracks()
      guard tracks.isEmpty else { return tracks.map(Item.track) }
      return [.fault(LibraryFault(path: path, sentence: "nothing in the collection matches"))]
    } catch {
      return [.fault(LibraryFault(path: path, sentence: error.sentence))]
    }
  }
}
