import Database
import Foundation
import TestSupport
import Testing

@testable import MusicLibrary

/// A folder of music and an index of it on disk, which is scanned as `sotto scan` does.
final class ScannedFolder {
  let folder: TestFolder
  let music: String
  let database: String
  /// How many places of other files the last scan has looked at.
  private(set) var looks = 0

  init() throws {
    folder = try TestFolder()
    music = folder.file("music")
    database = folder.file("library.db")
    try FileManager.default.createDirectory(atPath: music, withIntermediateDirectories: true)
  }

  func path(_ name: String) -> String { music + "/" + name }

  /// A file of some seconds; each length is another size.
  func write(_ name: String, seconds: Int = 1) throws {
    try FileManager.default.createDirectory(
      atPath: (path(name) as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(Self.sound(seconds: seconds)).write(to: URL(fileURLWithPath: path(name)))
  }

  static func sound(seconds: Int) -> [UInt8] {
    let samples = (0..<8000 * seconds).map { Int32($0 % 200 - 100) }
    return SignalFile.wave(
      SignalFile.bytes(samples, .signed16, big: false),
      format: SignalFile.waveFormat(.signed16, channels: 1, rate: 8000))
  }

  func move(_ from: String, _ to: String) throws {
    try #require(rename(path(from), path(to)) == 0)
  }

  func open() throws -> LibraryIndex { try LibraryIndex(Database(Array(database.utf8))) }

  @discardableResult
  func scan(
    _ roots: [String]? = nil, of all: [String]? = nil, forgets: Bool = false,
    isCancelled: @escaping () -> Bool = { false },
    progress: @escaping (ScanProgress) -> Void = { _ in }
  ) throws -> ScanSummary {
    let paths = (roots ?? [music]).map { Array($0.utf8) }
    let scan = LibraryScan(
      try open(), roots: paths, all: all.map { $0.map { Array($0.utf8) } } ?? paths, now: 1000,
      isCancelled: isCancelled, progress: progress)
    let summary = try scan.run()
    looks = scan.matcher.looks
    if forgets { _ = try scan.forgetMissing() }
    return summary
  }

  struct Row: Equatable {
    var id: Int64
    var isMissing: Bool
    /// Seconds of each track, in their order.
    var lengths: [Int]
    var fault: String?
  }

  /// What is known, by the path from the music's folder on.
  func rows() throws -> [String: Row] {
    var rows: [String: Row] = [:]
    let index = try open()
    try index.database.rows(
      """
      SELECT path, name, file.id, missing, fault, duration FROM file
      JOIN folder ON folder.id = file.folder LEFT JOIN track ON track.file = file.id
      ORDER BY file.id, start
      """
    ) { row in
      let path = Paths.join(row.bytes(0), row.bytes(1))
      let name = String(decoding: path.dropFirst(self.music.utf8.count + 1), as: UTF8.self)
      var known =
        rows[name]
        ?? Row(id: row.integer(2), isMissing: !row.isNull(3), lengths: [], fault: row.textOrNil(4))
      if !row.isNull(5) { known.lengths.append(Int(row.real(5).rounded())) }
      rows[name] = known
    }
    return rows
  }

  /// The same without numbers, for comparing two indexes.
  func contents() throws -> [String: [Int]] { try rows().mapValues(\.lengths) }
}

@Suite(.enabled(if: Database.isAvailable, "libsqlite3 is not installed"))
struct ScanTests {
  private let here: ScannedFolder

  init() throws { here = try ScannedFolder() }

  @Test func `music is found in folders within folders, and nothing else`() throws {
    try here.write("a.wav")
    try here.write("A/B/C/b.wav", seconds: 2)
    try here.write(".hidden/c.wav")
    try here.write("A/.d.wav")
    _ = try here.folder.write([1, 2, 3], "music/picture.jpg")
    let summary = try here.scan()
    #expect(summary.added == 2)
    #expect(summary.isComplete)
    #expect(try here.contents() == ["a.wav": [1], "A/B/C/b.wav": [2]])
  }

  @Test func `what has not changed is not read again`() throws {
    for number in 0..<20 { try here.write("\(number % 3)/\(number).wav") }
    #expect(try here.scan().added == 20)
    var progress = ScanProgress()
    let summary = try here.scan(progress: { progress = $0 })
    #expect(summary.files == 20)
    #expect(summary.added + summary.changed + summary.moved + summary.missing == 0)
    #expect(progress.files == 20)
    #expect(progress.toRead == 0)
  }

  @Test func `a file that changes is read again under its number`() throws {
    try here.write("a.wav")
    try here.scan()
    let before = try #require(try here.rows()["a.wav"])
    try here.write("a.wav", seconds: 3)
    #expect(try here.scan().changed == 1)
    #expect(
      try here.rows()["a.wav"]
        == ScannedFolder.Row(id: before.id, isMissing: false, lengths: [3], fault: nil))
  }

  @Test func `files that are renamed or moved keep their numbers and are not read`() throws {
    try here.write("a.wav")
    try here.write("A/b.wav", seconds: 2)
    try here.write("C/c.wav", seconds: 3)
    try here.scan()
    let before = try here.rows()
    try here.move("a.wav", "z.wav")
    try here.move("A/b.wav", "C/b.wav")
    try here.move("C", "D")
    let summary = try here.scan()
    #expect(summary.moved == 3)
    #expect(summary.added + summary.changed + summary.missing == 0)
    let after = try here.rows()
    #expect(after["z.wav"] == before["a.wav"])
    #expect(after["D/b.wav"] == before["A/b.wav"])
    #expect(after["D/c.wav"] == before["C/c.wav"])
    #expect(after.count == 3)
  }

  @Test func `two files that change names change numbers with them`() throws {
    try here.write("a.wav")
    try here.write("b.wav", seconds: 2)
    try here.scan()
    let before = try here.rows()
    try here.move("a.wav", "c.tmp")
    try here.move("b.wav", "a.wav")
    try here.move("c.tmp", "b.wav")
    #expect(try here.scan().moved == 2)
    let after = try here.rows()
    #expect(after["a.wav"] == before["b.wav"])
    #expect(after["b.wav"] == before["a.wav"])
    #expect(after.count == 2)
  }

  @Test func `a file that is moved over another one takes its place`() throws {
    try here.write("a.wav")
    try here.write("b.wav", seconds: 2)
    try here.scan()
    let before = try here.rows()
    try here.move("a.wav", "b.wav")
    #expect(try here.scan().moved == 1)
    let after = try here.rows()
    #expect(after == ["b.wav": try #require(before["a.wav"])])
    #expect(try here.scan().moved == 0)
  }

  @Test func `a chain of moves across folders keeps every number`() throws {
    for (index, name) in ["A/x.wav", "B/x.wav", "C/x.wav"].enumerated() {
      try here.write(name, seconds: index + 1)
    }
    try here.scan()
    let before = try here.rows()
    try here.move("C/x.wav", "C/y.wav")
    try here.move("B/x.wav", "C/x.wav")
    try here.move("A/x.wav", "B/x.wav")
    #expect(try here.scan().moved == 3)
    let after = try here.rows()
    #expect(after["C/y.wav"] == before["C/x.wav"])
    #expect(after["C/x.wav"] == before["B/x.wav"])
    #expect(after["B/x.wav"] == before["A/x.wav"])
    #expect(after.count == 3)
  }

  @Test func `what has gone is kept until the user forgets it`() throws {
    try here.write("a.wav")
    try here.write("A/b.wav", seconds: 2)
    try here.scan()
    let before = try here.rows()
    try FileManager.default.removeItem(atPath: here.path("A"))
    #expect(try here.scan().missing == 1)
    #expect(try here.scan().missing == 0)
    var kept = try #require(before["A/b.wav"])
    kept.isMissing = true
    #expect(try here.rows()["A/b.wav"] == kept)
    try here.scan(forgets: true)
    #expect(Set(try here.rows().keys) == ["a.wav"])
  }

  @Test func `what comes back is as it was, and is not read`() throws {
    try here.write("a.wav")
    try here.scan()
    let before = try here.rows()
    let elsewhere = here.folder.file("elsewhere.wav")
    try #require(rename(here.path("a.wav"), elsewhere) == 0)
    #expect(try here.scan().absent.map(\.files) == [1])
    try #require(rename(elsewhere, here.path("a.wav")) == 0)
    let summary = try here.scan()
    #expect(summary.returned == 1)
    #expect(summary.changed + summary.added == 0)
    #expect(try here.rows() == before)
  }

  @Test(arguments: [false, true])
  func `a drive that is not mounted keeps its files`(_ isEmpty: Bool) throws {
    try here.write("drive/a.wav")
    try here.write("drive/A/b.wav")
    try here.write("other.wav")
    let roots = [here.path("drive"), here.music]
    try here.scan(roots)
    let before = try here.rows()
    try here.move("drive", "../away")
    if isEmpty {
      // The place where it is mounted stays.
      try FileManager.default.createDirectory(
        atPath: here.path("drive"), withIntermediateDirectories: false)
    }
    let gone = try here.scan([here.path("drive")], forgets: true)
    #expect(gone.absent.map(\.files) == [2])
    #expect(gone.missing == 2)
    let rows = try here.rows()
    #expect(rows.count == 3)
    #expect(rows["drive/A/b.wav"]?.isMissing == true)
    #expect(rows["other.wav"]?.isMissing == false)
    if isEmpty { try FileManager.default.removeItem(atPath: here.path("drive")) }
    try here.move("../away", "drive")
    let back = try here.scan([here.path("drive")])
    #expect(back.returned == 2)
    #expect(back.changed + back.added == 0)
    #expect(try here.rows() == before)
  }

  @Test func `each name of a file is one, and the one that is renamed moves`() throws {
    try here.write("a.wav")
    try FileManager.default.linkItem(atPath: here.path("a.wav"), toPath: here.path("b.wav"))
    try here.scan()
    let before = try here.rows()
    #expect(before.count == 2)
    try here.move("b.wav", "c.wav")
    let summary = try here.scan()
    #expect(summary.moved == 1)
    #expect(summary.missing == 0)
    let after = try here.rows()
    #expect(after["a.wav"] == before["a.wav"])
    #expect(after["c.wav"] == before["b.wav"])
  }

  @Test func `links that go round in circles end, and lead out of the folder`() throws {
    try here.write("A/a.wav")
    let manager = FileManager.default
    try manager.createSymbolicLink(atPath: here.path("A/up"), withDestinationPath: "..")
    try manager.createSymbolicLink(atPath: here.path("A/self"), withDestinationPath: "self")
    try manager.createSymbolicLink(atPath: here.path("again"), withDestinationPath: "A")
    let outside = here.folder.file("outside")
    try manager.createDirectory(atPath: outside, withIntermediateDirectories: false)
    try Data(ScannedFolder.sound(seconds: 2)).write(to: URL(fileURLWithPath: outside + "/o.wav"))
    try manager.createSymbolicLink(atPath: here.path("out"), withDestinationPath: outside)
    try manager.createSymbolicLink(atPath: here.path("out2"), withDestinationPath: outside)
    try manager.createSymbolicLink(
      atPath: here.path("link.wav"), withDestinationPath: outside + "/o.wav")
    try manager.createSymbolicLink(atPath: here.path("dead.wav"), withDestinationPath: "nowhere")
    try here.scan()
    #expect(try here.contents() == ["A/a.wav": [1], "out/o.wav": [2], "link.wav": [2]])
    #expect(try here.scan().missing == 0)
  }

  @Test func `names need not be UTF-8`() throws {
    let name = Array(here.music.utf8) + [0x2F, 0xFF, 0xE9, 0x0A] + Array(".wav".utf8)
    let sound = ScannedFolder.sound(seconds: 1)
    let descriptor = Glibc.open(name.map { CChar(bitPattern: $0) } + [0], O_WRONLY | O_CREAT, 0o644)
    try #require(descriptor >= 0)
    try #require(Glibc.write(descriptor, sound, sound.count) == sound.count)
    close(descriptor)
    #expect(try here.scan().added == 1)
    #expect(try here.scan().changed == 0)
    let index = try here.open()
    let id = try #require(try index.knownFolder(Array(here.music.utf8)))
    #expect(try index.files(in: id).map(\.name) == [[0xFF, 0xE9, 0x0A] + Array(".wav".utf8)])
  }

  @Test func `a file that cannot be read is kept with its reason until it changes`() throws {
    _ = try here.folder.write(Array("no music".utf8), "music/bad.wav")
    try Tool.run("mkfifo", [here.path("pipe.wav")])
    try here.write("good.wav")
    let first = try here.scan()
    #expect(first.unreadable == 1)
    #expect(first.added == 1)
    #expect(try here.rows()["bad.wav"]?.fault != nil)
    #expect(try here.open().faults().map(\.path) == [Array(here.path("bad.wav").utf8)])
    // It is not tried again ...
    #expect(try here.scan().unreadable == 0)
    // ... until it changes.
    try here.write("bad.wav", seconds: 2)
    #expect(try here.scan().changed == 1)
    #expect(try here.rows()["bad.wav"]?.fault == nil)
    #expect(try here.rows()["bad.wav"]?.lengths == [2])
    #expect(try here.open().faults().isEmpty)
  }

  @Test func `a sheet beside a file makes tracks of it, and is read again when it changes`() throws
  {
    try here.write("disc.wav", seconds: 10)
    func sheet(_ second: String) -> [UInt8] {
      Array(
        """
        PERFORMER "The Band"
        TITLE "The Disc"
        REM DATE 1999
        REM GENRE Polka
        FILE "disc.wav" WAVE
          TRACK 01 AUDIO
            TITLE "One"
            INDEX 01 00:00:00
          TRACK 02 AUDIO
            TITLE "Two"
            INDEX 01 \(second)
          TRACK 03 AUDIO
            TITLE "Behind the end"
            INDEX 01 09:00:00
        """.utf8)
    }
    _ = try here.folder.write(sheet("00:04:00"), "music/disc.cue")
    try here.scan()
    #expect(try here.contents() == ["disc.wav": [4, 6]])
    let index = try here.open()
    let words = try index.database.text(
      "SELECT title || ',' || artist || ',' || album || ',' || track || ',' || date || ',' || genre"
        + " FROM track WHERE start = 4")
    #expect(words == "Two,The Band,The Disc,2,1999,Polka")
    #expect(try here.scan().changed == 0)
    _ = try here.folder.write(sheet("00:07:00"), "music/disc.cue")
    #expect(try here.scan().changed == 1)
    #expect(try here.contents() == ["disc.wav": [7, 3]])
    try FileManager.default.removeItem(atPath: here.path("disc.cue"))
    #expect(try here.scan().changed == 1)
    #expect(try here.contents() == ["disc.wav": [10]])
  }

  @Test func `covers and words beside the music are noticed when they come`() throws {
    try here.write("a.wav")
    try here.write("b.wav", seconds: 2)
    try here.scan()
    func beside() throws -> [String] {
      var found: [String] = []
      try here.open().database.rows("SELECT picture, lyrics FROM track ORDER BY duration") {
        found.append("\($0.int(0)) \($0.int(1))")
      }
      return found
    }
    #expect(try beside() == ["0 0", "0 0"])
    _ = try here.folder.write([0xFF], "music/Folder.JPG")
    _ = try here.folder.write(Array("[00:00]la".utf8), "music/a.lrc")
    #expect(try here.scan().changed == 2)
    #expect(try beside() == ["2 1", "2 0"])
    #expect(try here.scan().changed == 0)
  }

  @Test func `a scan that is ended keeps what it has, and the next one does the rest`() throws {
    for number in 0..<300 { try here.write("\(number).wav") }
    nonisolated(unsafe) var asked = 0
    let summary = try here.scan(isCancelled: {
      asked += 1
      return asked > 40
    })
    #expect(!summary.isComplete)
    let kept = try here.rows().count
    #expect(kept < 300)
    let rest = try here.scan()
    #expect(rest.added == 300 - kept)
    #expect(rest.changed == 0)
    #expect(try here.rows().count == 300)
  }

  @Test func `two scans at once give what one gives`() throws {
    for number in 0..<200 { try here.write("\(number % 7)/\(number).wav", seconds: number % 3 + 1) }
    let alone = try ScannedFolder()
    try alone.scan([here.music])
    for round in 0..<3 {
      if round > 0 { try here.move("\(round)", "moved \(round)") }
      _ = try here.open()
      nonisolated(unsafe) let here = here
      let group = DispatchGroup()
      for _ in 0..<2 {
        DispatchQueue.global().async(group: group) {
          #expect(throws: Never.self) { try here.scan() }
        }
      }
      group.wait()
      let rows = try here.rows()
      #expect(rows.count == 200)
      #expect(rows.values.allSatisfy { !$0.isMissing && $0.lengths.count == 1 })
    }
  }

  @Test func `files that come, change, move and go during a scan are right after the next`() throws
  {
    for number in 0..<120 { try here.write("\(number % 5)/\(number).wav") }
    nonisolated(unsafe) var step = 0
    nonisolated(unsafe) let here = here
    for _ in 0..<10 {
      // An edit of some kind between any two looks of the scan.
      try here.scan(isCancelled: {
        step += 1
        let number = (step * 37) % 120
        let name = "\(number % 5)/\(number).wav"
        switch step % 4 {
        case 0: try? here.write(name, seconds: step % 3 + 1)
        case 1: rename(here.path(name), here.path("\((number + 1) % 5)/m\(number).wav"))
        case 2: unlink(here.path(name))
        default: try? here.write("\(number % 5)/new\(step % 50).wav")
        }
        return false
      })
    }
    try here.scan()
    try here.scan(forgets: true)
    let fresh = try ScannedFolder()
    try fresh.scan([here.music])
    var expected: [String: [Int]] = [:]
    let prefix = here.music.utf8.count - fresh.music.utf8.count
    try #require(prefix == 0, "both lie equally deep")
    for (name, lengths) in try fresh.contents() { expected[name] = lengths }
    #expect(try here.contents() == expected)
    #expect(expected.count > 50)
  }

  @Test func `a hundred thousand files in one folder are one folder`() throws {
    // Empty ones: what is tried is the folder, not the reading.
    let folder = open(here.music, O_RDONLY | O_DIRECTORY)
    defer { close(folder) }
    for number in 0..<100_000 {
      let file = openat(folder, "\(number).mp3", O_WRONLY | O_CREAT, 0o644)
      try #require(file >= 0)
      close(file)
    }
    let first = try here.scan()
    #expect(first.files == 100_000)
    #expect(first.unreadable == 100_000)
    let second = try here.scan()
    #expect(second.files == 100_000)
    #expect(second.unreadable == 0)
    #expect(second.missing == 0)
  }

  @Test func `a damaged index is put aside and made anew`() throws {
    try here.write("a.wav")
    try here.scan()
    _ = try here.folder.write([UInt8](repeating: 7, count: 5000), "library.db")
    do {
      let (index, name) = try LibraryFile.open(Array(here.database.utf8))
      #expect(name == Array((here.database + ".damaged-1").utf8))
      #expect(try index.counts().files == 0)
    }
    #expect(try here.folder.read("library.db.damaged-1") == [UInt8](repeating: 7, count: 5000))
    _ = try here.folder.write([UInt8](repeating: 8, count: 5000), "library.db")
    #expect(
      try LibraryFile.open(Array(here.database.utf8)).setAside
        == Array((here.database + ".damaged-2").utf8))
    #expect(try here.scan().added == 1)
  }
}

