import AudioSession
import AudioTypes

/// Random numbers that are the same wherever the seed is (Steele, Lea and Flood, 2014).
struct SplitMix64 {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ limit: Int) -> Int { Int(truncatingIfNeeded: next() % UInt64(limit)) }

  /// True so many times in a hundred.
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  mutating func one<Element>(_ of: [Element]) -> Element { of[below(of.count)] }
}

/// Histories of what may happen, over small alphabets so that things meet: the same few ids,
/// programs and devices again and again. Most of it comes as gestures, short plots like a call or a
/// headset that changes its profile, which run into one another.
struct EventGenerator {
  private var random: SplitMix64
  /// Gestures that have begun and go on.
  private var threads: [[Moment]] = []

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  static let ids = ["a", "b", "c", "d", "cork:own", ""]
  static let routes = [
    Walk.route,
    Route(id: "headphones", routeClass: .private),
    Route(id: "hdmi", routeClass: .external, hasVolume: false),
    Route(id: "a2dp", routeClass: .private, deviceAddress: "00:11"),
    Route(id: "hfp", routeClass: .private, deviceAddress: "00:11"),
    Route(id: "raop", routeClass: .network),
  ]
  static let clients = ["firefox", "zoom", "mpv"]
  /// Each has the one program all along, as unique names on a bus have.
  static let peers = [("1.1", "firefox"), ("1.2", "mpv"), ("1.3", nil), ("1.4", "zoom")]
  static let roles = [
    "", "phone", "Communication", "music", "video", "event", "a11y", "Navigation", "alert",
    "assistant", "game", "filter", "nonsense",
  ]

  /// Which tracks are named, those that are not loaded too. Others are no track.
  static let tracks = 0..<8

  /// The borders of what the machine waits for.
  private static let borders: [Int64] = [200, 300, 500, 2000, 2500, 5000, 600_000]

  // MARK: - Histories

  mutating func history() -> [Moment] {
    threads = []
    var moments: [Moment] = []
    let count = 5 + random.below(56)
    if random.chance(40) { moments.append(Moment(event: configure())) }
    if random.chance(50) { moments.append(Moment(event: load())) }
    if random.chance(30) { moments.append(Moment(event: choose())) }
    if random.chance(80) { moments.append(Moment(event: .play(source()))) }
    while moments.count < count {
      if !threads.isEmpty, random.chance(65) {
        let index = random.below(threads.count)
        moments.append(threads[index].removeFirst())
        if threads[index].isEmpty { threads.remove(at: index) }
      } else {
        var gesture = self.gesture()
        moments.append(gesture.removeFirst())
        if !gesture.isEmpty { threads.append(gesture) }
      }
    }
    return moments
  }

  private mutating func gesture() -> [Moment] {
    switch random.below(100) {
    case 0..<28: return command()
    case 28..<44: return interruption()
    case 44..<51: return prompts()
    case 51..<60: return device()
    case 60..<68: return pair()
    case 68..<75: return player()
    case 75..<82: return system()
    case 82..<87: return switches()
    case 87..<92: return program()
    case 92..<96: return seen()
    default: return absurd()
    }
  }

  private mutating func wait() -> SessionTime {
    switch random.below(20) {
    case 0..<8: return .zero
    case 8..<14:
      return SessionTime(
        nanoseconds: random.one(Self.borders.dropLast()) * 1_000_000 + Int64(random.below(3) - 1))
    case 14..<18: return .milliseconds(Int64(random.below(1000)))
    case 18: return .milliseconds(Int64(random.below(20_000)))
    case 19 where random.chance(20):
      return SessionTime(nanoseconds: 600_000_000_000 + Int64(random.below(3) - 1))
    default: return .milliseconds(Int64(random.below(200_000)))
    }
  }

  /// The events one after the other, the first now.
  private mutating func plot(_ events: SessionEvent...) -> [Moment] {
    events.map { Moment(wait: wait(), event: $0) }
  }

  private mutating func source() -> CommandSource {
    random.one([.key, .key, .key, .mpris, .headset, .avrcp, .cli])
  }

  // MARK: - The user and the program

