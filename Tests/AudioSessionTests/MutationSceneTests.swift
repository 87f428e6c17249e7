import AudioSession
import Testing

/// What only `make mutate` saw that no test would notice: streams and players of other programs.
@Suite struct `Found by faults: other programs` {
  private func stream(
    _ id: String, client: String? = "web", application: String = "", binary: String = "",
    role: String = "", direction: StreamObservation.Direction = .playback, isCorked: Bool = false,
    isMuted: Bool = false, isAudible: Bool? = nil
  ) -> StreamObservation {
    StreamObservation(
      id: id, client: client, application: application, binary: binary, role: role,
      direction: direction, isCorked: isCorked, isMuted: isMuted, isAudible: isAudible)
  }

  private func player(
    _ id: String = "1.1", name: String = "", _ status: PlaybackStatus = .playing,
    canPause: Bool = true, client: String? = "web"
  ) -> PeerObservation {
    PeerObservation(id: id, name: name, status: status, canPause: canPause, client: client)
  }

  /// Plays a track without an end, so that the only deadlines are those of what is seen.
  private func playing() -> Rig {
    var rig = Rig(tracks: [nil])
    rig.play()
    return rig
  }

  private func calling(_ client: String = "web") -> Rig {
    var rig = playing()
    rig.send(.stream(stream("1", client: client)))
    rig.send(.stream(stream("2", client: client, direction: .capture)))
    rig.wait(0.5)
    return rig
  }

  // MARK: - What a stream is

  @Test func `T16: a meter that is tagged as a tone and records is no tone`() {
    let meter = stream("1", role: "event", direction: .capture, isAudible: true)
    #expect(Classifier().kind(of: meter) == nil)
  }

  @Test func `a screen reader's program with another tag is what the tag says`() {
    #expect(Classifier().kind(of: stream("1", application: "espeak", role: "game")) == nil)
  }

  @Test func `D4.8: what is tagged as a call is not told by its halves, too`() {
    var rig = playing()
    rig.send(.stream(stream("1", role: "phone")))
    rig.send(.stream(stream("2", role: "phone", direction: .capture)))
    rig.wait(1)
    #expect(rig.blockers == ["sinkinput:1", "source:2"])
  }

  @Test(arguments: ["filter", "abstract", "production", "test", "dsp", "loopback"])
  func `S34, S43: what only passes sound on is no other sound`(role: String) {
    var rig = playing()
    rig.send(.stream(stream("1", role: role)))
    #expect(!rig.machine.state.isOtherAudioPlaying)
  }

  @Test func `S34, S43: a stream that cannot be heard is no other sound`() {
    var rig = playing()
    rig.send(.stream(stream("1", isCorked: true, isAudible: true)))
    rig.send(.stream(stream("2", isMuted: true, isAudible: true)))
    rig.send(.stream(stream("3", direction: .capture, isAudible: true)))
    #expect(!rig.machine.state.isOtherAudioPlaying)
    rig.send(.stream(stream("4")))
    #expect(rig.machine.state.isOtherAudioPlaying)
  }

  @Test func `names are compared in ASCII lower case, and signs as they are`() throws {
    let known = try KnownApplications(parsing: "call AaZz\ncall x@\ncall y[")
    #expect(known.has(.call, "aAzZ") && known.has(.call, "AAZZ") && known.has(.call, "aazz"))
    #expect(known.has(.call, "X@") && !known.has(.call, "x`"))
    #expect(known.has(.call, "Y[") && !known.has(.call, "y{"))
  }

  // MARK: - Which program it is

  @Test func `without a client the binary tells programs apart, before the name does`() {
    for client in [nil, ""] {
      var one = playing()
      one.send(.stream(stream("1", client: client, application: "A", binary: "b")))
      one.send(
        .stream(
          stream("2", client: client, application: "A input", binary: "b", direction: .capture)))
      one.wait(1)
      #expect(one.blockers == ["call:b"])
      var two = playing()
      two.send(.stream(stream("1", client: client, application: "A", binary: "b")))
      two.send(
        .stream(stream("2", client: client, application: "A", binary: "c", direction: .capture)))
      two.wait(1)
      #expect(two.blockers.isEmpty)
    }
  }

  @Test func `a stream that goes over to another program takes its half along`() {
    var rig = calling()
    rig.send(.stream(stream("1", client: "other")))
    #expect(rig.machine.nextDeadline == .seconds(2.5))
    rig.wait(2)
    #expect(rig.blockers.isEmpty && rig.isAudible)
  }

