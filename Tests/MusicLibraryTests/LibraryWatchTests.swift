import Database
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import MusicLibrary

/// When a watch scans; in seconds of no clock.
@Suite struct WatchPauseTests {
  @Test func `A scan comes a second after the last change, and soon while changes go on`() {
    var pauses = WatchPauses()
    #expect(pauses.due == nil)
    pauses.changed(at: 10)
    #expect(pauses.due == 11)
    pauses.changed(at: 10.75)
    #expect(pauses.due == 11.75)
    for tenth in 110...160 { pauses.changed(at: Double(tenth) / 10) }
    #expect(pauses.due == 15)
  }

  @Test func `Long scans are further apart, and another program's is waited for`() throws {
    var pauses = WatchPauses()
    pauses.changed(at: 10)
    pauses.scanned(from: 11, to: 11.125)
    #expect(pauses.due == nil)
    pauses.changed(at: 11.25)
    #expect(pauses.due == 13.125)
    pauses.scanned(from: 20, to: 22)
    pauses.changed(at: 23)
    #expect(pauses.due == 42)
    pauses.scanned(from: 50, to: 100)
    pauses.changed(at: 100)
    #expect(pauses.due == 160)
    pauses.hindered(at: 200)
    #expect(pauses.due == 215)
  }
}

/// A watch whose index cannot be written.
@Suite(.enabled(if: Database.isAvailable && UnwritableFolder.isPossible))
struct UnwritableWatchTests {
  @Test func `A collection on a read-only disk is left as it is, and that is said`() throws {
    let folder = try TestFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("state"), withIntermediateDirectories: true)
    let path = folder.file("state/library.db")
    _ = try LibraryIndex(Database(Array(path.utf8)))
    let lock = try UnwritableFolder(folder.file("state"))
    defer { lock.open() }
    let watch = LibraryWatch(index: Array(path.utf8), folders: [])
    var told: [String] = []
    watch.run { news in
      guard case .fails(let sentence) = news else { return }
      told.append(sentence ?? "")
      watch.end()
    }
    #expect(
      told == [
        "\(path): nothing can be written there: the collection stays as it was scanned last"
      ])
  }
}

/// What of all that inotify tells is a change.
@Suite struct FolderEventTests {
  private let folder: TestFolder
  private let events = FolderEvents(stop: -1)

  init() throws {
    folder = try TestFolder()
    events.watch(Array(folder.path.utf8))
  }

  private func hasChanged() -> Bool { events.wait(0).hasChanged }

  private func path(_ name: String) -> String { folder.file(name) }

