import AudioTypes

/// Where the samples of an uncompressed file lie and how they are written.
struct PCMSource: Equatable, Sendable {
  var container: String
  var codec: String
  var coding: SampleCoding
  var sampleRate: Int
  var layout: ChannelLayout
  /// Bytes from one frame to the next.
  var frameBytes: Int
  /// Bits of a sample that count.
  var bitDepth: Int?
  var dataOffset: Int64
  var frames: Int64
  var tags = FileTags()
  /// Where an ID3v2 tag lies inside the file.
  var id3: Int64?

  static func == (left: PCMSource, right: PCMSource) -> Bool {
    left.coding == right.coding && left.sampleRate == right.sampleRate
      && left.layout == right.layout && left.dataOffset == right.dataOffset
      && left.frames == right.frames
  }

  /// The most channels and the highest rate that are believed; more is a damaged header.
  static let mostChannels = 32
  static let highestRate = 3_072_000

  /// Refuses what no file means.
  static func check(channels: Int, sampleRate: Int) throws(DecodingError) {
    if channels < 1 || channels > mostChannels {
      throw DecodingError(.corrupt, "damaged file: \(channels) channels")
    }
    if sampleRate < 1 || sampleRate > highestRate {
      throw DecodingError(.corrupt, "damaged file: a rate of \(sampleRate) Hz")
    }
  }

  /// How many whole frames are there: what the header says (`declared`, `nil` where it does not
  /// know), never more than the file holds.
  static func frames(declared: Int64?, offset: Int64, size: Int64, frameBytes: Int) -> Int64 {
    let there = max(0, size - offset)
    return min(declared ?? there, there) / Int64(max(frameBytes, 1))
  }
}

/// Text in a header without a declared code page: UTF-8 where it is, else Latin-1; ends at a NUL.
func headerText(_ bytes: some Collection<UInt8>) -> String {
  let end = bytes.firstIndex(of: 0) ?? bytes.endIndex
  let text = Array(bytes[bytes.startIndex..<end])
  let decoded =
    String(validating: text, as: UTF8.self)
    ?? String(String.UnicodeScalarView(text.map { Unicode.Scalar($0) }))
  let scalars = decoded.unicodeScalars
  guard let last = scalars.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
  return String(scalars[...last])
}

/// Bytes of a header as numbers. Out of range is 0: callers check lengths first where it matters.
struct Bytes {
  var bytes: [UInt8]
  var big = false

  init(_ bytes: [UInt8], big: Bool = false) {
    self.bytes = bytes
    self.big = big
  }

  var count: Int { bytes.count }

  func number(_ offset: Int, _ length: Int) -> UInt64 {
    guard offset >= 0, offset + length <= bytes.count else { return 0 }
    var value: UInt64 = 0
    for index in 0..<length {
      value = value << 8 | UInt64(bytes[offset + (big ? index : length - 1 - index)])
    }
    return value
  }

  func u16(_ offset: Int) -> Int { Int(number(offset, 2)) }
  func u32(_ offset: Int) -> Int64 { Int64(number(offset, 4)) }
  func u64(_ offset: Int) -> UInt64 { number(offset, 8) }

  /// Four characters as text.
  func mark(_ offset: Int) -> String {
    guard offset >= 0, offset + 4 <= bytes.count else { return "" }
    return String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
  }
}