  @Test func `who calls is named by the best name that its streams have`() {
    var rig = playing()
    rig.send(.stream(stream("0", client: "other", application: "Skype")))
    rig.send(.stream(stream("1")))
    rig.send(.stream(stream("2", application: "helper")))
    rig.send(.stream(stream("3", application: "ZOOM VoiceEngine", direction: .capture)))
    rig.wait(0.5)
    #expect(rig.machine.state.blockers.map(\.source) == ["ZOOM VoiceEngine"])

    var unknown = playing()
    unknown.send(.stream(stream("0", client: "other", application: "Skype")))
    unknown.send(.stream(stream("1")))
    unknown.send(.stream(stream("2", application: "helper", direction: .capture)))
    unknown.wait(0.5)
    #expect(unknown.machine.state.blockers.map(\.source) == ["helper"])

    var nameless = playing()
    nameless.send(.stream(stream("1", binary: "telegram-desktop")))
    nameless.send(.stream(stream("2", application: "helper", direction: .capture)))
    nameless.wait(0.5)
    #expect(nameless.machine.state.blockers.map(\.source) == ["helper"])
  }

  // MARK: - Seen again

  @Test func `D6: what is seen again, or reconciled, stays as the user left it`() {
    var rig = playing()
    rig.send(.stream(stream("1", role: "phone")))
    rig.send(.force(.key))
    rig.send(.stream(stream("1", application: "renamed", role: "phone")))
    #expect(rig.isAudible)
    let snapshot = SystemSnapshot(streams: [
      stream("1", application: "renamed", role: "phone"), stream("9", client: "x"),
    ])
    rig.send(.reconcile(snapshot))
    #expect(rig.isAudible && rig.count(\.isCork) == 1)
  }

  @Test func `D6: of what a snapshot names twice only the last is seen, and all else is`() {
    var rig = Rig(tracks: [nil])
    rig.send(.peer(player(client: nil)))
    rig.play()
    rig.send(.peer(player("1.1", .paused, client: nil)))
    let snapshot = SystemSnapshot(
      streams: [stream("1", role: "event"), stream("1", role: "event", isCorked: true)],
      peers: [player(client: nil), player("1.1", .paused, client: nil)])
    rig.send(.reconcile(snapshot))
    #expect(rig.display == .playing && rig.machine.nextDeadline == nil)
    #expect(rig.send(.deactivate(notifyOthers: true)).actions.contains(.playPeer(id: "1.1")))
    rig.play()
    rig.send(.reconcile(SystemSnapshot(peers: [player("1.2"), player("1.3")])))
    rig.wait(1)
    #expect(rig.blockers == ["mpris:1.2", "mpris:1.3"])
  }

  @Test func `over spoken content a prompt that is seen again stays as the user left it`() {
    var rig = Rig(.languageLesson)
    rig.play()
    rig.send(.stream(stream("1", role: "event")))
    rig.play()
    rig.send(.stream(stream("1", application: "renamed", role: "event")))
    #expect(rig.isAudible)
  }

  @Test func `an alarm that turns out to be a tone is a tone`() {
    var rig = playing()
    rig.send(.stream(stream("1", role: "alarm")))
    rig.send(.stream(stream("1", role: "event")))
    #expect(rig.display == .ducked)
  }

  @Test func `P22: what is seen again meanwhile does not count the half second anew`() {
    var rig = playing()
    rig.send(.stream(stream("1")))
    rig.send(.stream(stream("2", direction: .capture)))
    rig.wait(0.3)
    rig.send(.stream(stream("2", application: "renamed", direction: .capture)))
    rig.wait(0.2)
    #expect(rig.blockers == ["call:web"])
  }

  @Test func `a player that is seen again meanwhile does not count its moment anew`() {
    var rig = playing()
    rig.send(.peer(player()))
    rig.wait(0.1)
    rig.send(.peer(player(name: "renamed")))
    rig.wait(0.1)
    #expect(rig.intent == .paused(.primary))
  }

  // MARK: - Programs that are gone, or left out

  @Test func `a call of a program that is gone is over at once, and others' are not`() {
    var rig = calling()
    rig.send(.stream(stream("7", client: "phone", role: "phone")))
    rig.send(.clientGone("web"))
    #expect(rig.blockers == ["sinkinput:7"])
    #expect(rig.machine.nextDeadline == nil)
    rig.send(.peer(player("1.2", client: "vlc")))
    rig.send(.clientGone("phone"))
    #expect(rig.blockers.isEmpty && rig.isAudible)
    rig.wait(1)
    #expect(rig.blockers == ["mpris:1.2"])
  }

