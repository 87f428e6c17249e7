import AudioTypes
import CFFmpeg

// Sample-accurate seeks: land on a packet whose frame is known, early enough for the codec, and
// decode up to the target.

extension FFmpegDecoder {
  public func seek(to frame: Int64) throws(DecodingError) {
    guard isSeekable else {
      throw DecodingError(.notSeekable, "a live stream cannot be rewound")
    }
    let target = timeline.delay + max(0, min(frame, frames ?? Int64.max / 4))
    if let frames, frame >= frames {
      wanted = target
      pendingError = nil
      failure = nil
      return
    }
    if !mustLand, isAhead(target) {
      wanted = target
      return
    }
    failure = nil
    mustLand = true
    do {
      if traits.segment > 0 { try landOnBorder(before: target) } else { try land(before: target) }
      wanted = target
    } catch {
      failure = error
      throw error
    }
  }

  /// True where decoding on is the shortest and the most exact way.
  private func isAhead(_ target: Int64) -> Bool {
    if target < blockStart { return false }
    let reach = (traits.segment > 0 ? 0.5 : traits.preroll + 0.5) * Double(format.sampleRate)
    return target < next || (target - next < Int64(reach) && !draining)
  }

  /// Codecs of finite memory: the packet that begins a pre-roll before the target.
  private func land(before target: Int64) throws(DecodingError) {
    let preroll = Int64(traits.preroll * Double(format.sampleRate))
    let start = target - preroll
    guard start > 0, timeline.kind != .counted, let found = try findPacket(before: start) else {
      try rewind()
      return
    }
    let landed = try pass(from: found, to: start)
    if traits.restarts { try reader.restart() } else { reader.flush() }
    keptCount = 0
    beginAgain(at: landed.frame)
    held = landed.packet
    landingEnd = landed.packet.map { landed.frame + timeline.frames(of: $0) }
  }

  /// Reads on, without decoding, to the packet in which a pre-roll begins: an Ogg page, or what a
  /// container's index knows, may be a second before it. No packet where the file ends before.
  private func pass(
    from found: (packet: sotto_ff_packet, frame: Int64), to start: Int64
  ) throws(DecodingError) -> (packet: sotto_ff_packet?, frame: Int64) {
    var (packet, frame) = found
    while true {
      let length = timeline.frames(of: packet)
      guard length > 0, frame + length <= start else { return (packet, frame) }
      frame += length
      guard let next = try reader.next() else { return (nil, frame) }
      packet = next
    }
  }

  /// Codecs with segments: the border before the target, with the packets of its pre-roll.
  private func landOnBorder(before target: Int64) throws(DecodingError) {
    let length = segmentFrames
    // A border's segment begins with the first packet at or after it, which must not be past the
    // target.
    var segment = max(0, target - packetFrames) / length
    while segment > 0, timeline.kind != .counted {
      let border = segment * length
      let lead = Int64(traits.packets + 2) * packetFrames
      if let landed = try findPacket(before: border - lead) {
        if try reach(border, from: landed, target: target) { return }
      }
      segment -= 1
    }
    try rewind()
  }

  /// Reads from a packet on to the first one at the border, keeping the last ones.
  private func reach(
    _ place: Int64, from landed: (packet: sotto_ff_packet, frame: Int64), target: Int64
  ) throws(DecodingError) -> Bool {
    beginAgain(at: landed.frame)
    keptCount = 0
    var packet: sotto_ff_packet? = landed.packet
    var frame = landed.frame
    while let read = packet {
      if frame >= place {
        guard frame <= target, keptCount >= traits.packets else { return false }
        beginAgain(at: frame)
        held = read
        border = place
        return true
      }
      keep()
      frame += timeline.frames(of: read)
      packet = try reader.next()
    }
    return false
  }

  private var packetFrames: Int64 { max(timeline.largestPacket, 1) }
  private var segmentFrames: Int64 {
    max(Int64(traits.segment * Double(format.sampleRate)), 4 * packetFrames)
  }

  // MARK: Borders

  func nextBorder(after frame: Int64) -> Int64 {
    guard traits.segment > 0 else { return .max }
    return (frame / segmentFrames + 1) * segmentFrames
  }

  /// Remembers the packet just used, for a border's pre-roll.
  func keep() {
    guard traits.packets > 0 else { return }
    reader.keep(keptCount % Self.slots)
    keptCount += 1
  }

  /// A decoder in its first state takes over, after the packets before the border.
  func crossBorder() throws(DecodingError) {
    // The current packet waits in the slot that no pre-roll uses.
    reader.keep(Self.slots)
    try reader.restart()
    if traits.primes { decodeKept(Self.firstSlot) }
    let count = min(traits.packets, keptCount)
    for index in keptCount - count..<keptCount { decodeKept(index % Self.slots) }
    reader.recall(Self.slots)
  }

