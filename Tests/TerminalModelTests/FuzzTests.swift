import AudioSession
import AudioTypes
import Foundation
import PlayQueue
import PlayerState
import Testing

@testable import TerminalModel

/// Random keys, mice, pastes, sizes and snapshots: the screen never traps, never writes outside, and
/// shows no control character.
@Suite struct FuzzTests {
  struct Chance: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  static let hostile = [
    "", " ", "a\u{1B}[2Jb", "\u{1B}]0;x\u{7}", "\r\n\t\u{0}", "戦場の", "👨‍👩‍👧‍👦🇩🇪🏴󠁧󠁢󠁳󠁣󠁴󠁿",
    "e\u{301}\u{302}\u{303}",
    String(repeating: "\u{301}", count: 3000), "\u{202E}rtl\u{202C}", "שלום عليكم",
    "\u{200B}\u{200D}\u{FEFF}",
    "\u{9B}31m\u{85}", "ｱｲｳ", "क्षि", String(repeating: "long ", count: 300), "\u{2028}x\u{2029}",
    "{}%$'\"\\",
    String(repeating: "日", count: 200),
  ]

  static let letters = Array(hostile.joined())

  /// What is wrong with a frame, if anything is.
  static func fault(_ grid: Grid, _ size: ScreenSize) -> String? {
    if grid.columns != size.columns || grid.rows != size.rows { return "the size is wrong" }
    for row in 0..<grid.rows {
      var column = 0
      while column < grid.columns {
        let cell = grid[row, column]
        let place = "row \(row), column \(column)"
        if cell.width == 0 { return "half a character at \(place)" }
        if column + Int(cell.width) > grid.columns {
          return "a character beyond the edge at \(place)"
        }
        if cell.width == 2, grid[row, column + 1].width != 0 {
          return "two in one place at \(place)"
        }
        if CharacterWidth.columns(cell.character) != Int(cell.width) {
          return "a wrong width at \(place)"
        }
        if Text.printable(String(cell.character)) != String(cell.character) {
          return "a control character at \(place)"
        }
        column += Int(cell.width)
      }
    }
    if let cursor = grid.cursor,
      !(0..<grid.rows).contains(cursor.row) || !(0..<grid.columns).contains(cursor.column)
    {
      return "the cursor is outside"
    }
    for picture in grid.pictures
    where picture.row < 0 || picture.column < 0 || picture.row + picture.rows > grid.rows
      || picture.column + picture.columns > grid.columns
    {
      return "a picture is outside"
    }
    return nil
  }

  /// More of them: `SOTTO_SEQUENCES=1000 swift test --filter FuzzTests`.
  static let seeds =
    ProcessInfo.processInfo.environment["SOTTO_SEQUENCES"].flatMap { Int($0) } ?? 24

  @Test(arguments: 0..<seeds) func `Whatever comes, a frame is whole`(_ seed: Int) {
    var chance = Chance(state: UInt64(seed))
    var stage = Stage(tracks: Int.random(in: 0...30, using: &chance))
    let keys =
      KeyTable.defaults.bindings.map(\.key) + [
        Key(.unknown), Key(.function(3)), Key(.character("é")),
      ]
    for _ in 0..<40 {
      let before = stage.snapshot
      change(&stage, &chance)
      let said =
        stage.snapshot.changes(since: before)
        + Control.allCases.map { stage.snapshot.description(of: $0, at: stage.snapshot.at) }
      for line in said where Text.printable(line) != line || line.isEmpty {
        Issue.record("seed \(seed): said \(line)")
      }
      stage.size = ScreenSize(
        columns: Int.random(in: 1...140, using: &chance),
        rows: Int.random(in: 1...50, using: &chance))
      for _ in 0..<Int.random(in: 0...5, using: &chance) {
        stage.input(input(&chance, stage.size, keys))
        bring(&stage, &chance)
      }
      let seconds = [0, 0.5, 1e6, -5, .infinity, .nan].randomElement(using: &chance)!
      if let fault = Self.fault(stage.frame(after: seconds), stage.size) {
        Issue.record("seed \(seed), \(stage.size): \(fault)\n\(stage.frame().text)")
        return
      }
      for command in stage.commands {
        #expect((try? PlayerCommand(command.text)) == command, "\(command.text)")
      }
      stage.commands = []
    }
  }

