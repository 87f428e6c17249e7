import AudioTypes
import CFFmpeg

/// Everything that is not WAV, AIFF or libsndfile's: FFmpeg, bound at first need on the calling
/// thread. Files are read by our own input, so that any name is only a name and nothing inside a
/// file can open another; http and https are the only protocols.
///
/// One thread at a time; `FFmpegAbort` may be raised from any.
public final class FFmpegDecoder: Decoder {
  public let format: AudioFormat
  public private(set) var info: TrackInfo
  public var frames: Int64? { timeline.frames }
  public var isSeekable: Bool { timeline.kind != .live }

  let reader: FFmpegReader
  private var choice: DecoderChoice
  var timeline: Timeline
  var traits: CodecTraits

  // All frames below are raw: delay and padding counted (Timeline).

  /// What is decoded and not yet delivered: a block of the reader, or silence for a damaged packet.
  var block = sotto_ff_block()
  var blockStart: Int64 = 0
  var blockLength: Int64 = 0
  var blockIsSilent = false
  /// The block at the format's rate, where a packet comes at another one.
  private var stretched: [Float] = []
  /// The frame after everything decoded, and the next one to be delivered.
  var next: Int64 = 0
  var wanted: Int64 = 0
  /// A packet that is read but not decoded.
  var held: sotto_ff_packet?
  /// Where the first packet after a seek ends, until it has been decoded.
  var landingEnd: Int64?
  var draining = false
  /// The packet decoded last: its place is silent when it turns out to be damaged.
  private var current = sotto_ff_packet()
  private var currentGave: Int64 = 0
  private var currentIsOpen = false
  /// Segments: the next border, and the packets kept for its pre-roll.
  var border: Int64 = .max
  var keptCount = 0
  /// What the next read is to throw: the one before had frames to give.
  var pendingError: DecodingError?
  var failure: DecodingError?
  /// After a fault the decoder's state is not to be built upon.
  var mustLand = false

  /// Opens a file, or an http(s) URL. Errors: `.libraryMissing`, those of opening, `.notAudio`,
  /// `.unsupported`, `.network` (after at most about ten seconds). Any thread; the object then
  /// belongs to it.
  public convenience init(path: [UInt8], isURL: Bool) throws(DecodingError) {
    try self.init(path: path, isURL: isURL, abort: nil)
  }

  /// The same, with a way to end waiting from another thread: opening, reads and seeks then fail with
  /// `.network`.
  public convenience init(path: [UInt8], isURL: Bool, abort: FFmpegAbort?) throws(DecodingError) {
    try self.init(path: path, isURL: isURL, abort: abort, patience: .init())
  }

  init(
    path: [UInt8], isURL: Bool, abort: FFmpegAbort?, patience: FFmpegReader.Patience
  ) throws(DecodingError) {
    let reader = try FFmpegReader(path: path, isURL: isURL, abort: abort, patience: patience)
    self.reader = reader
    choice = DecoderChoice(reader)
    try choice.take(reader)
    let opening = try Self.firstBlock(reader)
    format = AudioFormat(
      sampleRate: Int(opening.block.rate),
      layout: reader.layout(channels: Int(opening.block.channels)))
    traits = CodecTraits(codec: reader.codec, profile: reader.profile)
    timeline = Timeline(reader, rate: format.sampleRate)
    timeline.first = .init(
      frame: 0, time: opening.packet.time == Timeline.noTime ? 0 : opening.packet.time,
      position: opening.packet.position, size: opening.packet.size)
    info = TrackInfo(format: format)
    try measure(opening.packet, opening.block)
    info = trackInfo()
    if timeline.kind == .live || timeline.kind == .rough {
      begin(with: opening.block)
    } else {
      try rewind()
    }
    wanted = timeline.delay
    reader.opened()
  }

  /// What a file is, without playing it. Errors as for opening.
  public static func info(path: [UInt8], isURL: Bool) throws(DecodingError) -> TrackInfo {
    try FFmpegDecoder(path: path, isURL: isURL).info
  }

