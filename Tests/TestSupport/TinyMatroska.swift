/// A Matroska file of raw 16-bit sound in one channel, written by hand, so that its header and its
/// blocks may say what no encoder would.
public enum TinyMatroska {
  /// Frames in each block.
  public static let blockFrames = 8

  /// - Parameters:
  ///   - scale: nanoseconds of a tick.
  ///   - rate: frames a second.
  ///   - blocks: how many, a tick apart.
  ///   - duration: ticks that each block says it lasts.
  public static func file(scale: UInt64, rate: Double, blocks: Int, duration: UInt64) -> [UInt8] {
    let head = element(
      0x1A45_DFA3,
      number(0x4286, 1) + number(0x42F7, 1) + number(0x42F2, 4) + number(0x42F3, 8)
        + element(0x4282, Array("matroska".utf8)) + number(0x4287, 4) + number(0x4285, 2))
    let info = element(0x1549_A966, number(0x2AD7B1, scale))
    let audio = element(
      0xE1, element(0xB5, big(rate.bitPattern, 8)) + number(0x9F, 1) + number(0x6264, 16))
    let track = element(
      0xAE,
      number(0xD7, 1) + number(0x73C5, 1) + number(0x83, 2)
        + element(0x86, Array("A_PCM/INT/LIT".utf8)) + audio)
    var cluster = number(0xE7, 0)
    for index in 0..<blocks {
      let block =
        [0x81] + big(UInt64(index), 2) + [0]
        + [UInt8](repeating: 0x11, count: blockFrames * 2)
      cluster += element(0xA0, element(0xA1, block) + number(0x9B, duration))
    }
    return head
      + element(0x1853_8067, info + element(0x1654_AE6B, track) + element(0x1F43_B675, cluster))
  }

  private static func big(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64(count - 1 - $0))) }
  }

  /// The bytes of a number, as few as hold it.
  private static func least(_ value: UInt64) -> [UInt8] {
    big(value, max(1, (71 - value.leadingZeroBitCount) / 8))
  }

  /// A mark of the element's kind, its size in eight bytes, and what is in it.
  private static func element(_ kind: UInt64, _ body: [UInt8]) -> [UInt8] {
    least(kind) + big(1 << 56 | UInt64(body.count), 8) + body
  }

  private static func number(_ kind: UInt64, _ value: UInt64) -> [UInt8] {
    element(kind, least(value))
  }
}
