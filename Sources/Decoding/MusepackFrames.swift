import CMusepack

/// Decodes Musepack's packets with its own library, in floats: FFmpeg's decoder works in whole
/// numbers and shapes its noise, which is up to two steps of 16 bits off. One thread at a time.
@safe final class MusepackFrames {
  let channels: Int
  private let decoder: OpaquePointer

  static var isAvailable: Bool { sotto_mpc_load() }

  /// `extra`: what FFmpeg keeps of the file's header. `nil` for other codecs, without the library,
  /// and for what the library does not know.
  init?(codec: String, extra: [UInt8]) {
    let version: Int32
    let highestBand: Int32
    let isMidSide: Bool
    let mostFrames: Int32
    switch codec {
    case "musepack7" where extra.count >= 4:
      // Words of 32 bits, the lowest byte first.
      (version, channels, mostFrames) = (7, 2, 1)
      isMidSide = extra[3] & 0x40 != 0
      highestBand = Int32(extra[3] & 0x3F)
    case "musepack8" where extra.count >= 2:
      version = 8
      highestBand = Int32(extra[0] & 0x1F) + 1
      channels = Int(extra[1] >> 4) + 1
      isMidSide = extra[1] & 8 != 0
      mostFrames = 1 << (Int32(extra[1] & 7) * 2)
    default: return nil
    }
    guard highestBand < 32, (1...2).contains(channels),
      let decoder = unsafe sotto_mpc_new(
        version, highestBand, isMidSide, Int32(channels), mostFrames)
    else { return nil }
    unsafe self.decoder = decoder
  }

  deinit { unsafe sotto_mpc_free(decoder) }

  /// Takes FFmpeg's packet. False where it cannot be one.
  func take(_ packet: UnsafeBufferPointer<UInt8>) -> Bool {
    unsafe sotto_mpc_take(decoder, packet.baseAddress, packet.count)
  }

  /// The next frame of the packet: 1; where there is none 0; -1 where it is damaged.
  func next() -> Int { Int(unsafe sotto_mpc_next(decoder)) }

  /// Copies frames of the one decoded last.
  func copy(first: Int, count: Int, channels: Int, to output: UnsafeMutablePointer<Float>) {
    unsafe sotto_mpc_copy(decoder, Int32(first), Int32(count), Int32(channels), output)
  }
}