  /// True when FFmpeg was there at build time and is there now.
  public static var isAvailable: Bool { FFmpegLibrary.missing == nil }
  /// What to install to have it, or `nil`.
  public static var missingSentence: String? { FFmpegLibrary.missing }
  /// The version of the library in use, as "5.1.9-0+deb12u1", or `nil`.
  public static var versionText: String? {
    isAvailable ? unsafe String(cString: sotto_ff_version()) : nil
  }

  // MARK: Opening

  /// Decodes until the first block tells the true rate and channels (HE-AAC hides its own).
  private static func firstBlock(_ reader: FFmpegReader) throws(DecodingError)
    -> (packet: sotto_ff_packet, block: sotto_ff_block)
  {
    var first: sotto_ff_packet?
    for _ in 0..<500 {
      guard let packet = try reader.next() else { break }
      if first == nil {
        first = packet
        reader.keep(firstSlot)
      }
      guard reader.send() else { continue }
      if let block = soundBlock(reader) { return (first ?? packet, block) }
    }
    if let first, reader.send(end: true), let block = soundBlock(reader) { return (first, block) }
    throw DecodingError(.notAudio, "not an audio file, or damaged from its beginning")
  }

  /// A decoded block of a rate and of channels that files of sound have.
  private static func soundBlock(_ reader: FFmpegReader) -> sotto_ff_block? {
    guard case .block(let block) = reader.receive(), block.frames > 0, block.rate <= 12_288_000,
      block.channels <= 64
    else { return nil }
    return block
  }

  /// Finds how packets tell their frames, and how long the music is.
  private func measure(_ first: sotto_ff_packet, _ block: sotto_ff_block) throws(DecodingError) {
    let facts = unsafe reader.facts
    timeline.delay = max(
      Timeline.scaled(
        max(Int64(first.skip), unsafe Int64(facts.delay)), timeline.rate, timeline.packetRate),
      Int64(block.skip))
    guard unsafe facts.seekable else { return }
    timeline.largestPacket = timeline.frames(of: first)
    if Timeline.isExact(reader, rate: format.sampleRate) {
      timeline.kind = .exact
      measureExact()
      if timeline.frames != nil || reader.isURL { return }
    }
    let bound: Int64 = unsafe facts.has_video ? 64 << 20 : 512 << 20
    if unsafe reader.isURL || facts.size > bound {
      timeline.kind = .rough
      timeline.estimate = duration()
      timeline.frames = nil
      return
    }
    try rewindReader()
    let packet = held
    held = nil
    try timeline.scan(reader, from: packet, traits: traits)
    if timeline.kind == .counted { timeline.estimate = duration() }
    if let timing = reader.timing, let frames = timing.frames {
      timeline.frames = frames
      timeline.delay = timing.delay
    }
  }

  /// The length as the container tells it, where it does.
  private func duration() -> Int64? {
    let ticks = unsafe reader.facts.duration
    guard ticks > 0 else { return nil }
    return Timeline.scaled(ticks, timeline.rate * timeline.tickNum, timeline.tickDen)
  }

  private func measureExact() {
    let facts = unsafe reader.facts
    let total = duration()
    timeline.frames = total
    if let track = reader.timing?.tracks.first(where: { unsafe $0.id == facts.id }) {
      measure(track)
      return
    }
    if let timing = reader.timing, let frames = timing.frames {
      timeline.delay = timing.delay
      timeline.frames = min(frames, total ?? frames)
      return
    }
    // Ogg counts the delay in, the others do not.
    if reader.container == "ogg", let total { timeline.frames = max(0, total - timeline.delay) }
  }

