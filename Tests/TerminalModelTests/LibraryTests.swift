import PlayerState
import Testing

@testable import TerminalModel

/// The view of the collection, over rows that a test brings.
@Suite struct LibraryTests {
  /// A collection of one artist with two albums, brought as the program does it.
  private struct Shelf {
    var stage = Stage()
    /// How many tracks a list of tracks has.
    var count = 3
    var wishes: [LibraryWish] = []

    init() { press("8") }

    mutating func press(_ keys: String...) {
      for key in keys {
        stage.press(key)
        bring()
      }
    }

    mutating func type(_ text: String) {
      for character in text {
        stage.type(String(character))
        bring()
      }
    }

    mutating func bring() {
      guard let wish = stage.view.libraryWish(stage.size), wishes.last != wish else { return }
      wishes.append(wish)
      stage.content.library = page(wish)
      stage.view.settle(stage.snapshot, stage.content, stage.size, stage.style)
    }

    func page(_ wish: LibraryWish) -> LibraryPage {
      let spot = wish.spot
      var rows: [LibraryRow] = []
      var total = 0
      if spot.showsTracks {
        total = count
        rows = (wish.first..<min(wish.first + wish.count, count)).map { number in
          LibraryRow(
            .track, name: "Track \(number + 1)", artist: "Björk", album: "Post", year: 1995,
            duration: 100, argument: Array("/m/\(number + 1).flac".utf8),
            fromHere: spot.keys.isEmpty ? [] : Array("library:from/\(number + 1)".utf8))
        }
      } else if spot.view == nil {
        rows = LibrarySpot.View.allCases.map {
          LibraryRow(.view($0), name: $0.name, argument: Array("library:\($0.rawValue)".utf8))
        }
        total = rows.count
      } else {
        rows = (spot.keys.isEmpty ? ["Björk", ""] : ["Debut", "Post"]).map {
          LibraryRow(
            .group, name: $0, tracks: 3, key: Array($0.lowercased().utf8),
            argument: Array("library:x/\($0)".utf8))
        }
        total = rows.count
      }
      return LibraryPage(wish, rows: rows, total: total, collection: 100)
    }

    var selected: Int { stage.view.position.selected }
  }

