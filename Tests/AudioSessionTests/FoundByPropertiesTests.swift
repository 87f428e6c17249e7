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
}
