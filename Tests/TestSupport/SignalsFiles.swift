/// Writers of uncompressed files for tests: independent of what they test, in every variant found
/// in the wild, the broken ones included.
public enum SignalFile {
  /// How samples are written.
  public enum Coding: Sendable, Equatable {
    case unsigned8, signed8, signed16, signed24, signed32, float32, float64, muLaw, aLaw

    public var bytes: Int {
      switch self {
      case .unsigned8, .signed8, .muLaw, .aLaw: return 1
      case .signed16: return 2
      case .signed24: return 3
      case .signed32, .float32: return 4
      case .float64: return 8
      }
    }

    /// Bits of the whole numbers it is fed with.
    public var bits: Int {
      switch self {
      case .unsigned8, .signed8, .muLaw, .aLaw: return 8
      case .signed16: return 16
      case .signed24, .float32: return 24
      case .signed32, .float64: return 32
      }
    }
  }

  public static func number(_ value: some FixedWidthInteger, _ bytes: Int, big: Bool) -> [UInt8] {
    let wide = UInt64(truncatingIfNeeded: value)
    let little = (0..<bytes).map { UInt8(truncatingIfNeeded: wide >> UInt64(8 * $0)) }
    return big ? little.reversed() : little
  }

  /// Whole numbers of `coding.bits` bits as bytes. Floats are written as the number over full
  /// scale; µ-law and A-law bytes are taken as they are.
  public static func bytes(_ samples: [Int32], _ coding: Coding, big: Bool) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(samples.count * coding.bytes)
    func append(_ value: UInt64, _ count: Int) {
      for index in 0..<count {
        out.append(
          UInt8(truncatingIfNeeded: value >> UInt64(8 * (big ? count - 1 - index : index))))
      }
    }
    for sample in samples {
      switch coding {
      case .unsigned8: out.append(UInt8(truncatingIfNeeded: sample + 128))
      case .signed8, .muLaw, .aLaw: out.append(UInt8(truncatingIfNeeded: sample))
      case .signed16, .signed24, .signed32: append(UInt64(truncatingIfNeeded: sample), coding.bytes)
      case .float32: append(UInt64((Float(sample) * 0x1p-23).bitPattern), 4)
      case .float64: append((Double(sample) * 0x1p-31).bitPattern, 8)
      }
    }
    return out
  }

  /// The floats that a decoder must give for whole numbers of `bits` bits.
  public static func floats(_ samples: [Int32], bits: Int) -> [Float] {
    let scale = Double(sign: .plus, exponent: 1 - bits, significand: 1)
    return samples.map { Float(Double($0) * scale) }
  }

  /// One chunk, padded to an even length.
  public static func chunk(
    _ name: String, _ body: [UInt8], big: Bool = false, size: UInt32? = nil
  ) -> [UInt8] {
    Array(name.utf8) + number(size ?? UInt32(body.count), 4, big: big) + body
      + (body.count % 2 == 1 ? [0] : [])
  }

  /// The body of `fmt `.
  public static func waveFormat(
    _ coding: Coding, channels: Int, rate: Int, big: Bool = false, mask: UInt32? = nil,
    validBits: Int? = nil, tag: Int? = nil
  ) -> [UInt8] {
    let plain: Int
    switch coding {
    case .float32, .float64: plain = 3
    case .aLaw: plain = 6
    case .muLaw: plain = 7
    default: plain = 1
    }
    let block = coding.bytes * channels
    var body = number(mask == nil ? tag ?? plain : 0xFFFE, 2, big: big)
    body += number(channels, 2, big: big) + number(rate, 4, big: big)
    body += number(rate * block, 4, big: big) + number(block, 2, big: big)
    body += number(coding.bytes * 8, 2, big: big)
    if let mask {
      body += number(22, 2, big: big) + number(validBits ?? coding.bytes * 8, 2, big: big)
      body += number(mask, 4, big: big) + number(tag ?? plain, 4, big: big)
      body += number(0, 2, big: big) + number(0x10, 2, big: big)
      body += [0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    }
    return body
  }

  /// A WAV file. `kind` is RIFF, RIFX, RF64 or BW64; `before` and `after` are chunks around the
  /// samples; `dataSize` and `riffSize` replace the true sizes.
  public static func wave(
    _ samples: [UInt8], format: [UInt8], kind: String = "RIFF", before: [UInt8] = [],
    after: [UInt8] = [], dataSize: UInt32? = nil, riffSize: UInt32? = nil
  ) -> [UInt8] {
    let big = kind == "RIFX"
    let long = kind == "RF64" || kind == "BW64"
    var body: [UInt8] = []
    let data = chunk("data", samples, big: big, size: long ? 0xFFFF_FFFF : dataSize)
    let rest = before + chunk("fmt ", format, big: big) + data + after
    if long {
      var sizes = number(rest.count + 4 + 36, 8, big: false)
      sizes += number(samples.count, 8, big: false) + number(0, 8, big: false)
      sizes += number(0, 4, big: false)
      body += chunk("ds64", sizes)
    }
    body += rest
    let size = long ? 0xFFFF_FFFF : riffSize ?? UInt32(body.count + 4)
    return Array(kind.utf8) + number(size, 4, big: big) + Array("WAVE".utf8) + body
  }

  /// A Sony Wave64 file.
  public static func wave64(_ samples: [UInt8], format: [UInt8]) -> [UInt8] {
    let rest: [UInt8] = [
      0xF3, 0xAC, 0xD3, 0x11, 0x8C, 0xD1, 0x00, 0xC0, 0x4F, 0x8E, 0xDB, 0x8A,
    ]
    func part(_ name: String, _ body: [UInt8]) -> [UInt8] {
      let bytes = Array(name.utf8) + rest + number(body.count + 24, 8, big: false) + body
      return bytes + [UInt8](repeating: 0, count: (8 - bytes.count % 8) % 8)
    }
    let body =
      Array("wave".utf8) + rest + part("fmt ", format) + part("junk", [1, 2, 3])
      + part("data", samples)
    let riff: [UInt8] = [
      0x72, 0x69, 0x66, 0x66, 0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6, 0x28, 0xDB, 0x04, 0xC1, 0, 0,
    ]
    return riff + number(body.count + 24, 8, big: false) + body
  }

  /// A rate as an 80-bit extended float.
  public static func extended(_ rate: Int) -> [UInt8] {
    let zeros = UInt64(rate).leadingZeroBitCount
    return number(16383 + 63 - zeros, 2, big: true)
      + number(UInt64(rate) << UInt64(zeros), 8, big: true)
  }

  /// An AIFF file, or AIFC where `kind` names a compression.
  public static func aiff(
    _ samples: [UInt8], channels: Int, rate: Int, bits: Int, frames: Int, kind: String? = nil,
    offset: Int = 0, before: [UInt8] = [], after: [UInt8] = [], soundSize: UInt32? = nil
  ) -> [UInt8] {
    var common = number(channels, 2, big: true) + number(frames, 4, big: true)
    common += number(bits, 2, big: true) + extended(rate)
    if let kind { common += Array(kind.utf8) + [0, 0] }
    let sound =
      number(offset, 4, big: true) + number(0, 4, big: true)
      + [UInt8](repeating: 0xEE, count: offset) + samples
    let body =
      Array((kind == nil ? "AIFF" : "AIFC").utf8)
      + (kind == nil ? [] : chunk("FVER", number(UInt32(0xA280_5140), 4, big: true), big: true))
      + before + chunk("COMM", common, big: true)
      + chunk("SSND", sound, big: true, size: soundSize) + after
    return Array("FORM".utf8) + number(body.count, 4, big: true) + body
  }
}