  /// Some rows of the collection, for what is wished for or was, whatever their numbers say.
  private func bring(_ stage: inout Stage, _ chance: inout Chance) {
    guard Bool.random(using: &chance), var wish = stage.view.libraryWish(stage.size) else { return }
    if Int.random(in: 0..<4, using: &chance) == 0 { wish.first += 64 }
    func word() -> String { Self.hostile.randomElement(using: &chance)! }
    let kinds: [LibraryRow.Kind] = [.group, .track, .view(.albums)]
    stage.content.library = LibraryPage(
      wish,
      rows: (0..<Int.random(in: 0..<40, using: &chance)).map { _ in
        LibraryRow(
          kinds.randomElement(using: &chance)!, name: word(), artist: word(), album: word(),
          year: Bool.random(using: &chance) ? Int.random(in: -9...99_999, using: &chance) : nil,
          duration: [nil, 0, 1e9, -1, .nan].randomElement(using: &chance)!,
          tracks: Bool.random(using: &chance) ? 7 : nil, key: Array(word().utf8),
          argument: Array(word().utf8))
      }, total: Int.random(in: 0..<100_000, using: &chance), collection: 5,
      problem: Bool.random(using: &chance) ? word() : nil)
  }

  private func input(_ chance: inout Chance, _ size: ScreenSize, _ keys: [Key]) -> TerminalInput {
    switch Int.random(in: 0..<10, using: &chance) {
    case 0:
      let actions: [MouseEvent.Action] = [
        .press(.left), .press(.right), .press(.middle), .drag(.left), .release,
        .scroll(down: true), .scroll(down: false),
      ]
      return .mouse(
        MouseEvent(
          actions.randomElement(using: &chance)!,
          row: Int.random(in: -2...size.rows + 2, using: &chance),
          column: Int.random(in: -2...size.columns + 2, using: &chance)))
    case 1: return .paste((["/m/x", "file:///%zz"] + Self.hostile).randomElement(using: &chance)!)
    case 2: return .focus(Bool.random(using: &chance))
    case 3: return .key(Key(.character(Self.letters.randomElement(using: &chance)!)))
    case 4: return .key(Key(.character("123456789".randomElement(using: &chance)!), .alt))
    default: return .key(keys.randomElement(using: &chance)!)
    }
  }

  private func change(_ stage: inout Stage, _ chance: inout Chance) {
    func word() -> String { Self.hostile.randomElement(using: &chance)! }
    let odd: [Double] = [0, -1, 1, 83, 1e9, 1e300, .infinity, -.infinity, .nan]
    func number() -> Double { odd.randomElement(using: &chance)! }
    switch Int.random(in: 0..<12, using: &chance) {
    case 0:
      stage.happen(
        [
          .play(.key), .pause(.key), .stop(.key), .next(.key), .silent(true), .lock(true),
          .begin(
            id: word(), kind: BlockerKind.allCases.randomElement(using: &chance), source: word()),
          .begin(id: "c", kind: .call, source: word()), .end(id: "c", shouldResume: false),
          .serverLost, .sleep(true), .trackFailed,
        ].randomElement(using: &chance)!)
    case 1:
      stage.snapshot.queue.add([
        QueueEntry(TrackLocation(word()), title: word(), artist: word(), duration: number())
      ])
    case 2: stage.snapshot.queue.remove([0, 3, Int.random(in: 0...40, using: &chance)])
    case 3:
      stage.snapshot.position = number()
      stage.snapshot.duration = Bool.random(using: &chance) ? nil : number()
    case 4:
      stage.snapshot.deviceName = word()
      stage.snapshot.deviceVolume = [nil, 0, 100, 153, -4, .max, .min].randomElement(
        using: &chance)!
      stage.snapshot.ringerVolume = [0, 100, .max].randomElement(using: &chance)!
      stage.snapshot.level = [0, 50, .max, .min].randomElement(using: &chance)!
    case 5:
      stage.snapshot.info?.tags = [
        ("title", word()), ("artist", word()), ("album", word()), ("date", word()),
      ]
      stage.snapshot.info?.chapters = (0..<4).map { _ in .init(start: number(), title: word()) }
      stage.snapshot.replayGain = number()
      stage.snapshot.gainMode = .album
      stage.snapshot.duckedGain = number()
    case 6:
      stage.snapshot.lyrics = (0..<9).map { _ in
        .init(start: Bool.random(using: &chance) ? number() : nil, text: word())
      }
      stage.snapshot.peaks = (0..<Int.random(in: 0...9, using: &chance)).map { _ in
        UInt8.random(in: 0...255, using: &chance)
      }
    case 7:
      stage.content.levels = (0..<Int.random(in: 0...4, using: &chance)).map { _ in Float(number())
      }
      stage.content.spectrum = (0..<Int.random(in: 0...90, using: &chance)).map { _ in
        Float(number())
      }
    case 8:
      let rows = Int.random(in: 0...9, using: &chance)
      let columns = Int.random(in: 0...90, using: &chance)
      stage.content.cover = Cover(
        picture: 1, rows: rows, columns: columns,
        cells: (0..<rows * columns).map { _ in
          Cell(
            Self.letters.randomElement(using: &chance)!,
            width: UInt8.random(in: 0...3, using: &chance))
        })
    case 9:
      stage.content.files = Listing(
        path: Array(word().utf8),
        rows: (0..<20).map { _ in
          .init(.folder, path: Array(word().utf8), name: word(), detail: word())
        },
        fault: Bool.random(using: &chance) ? word() : nil,
        revision: Int.random(in: 0...9, using: &chance))
      stage.content.playlists = stage.content.files
    case 10:
      stage.snapshot.call =
        Bool.random(using: &chance)
        ? .init(name: word(), phase: .ringing, since: .seconds(number())) : nil
      stage.snapshot.notice = .init(word(), isFault: true, at: .seconds(number()))
      stage.snapshot.devices = (0..<5).map { _ in
        .init(
          id: word(), name: word(), server: word(), routeClass: .network,
          isCurrent: Bool.random(using: &chance))
      }
    default:
      stage.snapshot.index = [nil, 0, 5, 999].randomElement(using: &chance)!
      stage.snapshot.queue.select(Int.random(in: -1...30, using: &chance))
      stage.style.glyphs = Bool.random(using: &chance) ? .ascii : .unicode
      stage.style.settings.showCursor.toggle()
      stage.style.settings.digits = Bool.random(using: &chance) ? .counts : .views
    }
  }

