import AudioSession
import Testing

/// What programs really set (C2) and what follows from it (C3), with the traps T1 to T3, T9, T10,
/// T14 and T16.
@Suite struct `C3: what a stream stands for` {
  typealias Row = (StreamObservation, BlockerKind?)

  private static func out(
    _ application: String, _ role: String = "", isCorked: Bool = false, isMuted: Bool = false,
    isAudible: Bool? = nil, isMonitor: Bool = false, isOwn: Bool = false, binary: String = ""
  ) -> StreamObservation {
    StreamObservation(
      id: "1", client: "c", application: application, binary: binary, role: role,
      isCorked: isCorked, isMuted: isMuted, isMonitor: isMonitor, isAudible: isAudible,
      isOwn: isOwn)
  }

  private static func microphone(_ application: String, _ role: String = "") -> StreamObservation {
    StreamObservation(
      id: "1", client: "c", application: application, role: role, direction: .capture)
  }

  static let rows: [Row] = [
    // 1. Tagged as a call.
    (out("Jami", "phone"), .call), (out("Empathy", "Communication"), .call),
    (out("Twinkle", "Phone"), .call), (microphone("Linphone", "phone"), .call),
    (out("Jami", "phone", isCorked: true), nil), (out("Jami", "phone", isMuted: true), nil),
    // A call in which nobody speaks is one.
    (out("Jami", "phone", isAudible: false), .call),
    // T2: tagged for as long as they run.
    (out("Mumble", "phone"), nil), (out("TeamSpeak 3", "phone"), nil),
    (out("x", "phone", binary: "ts3client_linux_amd64"), nil), (out("Mumble", "game"), nil),
    // T1: no tag, and alone no call.
    (out("Firefox"), nil), (microphone("Firefox"), nil), (out("Chromium"), nil),
    (microphone("Chromium input"), nil), (out("ZOOM VoiceEngine"), nil),
    (out("WEBRTC VoiceEngine"), nil), (out("Telegram Desktop"), nil),
    // Alone a microphone is a memo or a wake word.
    (microphone("OBS"), nil), (microphone("arecord"), nil),
    // 3. Alarms.
    (out("Clocks", "Alert"), .solo), (out("x", "Emergency"), .solo), (out("x", "alarm"), .solo),
    // 4. Speech, while it is heard.
    (out("Orca", "a11y"), .duck), (out("x", "Accessibility"), .duck),
    (out("speech-dispatcher-espeak-ng"), .duck), (out("speech-dispatcher"), .duck),
    (out("x", "Accessibility", isAudible: false), nil),
    (out("speech-dispatcher", isAudible: false), nil),
    // 5. Tones.
    (out("bell", "event"), .duck), (out("x", "Notification"), .duck),
    (out("x", "event", isAudible: false), nil),
    // 6. Directions, assistants.
    (out("Maps", "Navigation"), .duck), (out("x", "GPS"), .duck), (out("x", "Assistant"), .solo),
    // 7. Players.
    (out("Spotify", "music"), .primary), (out("mpv", "video"), .primary),
    (out("x", "Music"), .primary), (out("Totem", "Movie"), .primary),
    (out("Music Player Daemon", "music"), .primary),
    (out("Spotify", "music", isCorked: true), nil), (out("x", "music", isMuted: true), nil),
    // T3: uncorked is not heard.
    (out("Firefox", "music", isAudible: false), nil),
    // 8. Nothing.
    (out("0ad", "game"), nil), (out("ALSA plug-in [spotifyd]"), nil), (out("x", "animation"), nil),
    (out("x", "séance"), nil), (out(""), nil),
    // What only passes sound on, measures it, or is our own (T16).
    (out("PulseEffects", "filter"), nil), (out("x", "abstract"), nil),
    (out("x", "production"), nil),
    (out("x", "test"), nil), (out("x", "DSP"), nil), (out("x", "Loopback"), nil),
    (out("pavucontrol", "event", isMonitor: true), nil), (out("x", "phone", isMonitor: true), nil),
    (out("sotto", "music", isOwn: true), nil), (out("sotto", "phone", isOwn: true), nil),
  ]

  @Test(arguments: rows.indices)
  func `row by row`(index: Int) {
    let (stream, kind) = Self.rows[index]
    #expect(Classifier().kind(of: stream) == kind, "\(stream)")
  }

