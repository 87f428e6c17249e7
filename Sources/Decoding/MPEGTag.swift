/// The frame that an encoder puts in front of an MP3 stream to tell its length: Xing or Info (with
/// LAME's extension, which Lavf writes too) or Fraunhofer's VBRI. It holds no music.
struct MPEGTag: Equatable {
  /// Frames of the stream that follow, and bytes from this frame to the end.
  var frames: Int64?
  var bytes: Int64?
  /// Samples that the encoder put before the music and after it.
  var delay: Int64?
  var padding: Int64?

  /// What an MP3 decoder itself adds before the first sample.
  static let decoderDelay: Int64 = 529

  /// `nil` where the frame is one of music. `frame` holds the whole frame.
  init?(_ frame: [UInt8], _ header: MPEGHeader) {
    let bytes = Bytes(frame, big: true)
    for place in [4 + header.sideBytes, 6 + header.sideBytes] {
      let mark = bytes.mark(place)
      guard mark == "Xing" || mark == "Info" else { continue }
      let flags = bytes.u32(place + 4)
      var at = place + 8
      if flags & 1 != 0 {
        frames = bytes.u32(at)
        at += 4
      }
      if flags & 2 != 0 {
        self.bytes = bytes.u32(at)
        at += 4
      }
      if flags & 4 != 0 { at += 100 }
      if flags & 8 != 0 { at += 4 }
      if at + 24 <= bytes.count, frame[at] >= 0x20, frame[at] < 0x7F {
        let pair = bytes.number(at + 21, 3)
        delay = Int64(pair >> 12)
        padding = Int64(pair & 0xFFF)
      }
      if frames == 0 { frames = nil }
      return
    }
    guard bytes.mark(36) == "VBRI", bytes.count >= 36 + 18 else { return nil }
    self.bytes = bytes.u32(36 + 10)
    frames = bytes.u32(36 + 14)
    if frames == 0 { frames = nil }
  }
}
