import AudioTypes
import CRealtime
import Decoding
import OutputInterface
import Realtime
import Synchronization

/// What an output calls on its device's thread: takes wishes, renders, frees history. One for each
/// open stream; it owns the rings and the cells through which the threads talk.
///
/// The control and decoder threads use `send`, `timeline` and the atomics; everything marked
/// `@_noLocks` runs on the device's thread.
@safe final class Renderer: @unchecked Sendable {
  static let slots = 4
  static let clips = ClipShelf.places

  let core: UnsafeMutablePointer<RenderCore>
  /// The control thread's own.
  private var shelf = ClipShelf()
  /// Serialises the two threads that make wishes.
  private let wishes = Mutex(MixWish())

  /// - Parameters:
  ///   - fadeFrames: length of a fade at the stream's rate.
  ///   - controlEvent: eventfd that wakes the control thread.
  ///   - decoderEvent: eventfd that wakes the decoder thread when a ring has room.
  init(controlEvent: Int32, decoderEvent: Int32) {
    unsafe core = .allocate(capacity: 1)
    unsafe core.initialize(
      to: RenderCore(controlEvent: controlEvent, decoderEvent: decoderEvent))
  }

  deinit {
    unsafe core.pointee.free()
    unsafe core.deinitialize(count: 1)
    unsafe core.deallocate()
  }

  /// Gives the rings their size once the stream's rate is known; before the first wish.
  ///
  /// - Parameter ringFrames: of each ring; `nil` is what music needs.
  func prepare(sampleRate: Int, channels: Int, fadeFrames: Int64, ringFrames: Int? = nil) {
    // Two seconds queued in the device may be asked for again, and as much again waits decoded.
    unsafe core.pointee.prepare(
      ringFrames: ringFrames ?? sampleRate * 4, channels: channels, fadeFrames: fadeFrames)
  }

  /// The face that the output gets. Valid while this object lives.
  var face: sotto_renderer {
    unsafe sotto_renderer(
      context: core, turn: renderTurn, render: renderFrames, heard: renderHeard,
      event: renderEvent)
  }

  /// A sound as a clip of this renderer, decoded at its first use. It stays while a wish or a
  /// timeline names it, and after that until its room is needed. The control thread.
  ///
  /// - Returns: the clip's number, for a wish that is sent before the next sound is asked for.
  func sound(
    _ location: TrackLocation, format: AudioFormat
  ) throws(DecodingError) -> (number: Int, sound: LoadedSound) {
    if let found = shelf.find(location) { return found }
    let sound = try LoadedSound(location, format: format)
    return (try number(of: sound), sound)
  }

  /// The same for a sound that is in memory.
  func number(of sound: LoadedSound) throws(DecodingError) -> Int {
    guard let number = shelf.put(sound, device) else {
      throw DecodingError(.tooLarge, "more than \(Self.clips) sounds are in use")
    }
    // Before the wish that names it is published, and after every timeline that named another.
    unsafe core.pointee.clips[number] = sound.clip
    return number
  }

  /// Changes what sounds beside the music in a place. The control thread.
  func send(place: Int, _ change: (inout LayerWish) -> Void) {
    var named: Set<Int> = []
    let serial = send { wish in
      change(&wish.layers[place])
      for place in 0..<wish.layers.count where wish.layers[place].isOn {
        named.insert(wish.layers[place].clip)
      }
    }
    shelf.follow(named, wish: serial)
  }

  /// Frees sounds that are heard once, where that is over. The control thread.
  ///
  /// - Returns: false while there are some that are not over yet.
  @discardableResult func freeSounds() -> Bool {
    guard shelf.awaitsEnd else { return true }
    shelf.tidy(device)
    return !shelf.awaitsEnd
  }

  /// Bytes of the sounds in memory. The control thread.
  var soundBytes: Int { shelf.bytes }

  private var device: ClipShelf.Device {
    let taken = taken
    return ClipShelf.Device(
      taken: taken, named: unsafe core.pointee.named.load(ordering: .acquiring))
  }

  func ring(_ slot: Int) -> SourceRing { unsafe core.pointee.rings[slot] }

  /// Changes the wish and publishes it; the caller then kicks the stream. Returns its serial.
  @discardableResult
  func send(_ change: (inout MixWish) -> Void) -> Int {
    wishes.withLock { wish in
      change(&wish)
      wish.serial += 1
      unsafe core.pointee.publish(wish)
      return wish.serial
    }
  }

  /// The newest wish.
  var wish: MixWish { wishes.withLock { $0 } }

  /// The timeline as of the last turn. The control thread only.
  func timeline() -> MixTimeline { unsafe core.pointee.newestTimeline() }

  /// Slots that may still be rendered from, a bit each.
  var busySlots: UInt64 { unsafe core.pointee.busy.load(ordering: .acquiring) }
  /// The serial of the newest wish taken.
  var taken: Int { unsafe core.pointee.taken.load(ordering: .acquiring) }
  /// Bits of SOTTO_EVENT since the last call. The control thread.
  func takeEvents() -> UInt32 {
    unsafe core.pointee.events.exchange(0, ordering: .acquiringAndReleasing)
  }
  /// True once after a render came back short for want of decoded frames. The decoder thread.
  func takeStarved() -> Bool {
    unsafe core.pointee.starved.exchange(false, ordering: .acquiringAndReleasing)
  }
}

// C callbacks: plain functions on the device's thread, never closures of an actor.

private func renderTurn(_ context: UnsafeMutableRawPointer?, _ frame: Int64, _ again: Bool)
  -> sotto_turn
{
  unsafe context!.assumingMemoryBound(to: RenderCore.self).pointee.turn(at: frame, again: again)
}

private func renderFrames(
  _ context: UnsafeMutableRawPointer?, _ frame: Int64, _ out: UnsafeMutablePointer<Float>?,
  _ frames: Int64
) -> sotto_rendered {
  unsafe context!.assumingMemoryBound(to: RenderCore.self).pointee
    .render(frame: frame, into: out!, frames: frames)
}

private func renderHeard(_ context: UnsafeMutableRawPointer?, _ frame: Int64) {
  unsafe context!.assumingMemoryBound(to: RenderCore.self).pointee.heard(before: frame)
}

private func renderEvent(_ context: UnsafeMutableRawPointer?, _ events: UInt32) {
  unsafe context!.assumingMemoryBound(to: RenderCore.self).pointee.event(events)
}
