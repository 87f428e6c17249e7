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
    clip = .allocate(capacity: Int(Sources.clipFrames) * 2)
    for frame in 0..<Sources.clipFrames {
      clip[Int(frame) * 2] = Sources.value(9, frame) / 4
      clip[Int(frame) * 2 + 1] = 0
    }
    renderer.core.pointee.clips[3] = Clip(
      samples: UnsafePointer(clip), frames: Sources.clipFrames)
    renderer.prepare(
      sampleRate: Int(Sources.frames) / 4, channels: 2, fadeFrames: Sources.fade)
    for slot in 0..<Renderer.slots {
      let samples = (0..<Sources.frames).flatMap { [Sources.value(slot, $0), -Float($0) / 8192] }
      samples.withUnsafeBufferPointer { renderer.ring(slot).write($0) }
    }
  }

  /// A clip's samples, as a source that no ring holds.
  static let clipFrames: Int64 = 150
  private let clip: UnsafeMutablePointer<Float>

  deinit { clip.deallocate() }

  static func value(_ slot: Int, _ frame: Int64) -> Float {
    (Float((frame &* 2_654_435_761 &+ Int64(slot) * 97) & 0xFFFF) / 65536 - 0.5) / 4
  }

  func render(_ timeline: MixTimeline, _ frames: Range<Int64>) -> [Float] {
    var out = [Float](repeating: .nan, count: frames.count * 2)
    let mixer = Mixer(
      rings: renderer.core.pointee.rings, clips: renderer.core.pointee.clips, channels: 2)
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
    var cutLength: Int64 = 0
  }
  struct Extra {
    var wish: LayerWish
    var place: Int
    var begin: Int64
    var cut: Int64?
  }
  var extras: [Extra] = []
  var music: [(frame: Int64, from: Double, to: Double, length: Int64)] = []
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

  func music(_ frame: Int64) -> Double {
    guard let last = music.last(where: { $0.frame <= frame }) else { return 1 }
    let part = min(Double(frame - last.frame) / Double(max(last.length, 1)), 1)
    return last.from + (last.to - last.from) * part
  }

  private mutating func takeLayers(_ new: MixWish, at frame: Int64) {
    for place in 0..<6 {
      let (old, now) = (wish.layers[place], new.layers[place])
      let isNew = now.serial != old.serial
      guard isNew || old.isOn && !now.isOn else { continue }
      extras.removeAll { $0.place == place && $0.begin >= frame }
      for index in extras.indices where extras[index].place == place {
        let extra = extras[index]
        let ends =
          extra.wish.isLooping
          ? Int64.max : extra.begin + Sources.clipFrames - extra.wish.sourceBegin
        if extra.cut == nil, frame + fade < ends { extras[index].cut = frame }
      }
      if isNew, now.isOn { extras.append(Extra(wish: now, place: place, begin: frame)) }
    }
  }

  func layers(_ frame: Int64) -> Double {
    var sum = 0.0
    for extra in extras where extra.begin <= frame {
      var source = extra.wish.sourceBegin + frame - extra.begin
      if extra.wish.isLooping { source %= Sources.clipFrames }
      if source >= Sources.clipFrames { continue }
      var gain = Double(extra.wish.gain)
      if extra.wish.sourceBegin > 0, frame - extra.begin < fade {
        gain *= Double(frame - extra.begin + 1) / Double(fade + 1)
      }
      if let cut = extra.cut {
        if frame >= cut + fade { continue }
        if frame >= cut { gain *= Double(cut + fade - frame) / Double(fade + 1) }
      }
      sum += Double(Sources.value(9, source) / 4) * gain
    }
    return sum
  }

  mutating func take(_ new: MixWish, at frame: Int64) {
    takeLayers(new, at: frame)
    if new.music != wish.music {
      let length = new.musicRamp < 0 ? fade : new.musicRamp
      music.append((frame, music(frame), Double(new.music), length))
    }
    let holdFade = new.holdFade < 0 ? fade : new.holdFade
    let releaseFade = new.releaseFade < 0 ? fade : new.releaseFade
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
          voices[sounding].cutLength = fade
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
        held = (voice.slot, voice.source + frame + holdFade - voice.begin, 0)
        voices[sounding].cut = frame
        voices[sounding].cutLength = holdFade
      }
    } else if !new.isHeld, wish.isHeld, let (slot, source, _) = held {
      let after = voices.compactMap { voice in voice.cut.map { $0 + voice.cutLength } }.max() ?? 0
      voices.append(
        Voice(
          slot: slot, begin: max(frame, after), source: source,
          fadeIn: source == 0 ? 0 : releaseFade))
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
        let end = cut + voice.cutLength
        if frame >= end { continue }
        if frame >= cut { gain *= Double(end - frame) / Double(voice.cutLength + 1) }
      }
      sum += Double(Sources.value(voice.slot, voice.source + frame - voice.begin)) * gain
    }
    // The sources are so quiet that the knee is never reached.
    return (sum * music(frame) + layers(frame)) * level(frame)
  }
}

@Suite struct RewindTests {
  private func change(_ wish: inout MixWish, _ random: inout Signals.Seeded) {
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1:
      wish.jump += 1
      wish.slot = Int.random(in: 0..<Renderer.slots, using: &random)
      wish.sourceFrame = Int64.random(in: 0..<64, using: &random)
      wish.fadesIn = Bool.random(using: &random)
    case 2, 3:
      wish.isHeld.toggle()
      wish.holdFade = [-1, 0, 5, 90].randomElement(using: &random)!
      wish.releaseFade = [-1, 0, 77].randomElement(using: &random)!
    case 6:
      wish.music = Float.random(in: 0...1, using: &random)
      wish.musicRamp = [-1, 0, 10, 200].randomElement(using: &random)!
    case 7, 8:
      let place = Int.random(in: 0..<6, using: &random)
      wish.layers[place].serial += 1
      wish.layers[place].clip = 3
      wish.layers[place].frames = Sources.clipFrames
      wish.layers[place].sourceBegin = [0, 0, 40].randomElement(using: &random)!
      wish.layers[place].isLooping = Bool.random(using: &random)
      wish.layers[place].gain = Float.random(in: 0...1, using: &random)
      wish.layers[place].isOn = true
    case 9: wish.layers[Int.random(in: 0..<6, using: &random)].isOn = false
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
      let difference = abs(Double(straight[Int(frame) * 2]) - expected)
      #expect(difference < 1e-5, "seed \(seed) frame \(frame)")
      if difference >= 1e-5 { return }
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
