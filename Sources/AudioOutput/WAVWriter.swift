import AudioTypes
import Glibc
import OutputInterface

/// Writes interleaved float frames into a WAV file, as floats or as integers without dither: a
/// source of that depth or less comes back bit for bit. Beyond 4 GiB the file becomes RF64 (the room
/// for its sizes is kept free as a JUNK chunk). Used by one thread at a time.
public final class WAVWriter {
  /// How one sample is stored, little-endian.
  public enum Sample: String, Sendable, CaseIterable {
    case f32, s24, s16

    public var bytes: Int {
      switch self {
      case .f32: return 4
      case .s24: return 3
      case .s16: return 2
      }
    }
  }

  public let format: AudioFormat
  public let sample: Sample
  /// Frames written so far.
  public private(set) var frames: Int64 = 0

  private let descriptor: CInt
  private let ownsDescriptor: Bool
  /// A pipe cannot be returned to: its header says that the length is not known.
  private let isSeekable: Bool
  /// Source channel of every stored channel: WAVE stores channels in the order of its mask.
  private let order: [Int]
  private let mask: UInt32
  /// While this can be read, a pipe is not waited for; -1 is none.
  private let givenUp: CInt
  private var pending: [UInt8] = []
  /// Bytes of samples that the file has, apart from `pending`.
  private var stored: Int64 = 0
  /// `pending` is samples, not a header.
  private var isPendingSound = false
  private var isFinished = false

  private static let flushBytes = 1 << 16

  /// Creates the file, or empties it. A file name is bytes.
  ///
  /// - Parameters:
  ///   - waitsForReader: a named pipe that nobody reads yet is waited for; otherwise it is an error.
  ///   - givenUp: an event descriptor: once it can be read, a reader that takes nothing is waited
  ///     for no longer, which is an error.
  public convenience init(
    path: [UInt8], format: AudioFormat, sample: Sample, waitsForReader: Bool = true,
    givenUp: CInt = -1
  ) throws(OutputError) {
    guard !path.contains(0) else { throw OutputError(.fileError, "not a file name") }
    let name = path.map { CChar(bitPattern: $0) } + [0]
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
    let descriptor = unsafe open(name, waitsForReader ? flags : flags | O_NONBLOCK, 0o666)
    guard descriptor >= 0 else { throw Self.failure("cannot be created", errno) }
    // From here on the writer waits by itself, so that it can be called away.
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    do throws(OutputError) {
      try self.init(
        descriptor: descriptor, ownsDescriptor: true, format: format, sample: sample,
        givenUp: givenUp)
    } catch {
      // A disk that takes not even the header: an empty file is nobody's.
      Self.remove(path)
      throw error
    }
  }

  /// Removes what was begun, if it is a file (and no device or pipe).
  public static func remove(_ path: [UInt8]) {
    let name = path.map { CChar(bitPattern: $0) } + [0]
    var facts = stat()
    guard unsafe stat(name, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return }
    _ = unsafe unlink(name)
  }

  /// Writes to an open descriptor, from its present position when it is a pipe, from its beginning
  /// when it is a file.
  public convenience init(
    descriptor: CInt, ownsDescriptor: Bool = false, format: AudioFormat, sample: Sample
  ) throws(OutputError) {
    try self.init(
      descriptor: descriptor, ownsDescriptor: ownsDescriptor, format: format, sample: sample,
      givenUp: -1)
  }

  private init(
    descriptor: CInt, ownsDescriptor: Bool, format: AudioFormat, sample: Sample, givenUp: CInt
  ) throws(OutputError) {
    self.descriptor = descriptor
    self.givenUp = givenUp
    self.ownsDescriptor = ownsDescriptor
    self.format = format
    self.sample = sample
    isSeekable = lseek(descriptor, 0, SEEK_SET) == 0
    (order, mask) = Self.waveOrder(format.layout)
    pending.reserveCapacity(Self.flushBytes + 4096)
    pending = header(sizesKnown: false)
    try flush()
    isPendingSound = true
  }

  deinit {
    if ownsDescriptor, !isFinished { close(descriptor) }
  }