  @Test(arguments: [
    ("org.mpris.MediaPlayer2.vlc", true), ("org.mpris.MediaPlayer2.firefox.instance_1_7", true),
    ("spotify", true), ("org.mpris.MediaPlayer2.playerctld", false),
    ("org.mpris.MediaPlayer2.kdeconnect.mpris_000001", false),
    ("org.mpris.MediaPlayer2.plasma-browser-integration", false), ("", true),
  ])
  func `which names on MPRIS are players`(name: String, isPlayer: Bool) {
    #expect(
      Classifier().isPlayer(PeerObservation(id: "1", name: name, status: .playing)) == isPlayer)
    var rig = Rig()
    rig.play()
    rig.send(.peer(PeerObservation(id: "1", name: name, status: .playing)))
    rig.wait(1)
    #expect(rig.isAudible == !isPlayer)
  }

  @Test func `the list of programs can be extended, and its faults name their line`() throws {
    let more = try KnownApplications(
      parsing: "# mine\r\n\r\nspeech  \tFestival*\r\nalways-phone   Walkie Talkie\r\n")
    #expect(more.has(.speech, "festival-client") && more.has(.alwaysPhone, "walkie talkie"))
    #expect(!more.has(.speech, "fest") && !more.has(.alwaysPhone, "Walkie"))
    #expect(!more.has(.speech, ""))
    let both = Classifier(applications: .builtIn.merging(more))
    #expect(both.kind(of: Self.out("Festival")) == .duck)
    #expect(both.kind(of: Self.out("Walkie Talkie", "phone")) == nil)
    #expect(both.kind(of: Self.out("TeamSpeak", "phone")) == nil)
    for (text, line) in [
      ("call", 1), ("\n\nshout X", 3), ("call *", 1), ("call   ", 1), ("call   *", 1),
    ] {
      let error = #expect(throws: KnownApplications.ParseError.self) {
        try KnownApplications(parsing: text)
      }
      #expect(error?.line == line)
    }
  }

  @Test(arguments: [
    "Firefox", "Chromium input", "Google Chrome input", "Brave input", "Microsoft Edge input",
    "Vivaldi input", "ZOOM VoiceEngine", "Telegram Desktop", "telegram-desktop", "linphone",
    "Mumble", "WEBRTC VoiceEngine", "Skype",
  ])
  func `T1: programs that call without a tag are known by name`(name: String) {
    #expect(KnownApplications.builtIn.has(.call, name))
  }
}

@Suite struct `C3: calls that no tag tells, and players that are calls` {
  private func voice(
    _ id: String, _ direction: StreamObservation.Direction, client: String? = "ff",
    application: String = "Firefox", role: String = "", isCorked: Bool = false,
    isMonitor: Bool = false
  ) -> SessionEvent {
    .stream(
      StreamObservation(
        id: id, client: client, application: application, role: role, direction: direction,
        isCorked: isCorked, isMonitor: isMonitor))
  }

  @Test func `T1, P22: who plays and records for half a second is in a call`() {
    var rig = Rig()
    rig.play()
    rig.send(voice("1", .playback))
    rig.send(voice("2", .capture))
    #expect(rig.wait(0.499).isEmpty && rig.isAudible)
    let due = rig.wait(0.001)
    #expect(due.map(\.trigger) == [.timer(.callConfirmed(client: "ff"))])
    #expect(!rig.isAudible && rig.blockers == ["call:ff"])
    #expect(due[0].sentence == "Interrupted by a call in Firefox; goes on afterwards")
  }

  @Test func `P22: for less than that it is none`() {
    var rig = Rig()
    rig.play()
    rig.send(voice("1", .playback))
    rig.send(voice("2", .capture))
    rig.wait(0.4)
    rig.send(.streamGone(id: "2"))
    rig.wait(0.2)
    rig.send(voice("3", .capture))
    #expect(rig.wait(0.4).isEmpty)
    #expect(rig.isAudible)
  }

  @Test func `P22: a gap of less than two seconds is no end`() {
    var rig = Rig()
    rig.play()
    rig.send(voice("1", .playback))
    rig.send(voice("2", .capture))
    rig.wait(1)
    rig.send(voice("2", .capture, isCorked: true))
    #expect(rig.wait(1.999).isEmpty)
    rig.send(voice("2", .capture))
    #expect(rig.wait(10).isEmpty && !rig.isAudible)
    rig.send(.streamGone(id: "1"))
    rig.send(.streamGone(id: "2"))
    #expect(rig.wait(1.999).isEmpty)
    #expect(rig.wait(0.001).map(\.trigger) == [.timer(.callOver(client: "ff"))])
    #expect(rig.isAudible)
  }

  @Test func `halves of different programs, monitors and corked streams make no call`() {
    for second in [
      voice("2", .capture, client: "other", application: "Other"),
      voice("2", .capture, isCorked: true), voice("2", .capture, isMonitor: true),
      voice("2", .playback), voice("2", .capture, role: "filter"),
    ] {
      var rig = Rig()
      rig.play()
      rig.send(voice("1", .playback))
      rig.send(second)
      rig.wait(5)
      #expect(rig.isAudible)
    }
  }

