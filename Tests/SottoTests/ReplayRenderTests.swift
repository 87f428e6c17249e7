import Foundation
import TestSupport
import Testing

/// What is heard while things happen: `sotto render --replay`, looked at as samples. The left side
/// of the track is constant, so that it shows the level; the right side counts, so that it shows
/// the place.
@Suite struct ReplayRenderTests {
  private static let rate = 48_000

  /// 20 s: 0.5 on the left; on the right the tenth of a second since the beginning, in 1/256.
  private static let track: [UInt8] = {
    var samples: [UInt8] = []
    for frame in 0..<20 * rate {
      for value in [Int16(16_384), Int16(frame / (rate / 10) * 128)] {
        samples += [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
      }
    }
    return SignalFile.wave(
      samples, format: SignalFile.waveFormat(.signed16, channels: 2, rate: rate))
  }()

  /// What is heard at a time: the level in decibels below the track's own, and the place in tenths.
  private struct Heard {
    let samples: [Float]

    init(_ events: String) throws {
      let folder = try Folder()
      let track = try folder.write("track.wav", ReplayRenderTests.track)
      let replay = try folder.write("events.jsonl", Array(events.utf8))
      let run = try Run("render", "--replay", replay, track, "-o", "-")
      try #require(run.status == 0 && run.errors.isEmpty)
      samples = run.output.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    var seconds: Double { Double(samples.count / 2) / Double(ReplayRenderTests.rate) }

    private func frame(_ time: Double) -> Int { Int((time * Double(rate)).rounded()) }
    private var rate: Int { ReplayRenderTests.rate }

    func level(_ time: Double) -> Float { samples[frame(time) * 2] / 0.5 }

    func tenth(_ time: Double) -> Int {
      let frame = frame(time)
      return Int((samples[frame * 2 + 1] / samples[frame * 2] * 128).rounded())
    }

    /// Silent in all of [from, to).
    func isSilent(_ from: Double, _ to: Double) -> Bool {
      samples[(frame(from) * 2)..<(frame(to) * 2)].allSatisfy { $0 == 0 }
    }

    /// At full level in all of [from, to).
    func isFull(_ from: Double, _ to: Double) -> Bool {
      stride(from: frame(from) * 2, to: frame(to) * 2, by: 2).allSatisfy { samples[$0] == 0.5 }
    }

    /// The largest step between neighbours on the left: a click, if it is large.
    var largestStep: Float {
      var largest: Float = 0
      for index in stride(from: 2, to: samples.count, by: 2) {
        largest = max(largest, abs(samples[index] - samples[index - 2]))
      }
      return largest
    }
  }

  /// A fade of 10 ms takes 480 steps.
  private static let softest: Float = 0.5 / 478

  @Test func `A8 row 1, S53: a call holds the music, which goes on at the sample where it was`()
    throws
  {
    let heard = try Heard(
      """
      {"at": 0, "event": "play"}
      {"at": 2, "event": "begin", "id": "c", "kind": "call"}
      {"at": 5, "event": "end", "id": "c", "resume": true}
      {"at": 8, "event": "wait"}
      """)
    #expect(heard.seconds == 8)
    #expect(heard.isFull(0, 2) && heard.isSilent(2.1, 5) && heard.isFull(5.05, 8))
    #expect(heard.level(2.05) > 0.45 && heard.level(2.05) < 0.55)
    #expect(heard.level(5.025) > 0.45 && heard.level(5.025) < 0.55)
    // 2.1 s were heard, then it goes on: at 6 s it is at 3.1.
    #expect(heard.tenth(1.95) == 19 && heard.tenth(6.05) == 31)
    #expect(heard.largestStep < Self.softest)
  }

  @Test func `S54: a prompt lowers the music by 14 dB in 100 ms, and 300 ms after it 500 ms back`()
    throws
  {
    let heard = try Heard(
      """
      {"at": 0, "event": "play"}
      {"at": 1, "event": "begin", "id": "d", "kind": "duck"}
      {"at": 2, "event": "end", "id": "d"}
      {"at": 4, "event": "wait"}
      """)
    let low: Float = 0.199_526
    #expect(heard.isFull(0, 1) && heard.isFull(2.8, 4))
    for time in [1.1, 1.5, 2.0, 2.29] { #expect(abs(heard.level(time) - low) < 1e-4) }
    #expect(abs(heard.level(1.05) - (1 + low) / 2) < 0.01)
    #expect(abs(heard.level(2.55) - (1 + low) / 2) < 0.01)
    #expect(heard.tenth(3.95) == 39)
    #expect(heard.largestStep < Self.softest)
  }

  @Test func `D4.14: prompts in a row are one step down and one step up`() throws {
    let heard = try Heard(
      """
      {"at": 0, "event": "play"}
      {"at": 1, "event": "begin", "id": "a", "kind": "duck"}
      {"at": 1.2, "event": "end", "id": "a"}
      {"at": 1.4, "event": "begin", "id": "b", "kind": "duck"}
      {"at": 1.6, "event": "end", "id": "b"}
      {"at": 3, "event": "wait"}
      """)
    for time in stride(from: 1.1, to: 1.89, by: 0.05) {
      #expect(abs(heard.level(time) - 0.199_526) < 1e-4)
    }
    #expect(heard.isFull(2.4, 3))
  }

  @Test func `S16: lost headphones are silent at the next sample, and stay so`() throws {
    let heard = try Heard(
      """
      {"at": 0, "event": "route", "to": {"id": "hp", "class": "private"}, "reason": "newDeviceAvailable"}
      {"at": 0, "event": "play"}
      {"at": 1, "event": "route", "to": {"id": "speaker", "class": "speaker"}, "reason": "oldDeviceUnavailable"}
      {"at": 2, "event": "route", "to": {"id": "hp", "class": "private"}, "reason": "newDeviceAvailable"}
      {"at": 3, "event": "play"}
      {"at": 4, "event": "wait"}
      """)
    #expect(heard.isFull(0, 1) && heard.isSilent(1, 3) && heard.isFull(3.01, 4))
    #expect(heard.tenth(3.55) == 15)
  }

  @Test func `A8 row 11, D4.3: unplugged in a call, nothing is heard after it`() throws {
    let heard = try Heard(
      """
      {"at": 0, "event": "route", "to": {"id": "hp", "class": "private"}, "reason": "newDeviceAvailable"}
      {"at": 0, "event": "play"}
      {"at": 1, "event": "begin", "id": "c", "kind": "call"}
      {"at": 2, "event": "route", "to": {"id": "speaker", "class": "speaker"}, "reason": "oldDeviceUnavailable"}
      {"at": 3, "event": "end", "id": "c", "resume": true}
      {"at": 4, "event": "wait"}
      """)
    #expect(heard.isSilent(1.1, 4))
  }

  @Test(arguments: [
    // Row 2 and 4: paused before.
    #"{"at": 0.5, "event": "pause"}"# + "\n"
      + #"{"at": 1, "event": "begin", "id": "c", "kind": "call"}"#,
    // Row 3: another player.
    #"{"at": 1, "event": "begin", "id": "c", "kind": "primary"}"#,
    // Row 7: paused in it.
    #"{"at": 1, "event": "begin", "id": "c", "kind": "call"}"# + "\n"
      + #"{"at": 1.5, "event": "pause"}"#,
    // Row 12: stopped in it.
    #"{"at": 1, "event": "begin", "id": "c", "kind": "call"}"# + "\n"
      + #"{"at": 1.5, "event": "stop"}"#,
  ])
  func `A8 rows 2, 3, 4, 7 and 12: nothing is heard after the end`(events: String) throws {
    let heard = try Heard(
      """
      {"at": 0, "event": "play"}
      \(events)
      {"at": 2, "event": "end", "id": "c", "resume": true}
      {"at": 4, "event": "wait"}
      """)
    #expect(heard.isFull(0, 0.5) && heard.isSilent(1.3, 4))
  }

  @Test func `A8 row 9: without the hint nothing is heard after the end`() throws {
    let heard = try Heard(
      """
      {"at": 0, "event": "play"}
      {"at": 1, "event": "begin", "id": "c", "kind": "call"}
      {"at": 2, "event": "end", "id": "c", "resume": false}
      {"at": 4, "event": "wait"}
      """)
    #expect(heard.isSilent(1.1, 4))
  }

  @Test func `A8 rows 8 and 10: asked for in the call, it begins at its end, hint or not`() throws {
    for hint in [true, false] {
      let heard = try Heard(
        """
        {"at": 0, "event": "begin", "id": "c", "kind": "call"}
        {"at": 1, "event": "play"}
        {"at": 2, "event": "end", "id": "c", "resume": \(hint)}
        {"at": 4, "event": "wait"}
        """)
      #expect(heard.isSilent(0, 2) && heard.isFull(2.05, 4))
      #expect(heard.tenth(3.05) == 10)
    }
  }

  @Test func `A8 row 5: without controls it goes on after another player`() throws {
    let heard = try Heard(
      """
      {"event": "configure", "controls": false}
      {"at": 0, "event": "play"}
      {"at": 1, "event": "begin", "id": "p", "kind": "primary"}
      {"at": 2, "event": "end", "id": "p"}
      {"at": 4, "event": "wait"}
      """)
    #expect(heard.isSilent(1.3, 2) && heard.isFull(2.05, 4))
    #expect(heard.tenth(3.05) == 23)
  }

  @Test func `D4.1, D4.4: a call in a prompt, and the music comes back low`() throws {
    let heard = try Heard(
      """
      {"at": 0, "event": "play"}
      {"at": 1, "event": "begin", "id": "d", "kind": "duck"}
      {"at": 2, "event": "begin", "id": "c", "kind": "call"}
      {"at": 3, "event": "end", "id": "c", "resume": true}
      {"at": 4, "event": "end", "id": "d"}
      {"at": 6, "event": "wait"}
      """)
    #expect(heard.isSilent(2.1, 3) && heard.isFull(4.8, 6))
    for time in [1.5, 3.1, 3.9] { #expect(abs(heard.level(time) - 0.199_526) < 1e-4) }
  }

  @Test func `D4.7: a Bluetooth call holds the music once`() throws {
    let heard = try Heard(
      """
      {"at": 0, "event": "route", "to": {"id": "a2dp", "class": "private", "device": "1"}, "reason": "newDeviceAvailable"}
      {"at": 0, "event": "play"}
      {"at": 1, "event": "route", "to": {"id": "speaker", "class": "speaker"}, "reason": "oldDeviceUnavailable", "link": "kept"}
      {"at": 1.2, "event": "begin", "id": "c", "kind": "call"}
      {"at": 1.5, "event": "route", "to": {"id": "hfp", "class": "private", "device": "1"}, "reason": "newDeviceAvailable"}
      {"at": 3, "event": "end", "id": "c"}
      {"at": 5, "event": "wait"}
      """)
    #expect(heard.isFull(0, 1) && heard.isSilent(1, 3) && heard.isFull(3.05, 5))
    #expect(heard.tenth(4.05) == 20)
  }

  @Test func `D4.12: next in a call waits, and a track does not end in it`() throws {
    let heard = try Heard(
      """
      {"at": 0, "event": "load", "tracks": [{"duration": 20}, {"duration": 20}]}
      {"event": "play"}
      {"at": 1, "event": "begin", "id": "c", "kind": "call"}
      {"at": 2, "event": "next"}
      {"at": 30, "event": "end", "id": "c"}
      {"at": 32, "event": "wait"}
      """)
    #expect(heard.isSilent(1.1, 30) && heard.isFull(30.05, 32))
    #expect(heard.tenth(31.05) == 10)
  }

  @Test func `The queue's tracks join, and after the last there is silence`() throws {
    let heard = try Heard(
      """
      {"at": 0, "event": "load", "tracks": [{"duration": 2}, {"duration": 2}]}
      {"event": "play"}
      {"at": 6, "event": "wait"}
      """)
    #expect(heard.isFull(0, 2) && heard.isFull(2.01, 4) && heard.isSilent(4, 6))
    #expect(heard.tenth(1.95) == 19 && heard.tenth(2.55) == 5)
  }

  @Test func `Spoken content waits for a prompt and a moment longer`() throws {
    let heard = try Heard(
      """
      {"event": "configure", "content": "spoken"}
      {"at": 0, "event": "play"}
      {"at": 1, "event": "begin", "id": "d", "kind": "duck"}
      {"at": 2, "event": "end", "id": "d"}
      {"at": 4, "event": "wait"}
      """)
    #expect(heard.isSilent(1.1, 2.3) && heard.isFull(2.35, 4))
  }

  @Test func `From and to are times of the replay, and a fault of the file is one line`() throws {
    let folder = try Folder()
    let track = try folder.write("track.wav", Self.track)
    let replay = try folder.write(
      "events.jsonl", Array("{\"event\":\"play\"}\n{\"at\":9,\"event\":\"wait\"}\n".utf8))
    let run = try Run(
      "render", "--replay", replay, track, "--from", "2", "--to", "3", "-o", "-")
    #expect(run.status == 0 && run.output.count == Self.rate * 8)
    let bad = try folder.write("bad.jsonl", Array("{\"event\":\"play\"}\nnonsense\n".utf8))
    let refused = try Run("render", "--replay", bad, track, "-o", folder.path + "/out.wav")
    #expect(refused.status == 1 && refused.errorLines.count == 1)
    #expect(refused.errorLines[0].hasPrefix("sotto: \(bad):2: "))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/out.wav"))
    let missing = try Run("render", "--replay", folder.path + "/none", track, "-o", "-")
    #expect(missing.status == 1 && missing.errorLines.count == 1)
  }
}
