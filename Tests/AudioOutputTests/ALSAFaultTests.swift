import CRealtime
import Foundation
import OutputInterface
import TestSupport
import Testing

@testable import AudioOutput

/// What a device of ALSA says when it fails, on one that fails on purpose.
@Suite(.serialized, .enabled(if: integration))
struct ALSAFaultTests {
  private func play(
    _ fault: String, length: Int64 = 96_000,
    _ body: (DeviceStream, SyntheticRenderer) throws -> Void
  ) throws {
    let trial = try ALSATrial(fault: fault, after: 24_000)
    let renderer = SyntheticRenderer()
    renderer.setLength(length)
    let stream = try withALSA(trial.configuration) {
      try ALSABackend().openDeviceStream(
        StreamRequest(device: "trial"), renderer: renderer.renderer)
    }
    renderer.command(.play)
    stream.kick()
    try body(stream, renderer)
    stream.close()
  }

  @Test(arguments: [("disconnect", ENODEV), ("bad", EBADFD)])
  func `a device that is pulled out is lost, whichever error says so`(fault: String, number: CInt)
    throws
  {
    try play(fault) { stream, renderer in
      #expect(renderer.wait(for: SOTTO_EVENT_LOST))
      #expect(stream.failure?.code == .deviceLost)
      #expect(stream.failure?.sentence == "the device is gone")
      #expect(stream.failure.map { abs($0.underlying) } == Int(number))
      // The position stands, and what comes after changes nothing.
      let heard = stream.clock()
      #expect(!heard.isRunning && heard.heard > 0 && heard.heard < 60_000)
      renderer.command(.play)
      stream.kick()
      #expect(stream.clock() == heard)
    }
  }

  @Test func `a device that ran dry goes on, and loses nothing that comes after`() throws {
    try play("xrun") { stream, renderer in
      #expect(renderer.wait(for: SOTTO_EVENT_FINISHED))
      #expect(stream.failure == nil)
      #expect(stream.clock().underruns > 0)
      #expect(stream.clock().heard == renderer.lead + 96_000)
    }
  }

  @Test func `sleep that nobody told of stops the music where it was heard`() throws {
    try play("suspend") { stream, renderer in
      #expect(renderer.wait(for: SOTTO_EVENT_LOST))
      #expect(stream.failure?.code == .suspended)
      #expect(stream.failure?.sentence == "the computer slept")
      let heard = stream.clock()
      #expect(!heard.isRunning && heard.heard > 0 && heard.heard < 60_000)
    }
  }

  @Test func `a device in use is one sentence`() throws {
    let trial = try ALSATrial(fault: "busy")
    try withALSA(trial.configuration) {
      let error = #expect(throws: OutputError.self) {
        _ = try ALSABackend().open(
          StreamRequest(device: "trial"), renderer: SyntheticRenderer().renderer)
      }
      #expect(error?.code == .busy)
      #expect(error?.sentence.hasPrefix("the device trial is in use by ") == true)
    }
  }
}

/// Who has a device, by files like the kernel's.
@Suite struct DeviceHolderTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func write(_ path: String, _ text: String) throws {
    let file = folder.file(path)
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try text.write(toFile: file, atomically: false, encoding: .utf8)
  }

  private func open(card: Int, device: Int, by thread: Int) throws {
    try write("asound/card\(card)/pcm\(device)p/sub0/status", "closed\n")
    try write(
      "asound/card\(card)/pcm\(device)p/sub1/status",
      "state: RUNNING\nowner_pid   : \(thread)\ntrigger_time: 1.0\n")
  }

  private func find(_ device: String?) -> DeviceHolder? {
    DeviceHolder.find(device: device, proc: folder.path) {
      Int($0) ?? ["Intel": 0, "Audio": 1][$0]
    }
  }

  @Test func `the program is named, not the thread that opened the device`() throws {
    try open(card: 1, device: 3, by: 4242)
    try write("4242/status", "Name:\tout\nTgid:\t4200\n")
    try write("4200/comm", "mpv\n")
    for device in ["hw:1,3", "plughw:Audio,3", "hdmi:CARD=Audio,DEV=3", "default", nil] {
      #expect(find(device) == DeviceHolder(name: "mpv", process: 4200), "\(device ?? "none")")
    }
    #expect(find("hw:1,3")?.phrase == "mpv (process 4200)")
    #expect(find("hw:1") == nil && find("hw:Intel,3") == nil && find("hw:Nobody") == nil)
  }

  @Test func `where any of several may be meant nobody is named`() throws {
    for (card, thread) in [(0, 11), (1, 12)] {
      try open(card: card, device: 0, by: thread)
      try write("\(thread)/comm", "player\(card)\n")
    }
    #expect(find("default") == nil)
    #expect(find("hw:1")?.name == "player1")
  }

  @Test func `files that make no sense name nobody, and a name is safe to print`() throws {
    for text in ["", "owner_pid", "owner_pid : x", "owner_pid : -", "\u{0}\u{ff}"] {
      try write("asound/card0/pcm0p/sub0/status", text)
      #expect(find("hw:0") == nil)
    }
    try write("asound/card0/pcm0p/sub0/status", "owner_pid   : 7\n")
    #expect(find("hw:0") == nil)
    try write("7/comm", "a\u{1b}[31mb\n")
    #expect(find("hw:0").map { !$0.name.contains("\u{1b}") } == true)
    for odd in ["hw:CARD=", "hw:x", "hw:CARD=,DEV=x", "hw:-1,999999999999999999999"] {
      #expect(find(odd) == nil, "\(odd)")
    }
  }
}