  /// MP4: iTunes' own numbers, or the edit list and the samples.
  private func measure(_ track: ContainerTiming.Track) {
    func raw(_ ticks: Int64) -> Int64 {
      Timeline.scaled(ticks, timeline.rate, track.ticksPerSecond)
    }
    timeline.delay = raw(track.start)
    timeline.frames = raw(track.end) - timeline.delay
    // The last packet decodes to more than its duration says.
    let packet = max(timeline.largestPacket, 1)
    let decoded = (raw(track.length) + packet - 1) / packet * packet
    let isLossy = unsafe reader.facts.bit_depth == 0
    timeline.padding = (isLossy ? decoded : raw(track.length)) - raw(track.end)
    // What is left of another file, or of this one before it was cut, does not add up to the track.
    let ticks = Timeline.scaled(packet, track.ticksPerSecond, timeline.rate)
    if let text = reader.tags().first(where: { $0.name == "itunsmpb" })?.value,
      let apple = AppleGapless(text),
      abs(apple.delay + apple.frames + apple.padding - track.length) <= ticks
    {
      timeline.delay = raw(apple.delay)
      timeline.frames = raw(apple.frames)
      timeline.padding = raw(apple.padding)
    }
  }

  // MARK: Reading

  public func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> Int {
    let channels = format.channels
    guard channels > 0, let output = buffer.baseAddress else { return 0 }
    if let error = pendingError {
      pendingError = nil
      throw error
    }
    let capacity = buffer.count / channels
    var done = 0
    do {
      while done < capacity {
        var count = Int64(capacity - done)
        if let end = soundEnd { count = min(count, end - wanted) }
        guard count > 0, try prepareBlock() else { break }
        count = min(count, blockStart + blockLength - wanted)
        let target = unsafe output + done * channels
        unsafe deliver(first: Int(wanted - blockStart), count: Int(count), to: target)
        wanted += count
        done += Int(count)
      }
    } catch {
      failure = error
      mustLand = true
      if done == 0 { throw error }
      pendingError = error
    }
    return done
  }

  /// The raw frame after the music, where that is known.
  private var soundEnd: Int64? {
    timeline.frames.map { timeline.delay + $0 }
  }

  /// Makes `wanted` lie in the block. False at the end.
  private func prepareBlock() throws(DecodingError) -> Bool {
    if let failure { throw failure }
    while wanted >= blockStart + blockLength {
      guard try nextBlock() else {
        blockStart = next
        blockLength = 0
        try checkEnd()
        return false
      }
    }
    if wanted < blockStart {
      // Damage took the frames before this block: they are silent.
      blockIsSilent = true
      let gap = blockStart - wanted
      blockStart = wanted
      blockLength += gap
    }
    return true
  }

  /// A file that ends before its header says is cut short: what there was has been delivered.
  private func checkEnd() throws(DecodingError) {
    guard let end = soundEnd, wanted < end, timeline.kind == .exact else { return }
    let missing = end - wanted
    wanted = end
    // A CAF file's length may count the whole of a last packet that is shorter.
    let isRounded = missing < reader.timing?.roundedTo ?? 0
    guard !isRounded, missing > Int64(format.sampleRate) / 20 else { return }
    throw DecodingError(
      .corrupt,
      "is cut short: the last \(Int((format.seconds(atFrame: missing)).rounded(.up))) s are missing"
    )
  }

  private func deliver(first: Int, count: Int, to output: UnsafeMutablePointer<Float>) {
    let channels = format.channels
    if blockIsSilent {
      unsafe output.update(repeating: 0, count: count * channels)
    } else if !stretched.isEmpty {
      for index in 0..<count * channels {
        unsafe output[index] = stretched[first * channels + index]
      }
    } else {
      unsafe reader.copy(first: first, count: count, channels: channels, to: output)
    }
  }

  // MARK: Decoding

  /// Decodes the next block. False at the end of the file.
  func nextBlock() throws(DecodingError) -> Bool {
    while true {
      switch currentIsOpen || draining ? reader.receive() : .none {
      case .block(let block):
        guard block.frames > 0 else { continue }
        begin(with: block)
        return true
      case .damaged:
        // The rest of this packet is lost, the next one may be whole.
        if draining { return false }
        if beginSilence() { return true }
      case .none:
        if draining { return false }
      }
      try decodeNextPacket()
    }
  }

