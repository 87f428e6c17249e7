import AudioOutput
import CRealtime
import Foundation
import OutputInterface
import TestSupport
import Testing

/// `make test` sets the variable; then a missing server or tool is a failure.
let integration = ProcessInfo.processInfo.environment["SOTTO_INTEGRATION"] == "1"

@Suite struct PulseErrorTests {
  @Test func `no server is one clear sentence`() {
    let backend = PulseBackend(server: "unix:/nonexistent/socket")
    let error = #expect(throws: OutputError.self) {
      _ = try backend.open(StreamRequest(), renderer: SyntheticRenderer().renderer)
    }
    #expect(error?.code == .noServer)
    #expect(error?.sentence == "no PulseAudio or PipeWire server answers")
    #expect(throws: OutputError.self) { _ = try backend.survey() }
  }

  @Test func `a layout without channels is refused`() {
    let backend = PulseBackend(server: "unix:/nonexistent/socket")
    let request = StreamRequest(layout: .init([]))
    let error = #expect(throws: OutputError.self) {
      _ = try backend.open(request, renderer: SyntheticRenderer().renderer)
    }
    #expect(error?.code == .formatRefused)
  }
}

/// A kind of server and its device's sample format: PulseAudio gets the samples as the device has
/// them where that is 16 bits, otherwise as float.
struct Device: CustomTestStringConvertible {
  var kind: PrivateServer.Kind
  var format = "float32le"

  static let all = [
    Device(kind: .pulseAudio), Device(kind: .pulseAudio, format: "s16le"), Device(kind: .pipeWire),
  ]

  var testDescription: String { "\(kind) \(format)" }
}

/// A server, a recorder on its speakers, and a stream with a synthetic renderer.
struct Stage {
  let server: PrivateServer
  let recorder: Recorder
  let renderer = SyntheticRenderer()
  let stream: DeviceStream

  init(_ kind: PrivateServer.Kind) throws { try self.init(Device(kind: kind)) }

  init(_ device: Device) throws {
    server = try PrivateServer(
      device.kind, sinks: [.init("speakers", format: device.format)])
    recorder = try Recorder(server)
    stream = try PulseBackend(server: server.address).openDeviceStream(
      StreamRequest(trackName: "a track"), renderer: renderer.renderer)
  }

  func command(_ command: SyntheticRenderer.Command) {
    renderer.command(command)
    stream.kick()
  }

  /// Waits until a plain frame of at least this position was recorded.
  func hear(_ position: Int64) -> Bool {
    recorder.wait { samples in
      PositionSignal.positions(samples).contains { ($0 ?? -1) >= position }
    }
  }

  func end() -> [Int64?] {
    stream.close()
    let positions = PositionSignal.positions(recorder.stop())
    server.close()
    return positions
  }
}

/// The stretches of consecutive positions in a recording; what is not a plain frame ends a stretch.
func stretches(_ positions: [Int64?]) -> [ClosedRange<Int64>] {
  var found: [ClosedRange<Int64>] = []
  var last: Int64?
  for position in positions {
    if let position {
      if let last, position == last + 1 {
        found[found.count - 1] = found[found.count - 1].lowerBound...position
      } else {
        found.append(position...position)
      }
    }
    last = position
  }
  return found
}

@Suite(.serialized, .enabled(if: integration))
struct PulseTests {
  @Test(arguments: Device.all)
  func `every sample arrives once and unchanged`(_ device: Device) throws {
    let stage = try Stage(device)
    #expect(stage.stream.format.sampleRate == 48000)
    stage.command(.play)
    #expect(stage.renderer.wait(for: SOTTO_EVENT_STARTED))
    #expect(stage.hear(48000 * 5))
    let clock = stage.stream.clock()
    #expect(clock.underruns == 0)
    let found = stretches(stage.end())
    #expect(found.count == 1)
    #expect(found.first?.lowerBound == 0)
    #expect(!stage.renderer.heardWentBack)
  }

