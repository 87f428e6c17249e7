import AudioTypes
import Foundation
import OutputInterface
import Synchronization
import TestSupport
import Testing

@testable import AudioOutput

/// A 16-bit WAV file as any player would read it.
struct ReadWave {
  var rate: Int
  var channels: Int
  var samples: [Int16]
  /// What the header promises, in bytes of samples; -1 where it does not know.
  var promised: Int

  init?(_ bytes: [UInt8]) {
    func number(_ place: Int, _ count: Int) -> Int {
      (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }
    guard bytes.count >= 12, bytes.starts(with: Array("RIFF".utf8)) else { return nil }
    (rate, channels) = (0, 0)
    var place = 12
    while place + 8 <= bytes.count {
      let name = String(decoding: bytes[place..<place + 4], as: UTF8.self)
      let size = number(place + 4, 4)
      if name == "fmt " {
        channels = number(place + 10, 2)
        rate = number(place + 12, 4)
      } else if name == "data" {
        promised = size == 0xFFFF_FFFF ? -1 : size
        let end = min(bytes.count, place + 8 + size)
        samples = stride(from: place + 8, to: end - 1, by: 2).map {
          Int16(bitPattern: UInt16(number($0, 2)))
        }
        return
      }
      place += 8 + size + size % 2
    }
    return nil
  }
}

@Suite struct MemoRecorderTests {
  /// Takes a recorder's events, one after the other.
  private final class Events: Sendable {
    private let told = Mutex<[MemoRecorder.Event]>([])
    private let arrived = DispatchSemaphore(value: 0)

    func take(_ event: MemoRecorder.Event) {
      told.withLock { $0.append(event) }
      arrived.signal()
    }

    func next() -> MemoRecorder.Event? {
      guard arrived.wait(timeout: .now() + 20) == .success else { return nil }
      return told.withLock { $0.removeFirst() }
    }
  }

  private let folder: TestFolder
  private let events = Events()
  private let clock = MicrophoneClock()
  private var knobs = SimulationKnobs()
  /// No two of the first frames are alike, and each is a step of 16 bits.
  private let signal: [Float] = (0..<65_536).map { Float($0 - 32_768) / 32_768 }

  init() throws {
    folder = try TestFolder()
    knobs.microphone = .samples(signal)
    knobs.microphoneClock = clock
  }

  private func recorder(_ knobs: SimulationKnobs, folder: String? = nil) -> MemoRecorder {
    let events = events
    let place = folder ?? self.folder.file("data/Memos")
    return MemoRecorder(
      backend: NullBackend(knobs: knobs), request: CaptureRequest(), folder: Array(place.utf8),
      name: Array("one".utf8)
    ) { events.take($0) }
  }

  private func read(_ name: String = "one.wav") throws -> ReadWave? {
    ReadWave(try folder.read("data/Memos/" + name))
  }

  /// Waits until the file promises so many frames.
  private func promises(_ frames: Int) throws {
    while try (read()?.promised ?? 0) < frames * 2 { sched_yield() }
  }

  @Test func `What was heard between the wish and the end is the memo, sample by sample`() throws {
    let recorder = recorder(knobs)
    recorder.start()
    let path = folder.file("data/Memos/one.wav")
    #expect(events.next() == .ready(path: Array(path.utf8), device: "Simulated microphone"))
    recorder.record()
    clock.advance(frames: 48_000)
    try promises(48_000)
    recorder.end()
    guard case .ended(let memo)? = events.next() else {
      Issue.record("no end")
      return
    }
    #expect(memo == Memo(path: Array(path.utf8), seconds: 1, failure: nil))
    let wave = try #require(try read())
    #expect(wave.rate == 48_000 && wave.channels == 1)
    #expect(wave.promised == wave.samples.count * 2)
    let expected = signal.prefix(48_000).map { Int16($0 * 32_768) }
    #expect(wave.samples == expected)
  }

  @Test func `While it records, the file can be played up to the last second`() throws {
    let recorder = recorder(knobs)
    recorder.start()
    _ = events.next()
    // Before anything was recorded it is a file without frames already.
    #expect(try read()?.promised == 0)
    recorder.record()
    clock.advance(frames: 120_000)
    try promises(96_000)
    // What a killed program leaves: a header that is true of what is there.
    let left = try #require(try read())
    #expect(left.samples.count * 2 == left.promised)
    recorder.end()
    _ = events.next()
  }