  @Test func `without a client the binary or the name pairs them`() {
    var rig = Rig()
    rig.play()
    rig.send(voice("1", .playback, client: nil))
    rig.send(voice("2", .capture, client: nil))
    rig.wait(1)
    #expect(rig.blockers == ["call:Firefox"])
    var nameless = Rig()
    nameless.play()
    nameless.send(voice("1", .playback, client: nil, application: ""))
    nameless.send(voice("2", .capture, client: nil, application: ""))
    nameless.wait(1)
    #expect(nameless.isAudible)
  }

  @Test func `T2: what is always tagged counts when it plays and records`() {
    var rig = Rig()
    rig.play()
    rig.send(voice("1", .playback, client: "m", application: "Mumble", role: "phone"))
    rig.wait(5)
    #expect(rig.isAudible)
    rig.send(voice("2", .capture, client: "m", application: "Mumble", role: "phone"))
    rig.wait(0.5)
    #expect(rig.blockers == ["call:m"])
  }

  @Test func `T2: a program that the user leaves out counts no more, at once and later`() {
    var rig = Rig()
    rig.play()
    rig.send(voice("1", .playback))
    rig.send(voice("2", .capture))
    rig.send(voice("3", .playback, client: "j", application: "Jami", role: "phone"))
    rig.wait(1)
    #expect(rig.blockers == ["sinkinput:3", "call:ff"])
    rig.send(.ignore("FIREFOX"))
    #expect(rig.blockers == ["sinkinput:3"])
    let step = rig.send(.ignore("Jami"))
    #expect(step.after.isAudible && step.sentence == "Playing again")
    rig.send(voice("4", .capture))
    rig.send(voice("5", .playback, client: "j", application: "Jami", role: "phone"))
    rig.send(
      .peer(PeerObservation(id: "p", name: "org.mpris.MediaPlayer2.firefox.i1", status: .playing)))
    #expect(rig.wait(5).isEmpty && rig.isAudible)
    let before = rig.machine
    rig.send(.ignore(""))
    #expect(rig.machine == before)
  }

  @Test func `D4.8: a call that is seen three times is one`() {
    var rig = Rig()
    rig.play()
    rig.begin("cork:1", .serverCork)
    rig.send(voice("1", .playback, role: "phone"))
    rig.send(voice("2", .playback))
    rig.send(voice("3", .capture))
    rig.wait(1)
    #expect(rig.blockers.count == 3)
    #expect(rig.count { $0.isCork } == 1)
    rig.send(.streamGone(id: "1"))
    rig.end("cork:1")
    rig.send(.streamGone(id: "3"))
    #expect(!rig.isAudible)
    rig.wait(2)
    #expect(rig.isAudible)
    #expect(rig.count { $0 == .uncork } == 2)
  }

  @Test func `D4.9, S53: a browser's meeting that looks like a player first is a call`() {
    for isTagged in [false, true] {
      var rig = Rig()
      rig.play()
      rig.wait(5)
      rig.send(.peer(PeerObservation(id: ":1.4", name: "firefox", status: .playing, client: "ff")))
      rig.wait(0.2)
      #expect(rig.intent == .paused(.primary))
      rig.wait(4)
      if isTagged {
        rig.send(voice("1", .playback, role: "phone"))
      } else {
        rig.send(voice("1", .playback))
        rig.send(voice("2", .capture))
        rig.wait(0.5)
      }
      #expect(rig.intent == .playing && rig.display == .interrupted)
      rig.wait(60)
      rig.send(.streamGone(id: "1"))
      if !isTagged { rig.wait(2) }
      #expect(rig.isAudible && rig.position == 5.2)
    }
  }

  @Test func `D4.9: also when the player is gone again before the call is sure`() {
    var rig = Rig()
    rig.play()
    rig.send(.peer(PeerObservation(id: ":1.4", name: "firefox", status: .playing, client: "ff")))
    rig.wait(0.2)
    rig.send(.peer(PeerObservation(id: ":1.4", name: "firefox", status: .stopped, client: "ff")))
    rig.send(voice("1", .playback))
    rig.send(voice("2", .capture))
    rig.wait(0.5)
    #expect(rig.intent == .playing && !rig.isAudible)
  }

  @Test func `D4.9: after five seconds, or when anything else would have paused, it stays paused`()
  {
    for way in 0..<5 {
      var rig = Rig(route: .headphones)
      rig.play()
      rig.send(.peer(PeerObservation(id: ":1.4", name: "firefox", status: .playing, client: "ff")))
      rig.wait(0.2)
      switch way {
      case 0: rig.wait(5)
      case 1: rig.lose()
      case 2: rig.pause()
      case 3: rig.send(.sleep(true))
      default: rig.send(.stop(.key))
      }
      rig.send(voice("1", .playback))
      rig.send(voice("2", .capture))
      rig.wait(0.5)
      rig.send(.streamGone(id: "1"))
      rig.wait(3)
      #expect(!rig.isAudible && rig.intent != .playing, "\(way)")
    }
  }

