import AudioSession
import SystemEvents
import Testing

/// Processes by table.
struct Processes: ProcessTable {
  var known: [Int: ProcessFacts] = [:]
  func facts(of pid: Int) -> ProcessFacts? { known[pid] }
}

/// A server's streams, and what the session hears of them.
struct Ear {
  var snapshot = ServerSnapshot(
    sources: [
      .init("mic", index: 1), .init("speakers.monitor", index: 2, isMonitor: true),
    ])
  var processes = Processes()
  var tracker = StreamTracker(own: 100)
  var levels: [UInt32: StreamLevel] = [:]

  typealias Stream = ServerSnapshot.Stream

  mutating func see(hearsOthers: Bool = true) -> StreamTracker.Findings {
    tracker.see(
      snapshot, levels: levels, hearsOthers: hearsOthers, processes: processes)
  }

  mutating func see(_ playbacks: [Stream], _ captures: [Stream] = []) -> StreamTracker.Findings {
    snapshot.playbacks = playbacks
    snapshot.captures = captures
    return see()
  }
}

extension StreamTracker.Findings {
  var streams: [StreamObservation] {
    events.compactMap { if case .stream(let seen) = $0 { seen } else { nil } }
  }
  var gone: [String] {
    events.compactMap { if case .streamGone(let id) = $0 { id } else { nil } }
  }
}

@Suite struct StreamTrackerTests {
  @Test func `A stream is told when it comes, changes and goes, and never twice`() {
    var ear = Ear()
    var call = Ear.Stream(index: 7, pid: 5, application: "Jami", role: "phone")
    var found = ear.see([call])
    #expect(found.streams.map(\.id) == ["7"])
    #expect(found.streams.first?.application == "Jami")
    #expect(ear.see().events.isEmpty)
    call.isCorked = true
    found = ear.see([call])
    #expect(found.streams.first?.isCorked == true)
    #expect(ear.see([]).gone == ["7"])
    #expect(ear.see().events.isEmpty)
  }

  @Test func `A playback and a capture of one number are two streams`() {
    var ear = Ear()
    let found = ear.see([.init(index: 7)], [.init(index: 7, device: 1)])
    #expect(Set(found.streams.map(\.id)) == ["7", "r7"])
  }

  @Test func `Our own process tree is not heard of`() {
    var ear = Ear()
    ear.processes.known = [
      100: .init(parent: 50, executable: "sotto"), 101: .init(parent: 100, executable: "helper"),
      50: .init(parent: 1, executable: "terminal"),
    ]
    let found = ear.see([
      .init(index: 1, pid: 100), .init(index: 2, pid: 101), .init(index: 3, pid: 50),
    ])
    #expect(found.streams.map(\.id) == ["3"])
  }

  @Test func `T16: meters, screen recorders and what records a device are not heard of`() {
    var ear = Ear()
    let found = ear.see(
      [], [.init(index: 1, device: 2), .init(index: 2, device: 1, isMeter: true)])
    #expect(found.events.isEmpty)
  }

  @Test func `What a module passes on means nothing, unless it says that it is a call`() {
    var ear = Ear()
    let found = ear.see([
      .init(index: 1, passesOn: true), .init(index: 2, role: "phone", passesOn: true),
    ])
    #expect(found.streams.map(\.role) == ["filter", "phone"])
    #expect(found.measure.isEmpty)
  }

  @Test func `What a stream does not say its client says`() {
    var ear = Ear()
    ear.snapshot.clients = [
      .init(index: 4, pid: 9, application: "Spotify", binary: "spotify", role: "music")
    ]
    let seen = ear.see([.init(index: 1, client: 4)]).streams.first
    #expect(seen?.application == "Spotify")
    #expect(seen?.binary == "spotify")
    #expect(seen?.role == "music")
  }

  // MARK: Levels

  @Test func `T3: another player counts when it is heard, and a browser's silent stream does not`()
  {
    var ear = Ear()
    _ = ear.see([])
    let found = ear.see([
      .init(index: 1, application: "mpv", role: "music"), .init(index: 2, application: "Firefox"),
    ])
    #expect(found.streams.map(\.isAudible) == [false, false])
    #expect(found.measure == [1, 2])
    ear.levels = [1: .sounding, 2: .silent]
    #expect(ear.see().streams.map(\.isAudible) == [true])
    ear.levels = [1: .silent, 2: .silent]
    #expect(ear.see().streams.map(\.isAudible) == [false])
  }

  @Test func `T3: where nothing can be measured, what is not corked is heard`() {
    var ear = Ear()
    _ = ear.see([])
    _ = ear.see([.init(index: 1, role: "music")])
    ear.levels = [1: .unavailable]
    #expect(ear.see().streams.map(\.isAudible) == [true])
  }

