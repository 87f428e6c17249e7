import AudioTypes
import Synchronization
import TestSupport
import Testing

@testable import AudioEngine

/// The order of tracks changes while one of them is heard.
@MainActor @Suite struct SuccessionTests {
  private func frames(_ samples: [Float], _ range: Range<Int>) -> ArraySlice<Float> {
    samples[(range.lowerBound * 2)..<(range.upperBound * 2)]
  }

  /// Two fades of the same sound add up to it, but for the rounding of a 24th bit.
  private static let rounding: Float = 1.3e-7

  private func difference(_ heard: [Float], _ track: [Float], _ count: Int) -> Float {
    zip(heard, track).prefix(count * 2).reduce(0) { max($0, abs($1.0 - $1.1)) }
  }

  @Test func `Another track follows than the one that was joined already, and no frame is lost`()
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let one = try rig.track("one", frames: 40_000)
    let two = try rig.track("two", frames: 50_000, first: 500_000)
    let three = try rig.track("three", frames: 50_000, first: 900_000)
    let order = LooseTracks([one.path, two.path, three.path], [0: 1])
    try rig.start(order)
    await rig.until { rig.toldTracks == [0] }
    // More is queued than the first track has: the second was joined.
    rig.device.waitUntilQueued(60_000)
    rig.hear(5_000)
    order.follow(0, by: 2)
    rig.engine.successionChanged()
    await rig.until { rig.hasSought }
    rig.hear(75_000)
    await rig.until { rig.toldTracks == [0, 2] }
    #expect(rig.heard.count >= 80_000 * 2)
    #expect(difference(rig.heard, one.samples, 40_000) < Self.rounding)
    let isThree = frames(rig.heard, 40_000..<80_000) == frames(three.samples, 0..<40_000)
    #expect(isThree)
  }

  @Test func `What was the last track gets one after it`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let one = try rig.track("one", frames: 40_000)
    let two = try rig.track("two", frames: 50_000, first: 500_000)
    let order = LooseTracks([one.path, two.path], [:])
    try rig.start(order)
    await rig.until { rig.toldTracks == [0] }
    // One more than there are: until the end is known, too.
    rig.device.waitUntilQueued(40_001)
    rig.hear(5_000)
    order.follow(0, by: 1)
    rig.engine.successionChanged()
    await rig.until { rig.hasSought }
    rig.hear(75_000)
    #expect(difference(rig.heard, one.samples, 40_000) < Self.rounding)
    let isTwo = frames(rig.heard, 40_000..<80_000) == frames(two.samples, 0..<40_000)
    #expect(isTwo)
  }

  @Test func `An order that stays as it was costs nothing`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let one = try rig.track("one", frames: 40_000)
    let two = try rig.track("two", frames: 50_000, first: 500_000)
    let order = LooseTracks([one.path, two.path], [0: 1])
    try rig.start(order)
    await rig.until { rig.toldTracks == [0] }
    rig.device.waitUntilQueued(60_000)
    rig.hear(5_000)
    rig.engine.successionChanged()
    rig.hear(60_000)
    await rig.until { rig.toldTracks == [0, 1] }
    #expect(rig.seekCount == 0)
  }
}
