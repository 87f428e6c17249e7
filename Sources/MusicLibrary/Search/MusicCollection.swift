import Database

/// Where the collection is: its index and the player's history, which are only read. What a word
/// `search:QUERY` or a saved search among paths stands for comes from here. Blocks.
public struct MusicCollection: Sendable {
  /// The path of the index; nil where there is no place for one.
  public var index: [UInt8]?
  public var history: [UInt8]?
  /// Where `playlist:NAME` among paths is looked for.
  public var playlists: PlaylistFolder?

  public init(index: [UInt8]?, history: [UInt8]? = nil, playlists: PlaylistFolder? = nil) {
    self.index = index
    self.history = history
    self.playlists = playlists
  }

  /// Why the collection cannot be searched, without a full stop.
  public enum Fault: Error, Hashable, Sendable {
    /// Nothing was scanned yet.
    case none
    case other(String)

    fileprivate init(reading error: any Error) {
      self =
        switch error {
        case let fault as Fault: fault
        case let error as DatabaseError where error.cause == .corrupt:
          .other(
            error.isDamage
              ? "the collection is damaged: 'sotto scan' reads all anew"
              : "the collection cannot be read: \(error.sentence); 'sotto scan' reads all anew")
        case let error as DatabaseError:
          .other("the collection cannot be read: \(error.sentence)")
        default: .other("the collection cannot be read")
        }
    }

    public var sentence: String {
      switch self {
      case .none: "there is no collection yet: 'sotto scan DIR' makes one"
      case .other(let sentence): sentence
      }
    }
  }

  /// What a searcher has thrown. Where the index is damaged, the next scan looks at all of it: one of
  /// which nothing has changed would not come across it.
  public func fault(_ error: any Error) -> Fault {
    if let index, let error = error as? DatabaseError, error.isDamage {
      LibraryFile.suspect(index)
    }
    return Fault(reading: error)
  }

  /// Opens the index to be searched. Blocks; used by one thread at a time.
  public func open() throws(Fault) -> Searcher {
    guard let index, FileProbe.kind(index) != .missing else { throw .none }
    do throws(DatabaseError) {
      return try Searcher(path: index, history: history)
    } catch {
      throw fault(error)
    }
  }

  /// The tracks of a place.
  public func tracks(_ place: CatalogPlace, at clock: SearchClock = .system) throws(Fault)
    -> [ListedTrack]
  {
    let searcher = try open()
    do throws(DatabaseError) {
      return try searcher.listed(place, at: clock)
    } catch {
      throw fault(error)
    }
  }

  /// The tracks of a search.
  public func tracks(_ search: SavedSearch, at clock: SearchClock = .system) throws(Fault)
    -> [ListedTrack]
  {
    let searcher = try open()
    do throws(DatabaseError) {
      return try searcher.listed(
        searcher.search(search.query, by: search.order, limit: search.limit, at: clock))
    } catch {
      throw fault(error)
    }
  }

  /// How many tracks a search finds.
  public func count(_ search: SavedSearch, at clock: SearchClock = .system) throws(Fault) -> Int {
    let searcher = try open()
    do throws(DatabaseError) {
      return try searcher.count(search, at: clock)
    } catch {
      throw fault(error)
    }
  }
}

extension DatabaseError {
  /// SQLite has found it, and not we that it is another version's.
  fileprivate var isDamage: Bool { cause == .corrupt && code != 0 }
}
