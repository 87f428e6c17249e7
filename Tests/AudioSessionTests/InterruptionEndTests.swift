import AudioSession
import Testing

/// The truth table for the end of an interruption (A8), a row a test.
@Suite struct `A8: after an interruption` {
  /// Plays or not, is interrupted, something happens, and the interruption ends.
  private func after(
    controls: Bool, _ kind: BlockerKind, resume: Bool?, wasPlaying: Bool,
    during: (inout Rig) -> Void = { _ in }
  ) throws -> Rig {
    var rig = Rig(
      try SessionConfiguration(category: .playback, hasTransportControls: controls))
    if wasPlaying {
      rig.play()
    } else {
      rig.play()
      rig.pause()
    }
    rig.wait(10)
    rig.begin("x", kind)
    #expect(!rig.isAudible)
    rig.wait(5)
    during(&rig)
    rig.end("x", resume: resume)
    return rig
  }

  @Test(arguments: [BlockerKind.call, .solo, .serverCork])
  func `row 1: a player that was playing plays on when the hint says so`(kind: BlockerKind) throws {
    let rig = try after(controls: true, kind, resume: true, wasPlaying: true)
    #expect(rig.intent == .playing && rig.isAudible)
    #expect(rig.position == 10)
  }

  @Test(arguments: [BlockerKind.call, .solo, .serverCork])
  func `row 2: a player that was paused or stopped stays so`(kind: BlockerKind) throws {
    let paused = try after(controls: true, kind, resume: true, wasPlaying: false)
    #expect(paused.intent == .paused(.user) && !paused.isAudible)
    var stopped = Rig()
    stopped.begin("x", kind)
    stopped.end("x", resume: true)
    #expect(stopped.intent == .stopped && !stopped.isAudible)
  }

  @Test func `row 3: another player is for good`() throws {
    for hint in [nil, false, true] {
      let rig = try after(controls: true, .primary, resume: hint, wasPlaying: true)
      #expect(rig.intent == .paused(.primary) && !rig.isAudible)
    }
  }

  @Test func `row 4: another player changes nothing for one that was not playing`() throws {
    let rig = try after(controls: true, .primary, resume: false, wasPlaying: false)
    #expect(rig.intent == .paused(.user))
  }

  @Test(arguments: [BlockerKind.call, .solo, .serverCork, .primary], [nil, true, false])
  func `row 5: without controls it plays on, hint or no hint`(
    kind: BlockerKind, hint: Bool?
  ) throws {
    let rig = try after(controls: false, kind, resume: hint, wasPlaying: true)
    #expect(rig.intent == .playing && rig.isAudible)
  }

  @Test(arguments: [BlockerKind.call, .solo, .serverCork, .primary], [nil, true, false])
  func `row 6: without controls, what did not play does not begin`(
    kind: BlockerKind, hint: Bool?
  ) throws {
    let rig = try after(controls: false, kind, resume: hint, wasPlaying: false)
    #expect(rig.intent == .paused(.user) && !rig.isAudible)
  }

  @Test func `row 7: paused by the user meanwhile stays paused`() throws {
    let rig = try after(controls: true, .call, resume: true, wasPlaying: true) { $0.pause() }
    #expect(rig.intent == .paused(.user) && !rig.isAudible)
  }

  @Test func `row 8: asked for meanwhile, it begins afterwards`() throws {
    let rig = try after(controls: true, .call, resume: true, wasPlaying: false) { $0.play() }
    #expect(rig.isAudible)
  }

  @Test(arguments: [BlockerKind.call, .solo, .serverCork])
  func `row 9: without the hint it stays paused`(kind: BlockerKind) throws {
    let rig = try after(controls: true, kind, resume: false, wasPlaying: true)
    #expect(rig.intent == .paused(.denied) && !rig.isAudible)
  }

  @Test func `row 10: the user's wish outranks the hint`() throws {
    let rig = try after(controls: true, .call, resume: false, wasPlaying: true) { rig in
      rig.play()
      #expect(!rig.isAudible)
    }
    #expect(rig.isAudible)
  }

  @Test func `row 10: a wish that was taken back does not`() throws {
    let rig = try after(controls: true, .call, resume: true, wasPlaying: true) { rig in
      rig.play()
      rig.pause()
    }
    #expect(rig.intent == .paused(.user))
  }

  @Test func `row 11: a device that was lost meanwhile outranks the hint`() throws {
    for hint in [true, nil] {
      let rig = try after(controls: true, .call, resume: hint, wasPlaying: true) { $0.lose() }
      #expect(rig.intent == .paused(.noisy) && !rig.isAudible)
    }
  }

  @Test func `row 12: stopped meanwhile stays stopped`() throws {
    let rig = try after(controls: true, .call, resume: true, wasPlaying: true) {
      $0.send(.stop(.key))
    }
    #expect(rig.intent == .stopped && rig.position == 0)
  }
}