  @Test func `A file is a change once it is closed`() throws {
    #expect(!hasChanged())
    let file = open(path("a.flac"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    #expect(!hasChanged())
    try #require(write(file, "x", 1) == 1)
    #expect(!hasChanged())
    close(file)
    #expect(hasChanged())
    #expect(!hasChanged())
  }

  @Test func `What the collection does not care for is no change, nor is reading`() throws {
    for name in ["notes.txt", ".hidden.flac", "list.m3u8"] { _ = try folder.write([1], name) }
    #expect(!hasChanged())
    for name in ["a.cue", "a.lrc", "Cover.jpg", "A.FLAC"] {
      _ = try folder.write([1], name)
      #expect(hasChanged(), "\(name)")
    }
    _ = try Data(contentsOf: URL(fileURLWithPath: path("A.FLAC")))
    #expect(!hasChanged())
  }

  @Test func `Links, times, moves, deletions and folders are changes`() throws {
    _ = try folder.write([1], "notes.txt")
    _ = try folder.write([1], "a.flac")
    _ = hasChanged()
    try #require(symlink("/", path("anything")) == 0)
    #expect(hasChanged())
    try #require(link(path("a.flac"), path("b.flac")) == 0)
    #expect(hasChanged())
    try #require(utimes(path("a.flac"), nil) == 0)
    #expect(hasChanged())
    try #require(rename(path("a.flac"), path("c.flac")) == 0)
    #expect(hasChanged())
    try #require(unlink(path("anything")) == 0)
    #expect(hasChanged())
    try #require(mkdir(path("new"), 0o755) == 0)
    #expect(hasChanged())
  }

  @Test func `Events that were lost are a change, and a watch that ended is none`() {
    func event(_ watch: Int32, _ mask: Int32, _ name: [UInt8] = []) -> [UInt8] {
      [watch, mask, 0, Int32(name.count)].flatMap { number in
        withUnsafeBytes(of: number) { Array($0) }
      } + name
    }
    #expect(events.take(event(-1, Int32(IN_Q_OVERFLOW))[...]))
    #expect(!events.take(event(1, Int32(IN_IGNORED))[...]))
    // Cut off, of no watch, or of no sense: no change, and no crash.
    #expect(!events.take(event(1, Int32(IN_DELETE), [0x61])[..<15]))
    #expect(!events.take(event(77, Int32(IN_DELETE), [0x61, 0])[...]))
    #expect(!events.take([1, 2, 3]))
  }

  @Test func `A folder that is not wanted any more is not watched any more`() throws {
    try #require(mkdir(path("sub"), 0o755) == 0)
    events.watch(Array(path("sub").utf8))
    _ = hasChanged()
    events.begin()
    events.watch(Array(folder.path.utf8))
    events.commit()
    #expect(!hasChanged())
    _ = try folder.write([1], "sub/a.flac")
    #expect(!hasChanged())
    _ = try folder.write([1], "a.flac")
    #expect(hasChanged())
  }

  @Test func `A folder that is not there is waited for, and nothing else beside it`() throws {
    events.begin()
    events.expect(Array(path("away/music").utf8))
    events.commit()
    try #require(mkdir(path("other"), 0o755) == 0)
    _ = try folder.write([1], "a.flac")
    #expect(!hasChanged())
    try #require(mkdir(path("away"), 0o755) == 0)
    #expect(hasChanged())
    // Of two in one folder, one of them watched, nothing is lost.
    events.begin()
    events.watch(Array(folder.path.utf8))
    events.expect(Array(path("third").utf8))
    events.commit()
    _ = try folder.write([1], "a.flac")
    #expect(hasChanged())
  }
}

/// A watch of real folders.
@Suite(.enabled(if: Database.isAvailable, "libsqlite3 is not installed"))
@MainActor final class LibraryWatchTests {
  private let here: ScannedFolder
  private let watch: LibraryWatch
  private let news = News()

  private final class News: Sendable {
    private let all = Mutex<[LibraryNews]>([])
    private let isOver = Atomic<Bool>(false)
    var list: [LibraryNews] { all.withLock { $0 } }
    var ends: Int { list.count { if case .ends = $0 { true } else { false } } }
    var hasEnded: Bool { isOver.load(ordering: .sequentiallyConsistent) }

    func run(_ watch: LibraryWatch) {
      Thread.detachNewThread { [self] in
        watch.run { one in all.withLock { $0.append(one) } }
        isOver.store(true, ordering: .sequentiallyConsistent)
      }
    }
  }

  init() throws {
    here = try ScannedFolder()
    watch = LibraryWatch(index: Array(here.database.utf8), folders: [])
    try here.write("first.wav")
    try here.scan()
    try here.open().add(root: Array(here.music.utf8))
  }

  deinit { watch.end() }

  /// The first scan is over, and everything that is known is watched.
  private func begin() async throws {
    news.run(watch)
    try #require(await holds { news.ends > 0 })
  }

  private func become(_ wanted: [String: [Int]]) async -> Bool {
    await holds {
      let rows = (try? here.rows()) ?? [:]
      return rows.filter { !$0.value.isMissing }.mapValues(\.lengths) == wanted
    }
  }

  @Test func `What changes while a watch runs is found without asking`() async throws {
    try here.write("before.wav", seconds: 2)
    try await begin()
    #expect(news.list == [.begins, .ends(newTracks: 1, hasChanged: true)])
    try here.write("new.wav", seconds: 3)
    #expect(await become(["first.wav": [1], "before.wav": [2], "new.wav": [3]]))
    try here.move("new.wav", "renamed.wav")
    try here.write("first.wav", seconds: 4)
    #expect(await become(["first.wav": [4], "before.wav": [2], "renamed.wav": [3]]))
    try #require(unlink(here.path("before.wav")) == 0)
    #expect(await become(["first.wav": [4], "renamed.wav": [3]]))
    #expect(await holds { news.list.contains(.ends(newTracks: 0, hasChanged: true)) })
  }

  @Test func `A folder that is moved in or made is found, and what comes later into it`()
    async throws
  {
    try await begin()
    let elsewhere = here.folder.file("elsewhere/deep/er")
    try FileManager.default.createDirectory(
      atPath: elsewhere, withIntermediateDirectories: true)
    try Data(ScannedFolder.sound(seconds: 2)).write(
      to: URL(fileURLWithPath: elsewhere + "/a.wav"))
    try #require(rename(here.folder.file("elsewhere"), here.path("moved")) == 0)
    #expect(await become(["first.wav": [1], "moved/deep/er/a.wav": [2]]))
    try here.write("moved/deep/er/b.wav", seconds: 3)
    try here.write("made/x/c.wav", seconds: 4)
    let all = ["first.wav": [1], "moved/deep/er/a.wav": [2], "moved/deep/er/b.wav": [3]]
    #expect(await become(all.merging(["made/x/c.wav": [4]]) { $1 }))
    try here.write("made/x/d.wav", seconds: 5)
    #expect(await become(all.merging(["made/x/c.wav": [4], "made/x/d.wav": [5]]) { $1 }))
    try #require(rename(here.path("moved"), here.folder.file("out")) == 0)
    #expect(await become(["first.wav": [1], "made/x/c.wav": [4], "made/x/d.wav": [5]]))
  }

  @Test func `A collection that goes away and comes back is found again`() async throws {
    try await begin()
    try #require(rename(here.music, here.folder.file("away")) == 0)
    #expect(await become([:]))
    try #require(rename(here.folder.file("away"), here.music) == 0)
    #expect(await become(["first.wav": [1]]))
    try here.write("more.wav", seconds: 2)
    #expect(await become(["first.wav": [1], "more.wav": [2]]))
  }

  @Test func `A watch that is ended ends, also before it has begun or in a scan`()
    async throws
  {
    try await begin()
    watch.end()
    #expect(await holds { news.hasEnded })
    let early = LibraryWatch(index: Array(here.database.utf8), folders: [])
    early.end()
    early.run { _ in Issue.record("nothing is to be done") }
    for number in 0..<200 { try here.write("\(number % 20)/\(number).wav") }
    let cut = LibraryWatch(index: Array(here.database.utf8), folders: [])
    // The scan begins when it has been told, and finds itself cancelled.
    cut.run { if $0 == .begins { cut.end() } }
    #expect(try here.rows().count < 201)
  }

  @Test(arguments: [false, true])
  func `An index that is made while a watch runs is followed from then on`(_ hasFolder: Bool)
    async throws
  {
    let state = here.folder.file("state")
    let path = state + "/library.db"
    if hasFolder { try #require(mkdir(state, 0o755) == 0) }
    let later = LibraryWatch(index: Array(path.utf8), folders: [])
    defer { later.end() }
    news.run(later)
    if !hasFolder { try #require(mkdir(state, 0o755) == 0) }
    try Data().write(to: URL(fileURLWithPath: state + "/state.db"))
    func scan() throws {
      let roots = [Array(here.music.utf8)]
      let index = try LibraryIndex(Database(Array(path.utf8)))
      try index.add(root: roots[0])
      _ = try LibraryScan(index, roots: roots, all: roots, now: 1).run()
    }
    try scan()
    #expect(await holds { news.ends > 0 })
    try here.write("new.wav", seconds: 2)
    #expect(
      await holds {
        let index = try? LibraryIndex(Database(Array(path.utf8), .readOnly))
        return (try? index?.counts().tracks) == 2
      })
    #expect(!news.hasEnded)
  }

  @Test func `A folder that another scan adds to the collection is watched too`() async throws {
    try await begin()
    let other = here.folder.file("other")
    try #require(mkdir(other, 0o755) == 0)
    try Data(ScannedFolder.sound(seconds: 2)).write(to: URL(fileURLWithPath: other + "/a.wav"))
    do { try here.open().add(root: Array(other.utf8)) }
    #expect(await holds { (try? here.open().counts().tracks) == 2 })
    try Data(ScannedFolder.sound(seconds: 3)).write(to: URL(fileURLWithPath: other + "/b.wav"))
    #expect(await holds { (try? here.open().counts().tracks) == 3 })
  }

  @Test func `An index that is taken away and made anew is followed again`() async throws {
    try await begin()
    for suffix in ["", "-wal", "-shm"] { unlink(here.database + suffix) }
    do {
      try here.open().add(root: Array(here.music.utf8))
    }
    #expect(await become(["first.wav": [1]]))
    try here.write("more.wav", seconds: 2)
    #expect(await become(["first.wav": [1], "more.wav": [2]]))
  }

  @Test func `A watch makes no index, and a damaged one anew, which is told once`() async throws {
    let none = LibraryWatch(
      index: Array((here.database + "x").utf8), folders: [Array(here.music.utf8)])
    news.run(none)
    none.end()
    #expect(await holds { news.hasEnded })
    #expect(news.list.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: here.database + "x"))
    let damaged = here.folder.file("damaged.db")
    try Data(repeating: 0x55, count: 8192).write(to: URL(fileURLWithPath: damaged))
    try here.write("one.wav")
    var told: [LibraryNews] = []
    let watch = LibraryWatch(index: Array(damaged.utf8), folders: [Array(here.music.utf8)])
    watch.run { news in
      told.append(news)
      if case .ends = news { watch.end() }
    }
    #expect(
      told == [
        .begins,
        .repaired(
          "library.db was damaged: the collection is read again; the old file is"
            + " \(damaged).damaged-1"),
        .begins, .ends(newTracks: 2, hasChanged: true),
      ])
  }
}
