import AudioTypes
import TestSupport
import Testing

@testable import AudioEngine

@Suite(.serialized) @MainActor struct LayerTests {
  /// A sound of one constant, so that what is heard shows its level.
  private func sound(_ rig: Rig, frames: Int, _ value: Int32) throws -> TrackLocation {
    let samples = [Int32](repeating: value, count: frames * 2)
    let bytes = SignalFile.wave(
      SignalFile.bytes(samples, .signed24, big: false),
      format: SignalFile.waveFormat(.signed24, channels: 2, rate: Rig.rate))
    return TrackLocation(try rig.folder.write(bytes, "sound-\(value)-\(frames).wav"))
  }

  private static let quarter: Int32 = 1 << 21

  @Test func `A sound beside held music is heard, and the music stands still for it`() async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let (path, samples) = try rig.track("a.wav", frames: 96_000)
    try rig.start([path])
    rig.hear(9600)
    rig.engine.hold()
    rig.hear(9600)
    let heldAt = rig.heard.count / 2
    let prompt = try sound(rig, frames: 4800, Self.quarter)
    let length = try rig.engine.begin(sound: prompt, place: 2)
    #expect(length == 0.1)
    rig.hear(9600)
    #expect(rig.device.isCorked)
    #expect(rig.heard.count / 2 == heldAt + 4800)
    #expect(rig.heard[(heldAt * 2)...].allSatisfy { $0 == 0.25 })
    rig.engine.release(fade: 0)
    rig.hear(4800)
    // On from the very sample after the fade.
    let resumed = Array(rig.heard[((heldAt + 4800) * 2)...].prefix(9600))
    #expect(resumed == Array(samples[(heldAt * 2)...].prefix(9600)))
  }

  @Test func `A sound that loops goes on until it is ended, and falls to silence`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let (path, _) = try rig.track("a.wav", frames: 96_000)
    try rig.start([path])
    rig.hear(4800)
    rig.engine.hold()
    rig.hear(9600)
    let heldAt = rig.heard.count / 2
    let tone = try sound(rig, frames: 100, Self.quarter)
    try rig.engine.begin(sound: tone, place: 0, isLooping: true)
    rig.hear(48_000)
    #expect(!rig.device.isCorked)
    #expect(rig.heard[(heldAt * 2)...].allSatisfy { $0 == 0.25 })
    rig.engine.end(soundIn: 0)
    rig.hear(48_000)
    #expect(rig.device.isCorked)
    let tail = rig.heard.suffix(960).enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    #expect(zip(tail, tail.dropFirst()).allSatisfy { $0 >= $1 } && tail.last! < 0.001)
  }

  @Test func `Music steps under a prompt by 14 dB, and its own level is left alone`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let music = try sound(rig, frames: 96_000, Self.quarter * 2)
    try rig.start([String(decoding: music.path, as: UTF8.self)])
    rig.hear(4800)
    rig.engine.setMusicLevel(decibels: -14, within: 0.1)
    rig.hear(9600)
    let low = rig.heard.last!
    #expect(abs(low - 0.5 * 0.199526) < 1e-5)
    let prompt = try sound(rig, frames: 4800, Self.quarter)
    try rig.engine.begin(sound: prompt, place: 1)
    rig.hear(2400)
    #expect(abs(rig.heard.last! - low - 0.25) < 1e-5)
    rig.engine.setMusicLevel(decibels: 0, within: 0.5)
    rig.hear(48_000)
    #expect(rig.heard.last! == 0.5)
    let steps = zip(rig.heard.dropFirst(9600), rig.heard.dropFirst(9602)).map { abs($0 - $1) }
    // Nothing jumps but the prompt, which begins and ends as it was made.
    #expect(steps.filter { $0 > 0.001 }.count <= 4)
  }

  @Test func `Where sounds meet, the sum never leaves the range`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let loud = try sound(rig, frames: 48_000, (1 << 23) - 1)
    try rig.start([String(decoding: loud.path, as: UTF8.self)])
    rig.hear(4800)
    #expect(rig.heard.allSatisfy { $0 > 0.999 })
    for place in 0..<4 { try rig.engine.begin(sound: loud, place: place) }
    rig.hear(9600)
    #expect(rig.heard.allSatisfy { $0 <= 1 })
    #expect(rig.heard.last! > 0.9)
  }

  @Test
  func `S25: whatever sounds beside it, music is as loud as alone, and no sum leaves the range`() {
    var random = Signals.Seeded(25)
    for _ in 0..<100_000 {
      let music = Float.random(in: -1...1, using: &random)
      let layer = Float.random(in: -1...1, using: &random)
      let sum = music + Mixer.fitted(layer, beside: music)
      #expect(abs(sum) <= 1)
      // A layer never takes from the music on its own side, and is never turned round.
      #expect(layer < 0 ? sum <= music : sum >= music)
      #expect(abs(sum - music) <= abs(layer) + 1e-6)
    }
    #expect(Mixer.fitted(0, beside: 1) == 0)
    // Music beyond the range, from a file of floats, is not made worse.
    #expect(Mixer.fitted(0.5, beside: 1.5) == 0)
  }

  @Test
  func `Over music that has stepped down by 14 dB a sound up to full scale less 4 dB is unbent`() {
    var random = Signals.Seeded(14)
    for _ in 0..<100_000 {
      let music = Float.random(in: -1...1, using: &random) * 0.199_526
      let layer = Float.random(in: -0.63...0.63, using: &random)
      #expect(Mixer.fitted(layer, beside: music) == layer)
    }
  }

  @Test func `The last track is over when it has been heard, whatever loops beside it`()
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let (path, _) = try rig.track("a.wav", frames: 9600)
    try rig.start([path])
    // The tone alone would be heard while the track is still being opened.
    await rig.until { rig.toldTracks == [0] }
    let tone = try sound(rig, frames: 100, Self.quarter)
    try rig.engine.begin(sound: tone, place: 2, isLooping: true)
    rig.hear(4800)
    await Task.yield()
    #expect(!rig.hasEnded)
    rig.hear(9600)
    await rig.until { rig.hasEnded }
    #expect(rig.heard.suffix(960).allSatisfy { $0 == 0.25 })
    // It can be played again, and is over once more.
    rig.engine.play(index: 0)
    await rig.until { rig.toldTracks.count == 2 }
    rig.hear(19_200)
    await rig.until { rig.events.count { if case .ended = $0 { true } else { false } } == 2 }
  }

  @Test func `A sound that cannot be read is an error, and the music goes on`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let (path, samples) = try rig.track("a.wav", frames: 48_000)
    try rig.start([path])
    rig.hear(4800)
    #expect(throws: (any Error).self) {
      try rig.engine.begin(sound: TrackLocation("/nowhere/ring.wav"), place: 0)
    }
    rig.hear(4800)
    #expect(rig.heard == Array(samples.prefix(19_200)))
  }

  // MARK: Memory

  @Test func `Forty sounds one after the other are heard, and what sounds beside them goes on`()
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let (path, _) = try rig.track("a.wav", frames: 4800)
    try rig.start([path])
    await rig.until { rig.toldTracks == [0] }
    let tone = try sound(rig, frames: 100, Self.quarter)
    try rig.engine.begin(sound: tone, place: 0, isLooping: true)
    rig.hear(9600)
    for number in 1...40 {
      let value = Int32(number) << 16
      try rig.engine.begin(sound: try sound(rig, frames: 480, value), place: 2)
      rig.hear(4800)
      let sum = 0.25 + Float(value) / Float(1 << 23)
      #expect(rig.heard.suffix(9600).contains { abs($0 - sum) < 1e-6 }, "sound \(number)")
      #expect(rig.heard.suffix(960).allSatisfy { $0 == 0.25 })
    }
  }

  @Test func `Sounds that nobody names any more take no more memory than there is room for`()
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let (path, _) = try rig.track("a.wav", frames: 4800)
    try rig.start([path])
    await rig.until { rig.toldTracks == [0] }
    // The same file from other places on: each is another sound of almost ten seconds.
    let long = try sound(rig, frames: 480_000, Self.quarter)
    let renderer = try #require(rig.engine.session?.renderer)
    for number in 1...40 {
      var part = long
      part.start = Double(number) / 100
      try rig.engine.begin(sound: part, place: 2)
      rig.hear(4800)
      rig.engine.end(soundIn: 2)
      rig.hear(4800)
      #expect(renderer.soundBytes <= ClipShelf.idleBytes)
    }
    #expect(renderer.soundBytes > ClipShelf.idleBytes / 2)
  }

  @Test func `Pieces that are heard once are freed when they have been, and begin where asked`()
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let (path, _) = try rig.track("a.wav", frames: 96_000)
    try rig.start([path])
    rig.hear(4800)
    rig.engine.hold()
    rig.hear(9600)
    let (file, samples) = try rig.track("b.wav", frames: 96_000, first: 7)
    let renderer = try #require(rig.engine.session?.renderer)
    let format = try #require(rig.engine.soundFormat)
    for number in 0..<40 {
      let start = 100 + number
      let piece = try LoadedSound(
        pieceOf: TrackLocation(
          path: Array(file.utf8), start: Double(start) / 48_000,
          end: Double(start + 60_000) / 48_000),
        format: format, longest: 1)
      #expect(piece.seconds == 1)
      let before = rig.heard.count
      #expect(try rig.engine.begin(piece, place: 2))
      rig.hear(2400)
      #expect(rig.heard[before...].elementsEqual(samples[(start * 2)...].prefix(4800)))
      #expect(renderer.soundBytes <= 2 * 48_000 * 8, "piece \(number)")
      rig.engine.end(soundIn: 2)
      rig.hear(2400)
    }
    // Without a next one too, once the music goes on.
    rig.engine.release(fade: 0)
    rig.hear(4800)
    #expect(renderer.freeSounds())
    #expect(renderer.soundBytes == 0)
  }

  @Test func `A piece that nobody waits for any more is not decoded to its end`() throws {
    let rig = try Rig()
    let (file, _) = try rig.track("b.wav", frames: 96_000)
    let format = AudioFormat(sampleRate: 48_000, layout: .stereo)
    var looks = 0
    let piece = try LoadedSound(pieceOf: TrackLocation(file), format: format, longest: 30) {
      looks += 1
      return looks < 3
    }
    #expect(piece.seconds > 0 && piece.seconds < 1)
  }
}
