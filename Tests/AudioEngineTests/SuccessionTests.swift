import AudioTypes
import Dispatch
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

  @Test func `What repeats and cannot be opened any more is tried once, and is the end`()
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("track", frames: 9600)
    // One file again and again, which is gone when it is to be opened anew; so is the one after it.
    let order = LooseTracks([track.path, "/nowhere/gone.wav"], [0: 1, 1: 1])
    try rig.start(order)
    await rig.until { rig.toldTracks == [0] }
    rig.hear(9600)
    await rig.until { rig.hasEnded }
    #expect(rig.failures == [1])
    // Asked for by name it is tried again, once.
    rig.engine.play(index: 1)
    await rig.until { rig.failures == [1, 1] }
    await rig.until { rig.events.count { if case .ended = $0 { true } else { false } } == 2 }
    #expect(rig.failures == [1, 1])
    // And what can be opened plays.
    rig.engine.play(index: 0)
    await rig.until { rig.toldTracks == [0, 0] }
  }

  @Test func `A jump that is still being prepared when the end is heard is no end`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("track", frames: 9600)
    let tracks = GatedTracks(track.path)
    try rig.start(tracks)
    await rig.until { rig.toldTracks == [0] }
    // One more than there are: until the end is known, too.
    rig.device.waitUntilQueued(9601)
    tracks.close()
    rig.engine.seek(to: 0.1)
    tracks.waitForDecoder()
    rig.hear(9600)
    // Everything was heard, and the jump stands at the gate.
    #expect(rig.device.isCorked)
    rig.engine.takeDeviceEvents()
    #expect(!rig.hasEnded)
    tracks.open()
    await rig.until { rig.hasSought }
    rig.hear(9600)
    await rig.until { rig.hasEnded }
    #expect(rig.engine.snapshot().state == .idle)
    #expect(Array(rig.heard.suffix(2400)) == Array(track.samples.suffix(2400)))
  }
}

/// One track, whose decoder the test stops before it is opened.
private final class GatedTracks: Succession {
  private let location: TrackLocation
  private let isClosed = Atomic(false)
  private let arrived = DispatchSemaphore(value: 0)
  private let opened = DispatchSemaphore(value: 0)

  init(_ path: String) { location = TrackLocation(path) }

  func close() { isClosed.store(true, ordering: .releasing) }
  func waitForDecoder() { arrived.wait() }
  func open() { opened.signal() }

  func track(at index: Int) -> TrackLocation? {
    if isClosed.exchange(false, ordering: .acquiringAndReleasing) {
      arrived.signal()
      opened.wait()
    }
    return index == 0 ? location : nil
  }

  func index(after index: Int) -> Int? { nil }
}
