import AudioSession
import AudioTypes
import Testing

/// S1 to S14, S24 to S26, S75: who decides, silent mode, volume keys, effects.
@Suite struct `Rules of silence and volume` {
  @MainActor @Test func `S1: nothing plays before the program has said what its sound is for`()
    throws
  {
    let session = AudioSession(route: .speakers)
    #expect(throws: SessionError(.noCategory)) { try session.request(.play(.key)) }
    #expect(throws: SessionError(.noCategory)) { try session.activate() }
    var actions: [Action] = []
    session.onActions = { actions += $0 }
    session.handle(.begin(id: "x", kind: .call, source: ""))
    #expect(actions.isEmpty && session.situation == nil)
    try session.setCategory(.playback)
    try session.request(.load([SessionTrack(duration: nil)]))
    try session.request(.play(.key))
    #expect(session.situation?.isAudible == true)
  }

  @Test func `S2: without a command nothing is ever heard, whatever else happens`() {
    var rig = Rig()
    rig.connect(.headphones)
    rig.begin("c", .call)
    rig.end("c", resume: true)
    rig.send(.sleep(true))
    rig.send(.sleep(false))
    rig.send(.serverLost)
    rig.send(.serverBack(.route(.headphones)))
    rig.lose()
    rig.send(.next(.key))
    rig.send(.seek(.seconds(3)))
    rig.send(.activate)
    rig.wait(1000)
    #expect(rig.steps.allSatisfy { !$0.after.isAudible })
    #expect(rig.intent == .stopped)
  }

  @Test func `S3: silent mode lets no effect through and leaves the music alone`() {
    var rig = Rig()
    rig.play()
    rig.send(.silent(true))
    let step = rig.send(.effect(.seconds(1)))
    #expect(!step.actions.contains(.playEffect))
    #expect(step.sentence == "No sound: silent mode")
    #expect(step.rules.contains(.s3))
    #expect(rig.isAudible && rig.gain == 0)
    rig.send(.silent(false))
    #expect(rig.send(.effect(.seconds(1))).actions == [.playEffect])
  }

  @Test func `S4: silent mode changes what no command does`() {
    let commands: [SessionEvent] = [
      .play(.key), .pause(.mpris), .toggle(.headset), .next(.key), .previous(.avrcp),
      .seek(.seconds(5)), .volumeKey(.up), .force(.key), .stop(.cli), .load([]),
    ]
    for command in commands {
      var loud = Rig(tracks: [60, 60])
      var silent = Rig(tracks: [60, 60])
      silent.send(.silent(true))
      for index in 0..<2 {
        if index == 1 {
          loud.play()
          silent.play()
        }
        loud.wait(1)
        silent.wait(1)
        let left = loud.send(command)
        let right = silent.send(command)
        #expect(left.after == right.after && left.actions == right.actions, "\(command)")
      }
    }
  }

  @Test func `S5: silent mode leaves a media player alone`() {
    var rig = Rig()
    rig.play()
    let step = rig.send(.silent(true))
    #expect(step.after.isAudible && step.after.gain == 0 && step.actions.isEmpty)
  }

  @Test(arguments: [SessionConfiguration.alarm, .languageLesson, .voiceCall])
  func `S6, S7, S8: silent mode leaves an alarm, a lesson and a conversation alone`(
    configuration: SessionConfiguration
  ) {
    var rig = Rig(configuration)
    rig.send(.silent(true))
    rig.play()
    #expect(rig.isAudible)
    rig.send(.lock(true))
    rig.send(.background(true))
    #expect(rig.isAudible)
  }

  @Test(arguments: [VolumeDirection.up, .down, .mute])
  func `S9, S10, S11: while sound is heard a volume key changes the device, once`(
    direction: VolumeDirection
  ) {
    var rig = Rig()
    rig.play()
    for isSilent in [false, true] {
      rig.send(.silent(isSilent))
      #expect(rig.send(.volumeKey(direction)).actions == [.changeDeviceVolume(direction)])
    }
    #expect(rig.gain == 0)
  }

  @Test func `S12, S78: with nothing heard it changes the ringer, and says so`() {
    var rig = Rig()
    let step = rig.send(.volumeKey(.up))
    #expect(step.actions == [.changeEventVolume(.up)])
    #expect(step.sentence == "Ringer volume: nothing is playing")
    rig.play()
    rig.pause()
    #expect(rig.send(.volumeKey(.down)).actions == [.changeEventVolume(.down)])
  }

  @Test func `S12: with another program heard it changes the device`() {
    var streams = Rig()
    streams.send(.stream(StreamObservation(id: "1", application: "Game")))
    #expect(streams.send(.volumeKey(.up)).actions == [.changeDeviceVolume(.up)])
    streams.send(.stream(StreamObservation(id: "1", application: "Game", isAudible: false)))
    #expect(streams.send(.volumeKey(.up)).actions == [.changeEventVolume(.up)])

    var peers = Rig()
    peers.send(.peer(PeerObservation(id: ":1.2", name: "mpv", status: .playing)))
    #expect(peers.send(.volumeKey(.up)).actions == [.changeDeviceVolume(.up)])

    var call = Rig()
    call.begin("c", .call)
    #expect(call.send(.volumeKey(.up)).actions == [.changeDeviceVolume(.up)])
  }

