import AudioSession
import AudioTypes
import Testing

/// What random histories have found, each as the shortest one.
@Suite struct `Found by random histories` {
  private func awaitingBluetooth(to: Route? = .speakers) -> Rig {
    var rig = Rig(route: .bluetooth)
    rig.play()
    rig.lose(to: to, isLinkKept: true)
    return rig
  }

  @Test func `P3, S16: a device that is waited for and loses its link too is not back`() {
    var rig = awaitingBluetooth()
    rig.lose(to: .bluetooth, from: "a2dp", isLinkKept: false)
    #expect(rig.intent == .paused(.noisy) && !rig.isAudible)
  }

  @Test func `P3, S16: that another device is gone does not bring back the one that is waited for`()
  {
    var rig = awaitingBluetooth()
    rig.lose(to: .handsFree, from: "hdmi", isLinkKept: true)
    #expect(rig.blockers == ["bt:00:11"] && !rig.isAudible)
    rig.wait(3)
    #expect(rig.intent == .paused(.noisy))
  }

  @Test func `P1: the same loss told twice while a device is waited for is one loss`() {
    var rig = awaitingBluetooth(to: nil)
    let before = rig.machine
    rig.lose(to: nil, from: "a2dp", isLinkKept: true)
    #expect(rig.machine == before)
    #expect(rig.blockers == ["bt:00:11"])
    rig.connect(.handsFree)
    #expect(rig.isAudible)
  }

  @Test func `P17, S80: two requests of the server that play sets aside are one unmute`() {
    var rig = Rig()
    rig.begin("a", .serverCork)
    rig.begin("b", .serverCork)
    rig.play()
    #expect(rig.isAudible)
    #expect(rig.count { $0 == .unmuteStream } == 1)
  }

  private func browser(_ status: PlaybackStatus) -> SessionEvent {
    .peer(PeerObservation(id: "1.1", status: status, client: "browser"))
  }

  private let browserCall = SessionEvent.stream(
    StreamObservation(id: "1", client: "browser", role: "phone"))

  @Test func `P2: what was given up does not come back when its player turns out to be a call`() {
    for notify in [false, true] {
      var rig = Rig()
      rig.play()
      rig.send(browser(.playing))
      rig.wait(0.2)
      #expect(rig.intent == .paused(.primary))
      rig.send(.deactivate(notifyOthers: notify))
      rig.send(browserCall)
      rig.send(.streamGone(id: "1"))
      #expect(rig.intent == .paused(.primary) && !rig.isAudible)
    }
  }

  @Test func `P12, S57: whom we paused and who is in a call by now is not told to play`() {
    var rig = Rig()
    rig.send(browser(.playing))
    rig.play()
    rig.send(browser(.paused))
    rig.send(browserCall)
    rig.send(.deactivate(notifyOthers: true))
    #expect(rig.count { $0 == .pausePeer(id: "1.1") } == 1)
    #expect(rig.count { $0 == .playPeer(id: "1.1") } == 0)
  }

  @Test func `P1: a snapshot that names a stream or player twice is the same the second time`() {
    var rig = Rig()
    rig.play()
    let snapshot = SystemSnapshot(
      streams: [
        StreamObservation(id: "9", role: "nonsense", isCorked: true),
        StreamObservation(id: "9", client: "mpv", role: "event"),
      ],
      peers: [
        PeerObservation(id: "1.1", status: .playing), PeerObservation(id: "1.1", status: .paused),
      ])
    rig.send(.reconcile(snapshot))
    #expect(rig.gain == -14)
    let before = rig.machine
    rig.send(.reconcile(snapshot))
    #expect(rig.machine == before)
  }

  @Test func `P8, P22: a program that was left out long ago does not shorten another's call`() {
    var rig = Rig()
    rig.play()
    rig.send(.ignore("recorder"))
    rig.send(.stream(StreamObservation(id: "1", client: "browser")))
    rig.send(.stream(StreamObservation(id: "2", client: "browser", direction: .capture)))
    rig.send(
      .stream(
        StreamObservation(
          id: "3", client: "browser", application: "Recorder", direction: .capture)))
    rig.wait(1)
    #expect(!rig.isAudible)
    rig.send(.streamGone(id: "2"))
    rig.wait(1.999)
    #expect(rig.blockers == ["call:browser"])
    rig.wait(0.001)
    #expect(rig.isAudible)
  }

  @Test func `D4.7, S15: WirePlumber's pause after the news of a profile switch ends no waiting`() {
    var rig = awaitingBluetooth(to: .hdmi)
    rig.send(.pause(.wireplumber))
    #expect(rig.intent == .playing && rig.blockers == ["bt:00:11"])
    rig.connect(.handsFree)
    #expect(rig.isAudible)
  }
}
