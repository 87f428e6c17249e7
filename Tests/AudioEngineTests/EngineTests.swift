import AudioOutput
import AudioTypes
import Decoding
import OutputInterface
import Realtime
import TestSupport
import Testing

@testable import AudioEngine

/// The engine on a simulated device whose clock the test moves: everything is compared as samples.
@MainActor @Suite(.serialized) struct EngineTests {
  /// Samples of a run of frames.
  private func frames(_ samples: [Float], _ range: Range<Int>) -> [Float] {
    Array(samples[(range.lowerBound * 2)..<(range.upperBound * 2)])
  }

  /// Where a stretch of `wanted` begins in `heard` at or after a frame; `nil` when it is not there.
  private func find(_ wanted: [Float], in heard: [Float], from: Int = 0) -> Int? {
    guard heard.count >= wanted.count else { return nil }
    return (from...((heard.count - wanted.count) / 2)).first { frame in
      heard[frame * 2] == wanted[0] && heard[frame * 2 + 1] == wanted[1]
        && Array(heard[(frame * 2)..<(frame * 2 + wanted.count)]) == wanted
    }
  }

  @Test func `Tracks that follow each other are heard as one run of samples, without a gap`()
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let one = try rig.track("one", frames: 30_011)
    let two = try rig.track("two", frames: 7, first: 1_000_000)
    let three = try rig.track("three", frames: 20_000, first: 2_000_000)
    try rig.start([one.path, two.path, three.path])
    rig.hear(60_000)
    await rig.until { rig.hasEnded }
    let isSame = rig.heard == one.samples + two.samples + three.samples
    #expect(isSame)
    #expect(rig.toldTracks == [0, 1, 2])
    #expect(rig.device.clock().underruns == 0)
  }

  @Test func `A pause is heard within the latency and a fade, and loses and repeats no sample`()
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("track", frames: 200_000)
    try rig.start([track.path])
    rig.hear(20_000)
    rig.device.waitUntilQueued(95_000)  // nearly two seconds
    rig.engine.hold()
    rig.hear(5_000)
    #expect(rig.device.isCorked)
    #expect(rig.heard.count / 2 == 20_000 + 240 + 480)  // latency and fade, no frame more
    #expect(rig.engine.snapshot().state == .held)
    let position = rig.engine.snapshot().position
    #expect(position == 20_720.0 / 48_000)
    rig.engine.release()
    rig.hear(20_000)
    let heard = rig.heard
    let isSameBefore = frames(heard, 0..<20_240) == frames(track.samples, 0..<20_240)
    let isSameAfter = frames(heard, 21_200..<40_000) == frames(track.samples, 21_200..<40_000)
    #expect(isSameBefore && isSameAfter)
    // In the fades no sample is louder than the track's own.
    let isFaded = (20_240 * 2..<21_200 * 2).allSatisfy {
      abs(heard[$0]) <= abs(track.samples[$0])
    }
    #expect(isFaded)
  }

  @Test func `Who waits for silence is told when the fade has been heard, not before`() async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("track", frames: 200_000)
    try rig.start([track.path])
    rig.engine.patience = 60
    rig.hear(20_000)
    await rig.until { rig.engine.snapshot().state == .playing }
    var told: [Int64] = []
    rig.engine.hold { told.append(rig.device.clock().heard) }
    // All but the last frame of the fade.
    rig.hear(240 + 479)
    #expect(rig.device.clock().heard == 20_719)
    // What the device has told so far has been looked at when this is told.
    rig.engine.setDeviceVolume(percent: 50)
    await rig.until { !rig.toldVolumes.isEmpty }
    #expect(told.isEmpty)
    rig.hear(5_000)
    // A second one waits for the same silence.
    await rig.holdUntilSilent()
    #expect(told == [20_720])
    // Already silent: at once.
    var isTold = false
    rig.engine.hold { isTold = true }
    #expect(isTold)
  }

  @Test func `Before the first frame there is silence already`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("track", frames: 20_000)
    try rig.start([track.path])
    await rig.holdUntilSilent()
    #expect(rig.device.clock().heard == 0)
  }

  @Test func `A device that stands still is not waited for longer than the patience`() async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("track", frames: 200_000)
    try rig.start([track.path])
    rig.hear(20_000)
    await rig.until { rig.engine.snapshot().state == .playing }
    // Nobody moves the device's clock: its fade is never heard.
    await withCheckedContinuation { done in rig.engine.hold { done.resume() } }
    #expect(rig.device.clock() == StreamClock(heard: 20_000, isRunning: true, underruns: 0))
    #expect(rig.engine.snapshot().state == .held)
  }

  @Test func `The patience begins after a long fade`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("track", frames: 200_000)
    try rig.start([track.path])
    rig.hear(20_000)
    await rig.until { rig.engine.snapshot().state == .playing }
    rig.engine.patience = 0
    var isTold = false
    rig.engine.hold(fade: 60) { isTold = true }
    // The mute's patience is over at once; so would the hold's be.
    rig.engine.setMuted(true)
    await rig.until { rig.toldVolumes.last?.isMuted == true }
    #expect(!isTold)
  }

  @Test func `Ending waits for the fade, and a lost device is not waited for`() async throws {
    let rig = try Rig()
    let track = try rig.track("track", frames: 200_000)
    try rig.start([track.path])
    rig.engine.patience = 60
    rig.hear(20_000)
    await rig.until { rig.engine.snapshot().state == .playing }
    let device = rig.device
    var ends = 0
    rig.engine.shutDown { _ in ends += 1 }
    #expect(ends == 0)
    rig.hear(5_000)
    await withCheckedContinuation { done in rig.engine.shutDown { _ in done.resume() } }
    #expect(ends == 1)
    #expect(device.clock().heard == 20_720)
    #expect(rig.heard.count / 2 == 20_720)

    var knobs = SimulationKnobs()
    knobs.loseAtFrame = 20_300  // within the fade
    let other = try Rig()
    try other.start([track.path], knobs: knobs)
    other.engine.patience = 60
    other.hear(20_000)
    await other.until { other.engine.snapshot().state == .playing }
    let end = await withCheckedContinuation { done in
      other.engine.shutDown { done.resume(returning: $0) }
      other.hear(5_000)
    }
    #expect(end?.code == .deviceLost)
  }

  @Test func `A level set before the start holds from the first sample on`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("track", frames: 20_000)
    try rig.start([track.path], level: Gain(linear: 0.25))
    rig.hear(2_000)
    let isQuiet =
      rig.heard.count == 4_000
      && rig.heard == track.samples.prefix(4_000).map { $0 * 0.25 }
    #expect(isQuiet)
  }

  @Test func `The device is muted when the fade has been heard, and the sound goes on below`()
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("track", frames: 200_000)
    try rig.start([track.path])
    rig.engine.patience = 60
    rig.hear(20_000)
    await rig.until { rig.engine.snapshot().state == .playing }
    rig.engine.setMuted(true)
    rig.hear(240 + 479)
    rig.engine.setDeviceVolume(percent: 50)
    await rig.until { !rig.toldVolumes.isEmpty }
    #expect(rig.toldVolumes == [DeviceVolume(percent: 50, isMuted: false)])
    rig.hear(5_000)
    await rig.until { rig.toldVolumes.last?.isMuted == true }
    // As another program would.
    rig.device.setMuted(false)
    await rig.until { rig.toldVolumes.last?.isMuted == false }
    rig.hear(5_000)
    let heard = rig.heard
    let isSame = frames(heard, 0..<20_240) == frames(track.samples, 0..<20_240)
    let isSilent = frames(heard, 20_720..<25_719).allSatisfy { $0 == 0 }
    // Heard until the unmute, the latency, and the rise.
    let isBack = frames(heard, 26_439..<30_000) == frames(track.samples, 26_439..<30_000)
    #expect(isSame && isSilent && isBack)
  }

  @Test func `A mute while paused needs no fade, and one on a dead device is not lost`()
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("track", frames: 200_000)
    try rig.start([track.path])
    rig.hear(20_000)
    await rig.until { rig.engine.snapshot().state == .playing }
    // Nobody moves the device's clock: patience ends.
    rig.engine.setMuted(true)
    await rig.until { rig.toldVolumes.last?.isMuted == true }
    rig.engine.toggleMuted()
    await rig.until { rig.toldVolumes.last?.isMuted == false }
    rig.engine.hold()
    rig.hear(5_000)
    rig.engine.patience = 60
    await rig.holdUntilSilent()
    rig.engine.toggleMuted()
    await rig.until { rig.toldVolumes.last?.isMuted == true }
    rig.engine.toggleMuted()
    await rig.until { rig.toldVolumes.last?.isMuted == false }
    let held = rig.heard.count / 2
    rig.engine.release()
    rig.hear(5_000)
    let after = (held + 480)..<(held + 4_000)
    let isSame = frames(rig.heard, after) == frames(track.samples, after)
    #expect(isSame)
  }

  @Test func `A device that cannot rewind keeps the same promises with a short queue`() async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("track", frames: 100_000)
    var knobs = SimulationKnobs()
    knobs.canRewind = false
    try rig.start([track.path], knobs: knobs)
    rig.hear(20_000)
    #expect(rig.device.queued <= 48_000 * 6 / 100)
    rig.engine.hold()
    rig.hear(10_000)
    #expect(rig.device.isCorked)
    #expect(rig.heard.count / 2 <= 20_000 + 2_880 + 480)
    let held = rig.heard.count / 2
    rig.engine.release()
    rig.hear(10_000)
    let isSame =
      frames(rig.heard, (held + 480)..<30_000) == frames(track.samples, (held + 480)..<30_000)
    #expect(isSame)
  }

  @Test func `A seek lands on its frame, is heard within the latency, and needs no silence`()
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("track", frames: 480_000)
    try rig.start([track.path])
    await rig.until { rig.toldTracks == [0] }
    rig.hear(10_000)
    rig.engine.seek(to: 5)
    await rig.until { rig.engine.snapshot().position >= 5 }
    rig.hear(10_000)
    let heard = rig.heard
    // The old place falls for a fade while the new one rises; after that only the new one sounds.
    let isSame =
      frames(heard, 10_720..<20_000) == frames(track.samples, 240_480..<249_760)
    #expect(isSame)
    #expect(rig.device.clock().underruns == 0)
    #expect(rig.toldTracks == [0])
  }

  @Test func `A flood of seeks ends at the last, and every ring is free again`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("track", frames: 480_000)
    try rig.start([track.path])
    await rig.until { rig.toldTracks == [0] }
    var random = Signals.Seeded(5)
    for _ in 0..<300 {
      rig.hear(48)
      rig.engine.seek(to: Double.random(in: 0...4, using: &random))
    }
    rig.engine.seek(to: 6)
    // Every ring may be falling silent: one is free when the device has heard that.
    while rig.lastSought != 6 {
      rig.hear(48)
      await Task.yield()
    }
    rig.hear(5_000)
    let wanted = frames(track.samples, 288_480..<290_000)
    #expect(find(wanted, in: rig.heard) != nil)
  }

  @Test func `Next while held stays held, at the new track's first frame`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let one = try rig.track("one", frames: 100_000)
    let two = try rig.track("two", frames: 100_000, first: 500_000)
    try rig.start([one.path, two.path])
    await rig.until { rig.toldTracks == [0] }
    rig.hear(5_000)
    rig.engine.hold()
    rig.hear(1_000)
    let held = rig.heard.count
    rig.engine.move(to: 1)
    await rig.until { rig.toldTracks == [0, 1] }
    #expect(rig.device.isCorked)
    #expect(rig.heard.count == held)
    #expect(rig.engine.snapshot().position == 0)
    rig.engine.release()
    rig.hear(1_000)
    let isSame = Array(rig.heard[held...]) == frames(two.samples, 0..<1_000)
    #expect(isSame)
  }

  @Test func `Next begins with the track's first sample at full level while the old one falls`()
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let one = try rig.track("one", frames: 100_000)
    let two = try rig.track("two", frames: 100_000, first: 500_000)
    try rig.start([one.path, two.path])
    await rig.until { rig.toldTracks == [0] }
    rig.hear(5_000)
    rig.engine.move(to: 1)
    await rig.until { rig.toldTracks == [0, 1] }
    rig.hear(5_000)
    let isSame = frames(rig.heard, 5_720..<10_000) == frames(two.samples, 480..<4_760)
    #expect(isSame)
  }

  @Test func `A track that was decoded ahead begins at its beginning when it is jumped to`()
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let one = try rig.track("one", frames: 30_000)
    let two = try rig.track("two", frames: 100_000, first: 500_000)
    try rig.start([one.path, two.path])
    await rig.until { rig.toldTracks == [0] }
    // More is queued than the first track has: the second is being decoded.
    rig.device.waitUntilQueued(60_000)
    rig.hear(1_000)
    rig.engine.move(to: 1)
    await rig.until { rig.toldTracks == [0, 1] }
    rig.hear(5_000)
    let isSame = frames(rig.heard, 1_720..<6_000) == frames(two.samples, 480..<4_760)
    #expect(isSame)
  }

  @Test func `A ring is in use until its fade has been heard, not only queued`() {
    let renderer = Renderer(controlEvent: -1, decoderEvent: -1)
    renderer.prepare(sampleRate: 1000, channels: 2, fadeFrames: 10)
    let core = renderer.core
    renderer.send { $0.jump = 1 }
    _ = core.pointee.turn(at: 0, again: false)
    for slot in 1...2 {
      renderer.send { wish in
        wish.jump += 1
        wish.slot = slot
      }
      _ = core.pointee.turn(at: Int64(slot) * 100, again: false)
    }
    #expect(renderer.busySlots == 0b111)
    core.pointee.heard(before: 105)
    #expect(renderer.busySlots == 0b111)
    core.pointee.heard(before: 110)
    #expect(renderer.busySlots == 0b110)
  }

  @Test func `A step of the level is heard within the latency and ramps over a fade`() async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("track", frames: 100_000)
    try rig.start([track.path])
    rig.hear(10_000)
    rig.engine.setLevel(Gain(linear: 0.5))
    rig.hear(10_000)
    let isBefore = frames(rig.heard, 0..<10_240) == frames(track.samples, 0..<10_240)
    let isAfter =
      frames(rig.heard, 10_720..<20_000) == frames(track.samples, 10_720..<20_000).map { $0 * 0.5 }
    #expect(isBefore && isAfter)
  }

  @Test func `A track that cannot be played is told once, and the next one plays`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let good = try rig.track("good", frames: 10_000)
    let text = try rig.folder.write(Array("not music at all, only words\n".utf8), "text.wav")
    try rig.start([text, rig.folder.file("missing"), good.path, text])
    rig.hear(20_000)
    await rig.until { rig.hasEnded }
    let failed = rig.events.compactMap { event -> Int? in
      if case .failed(let index, _, _) = event { index } else { nil }
    }
    #expect(failed.sorted() == [0, 1, 3])
    let isSame = rig.heard == good.samples
    #expect(isSame)
  }

  @Test func `Nothing that plays is an end, not a wait`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    try rig.start([rig.folder.file("missing")])
    await rig.until { rig.hasEnded }
    #expect(rig.heard.isEmpty)
  }

  @Test func `After the end a track can be played again`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("track", frames: 5_000)
    try rig.start([track.path])
    await rig.until { rig.toldTracks == [0] }
    rig.hear(6_000)
    await rig.until { rig.hasEnded }
    rig.engine.play(index: 0)
    await rig.until { rig.toldTracks == [0, 0] }
    rig.hear(6_000)
    let isSame = rig.heard == track.samples + track.samples
    #expect(isSame)
  }

  @Test func `An underrun is counted and loses no sample`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("track", frames: 30_000)
    var knobs = SimulationKnobs()
    knobs.underrunAtFrame = 12_345
    try rig.start([track.path], knobs: knobs)
    rig.hear(40_000)
    await rig.until { rig.hasEnded }
    #expect(rig.device.clock().underruns == 1)
    let isSame = rig.heard == track.samples
    #expect(isSame)
  }

  @Test func `A device that takes frames in bursts is rewound to the next burst`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("track", frames: 100_000)
    var knobs = SimulationKnobs()
    knobs.burstFrames = 1024
    try rig.start([track.path], knobs: knobs)
    rig.hear(10_000)
    rig.engine.hold()
    rig.hear(5_000)
    // 10,000 and the latency, rounded up to a burst, and the fade.
    #expect(rig.heard.count / 2 == 10_240 + 480)
    let isSame = frames(rig.heard, 0..<10_240) == frames(track.samples, 0..<10_240)
    #expect(isSame)
  }

  @Test func `A lost device is told with its reason, and the position stands`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("track", frames: 100_000)
    var knobs = SimulationKnobs()
    knobs.loseAtFrame = 9_000
    try rig.start([track.path], knobs: knobs)
    rig.hear(10_000)
    await rig.until { rig.engine.snapshot().state == .lost }
    let isTold = rig.events.contains {
      if case .lost(let error) = $0 { error.code == .deviceLost } else { false }
    }
    #expect(isTold)
    #expect(rig.engine.snapshot().position == 9_000.0 / 48_000)
  }

  @Test func `An output that cannot be opened is an error, and nothing hangs`() throws {
    let rig = try Rig()
    let track = try rig.track("track", frames: 100)
    var knobs = SimulationKnobs()
    knobs.openError = OutputError(.noServer, "no server answers")
    #expect(throws: OutputError.self) { try rig.start([track.path], knobs: knobs) }
    rig.close()
  }

  /// Tracks that tell when nobody knows them any more: not the engine, not the decoder's thread.
  private final class LastTracks: Succession {
    let tracks: Tracks
    let onEnd: @Sendable () -> Void

    init(_ tracks: Tracks, onEnd: @escaping @Sendable () -> Void) {
      self.tracks = tracks
      self.onEnd = onEnd
    }

    func track(at index: Int) -> TrackLocation? { tracks.track(at: index) }
    func index(after index: Int) -> Int? { tracks.index(after: index) }
    deinit { onEnd() }
  }

  /// An engine that plays for a moment on a device with its own thread and is closed.
  private func playAndClose(
    _ path: String, onEnd: @escaping @Sendable () -> Void
  ) async throws -> (engine: () -> AudioEngine?, stream: () -> SimulatedStream?) {
    let tracks = LastTracks(Tracks(locations: [TrackLocation(path)]), onEnd: onEnd)
    let (states, told) = AsyncStream<EngineState>.makeStream()
    let engine = AudioEngine(succession: tracks, gain: .off) { event in
      if case .state(let state) = event { told.yield(state) }
    }
    try engine.start(backend: NullBackend(), request: StreamRequest(), at: 0)
    for await state in states where state == .playing { break }
    let stream = engine.session?.stream as? SimulatedStream
    try #require(stream != nil)
    engine.close()
    return ({ [weak engine] in engine }, { [weak stream] in stream })
  }

  @Test func `A closed engine that is let go leaves no stream and no thread behind`() async throws {
    let folder = try TestFolder()
    let path = try folder.write(
      SignalFile.wave(
        SignalFile.bytes(
          Signals.coded(frames: 100_000, channels: 2, bits: 24), .signed24, big: false),
        format: SignalFile.waveFormat(.signed24, channels: 2, rate: 48_000)), "track")
    let (ends, end) = AsyncStream<Void>.makeStream()
    let left = try await playAndClose(path) { end.yield() }
    for await _ in ends { break }
    #expect(left.engine() == nil)
    #expect(left.stream() == nil)
  }

  @Test func `A report that comes after the end opens no stream`() async throws {
    let rig = try Rig()
    let track = try rig.track("track", frames: 100_000)
    try rig.start([track.path])
    await rig.until { rig.toldTracks == [0] }
    rig.close()
    let jump = Feeder.Jump(index: 0, seconds: 0, isSeek: false)
    rig.engine.take(.needsRate(Feeder.RateBreak(rate: 44_100, jump: jump)))
    #expect(rig.streams.withLock { $0.count } == 1)
  }

  @Test func `Paused before the first frame, it begins when it is released`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("track", frames: 20_000)
    try rig.start([track.path])
    rig.engine.hold()
    rig.engine.release()
    rig.engine.hold()
    rig.engine.release()
    rig.hear(30_000)
    await rig.until { rig.hasEnded }
    // Whether the device took a turn in between or not, no frame is lost or repeated.
    #expect(rig.heard.count / 2 == 20_000)
    let isSame = frames(rig.heard, 2_000..<20_000) == frames(track.samples, 2_000..<20_000)
    #expect(isSame)
  }

  @Test func `A seek past the end is the next track; of the last track, the end`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let one = try rig.track("one", frames: 100_000)
    let two = try rig.track("two", frames: 100_000, first: 500_000)
    try rig.start([one.path, two.path])
    rig.hear(1_000)
    await rig.until { rig.toldTracks == [0] }
    rig.engine.seek(to: 60)
    await rig.until { rig.toldTracks == [0, 1] }
    rig.hear(1_000)
    rig.engine.seek(to: 60)
    await rig.until { rig.hasSought }
    rig.hear(2_000)
    await rig.until { rig.hasEnded }
  }

  @Test func `Without a resampler each track has a stream of its own rate, and nothing is lost`()
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let one = try rig.track("one", frames: 9_000, rate: 44_100)
    let two = try rig.track("two", frames: 8_000, first: 100_000, rate: 44_100)
    let three = try rig.track("three", frames: 7_000, first: 200_000, rate: 96_000)
    try rig.start([one.path, two.path, three.path], pace: .real, canResample: false)
    await rig.until { rig.hasEnded }
    let isSame = rig.heard == one.samples + two.samples + three.samples
    #expect(isSame)
    #expect(rig.toldTracks == [0, 1, 2])
    // The device's own rate was opened first; nothing was played on it.
    #expect(rig.streams.withLock { $0.map(\.format.sampleRate) } == [48_000, 44_100, 96_000])
  }

  @Test func `On a device with a clock of its own everything is heard, by its own thread`()
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("track", frames: 12_000)
    try rig.start([track.path], pace: .real)
    await rig.until { rig.hasEnded }
    let isSame = rig.heard == track.samples
    #expect(isSame)
  }
}
