import AudioTypes
import TestSupport
import Testing

@testable import AudioEngine

/// Successions without an end, and such whose end is not known yet.
@MainActor @Suite(.serialized, .timeLimit(.minutes(15))) struct EndlessTests {
  @Test func `A track without a frame that repeats itself ends, and is not gone round for ever`()
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let empty = try rig.track("empty.wav", frames: 0)
    try rig.start(LooseTracks([empty.path], [0: 0]))
    await rig.until { rig.hasEnded }
    #expect(rig.heard.isEmpty)
    // The decoder's thread still listens.
    rig.engine.play(index: 0)
    await rig.until { rig.events.count { if case .ended = $0 { true } else { false } } == 2 }
  }

  @Test func `Empty tracks among others are passed over each time round`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let empty = try rig.track("empty.wav", frames: 0)
    let good = try rig.track("good.wav", frames: 10_000)
    try rig.start(LooseTracks([empty.path, good.path, empty.path], [0: 1, 1: 2, 2: 0]))
    rig.hear(30_000)
    let isSame = rig.heard == good.samples + good.samples + good.samples
    #expect(isSame)
  }

  @Test func `What is known of places does not grow with what is repeated`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let short = try rig.track("short.wav", frames: 1_000)
    try rig.start(LooseTracks([short.path], [0: 0]))
    for _ in 0..<100 {
      rig.hear(8_000)
      // As time passes between, what is heard is told.
      let count = rig.toldTracks.count
      await rig.until { rig.toldTracks.count > count }
    }
    let slot = rig.engine.session!.renderer.wish.slot
    let ring = rig.engine.session!.renderer.ring(slot)
    let places = rig.engine.feeder.places(slot: slot, upTo: .max).past
    // One for each thousand frames that the ring holds, and those that were heard since the last look.
    #expect(places.count <= Int(ring.capacity) / 1_000 + 10)
    #expect(rig.engine.snapshot().index == 0)
    let isSame = Array(rig.heard.suffix(2_000)) == short.samples
    #expect(isSame)
  }

  @Test func `Commands are obeyed while it is not known yet what follows`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let one = try rig.track("one.wav", frames: 10_000)
    let two = try rig.track("two.wav", frames: 10_000, first: 500_000)
    let tracks = LooseTracks([one.path, two.path], [:])
    tracks.grow(true)
    try rig.start(tracks)
    rig.hear(5_000)
    await rig.until { rig.toldTracks == [0] }
    rig.engine.seek(to: 0)
    await rig.until { rig.hasSought }
    #expect(!rig.hasEnded)
    tracks.follow(0, by: 1)
    tracks.grow(false)
    rig.engine.successionGrew()
    #expect(await holds { rig.engine.feeder.places(slot: 1, upTo: .max).past.count == 2 })
    rig.hear(30_000)
    await rig.until { rig.hasEnded }
    #expect(rig.toldTracks == [0, 1])
    let isSame = Array(rig.heard.suffix(20_000)) == two.samples
    #expect(isSame)
  }

  @Test func `A bad track waits for the next one to be known`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let two = try rig.track("two.wav", frames: 10_000)
    let tracks = LooseTracks([rig.folder.file("missing.wav"), two.path], [:])
    tracks.grow(true)
    try rig.start(tracks)
    await rig.until { rig.failures == [0] }
    #expect(!rig.hasEnded)
    tracks.follow(0, by: 1)
    tracks.grow(false)
    rig.engine.successionGrew()
    rig.hear(20_000)
    await rig.until { rig.hasEnded }
    let isSame = rig.heard == two.samples
    #expect(isSame)
  }
}
