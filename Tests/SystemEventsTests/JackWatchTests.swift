import Foundation
import SystemEvents
import TestSupport
import Testing

/// The control interface of a card that the tests move.
@Suite(.serialized, .enabled(if: Tool.isIntegration))
struct JackWatchTests {
  private func reader(_ trial: ALSATrial) throws -> JackReader {
    try withALSA(trial.configuration) { try JackReader(control: "trial") }
  }

  /// Waits, without a limit of its own, until the card has told something.
  private func wait(_ reader: JackReader) {
    var polled = pollfd(fd: reader.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&polled, 1, 60_000) == 1)
  }

  private func isQuiet(_ reader: JackReader) -> Bool {
    var polled = pollfd(fd: reader.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 0) == 0
  }

  @Test func `the jacks of a card are its boolean controls whose names end in Jack`() throws {
    let trial = try ALSATrial(jacks: ["1 Headphone Jack", "0 Mic Jack", "1 Loud Jack", "1 Master"])
    let reader = try reader(trial)
    #expect(reader.jacks == [Jack("Headphone Jack", isIn: true), Jack("Mic Jack", isIn: false)])
  }

  @Test func `a jack that moves wakes the reader, and nothing else does`() throws {
    let trial = try ALSATrial(jacks: ["0 Headphone Jack", "0 Mic Jack"])
    let reader = try reader(trial)
    #expect(isQuiet(reader))
    try trial.tell("1 Headphone Jack")
    wait(reader)
    #expect(reader.read())
    #expect(reader.jacks == [Jack("Headphone Jack", isIn: true), Jack("Mic Jack", isIn: false)])
    #expect(isQuiet(reader))
  }

  @Test func `what counts is how the jacks are, not how often they moved`() throws {
    let trial = try ALSATrial(jacks: ["0 Headphone Jack"])
    let reader = try reader(trial)
    for number in 0..<301 { try trial.tell("\(number % 2) Headphone Jack") }
    wait(reader)
    #expect(reader.read())
    #expect(reader.jacks.map(\.isIn) == [false])
    #expect(isQuiet(reader))
  }

  @Test func `a jack that the card gets later is seen`() throws {
    let trial = try ALSATrial(jacks: ["0 Headphone Jack"])
    let reader = try reader(trial)
    try trial.tell("+1 Dock Headphone Jack")
    wait(reader)
    #expect(reader.read())
    #expect(reader.jacks.contains(Jack("Dock Headphone Jack", isIn: true)))
  }

  @Test func `a card that is gone is told, and one that is not there is a fault`() throws {
    let trial = try ALSATrial(jacks: ["1 Headphone Jack"])
    let reader = try reader(trial)
    try trial.tell("gone")
    wait(reader)
    #expect(!reader.read())
    #expect(!reader.read())
    let fault = #expect(throws: SystemFault.self) { _ = try JackReader(control: "hw:77") }
    #expect(fault?.number != 0)
  }

  @MainActor @Test func `the control thread is told of each change, of the end once, then nothing`()
    async throws
  {
    let trial = try ALSATrial(jacks: ["0 Headphone Jack"])
    let (told, tell) = AsyncStream<[Bool]?>.makeStream()
    let watch = try withALSA(trial.configuration) {
      try JackWatch(control: "trial") { tell.yield($0?.map(\.isIn)) }
    }
    var news = told.makeAsyncIterator()
    #expect(watch.jacks.map(\.isIn) == [false])
    try trial.tell("1 Headphone Jack")
    #expect(await news.next() == .some([true]))
    // As it is: no news.
    try trial.tell("1 Headphone Jack")
    try trial.tell("0 Headphone Jack")
    #expect(await news.next() == .some([false]))
    try trial.tell("gone")
    #expect(await news.next() == .some(nil))
    watch.end()
  }
}
