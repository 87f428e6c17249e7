import AudioTypes
import Dispatch
import MusicLibrary
import Synchronization
import TerminalModel

/// The collection for the screen, searched on a queue of its own: the newest wish alone is answered,
/// by a page of rows. Nothing is opened before the first wish.
@MainActor final class LibraryReader {
  private let onPage: @MainActor @Sendable (LibraryPage) -> Void
  private let work: LibraryWork
  private let queue = DispatchQueue(label: "sotto.library", qos: .userInitiated)
  /// What was asked for last.
  private var asked: LibraryWish?

  init(_ collection: MusicCollection, onPage: @escaping @MainActor @Sendable (LibraryPage) -> Void)
  {
    self.onPage = onPage
    work = LibraryWork(collection)
  }

  /// What the screen wants to show now; nil is nothing of the collection.
  func follow(_ wish: LibraryWish?) {
    guard let wish, wish != asked else { return }
    asked = wish
    ask(wish)
  }

  /// The collection has changed, or what was played: what is shown is read anew.
  func changed() {
    if let asked { ask(asked) }
  }

  /// Somebody looks: what a scan has brought meanwhile is shown.
  func look() {
    guard let asked else { return }
    queue.async { [work, weak self] in
      guard work.hasChanged() else { return }
      DispatchQueue.main.async {
        MainActor.assumeIsolated { if self?.asked == asked { self?.ask(asked) } }
      }
    }
  }

  private func ask(_ wish: LibraryWish) {
    guard work.put(wish) else { return }
    queue.async { [work, onPage] in
      guard let page = work.next() else { return }
      DispatchQueue.main.async { MainActor.assumeIsolated { onPage(page) } }
    }
  }
}

/// What happens on the queue.
private final class LibraryWork: @unchecked Sendable {
  // Under the lock.
  private let wish = Mutex<LibraryWish?>(nil)
  // On the queue alone.
  private let collection: MusicCollection
  private var searcher: Searcher?
  private var kept: Kept?

  /// The list that was shown last: another page of it is searched for no more.
  private struct Kept {
    var list: LibraryWish
    var listing: Searcher.Listing
    var problem: String?
    var collection: Int
  }

  init(_ collection: MusicCollection) { self.collection = collection }

  /// True when nothing waited: the queue must be asked.
  func put(_ new: LibraryWish) -> Bool {
    wish.withLock { wish in
      defer { wish = new }
      return wish == nil
    }
  }

  /// An index that was not there may be there now.
  func hasChanged() -> Bool {
    guard let searcher else { return true }
    return searcher.isReplaced || searcher.hasChanged()
  }

  func next() -> LibraryPage? {
    let wish = self.wish.withLock { wish in
      defer { wish = nil }
      return wish
    }
    guard let wish else { return nil }
    do {
      return try page(wish)
    } catch {
      // What is damaged may be made anew, and what was not there may come.
      searcher = nil
      kept = nil
      if let fault = error as? MusicCollection.Fault, fault == .none {
        return LibraryPage(wish, isEmpty: true)
      }
      return LibraryPage(wish, fault: collection.fault(error).sentence)
    }
  }

  private func page(_ wish: LibraryWish) throws -> LibraryPage {
    let clock = SearchClock.system
    if searcher?.isReplaced == true {
      searcher = nil
      kept = nil
    }
    let searcher = try self.searcher ?? collection.open()
    self.searcher = searcher
    guard let view = wish.spot.view ?? (wish.spot.query == nil ? nil : .all) else {
      return try views(wish, searcher, clock)
    }
    var list = wish
    (list.first, list.count) = (0, 0)
    let isKept = kept?.list == list && !searcher.hasChanged()
    let kept = isKept ? self.kept! : try look(list, view, searcher, clock)
    self.kept = kept
    let range = wish.first..<wish.first + wish.count
    var page = LibraryPage(
      wish, total: kept.listing.count, collection: kept.collection, problem: kept.problem)
    page.isEmpty = kept.collection == 0
    switch kept.listing {
    case .groups(let groups):
      page.rows = try searcher.rows(groups, range).map { Self.row($0, wish.spot, view) }
    case .tracks(let result):
      page.rows = try searcher.tracks(result, range).map { Self.row($0, wish, view) }
    }
    return page
  }

