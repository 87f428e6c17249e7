import AudioSession
import AudioTypes
import Testing

/// Sequences that someone found who had read the rules and not the code.
@Suite struct `Found from outside` {
  private func peer(
    _ id: String, _ status: PlaybackStatus, client: String? = nil, name: String? = nil
  ) -> SessionEvent {
    .peer(PeerObservation(id: id, name: name ?? id, status: status, client: client))
  }

  @Test func `T10, D4.7: WirePlumber's pause after the route has changed is the same removal`() {
    for isRouteKnown in [true, false] {
      var rig = Rig(route: .bluetooth)
      rig.play()
      rig.wait(5)
      rig.lose(to: isRouteKnown ? .speakers : nil, isLinkKept: true)
      rig.wait(0.1)
      rig.send(.pause(.wireplumber))
      #expect(rig.intent == .playing && rig.display == .interrupted)
      rig.begin("c", .call)
      rig.connect(.handsFree)
      rig.wait(1)
      rig.send(.pause(.wireplumber))
      #expect(rig.intent == .playing)
      rig.end("c")
      #expect(rig.isAudible && rig.position == 5)
      rig.wait(4)
      rig.send(.pause(.wireplumber))
      #expect(rig.display == .interrupted)
      rig.wait(3)
      #expect(rig.intent == .paused(.noisy))
    }
  }

  @Test func `T10: also when the other profile came in one event`() {
    var rig = Rig(route: .bluetooth)
    rig.play()
    rig.lose(to: .handsFree, isLinkKept: true)
    rig.wait(1)
    rig.send(.pause(.wireplumber))
    #expect(rig.isAudible)
  }

  @Test func `S56: a player that took over meanwhile outlasts one that was a call`() {
    var rig = Rig()
    rig.play()
    rig.send(peer("f", .playing, client: "F"))
    rig.wait(1)
    rig.send(peer("x", .playing, client: "X"))
    rig.wait(1)
    rig.send(.stream(StreamObservation(id: "1", client: "F", role: "phone")))
    rig.wait(6)
    rig.send(.streamGone(id: "1"))
    rig.send(peer("x", .stopped, client: "X"))
    #expect(rig.intent == .paused(.primary) && !rig.isAudible)
  }

  @Test func `S56: options that change later do not make another player hold or release us`() throws
  {
    var mixing = Rig(try SessionConfiguration(category: .playback, options: .mixWithOthers))
    mixing.play()
    mixing.begin("p", .primary)
    mixing.send(.configure(.musicPlayer))
    #expect(mixing.isAudible)
    var plain = Rig(try SessionConfiguration(category: .playback, hasTransportControls: false))
    plain.play()
    plain.begin("p", .primary)
    plain.send(.configure(.musicPlayer))
    #expect(plain.intent == .paused(.primary))
    plain.end("p")
    #expect(!plain.isAudible)
  }

  @Test func `D6: a Bluetooth device that comes back with the server is back`() {
    var rig = Rig(route: .bluetooth)
    rig.play()
    rig.lose(isLinkKept: true)
    rig.send(.serverLost)
    rig.wait(1)
    rig.send(.serverBack(.route(.handsFree)))
    #expect(rig.isAudible && rig.blockers.isEmpty)
    #expect(rig.wait(10).isEmpty)
  }

  @Test func `P12: a player that we paused and that is in a call now is not told to play`() {
    var rig = Rig()
    rig.send(peer("a", .playing, client: "F"))
    rig.play()
    rig.send(peer("a", .paused, client: "F"))
    rig.send(.stream(StreamObservation(id: "1", client: "F", role: "phone")))
    let step = rig.send(.deactivate(notifyOthers: true))
    #expect(!step.actions.contains(.playPeer(id: "a")))
  }

  @Test func `S12: another machine's player is no sound here`() {
    var rig = Rig()
    rig.send(peer("k", .playing, name: "org.mpris.MediaPlayer2.kdeconnect.mpris_1"))
    #expect(!rig.machine.state.isOtherAudioPlaying)
    #expect(!rig.machine.state.secondaryAudioShouldBeSilencedHint)
    #expect(rig.send(.volumeKey(.up)).actions == [.changeEventVolume(.up)])
    rig.send(peer("k", .playing, name: "vlc"))
    #expect(rig.machine.state.isOtherAudioPlaying)
    rig.send(peer("k", .playing, name: "playerctld"))
    #expect(!rig.machine.state.isOtherAudioPlaying)
  }

  @Test func `S16: more public is judged by what was heard when the server was lost`() {
    var rig = Rig(route: .headphones)
    rig.play()
    rig.send(.serverLost)
    rig.connect(.speakers)
    rig.send(.serverBack(.unchanged))
    #expect(rig.intent == .paused(.noisy))
    var unseen = Rig(route: .headphones)
    unseen.play()
    unseen.send(.serverBack(.route(.speakers)))
    #expect(unseen.intent == .paused(.noisy) && unseen.machine.state.route == .speakers)
  }

  @Test func `play says nothing new while something is heard: a later player takes over`() {
    var rig = Rig()
    rig.play()
    rig.send(peer("a", .playing))
    rig.wait(0.1)
    rig.play()
    rig.wait(0.1)
    #expect(rig.intent == .paused(.primary))
  }

  @Test func `who gave its place up does not come back by itself`() {
    var rig = Rig()
    rig.play()
    rig.send(peer("f", .playing, client: "F"))
    rig.wait(1)
    rig.send(.deactivate(notifyOthers: false))
    rig.send(.stream(StreamObservation(id: "1", client: "F", role: "phone")))
    rig.send(.streamGone(id: "1"))
    #expect(rig.intent == .paused(.primary))
  }

  @Test func `D2: stopped without a hint resumes where the device is the same`() {
    for (route, plays) in [(Route.speakers, true), (.hdmi, false)] {
      var rig = Rig()
      rig.play()
      rig.begin("x", .stopped)
      rig.choose(route)
      rig.end("x")
      #expect(rig.isAudible == plays)
    }
  }
}
