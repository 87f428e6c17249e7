import Foundation
import JSONText
import TestSupport
import Testing

@testable import RemoteControl

/// Where control sockets are, and what of a status is new.
@Suite struct ControlFolderTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func `Sockets are in the user's own runtime folder`() {
    let runtime = bytes(folder.file(""))
    let standard = ControlFolder.standard(runtime: runtime)
    #expect(standard.path == runtime + bytes("/sotto"))
  }

  @Test func `Without a runtime folder, or with that of another user, it is one for each user`() {
    let temporary = bytes("/elsewhere")
    for runtime in [nil, [], bytes("relative"), bytes(folder.file("absent"))] {
      let standard = ControlFolder.standard(runtime: runtime, temporary: temporary, user: 7)
      #expect(standard.path == bytes("/elsewhere/sotto-7"))
    }
    let other = ControlFolder.standard(
      runtime: bytes(folder.file("")), temporary: temporary, user: geteuid() + 1)
    #expect(other.path == bytes("/elsewhere/sotto-\(geteuid() + 1)"))
  }

  private func error(_ body: () throws(ControlError) -> Void) -> ControlError? {
    do {
      try body()
      return nil
    } catch {
      return error
    }
  }

  @Test func `Nobody is there before a player was`() {
    let place = ControlFolder(path: bytes(folder.file("sotto")))
    let error = error { () throws(ControlError) in _ = try place.instances() }
    #expect(error == ControlError("no player is running", isAbsence: true))
  }

  @Test func `A folder that is no folder, open to others or a link is not used`() throws {
    let file = folder.file("file")
    try Data().write(to: URL(fileURLWithPath: file))
    let open = folder.file("open")
    try #require(mkdir(open, 0o755) == 0 && chmod(open, 0o755) == 0)
    let own = folder.file("own")
    let link = folder.file("link")
    try #require(mkdir(own, 0o700) == 0 && symlink(own, link) == 0)
    for (path, sentence) in [
      (file, "\(file) is not a folder"), (link, "\(link) is not a folder"),
      (open, "\(open) is open to other users; chmod 700 closes it"),
    ] {
      let place = ControlFolder(path: bytes(path))
      #expect(error { () throws(ControlError) in _ = try place.instances() }?.sentence == sentence)
    }
    let foreign = ControlFolder(path: bytes(own), user: geteuid() + 1)
    #expect(
      error { () throws(ControlError) in _ = try foreign.instances() }?.sentence
        == "\(own) belongs to another user")
  }

  @Test func `What is called like a socket and is none is removed by a player, and nothing else`()
    throws
  {
    let own = folder.file("own")
    try #require(mkdir(own, 0o700) == 0)
    let names = ["sotto", "sotto.12", "sotto.x", "sotto.", "notes", "sotto.1a"]
    for name in names { try Data().write(to: URL(fileURLWithPath: "\(own)/\(name)")) }
    let place = ControlFolder(path: bytes(own))
    #expect(try place.instances() == [])
    // Whoever only looks leaves all: what stands there by now may be a new player's.
    #expect(try FileManager.default.contentsOfDirectory(atPath: own).sorted() == names.sorted())
    let mine = try place.claim(4711)
    #expect(mine.name == "sotto")
    #expect(try place.instances() == ["sotto"])
    unlink("\(own)/sotto")
    let left = try FileManager.default.contentsOfDirectory(atPath: own).sorted()
    #expect(left == ["notes", "sotto.", "sotto.1a", "sotto.x"])
  }
}

@Suite struct StatusChangesTests {
  private func fields(
    at: Double, position: Double, isAdvancing: Bool = true, level: Int = 100
  ) -> [(String, JSON)] {
    [
      ("at", .double(at)), ("position", .double(position)), ("isAdvancing", .bool(isAdvancing)),
      ("level", .int(level)), ("title", .string("A")),
    ]
  }

  private func names(_ fields: [(String, JSON)]?) -> [String]? { fields?.map(\.0) }

  @Test func `At first all is new`() {
    var changes = StatusChanges()
    #expect(
      names(changes.next(fields(at: 10, position: 1)))
        == ["at", "position", "isAdvancing", "level", "title"])
  }

  @Test func `Time that passes is no change, however long`() {
    var changes = StatusChanges()
    _ = changes.next(fields(at: 10, position: 1))
    for step in 1...1000 {
      let seconds = Double(step) * 1.001
      #expect(names(changes.next(fields(at: 10 + seconds, position: 1 + seconds))) == nil)
    }
  }

  @Test func `A change brings the moment and the position with it, and nothing that was told`() {
    var changes = StatusChanges()
    _ = changes.next(fields(at: 10, position: 1))
    let told = changes.next(fields(at: 12, position: 3, level: 50))
    #expect(names(told) == ["at", "position", "level"])
    #expect(names(changes.next(fields(at: 13, position: 4, level: 50))) == nil)
  }

  @Test func `A jump is told, also a small one back, and drift that adds up to one`() {
    var changes = StatusChanges()
    _ = changes.next(fields(at: 10, position: 100))
    #expect(names(changes.next(fields(at: 11, position: 50))) == ["at", "position"])
    #expect(names(changes.next(fields(at: 12, position: 50.5))) == ["at", "position"])
    var told = 0
    for step in 1...10 {
      let at = 12 + Double(step)
      let position = 50.5 + Double(step) * 0.9
      if changes.next(fields(at: at, position: position)) != nil { told += 1 }
    }
    #expect(told == 3)
  }

  @Test func `A position that stands still while it is paused is no change`() {
    var changes = StatusChanges()
    _ = changes.next(fields(at: 10, position: 100))
    let paused = changes.next(fields(at: 11, position: 101, isAdvancing: false))
    #expect(names(paused) == ["at", "position", "isAdvancing"])
    #expect(names(changes.next(fields(at: 60, position: 101, isAdvancing: false))) == nil)
  }
}