  @Test func `A memo of the same name is left alone`() throws {
    try FileManager.default.createDirectory(
      atPath: folder.file("data/Memos"), withIntermediateDirectories: true)
    _ = try folder.write([1, 2, 3], "data/Memos/one.wav")
    let recorder = recorder(knobs)
    recorder.start()
    let path = Array(folder.file("data/Memos/one_2.wav").utf8)
    #expect(events.next() == .ready(path: path, device: "Simulated microphone"))
    recorder.end()
    #expect(events.next() == .empty)
    #expect(try folder.read("data/Memos/one.wav") == [1, 2, 3])
    #expect(!FileManager.default.fileExists(atPath: folder.file("data/Memos/one_2.wav")))
  }

  @Test func `Without a microphone there is one sentence, and no file`() throws {
    var knobs = knobs
    knobs.microphone = nil
    recorder(knobs).start()
    #expect(events.next() == .failed(OutputError(.noDevice, "there is no microphone"), path: nil))
    #expect(!FileManager.default.fileExists(atPath: folder.file("data")))
  }

  @Test func `A folder that cannot be written is named`() throws {
    let place = try folder.write([], "file") + "/Memos"
    recorder(knobs, folder: place).start()
    guard case .failed(let error, let path)? = events.next() else {
      Issue.record("no failure")
      return
    }
    #expect(path == Array(place.utf8))
    #expect(error.code == .fileError)
    #expect(error.sentence == "no memo can be kept there: Not a directory")
  }

  @Test func `A microphone that is pulled out leaves all that came before`() throws {
    var knobs = knobs
    knobs.loseMicrophoneAtFrame = 10_001
    let recorder = recorder(knobs)
    recorder.start()
    _ = events.next()
    recorder.record()
    clock.advance(frames: 20_000)
    guard case .ended(let memo)? = events.next() else {
      Issue.record("no end")
      return
    }
    #expect(memo.failure == OutputError(.deviceLost, "the microphone is gone"))
    #expect(memo.seconds == 10_001.0 / 48_000)
    #expect(try read()?.samples == signal.prefix(10_001).map { Int16($0 * 32_768) })
  }

  @Test func `What a failed write leaves ends with the last whole frame`() throws {
    let path = folder.file("cut.wav")
    let format = AudioFormat(sampleRate: 48_000, layout: .stereo)
    let writer = try WAVWriter(path: Array(path.utf8), format: format, sample: .s16)
    try signal.prefix(1000).withUnsafeBufferPointer { try writer.write($0) }
    try writer.update()
    // Not stored yet, and then it cannot be.
    try signal.prefix(1000).withUnsafeBufferPointer { try writer.write($0) }
    // Half a frame got through.
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    try file.seekToEnd()
    try file.write(contentsOf: Data([1, 2]))
    try file.close()
    writer.salvage()
    let wave = try #require(ReadWave(try folder.read("cut.wav")))
    #expect(writer.frames == 500)
    #expect(wave.promised == 2000)
    #expect(try folder.read("cut.wav").count == wave.promised + 80)
    #expect(wave.samples == signal.prefix(1000).map { Int16($0 * 32_768) })
  }
}

@Suite struct FullDiskTests {
  @Test func `A file whose last piece does not fit keeps what fits, and says how much that is`()
    throws
  {
    // A file that may not grow beyond its header and 25 frames.
    let symbol = try #require(dlsym(nil, "memfd_create"))
    let make = unsafeBitCast(
      symbol, to: (@convention(c) (UnsafePointer<CChar>, CUnsignedInt) -> CInt).self)
    let descriptor = make("full", 2)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let format = AudioFormat(sampleRate: 48_000, layout: .stereo)
    let writer = try WAVWriter(descriptor: descriptor, format: format, sample: .s16)
    let header = Int(lseek(descriptor, 0, SEEK_END))
    try #require(ftruncate(descriptor, header + 100) == 0)
    // F_ADD_SEALS with F_SEAL_GROW.
    try #require(fcntl(descriptor, 1033, 4) == 0)
    lseek(descriptor, off_t(header), SEEK_SET)
    try [Float](repeating: 0.5, count: 2000).withUnsafeBufferPointer { try writer.write($0) }
    #expect(throws: OutputError.self) { try writer.finish() }
    writer.salvage()
    #expect(writer.frames <= 25)
    var bytes = [UInt8](repeating: 0, count: header + 100)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    let wave = try #require(ReadWave(Array(bytes[..<count])))
    #expect(wave.promised == writer.frames * 4)
  }
}

@Suite struct MicrophoneErrorTests {
  @Test func `No server and no device are clear sentences`() {
    let server = #expect(throws: OutputError.self) {
      _ = try PulseBackend(server: "unix:/nonexistent/socket").openMicrophone(CaptureRequest())
    }
    #expect(server?.sentence == "no PulseAudio or PipeWire server answers")
    let device = #expect(throws: OutputError.self) {
      _ = try ALSABackend().openMicrophone(CaptureRequest(device: "hw:77"))
    }
    #expect(device?.sentence == "no device named hw:77: see sotto devices")
    #expect(throws: OutputError.self) {
      _ = try FileBackend(path: "/dev/null").openMicrophone(CaptureRequest())
    }
  }
}

