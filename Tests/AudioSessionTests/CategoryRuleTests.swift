import AudioSession
import AudioTypes
import Testing

/// S18, S19, S27 to S45: categories and scenarios, with table A9 row by row.
@Suite struct `Rules of categories` {
  static let rows: [(SessionConfiguration, silenced: Bool, mixes: Bool, background: Bool)] = {
    func row(_ category: Category, _ options: CategoryOptions = []) -> SessionConfiguration {
      try! SessionConfiguration(category: category, options: options)
    }
    return [
      (row(.soloAmbient), true, false, false), (row(.ambient), true, true, false),
      (row(.playback), false, false, true), (row(.playback, .mixWithOthers), false, true, true),
      (row(.playback, .duckOthers), false, true, true), (row(.record), false, false, true),
      (row(.playAndRecord), false, false, true),
      (row(.playAndRecord, .mixWithOthers), false, true, true),
      (row(.playAndRecord, .duckOthers), false, true, true),
      (row(.audioProcessing), false, false, true),
    ]
  }()

  @Test(arguments: 0..<10, 0..<16)
  func `A9, S30, S38, S39: silencing, mixing and background follow the table`(
    index: Int, circumstances: Int
  ) {
    let (configuration, silenced, mixes, background) = Self.rows[index]
    let isSilent = circumstances & 1 != 0
    let isLocked = circumstances & 2 != 0
    let isInBackground = circumstances & 4 != 0
    let isPeerPlaying = circumstances & 8 != 0
    var rig = Rig(configuration)
    if isPeerPlaying { rig.send(.peer(PeerObservation(id: ":1.7", name: "mpv", status: .playing))) }
    rig.wait(1)
    rig.send(.silent(isSilent))
    rig.send(.lock(isLocked))
    rig.send(.background(isInBackground))
    rig.play()
    let plays = configuration.category != .record && configuration.category != .audioProcessing
    let isAudible =
      plays && !(silenced && (isSilent || isLocked)) && (!isInBackground || background)
    #expect(rig.isAudible == isAudible)
    let calls = rig.actions.filter(\.isPeerCall)
    #expect(calls == (isPeerPlaying && !mixes && isAudible ? [.pausePeer(id: ":1.7")] : []))

    var active = Rig(configuration)
    if isPeerPlaying {
      active.send(.peer(PeerObservation(id: ":1.7", name: "mpv", status: .playing)))
    }
    let step = active.send(.activate)
    #expect(
      step.actions.filter(\.isPeerCall)
        == (isPeerPlaying && !mixes ? [.pausePeer(id: ":1.7")] : []))
  }

  @Test func `A9: what was silenced by the switch, the lock or the background comes back`() throws {
    for place in 0..<3 {
      func event(_ isOn: Bool) -> SessionEvent {
        [.silent(isOn), .lock(isOn), .background(isOn)][place]
      }
      var rig = Rig(try SessionConfiguration(category: .soloAmbient))
      rig.play()
      rig.wait(2)
      let off = rig.send(event(true))
      #expect(off.after.display == .interrupted && !off.after.willResume)
      #expect(off.actions.first?.isCork == true)
      let words = ["silent mode", "the locked screen", "being in the background"][place]
      #expect(off.sentence == "Interrupted by \(words)")
      rig.wait(2)
      rig.send(event(false))
      #expect(rig.isAudible && rig.position == 2)
    }
  }

  @Test func `S18, S19: the session writes no volume, whatever happens, but for the keys`() {
    var rig = Rig()
    rig.play()
    rig.begin("d", .duck)
    rig.end("d")
    rig.begin("c", .call)
    rig.end("c")
    rig.wait(5)
    rig.send(.stop(.key))
    #expect(rig.count { $0.isDeviceVolume || $0.isEventVolume } == 0)
    let gains = rig.steps.map(\.after.gain)
    #expect(gains.allSatisfy { $0 <= 0 })
  }

  @Test(arguments: 0..<10)
  func `S28: a call is heard over everything, in every category`(index: Int) {
    var rig = Rig(Self.rows[index].0)
    rig.play()
    rig.begin("c", .call)
    #expect(!rig.isAudible)
    for source in CommandSource.allCases {
      rig.send(.play(source))
      rig.send(.toggle(source))
      if source != .key && source != .cli { rig.send(.force(source)) }
      rig.send(.activate)
      rig.send(.configure(Self.rows[index].0))
      #expect(!rig.isAudible)
    }
  }

  @Test func `S28: only the key for it starts over a call, and a new call holds it again`() {
    for source in [CommandSource.key, .cli] {
      var rig = Rig()
      rig.play()
      rig.begin("c", .call)
      rig.send(.force(source))
      #expect(rig.isAudible)
      rig.begin("c", .call)
      #expect(rig.isAudible)
      rig.begin("c2", .call)
      #expect(!rig.isAudible)
      rig.end("c2")
      #expect(rig.isAudible)
    }
  }

  @MainActor @Test func `S29: a process has one session, and its category is one of six`() {
    #expect(AudioSession.shared === AudioSession.shared)
    #expect(Category.allCases.count == 6)
  }

  @Test func `S31, S32: options that mean nothing in a category are errors`() throws {
    for category in Category.allCases {
      for options in [CategoryOptions.mixWithOthers, .duckOthers] {
        let isLegal = category == .playback || category == .playAndRecord
        if isLegal {
          let record = try SessionConfiguration(category: category, options: options)
          #expect(record.mixesWithOthers)
        } else {
          #expect(throws: SessionError(.optionsNotAllowed, cause: category.rawValue)) {
            try SessionConfiguration(category: category, options: options)
          }
        }
      }
      #expect(try SessionConfiguration(category: category).options == [])
    }
    #expect(CategoryOptions.duckOthers.contains(.mixWithOthers))
    #expect(CategoryOptions(rawValue: 2) == .duckOthers)
    #expect(throws: SessionError.self) {
      try SessionConfiguration(category: .playback, options: CategoryOptions(rawValue: 4))
    }
  }

  @Test func `S33: who ducks lowers music and never a call, and restores once`() throws {
    var rig = Rig(.navigation)
    rig.send(.stream(StreamObservation(id: "music", application: "mpd", role: "music")))
    rig.send(.stream(StreamObservation(id: "call", application: "Phone", role: "phone")))
    rig.send(.stream(StreamObservation(id: "quiet", isCorked: true)))
    rig.send(.stream(StreamObservation(id: "meter", isMonitor: true)))
    rig.send(.ignore("Left"))
    rig.send(.stream(StreamObservation(id: "left", application: "Left")))
    #expect(rig.send(.activate).actions == [.lowerOthers(ids: ["music"])])
    #expect(rig.send(.activate).actions.isEmpty)
    #expect(
      rig.send(.deactivate(notifyOthers: true)).actions == [.restoreOthers(ids: ["music"])])
    #expect(rig.send(.deactivate(notifyOthers: true)).actions.isEmpty)
    var mixing = Rig(try SessionConfiguration(category: .playback, options: .mixWithOthers))
    #expect(mixing.send(.activate).actions.isEmpty)
  }

  @Test func `S34: starting up touches nobody`() {
    var rig = Rig()
    let snapshot = SystemSnapshot(
      streams: [
        StreamObservation(id: "1", client: "a", application: "Phone", role: "phone"),
        StreamObservation(id: "2", client: "b", role: "music"),
      ], peers: [PeerObservation(id: ":1.3", name: "vlc", status: .playing)])
    rig.send(.reconcile(snapshot))
    rig.wait(60)
    #expect(rig.actions.isEmpty && rig.intent == .stopped)
    #expect(rig.blockers == ["sinkinput:1", "sinkinput:2", "mpris::1.3"])
  }

  @Test func `S35: the category stays while sound is heard`() throws {
    var rig = Rig()
    rig.play()
    for category in Category.allCases where category != .playback && category != .record {
      let step = rig.send(.configure(try SessionConfiguration(category: category)))
      #expect(step.refusal == SessionError(.categoryInUse, cause: category.rawValue))
      #expect(rig.isAudible && rig.machine.state.configuration.category == .playback)
    }
    let mix = try SessionConfiguration(category: .playback, options: .mixWithOthers)
    #expect(rig.send(.configure(mix)).refusal == nil)
    rig.pause()
    let ambient = try SessionConfiguration(category: .ambient)
    #expect(rig.send(.configure(ambient)).refusal == nil)
    #expect(rig.machine.state.configuration == ambient)
  }

  @Test func `S36: recording holds the music, and it goes on if it was playing`() throws {
    let record = try SessionConfiguration(category: .record)
    for wasPlaying in [true, false] {
      var rig = Rig()
      rig.play()
      if !wasPlaying { rig.pause() }
      rig.wait(4)
      let begin = rig.send(.configure(record))
      #expect(begin.refusal == nil && !begin.after.isAudible)
      if wasPlaying { #expect(begin.sentence == "Interrupted by recording") }
      rig.wait(4)
      #expect(rig.play().refusal == SessionError(.categoryDoesNotPlay, cause: "record"))
      rig.send(.configure(.musicPlayer))
      #expect(rig.isAudible == wasPlaying)
      #expect(rig.position == (wasPlaying ? 4 : 0))
    }
  }

  @Test func `S40: work on audio keeps the machine awake until it is done`() throws {
    var rig = Rig(try SessionConfiguration(category: .audioProcessing))
    #expect(rig.play().refusal?.code == .categoryDoesNotPlay)
    #expect(rig.send(.activate).actions == [.keepAwake(true)])
    #expect(rig.send(.activate).actions.isEmpty)
    #expect(rig.send(.deactivate(notifyOthers: false)).actions == [.keepAwake(false)])
  }

  @Test func `S41: a language lesson is heard alone, silent and locked`() {
    var rig = Rig(.languageLesson)
    rig.send(.peer(PeerObservation(id: ":1.9", name: "mpv", status: .playing)))
    rig.send(.silent(true))
    rig.send(.lock(true))
    #expect(rig.play().actions.contains(.pausePeer(id: ":1.9")))
    #expect(rig.isAudible)
  }

  @Test func `S42: a voice program is active for its call and lets others go on after it`() {
    var rig = Rig(.voiceCall)
    rig.send(.peer(PeerObservation(id: ":1.9", name: "mpv", status: .playing)))
    rig.wait(600)
    #expect(rig.actions.filter(\.isPeerCall).isEmpty)
    rig.send(.activate)
    rig.send(.peer(PeerObservation(id: ":1.9", name: "mpv", status: .paused)))
    rig.send(.deactivate(notifyOthers: true))
    #expect(rig.actions.filter(\.isPeerCall) == [.pausePeer(id: ":1.9"), .playPeer(id: ":1.9")])
  }

  @Test func `S41: who played before the start is paused, and does not take over by being slow`() {
    var rig = Rig()
    rig.play()
    rig.wait(1)
    // Seen only now, as players are when the bus is opened after the first sound.
    rig.send(.peer(PeerObservation(id: ":1.9", name: "mpv", status: .playing)))
    rig.send(.activate)
    #expect(rig.actions.filter(\.isPeerCall) == [.pausePeer(id: ":1.9")])
    rig.wait(2)
    #expect(rig.isAudible)
    rig.send(.peer(PeerObservation(id: ":1.9", name: "mpv", status: .paused)))
    rig.wait(2)
    // What it begins after that is a take-over as any (S55).
    rig.send(.peer(PeerObservation(id: ":1.9", name: "mpv", status: .playing)))
    rig.wait(2)
    #expect(!rig.isAudible)
  }

  @Test func `S43: a game asks what is heard, not the user`() {
    #expect(SessionConfiguration.game(otherAudioPlaying: true).category == .ambient)
    #expect(SessionConfiguration.game(otherAudioPlaying: false).category == .soloAmbient)
    var rig = Rig(.game(otherAudioPlaying: false))
    #expect(!rig.machine.state.isOtherAudioPlaying)
    rig.send(.stream(StreamObservation(id: "1", isAudible: false)))
    #expect(!rig.machine.state.isOtherAudioPlaying)
    rig.send(.stream(StreamObservation(id: "1")))
    #expect(rig.machine.state.isOtherAudioPlaying)
    rig.send(.streamGone(id: "1"))
    rig.send(.peer(PeerObservation(id: ":1.1", status: .playing)))
    #expect(rig.machine.state.isOtherAudioPlaying)
    rig.send(.peer(PeerObservation(id: ":1.1", status: .paused)))
    #expect(!rig.machine.state.isOtherAudioPlaying)
  }

  @Test func `S43: who mixes is not held by others' playing`() {
    var rig = Rig(.game(otherAudioPlaying: true))
    rig.play()
    rig.send(.peer(PeerObservation(id: ":1.1", name: "mpv", status: .playing)))
    rig.wait(1)
    #expect(rig.isAudible && rig.blockers == ["mpris::1.1"])
    rig.begin("c", .call)
    #expect(!rig.isAudible)
  }

  @Test func `S44: navigation speaks over music, from the background too`() {
    var rig = Rig(.navigation)
    rig.send(.peer(PeerObservation(id: ":1.1", name: "mpv", status: .playing)))
    rig.send(.stream(StreamObservation(id: "5", role: "music")))
    rig.send(.background(true))
    let step = rig.play()
    #expect(step.after.isAudible && step.actions.contains(.lowerOthers(ids: ["5"])))
    #expect(rig.actions.filter(\.isPeerCall).isEmpty)
  }

  @Test func `S45: a program with interface sounds only leaves all others alone`() {
    #expect(SessionConfiguration.interfaceSounds.interruptionOfOthers == nil)
    var rig = Rig(.interfaceSounds)
    rig.send(.silent(true))
    #expect(rig.send(.effect(.seconds(1))).actions.isEmpty)
    rig.send(.silent(false))
    #expect(rig.send(.effect(.seconds(1))).actions == [.playEffect])
  }

  @Test func `S47, S54: what a program's sound is to its neighbours follows from its record`()
    throws
  {
    #expect(SessionConfiguration.musicPlayer.interruptionOfOthers == .primary)
    #expect(SessionConfiguration.voiceCall.interruptionOfOthers == .call)
    #expect(SessionConfiguration.navigation.interruptionOfOthers == .duck)
    #expect(SessionConfiguration.alarm.interruptionOfOthers == .solo)
    #expect(SessionConfiguration.game(otherAudioPlaying: false).interruptionOfOthers == .primary)
    #expect(SessionConfiguration.game(otherAudioPlaying: true).interruptionOfOthers == nil)
    let mix = try SessionConfiguration(category: .playback, options: .mixWithOthers)
    #expect(mix.interruptionOfOthers == nil)
    let processing = try SessionConfiguration(category: .audioProcessing)
    #expect(processing.interruptionOfOthers == nil)
  }
}