  private mutating func command() -> [Moment] {
    switch random.below(26) {
    case 0..<8: plot(.play(source()))
    case 8..<11: plot(.force(source()))
    case 11: plot(.pause(random.chance(30) ? .timer : source()))
    case 12: plot(.pause(.wireplumber))
    case 13..<16: plot(.toggle(source()))
    case 16: plot(.stop(source()))
    case 17..<19: plot(.next(source()))
    case 19: plot(.previous(source()))
    case 20: plot(.seek(.milliseconds(Int64(random.below(700_000)))))
    case 21: plot(load())
    case 22: plot(.volumeKey(random.one(VolumeDirection.allCases)))
    case 23: plot(.pause(source()), .play(source()))
    case 24 where random.chance(30):
      plot(.ignore(random.one(Self.clients + ["Firefox", "speech"])))
    case 25 where random.chance(50): plot(.trackEnded)
    default: plot(.play(source()))
    }
  }

  private mutating func load() -> SessionEvent {
    let durations: [Double?] = [0.3, 2, 10, 180, 600, 3600, nil]
    var tracks: [SessionTrack] = []
    let count = random.chance(12) ? 0 : 1 + random.below(4)
    for number in 0..<count {
      let duration = random.one(durations)
      tracks.append(
        SessionTrack(duration: duration.map { .seconds($0) }, title: "track \(number)"))
    }
    return .load(tracks)
  }

  private mutating func configure() -> SessionEvent {
    let category = random.chance(65) ? .playback : random.one(Category.allCases)
    let options = random.one([[], [], .mixWithOthers, .duckOthers] as [CategoryOptions])
    let configuration = try? SessionConfiguration(
      category: category, options: options.intersection(category.legalOptions),
      hasTransportControls: random.chance(70), content: random.chance(60) ? .music : .spoken)
    return .configure(configuration ?? .musicPlayer)
  }

  /// A track by its number, seldom an absurd one.
  private mutating func track() -> Int {
    random.chance(90)
      ? Self.tracks.lowerBound + random.below(Self.tracks.count)
      : random.one([-1, .min, .max])
  }

  private mutating func program() -> [Moment] {
    switch random.below(12) {
    case 0..<2: plot(configure())
    case 2: plot(configure(), .play(source()))
    case 3: plot(.activate)
    case 4..<6: plot(.activate, .deactivate(notifyOthers: random.chance(60)))
    case 6: plot(.deactivate(notifyOthers: random.chance(70)))
    case 7: plot(.effect(.milliseconds(Int64(random.below(6000)))))
    case 8: plot(.choose(track: track()))
    case 9: plot(.trackBegan(track()), .trackEnded)
    case 10: plot(random.chance(50) ? .queueEnded : .stoppedAfterTrack)
    default: plot(.trackFailed)
    }
  }

  private mutating func switches() -> [Moment] {
    let isOn = random.chance(70)
    switch random.below(3) {
    case 0: return plot(.silent(isOn), .silent(!isOn))
    case 1: return plot(.lock(isOn), .lock(!isOn))
    default: return plot(.background(isOn), .background(!isOn))
    }
  }

  // MARK: - What interrupts

  private mutating func interruption() -> [Moment] {
    let id = random.one(Self.ids)
    let kind: BlockerKind? =
      switch random.below(20) {
      case 0..<6: .call
      case 6..<9: .solo
      case 9..<12: .duck
      case 12..<14: .primary
      case 14..<17: .serverCork
      case 17: nil
      default: random.one(BlockerKind.allCases)
      }
    let begin = SessionEvent.begin(id: id, kind: kind, source: random.one(["", "Firefox"]))
    let hint = random.one([nil, true, true, false])
    let end =
      id == "cork:own" && random.chance(30)
      ? SessionEvent.streamDestroyed(id: "own") : .end(id: id, shouldResume: hint)
    switch random.below(8) {
    case 0: return plot(begin, .effect(.milliseconds(300)), .volumeKey(.up))
    case 1: return plot(begin, .play(source()), end)
    case 2: return plot(begin, .pause(source()), end)
    case 3: return plot(begin, .force(source()), end)
    case 4: return plot(end)
    case 5:
      // One within the other, or across it.
      let other = random.one(Self.ids)
      let second = SessionEvent.begin(
        id: other, kind: random.one([.call, .solo, .duck, .duck, .primary]), source: "")
      let secondEnd = SessionEvent.end(id: other, shouldResume: nil)
      return random.chance(50)
        ? plot(.play(source()), begin, second, secondEnd, end)
        : plot(.play(source()), begin, second, end, secondEnd)
    default: return plot(begin, end)
    }
  }

