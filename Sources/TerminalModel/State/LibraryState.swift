/// Where one is in the collection: in the list of its views, in one of them, in a group of that, or
/// in what a search has found.
public struct LibrarySpot: Hashable, Sendable {
  public enum View: String, CaseIterable, Sendable {
    case albumArtists = "album-artists"
    case artists, albums, genres, folders, years, composers
    case added, plays, played, never, all

    public var name: String {
      switch self {
      case .albumArtists: "Album artists"
      case .artists: "Artists"
      case .albums: "Albums"
      case .genres: "Genres"
      case .folders: "Folders"
      case .years: "Years"
      case .composers: "Composers"
      case .added: "Recently added"
      case .plays: "Most played"
      case .played: "Last played"
      case .never: "Never played"
      case .all: "All tracks"
      }
    }

    /// Its rows are tracks; otherwise what they have in common.
    public var isOfTracks: Bool {
      switch self {
      case .added, .plays, .played, .never, .all: true
      default: false
      }
    }

    /// Within its groups the albums come first.
    var hasAlbums: Bool {
      switch self {
      case .albumArtists, .artists, .genres, .years, .composers: true
      default: false
      }
    }
  }

  /// Nil is the list of views.
  public var view: View?
  /// What the groups are called that were opened, the outer one first.
  public var keys: [[UInt8]]
  /// A search over everything, whatever the view; nil is none.
  public var query: String?

  public init(_ view: View? = nil, keys: [[UInt8]] = [], query: String? = nil) {
    self.view = view
    self.keys = keys
    self.query = query
  }

  /// True where the rows are tracks.
  public var showsTracks: Bool {
    if query != nil { return true }
    guard let view else { return false }
    return view.isOfTracks || keys.count > (view.hasAlbums ? 1 : 0)
  }

  /// True where the rows are albums.
  public var showsAlbums: Bool {
    guard query == nil, let view else { return false }
    return view == .albums && keys.isEmpty || view.hasAlbums && keys.count == 1
  }
}

/// What tracks are sorted by.
public enum LibrarySort: String, CaseIterable, Sendable {
  /// As the place has it: albums, or the newest first.
  case usual
  case title, artist, album, year, duration, added, plays, rating

  var name: String { self == .usual ? "as usual" : self == .duration ? "time" : rawValue }
}

/// What the screen wants to show of the collection. Compared: the same wish has the same answer.
public struct LibraryWish: Hashable, Sendable {
  public var spot: LibrarySpot
  public var sort: LibrarySort
  public var isDescending: Bool
  /// The rows that are seen, and some around them.
  public var first: Int
  public var count: Int

  public init(
    _ spot: LibrarySpot, sort: LibrarySort = .usual, isDescending: Bool = false, first: Int = 0,
    count: Int = 128
  ) {
    self.spot = spot
    self.sort = sort
    self.isDescending = isDescending
    self.first = first
    self.count = count
  }

  /// True when both are of one list.
  func isSameList(_ other: LibraryWish) -> Bool {
    spot == other.spot && sort == other.sort && isDescending == other.isDescending
  }
}

/// A row of the collection.
public struct LibraryRow: Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    case view(LibrarySpot.View)
    case group
    case track
  }

  public var kind: Kind
  /// For people, as all texts here; made safe where it is drawn.
  public var name: String
  public var artist: String
  public var album: String
  public var year: Int?
  /// Seconds.
  public var duration: Double?
  /// How many a group holds.
  public var tracks: Int?
  /// What a group is called within its place.
  public var key: [UInt8]
  /// What stands for it among paths: of a track its file, otherwise a word.
  public var argument: [UInt8]
  /// The same for it and all that follows in its place; empty where it is played alone.
  public var fromHere: [UInt8]

  public init(
    _ kind: Kind, name: String, artist: String = "", album: String = "", year: Int? = nil,
    duration: Double? = nil, tracks: Int? = nil, key: [UInt8] = [], argument: [UInt8] = [],
    fromHere: [UInt8] = []
  ) {
    self.kind = kind
    self.name = name
    self.artist = artist
    self.album = album
    self.year = year
    self.duration = duration
    self.tracks = tracks
    self.key = key
    self.argument = argument
    self.fromHere = fromHere
  }
}

/// Some rows of the collection: what was wished for, and how much there is.
public struct LibraryPage: Equatable, Sendable {
  public var wish: LibraryWish
  public var rows: [LibraryRow]
  /// Of the whole list.
  public var total: Int
  /// Of all tracks.
  public var collection: Int
  /// Why there are no rows.
  public var fault: String?
  /// There is no collection yet.
  public var isEmpty: Bool
  /// What is wrong with a query that is being typed.
  public var problem: String?

  public init(
    _ wish: LibraryWish = LibraryWish(LibrarySpot()), rows: [LibraryRow] = [], total: Int = 0,
    collection: Int = 0, fault: String? = nil, isEmpty: Bool = false, problem: String? = nil
  ) {
    self.wish = wish
    self.rows = rows
    self.total = total
    self.collection = collection
    self.fault = fault
    self.isEmpty = isEmpty
    self.problem = problem
  }

  /// The row of a number, where it is there.
  func row(_ number: Int) -> LibraryRow? {
    let index = number - wish.first
    return rows.indices.contains(index) ? rows[index] : nil
  }
}

/// The view of the collection: which places were opened, and what is searched.
struct LibraryState: Equatable, Sendable {
  struct Step: Equatable, Sendable {
    var spot: LibrarySpot
    /// For people; empty for the list of views.
    var name: String
    var position = ViewState.ListPosition()
  }

  struct Search: Equatable, Sendable {
    var line = LineEditor()
    var isTyping = true
  }

  /// The list of views, and what was opened since.
  var steps = [Step(spot: LibrarySpot(), name: "")]
  var search: Search?
  var sort = LibrarySort.usual
  var isDescending = false
  /// What was marked, in the order of marking.
  var marks: [[UInt8]] = []

  /// What is shown.
  var spot: LibrarySpot {
    if let search, !search.line.text.trimmed.isEmpty {
      return LibrarySpot(query: search.line.text.trimmed)
    }
    return steps[steps.count - 1].spot
  }
}

extension ViewState {
  /// What of the collection the screen shows, and is to be brought; nil in other views. The same
  /// while one stays within some pages.
  public func libraryWish(_ size: ScreenSize) -> LibraryWish? {
    guard view == .library else { return nil }
    let step = 64
    let top = positions[.library]?.top ?? 0
    return libraryList(
      first: max(top / step - 1, 0) * step, count: (size.rows / step + 4) * step)
  }

  /// The list that is shown, whatever is seen of it.
  func libraryList(first: Int = 0, count: Int = 0) -> LibraryWish {
    let spot = library.spot
    return LibraryWish(
      spot, sort: spot.showsTracks ? library.sort : .usual,
      isDescending: spot.showsTracks && library.isDescending, first: first, count: count)
  }
}
