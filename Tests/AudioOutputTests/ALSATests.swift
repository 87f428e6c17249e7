import AudioOutput
import CRealtime
import Foundation
import OutputInterface
import TestSupport
import Testing

@Suite struct ALSAErrorTests {
  @Test func `a device that does not exist is one clear sentence`() {
    let error = #expect(throws: OutputError.self) {
      _ = try ALSABackend().open(
        StreamRequest(device: "hw:77"), renderer: SyntheticRenderer().renderer)
    }
    #expect(error?.code == .noDevice)
    #expect(error?.sentence == "no device named hw:77: see sotto devices")
  }

  @Test func `a card by itself takes no second stream, what mixes does`() {
    let backend = ALSABackend()
    for device in ["hw:0", "plughw:1,0", "hdmi:CARD=x", "hw"] {
      #expect(backend.eventStreams(device: device) == .mixed)
    }
    for device in [nil, "default", "dmix:0", "pulse", "hwx"] {
      #expect(backend.eventStreams(device: device) == .plain)
    }
  }

  @Test func `the survey needs no card`() throws {
    #expect(try ALSABackend().survey().server == "ALSA")
  }
}

/// ALSA through its pulse plug-in, which cannot rewind: little is queued and nothing is lost.
@Suite(.serialized, .enabled(if: integration))
struct ALSATests {
  /// A PCM that plays on the server, described in a file that replaces the user's.
  private func withStage(
    _ body: (DeviceStream, SyntheticRenderer, Recorder) throws -> Void
  ) throws {
    let server = try PrivateServer(.pulseAudio)
    let configuration = """
      pcm.sotto_test { type pulse server "\(server.address)" handle_underrun 1 }
      ctl.sotto_test { type pulse server "\(server.address)" }
      """
    let recorder = try Recorder(server)
    let renderer = SyntheticRenderer()
    try withALSA(configuration) {
      let stream = try ALSABackend().openDeviceStream(
        StreamRequest(device: "sotto_test"), renderer: renderer.renderer)
      try body(stream, renderer, recorder)
      stream.close()
    }
    server.close()
  }

  @Test func `a server that hangs behind the default device is not waited for`() throws {
    let server = try PrivateServer(.pulseAudio)
    try withALSA("pcm.!default { type pulse server \"\(server.address)\" }") {
      let devices = try ALSABackend().survey().devices
      #expect(devices.map(\.name).contains("default"))
      server.signal(SIGSTOP)
      // Each returns, or the test never ends.
      let error = #expect(throws: OutputError.self) {
        _ = try ALSABackend().open(StreamRequest(), renderer: SyntheticRenderer().renderer)
      }
      #expect(error?.code == .noAnswer)
      #expect(error?.sentence == "the device default does not answer")
      if let survey = try? ALSABackend().survey() {
        // A card of this machine; the device that does not answer is not offered.
        #expect(!survey.devices.isEmpty && !survey.devices.map(\.name).contains("default"))
      }
    }
    server.signal(SIGCONT)
    server.close()
  }

  @Test func `every sample arrives once, with at most 60 ms queued`() throws {
    try withStage { stream, renderer, recorder in
      #expect(stream.capabilities.rewind == .none)
      #expect(stream.format.sampleRate == 48000)
      renderer.setLength(96000)
      renderer.command(.play)
      stream.kick()
      #expect(renderer.wait(for: SOTTO_EVENT_FINISHED))
      #expect(stream.clock().heard == renderer.lead + 96000)
      #expect(
        recorder.wait { PositionSignal.positions($0).contains(95999) })
      let underruns = stream.clock().underruns
      let found = stretches(PositionSignal.positions(recorder.stop()))
      #expect(found.first?.lowerBound == 0)
      #expect(found.last?.upperBound == 95999)
      // 55 ms are soon over on a busy machine; then, and only then, there are gaps. The plug-in
      // tells of one underrun where its server had several in a row.
      #expect(found.count == 1 || underruns > 0 && found.count > 1)
      // Whatever happened, no sample came twice or out of order.
      for (one, next) in zip(found, found.dropFirst()) {
        #expect(next.lowerBound > one.upperBound)
      }
    }
  }

  @Test func `a second stream, for an event, is heard beside the first`() throws {
    try withStage { stream, _, recorder in
      let renderer = SyntheticRenderer()
      let second = try ALSABackend().openDeviceStream(
        StreamRequest(device: "sotto_test", role: .event), renderer: renderer.renderer)
      renderer.setLength(24_000)
      renderer.command(.play)
      second.kick()
      #expect(renderer.wait(for: SOTTO_EVENT_FINISHED))
      #expect(recorder.wait { PositionSignal.positions($0).contains(23_999) })
      second.close()
      #expect(!stream.clock().isRunning && stream.failure == nil)
    }
  }

  @Test func `a pause takes effect at the write position and loses nothing`() throws {
    try withStage { stream, renderer, recorder in
      renderer.command(.play)
      stream.kick()
      for position in [Int64(20000), 40000, 60000] {
        #expect(
          recorder.wait { PositionSignal.positions($0).contains { ($0 ?? -1) >= position } })
        renderer.command(.pause)
        stream.kick()
        #expect(renderer.wait(for: SOTTO_EVENT_HELD))
        #expect(!stream.clock().isRunning)
        renderer.command(.play)
        stream.kick()
      }
      #expect(recorder.wait { PositionSignal.positions($0).contains { ($0 ?? -1) >= 80000 } })
      stream.close()
      let underruns = stream.clock().underruns
      let found = stretches(PositionSignal.positions(recorder.stop()))
      #expect(found.count == 4 || underruns > 0 && found.count > 4)
      for (one, next) in zip(found, found.dropFirst()) where underruns == 0 {
        #expect(next.lowerBound - one.upperBound == renderer.fade + 1)
      }
    }
  }
}