  /// A row of short sounds.
  private mutating func prompts() -> [Moment] {
    let id = random.one(Self.ids)
    let begin = SessionEvent.begin(id: id, kind: .duck, source: "")
    let end = SessionEvent.end(id: id, shouldResume: nil)
    return random.chance(50) ? plot(begin, end, begin, end) : plot(begin, end)
  }

  /// A program that plays and records, as calls do that nobody tags.
  private mutating func pair() -> [Moment] {
    let client = random.one(Self.clients)
    func half(_ direction: StreamObservation.Direction) -> SessionEvent {
      .stream(
        StreamObservation(
          id: client + direction.rawValue, client: client, application: client,
          direction: direction))
    }
    let playback = client + "playback"
    let capture = client + "capture"
    let gone = random.chance(50) ? playback : capture
    let peer = SessionEvent.peer(
      PeerObservation(id: client == "mpv" ? "1.2" : "1.1", status: .playing, client: client))
    switch random.below(6) {
    case 0: return plot(half(.playback), half(.capture), .clientGone(client))
    case 1: return plot(half(.playback), half(.capture), .streamGone(id: gone))
    case 2:
      let again = half(gone == playback ? .playback : .capture)
      return plot(
        half(.playback), half(.capture), .streamGone(id: gone), again, .streamGone(id: gone))
    case 3:
      return plot(peer, half(.playback), half(.capture), .streamGone(id: gone))
    default: return plot(half(.capture), half(.playback))
    }
  }

  private mutating func player() -> [Moment] {
    let (id, client) = random.one(Self.peers)
    let canPause = random.chance(85)
    func peer(_ status: PlaybackStatus) -> SessionEvent {
      .peer(
        PeerObservation(
          id: id, name: "org.mpris.MediaPlayer2.\(client ?? "other")", status: status,
          canPause: canPause, client: client))
    }
    switch random.below(7) {
    case 0: return plot(peer(.playing), peer(.paused))
    case 1 where client != nil:
      // Paused by us, and then in a call.
      let call = SessionEvent.stream(StreamObservation(id: "7", client: client, role: "phone"))
      return plot(
        peer(.playing), .activate, peer(.paused), call, .deactivate(notifyOthers: true),
        .streamGone(id: "7"))
    case 2:
      return plot(peer(.playing), .play(source()), peer(.paused), .deactivate(notifyOthers: true))
    case 3: return plot(peer(.playing), peer(random.one([.stopped, .paused])), peer(.playing))
    case 4: return plot(peer(.playing), .peerGone(id: id))
    case 5: return plot(peer(random.one(PlaybackStatus.allCases)))
    default: return plot(peer(.playing))
    }
  }

  // MARK: - Devices and the system

  private mutating func choose() -> SessionEvent {
    .route(RouteChange(to: random.one(Self.routes), reason: .override))
  }

  private mutating func device() -> [Moment] {
    let a2dp = Self.routes[3]
    let hfp = Self.routes[4]
    let other = random.one([nil, Self.routes[0], Self.routes[2]])
    func change(
      _ reason: RouteChange.Reason, from: String? = nil, to: Route?, isLinkKept: Bool = false
    ) -> SessionEvent {
      .route(RouteChange(from: from, to: to, reason: reason, isLinkKept: isLinkKept))
    }
    let switching = change(.oldDeviceUnavailable, from: "a2dp", to: other, isLinkKept: true)
    switch random.below(12) {
    case 0..<2:
      return plot(
        change(.newDeviceAvailable, to: a2dp), switching, change(.newDeviceAvailable, to: hfp))
    case 2: return plot(change(.newDeviceAvailable, to: a2dp), switching)
    case 3: return plot(change(.override, to: a2dp), switching, .linkLost(address: "00:11"))
    case 4:
      return plot(change(.override, to: a2dp), .pause(.wireplumber), change(.override, to: hfp))
    case 5:
      let call = random.one(Self.ids)
      return plot(
        change(.newDeviceAvailable, to: a2dp), switching,
        .begin(id: call, kind: .call, source: ""), change(.newDeviceAvailable, to: hfp),
        change(.oldDeviceUnavailable, from: "hfp", to: other, isLinkKept: true),
        change(.newDeviceAvailable, to: a2dp), .end(id: call, shouldResume: nil))
    case 6:
      let old = random.one(Self.routes)
      return plot(change(.newDeviceAvailable, to: old), change(.oldDeviceUnavailable, to: other))
    case 7: return plot(change(.newDeviceAvailable, to: random.one(Self.routes)))
    case 8: return plot(choose())
    case 9:
      return plot(change(.noSuitableRoute, to: nil), change(.newDeviceAvailable, to: Walk.route))
    default:
      return plot(
        change(
          .oldDeviceUnavailable, from: random.one([nil, "a2dp", "headphones", "speaker"]),
          to: random.one(Self.routes + [Self.routes[0]]), isLinkKept: random.chance(40)))
    }
  }

