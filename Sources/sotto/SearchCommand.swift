import AudioTypes
import Glibc
import JSONText
import MusicLibrary
import TerminalScreen

/// `sotto search`: what the collection has.
@MainActor enum SearchCommand {
  static func run(_ options: SearchOptions) {
    if let name = options.save { return save(options, as: name) }
    let collection = LibraryPlace.collection
    do {
      let searcher = try collection.open()
      let result = try searcher.search(
        options.query, by: options.order, limit: options.limit, at: .system)
      if result.count == 0 {
        if !options.json, showsTable { Console.print("Nothing matches.") }
      } else if options.json {
        try eachPage(searcher, result) { track in
          let json = FoundText.json(track)
          Console.write(json.text(isASCII: !Environment.isUTF8) + "\n")
        }
      } else if showsTable {
        try table(searcher, result)
      } else {
        try paths(searcher, result)
      }
    } catch {
      Messages.tell(LibraryPlace.collection.fault(error).sentence)
      Messages.status = 1
    }
    Console.endIfBroken()
  }

  // MARK: Saving

  private static func save(_ options: SearchOptions, as name: [UInt8]) {
    let configuration = Configuration.read(options.config)
    configuration.tellFaults()
    let search = SavedSearch(options.query, order: options.order, limit: options.limit)
    do throws(LibraryFault) {
      let path = try Playlists.path(ofSearch: name, configuration.settings)
      let bytes = Array(search.text.utf8)
      guard (try? SavedSearch(reading: bytes)) == search else {
        throw LibraryFault(path: name, sentence: "such a search cannot be written in a line")
      }
      let isThere = unsafe access(path.map { CChar(bitPattern: $0) } + [0], F_OK) == 0
      guard !isThere || options.replaces else {
        throw LibraryFault(path: path, sentence: "is there already: --replace takes its place")
      }
      Folders.make(PlaylistPath.folder(path), mode: 0o755)
      if let sentence = WholeFile.write(bytes, to: path) {
        throw LibraryFault(path: path, sentence: sentence)
      }
      let count = (try? LibraryPlace.collection.count(search)).map {
        ": \($0 == 1 ? "1 track" : "\($0) tracks") now"
      }
      Console.print("Saved as \(Text.printable(path))\(count ?? "")")
    } catch {
      Messages.fault(error.path, error.sentence)
    }
    Console.endIfBroken()
  }

  /// People see a table, programs paths.
  private static var showsTable: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Rows that are read at once.
  private static let page = 500

  private static func eachPage(
    _ searcher: Searcher, _ result: Searcher.Result, _ body: (FoundTrack) -> Void
  ) throws {
    for start in stride(from: 0, to: result.count, by: page) where !Console.isBroken {
      for track in try searcher.tracksWithHistory(result, start..<start + page) { body(track) }
      Console.flush()
    }
  }

  /// Paths for other programs, as they are: a file once, also where it holds many tracks.
  private static func paths(_ searcher: Searcher, _ result: Searcher.Result) throws {
    var last: [UInt8] = []
    try eachPage(searcher, result) { track in
      guard track.path != last else { return }
      last = track.path
      Console.write(track.path + [0x0A])
    }
  }

  private static func table(_ searcher: Searcher, _ result: Searcher.Result) throws {
    let table = FoundTable(columns: Terminal.size.columns)
    try eachPage(searcher, result) { Console.print(table.line($0)) }
    let count = result.count == 1 ? "1 track" : "\(result.count) tracks"
    Console.print("\(count), \(StatusLine.clock(result.duration))")
  }
}
