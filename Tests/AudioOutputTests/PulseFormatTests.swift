import AudioOutput
import CRealtime
import Foundation
import OutputInterface
import TestSupport
import Testing

/// In which form samples go to the server: as the device has them where that is 16 bits and the
/// server would do nothing but round, otherwise as float.
@Suite(.serialized, .enabled(if: integration))
struct PulseFormatTests {
  /// 24 bits and half of the samples beyond full scale: much to round and to clip.
  private static func loud(_ position: Int64) -> (left: Float, right: Float) {
    func sample(_ channel: Int) -> Float {
      Float(Signals.coded(frame: Int(position), channel: channel, bits: 24)) * 0x1p-22
    }
    return (sample(0), sample(1))
  }

  @Test func `a device of 16 bits plays what it would have made of float samples`() throws {
    let frames = 48_000
    let server = try PrivateServer(.pulseAudio, sinks: [.init("speakers", format: "s16le")])
    let recorder = try Recorder(server)
    let renderer = SyntheticRenderer(Self.loud)
    renderer.setLength(Int64(frames))
    let stream = try PulseBackend(server: server.address).open(
      StreamRequest(), renderer: renderer.renderer)
    #expect(try Self.format(server) == "s16le")
    renderer.command(.play)
    stream.kick()
    #expect(renderer.wait(for: SOTTO_EVENT_FINISHED))
    stream.close()
    #expect(recorder.wait { $0.count == 19_200 && $0.allSatisfy { $0 == 0 } })
    let ours = Array(Recording.sounding(recorder.stop()))

    let folder = try TestFolder()
    let plain = (0..<frames).flatMap { [Self.loud(Int64($0)).left, Self.loud(Int64($0)).right] }
    let file = try folder.write(plain.withUnsafeBytes { Array($0) }, "plain")
    let second = try Recorder(server)
    try server.tool(
      "pacat", ["--raw", "--format=float32le", "--rate=48000", "--channels=2", file])
    #expect(second.wait { $0.count == 19_200 && $0.allSatisfy { $0 == 0 } })
    // The recorder may miss the beginning of a stream that has no silence before it.
    let theirs = Array(Recording.sounding(second.stop()).suffix(frames))
    server.close()

    #expect(ours.count >= frames * 2 - 2)
    #expect(theirs.count == frames)
    #expect(Recording.difference(ours.suffix(theirs.count), theirs) == nil)
    // Both clip, and round to steps of 16 bits.
    #expect(ours.contains(32767 / 32768) && ours.contains(-1))
    #expect(ours.allSatisfy { ($0 * 32768).rounded() == $0 * 32768 })
  }

  @Test(arguments: [
    (PrivateServer.Kind.pulseAudio, "s16le", 2, "s16le"),
    (.pulseAudio, "s24le", 2, "float32le"),
    (.pulseAudio, "s32le", 2, "float32le"),
    // The server has to mix.
    (.pulseAudio, "s16le", 6, "float32le"),
    // PipeWire works in float, whatever its device has.
    (.pipeWire, "s16le", 2, "float32le"),
  ])
  func `the form follows the device`(
    _ kind: PrivateServer.Kind, _ device: String, _ channels: Int, _ expected: String
  ) throws {
    let server = try PrivateServer(
      kind, sinks: [.init("speakers", channels: channels, format: device)])
    let renderer = SyntheticRenderer()
    let stream = try PulseBackend(server: server.address).open(
      StreamRequest(), renderer: renderer.renderer)
    #expect(try Self.format(server) == expected)
    stream.close()
    server.close()
  }

  @Test func `another rate than the device's is left to the server in float`() throws {
    let server = try PrivateServer(.pulseAudio, sinks: [.init("speakers", format: "s16le")])
    let renderer = SyntheticRenderer()
    let stream = try PulseBackend(server: server.address).open(
      StreamRequest(sampleRate: 44_100), renderer: renderer.renderer)
    #expect(try Self.format(server) == "float32le")
    stream.close()
    server.close()
  }

  @Test func `a device that the server remembers for us decides, not the default`() throws {
    let server = try PrivateServer(
      .pulseAudio,
      sinks: [.init("speakers", format: "s16le"), .init("interface", format: "s24le")])
    try server.tool("pactl", ["load-module", "module-stream-restore"])
    let renderer = SyntheticRenderer()
    let backend = PulseBackend(server: server.address)
    let first = try backend.open(StreamRequest(), renderer: renderer.renderer)
    #expect(try Self.format(server) == "s16le")
    let inputs = try server.tool("pactl", ["list", "short", "sink-inputs"])
    let number = String(inputs.prefix { $0.isNumber })
    try server.tool("pactl", ["move-sink-input", number, "interface"])
    first.close()
    let second = try backend.open(StreamRequest(), renderer: renderer.renderer)
    #expect(try Self.format(server) == "float32le")
    renderer.command(.play)
    second.kick()
    #expect(renderer.wait(for: SOTTO_EVENT_STARTED))
    second.close()
    server.close()
  }

  /// The server's word for the sample format of the only stream.
  private static func format(_ server: PrivateServer) throws -> String {
    let key = "Sample Specification: "
    let inputs = try server.tool("pactl", ["list", "sink-inputs"])
    let found = inputs.ranges(of: key)
    #expect(found.count == 1)
    guard let end = found.first?.upperBound else { return "" }
    return String(inputs[end...].prefix { $0 != " " })
  }
}
