import Realtime
import TestSupport
import Testing

@testable import AudioEngine

/// Sources with a value at every frame, in rings that are wholly written.
private final class Sources {
  let renderer = Renderer(controlEvent: -1, decoderEvent: -1)
  static let frames: Int64 = 4096
  static let fade: Int64 = 32

  init() {
    renderer.prepare(
      sampleRate: Int(Sources.frames) / 4, channels: 2, fadeFrames: Sources.fade)
    for slot in 0..<Renderer.slots {
      let samples = (0..<Sources.frames).flatMap { [Sources.value(slot, $0), -Float($0) / 8192] }
      samples.withUnsafeBufferPointer { renderer.ring(slot).write($0) }
    }
  }

  static func value(_ slot: Int, _ frame: Int64) -> Float {
    Float((frame &* 2_654_435_761 &+ Int64(slot) * 97) & 0xFFFF) / 65536 - 0.5
  }

  func render(_ timeline: MixTimeline, _ frames: Range<Int64>) -> [Float] {
    var out = [Float](repeating: .nan, count: frames.count * 2)
    let mixer = Mixer(rings: renderer.core.pointee.rings, channels: 2)
    let rendered = out.withUnsafeMutableBufferPointer {
      mixer.render(
        timeline, frame: frames.lowerBound, into: $0.baseAddress!, frames: Int64(frames.count))
    }
    #expect(rendered.frames == Int64(frames.count))
    return out
  }
}

/// What should be heard, told without rings, timelines or pieces: every sample from the whole list
/// of wishes. Slow, and a second opinion.
private struct Model {
  struct Voice {
    var slot: Int
    var begin: Int64
    var source: Int64
    var fadeIn: Int64
    var cut: Int64?
  }
  var voices: [Voice] = []
  var levels: [(frame: Int64, from: Double, to: Double)] = []
  var held: (slot: Int, frame: Int64, after: Int64)?
  var wish = MixWish()
  let fade = Sources.fade

  func level(_ frame: Int64) -> Double {
    guard let last = levels.last(where: { $0.frame <= frame }) else { return 1 }
    let part = min(Double(frame - last.frame) / Double(fade), 1)
    return last.from + (last.to - last.from) * part
  }

  mutating func take(_ new: MixWish, at frame: Int64) {
    if new.level != wish.level {
      levels.append((frame, level(frame), Double(new.level)))
    }
    let sounding = voices.indices.last { voices[$0].cut == nil }
    if new.jump != wish.jump {
      if let sounding {
        if voices[sounding].begin >= frame {
          voices.remove(at: sounding)
        } else {
          voices[sounding].cut = frame
        }
      }
      held = new.isHeld ? (new.slot, new.sourceFrame, 0) : nil
      if !new.isHeld {
        voices.append(
          Voice(
            slot: new.slot, begin: frame, source: new.sourceFrame,
            fadeIn: new.fadesIn ? fade : 0))
      }
    } else if new.isHeld, !wish.isHeld, let sounding {
      let voice = voices[sounding]
      if voice.begin >= frame {
        held = (voice.slot, voice.source, 0)
        voices.remove(at: sounding)
      } else {
        held = (voice.slot, voice.source + frame + fade - voice.begin, 0)
        voices[sounding].cut = frame
      }
    } else if !new.isHeld, wish.isHeld, let (slot, source, _) = held {
      let after = voices.compactMap { $0.cut.map { $0 + fade } }.max() ?? 0
      voices.append(
        Voice(
          slot: slot, begin: max(frame, after), source: source, fadeIn: source == 0 ? 0 : fade))
      held = nil
    }
    wish = new
  }

  func sample(_ frame: Int64) -> Double {
    var sum = 0.0
    for voice in voices where voice.begin <= frame {
      var gain = 1.0
      if frame - voice.begin < voice.fadeIn {
        gain = Double(frame - voice.begin + 1) / Double(voice.fadeIn + 1)
      }
      if let cut = voice.cut {
        if frame >= cut + fade { continue }
        if frame >= cut { gain *= Double(cut + fade - frame) / Double(fade + 1) }
      }
      sum += Double(Sources.value(voice.slot, voice.source + frame - voice.begin)) * gain
    }
    return sum * level(frame)
  }
}

