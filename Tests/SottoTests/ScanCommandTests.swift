import Database
import Foundation
import StateStore
import TestSupport
import Testing

/// `sotto scan` as people run it, and what may go wrong around it.
@Suite(.enabled(if: Tool.isIntegration)) struct ScanCommandTests {
  private let folder: Folder
  private var music: String { folder.path + "/music" }
  private var state: String { folder.path + "/state" }
  private var database: String { state + "/sotto/library.db" }
  private var place: [String: String] {
    ["XDG_STATE_HOME": state, "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
  }

  init() throws {
    folder = try Folder()
    try FileManager.default.createDirectory(atPath: music, withIntermediateDirectories: true)
  }

  private func fill(_ count: Int) throws {
    for number in 0..<count {
      let sub = "music/\(number % 10)"
      try FileManager.default.createDirectory(
        atPath: folder.path + "/" + sub, withIntermediateDirectories: true)
      try folder.write(Array("\(sub)/\(number).wav".utf8), sound(number % 3 + 1))
    }
  }

  private func sound(_ seconds: Int) -> [UInt8] {
    let samples = (0..<1000 * seconds).map { Int32($0 % 200 - 100) }
    return SignalFile.wave(
      SignalFile.bytes(samples, .signed16, big: false),
      format: SignalFile.waveFormat(.signed16, channels: 1, rate: 1000))
  }

  private func scan(_ arguments: String..., changes: [String: String] = [:]) throws -> Run {
    try Run(
      (["scan"] + arguments).map { Array($0.utf8) }, environment: place.merging(changes) { $1 })
  }

  private func object(_ run: Run) throws -> [String: Any] {
    let line = try #require(run.text.split(separator: "\n").last)
    return try #require(
      JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  /// What an index knows, as one text; Python's sqlite3 reads it.
  private func contents(_ file: String) throws -> String {
    let script = """
      import sqlite3, sys
      c = sqlite3.connect(sys.argv[1])
      assert c.execute('PRAGMA integrity_check').fetchone()[0] == 'ok'
      assert not c.execute('PRAGMA foreign_key_check').fetchall()
      for r in c.execute('SELECT path, name, missing IS NULL, fault, start, title, duration, rate'
          ' FROM file JOIN folder ON folder.id = file.folder LEFT JOIN track ON track.file = file.id'
          ' ORDER BY path, name, start'): print(r)
      """
    return String(
      decoding: try Tool.run("/usr/bin/python3", ["-c", script, file]), as: UTF8.self)
  }

  @Test func `a scan says what is new, changed, moved and gone, and adds its folder`() throws {
    try fill(20)
    #expect(try scan(music).text == "20 files in 11 folders: 20 new\n")
    #expect(try scan().text == "20 files in 11 folders: nothing changed\n")
    try folder.write(Array("music/1/1.wav".utf8), sound(7))
    try folder.write(Array("music/bad.wav".utf8), Array("no music".utf8))
    try #require(rename(music + "/2/2.wav", music + "/3/two.wav") == 0)
    try #require(unlink(music + "/4/4.wav") == 0)
    let run = try scan("--report")
    #expect(
      run.text == """
        \(music)/bad.wav: not an audio file
        20 files in 11 folders: 1 changed, 1 moved, 1 gone; 1 cannot be read

        """)
    #expect(run.status == 0)
    let found = try object(try scan("--json", "--forget-missing"))
    #expect(found["forgotten"] as? Int == 1)
    #expect(found["unreadable"] as? Int == 1)
    #expect(found["tracks"] as? Int == 19)
    #expect(found["complete"] as? Bool == true)
  }

  @Test func `folders come from the configuration too`() throws {
    try fill(3)
    let file = folder.path + "/config"
    try folder.write(Array("config".utf8), Array("library-folders = \(music) : /nowhere\n".utf8))
    let run = try scan("--config", file)
    #expect(run.text.contains("3 files in "))
    #expect(run.errorLines == ["sotto: /nowhere: no such file or folder"])
    #expect(run.status == 1)
  }

  @Test func `without a folder there is nothing to scan, and it says what to do`() throws {
    let run = try scan()
    #expect(run.status == 64)
    #expect(run.errorLines.count == 1)
    #expect(run.errorLines.first?.contains("sotto scan DIR") == true)
    #expect(try scan("/nowhere").status == 1)
    #expect(try scan("/etc/passwd").errorLines == ["sotto: /etc/passwd: not a folder"])
  }

  @Test func `a folder that is not there keeps its files and is told`() throws {
    try fill(10)
    _ = try scan(music)
    try #require(rename(music, folder.path + "/away") == 0)
    let run = try scan("--forget-missing")
    #expect(run.errorLines.count == 1)
    #expect(run.errorLines.first?.contains("its 10 files is kept") == true)
    #expect(run.status == 0)
    try #require(rename(folder.path + "/away", music) == 0)
    #expect(try scan().text == "10 files in 11 folders: 10 back\n")
  }

  @Test func `a damaged index is put aside, told, and made anew`() throws {
    try fill(300)
    _ = try scan(music)
    let whole = try contents(database)
    for damage in ["head", "middle"] {
      let handle = try #require(FileHandle(forWritingAtPath: database))
      if damage == "head" {
        try handle.write(contentsOf: Data(repeating: 0x55, count: 4096))
      } else {
        let size = try handle.seekToEnd()
        try handle.seek(toOffset: 4096)
        try handle.write(contentsOf: Data(repeating: 0xAA, count: Int(size) - 4096))
      }
      try handle.close()
      let run = try scan(music)
      #expect(run.status == 0)
      #expect(run.errorLines.count == 1, "\(run.errorLines)")
      #expect(run.errorLines.first?.contains("library.db.damaged-") == true)
      #expect(run.text == "300 files in 11 folders: 300 new\n")
      #expect(try contents(database) == whole)
    }
  }

  private func rate(_ path: String, _ stars: Double) throws {
    let history = try History.open(in: Array((state + "/sotto").utf8))
    var key = HistoryKey(.init(path))
    key.path = Array(path.utf8)
    try history.change(key, .rated(stars))
    try history.change(key, .played(at: 1_700_000_000))
  }

  private func search(_ query: String) throws -> Run {
    try Run(["search", query].map { Array($0.utf8) }, environment: place)
  }

  private func found(_ query: String) throws -> String { try search(query).text }

  @Test func `ratings and counts are found at the new places of files after a scan`() throws {
    try fill(20)
    _ = try scan(music)
    try rate(music + "/2/2.wav", 4)
    try rate(music + "/5/5.wav", 5)
    #expect(try found("rating:>3 plays:1") == "\(music)/2/2.wav\n\(music)/5/5.wav\n")
    try #require(rename(music + "/2/2.wav", music + "/3/two.wav") == 0)
    try #require(rename(music + "/5", music + "/fifth") == 0)
    let run = try scan()
    #expect(run.errorLines == [] && run.status == 0)
    #expect(try found("rating:>3 plays:1") == "\(music)/3/two.wav\n\(music)/fifth/5.wav\n")
    #expect(try found("rating:5") == "\(music)/fifth/5.wav\n")
  }

  @Test func `a collection that was scanned through a link knows what was played past it`() throws {
    try fill(20)
    let link = folder.path + "/link"
    try #require(symlink(music, link) == 0)
    _ = try scan(link)
    // By the file's own path, through the link, and as one who stands beside it would say.
    try rate(music + "/2/2.wav", 4)
    try rate(link + "/5/5.wav", 5)
    try rate(music + "/3/../7/7.wav", 5)
    try rate(link + "/2/2.wav", 4.5)
    let all = [2, 5, 7].map { "\(link)/\($0)/\($0).wav\n" }
    #expect(try found("rating:>3") == all.joined())
    #expect(try found("plays:2") == all[0])
    // What an earlier sotto noted behind the link is found as well.
    let state = try Database(Array((self.state + "/sotto/state.db").utf8))
    try state.run(
      "INSERT INTO history(path, start, plays, rating) VALUES(?, 0, 7, 1)",
      .bytes(Array("\(link)/9/9.wav".utf8)))
    #expect(try found("plays:7 rating:1") == "\(link)/9/9.wav\n")
    // And by an index that no scan of this version has looked through.
    let index = try Database(Array(database.utf8))
    try index.execute("DROP TABLE place")
    #expect(try found("rating:>3") == all.joined())
    // Files that move behind the link take it along.
    try #require(rename(music + "/2/2.wav", music + "/3/two.wav") == 0)
    #expect(try scan().errorLines == [])
    #expect(try found("rating:4.5") == "\(link)/3/two.wav\n")
    #expect(try index.integer("SELECT count(*) FROM place") == 1)
    // With its drive away, and a link that leads nowhere, nothing is forgotten.
    try #require(rename(music, folder.path + "/away") == 0)
    _ = try scan()
    #expect(try index.integer("SELECT count(*) FROM place") == 1)
  }

  @Test func `a scan that cannot take ratings along says so, and the next one does it`() throws {
    try fill(10)
    _ = try scan(music)
    let file = state + "/sotto/state.db"
    // Nobody has any ratings yet: nothing is said, and nothing made.
    try #require(rename(music + "/1/1.wav", music + "/1/one.wav") == 0)
    #expect(try scan().errorLines == [])
    #expect(access(file, F_OK) != 0)
    try rate(music + "/2/2.wav", 4)
    try #require(rename(music + "/2/2.wav", music + "/2/two.wav") == 0)
    let holder = try Holder(file)
    defer { holder.end() }
    let run = try scan()
    #expect(run.status == 0 && run.text.contains("1 moved"))
    #expect(
      run.errorLines == [
        "sotto: \(file): another program holds it; ratings and counts of 1 moved file follow it"
          + " after the next scan"
      ])
    holder.end()
    #expect(try scan().errorLines == [])
    #expect(try found("rating:4") == "\(music)/2/two.wav\n")
  }

  @Test func `whichever page of the index is hit, the next scan knows the folders`() throws {
    try fill(300)
    _ = try scan(music)
    let all = try search("path:7").text
    #expect(all.split(separator: "\n").count > 20)
    let size = try FileManager.default.attributesOfItem(atPath: database)[.size] as? Int ?? 0
    // The table of the folders is among the first ones.
    for page in 0..<min(16, size / 4096) {
      let handle = try #require(FileHandle(forWritingAtPath: database))
      try handle.seek(toOffset: UInt64(page * 4096))
      try handle.write(contentsOf: Data(repeating: 0x5A, count: 4096))
      try handle.close()
      let run = try scan()
      #expect(
        run.status == 0 && run.text.hasPrefix("300 files in 11 folders: "), "\(run.errorLines)")
      // What a scan does not come across, a search does.
      if try search("path:7").status != 0 {
        let again = try scan()
        #expect(again.text == "300 files in 11 folders: 300 new\n", "page \(page)")
        #expect(again.errorLines.count == 1, "\(again.errorLines)")
      }
      #expect(try search("path:7").text == all, "page \(page)")
    }
    // And without an index at all.
    try FileManager.default.removeItem(atPath: database)
    #expect(try scan().text == "300 files in 11 folders: 300 new\n")
  }

  @Test func `another program that holds the index is waited for, and then told`() throws {
    try fill(3)
    _ = try scan(music)
    let holder = try Holder(database)
    defer { holder.end() }
    try folder.write(Array("music/new.wav".utf8), sound(2))
    let run = try scan()
    #expect(run.status == 1)
    #expect(run.errorLines == ["sotto: \(database): another program holds it"])
    holder.end()
    #expect(try scan().text.contains("1 new"))
  }

  @Test func `an interrupt ends a scan with what it has`() throws {
    try fill(400)
    _ = try scan(folder.path + "/music/0")
    let holder = try Holder(database)
    // It waits for the index, so it is still there.
    let player = try Playing(["scan", music], in: folder, environment: place)
    #expect(player.wait { holder.isWaitedFor(by: player.process) })
    player.kill(SIGINT)
    holder.end()
    #expect(player.wait() == 130)
    _ = try scan(music)
    let fresh = folder.path + "/fresh"
    _ = try scan(music, changes: ["XDG_STATE_HOME": fresh])
    #expect(try contents(database) == contents(fresh + "/sotto/library.db"))
  }

  @Test func `a scan that is killed at any moment leaves an index that is whole`() throws {
    try fill(250)
    let fresh = folder.path + "/fresh"
    _ = try scan(music, changes: ["XDG_STATE_HOME": fresh])
    let whole = try contents(fresh + "/sotto/library.db")
    var seed: UInt64 = 20_261
    var cut = 0
    for _ in 0..<50 {
      try? FileManager.default.removeItem(atPath: state)
      let player = try Playing(["scan", music], in: folder, environment: place)
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      usleep(UInt32(seed >> 33) % 150_000)
      player.kill(SIGKILL)
      if player.wait() == 128 + SIGKILL { cut += 1 }
      // Nothing is asked of what was lost but that it is read again.
      let run = try scan(music)
      #expect(run.status == 0 && run.errors.isEmpty, "\(run.errorLines)")
      #expect(try contents(database) == whole)
    }
    #expect(cut > 10, "only \(cut) scans were killed before their end")
  }

  /// Runs a scan whose state lies on a file system of its own; the script may change it between.
  private func mounted(_ options: String, _ script: String) throws -> String {
    let words = geteuid() == 0 ? [] : ["--user", "--map-root-user"]
    let mount = folder.path + "/mounted"
    try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
    let text = """
      set -e
      mount -t tmpfs -o \(options) sotto "$1"
      export XDG_STATE_HOME="$1" DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nonexistent LC_ALL=C.UTF-8
      sotto=$2 music=$3 mount=$1
      \(script)
      """
    return String(
      decoding: try Tool.run(
        "unshare",
        ["--mount"] + words + ["sh", "-c", text, "sh", mount, Run.program, music]),
      as: UTF8.self)
  }

  @Test func `a full disk is said in one sentence, and the scan goes on when there is room`() throws
  {
    try fill(400)
    let text = try mounted(
      "size=100k",
      """
      "$sotto" scan "$music" 2>&1 && exit 9 || echo "status $?"
      mount -o remount,size=50m "$mount"
      "$sotto" scan "$music" 2>&1
      "$sotto" scan --json
      """)
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.count == 4, "\(text)")
    #expect(lines.first?.hasSuffix("library.db: the disk is full") == true, "\(text)")
    #expect(lines.dropFirst().first == "status 1")
    #expect(lines.last?.contains("\"files\":400,\"tracks\":400,\"added\":0") == true, "\(text)")
  }

  @Test func `a state folder that cannot be written is said in one sentence`() throws {
    try fill(3)
    let text = try mounted(
      "size=10m",
      """
      "$sotto" scan "$music"
      touch "$music/new.wav"
      mount -o remount,ro "$mount"
      "$sotto" scan 2>&1 && exit 9 || echo "status $?"
      """)
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.count == 3, "\(text)")
    #expect(lines.dropFirst().first?.contains("library.db: ") == true, "\(text)")
    #expect(lines.last == "status 1")
  }

  @Test func `S40: a scan keeps the machine awake for exactly its life, also when it fails`() throws
  {
    let bus = try PrivateBus()
    try bus.python(["-m", "dbusmock", "--session", "--template", "logind"])
    #expect(bus.tellsOfScan(false))
    try fill(3)
    _ = try scan(music)
    var environment = place
    environment["DBUS_SYSTEM_BUS_ADDRESS"] = bus.address
    for fails in [false, true] {
      try folder.write(Array("music/new \(fails).wav".utf8), sound(2))
      // It waits while another program holds the index.
      let holder = try Holder(database)
      let player = try Playing(["scan"], in: folder, environment: environment)
      #expect(bus.tellsOfScan(true))
      if !fails { holder.end() }
      #expect(player.wait() == (fails ? 1 : 0))
      #expect(bus.tellsOfScan(false))
      holder.end()
    }
  }
}