  @Test func `One goes from the views to artists, albums and tracks, and back to where one was`() {
    var shelf = Shelf()
    #expect(shelf.stage.place(of: "Album artists") != nil)
    shelf.press("j", "enter")
    #expect(shelf.wishes.last?.spot == LibrarySpot(.artists))
    #expect(shelf.stage.place(of: "unknown") != nil)
    shelf.press("enter", "j", "enter")
    #expect(
      shelf.wishes.last?.spot
        == LibrarySpot(.artists, keys: [Array("björk".utf8), Array("post".utf8)]))
    #expect(shelf.stage.place(of: "Track 2") != nil)
    shelf.press("backspace")
    #expect(shelf.selected == 1)
    shelf.press("backspace", "backspace")
    #expect(shelf.wishes.last?.spot == LibrarySpot() && shelf.selected == 1)
    shelf.press("backspace")
    #expect(shelf.stage.view.view == .library)
    #expect(shelf.stage.asked() == [])
  }

  @Test
  func `Enter plays a track, in an album with all that follows, and keys queue or preview it`() {
    var shelf = Shelf()
    shelf.press("j", "enter", "enter", "enter", "j", "enter")
    #expect(shelf.stage.asked() == ["open library:from/2"])
    shelf.press("e", "E", "P")
    #expect(
      shelf.stage.asked() == ["add /m/2.flac", "add-next /m/3.flac", "preview /m/3.flac"])
    shelf.press("backspace", "g", "e")
    #expect(shelf.stage.asked() == ["add library:x/Debut"])
    shelf.press("g", "t", "t", "e")
    #expect(shelf.stage.asked() == ["add library:x/Debut library:x/Post"])
    shelf.press("g", "t", "escape", "e")
    #expect(shelf.stage.asked() == ["add library:x/Post"])
  }

  @Test func `A search is asked for at each letter, and ends where it began`() {
    var shelf = Shelf()
    shelf.press("j", "enter", "j", "/")
    let before = shelf.wishes.count
    shelf.type("bj q")
    #expect(shelf.wishes[before...].compactMap(\.spot.query) == ["b", "bj", "bj q"])
    #expect(shelf.stage.lines.last?.contains("/bj q") == true)
    #expect(shelf.stage.asked() == [])
    shelf.press("down", "enter")
    #expect(shelf.selected == 1 && !shelf.stage.view.isSearching)
    shelf.press("enter", "e")
    #expect(shelf.stage.asked() == ["open /m/2.flac", "add /m/2.flac"])
    shelf.press("/", "backspace")
    #expect(shelf.wishes.last?.spot.query == "bj")
    shelf.press("escape")
    #expect(shelf.wishes.last?.spot == LibrarySpot(.artists) && shelf.selected == 1)
    shelf.press("/", "backspace")
    #expect(!shelf.stage.view.isSearching)
  }

  @Test func `A search can be a command, with quotes of its own`() throws {
    var shelf = Shelf()
    shelf.press("2", ":")
    shelf.type("search artist:\"sigur rós\" -live")
    shelf.press("enter")
    #expect(shelf.stage.view.view == .library)
    #expect(shelf.wishes.last?.spot.query == "artist:\"sigur rós\" -live")
    let command = ScreenCommand.view(.search("artist:\"sigur rós\" -live"))
    #expect(try ScreenCommand(command.text) == command)
    #expect(try ScreenCommand("search") == .view(.search("")))
    #expect(throws: CommandError.self) { try ScreenCommand("sort colour") }
    #expect(try ScreenCommand("sort title") == .view(.sort(.title)))
  }

  @Test func `Rows come by pages, and a page is asked for once`() {
    var shelf = Shelf()
    shelf.count = 100_000
    shelf.press("/")
    shelf.type("a")
    shelf.press("enter")
    let before = shelf.wishes.count
    for _ in 0..<50 { shelf.press("j") }
    #expect(shelf.wishes.count == before)
    shelf.press("G")
    #expect(shelf.selected == 99_999)
    #expect(shelf.stage.place(of: "Track 100000") != nil)
    #expect(shelf.wishes.count == before + 1)
    #expect(shelf.stage.content.library.rows.count < 400)
    shelf.press("k", "k", "e")
    #expect(shelf.stage.asked() == ["add /m/99998.flac"])
  }

  @Test func `Rows of another place are not taken for those of this one`() {
    var shelf = Shelf()
    shelf.press("j", "enter")
    // What is found now has not come yet.
    shelf.stage.press("/")
    shelf.stage.type("x")
    shelf.stage.press("enter", "enter", "e", "t", "P")
    #expect(shelf.stage.asked() == [])
    shelf.stage.press("backspace")
    #expect(shelf.stage.asked() == [])
  }

  @Test func `A click on the head of a column sorts by it, then the other way, then as usual`() {
    var shelf = Shelf()
    shelf.press("/")
    shelf.type("a")
    shelf.press("enter")
    var sorts: [String] = []
    for _ in 0..<3 {
      shelf.stage.click("Title")
      shelf.bring()
      let wish = shelf.wishes.last!
      sorts.append((wish.isDescending ? "-" : "") + wish.sort.rawValue)
    }
    #expect(sorts == ["title", "-title", "usual"])
    shelf.press("f")
    #expect(shelf.wishes.last?.sort == .title)
    shelf.press("w")
    #expect(shelf.wishes.last?.isDescending == true)
    shelf.stage.click("Track 2")
    shelf.stage.click("Track 2")
    #expect(shelf.stage.asked() == ["open /m/2.flac"])
  }

  @Test func `Without a collection it says how to fill it, and a fault is told`() {
    var stage = Stage()
    stage.press("8")
    #expect(stage.place(of: "Looking") == nil)
    stage.content.library = LibraryPage(LibraryWish(LibrarySpot()), isEmpty: true)
    #expect(stage.place(of: "sotto scan DIR") != nil)
    stage.content.library = LibraryPage(LibraryWish(LibrarySpot()), fault: "it is damaged")
    #expect(stage.place(of: "it is damaged") != nil)
    stage.press("j", "enter", "e", "t", "P", "/")
    stage.type("x")
    #expect(stage.place(of: "Looking") != nil || stage.place(of: "it is damaged") != nil)
    #expect(stage.asked() == [])
  }

  @Test func `Other views ask for nothing of the collection`() {
    var stage = Stage()
    for view in ScreenView.allCases where view != .library {
      stage.press("\(view.rawValue)")
      #expect(stage.view.libraryWish(stage.size) == nil)
    }
  }
}
