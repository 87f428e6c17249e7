import AudioEngine
import AudioSession

/// Simulated calls: they ring, are answered, wait and end. On the control thread.
extension Neighbourhood {
  func ring() {
    guard calls.count < 2, !calls.contains(where: { $0.phase == .ringing }) else { return }
    count += 1
    let id = "call-\(count)"
    calls.append(Call(id: id, phase: .ringing, since: player.now()))
    // A ringing call interrupts already: nobody sings over a telephone.
    let event = SessionEvent.begin(id: id, kind: .call, source: "Phone")
    tellAll(event)
    onCall?()
    if !isSilent { alert("effects/ringtone.wav", name: "Incoming call", isRing: true) }
    over(id, after: Self.ringSeconds)
  }

  func answer() {
    guard let index = calls.firstIndex(where: { $0.phase == .ringing }) else { return }
    endRing()
    for other in calls.indices where calls[other].phase == .talking {
      calls[other].phase = .waiting
    }
    calls[index].phase = .talking
    calls[index].since = player.now()
    talk(calls[index].id)
  }

  /// Two voices, until the other side hangs up.
  private func talk(_ id: String) {
    let caller = sound("effects/call-caller.wav", place: 3)
    let callee = sound("effects/call-callee.wav", place: Self.answerPlace)
    over(id, after: max(caller ?? 0, callee ?? 0))
  }

  /// The call that rings; otherwise the one that lasts.
  func hangUp() {
    guard
      let call = calls.first(where: { $0.phase == .ringing })
        ?? calls.first(where: { $0.phase == .talking })
    else { return }
    hangUp(call.id)
  }

  /// Declined, ended from either side, or missed.
  func hangUp(_ id: String) {
    guard let index = calls.firstIndex(where: { $0.id == id }) else { return }
    let call = calls.remove(at: index)
    timers[id]?.cancel()
    timers[id] = nil
    switch call.phase {
    case .ringing: endRing()
    case .talking:
      engine.end(soundIn: 3)
      engine.end(soundIn: Self.answerPlace)
      // Who waited is back.
      if let waiting = calls.firstIndex(where: { $0.phase == .waiting }) {
        calls[waiting].phase = .talking
        talk(calls[waiting].id)
      }
    case .waiting: break
    }
    tellAll(.end(id: id, shouldResume: true))
  }
}
