import Glibc

/// How one uncompressed sample is written in a file, and how it becomes a float of full scale ±1.
enum SampleCoding: Equatable, Sendable {
  case unsigned8, signed8
  case signed16(big: Bool)
  case signed24(big: Bool)
  case signed32(big: Bool)
  case float32(big: Bool)
  case float64(big: Bool)
  case muLaw, aLaw

  /// Bytes of one sample.
  var bytes: Int {
    switch self {
    case .unsigned8, .signed8, .muLaw, .aLaw: return 1
    case .signed16: return 2
    case .signed24: return 3
    case .signed32, .float32: return 4
    case .float64: return 8
    }
  }

  /// Signed whole numbers of so many bytes; `nil` where there is no such coding.
  static func signed(bytes: Int, big: Bool) -> SampleCoding? {
    switch bytes {
    case 1: return .signed8
    case 2: return .signed16(big: big)
    case 3: return .signed24(big: big)
    case 4: return .signed32(big: big)
    default: return nil
    }
  }

  /// Turns `count` samples into floats. Whole numbers up to 24 bits and floats come out exactly,
  /// 32-bit numbers and doubles as the nearest float. What is no number (NaN, infinity) in a
  /// damaged file is silence: it must not reach a mixer.
  func convert(
    _ source: UnsafeRawBufferPointer, to out: UnsafeMutablePointer<Float>, count: Int
  ) {
    precondition(source.count >= count * bytes)
    guard count > 0, let from = source.baseAddress else { return }
    switch self {
    case .unsigned8:
      for index in 0..<count {
        let byte = unsafe from.load(fromByteOffset: index, as: UInt8.self)
        unsafe out[index] = Float(Int32(byte) - 128) * 0x1p-7
      }
    case .signed8:
      for index in 0..<count {
        unsafe out[index] = Float(from.load(fromByteOffset: index, as: Int8.self)) * 0x1p-7
      }
    case .signed16(let big):
      for index in 0..<count {
        let raw = unsafe from.loadUnaligned(fromByteOffset: index &* 2, as: Int16.self)
        unsafe out[index] = Float(big ? raw.bigEndian : raw.littleEndian) * 0x1p-15
      }
    case .signed24(let big):
      let high = big ? 0 : 2
      for index in 0..<count {
        let at = index &* 3
        let top = unsafe Int32(from.load(fromByteOffset: at &+ high, as: Int8.self))
        let middle = unsafe Int32(from.load(fromByteOffset: at &+ 1, as: UInt8.self))
        let low = unsafe Int32(from.load(fromByteOffset: at &+ 2 &- high, as: UInt8.self))
        unsafe out[index] = Float(top << 16 | middle << 8 | low) * 0x1p-23
      }
    case .signed32(let big):
      for index in 0..<count {
        let raw = unsafe from.loadUnaligned(fromByteOffset: index &* 4, as: Int32.self)
        unsafe out[index] = Float(big ? raw.bigEndian : raw.littleEndian) * 0x1p-31
      }
    case .float32(let big):
      for index in 0..<count {
        let raw = unsafe from.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self)
        let value = Float(bitPattern: big ? raw.bigEndian : raw.littleEndian)
        unsafe out[index] = value.isFinite ? value : 0
      }
    case .float64(let big):
      for index in 0..<count {
        let raw = unsafe from.loadUnaligned(fromByteOffset: index &* 8, as: UInt64.self)
        let value = Float(Double(bitPattern: big ? raw.bigEndian : raw.littleEndian))
        unsafe out[index] = value.isFinite ? value : 0
      }
    case .muLaw:
      for index in 0..<count {
        unsafe out[index] = Self.muLaw(from.load(fromByteOffset: index, as: UInt8.self))
      }
    case .aLaw:
      for index in 0..<count {
        unsafe out[index] = Self.aLaw(from.load(fromByteOffset: index, as: UInt8.self))
      }
    }
  }

  /// G.711 µ-law as a 16-bit value over full scale.
  static func muLaw(_ byte: UInt8) -> Float {
    let code = Int32(~byte)
    let magnitude = (((code & 0x0F) << 3) + 0x84) << ((code & 0x70) >> 4) - 0x84
    return Float(code & 0x80 != 0 ? -magnitude : magnitude) * 0x1p-15
  }

  /// G.711 A-law as a 16-bit value over full scale.
  static func aLaw(_ byte: UInt8) -> Float {
    let code = Int32(byte ^ 0x55)
    let segment = (code & 0x70) >> 4
    var magnitude = (code & 0x0F) << 4 + 8
    if segment > 0 { magnitude = (magnitude + 0x100) << (segment - 1) }
    return Float(code & 0x80 != 0 ? magnitude : -magnitude) * 0x1p-15
  }
}
