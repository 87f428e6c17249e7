import CFFmpeg

/// Which of FFmpeg's decoders of a codec is taken.
///
/// Speex: libspeex, since FFmpeg's own is wrong in wideband (5.1: by a quarter of full scale).
/// Opus: FFmpeg's own takes a third of libopus's time (measured: 105 ms against 345 ms for a
/// minute), and at the bit rates of music the frames are the same. In speech packets (SILK and
/// hybrid) its frames are others altogether, and at low rates up to 73 steps of 16 bits off: there
/// libopus decodes.
struct DecoderChoice {
  private let isOpus: Bool
  private(set) var isExact: Bool

  /// Bits a second and channel from which on FFmpeg's own Opus decoder is taken.
  private static let enough = 64_000.0

  init(_ reader: FFmpegReader) {
    isOpus = reader.codec == "opus"
    isExact = true
    guard isOpus, ["ogg", "matroska,webm", "mov,mp4,m4a,3gp,3g2,mj2"].contains(reader.container)
    else { return }
    let facts = unsafe reader.facts
    let seconds =
      unsafe Double(facts.duration) * Double(facts.tick_num) / Double(max(facts.tick_den, 1))
    var rate = unsafe Double(facts.bit_rate)
    if rate <= 0, unsafe !facts.has_video, seconds > 0 {
      rate = unsafe Double(facts.size) * 8 / seconds
    }
    let channels = unsafe Double(max(facts.channels, 1))
    isExact = rate < Self.enough * channels
  }

  /// Opens the chosen decoder.
  func take(_ reader: FFmpegReader) throws(DecodingError) {
    select(reader)
    try reader.restart()
  }

  /// True for a speech packet that FFmpeg's own Opus decoder is not to decode.
  func mustChange(for packet: sotto_ff_packet) -> Bool {
    isOpus && !isExact && packet.size > 0 && packet.first_byte >> 3 < 16
  }

  /// From the next restart on libopus decodes.
  mutating func change(_ reader: FFmpegReader) {
    isExact = true
    select(reader)
  }

  private func select(_ reader: FFmpegReader) {
    if isOpus { reader.prefer(isExact ? "libopus" : "opus") }
    if reader.codec == "speex" { reader.prefer("libspeex") }
  }
}