  @Test(arguments: Device.all)
  func `a pause fades, holds, and goes on without losing or repeating a sample`(
    _ device: Device
  ) throws {
    let stage = try Stage(device)
    stage.command(.play)
    var position: Int64 = 20000
    for _ in 0..<10 {
      #expect(stage.hear(position))
      stage.command(.pause)
      #expect(stage.renderer.wait(for: SOTTO_EVENT_HELD))
      let clock = stage.stream.clock()
      #expect(!clock.isRunning)
      #expect(stage.stream.clock() == clock)
      stage.command(.play)
      #expect(stage.renderer.wait(for: SOTTO_EVENT_STARTED))
      position += 24000
    }
    #expect(stage.hear(position))
    #expect(stage.stream.clock().underruns == 0)
    let late = stage.stream.rewinds.late
    let found = stretches(stage.end())
    // Between two stretches lies one fade: exactly its frames are missing, none twice. A rewind
    // that came late (the machine was busy) starts its fade again.
    #expect((11...11 + late).contains(found.count))
    for (one, next) in zip(found, found.dropFirst()) {
      #expect(next.lowerBound > one.upperBound)
      if late == 0 { #expect(next.lowerBound - one.upperBound == stage.renderer.fade + 1) }
    }
  }

  @Test(arguments: Device.all)
  func `a seek lands within what is queued and leaves no gap`(_ device: Device) throws {
    let stage = try Stage(device)
    stage.command(.play)
    #expect(stage.hear(20000))
    for number in 1...10 {
      stage.command(.seek(Int64(number) * 1_000_000))
      #expect(stage.hear(Int64(number) * 1_000_000 + 12000))
    }
    #expect(stage.stream.clock().underruns == 0)
    let late = stage.stream.rewinds.late
    let positions = stage.end()
    // A rewind that came late (the machine was busy) starts its stretch once more.
    let found = stretches(positions)
    #expect((11...11 + late).contains(found.count))
    let starts = Set(found.map(\.lowerBound))
    for place in (0...10).map({ Int64($0) * 1_000_000 }) {
      // PipeWire's read index is estimated between its steps: on a busy machine it may have read one
      // step more before the write came, and that much of the new place is not heard.
      let isThere =
        starts.contains(place) || device.kind == .pipeWire && starts.contains(place + 1024)
      #expect(isThere, "\(place) in \(starts.sorted())")
    }
    // Not one frame of silence between.
    let first = positions.firstIndex { $0 != nil } ?? 0
    let last = positions.lastIndex { $0 != nil } ?? 0
    #expect(!positions[first...last].contains(nil))
  }

  @Test(arguments: Device.all)
  func `a sound of 5 ms is heard whole and reported finished`(_ device: Device) throws {
    let stage = try Stage(device)
    stage.renderer.setLength(240)
    stage.command(.play)
    #expect(stage.renderer.wait(for: SOTTO_EVENT_FINISHED))
    let clock = stage.stream.clock()
    #expect(clock.heard == stage.renderer.lead + 240)
    #expect(!clock.isRunning)
    #expect(clock.underruns == 0)
    #expect(stage.hear(239))
    #expect(stretches(stage.end()) == [0...239])
  }

  @Test(arguments: Device.all)
  func `a track appended before the end follows without a gap`(_ device: Device) throws {
    let stage = try Stage(device)
    stage.renderer.setLength(48000)
    stage.command(.play)
    #expect(stage.hear(20000))
    stage.renderer.setLength(96000)
    stage.stream.kick()
    #expect(stage.renderer.wait(for: SOTTO_EVENT_FINISHED))
    #expect(stage.stream.clock().heard == stage.renderer.lead + 96000)
    #expect(stage.hear(95999))
    #expect(stretches(stage.end()) == [0...95999])
  }

  @Test(arguments: Device.all)
  func `a decoder that falls behind costs silence but no sample`(_ device: Device) throws {
    let stage = try Stage(device)
    stage.renderer.setAvailable(24000)
    stage.command(.play)
    #expect(stage.renderer.wait(for: SOTTO_EVENT_UNDERRUN))
    #expect(stage.stream.clock().heard == stage.renderer.lead + 24000)
    #expect(stage.stream.clock().underruns == 1)
    stage.renderer.setAvailable(.max)
    stage.stream.kick()
    #expect(stage.hear(48000))
    let found = stretches(stage.end())
    #expect(found.count == 2)
    #expect(found.first == 0...23999)
    // PipeWire's read index is estimated between its steps: on a busy machine it may have moved on
    // by one when the sound is there again.
    let last: ClosedRange<Int64> = device.kind == .pipeWire ? 24000...25024 : 24000...24000
    #expect(last.contains(found.last?.lowerBound ?? -1))
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `a removed device is reported as lost`(_ kind: PrivateServer.Kind) throws {
    let server = try PrivateServer(kind, sinks: [.init("speakers")])
    let renderer = SyntheticRenderer()
    let stream = try PulseBackend(server: server.address).open(
      StreamRequest(device: "speakers"), renderer: renderer.renderer)
    renderer.command(.play)
    stream.kick()
    #expect(renderer.wait(for: SOTTO_EVENT_STARTED))
    if kind == .pulseAudio {
      try server.remove(module: server.module(of: "speakers"))
    } else {
      server.signal(SIGKILL)
    }
    #expect(renderer.wait(for: SOTTO_EVENT_LOST))
    #expect(stream.failure?.code == (kind == .pulseAudio ? .deviceLost : .serverLost))
    stream.close()
    server.close()
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `closing does not wait for a server that hangs`(_ kind: PrivateServer.Kind) throws {
    let stage = try Stage(kind)
    stage.command(.play)
    #expect(stage.hear(4800))
    stage.server.signal(SIGSTOP)
    stage.command(.pause)
    stage.stream.setTrackName("another")
    stage.stream.setDeviceVolume(percent: 50)
    // Returns, or the test never ends.
    stage.stream.close()
    #expect(!stage.stream.clock().isRunning)
    #expect(
      #expect(throws: OutputError.self) {
        _ = try PulseBackend(server: stage.server.address).open(
          StreamRequest(), renderer: stage.renderer.renderer)
      }?.code == .noAnswer)
    stage.server.signal(SIGCONT)
    stage.server.close()
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `a server that is killed is reported as lost`(_ kind: PrivateServer.Kind) throws {
    let stage = try Stage(kind)
    stage.command(.play)
    #expect(stage.hear(4800))
    stage.server.signal(SIGKILL)
    #expect(stage.renderer.wait(for: SOTTO_EVENT_LOST))
    #expect(stage.stream.failure?.sentence == "the sound server ended")
    stage.stream.close()
    #expect(stage.stream.failure?.code == .serverLost)
    stage.server.close()
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `names, volume and mute are shared with mixers`(_ kind: PrivateServer.Kind) throws {
    let stage = try Stage(kind)
    stage.command(.play)
    #expect(stage.renderer.wait(for: SOTTO_EVENT_VOLUME))
    #expect(stage.stream.deviceVolume() == DeviceVolume(percent: 100, isMuted: false))
    let inputs = try stage.server.tool("pactl", ["list", "sink-inputs"])
    for fact in [
      "application.name = \"sotto\"", "media.role = \"music\"", "media.name = \"a track\"",
      "application.icon_name = ",
    ] { #expect(inputs.contains(fact)) }
    try stage.server.tool("pactl", ["set-sink-volume", "speakers", "40%"])
    #expect(stage.renderer.wait(for: SOTTO_EVENT_VOLUME))
    #expect(stage.stream.deviceVolume()?.percent == 40)
    stage.stream.setMuted(true)
    #expect(stage.renderer.wait(for: SOTTO_EVENT_VOLUME))
    #expect(stage.stream.deviceVolume()?.isMuted == true)
    #expect(try stage.server.tool("pactl", ["get-sink-mute", "speakers"]).contains("yes"))
    _ = stage.end()
  }

  @Test func `the survey tells devices as the server does`() throws {
    let server = try PrivateServer(
      .pulseAudio,
      sinks: [
        .init("speakers", rate: 44100),
        .init(
          "cans",
          properties: ["device.form_factor": "headphone", "device.description": "Cans"]),
      ])
    try server.tool("pactl", ["set-default-sink", "cans"])
    let survey = try PulseBackend(server: server.address).survey()
    #expect(survey.server.hasPrefix("PulseAudio "))
    #expect(survey.devices.map(\.name) == ["speakers", "cans"])
    #expect(survey.devices.map(\.isDefault) == [false, true])
    #expect(survey.devices.map(\.routeClass) == [.speaker, .private])
    #expect(survey.devices.first?.sampleRate == 44100)
    #expect(survey.devices.last?.description == "Cans")
    #expect(survey.devices.first?.volume == DeviceVolume(percent: 100, isMuted: false))
    let error = #expect(throws: OutputError.self) {
      _ = try PulseBackend(server: server.address).open(
        StreamRequest(device: "nothing"), renderer: SyntheticRenderer().renderer)
    }
    #expect(error?.code == .noDevice)
    #expect(error?.sentence == "no device named nothing: see sotto devices")
    server.close()
  }
}