  @Test func `a program in a call is no player`() {
    var rig = Rig()
    rig.play()
    rig.send(voice("1", .playback))
    rig.send(voice("2", .capture))
    rig.wait(1)
    rig.send(.peer(PeerObservation(id: ":1.4", name: "firefox", status: .playing, client: "ff")))
    rig.send(voice("3", .playback, role: "music"))
    rig.wait(1)
    #expect(rig.blockers == ["call:ff"] && rig.intent == .playing)
  }

  @Test func `S55: another player counts after 200 ms`() {
    var rig = Rig()
    rig.play()
    rig.send(.peer(PeerObservation(id: "a", name: "vlc", status: .playing)))
    #expect(rig.wait(0.199).isEmpty && rig.isAudible)
    #expect(rig.wait(0.001).map(\.trigger) == [.timer(.primaryConfirmed(id: "mpris:a"))])
    #expect(rig.intent == .paused(.primary))
    rig.send(.peer(PeerObservation(id: "a", status: .paused)))
    rig.play()
    rig.send(.peer(PeerObservation(id: "a", name: "vlc", status: .playing)))
    rig.wait(0.1)
    rig.send(.peer(PeerObservation(id: "a", name: "vlc", status: .paused)))
    #expect(rig.wait(5).isEmpty && rig.isAudible)
  }

  @Test func `S55: a music stream without MPRIS is a player too`() {
    var rig = Rig()
    rig.play()
    rig.send(voice("8", .playback, client: "mpd", application: "mpd", role: "music"))
    rig.wait(0.2)
    #expect(rig.intent == .paused(.primary) && rig.blockers == ["sinkinput:8"])
    #expect(rig.steps.last?.sentence == "Paused: mpd started to play")
  }

  @Test func `S2: play while a player is not yet confirmed outranks it`() {
    var rig = Rig()
    rig.send(.peer(PeerObservation(id: "a", name: "vlc", status: .playing)))
    rig.wait(0.1)
    rig.play()
    rig.wait(1)
    #expect(rig.isAudible && rig.blockers == ["mpris:a"])
  }

  @Test func `a stream that becomes something else is what it is now`() {
    var rig = Rig()
    rig.play()
    rig.send(voice("1", .playback, role: "event"))
    #expect(rig.display == .ducked)
    rig.send(voice("1", .playback, role: "phone"))
    #expect(rig.display == .interrupted && rig.blockers == ["sinkinput:1"])
    rig.send(voice("1", .capture, role: "phone"))
    #expect(rig.blockers == ["source:1"])
    rig.send(voice("1", .capture))
    rig.wait(1)
    #expect(rig.display == .playing && rig.blockers.isEmpty)
  }

  @Test func `over spoken content a tone is waited for, however often it is seen`() throws {
    var rig = Rig(try SessionConfiguration(category: .playback, content: .spoken))
    rig.play()
    rig.send(voice("1", .playback, role: "event"))
    rig.wait(1)
    rig.send(voice("1", .playback, application: "Bell", role: "event"))
    #expect(rig.blockers == ["sinkinput:1"] && !rig.isAudible)
    rig.send(.streamGone(id: "1"))
    rig.wait(1)
    #expect(rig.isAudible)
  }

  @Test func `D6: reconciling is the same as having seen it all`() {
    let streams = [
      StreamObservation(id: "1", client: "j", application: "Jami", role: "phone"),
      StreamObservation(id: "2", client: "b", application: "Bell", role: "event"),
      StreamObservation(id: "3", client: "f", application: "Firefox"),
      StreamObservation(id: "4", client: "f", application: "Firefox", direction: .capture),
    ]
    let peers = [PeerObservation(id: ":1.1", name: "vlc", status: .playing)]
    var seen = Rig()
    var reconciled = Rig()
    seen.play()
    reconciled.play()
    for stream in streams { seen.send(.stream(stream)) }
    for peer in peers { seen.send(.peer(peer)) }
    reconciled.send(.reconcile(SystemSnapshot(streams: streams, peers: peers)))
    #expect(seen.machine.state == reconciled.machine.state)
    reconciled.send(.reconcile(SystemSnapshot(streams: streams, peers: peers)))
    #expect(seen.machine.state == reconciled.machine.state)
    seen.wait(1)
    reconciled.wait(1)
    for stream in streams { seen.send(.streamGone(id: stream.id)) }
    seen.send(.peerGone(id: ":1.1"))
    reconciled.send(.reconcile(SystemSnapshot()))
    #expect(seen.machine.state == reconciled.machine.state)
    seen.wait(3)
    #expect(seen.blockers.isEmpty && seen.gain == 0)
  }
}
