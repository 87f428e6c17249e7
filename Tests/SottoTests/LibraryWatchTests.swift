import Database
import Foundation
import TestSupport
import Testing

/// The collection follows its folders while a player runs.
@Suite(.enabled(if: Tool.isIntegration), .serialized) struct PlayedLibraryTests {
  private let folder: Folder
  private var music: String { folder.path + "/music" }
  private var place: [String: String] {
    [
      "XDG_STATE_HOME": folder.path + "/state", "XDG_CONFIG_HOME": folder.path + "/config",
      "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
    ]
  }

  init() throws {
    folder = try Folder()
    for name in ["music/sub", "config/sotto"] {
      try FileManager.default.createDirectory(
        atPath: folder.path + "/" + name, withIntermediateDirectories: true)
    }
    try folder.write("music/first.wav")
    try folder.write("music/sub/second.wav", wav(seconds: 0.2))
    let run = try Run(["scan", music].map { Array($0.utf8) }, environment: place)
    try #require(run.status == 0)
  }

  /// What a player plays that runs as long as is wanted.
  private func long() throws -> String { try folder.write("long.wav", wav(seconds: 600)) }

  private func isFound(_ name: String) throws -> Bool {
    let run = try Run(["search", name].map { Array($0.utf8) }, environment: place)
    return run.text.contains(name)
  }

  /// The inotify watches of a process, by the numbers of their folders.
  private func watched(by process: pid_t) -> Set<UInt64> {
    let place = "/proc/\(process)/fdinfo"
    var nodes: Set<UInt64> = []
    for name in (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? [] {
      let text = (try? String(contentsOfFile: place + "/" + name, encoding: .utf8)) ?? ""
      for line in text.split(separator: "\n") where line.hasPrefix("inotify ") {
        for word in line.split(separator: " ") where word.hasPrefix("ino:") {
          if let node = UInt64(word.dropFirst(4), radix: 16) { nodes.insert(node) }
        }
      }
    }
    return nodes
  }

  private func node(_ path: String) throws -> UInt64 {
    var facts = stat()
    try #require(stat(path, &facts) == 0)
    return UInt64(facts.st_ino)
  }

  @Test func `A playing player finds what came before and comes now, and ends at once`() throws {
    try folder.write("music/sub/while away.wav", wav(seconds: 0.3))
    let player = try Playing(
      ["play", "--output", "null", long()], in: folder, environment: place)
    #expect(try player.wait { try isFound("while away") })
    try folder.write("music/sub/just now.wav", wav(seconds: 0.4))
    #expect(try player.wait { try isFound("just now") })
    try player.waitUntilItAnswers()
    try player.ctl("quit")
    #expect(player.wait() == 0)
    // Nothing is said of it without a screen.
    #expect(
      try !String(contentsOfFile: folder.path + "/out", encoding: .utf8).contains("new track"))
  }

  @Test func `A first collection that is made while a player runs is followed from then on`()
    throws
  {
    try FileManager.default.removeItem(atPath: folder.path + "/state")
    let player = try Playing(
      ["play", "--output", "null", long()], in: folder, environment: place)
    try player.waitUntilItAnswers()
    let run = try Run(["scan", music].map { Array($0.utf8) }, environment: place)
    try #require(run.status == 0)
    try folder.write("music/sub/just now.wav", wav(seconds: 0.4))
    #expect(try player.wait { try isFound("just now") })
  }

  @Test func `A rating follows its file when the player sees it move`() throws {
    let file = try folder.write("music/sub/rated.wav", wav(seconds: 600))
    let player = try Playing(["play", "--output", "null", file], in: folder, environment: place)
    #expect(try player.wait { try isFound("rated") })
    try player.waitUntilItAnswers()
    try player.ctl("rate", "4")
    func rated() throws -> String {
      try Run(["search", "rating:>3"].map { Array($0.utf8) }, environment: place).text
    }
    #expect(try player.wait { try rated() == file + "\n" })
    try #require(rename(file, music + "/elsewhere.wav") == 0)
    #expect(try player.wait { try rated() == music + "/elsewhere.wav\n" })
    // What is done to the track that is heard is done to the file, wherever that is now.
    try player.ctl("rate", "5")
    #expect(try player.wait { try rated() == music + "/elsewhere.wav\n" })
    try player.ctl("quit")
    #expect(player.wait() == 0)
    let all = try Run(["search", "rating:5"].map { Array($0.utf8) }, environment: place).text
    #expect(all == music + "/elsewhere.wav\n")
  }

  @Test func `A player that finds the index damaged says so, and reads all anew`() throws {
    let database = folder.path + "/state/sotto/library.db"
    try Data(repeating: 0x5A, count: 20_000).write(to: URL(fileURLWithPath: database))
    let player = try Playing(
      ["play", "--output", "null", long()], in: folder, environment: place)
    #expect(try player.wait { try isFound("first") })
    #expect(try player.wait { try isFound("second") })
    // What comes afterwards is found in the new one.
    try folder.write("music/sub/just now.wav", wav(seconds: 0.4))
    #expect(try player.wait { try isFound("just now") })
    try player.waitUntilItAnswers()
    try player.ctl("quit")
    #expect(player.wait() == 0)
    let said = try String(contentsOfFile: folder.path + "/out", encoding: .utf8)
      .split(separator: "\n").filter { $0.contains("damaged") }
    #expect(
      said == [
        "sotto: library.db was damaged: the collection is read again; the old file is"
          + " \(database).damaged-1"
      ])
  }

  @Test func `Damage that a search comes across is mended by a player that runs`() throws {
    let player = try Playing(
      ["play", "--output", "null", long()], in: folder, environment: place)
    let nodes: Set<UInt64> = [try node(music), try node(music + "/sub")]
    #expect(player.wait { watched(by: player.process).isSuperset(of: nodes) })
    let database = folder.path + "/state/sotto/library.db"
    // All of it is in the file then, whoever has it open.
    try Database(Array(database.utf8), .readWrite).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let handle = try #require(FileHandle(forWritingAtPath: database))
    let size = try handle.seekToEnd()
    try handle.seek(toOffset: 4096)
    try handle.write(contentsOf: Data(repeating: 0x5A, count: Int(size) - 4096))
    try handle.close()
    #expect(try player.wait { try isFound("first") })
    #expect(FileManager.default.fileExists(atPath: database + ".damaged-1"))
    #expect(!FileManager.default.fileExists(atPath: database + ".suspect"))
  }

  @Test func `The setting library-watch ends it and begins it again`() throws {
    let player = try Playing(
      ["play", "--output", "null", long()], in: folder, environment: place)
    let nodes: Set<UInt64> = [try node(music), try node(music + "/sub")]
    #expect(player.wait { watched(by: player.process).isSuperset(of: nodes) })
    let config = Array("config/sotto/config".utf8)
    try folder.write(config, Array("library-watch = off\n".utf8))
    #expect(player.wait { watched(by: player.process).isDisjoint(with: nodes) })
    try folder.write("music/sub/meanwhile.wav", wav(seconds: 0.3))
    try folder.write(config, Array("library-watch = on\n".utf8))
    #expect(player.wait { watched(by: player.process).isSuperset(of: nodes) })
    #expect(try player.wait { try isFound("meanwhile") })
  }

  @Test(arguments: ["watches", "instances"])
  func `Watches that run out are told once, with what follows`(_ limit: String) throws {
    for number in 0..<20 {
      try FileManager.default.createDirectory(
        atPath: music + "/\(number)", withIntermediateDirectories: true)
    }
    let said = Pipe()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "unshare", "--user", "--map-root-user", "sh", "-c",
      "echo $1 > /proc/sys/user/max_inotify_$2 && shift 2 && exec \"$@\"", "sh",
      limit == "watches" ? "6" : "0", limit, Run.program, "play", "--output", "null", try long(),
    ]
    process.environment = Run.environment(["XDG_RUNTIME_DIR": folder.path, "HOME": folder.path])
      .merging(place) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = said
    try folder.write("music/sub/while away.wav", wav(seconds: 0.3))
    try process.run()
    defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
    // The sentence comes by itself; without it the end of the program would.
    var text = ""
    while !text.contains("\n") {
      let piece = said.fileHandleForReading.availableData
      if piece.isEmpty { break }
      text += String(decoding: piece, as: UTF8.self)
    }
    func isScanned() throws -> Bool {
      let end = Date().addingTimeInterval(120)
      while Date() < end { if try isFound("while away") { return true } }
      return false
    }
    // It scans once all the same.
    #expect(try isScanned())
    kill(process.processIdentifier, SIGTERM)
    text += String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let lines = text.split(separator: "\n").filter { $0.contains("watched") }
    #expect(lines.count == 1, "\(text)")
    #expect(lines.first?.contains("fs.inotify.max_user_\(limit)") == true, "\(text)")
    #expect(lines.first?.contains("'sotto scan'") == true, "\(text)")
  }

  @Test func `S40: A scan of the player's keeps the machine awake for its life`() throws {
    let bus = try PrivateBus()
    try bus.python(["-m", "dbusmock", "--session", "--template", "logind"])
    #expect(bus.tellsOfScan(false))
    var environment = place
    environment["DBUS_SYSTEM_BUS_ADDRESS"] = bus.address
    try folder.write("music/sub/while away.wav", wav(seconds: 0.3))
    // The scan waits while another program holds the index.
    let holder = try Holder(folder.path + "/state/sotto/library.db")
    let player = try Playing(
      ["play", "--output", "null", long()], in: folder, environment: environment)
    #expect(bus.tellsOfScan(true))
    holder.end()
    #expect(bus.tellsOfScan(false))
    #expect(player.wait { watched(by: player.process).contains((try? node(music)) ?? 0) })
  }

  @Test func `The screen tells of new tracks, also of a player that stands`() throws {
    try folder.write("music/sub/while away.wav", wav(seconds: 0.3))
    try folder.write(Array("config/sotto/config".utf8), Array("output = null\n".utf8))
    let pane = try Pane(
      "", before: place.map { "\($0.key)='\($0.value)'" }.joined(separator: " "), files: 0,
      folder: folder, paths: "")
    try pane.shows("The collection has 1 new track")
    try folder.write("music/sub/just now.wav", wav(seconds: 0.4))
    try folder.write("music/sub/and now.wav", wav(seconds: 0.5))
    #expect(try pane.tmux.wait { try isFound("just now") && isFound("and now") })
  }
}
