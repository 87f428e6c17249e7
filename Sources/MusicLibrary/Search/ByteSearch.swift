import Glibc

/// A folded word to be found in much folded text. The two rarest of its bytes are looked for, 32
/// places at once, and the rest is compared there.
struct ByteSearch {
  let needle: [UInt8]
  /// The places of the two rarest bytes; the same in a needle of one byte.
  private let rare: (Int, Int)

  init(_ needle: [UInt8]) {
    self.needle = needle
    let order = needle.indices.sorted { Self.weight(needle[$0]) < Self.weight(needle[$1]) }
    rare = (order.first ?? 0, order.dropFirst().first ?? 0)
  }

  /// How often a byte is met, roughly.
  private static func weight(_ byte: UInt8) -> Int {
    if let place = common.firstIndex(of: byte) { return 100 - place }
    // First bytes of letters of three bytes are few, and each is met often where it is met.
    return byte >= 0xE0 ? 60 : byte >= 0x80 ? 30 : 10
  }

  private static let common = Array("ea onirtslhdcumpgbyfwk".utf8)

  /// The first place in `text` from `start` on at which all of it stands before `end`; nil where there
  /// is none. What follows `end` may be looked at.
  func first(in text: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int? {
    let count = needle.count
    guard count > 0, end - start >= count, let base = text.baseAddress else { return nil }
    return needle.withUnsafeBytes { needle in
      if count == 1 {
        guard let hit = memchr(base + start, Int32(needle[0]), end - start) else { return nil }
        return UnsafeRawPointer(hit) - base
      }
      let first = SIMD32<UInt8>(repeating: needle[rare.0])
      let second = SIMD32<UInt8>(repeating: needle[rare.1])
      let last = end - count
      let lastLoad = text.count - 32 - max(rare.0, rare.1)
      var place = start
      while place <= last, place <= lastLoad {
        let isFirst =
          base.loadUnaligned(fromByteOffset: place + rare.0, as: SIMD32<UInt8>.self)
          .== first
        let isSecond =
          base.loadUnaligned(fromByteOffset: place + rare.1, as: SIMD32<UInt8>.self)
          .== second
        let hits = unsafeBitCast(isFirst .& isSecond, to: SIMD4<UInt64>.self)
        if hits[0] | hits[1] | hits[2] | hits[3] != 0 {
          for word in 0..<4 {
            var rest = UInt64(littleEndian: hits[word])
            while rest != 0 {
              let lane = rest.trailingZeroBitCount / 8
              let found = place + word * 8 + lane
              if found > last { return nil }
              // Of two bytes both were compared.
              if count == 2 || memcmp(base + found, needle.baseAddress!, count) == 0 {
                return found
              }
              rest &= ~(0xFF << UInt64(lane * 8))
            }
          }
        }
        place += 32
      }
      // The end of the text.
      while place <= last {
        if text[place + rare.0] == needle[rare.0],
          memcmp(base + place, needle.baseAddress!, count) == 0
        {
          return place
        }
        place += 1
      }
      return nil
    }
  }

  /// True when it stands somewhere in these bytes.
  func isIn(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { first(in: $0, from: 0, to: $0.count) != nil }
  }
}