  private mutating func system() -> [Moment] {
    let back: SessionEvent.ServerRoute =
      switch random.below(6) {
      case 0..<3: .unchanged
      case 3: .none
      default: .route(random.one(Self.routes))
      }
    switch random.below(8) {
    case 0..<2: return plot(.sleep(true), .sleep(false))
    case 2..<4: return plot(.suspended(true), .suspended(false))
    case 4: return plot(.suspended(true), choose(), .suspended(false))
    case 5..<7: return plot(.serverLost, .serverBack(back))
    default: return plot(reconcile())
    }
  }

  // MARK: - Streams

  /// Any stream, from the same few ids.
  private mutating func stream() -> StreamObservation {
    let client = random.one(Self.clients + [nil, nil, ""])
    let application = random.one(["Firefox", "zoom", "speech-dispatcher", "Mumble", "", "mpv"])
    return StreamObservation(
      id: random.one(["7", "8", "9", "firefoxcapture", "zoomplayback"]), client: client,
      application: application, binary: random.one(["", "firefox", "zoom"]),
      role: random.one(Self.roles), direction: random.chance(70) ? .playback : .capture,
      isCorked: random.chance(15), isMuted: random.chance(15), isMonitor: random.chance(8),
      isAudible: random.one([nil, nil, false, true]), isOwn: random.chance(4))
  }

  private mutating func seen() -> [Moment] {
    let stream = self.stream()
    switch random.below(4) {
    case 0: return plot(.stream(stream), .streamGone(id: stream.id))
    case 1: return plot(.stream(stream), .clientGone(stream.client ?? stream.binary))
    case 2:
      var changed = stream
      changed.isCorked.toggle()
      return plot(.stream(stream), .stream(changed), .stream(stream))
    default: return plot(.stream(stream))
    }
  }

  private mutating func reconcile() -> SessionEvent {
    var snapshot = SystemSnapshot()
    for _ in 0..<random.below(4) { snapshot.streams.append(stream()) }
    for (id, client) in Self.peers where random.chance(30) {
      snapshot.peers.append(
        PeerObservation(id: id, status: random.one(PlaybackStatus.allCases), client: client))
    }
    return .reconcile(snapshot)
  }

  // MARK: - Nonsense

  private mutating func absurd() -> [Moment] {
    let times: [SessionTime] = [
      .seconds(.nan), .seconds(.infinity), .seconds(-.infinity), .seconds(-1), .longest,
      SessionTime(nanoseconds: .min), SessionTime(nanoseconds: 1),
    ]
    let time = random.one(times)
    switch random.below(12) {
    case 0: return plot(.seek(time))
    case 1: return plot(.effect(time))
    case 2: return plot(.load([SessionTrack(duration: time, title: "\u{1B}[2J")]), .play(.key))
    case 3: return [Moment(wait: .seconds(-5), event: .wait)]
    case 4: return random.chance(10) ? [Moment(wait: .longest, event: .wait)] : plot(.wait)
    case 5: return plot(.begin(id: random.one(Self.ids), kind: nil, source: "\u{0}"))
    case 6:
      return plot(.route(RouteChange(to: nil, reason: random.one(RouteChange.Reason.allCases))))
    case 7:
      return plot(.clientGone(""), .peerGone(id: ""), .streamGone(id: ""), .linkLost(address: ""))
    case 8: return plot(.peer(PeerObservation(id: "", status: .playing)), .peerGone(id: ""))
    case 9: return plot(.stream(StreamObservation(id: "", role: random.one(Self.roles))))
    case 10: return plot(.ignore(""), .end(id: "never", shouldResume: true))
    default:
      // What ends before it begins, and what begins twice.
      let id = random.one(Self.ids)
      return plot(
        .end(id: id, shouldResume: false), .begin(id: id, kind: .call, source: ""),
        .begin(id: id, kind: .solo, source: ""), .end(id: id, shouldResume: nil))
    }
  }
}