  private func look(
    _ list: LibraryWish, _ view: LibrarySpot.View, _ searcher: Searcher, _ clock: SearchClock
  ) throws -> Kept {
    let order = list.order
    var problem: String?
    let listing: Searcher.Listing
    if let text = list.spot.query {
      let (query, fault) = Query.typed(text)
      problem = fault?.sentence
      listing = .tracks(try searcher.search(query, by: order ?? CatalogOrder(), at: clock))
    } else {
      listing = try searcher.listing(
        view.list, keys: list.spot.keys, hasAlbums: !list.spot.showsTracks, by: order, at: clock)
    }
    return Kept(
      list: list, listing: listing, problem: problem, collection: try searcher.total(clock))
  }

  /// The list of views, which is the same whatever there is.
  private func views(
    _ wish: LibraryWish, _ searcher: Searcher, _ clock: SearchClock
  ) throws -> LibraryPage {
    let views = LibrarySpot.View.allCases
    let total = try searcher.total(clock)
    let range = (wish.first..<wish.first + wish.count).clamped(to: 0..<views.count)
    return LibraryPage(
      wish,
      rows: views[range].map { view in
        LibraryRow(
          .view(view), name: view.name,
          argument: CatalogPlace.list(view.list, keys: [], from: nil).argument)
      }, total: views.count, collection: total, isEmpty: total == 0)
  }

  // MARK: Rows

  private static func row(
    _ group: Searcher.Group, _ spot: LibrarySpot, _ view: LibrarySpot.View
  ) -> LibraryRow {
    LibraryRow(
      .group, name: group.name, artist: group.artist ?? "", year: group.year,
      duration: group.duration, tracks: group.tracks, key: group.key,
      argument: CatalogPlace.list(view.list, keys: spot.keys + [group.key], from: nil).argument)
  }

  private static func row(
    _ found: FoundTrack, _ wish: LibraryWish, _ view: LibrarySpot.View
  ) -> LibraryRow {
    let track = found.track
    let isPart = track.start > 0 || track.end != nil
    let artists = track.artists.isEmpty ? track.albumArtists : track.artists
    var row = LibraryRow(
      .track,
      name: track.title
        ?? String(
          decoding: found.path[((found.path.lastIndex(of: 0x2F) ?? -1) + 1)...], as: UTF8.self),
      artist: artists.joined(separator: ", "), album: track.album ?? "", year: track.year,
      duration: track.duration,
      argument: isPart ? CatalogPlace.track(found.id).argument : found.path)
    // An album plays on; what was found or sorted is played alone.
    if !wish.spot.keys.isEmpty, wish.order == nil {
      row.fromHere =
        CatalogPlace.list(view.list, keys: wish.spot.keys, from: found.id).argument
    }
    return row
  }
}

extension LibraryWish {
  /// Nil is that of the place.
  fileprivate var order: CatalogOrder? {
    let column: CatalogOrder.Column? =
      switch sort {
      case .usual: isDescending ? .album : nil
      case .title: .title
      case .artist: .artist
      case .album: .album
      case .year: .year
      case .duration: .duration
      case .added: .added
      case .plays: .plays
      case .rating: .rating
      }
    return column.map { CatalogOrder($0, descending: isDescending) }
  }
}

extension LibrarySpot.View {
  fileprivate var list: CatalogPlace.List {
    switch self {
    case .albumArtists: .groups(.albumartists)
    case .artists: .groups(.artists)
    case .albums: .groups(.albums)
    case .genres: .groups(.genres)
    case .folders: .groups(.folders)
    case .years: .groups(.years)
    case .composers: .groups(.composers)
    case .added: .added
    case .plays: .plays
    case .played: .played
    case .never: .never
    case .all: .all
    }
  }
}