extension PrivateBus {
  /// Waits until logind, simulated, knows of a scan that keeps the machine awake, or of none.
  func tellsOfScan(_ wanted: Bool) -> Bool {
    let limit = Date().addingTimeInterval(120)
    while Date() < limit {
      let list = try? tool(
        "busctl",
        [
          "--address=\(address)", "call", "org.freedesktop.login1",
          "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "ListInhibitors",
        ])
      if let list, list.contains("scanning music") == wanted {
        return !wanted || (list.contains("\"sleep\"") && list.contains("\"block\""))
      }
    }
    return false
  }
}

/// Another program that writes into an index and does not end.
final class Holder {
  private let process = Process()

  init(_ database: String) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [
      "-c",
      """
      import sqlite3, sys
      c = sqlite3.connect(sys.argv[1], isolation_level=None)
      c.execute('BEGIN IMMEDIATE')
      print('held', flush=True)
      import time
      while True: time.sleep(60)
      """, database,
    ]
    process.standardOutput = output
    try process.run()
    _ = output.fileHandleForReading.availableData
  }

  /// True once that process has the index open.
  func isWaitedFor(by id: pid_t) -> Bool {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/fd")) ?? []
    return names.contains { name in
      let path = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/\(id)/fd/\(name)")
      return path?.hasSuffix("library.db-wal") == true
    }
  }

  func end() {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  deinit { end() }
}
