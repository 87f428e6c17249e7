// What an event costs in the session's rules: `bench.py --only session` builds and runs this.
// Prints JSON: nanoseconds of processor time an event, by what it is, after a thousand and after a
// million events.
import AudioSession
import Glibc

/// An hour of a desk: music, a chat that beeps, a browser that pauses it, a call, a headset.
struct Day {
  struct Entry {
    /// How long after the entry before it.
    var wait: SessionTime
    var kind: String
    var event: SessionEvent
  }

  private(set) var entries: [Entry] = []

  private mutating func add(_ kind: String, _ event: SessionEvent, after milliseconds: Int64 = 400)
  {
    entries.append(Entry(wait: .milliseconds(milliseconds), kind: kind, event: event))
  }

  private static func stream(
    _ id: String, _ client: String, role: String = "", isCorked: Bool = false,
    direction: StreamObservation.Direction = .playback
  ) -> SessionEvent {
    .stream(
      StreamObservation(
        id: id, client: client, application: client, binary: client, role: role,
        direction: direction, isCorked: isCorked))
  }

  private static func peer(_ status: PlaybackStatus) -> SessionEvent {
    .peer(
      PeerObservation(
        id: ":1.42", name: "org.mpris.MediaPlayer2.firefox.instance_1", status: status,
        client: "Firefox"))
  }

  init() {
    let speakers = Route(id: "speakers", routeClass: .speaker)
    let headset = Route(id: "a2dp", routeClass: .private, deviceAddress: "00:11")
    let handsFree = Route(id: "hfp", routeClass: .private, deviceAddress: "00:11")
    // What is there all day.
    for (id, client) in [("1", "Firefox"), ("2", "Chromium"), ("3", "Telegram Desktop")] {
      add("stream", Self.stream(id, client, isCorked: true))
    }
    add("command", .play(.key))
    for message in 0..<4 {
      let id = "beep\(message)"
      add("stream", Self.stream(id, "Telegram Desktop", role: "event"))
      add("stream", .streamGone(id: id))
      add("command", .seek(.seconds(30)))
      add("command", .volumeKey(.up))
    }
    add("interruption", .begin(id: "alarm", kind: .solo, source: "Clock"))
    add("interruption", .end(id: "alarm", shouldResume: true))
    add("interruption", .begin(id: "direction", kind: .duck, source: "Maps"))
    add("interruption", .end(id: "direction", shouldResume: nil))
    // A video for a while.
    add("stream", Self.stream("1", "Firefox"))
    add("player", Self.peer(.playing))
    add("player", Self.peer(.paused))
    add("stream", Self.stream("1", "Firefox", isCorked: true))
    add("command", .toggle(.mpris))
    // A call on the headset.
    add("route", .route(RouteChange(to: headset, reason: .newDeviceAvailable)))
    add("stream", Self.stream("4", "Chromium"))
    add("stream", Self.stream("5", "Chromium", direction: .capture), after: 10)
    add(
      "route",
      .route(
        RouteChange(from: "a2dp", to: speakers, reason: .oldDeviceUnavailable, isLinkKept: true)),
      after: 600)
    add("route", .route(RouteChange(to: handsFree, reason: .newDeviceAvailable)))
    add("command", .play(.headset))
    add("stream", .streamGone(id: "5"))
    add("stream", .streamGone(id: "4"))
    add("route", .route(RouteChange(to: headset, reason: .newDeviceAvailable)), after: 2500)
    add("command", .next(.headset))
    add("command", .previous(.headset))
    add("route", .route(RouteChange(from: "a2dp", to: speakers, reason: .oldDeviceUnavailable)))
    add("command", .play(.key))
    add("interruption", .sleep(true))
    add("interruption", .sleep(false))
    add("command", .play(.key))
    add("interruption", .silent(true))
    add("interruption", .silent(false))
    add("wait", .wait)
  }
}

struct Bench {
  private let day = Day()
  private var machine = SessionMachine(
    route: Route(id: "speakers", routeClass: .speaker),
    tracks: (0..<12).map { SessionTrack(duration: .seconds(240), title: "track \($0)") })
  private(set) var count = 0
  /// So that nothing of it is left out as unused.
  private(set) var actions = 0

  private mutating func take(_ entry: Day.Entry) {
    let time = machine.state.now + entry.wait
    while let transition = machine.fireNext(by: time) { actions += transition.actions.count }
    actions += machine.apply(entry.event).actions.count
    count += 1
  }

  mutating func run(_ events: Int) {
    let end = count + events
    while count < end { for entry in day.entries { take(entry) } }
  }

  /// Processor time so far, in nanoseconds: what else the machine does does not count.
  private static func spent() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  /// The median of some runs of a day, an event's share of it.
  mutating func whole() -> Double {
    var runs: [Double] = []
    for _ in 0..<21 {
      let before = count
      let start = Self.spent()
      run(10_000)
      runs.append((Self.spent() - start) / Double(count - before))
    }
    return runs.sorted()[runs.count / 2]
  }

  /// The median of each entry over many days, and of those of a kind the mean. What the clock takes
  /// is taken off.
  mutating func byKind() -> [(String, Double)] {
    func time() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
    var times = [[Double]](repeating: [], count: day.entries.count)
    var idle: [Double] = []
    for _ in 0..<501 {
      for (index, entry) in day.entries.enumerated() {
        let start = time()
        take(entry)
        times[index].append(time() - start)
      }
      let start = time()
      idle.append(time() - start)
    }
    let clock = idle.sorted()[idle.count / 2]
    var kinds: [(kind: String, times: [Double])] = []
    for (entry, times) in zip(day.entries, times) {
      let median = times.sorted()[times.count / 2] - clock
      if let index = kinds.firstIndex(where: { $0.kind == entry.kind }) {
        kinds[index].times.append(median)
      } else {
        kinds.append((entry.kind, [median]))
      }
    }
    return kinds.map { ($0.kind, $0.times.reduce(0, +) / Double($0.times.count)) }
  }
}

func rounded(_ value: Double) -> String { String(Int(value.rounded())) }

var bench = Bench()
bench.run(1000)
let young = bench.whole()
let kinds = bench.byKind()
bench.run(1_000_000 - bench.count)
let old = bench.whole()
var rows = kinds.map { #"{"event": "\#($0)", "ns": \#(rounded($1))}"# }
rows.append(#"{"event": "all, after 10^3", "ns": \#(rounded(young))}"#)
rows.append(#"{"event": "all, after 10^6", "ns": \#(rounded(old))}"#)
print("[" + rows.joined(separator: ", ") + "]")
if bench.actions == 0 { fatalError("the events asked for nothing") }