/// Microphones on servers of the test's own: a null sink's monitor that plays a known tone.
@Suite(.serialized, .enabled(if: integration)) struct MicrophoneTests {
  /// A sink of its own that a tone of a constant plays on for as long as the server lives.
  private func server(_ kind: PrivateServer.Kind, _ folder: TestFolder) throws -> PrivateServer {
    let server = try PrivateServer(kind, sinks: [.init("speakers"), .init("mic", rate: 44_100)])
    let samples = [Int32](repeating: 1 << 13, count: 44_100 * 40)
    let wave = SignalFile.wave(
      SignalFile.bytes(samples, .signed16, big: false),
      format: SignalFile.waveFormat(.signed16, channels: 1, rate: 44_100))
    try server.launch("paplay", ["-d", "mic", try folder.write(wave, "constant.wav")])
    try server.tool("pactl", ["set-default-source", "mic.monitor"])
    return server
  }

  /// Reads until what is heard is the constant, at most twenty seconds.
  private func hears(_ microphone: any CaptureStream) throws -> Bool {
    let buffer = UnsafeMutableBufferPointer<Float>.allocate(capacity: 8192)
    defer { buffer.deallocate() }
    let limit = Date().addingTimeInterval(120)
    while Date() < limit {
      let frames = try microphone.read(into: buffer)
      let samples = buffer[..<(frames * microphone.format.channels)]
      if frames > 256, samples.allSatisfy({ abs($0 - 0.25) < 1e-4 }) { return true }
    }
    return false
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `The default source is heard, at its own rate`(kind: PrivateServer.Kind) throws {
    let folder = try TestFolder()
    let server = try server(kind, folder)
    defer { server.close() }
    let microphone = try PulseBackend(server: server.address).openMicrophone(CaptureRequest())
    defer { microphone.close() }
    #expect(microphone.format == AudioFormat(sampleRate: 44_100, layout: .stereo))
    #expect(microphone.deviceName.hasPrefix("Monitor of "))
    #expect(try hears(microphone))
    let list = try server.tool("pactl", ["list", "source-outputs"])
    #expect(list.contains("media.name = \"Voice memo\""))
  }

  @Test(arguments: PrivateServer.Kind.allCases)
  func `A server that is killed is told while one records`(kind: PrivateServer.Kind) throws {
    let folder = try TestFolder()
    let server = try server(kind, folder)
    defer { server.close() }
    let microphone = try PulseBackend(server: server.address).openMicrophone(CaptureRequest())
    defer { microphone.close() }
    #expect(try hears(microphone))
    server.signal(SIGKILL)
    let error = #expect(throws: OutputError.self) {
      let limit = Date().addingTimeInterval(120)
      let buffer = UnsafeMutableBufferPointer<Float>.allocate(capacity: 8192)
      defer { buffer.deallocate() }
      while Date() < limit { _ = try microphone.read(into: buffer) }
    }
    #expect(error?.code == .serverLost)
  }

  @Test func `A server without any source has no microphone`() throws {
    let server = try PrivateServer(.pulseAudio, sinks: [])
    defer { server.close() }
    let error = #expect(throws: OutputError.self) {
      _ = try PulseBackend(server: server.address).openMicrophone(CaptureRequest())
    }
    #expect(error?.sentence == "there is no microphone")
  }

  @Test func `ALSA's default device is heard`() throws {
    let folder = try TestFolder()
    let server = try server(.pulseAudio, folder)
    defer { server.close() }
    let configuration = """
      pcm.sotto_microphone { type pulse server "\(server.address)" device mic.monitor }
      """
    let microphone = try withALSA(configuration) {
      try ALSABackend().openMicrophone(CaptureRequest(device: "sotto_microphone"))
    }
    defer { microphone.close() }
    #expect(microphone.format.sampleRate == 48_000)
    #expect(try hears(microphone))
  }
}
