import Testing

@testable import AudioEngine

@Suite struct MuteStepsTests {
  @Test func `A mute falls to silence, then tells the device`() {
    var mute = MuteSteps()
    #expect(mute.wish(true, deviceIsMuted: false) == .fall)
    #expect(mute.silenceHeard() == .tell(muted: true))
    #expect(mute.deviceReported(true) == .none)
    #expect(mute.state == .muted)
  }

  @Test func `An unmute tells the device, and rises when it has answered`() {
    var mute = MuteSteps()
    _ = (mute.wish(true, deviceIsMuted: false), mute.silenceHeard(), mute.deviceReported(true))
    #expect(mute.wish(false, deviceIsMuted: true) == .tell(muted: false))
    // Its volume was changed meanwhile: the answer to that is from before.
    #expect(mute.deviceReported(true) == .none)
    #expect(mute.isSilenced)
    #expect(mute.deviceReported(false) == .rise)
    #expect(!mute.isSilenced)
  }

  @Test func `Another program's unmute brings the sound back`() {
    var mute = MuteSteps()
    _ = (mute.wish(true, deviceIsMuted: false), mute.silenceHeard(), mute.deviceReported(true))
    #expect(mute.deviceReported(false) == .rise)
    #expect(mute.state == .open)
  }

  @Test func `What another program muted is silenced first when it is unmuted here`() {
    var mute = MuteSteps()
    #expect(mute.deviceReported(true) == .none)
    #expect(mute.wish(false, deviceIsMuted: true) == .fall)
    #expect(mute.silenceHeard() == .tell(muted: false))
    #expect(mute.deviceReported(false) == .rise)
  }

  @Test func `A device that does not answer counts as what it is`() {
    for (wish, isMuted) in [(true, false), (true, true), (false, false), (false, true)] {
      var mute = MuteSteps()
      _ = (mute.wish(wish, deviceIsMuted: !wish), mute.silenceHeard())
      #expect(mute.deviceUnanswered(isMuted) == (isMuted ? .none : .rise))
      #expect(mute.isSilenced == isMuted)
    }
  }

  @Test func `The last wish wins at every step`() {
    var mute = MuteSteps()
    #expect(mute.wish(true, deviceIsMuted: false) == .fall)
    #expect(mute.wish(true, deviceIsMuted: false) == .none)
    #expect(mute.wish(false, deviceIsMuted: false) == .rise)
    #expect(mute.silenceHeard() == .none)
    #expect(mute.wish(true, deviceIsMuted: false) == .fall)
    #expect(mute.silenceHeard() == .tell(muted: true))
    #expect(mute.wish(false, deviceIsMuted: false) == .tell(muted: false))
    #expect(mute.wish(true, deviceIsMuted: false) == .tell(muted: true))
    // Both earlier answers come now.
    #expect(mute.deviceReported(true) == .none)
    #expect(mute.state == .muted)
    #expect(mute.wish(true, deviceIsMuted: true) == .none)
  }

  @Test func `A wish that is already so changes nothing`() {
    var mute = MuteSteps()
    #expect(mute.wish(false, deviceIsMuted: false) == .none)
    #expect(mute.wish(true, deviceIsMuted: true) == .none)
    #expect(mute == MuteSteps())
  }

  /// Whatever happens in whatever order: once the device has said what it is and no answer is
  /// missing, sotto is silent only below a device that is muted.
  @Test func `No order of events leaves silence below a device that is not muted`() {
    var seen = Set<String>()
    func explore(_ mute: MuteSteps, device: Bool, depth: Int) {
      guard depth > 0, seen.insert("\(mute.state) \(device) \(depth)").inserted else { return }
      for event in 0..<6 {
        var mute = mute
        var device = device
        var action = MuteSteps.Action.none
        switch event {
        case 0: action = mute.wish(true, deviceIsMuted: device)
        case 1: action = mute.wish(false, deviceIsMuted: device)
        case 2: action = mute.silenceHeard()
        case 3: action = mute.deviceUnanswered(device)
        default:
          // Another program.
          device = event == 4
          action = mute.deviceReported(device)
        }
        if case .tell(let muted) = action {
          explore(mute, device: device, depth: depth - 1)  // the answer is late, or never comes
          device = muted
          _ = mute.deviceReported(device)
        }
        if mute.wanted == nil && !device { #expect(!mute.isSilenced) }
        explore(mute, device: device, depth: depth - 1)
      }
    }
    explore(MuteSteps(), device: false, depth: 8)
    #expect(seen.count > 20)
  }
}
