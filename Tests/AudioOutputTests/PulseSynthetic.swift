import AudioOutput
import CRealtime
import Foundation
import OutputInterface
import Synchronization
import TestSupport

/// A renderer that plays PositionSignal, unless it is given another signal, and keeps a record of
/// what the output asked of it. It behaves as the engine does: a command takes effect at the frame of a turn, a pause fades within
/// 10 ms and holds, a source may run short or end.
final class SyntheticRenderer: @unchecked Sendable {
  enum Command {
    case play, pause
    case seek(Int64)
  }

  struct Turn {
    var frame: Int64
    var again: Bool
    var rewrite: Bool
  }

  /// From `frame` on the source plays from `position`; after `fade` frames it is silent.
  private struct Plan {
    var frame: Int64 = 0
    var position: Int64 = 0
    var sounding = false
    var fadeEnd: Int64?

    func position(at frame: Int64) -> Int64 { position + frame - self.frame }
  }

  private struct State {
    var plan = Plan()
    var previous = Plan()
    var commands: [Command] = []
    var taken: [Command] = []
    var available = Int64.max
    var length = Int64.max
    var turns: [Turn] = []
    var heard: Int64 = 0
    var heardWentBack = false
    var holes = 0
    var events: UInt32 = 0
    var allEvents: [UInt32] = []
  }

  let fade: Int64 = 480
  /// Silence before the source when it starts or goes on. PulseAudio's null sink hands its monitor
  /// up to 5 ms of silence that it then takes back from its own buffer when a stream uncorks: the
  /// recording would lack what the device has played.
  let lead: Int64 = 960
  private let condition = NSCondition()
  private var state = State()
  private let signal: @Sendable (Int64) -> (left: Float, right: Float)

  init(_ signal: @escaping @Sendable (Int64) -> (left: Float, right: Float) = PositionSignal.frame)
  {
    self.signal = signal
  }

  var renderer: sotto_renderer {
    sotto_renderer(
      context: Unmanaged.passUnretained(self).toOpaque(), turn: syntheticTurn,
      render: syntheticRender, heard: syntheticHeard, event: syntheticEvent)
  }

  private func locked<Result>(_ body: (inout State) -> Result) -> Result {
    condition.lock()
    defer { condition.unlock() }
    return body(&state)
  }

  // The test's side.

  func command(_ command: Command) { locked { $0.commands.append(command) } }
  /// The decoder has come so far.
  func setAvailable(_ position: Int64) { locked { $0.available = position } }
  /// The track ends here.
  func setLength(_ position: Int64) { locked { $0.length = position } }
  var turns: [Turn] { locked { $0.turns } }
  var heardWentBack: Bool { locked { $0.heardWentBack } }
  var allEvents: [UInt32] { locked { $0.allEvents } }
  func count(of event: Int) -> Int { locked { $0.allEvents.count { $0 & UInt32(event) != 0 } } }
  /// The source's position at a frame of the stream.
  func position(at frame: Int64) -> Int64 { locked { $0.plan.position(at: frame) } }

  /// Waits until an event of the mask came since it was last waited for, at most 20 s.
  func wait(for event: Int) -> Bool {
    let limit = Date().addingTimeInterval(120)
    condition.lock()
    defer { condition.unlock() }
    while state.events & UInt32(event) == 0 {
      if !condition.wait(until: limit) { return false }
    }
    state.events &= ~UInt32(event)
    return true
  }

  // The device's side.

  func turn(_ frame: Int64, again: Bool) -> sotto_turn {
    locked { state in
      if again { state.plan = state.previous } else { state.taken = state.commands }
      if !again { state.commands = [] }
      if !state.taken.isEmpty, !again { state.previous = state.plan }
      let rewrite = !state.taken.isEmpty
      for command in state.taken {
        let position = state.plan.position(at: min(frame, state.plan.fadeEnd ?? frame))
        switch command {
        case .play:
          state.plan = Plan(
            frame: frame + lead,
            position: state.plan.sounding || state.plan.fadeEnd != nil
              ? position : state.plan.position, sounding: true, fadeEnd: nil)
        case .pause:
          state.plan.fadeEnd = frame + fade
        case .seek(let target):
          state.plan = Plan(frame: frame, position: target, sounding: true, fadeEnd: nil)
        }
      }
      state.turns.append(Turn(frame: frame, again: again, rewrite: rewrite))
      return sotto_turn(
        rewrite: rewrite, sounding: state.plan.sounding, hold_at: state.plan.fadeEnd ?? -1)
    }
  }

  func render(_ frame: Int64, _ out: UnsafeMutablePointer<Float>, _ frames: Int64) -> sotto_rendered
  {
    locked { state in
      let plan = state.plan
      for offset in 0..<Int(frames) {
        let at = frame + Int64(offset)
        let position = plan.position(at: at)
        var (left, right): (Float, Float) = (0, 0)
        if plan.sounding, at < plan.fadeEnd ?? Int64.max {
          if position < plan.position {
            out[2 * offset] = 0
            out[2 * offset + 1] = 0
            continue
          }
          if position >= state.length {
            return sotto_rendered(frames: Int64(offset), finished: true)
          }
          if position >= state.available {
            return sotto_rendered(frames: Int64(offset), finished: false)
          }
          (left, right) = signal(position)
          if let end = plan.fadeEnd {
            // A plain frame's right sample is above zero: no faded one is taken for it, whatever
            // the device rounds to.
            let gain = Float(end - at) / Float(fade)
            (left, right) = (left * gain, -right * gain)
          }
        }
        out[2 * offset] = left
        out[2 * offset + 1] = right
      }
      return sotto_rendered(frames: frames, finished: false)
    }
  }

  func heard(_ frame: Int64) {
    locked { state in
      if frame < state.heard { state.heardWentBack = true }
      state.heard = frame
    }
  }

  func event(_ events: UInt32) {
    locked { state in
      state.events |= events
      state.allEvents.append(events)
      condition.broadcast()
    }
  }
}

private func renderer(_ context: UnsafeMutableRawPointer?) -> SyntheticRenderer {
  Unmanaged<SyntheticRenderer>.fromOpaque(context!).takeUnretainedValue()
}

private func syntheticTurn(_ context: UnsafeMutableRawPointer?, _ frame: Int64, _ again: Bool)
  -> sotto_turn
{ renderer(context).turn(frame, again: again) }

private func syntheticRender(
  _ context: UnsafeMutableRawPointer?, _ frame: Int64, _ out: UnsafeMutablePointer<Float>?,
  _ frames: Int64
) -> sotto_rendered { renderer(context).render(frame, out!, frames) }

private func syntheticHeard(_ context: UnsafeMutableRawPointer?, _ frame: Int64) {
  renderer(context).heard(frame)
}

private func syntheticEvent(_ context: UnsafeMutableRawPointer?, _ events: UInt32) {
  renderer(context).event(events)
}