  @Test func `T2: a player that is left out ends, and no other one does`() {
    var rig = playing()
    rig.send(.peer(player("1.1", name: "vlc")))
    rig.send(.peer(player("1.2", name: "mpv")))
    rig.wait(1)
    #expect(rig.send(.ignore("VLC")).remark == .ignored("vlc"))
    #expect(rig.blockers == ["mpris:1.2"])
    #expect(rig.send(.ignore("vlc")).remark == nil)
    #expect(rig.machine.state.isOtherAudioPlaying)
    #expect(rig.machine.state.secondaryAudioShouldBeSilencedHint)
    rig.send(.peer(player("1.2", name: "mpv", .paused)))
    #expect(!rig.machine.state.isOtherAudioPlaying)
    #expect(!rig.machine.state.secondaryAudioShouldBeSilencedHint)
  }

  @Test func `T2: a program can be left out by its binary, in its last two seconds too`() {
    var rig = playing()
    rig.send(.stream(stream("1", binary: "engine")))
    rig.send(.stream(stream("2", binary: "engine", direction: .capture)))
    rig.wait(1)
    rig.send(.streamGone(id: "2"))
    rig.send(.ignore("Engine"))
    #expect(rig.isAudible && rig.machine.nextDeadline == nil)
  }

  @Test func `T2: a call is over at once, whichever of its names is left out last`() {
    var rig = playing()
    rig.send(.ignore("b"))
    rig.send(.stream(stream("1", application: "a")))
    rig.send(.stream(stream("2", application: "c", direction: .capture)))
    rig.send(.stream(stream("3", application: "b")))
    rig.wait(1)
    #expect(rig.blockers == ["call:web"])
    rig.send(.ignore("a"))
    #expect(rig.blockers.isEmpty && rig.isAudible)
  }

  // MARK: - Players that are calls

  @Test func `D4.9: what began between a player and its call changes nothing`() {
    var rig = playing()
    rig.send(.peer(player()))
    rig.wait(0.2)
    rig.begin("d", .duck)
    rig.send(.stream(stream("1", role: "phone")))
    #expect(rig.intent == .playing && rig.blockers == ["d", "sinkinput:1"])
  }

  @Test func `D4.9: a call claims its own player, for five seconds, and no other`() {
    for (client, wait, isClaimed) in [("web", 4.9, true), ("web", 5, true), ("vlc", 1, false)] {
      var rig = playing()
      rig.send(.peer(player(client: client)))
      rig.wait(0.2)
      rig.wait(wait)
      rig.send(.stream(stream("1", role: "phone")))
      #expect(rig.intent == (isClaimed ? .playing : .paused(.primary)), "\(client) \(wait)")
      #expect(rig.blockers == (isClaimed ? [] : ["mpris:1.1"]) + ["sinkinput:1"])
    }
  }

  @Test
  func `D4.9: neither another call nor a player that was set aside keeps what a call gives back`() {
    var rig = playing()
    rig.pause()
    rig.send(.peer(player("1.2", canPause: false, client: "mpv")))
    rig.wait(1)
    rig.play()
    rig.send(.peer(player()))
    rig.wait(0.2)
    #expect(rig.intent == .paused(.primary))
    rig.begin("c", .call)
    rig.send(.stream(stream("1", role: "phone")))
    #expect(rig.intent == .playing && rig.blockers == ["mpris:1.2", "c", "sinkinput:1"])
  }

  @Test func `D4.9: what paused and is gone is claimed by its own call only, and not later`() {
    for (client, wait, expected) in [
      ("web", 1.0, Intent.playing), ("vlc", 1, .paused(.primary)), ("web", 9, .paused(.primary)),
    ] {
      var rig = playing()
      rig.send(.peer(player(client: client)))
      rig.wait(0.2)
      rig.send(.peerGone(id: "1.1"))
      rig.wait(wait)
      rig.send(.stream(stream("1", role: "phone")))
      #expect(rig.intent == expected, "\(client) \(wait)")
    }
  }

  @Test func `D4.9: a player that has played for long is not part of the call`() {
    var rig = playing()
    rig.send(.peer(player()))
    rig.wait(10)
    rig.send(.stream(stream("1", role: "phone")))
    #expect(rig.blockers == ["mpris:1.1", "sinkinput:1"])
  }

