import Foundation
import TestSupport
import Testing

/// A call by key, from the terminal to what a sound server's monitor records. The music counts its
/// frames and is the only sound on the left; what rings and who talks is on the right.
@Suite(.serialized, .enabled(if: Tool.isIntegration, "needs SOTTO_INTEGRATION=1"))
struct CallSoundTests {
  private static let rate = 48_000
  private static let ring: Float = 0.5
  private static let voice: Float = -0.25

  /// sotto on a server whose device is recorded.
  private final class Scene {
    let server: PrivateServer
    let folder: Folder
    let recorder: Recorder
    let screen: Screen

    init(_ kind: PrivateServer.Kind) throws {
      server = try PrivateServer(kind)
      let folder = try Folder()
      self.folder = folder
      let frames = (0..<Int64(rate * 30)).map { PositionSignal.frame($0) }
      try Self.write("music.wav", frames, folder)
      try FileManager.default.createDirectory(
        atPath: folder.path + "/sounds/effects", withIntermediateDirectories: true)
      for (name, value) in [
        ("ringtone", ring), ("call-caller", voice), ("call-callee", voice),
      ] {
        try Self.write(
          "sounds/effects/\(name).wav", Array(repeating: (left: 0, right: value), count: rate * 20),
          folder)
      }
      recorder = try Recorder(server)
      var environment = [
        "SOTTO_SOUNDS": folder.path + "/sounds", "XDG_STATE_HOME": folder.path + "/state",
      ]
      for name in ["PULSE_SERVER", "XDG_RUNTIME_DIR", "HOME"] {
        environment[name] = server.environment[name]
      }
      screen = try Screen(
        ["play", "--output", "pulse", folder.path + "/music.wav"], environment: environment)
    }

    private static func write(
      _ name: String, _ frames: [(left: Float, right: Float)], _ folder: Folder
    ) throws {
      let samples = frames.flatMap { [Int32($0.left * 32768), Int32($0.right * 32768)] }
      try folder.write(
        name,
        SignalFile.wave(
          SignalFile.bytes(samples, .signed16, big: false),
          format: SignalFile.waveFormat(.signed16, channels: 2, rate: rate)))
    }

    /// The music alone, at its own level, for the last tenth of a second.
    func hearsMusic() -> Bool {
      recorder.wait(last: 4800) { samples in
        samples.count == 9600 && PositionSignal.positions(samples).allSatisfy { $0 != nil }
      }
    }

    /// No music, and on the right what the condition says.
    func hears(right: @escaping (Float) -> Bool) -> Bool {
      recorder.wait(last: 4800) { samples in
        samples.count == 9600
          && stride(from: 0, to: samples.count, by: 2).allSatisfy {
            samples[$0] == 0 && right(samples[$0 + 1])
          }
      }
    }

    /// Quits, and gives all that was recorded.
    func finish() -> [Float] {
      screen.type("q")
      #expect(screen.ends() == 0)
      let samples = recorder.stop()
      server.close()
      return samples
    }
  }

  /// Stretches of at least a hundredth of a second in which the music's frames follow each other.
  private func stretches(_ samples: [Float]) -> [(recorded: Range<Int>, position: Int64)] {
    var found: [(recorded: Range<Int>, position: Int64)] = []
    for (frame, position) in PositionSignal.positions(samples).enumerated() {
      guard let position else { continue }
      if let last = found.last, last.recorded.upperBound == frame,
        position == last.position + Int64(last.recorded.count)
      {
        found[found.count - 1].recorded = last.recorded.lowerBound..<frame + 1
      } else {
        found.append((frame..<frame + 1, position))
      }
    }
    return found.filter { $0.recorded.count > 480 }
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `S53: C, a and d: the music falls in a tenth of a second, two voices, and on at its place`(
    kind: PrivateServer.Kind
  ) throws {
    let scene = try Scene(kind)
    #expect(scene.hearsMusic())
    let pressed = scene.recorder.frameCount
    scene.screen.type("C")
    #expect(scene.hears { $0 != 0 })
    scene.screen.type("a")
    #expect(scene.hears { $0 == 2 * Self.voice })
    scene.screen.type("d")
    #expect(scene.hearsMusic())
    let samples = scene.finish()

    let stretches = stretches(samples)
    let before = try #require(stretches.last { $0.recorded.lowerBound < pressed })
    let after = try #require(stretches.first { $0.recorded.lowerBound > pressed })
    // From the last frame at full level to silence; a server may have repeated a frame or two.
    let began = before.recorded.upperBound
    let silent = try #require(
      (began..<after.recorded.lowerBound).first { frame in
        samples[(frame * 2)..<(frame + 480) * 2].enumerated()
          .allSatisfy { $0.offset % 2 == 1 || $0.element == 0 }
      })
    #expect(silent - began <= Self.rate / 10 + 2)
    // What fell and what rose was heard once: it goes on with the frame after the fall.
    let fall = Int64(Self.rate / 10)
    let rise = Int64(Self.rate / 20)
    let last = before.position + Int64(before.recorded.count) - 1
    #expect(abs(after.position - (last + 1 + fall + rise)) <= 1)
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `S53: paused, C and d: it rings, and stays paused afterwards`(
    kind: PrivateServer.Kind
  ) throws {
    let scene = try Scene(kind)
    #expect(scene.hearsMusic())
    scene.screen.type(" ")
    #expect(scene.hears { $0 == 0 })
    let paused = scene.recorder.frameCount
    scene.screen.type("C")
    #expect(scene.hears { $0 != 0 })
    scene.screen.type("d")
    #expect(scene.hears { $0 == 0 })
    #expect(scene.recorder.wait(frames: Self.rate))
    let samples = scene.finish()
    let music = stride(from: paused * 2, to: samples.count, by: 2).filter { samples[$0] != 0 }
    #expect(music.isEmpty)
  }
}