  @Test
  func `D6: a player that was there before us counts at once, until it is known to be silent`() {
    var ear = Ear()
    let player = Ear.Stream(index: 1, role: "music")
    #expect(
      ear.see([player, .init(index: 2, role: "a11y")]).streams.map(\.isAudible) == [true, false])
    #expect(ear.see().events.isEmpty)
    ear.levels = [1: .sounding]
    #expect(ear.see().events.isEmpty)
    ear.levels = [1: .silent]
    #expect(ear.see().streams.map(\.isAudible) == [false])
  }

  @Test func `A tone counts at once: it is over before it is measured`() {
    var ear = Ear()
    _ = ear.see([])
    let found = ear.see([.init(index: 1, role: "event"), .init(index: 2, role: "a11y")])
    #expect(found.streams.map(\.isAudible) == [true, false])
    #expect(found.measure == [1, 2])
    ear.levels = [1: .silent]
    #expect(ear.see().streams.map(\.isAudible) == [false])
  }

  @Test func `A call is measured by nobody, and what is corked or muted neither`() {
    var ear = Ear()
    let found = ear.see([
      .init(index: 1, role: "phone"), .init(index: 2, role: "music", isCorked: true),
      .init(index: 3, role: "music", isMuted: true),
    ])
    #expect(found.measure.isEmpty)
  }

  @Test func `While we are heard ourselves, streams without a role are not measured`() {
    var ear = Ear()
    ear.snapshot.playbacks = [
      .init(index: 1, application: "Firefox"), .init(index: 2, role: "music"),
    ]
    #expect(ear.see(hearsOthers: false).measure == [2])
    #expect(ear.see(hearsOthers: true).measure == [1, 2])
  }

  // MARK: Programs

  @Test func `T1: streams of one process, and of a browser's processes, share a word`() {
    var ear = Ear()
    ear.processes.known = [
      10: .init(parent: 1, executable: "chrome"), 11: .init(parent: 10, executable: "chrome"),
      12: .init(parent: 11, executable: "chrome"), 20: .init(parent: 1, executable: "mpv"),
    ]
    let found = ear.see(
      [.init(index: 1, pid: 12, binary: "chrome"), .init(index: 2, pid: 20, binary: "mpv")],
      [.init(index: 3, device: 1, pid: 10, binary: "chrome")])
    #expect(found.streams.map(\.client) == ["pid:10", "pid:20", "pid:10"])
    #expect(ProgramWord.word(ofProcess: 11, in: ear.processes) == "pid:10")
  }

  @Test func `A sandbox's own process numbers pair streams of one binary only`() {
    var ear = Ear()
    ear.processes.known = [2: .init(parent: 0, executable: "kthreadd")]
    let found = ear.see(
      [.init(index: 1, pid: 2, binary: "firefox"), .init(index: 2, client: 8)],
      [
        .init(index: 3, device: 1, pid: 2, binary: "firefox"),
        .init(index: 4, device: 1, pid: 2, binary: "zoom"),
      ])
    #expect(
      found.streams.map(\.client) == ["firefox#2", "client:8", "firefox#2", "zoom#2"])
  }

  @Test func `A program that has ended leaves nothing behind; one that only let go does`() {
    var ear = Ear()
    ear.processes.known = [5: .init(parent: 1, executable: "zoom")]
    _ = ear.see([.init(index: 1, pid: 5, binary: "zoom")])
    #expect(ear.see([]).events == [.streamGone(id: "1")])
    _ = ear.see([.init(index: 2, pid: 5, binary: "zoom")])
    ear.processes.known = [:]
    #expect(ear.see([]).events == [.streamGone(id: "2"), .clientGone("pid:5")])
  }

  @Test func `Without a server nothing is told, and then what is different`() {
    var ear = Ear()
    _ = ear.see([.init(index: 1, role: "phone"), .init(index: 2, role: "phone")])
    ear.snapshot.state = .absent
    #expect(ear.see([]).events.isEmpty)
    ear.snapshot.state = .ready
    #expect(ear.see([.init(index: 2, role: "phone")]).events == [.streamGone(id: "1")])
  }

  @Test func `Thousands of streams are cut, the silent ones first`() {
    var ear = Ear()
    let corked = (0..<3000).map { Ear.Stream(index: UInt32($0), isCorked: true) }
    let found = ear.see(corked + [.init(index: 5000, role: "phone")])
    #expect(found.streams.count == StreamTracker.most)
    #expect(found.streams.contains { $0.id == "5000" })
  }
}