  /// Appends whole frames; a rest that is no whole frame is left out.
  public func write(_ samples: UnsafeBufferPointer<Float>) throws(OutputError) {
    let channels = format.channels
    guard channels > 0, !isFinished else { return }
    let count = samples.count / channels
    for frame in 0..<count {
      for source in order {
        Self.append(unsafe samples[frame * channels + source], as: sample, to: &pending)
      }
      if pending.count >= Self.flushBytes { try flush() }
    }
    frames += Int64(count)
  }

  /// Completes the header and closes the file; later calls do nothing. Where it throws the file stays
  /// open: `salvage` saves what can be saved.
  public func finish() throws(OutputError) {
    guard !isFinished else { return }
    let pad = dataBytes % 2 == 1 ? 1 : 0
    if pad == 1 { pending.append(0) }
    try flush()
    if isSeekable { try writeHeader(frames: frames) }
    isFinished = true
    if ownsDescriptor { close(descriptor) }
  }

  /// Stores what was written so far and says in the header how much that is: from here on the file
  /// can be played up to this moment, whatever happens to the program. Not on a pipe.
  public func update() throws(OutputError) {
    guard isSeekable, !isFinished else { return }
    try flush()
    try writeHeader(frames: frames)
  }

  /// Closes the file after a write has failed: what it has, up to the last whole frame, can be
  /// played. `frames` is then that much. Never fails: what cannot be done is left out.
  public func salvage() {
    guard !isFinished else { return }
    isFinished = true
    pending.removeAll()
    defer { if ownsDescriptor { close(descriptor) } }
    guard isSeekable else { return }
    let frameBytes = Int64(format.channels * sample.bytes)
    frames = stored / frameBytes
    let known = header(sizesKnown: true)
    _ = ftruncate(descriptor, known.count + Int(frames * frameBytes))
    try? writeHeader(frames: frames)
  }