  @Test func `Every size from one cell on is drawn`() {
    for scene in [Scene.everything, .ringing, .menu, .why, .help, .queue, .command] {
      var stage = scene.stage
      for columns in [1, 2, 5, 13, 20, 25, 26, 39, 40, 79, 80, 100, 111] {
        for rows in [1, 2, 3, 4, 6, 7, 9, 10, 16, 20, 34, 40] {
          stage.size = ScreenSize(columns: columns, rows: rows)
          let fault = Self.fault(stage.frame(), stage.size)
          #expect(fault == nil, "\(scene) at \(columns)x\(rows)")
        }
      }
    }
  }

  @Test func `With ASCII signs a frame of ASCII texts is all ASCII`() {
    for scene in Scene.allCases {
      var stage = scene.stage
      stage.style.glyphs = .ascii
      stage.content.cover = nil
      stage.content.files.rows.removeAll { !$0.name.allSatisfy(\.isASCII) }
      stage.content.library.rows.removeAll { !($0.name + $0.artist).allSatisfy(\.isASCII) }
      for step in stage.view.library.steps.indices { stage.view.library.steps[step].name = "A" }
      stage.snapshot.queue = PlayQueue([
        QueueEntry(TrackLocation("/m/x.flac"), title: "Title", artist: "Artist", duration: 60)
      ])
      stage.snapshot.info?.tags = []
      stage.snapshot.info?.chapters = []
      stage.snapshot.decisions.removeAll { !$0.sentence.allSatisfy(\.isASCII) }
      let text = stage.frame().text
      let others = text.filter { !$0.isASCII }
      #expect(others.isEmpty, "\(scene)")
    }
  }

  @Test func `Only the rows that are seen are looked at`() {
    // A row that is drawn without being seen would cost this test ten minutes.
    let long = String(repeating: "x", count: 2_000_000)
    var stage = Stage(tracks: 0)
    var entries = (0..<50_000).map {
      QueueEntry(TrackLocation("/m/\($0).flac"), title: long, duration: 60)
    }
    for index in 24_000..<24_100 { entries[index].title = "seen \(index)" }
    stage.snapshot.queue = PlayQueue(entries)
    stage.press("2")
    stage.press(":")
    stage.type("24050")
    stage.press("enter")
    #expect(stage.frame().text.contains("seen 24050"))
    for _ in 0..<20 { stage.press("j", "k") }
    // A long one that is seen is read as far as it is shown.
    stage.press("g")
    #expect(stage.frame().text.contains("xxx"))
  }
}