  @Test func `S12: what is said to be heard is what volume keys go by, whatever stands in the way`()
  {
    func check(_ rig: Rig, _ note: String) {
      var rig = rig
      let isHeard = rig.machine.state.isOtherSoundHeard
      #expect(
        rig.send(.volumeKey(.up)).actions
          == [isHeard ? .changeDeviceVolume(.up) : .changeEventVolume(.up)], "\(note)")
    }
    for kind in BlockerKind.allCases {
      var rig = Rig()
      rig.begin("x", kind)
      #expect(
        rig.machine.state.isOtherSoundHeard == [.call, .solo, .duck, .primary].contains(kind))
      check(rig, "\(kind)")
    }
    // A game stands in nobody's way, and is heard.
    var game = Rig()
    game.send(.stream(StreamObservation(id: "1", application: "Game")))
    #expect(game.machine.state.isOtherSoundHeard && game.machine.state.blockers.isEmpty)
    check(game, "a game")
  }

  @Test func `S12: a system without a ringer volume changes the device and says so`() {
    var rig = Rig()
    rig.machine.setHasRingerVolume(false)
    let step = rig.send(.volumeKey(.up))
    #expect(step.actions == [.changeDeviceVolume(.up)])
    #expect(step.sentence == "Volume of Speakers: this system has none for the ringer alone")
  }

  @Test func `S23: a device without a volume is named, and nothing is written`() {
    var rig = Rig(
      route: Route(id: "iec", name: "Optical", routeClass: .external, hasVolume: false))
    rig.play()
    let step = rig.send(.volumeKey(.up))
    #expect(step.actions.isEmpty)
    #expect(step.sentence == "The volume is set on Optical")
  }

  @Test func `S9: without any device a volume key says so`() {
    var rig = Rig(route: nil)
    rig.begin("c", .call)
    let step = rig.send(.volumeKey(.up))
    #expect(step.actions.isEmpty)
    #expect(step.sentence == "There is no device whose volume could change")
  }

  @Test func `S13: what a route is made of makes no difference`() {
    let kinds = [
      Route(id: "jack", routeClass: .private), Route(id: "headset", routeClass: .private),
      Route(id: "usb", routeClass: .private),
      Route(id: "a2dp", routeClass: .private, deviceAddress: "1"),
      Route(id: "le", routeClass: .private, deviceAddress: "2"),
    ]
    let traces = kinds.map { route -> [Situation] in
      var rig = Rig()
      rig.play()
      rig.connect(route)
      rig.choose(.speakers)
      rig.choose(route)
      rig.lose()
      rig.connect(route)
      rig.play()
      return rig.steps.map(\.after)
    }
    #expect(traces.allSatisfy { $0 == traces[0] })
  }

  @Test(arguments: [CommandSource.mpris, .headset, .avrcp])
  func `S14, S63, S65: everything works from a headset, in the background`(source: CommandSource) {
    var rig = Rig(tracks: [60, 60])
    rig.send(.background(true))
    rig.send(.lock(true))
    rig.send(.play(source))
    #expect(rig.isAudible)
    rig.send(.next(source))
    #expect(rig.machine.state.track == 1)
    rig.send(.previous(source))
    #expect(rig.machine.state.track == 0)
    rig.send(.toggle(source))
    #expect(rig.intent == .paused(.user))
    rig.send(.toggle(source))
    rig.send(.pause(source))
    #expect(rig.intent == .paused(.user))
    rig.send(.stop(source))
    #expect(rig.intent == .stopped)
  }

  @Test func `S24, S26: an effect passes by the session, also in a call`() {
    var rig = Rig()
    rig.play()
    rig.begin("c", .call)
    let before = rig.machine.state
    #expect(rig.send(.effect(.seconds(0.2))).actions == [.playEffect])
    #expect(rig.machine.state == before)
  }

  @Test func `S25: what is longer than five seconds is no effect`() {
    var rig = Rig()
    #expect(rig.send(.effect(.seconds(5))).actions == [.playEffect])
    for length in [5.001, 30, 0, -1, .infinity, -.infinity, .nan] {
      let step = rig.send(.effect(.seconds(length)))
      #expect(step.refusal?.code == .effectTooLong && step.actions.isEmpty)
    }
  }

  @Test func `S37: while recording no effect is heard`() throws {
    var rig = Rig(try SessionConfiguration(category: .record))
    let step = rig.send(.effect(.seconds(1)))
    #expect(step.actions.isEmpty && step.sentence == "No sound: recording")
  }

  @Test func `S75, S76, S77: nothing beeps by itself, in a hundred tracks`() {
    var rig = Rig(tracks: Array(repeating: 10, count: 100))
    rig.play()
    rig.wait(500)
    for _ in 0..<60 { rig.send(.next(.key)) }
    #expect(rig.intent == .stopped)
    #expect(!rig.actions.contains(.playEffect))
  }

  @Test func `X2: without any setting it is a music player`() {
    #expect(Rig().machine.state.configuration == .musicPlayer)
    #expect(SessionConfiguration.musicPlayer.category == .playback)
    #expect(SessionConfiguration.musicPlayer.options == [])
    #expect(SessionConfiguration.musicPlayer.hasTransportControls)
  }
}