  private func writeHeader(frames: Int64) throws(OutputError) {
    let bytes = Self.header(format: format, sample: sample, mask: mask, frames: frames)
    var done = 0
    while done < bytes.count {
      let result = unsafe bytes.withUnsafeBytes { bytes in
        unsafe pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(done))
      }
      if result > 0 {
        done += result
      } else if errno != EINTR {
        throw Self.failure("cannot be completed", errno)
      }
    }
  }

  /// One sample as it is stored, appended to some bytes.
  public static func append(_ value: Float, as sample: Sample, to bytes: inout [UInt8]) {
    switch sample {
    case .f32: append(value.bitPattern, bytes: 4, to: &bytes)
    case .s24: append(UInt32(bitPattern: integer(value, 8_388_608)), bytes: 3, to: &bytes)
    case .s16: append(UInt32(bitPattern: integer(value, 32768)), bytes: 2, to: &bytes)
    }
  }

  /// The nearest step, held at full scale; not a number is silence.
  static func integer(_ value: Float, _ scale: Double) -> Int32 {
    guard !value.isNaN else { return 0 }
    let step = (Double(value) * scale).rounded(.toNearestOrEven)
    return Int32(min(max(step, -scale), scale - 1))
  }

  /// Writes what is kept back.
  func flush() throws(OutputError) {
    var done = 0
    while done < pending.count {
      let result = unsafe pending.withUnsafeBytes { bytes in
        unsafe Glibc.write(descriptor, bytes.baseAddress! + done, bytes.count - done)
      }
      if result > 0 {
        done += result
        if isPendingSound { stored += Int64(result) }
      } else if errno == EAGAIN && waitsForRoom() {
        continue
      } else if errno != EINTR {
        let cause = errno
        pending.removeAll(keepingCapacity: true)
        throw Self.failure("cannot be written", cause)
      }
    }
    pending.removeAll(keepingCapacity: true)
  }

  /// Waits until the reader takes something or is gone; false when the waiting was given up.
  private func waitsForRoom() -> Bool {
    var waits = [
      pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: givenUp, events: Int16(POLLIN), revents: 0),
    ]
    while unsafe poll(&waits, nfds_t(waits.count), -1) < 0, errno == EINTR {}
    let isGivenUp = waits[1].revents != 0
    if isGivenUp { errno = ECANCELED }
    return !isGivenUp
  }

  private static func failure(_ what: String, _ cause: CInt) -> OutputError {
    OutputError(
      .fileError, "\(what): \(unsafe String(cString: strerror(cause)))", underlying: Int(cause))
  }

  // MARK: Header

  private var dataBytes: Int64 { frames * Int64(format.channels * sample.bytes) }

  private func header(sizesKnown: Bool) -> [UInt8] {
    Self.header(
      format: format, sample: sample, mask: mask, frames: sizesKnown ? frames : nil)
  }

  /// The bytes before the samples, of the same length whether the number of frames is known or not.
  static func header(
    format: AudioFormat, sample: Sample, mask: UInt32, frames: Int64?
  ) -> [UInt8] {
    let chunk = formatChunk(format, sample, mask: mask)
    let fact: Int64 = sample == .f32 ? 12 : 0
    let dataBytes = (frames ?? 0) * Int64(format.channels * sample.bytes)
    let riffBytes = 4 + 36 + Int64(8 + chunk.count) + fact + 8 + dataBytes + dataBytes % 2
    let isLong = riffBytes > Int64(UInt32.max)
    /// A size, or all bits set where it is not known or stands in the long chunk.
    func size(_ bytes: Int64) -> UInt32 { frames == nil || isLong ? .max : UInt32(bytes) }

    var bytes: [UInt8] = []
    bytes += Array((isLong ? "RF64" : "RIFF").utf8)
    append(size(riffBytes), bytes: 4, to: &bytes)
    bytes += Array("WAVE".utf8)
    bytes += Array((isLong ? "ds64" : "JUNK").utf8)
    append(28, bytes: 4, to: &bytes)
    for number in isLong ? [riffBytes, dataBytes, frames ?? 0] : [0, 0, 0] {
      append(UInt32(truncatingIfNeeded: number), bytes: 4, to: &bytes)
      append(UInt32(truncatingIfNeeded: number >> 32), bytes: 4, to: &bytes)
    }
    append(0, bytes: 4, to: &bytes)
    bytes += Array("fmt ".utf8)
    append(UInt32(chunk.count), bytes: 4, to: &bytes)
    bytes += chunk
    if sample == .f32 {
      bytes += Array("fact".utf8)
      append(4, bytes: 4, to: &bytes)
      append(size(frames ?? 0), bytes: 4, to: &bytes)
    }
    bytes += Array("data".utf8)
    append(size(dataBytes), bytes: 4, to: &bytes)
    return bytes
  }

  private static func formatChunk(
    _ format: AudioFormat, _ sample: Sample, mask: UInt32
  ) -> [UInt8] {
    let isExtensible = format.channels > 2 || sample == .s24
    let tag: UInt32 = sample == .f32 ? 3 : 1
    let frameBytes = format.channels * sample.bytes
    var bytes: [UInt8] = []
    append(isExtensible ? 0xFFFE : tag, bytes: 2, to: &bytes)
    append(UInt32(format.channels), bytes: 2, to: &bytes)
    append(UInt32(format.sampleRate), bytes: 4, to: &bytes)
    append(UInt32(format.sampleRate * frameBytes), bytes: 4, to: &bytes)
    append(UInt32(frameBytes), bytes: 2, to: &bytes)
    append(UInt32(sample.bytes * 8), bytes: 2, to: &bytes)
    guard isExtensible else {
      // All but integers say how long what follows is, and be it nothing.
      if sample == .f32 { append(0, bytes: 2, to: &bytes) }
      return bytes
    }
    append(22, bytes: 2, to: &bytes)
    append(UInt32(sample.bytes * 8), bytes: 2, to: &bytes)
    append(mask, bytes: 4, to: &bytes)
    append(tag, bytes: 2, to: &bytes)
    // The rest of the GUID that turns a WAVE format tag into a sub-format.
    bytes += [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    return bytes
  }

  /// The stored order of channels and the mask that names them; untold or doubled places keep
  /// their order and have no mask.
  public static func waveOrder(_ layout: ChannelLayout) -> (order: [Int], mask: UInt32) {
    let channels = layout.channels
    let plain = Array(channels.indices)
    guard !channels.contains(.unknown), Set(channels).count == channels.count else {
      return (plain, 0)
    }
    let order = plain.sorted { channels[$0].rawValue < channels[$1].rawValue }
    return (order, channels.reduce(0) { $0 | 1 << UInt32($1.rawValue) })
  }

  private static func append(_ value: UInt32, bytes count: Int, to bytes: inout [UInt8]) {
    for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt32(index)))) }
  }
}