@Suite struct RewindTests {
  private func change(_ wish: inout MixWish, _ random: inout Signals.Seeded) {
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1:
      wish.jump += 1
      wish.slot = Int.random(in: 0..<Renderer.slots, using: &random)
      wish.sourceFrame = Int64.random(in: 0..<64, using: &random)
      wish.fadesIn = Bool.random(using: &random)
    case 2, 3: wish.isHeld.toggle()
    case 4: wish.level = Float.random(in: 0...1, using: &random)
    default: break
    }
    wish.serial += 1
  }

  @Test(arguments: 1...200)
  func `Any run of rewinds gives the samples of a straight render of the final timeline`(
    seed: Int
  ) {
    var random = Signals.Seeded(UInt64(seed))
    let sources = Sources()
    // The device's timeline forgets what has been heard; the other keeps all.
    var device = MixTimeline(fadeFrames: Sources.fade)
    var whole = device
    var model = Model()
    var queue = [Float](repeating: 0, count: 2 * 3000)
    var (heard, written): (Int64, Int64) = (0, 0)
    var wish = MixWish()
    wish.jump = 1
    wish.serial = 1
    for turn in 0..<12 {
      let at = turn == 0 ? 0 : Int64.random(in: heard...written, using: &random)
      device.apply(wish, at: at)
      whole.apply(wish, at: at)
      model.take(wish, at: at)
      heard = at
      device.forget(before: heard)
      // Rendered again from there, in pieces of any size.
      var from = at
      let to = min(at + Int64.random(in: 1..<250, using: &random), 2900)
      while from < to {
        let next = min(from + Int64.random(in: 1..<100, using: &random), to)
        let piece = sources.render(device, from..<next)
        queue.replaceSubrange(Int(from) * 2..<Int(next) * 2, with: piece)
        from = next
      }
      written = to
      change(&wish, &random)
    }
    let straight = sources.render(whole, 0..<written)
    let isSame = Array(queue[..<(Int(written) * 2)]) == straight
    #expect(isSame, "seed \(seed)")
    for frame in 0..<written {
      let expected = model.sample(frame)
      #expect(
        abs(Double(straight[Int(frame) * 2]) - expected) < 1e-5, "seed \(seed) frame \(frame)")
    }
  }

  @Test func `Holding and releasing loses no frame and repeats none`() {
    let sources = Sources()
    var timeline = MixTimeline(fadeFrames: Sources.fade)
    var wish = MixWish()
    wish.jump = 1
    timeline.apply(wish, at: 0)
    wish.isHeld = true
    timeline.apply(wish, at: 500)
    #expect(timeline.holdAt == 532)
    #expect(timeline.heard(at: 516).sourceFrame == 516)
    #expect(timeline.heard(at: 9999).sourceFrame == 532)
    wish.isHeld = false
    timeline.apply(wish, at: 700)
    #expect(timeline.holdAt == -1)
    let out = sources.render(timeline, 0..<1000)
    // The second channel counts source frames: each appears once, in order.
    let played = stride(from: 1, to: 2000, by: 2).map { out[$0] }
    for frame in 0..<500 { #expect(played[frame] == -Float(frame) / 8192) }
    for frame in 532..<700 { #expect(played[frame] == 0) }
    for frame in 732..<1000 { #expect(played[frame] == -Float(frame - 168) / 8192) }
    for frame in 500..<532 { #expect(played[frame] < 0 && played[frame] > -Float(frame) / 8192) }
    for frame in 701..<732 {
      #expect(played[frame] < 0 && played[frame] > -Float(frame - 168) / 8192)
    }
  }

  @Test func `Released before the fade has ended, the music goes on after it, not over it`() {
    var timeline = MixTimeline(fadeFrames: 32)
    var wish = MixWish()
    wish.jump = 1
    timeline.apply(wish, at: 0)
    wish.isHeld = true
    timeline.apply(wish, at: 100)
    wish.isHeld = false
    timeline.apply(wish, at: 110)
    #expect(timeline.segment(timeline.open).begin == 132)
    #expect(timeline.segment(timeline.open).sourceBegin == 132)
  }

  @Test func `No fade is steeper than its length, whatever interrupts it`() {
    let sources = Sources()
    // A constant source shows the gain itself.
    sources.renderer.ring(0).reset()
    let ones = [Float](repeating: 1, count: Int(Sources.frames) * 2)
    ones.withUnsafeBufferPointer { sources.renderer.ring(0).write($0) }
    var random = Signals.Seeded(11)
    for _ in 0..<100 {
      var timeline = MixTimeline(fadeFrames: Sources.fade)
      var wish = MixWish()
      wish.jump = 1
      timeline.apply(wish, at: 0)
      var at: Int64 = 100
      for _ in 0..<5 {
        wish.isHeld.toggle()
        timeline.apply(wish, at: at)
        at += Int64.random(in: 0..<50, using: &random)
      }
      let out = sources.render(timeline, 0..<600)
      for frame in 1..<600 {
        #expect(abs(out[frame * 2] - out[frame * 2 - 2]) <= 2.1 / Float(Sources.fade))
      }
    }
  }

  @Test func `A source that is behind ends the render short, and one that is over finishes it`() {
    let renderer = Renderer(controlEvent: -1, decoderEvent: -1)
    renderer.prepare(sampleRate: 1000, channels: 2, fadeFrames: 10)
    renderer.send { $0.jump = 1 }
    let core = renderer.core
    #expect(core.pointee.turn(at: 0, again: false).rewrite)
    var out = [Float](repeating: 0, count: 400)
    let samples = [Float](repeating: 0.25, count: 200)
    samples.withUnsafeBufferPointer { renderer.ring(0).write($0) }
    var rendered = core.pointee.render(frame: 0, into: &out, frames: 150)
    #expect(rendered.frames == 100 && !rendered.finished)
    #expect(renderer.takeStarved())
    renderer.ring(0).finish()
    rendered = core.pointee.render(frame: 100, into: &out, frames: 150)
    #expect(rendered.frames == 0 && rendered.finished)
    rendered = core.pointee.render(frame: 50, into: &out, frames: 50)
    #expect(rendered.frames == 50 && rendered.finished)
  }

  @Test func `A turn that came too late is taken again from where it was`() {
    let renderer = Renderer(controlEvent: -1, decoderEvent: -1)
    renderer.prepare(sampleRate: 1000, channels: 2, fadeFrames: 10)
    let core = renderer.core
    renderer.send { $0.jump = 1 }
    _ = core.pointee.turn(at: 0, again: false)
    renderer.send { $0.isHeld = true }
    #expect(core.pointee.turn(at: 100, again: false).hold_at == 110)
    let turn = core.pointee.turn(at: 130, again: true)
    #expect(turn.rewrite && turn.hold_at == 140)
    #expect(!core.pointee.turn(at: 150, again: false).rewrite)
  }
}