  private func decodeNextPacket() throws(DecodingError) {
    currentIsOpen = false
    if held == nil, let end = landingEnd {
      // The first packet after a seek gave nothing: the next one begins where it ends.
      next = end
      landingEnd = nil
    }
    guard let packet = try takePacket() else {
      draining = true
      _ = reader.send(end: true)
      return
    }
    if choice.mustChange(for: packet) {
      choice.change(reader)
      try crossBorder()
    }
    if next >= border {
      try crossBorder()
      border = nextBorder(after: next)
    }
    current = packet
    currentGave = 0
    currentIsOpen = reader.send()
    if !currentIsOpen {
      _ = beginSilence()
    }
    keep()
  }

  /// The held packet, or the next one of the file.
  func takePacket() throws(DecodingError) -> sotto_ff_packet? {
    if let packet = held {
      held = nil
      return packet
    }
    return try reader.next()
  }

  /// The reader's block becomes ours, at its place.
  private func begin(with decoded: sotto_ff_block) {
    block = decoded
    blockIsSilent = false
    stretched = []
    var length = Int64(decoded.frames)
    if Int(decoded.rate) != format.sampleRate { length = stretch(decoded) }
    if let end = landingEnd {
      landingEnd = nil
      if traits.startsShort { next = end - length }
    }
    blockStart = next
    if timeline.frames == nil {
      // Without a known length the last packet tells what to drop.
      length = max(0, length - Int64(current.discard))
    }
    blockLength = length
    next += length
    currentGave += length
    if current.silent { blockLength = 0 }
    currentIsOpen = true
  }

  /// What a damaged packet did not give is silent, so that all later frames keep their place.
  private func beginSilence() -> Bool {
    let missing = timeline.frames(of: current) - currentGave
    guard missing > 0, missing < 1 << 20 else { return false }
    blockIsSilent = true
    stretched = []
    blockStart = next
    blockLength = missing
    next += missing
    currentGave += missing
    return true
  }

  /// Brings a block of another rate to the format's: HE-AAC whose header has not come yet, or a
  /// damaged packet. Straight lines between the frames will do for such moments.
  private func stretch(_ block: sotto_ff_block) -> Int64 {
    let channels = format.channels
    let count = Int(block.frames)
    var raw = [Float](repeating: 0, count: count * channels)
    unsafe raw.withUnsafeMutableBufferPointer { buffer in
      unsafe reader.copy(first: 0, count: count, channels: channels, to: buffer.baseAddress!)
    }
    let length = Int(
      Timeline.scaled(Int64(count), Int64(format.sampleRate), Int64(max(block.rate, 1))))
    guard length > 0, length < 1 << 22 else { return 0 }
    stretched = [Float](repeating: 0, count: length * channels)
    for frame in 0..<length {
      let place = Double(frame) * Double(count) / Double(length)
      let left = min(Int(place), count - 1)
      let right = min(left + 1, count - 1)
      let part = Float(place - Double(left))
      for channel in 0..<channels {
        stretched[frame * channels + channel] =
          raw[left * channels + channel] * (1 - part) + raw[right * channels + channel] * part
      }
    }
    return Int64(length)
  }

  // MARK: State

  /// Forgets what is decoded; the next packet begins at `frame`.
  func beginAgain(at frame: Int64) {
    next = frame
    blockStart = frame
    blockLength = 0
    blockIsSilent = false
    stretched = []
    draining = false
    currentIsOpen = false
    landingEnd = nil
    pendingError = nil
    failure = nil
    mustLand = false
  }
}

/// iTunes' "iTunSMPB" tag: delay, padding and length in frames, in hexadecimal.
struct AppleGapless {
  var delay: Int64
  var padding: Int64
  var frames: Int64

  init?(_ text: String) {
    let fields = text.split(separator: " ").prefix(4).map { Int64($0, radix: 16) }
    guard fields.count == 4, let delay = fields[1], let padding = fields[2],
      let frames = fields[3], delay >= 0, padding >= 0, frames > 0, frames < 1 << 48,
      delay < 1 << 24, padding < 1 << 24
    else { return nil }
    (self.delay, self.padding, self.frames) = (delay, padding, frames)
  }
}
