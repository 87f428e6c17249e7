import Database

/// Where the collection is: its index and the player's history, which are only read. What a word
/// `search:QUERY` or a saved search among paths stands for comes from here. Blocks.
public struct MusicCollection: Sendable {
  /// The path of the index; nil where there is no place for one.
  public var index: [UInt8]?
  public var history: [UInt8]?

  public init(index: [UInt8]?, history: [UInt8]? = nil) {
    self.index = index
    self.history = history
  }

  /// Why the collection cannot be searched, without a full stop.
  public enum Fault: Error, Hashable, Sendable {
    /// Nothing was scanned yet.
    case none
    case other(String)

    /// What a searcher has thrown.
    public init(reading error: any Error) {
      self =
        switch error {
        case let fault as Fault: fault
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

  public func open() throws(Fault) -> Searcher {
    guard let index, FileProbe.kind(index) != .missing else { throw .none }
    do throws(DatabaseError) {
      return try Searcher(path: index, history: history)
    } catch {
      throw Fault(reading: error)
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
      throw Fault(reading: error)
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
      throw Fault(reading: error)
    }
  }
}