  @Test func `D4.9: a tone of the same program claims nothing`() {
    var rig = playing()
    rig.send(.peer(player()))
    rig.wait(0.2)
    rig.send(.stream(stream("1", role: "event")))
    #expect(rig.intent == .paused(.primary) && rig.blockers == ["mpris:1.1", "sinkinput:1"])
  }

  @Test func `D4.9: what is not yet sure to be a player is not, once its program calls`() {
    var rig = playing()
    rig.send(.peer(player()))
    rig.send(.stream(stream("5", role: "music")))
    rig.send(.peer(player("1.2", client: "vlc")))
    rig.wait(0.1)
    rig.send(.stream(stream("6", client: "mpd", role: "music")))
    rig.send(.stream(stream("1", role: "phone")))
    rig.send(.streamGone(id: "1"))
    rig.wait(1)
    #expect(rig.blockers == ["mpris:1.2", "sinkinput:6"])
  }

  @Test func `D4.9: what plays in a program that calls is part of the call until it changes`() {
    var rig = playing()
    rig.send(.stream(stream("1", role: "phone")))
    rig.send(.peer(player()))
    rig.send(.stream(stream("5", role: "music")))
    #expect(rig.machine.nextDeadline == nil)
    rig.send(.streamGone(id: "1"))
    rig.send(.reconcile(SystemSnapshot(streams: [stream("5", role: "music")], peers: [player()])))
    rig.wait(1)
    #expect(rig.blockers.isEmpty && rig.isAudible)
  }

  @Test func `D4.9: a player whose program is told late is part of its call`() {
    var rig = playing()
    rig.send(.stream(stream("1", role: "phone")))
    rig.send(.peer(player(client: nil)))
    rig.send(.peer(player()))
    rig.wait(1)
    #expect(rig.blockers == ["sinkinput:1"])
  }

  // MARK: - Players that we pause

  @Test func `S41, T2: who is left out, or stands for others, is not paused`() {
    var rig = Rig()
    rig.send(.ignore("vlc"))
    rig.send(.peer(player("1.1", name: "vlc")))
    rig.send(.peer(player("1.2", name: "playerctld")))
    rig.send(.peer(player("1.3", name: "mpv")))
    #expect(rig.play().actions.filter(\.isPeerCall) == [.pausePeer(id: "1.3")])
  }

  @Test
  func `S57: who paused for us and did nothing since is told once, whatever else is seen of it`() {
    var rig = Rig()
    rig.send(.peer(player(client: "vlc")))
    rig.play()
    rig.send(.peer(player("1.1", name: "vlc", .paused, client: "vlc")))
    rig.send(.peer(player("1.1", name: "vlc", .paused, canPause: false, client: "vlc")))
    rig.send(
      .reconcile(
        SystemSnapshot(peers: [player("1.1", name: "vlc", .paused, canPause: false, client: "vlc")])
      ))
    rig.pause()
    #expect(rig.send(.deactivate(notifyOthers: true)).actions.contains(.playPeer(id: "1.1")))
    #expect(rig.send(.deactivate(notifyOthers: true)).actions.isEmpty)
  }

  @Test func `S57: who is seen again before it has paused is told to play all the same`() {
    var rig = Rig()
    rig.send(.peer(player(client: "vlc")))
    rig.play()
    rig.send(.peer(player(canPause: false, client: "vlc")))
    rig.send(.peer(player("1.1", .paused, client: "vlc")))
    #expect(rig.send(.deactivate(notifyOthers: true)).actions.contains(.playPeer(id: "1.1")))
  }

  @Test func `S57: who stopped instead of pausing is told nothing`() {
    var rig = Rig()
    rig.send(.peer(player(client: "vlc")))
    rig.play()
    rig.send(.peer(player("1.1", name: "vlc", .stopped, client: "vlc")))
    let step = rig.send(.deactivate(notifyOthers: true))
    #expect(!step.actions.contains(.playPeer(id: "1.1")))
  }

  @Test func `who was set aside before it was sure is set aside when it is`() {
    var rig = playing()
    rig.pause()
    rig.send(.peer(player(canPause: false)))
    rig.play()
    rig.wait(1)
    #expect(rig.isAudible)
    let blocker = rig.machine.state.blockers[0]
    #expect(blocker.id == "mpris:1.1" && blocker.isOverridden && blocker.userPlayedSince)
  }
}