  private func decodeKept(_ slot: Int) {
    reader.recall(slot)
    guard reader.send() else { return }
    while case .block = reader.receive() {}
  }

  private static let slots = Int(SOTTO_FF_SLOTS) - 2
  /// The file's first packet, kept for good.
  static let firstSlot = slots + 1

  // MARK: Landing

  /// Positions the reader on a packet at or before a raw frame; `nil` where only the beginning
  /// will do.
  private func findPacket(before frame: Int64) throws(DecodingError)
    -> (packet: sotto_ff_packet, frame: Int64)?
  {
    guard frame > 0 else { return nil }
    return timeline.kind == .indexed ? try findIndexed(frame) : try findByTime(frame)
  }

  private func findByTime(_ frame: Int64) throws(DecodingError)
    -> (packet: sotto_ff_packet, frame: Int64)?
  {
    var asked = frame
    var step = timeline.rate
    while asked > 0 {
      if reader.seek(time: timeline.time(at: asked)), let packet = try reader.next(),
        packet.time != Timeline.noTime
      {
        let found = timeline.start(of: packet)
        if found <= frame, found > 0 { return (packet, found) }
        if found <= 0 { return nil }
      }
      asked -= step
      step = min(step, 1 << 60) * 4
    }
    return nil
  }

  private func findIndexed(_ frame: Int64) throws(DecodingError)
    -> (packet: sotto_ff_packet, frame: Int64)?
  {
    guard var index = timeline.mark(before: frame) else { return nil }
    var step = 1
    while index > 0 {
      if let found = try landOn(index), found.frame <= frame { return found }
      index -= step
      step *= 4
    }
    return nil
  }

  /// Seeks to a landmark, or before it, and reads until one is recognised.
  private func landOn(_ index: Int) throws(DecodingError)
    -> (packet: sotto_ff_packet, frame: Int64)?
  {
    let mark = timeline.marks[index]
    let byBytes = timeline.landsOnBytes(reader)
    guard
      byBytes
        ? reader.seek(byte: timeline.bytePosition(mark, reader)) : reader.seek(time: mark.time)
    else {
      return nil
    }
    let byTime = !byBytes && reader.container != "ogg"
    var position: Int64 = -1
    // A container's own index may land well before the time asked for.
    for _ in 0..<4000 {
      guard let packet = try reader.next() else { return nil }
      if packet.position != position, let frame = timeline.recognise(packet, byTime: byTime) {
        return (packet, frame)
      }
      position = packet.position
      if byTime, packet.decode_time > mark.time, packet.position > mark.position { return nil }
    }
    return nil
  }

  /// Back to the first packet, with a decoder in its first state.
  func rewind() throws(DecodingError) {
    try rewindReader()
    try reader.restart()
    beginAgain(at: 0)
    keptCount = 0
    border = nextBorder(after: 0)
  }

  /// Makes the first packet the next one to be read.
  func rewindReader() throws(DecodingError) {
    held = nil
    let first = timeline.first
    let sought =
      timeline.landsOnBytes(reader)
      ? reader.seek(byte: timeline.bytePosition(first, reader)) : reader.seek(time: first.time)
    if sought, let packet = try reader.next(), packet.position == first.position,
      packet.size == first.size
    {
      held = packet
      return
    }
    try reader.reopen()
  }
}

extension Timeline {
  /// Raw kinds are one packet after the other: there a byte position is the surest place.
  func landsOnBytes(_ reader: FFmpegReader) -> Bool {
    Self.rawContainers.contains(reader.container) && first.position >= 0 && reader.seeksBytes
  }

  private static let rawContainers: Set<String> = [
    "aac", "ac3", "eac3", "mp3", "dts", "loas", "mpegts", "mpc8",
  ]

  /// Where to seek for a packet: a Musepack packet's header, its key and its size, is before it.
  func bytePosition(_ mark: Landmark, _ reader: FFmpegReader) -> Int64 {
    guard reader.container == "mpc8" else { return max(mark.position, 0) }
    let header = (3...11).first { length in
      var digits = 1
      var rest = (Int64(mark.size) + Int64(length)) >> 7
      while rest > 0 {
        digits += 1
        rest >>= 7
      }
      return digits + 2 == length
    }
    return max(mark.position - Int64(header ?? 0), 0)
  }

  /// The raw frame of a packet met again, if it is a landmark. Positions rise through a file;
  /// of packets that share one, only the first may be asked for.
  func recognise(_ packet: sotto_ff_packet, byTime: Bool) -> Int64? {
    var low = 0
    var high = marks.count
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].position < packet.position { low = middle + 1 } else { high = middle }
    }
    guard low < marks.count else { return nil }
    let mark = marks[low]
    guard mark.position == packet.position, mark.size == packet.size else { return nil }
    return !byTime || mark.time == packet.decode_time ? mark.frame : nil
  }
}
