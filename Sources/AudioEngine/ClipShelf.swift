import AudioTypes

/// The sounds that a renderer has in memory, under the numbers by which wishes and timelines name
/// them. What nobody names any more is kept for the next time, as far as there is room. The control
/// thread's own.
///
/// A number is free again when three things are known, in this order: the newest wish does not let
/// it sound, the device has taken a wish that does not, and no timeline of the device's names it.
/// After that none can name it again, so that its samples may be freed.
struct ClipShelf {
  /// More than can ever be named at once: a wish names six, a timeline twelve, and there are two.
  static let places = 32
  /// So many bytes are kept for the next time.
  static let idleBytes = 48 << 20

  private struct Held {
    var sound: LoadedSound
    /// When it was wanted last, in an order without a unit.
    var used: Int
    /// The wish by which it was let go.
    var left = 0
    /// The newest wish lets it sound.
    var isWanted = false
  }

  private var held = [Held?](repeating: nil, count: places)
  private var uses = 0

  /// Where the device is.
  struct Device {
    /// The serial of the newest wish that it has taken. Read before `named`.
    var taken: Int
    /// The numbers that its timelines name, a bit each.
    var named: UInt64
  }

  /// Bytes of all sounds in memory.
  var bytes: Int { held.reduce(0) { $0 + ($1?.sound.bytes ?? 0) } }

  /// The number of a file's sound, where that is in memory as a whole.
  mutating func find(_ location: TrackLocation) -> (number: Int, sound: LoadedSound)? {
    for case (let number, .some(let one)) in held.enumerated()
    where one.sound.location == location && !one.sound.isOnce {
      touch(number)
      return (number, one.sound)
    }
    return nil
  }

  private mutating func touch(_ number: Int) {
    uses += 1
    held[number]?.used = uses
  }

  /// Takes a sound and lets go of what has no room beside it.
  ///
  /// - Returns: its number; nil where every number is in use.
  mutating func put(_ sound: LoadedSound, _ device: Device) -> Int? {
    if let number = held.firstIndex(where: { $0?.sound === sound }) {
      touch(number)
      return number
    }
    tidy(device)
    while let oldest = oldestIdle(device),
      bytes + sound.bytes > Self.idleBytes || !held.contains(where: { $0 == nil })
    {
      held[oldest] = nil
    }
    guard let number = held.firstIndex(where: { $0 == nil }) else { return nil }
    held[number] = Held(sound: sound, used: 0)
    touch(number)
    return number
  }

  /// The newest wish lets these sound, and no others.
  mutating func follow(_ numbers: Set<Int>, wish serial: Int) {
    for number in held.indices where held[number] != nil {
      let isWanted = numbers.contains(number)
      if held[number]?.isWanted == true, !isWanted { held[number]?.left = serial }
      held[number]?.isWanted = isWanted
    }
  }

  /// True while there is a sound that is to be freed as soon as nobody names it.
  var awaitsEnd: Bool { held.contains { $0.map { $0.sound.isOnce && !$0.isWanted } ?? false } }

  /// Frees what is heard once and has been.
  mutating func tidy(_ device: Device) {
    for number in held.indices where held[number]?.sound.isOnce == true {
      // What was only just put here has still to be wished for.
      if held[number]?.left ?? 0 > 0, isIdle(number, device) { held[number] = nil }
    }
  }

  private func isIdle(_ number: Int, _ device: Device) -> Bool {
    guard let one = held[number], !one.isWanted else { return false }
    return device.taken >= one.left && device.named & (1 << UInt64(number)) == 0
  }

  private func oldestIdle(_ device: Device) -> Int? {
    held.indices.filter { isIdle($0, device) }.min { held[$0]?.used ?? 0 < held[$1]?.used ?? 0 }
  }
}
