import AudioTypes
import PlayQueue
import TestSupport
import Testing

@testable import sotto

/// Which titles are read first, and when.
@Suite struct TitlePlanTests {
  private static func queue(_ count: Int) -> PlayQueue {
    PlayQueue((0..<count).map { QueueEntry(TrackLocation("/\($0).flac")) })
  }

  /// Reads everything, as a file says it.
  private static func readAll(
    _ queue: inout PlayQueue, _ plan: inout TitlePlan, focus: Int,
    says: (Int) -> (title: String?, duration: Double?)?
  ) -> [Int] {
    var order: [Int] = []
    while true {
      let rows = plan.next(queue, focus: focus, atMost: 64)
      if rows.isEmpty { return order }
      for row in rows {
        order.append(row.row)
        let said = says(row.row)
        queue.describe(at: row.row, title: said?.title, duration: said?.duration)
        plan.take(row.id, isComplete: said?.title != nil && said?.duration != nil)
      }
    }
  }

  @Test func `The row that is looked at is first, then those around it, then the rest`() {
    var queue = Self.queue(1000)
    var plan = TitlePlan()
    let order = Self.readAll(&queue, &plan, focus: 500) { ("\($0)", 1) }
    #expect(order.first == 500)
    #expect(Set(order.prefix(90)) == Set(470..<560))
    #expect(order.sorted() == Array(0..<1000))
    #expect(queue.entries[700].title == "700")
  }

  @Test func `A file that fails or says little is read once`() {
    var queue = Self.queue(300)
    var plan = TitlePlan()
    let order = Self.readAll(&queue, &plan, focus: 0) { row in
      switch row % 3 {
      case 0: return nil
      case 1: return (title: nil, duration: 7)
      default: return (title: "t", duration: nil)
      }
    }
    #expect(order.sorted() == Array(0..<300))
    #expect(queue.entries[0].title == nil && queue.entries[0].duration == nil)
    #expect(queue.entries[1].duration == 7)
  }

  @Test func `What a playlist says in full is not read, nor is the network`() {
    var plan = TitlePlan()
    let queue = PlayQueue([
      QueueEntry(TrackLocation("/a"), title: "A", duration: 1),
      QueueEntry(TrackLocation("http://radio.invalid/")),
      QueueEntry(TrackLocation("/b"), title: "B"),
    ])
    #expect(plan.next(queue, focus: 0, atMost: 64).map(\.row) == [2])
    #expect(plan.next(PlayQueue(), focus: 3, atMost: 64).isEmpty)
  }

  @Test func `What an edit adds is read, and nothing else again`() {
    var queue = Self.queue(3)
    var plan = TitlePlan()
    _ = Self.readAll(&queue, &plan, focus: 0) { ("\($0)", 1) }
    queue.insertNext([QueueEntry(TrackLocation("/new.flac"))])
    let row = queue.entries.firstIndex { $0.title == nil }
    #expect(plan.next(queue, focus: 900, atMost: 64).map(\.row) == [row])
  }
}

/// The program on a terminal of its own.
@Suite(.enabled(if: Tool.isIntegration), .timeLimit(.minutes(15))) struct TitleScreenTests {
  @Test func `The queue shows what its files are called before they are heard`() throws {
    let folder = try Folder()
    for number in 1...3 {
      try folder.write("track\(number).wav", tagged(wav(seconds: 30), "Song number \(number)"))
    }
    try folder.write("track4.wav", wav(seconds: 30))
    let terminal = try PrivateTmux(
      "\(Run.program) play --output null \(folder.path)", columns: 80, rows: 24)
    try terminal.type("2")
    #expect(
      try terminal.wait {
        let text = try terminal.rows().joined(separator: "\n")
        return text.contains("Song number 3") && text.contains("track4.wav")
          && !text.contains("track3.wav") && text.components(separatedBy: "0:30").count >= 5
      })
  }

  /// With a list of texts, as WAV files have it.
  private func tagged(_ wav: [UInt8], _ title: String) -> [UInt8] {
    func little(_ number: Int) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    var text = Array(title.utf8) + [0]
    if text.count % 2 == 1 { text.append(0) }
    let list = Array("INFOINAM".utf8) + little(text.count) + text
    let chunk = Array("LIST".utf8) + little(list.count) + list
    return Array(wav[..<12]) + chunk + Array(wav[12...])
  }
}
