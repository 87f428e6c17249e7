import AudioTypes
import CSndfile
import Glibc

/// One file open in libsndfile, read through a ByteStream. One thread at a time.
@safe final class SndfileHandle {
  let rate: Int
  let channels: Int
  /// What the library says; not always right for MP3.
  let frames: Int64
  /// The library's SF_FORMAT number.
  let kind: Int32
  let isSeekable: Bool

  private let library: UnsafePointer<sotto_sndfile>
  private let file: OpaquePointer
  private let stream: ByteStream

  init(_ stream: ByteStream) throws(DecodingError) {
    guard let library = unsafe sotto_sndfile_load() else {
      throw DecodingError(.libraryMissing, "needs libsndfile: install libsndfile1")
    }
    var io = unsafe sotto_sf_io(
      length: { context in unsafe SndfileHandle.stream(context).length },
      seek: { offset, whence, context in
        unsafe SndfileHandle.stream(context).seek(offset, whence)
      },
      read: { bytes, count, context in
        guard let bytes = unsafe bytes, count > 0 else { return 0 }
        let target = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
        return Int64(unsafe SndfileHandle.stream(context).read(into: target))
      },
      write: { _, _, _ in 0 },
      tell: { context in unsafe SndfileHandle.stream(context).position })
    var info = sotto_sf_info()
    // The stream lives as long as this handle, and the library asks only inside our calls.
    let context = unsafe Unmanaged.passUnretained(stream).toOpaque()
    guard let file = unsafe library.pointee.open_virtual(&io, 0x10, &info, context) else {
      if let failure = stream.failure { throw failure }
      let number = unsafe library.pointee.error(nil)
      let text = unsafe library.pointee.error_text(number).map { unsafe String(cString: $0) }
      throw DecodingError(
        number == 1 ? .unsupported : .corrupt,
        number == 1
          ? "not a kind of file that libsndfile reads"
          : "damaged file: \(text ?? "libsndfile cannot open it")", underlying: Int(number))
    }
    guard (1...PCMSource.mostChannels).contains(Int(info.channels)), info.rate > 0,
      info.rate <= PCMSource.highestRate
    else {
      _ = unsafe library.pointee.close(file)
      throw DecodingError(
        .corrupt, "damaged file: \(info.channels) channels of \(info.rate) Hz")
    }
    unsafe self.library = unsafe library
    unsafe self.file = unsafe file
    self.stream = stream
    rate = Int(info.rate)
    channels = Int(info.channels)
    frames = info.frames
    kind = info.format
    isSeekable = info.seekable != 0
  }

  deinit { _ = unsafe library.pointee.close(file) }

  private static func stream(_ context: UnsafeMutableRawPointer?) -> ByteStream {
    unsafe Unmanaged<ByteStream>.fromOpaque(context!).takeUnretainedValue()
  }

  /// Reads frames; 0 at the end or where the library gives up.
  func read(_ out: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    max(0, Int(unsafe library.pointee.read_float(file, out, Int64(frames))))
  }

  /// Decodes frames for nobody; false where the sound ends before.
  @discardableResult
  func drop(_ frames: Int64) -> Bool {
    var left = frames
    return unsafe withUnsafeTemporaryAllocation(of: Float.self, capacity: 1152 * channels) {
      scratch in
      while left > 0 {
        let count = unsafe read(scratch.baseAddress!, frames: Int(min(left, 1152)))
        if count == 0 { return false }
        left -= Int64(count)
      }
      return true
    }
  }

  /// The error that made the last read short, if one did.
  var failure: DecodingError? {
    if let failure = stream.failure { return failure }
    let number = unsafe library.pointee.error(file)
    if number == 0 { return nil }
    let text = unsafe library.pointee.error_text(number).map { unsafe String(cString: $0) }
    return DecodingError(
      .corrupt, "damaged file: \(text ?? "libsndfile gives up")", underlying: Int(number))
  }

  /// Goes to a frame; false where the library cannot.
  func seek(to frame: Int64) -> Bool { unsafe library.pointee.seek(file, frame, SEEK_SET) == frame }

  /// One of the library's texts (SF_STR_…).
  func text(_ kind: Int32) -> String? {
    guard let text = unsafe library.pointee.text(file, kind) else { return nil }
    let string = unsafe headerText(
      UnsafeBufferPointer(start: text, count: strlen(text)).map {
        UInt8(bitPattern: $0)
      })
    return string.isEmpty ? nil : string
  }

  /// Where each channel sounds, as the file says (SFC_GET_CHANNEL_MAP_INFO).
  var layout: ChannelLayout? {
    var places = [Int32](repeating: 0, count: channels)
    let size = Int32(channels * MemoryLayout<Int32>.size)
    guard unsafe library.pointee.command(file, 0x1100, &places, size) != 0 else { return nil }
    let named = places.map { Self.places[Int($0)] ?? .unknown }
    return named.contains(.unknown) ? nil : ChannelLayout(named)
  }

  private static let places: [Int: Channel] = [
    1: .frontCenter, 2: .frontLeft, 3: .frontRight, 4: .frontCenter, 5: .frontLeft,
    6: .frontRight, 7: .frontCenter, 8: .backCenter, 9: .backLeft, 10: .backRight,
    11: .lowFrequency, 12: .frontLeftOfCenter, 13: .frontRightOfCenter, 14: .sideLeft,
    15: .sideRight, 16: .topCenter, 17: .topFrontLeft, 18: .topFrontRight, 19: .topFrontCenter,
    20: .topBackLeft, 21: .topBackRight, 22: .topBackCenter,
  ]
}
