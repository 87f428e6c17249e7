import AudioTypes
import Database
import Foundation
import TestSupport
import Testing

@testable import StateStore

@Suite(.enabled(if: hasDatabase && Tool.isIntegration))
struct StateKillTests {
  /// A child that keeps state, and what it said before it was killed.
  struct Child {
    var acts: [(number: Int, time: UInt64)] = []
    var lines: [Substring] = []
    var killed: UInt64 = 0
    var status: Int32 = 0

    /// - Parameter acts: after so many it is killed; nil: at its own end.
    init(
      _ place: Place, seed: Int, acts: Int, killAfter: Int?, delay: Double, bytes: Int? = nil
    ) throws {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: BuiltProgram.path("StateTrial"))
      process.arguments =
        [place.path + "/sotto", "\(seed)", "\(acts)", "\(delay)"]
        + (bytes.map { ["\($0)"] } ?? [])
      let output = Pipe()
      process.standardOutput = output
      process.standardInput = FileHandle.nullDevice
      try process.run()
      var text = ""
      var count = 0
      while true {
        let piece = output.fileHandleForReading.availableData
        if piece.isEmpty { break }
        text += String(decoding: piece, as: UTF8.self)
        count += piece.reduce(0) { $1 == 0x0A ? $0 + 1 : $0 }
        if let killAfter, count > killAfter, killed == 0 {
          killed = DispatchTime.now().uptimeNanoseconds
          kill(process.processIdentifier, SIGKILL)
        }
      }
      process.waitUntilExit()
      status = process.terminationStatus
      lines = text.split(separator: "\n")
      for line in lines {
        let words = line.split(separator: " ")
        if words.count == 3, words[0] == "act", let number = Int(words[1]),
          let time = UInt64(words[2])
        {
          self.acts.append((number, time))
        }
      }
    }
  }

  /// What the acts up to `count` make of a history: by the child's own chance.
  static func expected(seed: Int, acts: Int) -> [String: HistoryRecord] {
    var random = Chance(state: UInt64(seed))
    var records: [String: HistoryRecord] = [:]
    for act in 1...max(acts, 1) where acts > 0 {
      let track = "/music/\(random.next() % 7).flac"
      var record = records[track] ?? HistoryRecord()
      switch random.next() % 4 {
      case 0:
        record.plays += 1
        record.played = Int64(act)
      case 1: record.bookmark = Double(act)
      case 2: record.rating = Double(act % 6)
      default:
        _ = random.next()
        continue
      }
      records[track] = record
      _ = random.next()
    }
    return records
  }

  struct Chance {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  @Test(arguments: 0..<10)
  func `Killed at any instant, what is there is what was done up to some act, and all of it`(
    round: Int
  ) throws {
    for number in 0..<48 {
      let seed = round * 48 + number
      let place = try Place()
      let child = try Child(
        place, seed: seed, acts: 100_000, killAfter: 1 + seed % 17, delay: 0.003)
      guard let last = child.acts.last else { continue }
      let database = try Database(place.file)
      #expect(try database.damage() == nil)
      let kept =
        Int(try database.text("SELECT value FROM fact WHERE name = 'setting.latest'") ?? "0") ?? -1
      // The last act may have been done and not said any more.
      #expect(kept >= 0 && kept <= last.number + 1)
      let history = History(database)
      var found: [String: HistoryRecord] = [:]
      for track in 0..<7 {
        let name = "/music/\(track).flac"
        found[name] = try history.record(HistoryKey(TrackLocation(name)))
      }
      // An act is a change and the word of it, which are written together or in two turns.
      let possible = [kept, kept + 1].map { Self.expected(seed: seed, acts: $0) }
      #expect(possible.contains(found), "seed \(seed), act \(kept) of \(last.number)")
      let moment = MomentFile(place.bytes + Array("/moment".utf8)).read()
      #expect(moment.map { Int($0.position) >= last.number } == true)
    }
  }

  @Test(arguments: 0..<2)
  func `Killed while it is at work, no more than the last second is lost`(seed: Int) throws {
    let place = try Place()
    let child = try Child(place, seed: seed, acts: 100_000, killAfter: 900, delay: 0.2)
    let kept =
      Int(
        try Database(place.file).text("SELECT value FROM fact WHERE name = 'setting.latest'") ?? "0"
      )
      ?? 0
    // On a machine that stands still meanwhile the child stood still too.
    let gaps = zip(child.acts.dropFirst(), child.acts).map { $0.time - $1.time }
    let slack = 1_000_000_000 + 2 * (gaps.max() ?? 0)
    let lost = child.acts.filter { $0.number > kept && $0.time + slack < child.killed }
    #expect(lost.isEmpty, "kept \(kept) of \(child.acts.count)")
    #expect(kept > 0)
  }

  @Test(arguments: [
    0, 1, 4096, 5000, 8192, 20_000, 32_768, 40_000, 61_000, 70_000, 90_000, 150_000,
  ])
  func `A disk that is full at any write is told once, and damages nothing`(bytes: Int) throws {
    let place = try Place()
    try Data().write(to: URL(fileURLWithPath: place.path + "/x"))
    let child = try Child(
      place, seed: 3, acts: 300, killAfter: nil, delay: 0.003, bytes: bytes)
    #expect(child.status == 0)
    #expect(child.acts.count == 300)
    let faults = child.lines.filter { $0.hasPrefix("fault ") }
    #expect(faults.count <= 1, "\(faults)")
    if bytes < 50_000 { #expect(faults.count == 1) }
    // With room again everything goes on.
    let next = try Child(place, seed: 4, acts: 50, killAfter: nil, delay: 0.003)
    #expect(next.status == 0)
    #expect(!next.lines.contains { $0.hasPrefix("fault ") })
    let database = try Database(place.file)
    #expect(try database.damage() == nil)
    #expect(try database.text("SELECT value FROM fact WHERE name = 'setting.latest'") == "50")
  }
}