@Suite(.enabled(if: Database.isAvailable && Tool.isIntegration))
struct ScanPartsTests {
  @Test func `embedded sheets and chapters are tracks with their lengths`() throws {
    let here = try ScannedFolder()
    let encoder = try Encoder(
      here.folder, samples: (0..<44100 * 2 * 10).map { Int32($0 % 4001 - 2000) })
    let sheet = try here.folder.write(
      Array(
        """
        TITLE "Inside"
        FILE "x.flac" WAVE
          TRACK 01 AUDIO
            INDEX 01 00:00:00
          TRACK 02 AUDIO
            INDEX 01 00:03:00
        """.utf8), "sheet.txt")
    let flac = try encoder.tool(["flac", "-s", "-o", "{out}", "{in}"], "music/a.flac")
    try Tool.run("metaflac", ["--set-tag-from-file=CUESHEET=\(sheet)", flac])
    let list = try here.folder.write(
      Array(
        (";FFMETADATA1\ntitle=The Book\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=2000\ntitle=One\n"
          + "[CHAPTER]\nTIMEBASE=1/1000\nSTART=2000\nEND=10000\ntitle=Two\n").utf8), "list.txt")
    _ = try encoder.ffmpeg(
      "music/b.m4b", ["-f", "ffmetadata", "-i", list, "-map_metadata", "1", "-map", "0:a"])
    try here.scan()
    #expect(try here.contents() == ["a.flac": [3, 7], "b.m4b": [2, 8]])
    let index = try here.open()
    #expect(
      try index.database.text(
        "SELECT title || ' of ' || album || ' ' || track || '/' || track_total FROM track"
          + " WHERE start = 2") == "Two of The Book 2/2")
  }
}
