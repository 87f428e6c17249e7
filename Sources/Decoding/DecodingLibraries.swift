import CFFmpeg
import CSndfile
import CSoxr

/// One library that decoding binds at need: whether it is there, what it gives, and what its
/// absence costs.
public struct DecodingLibrary: Equatable, Sendable {
  public var name: String
  public var isAvailable: Bool
  /// The version bound; empty when it is not available or does not tell.
  public var version: String
  /// What it does: "reads FLAC, Vorbis and MP3".
  public var purpose: String
  /// What does not work without it: "FLAC, Vorbis and MP3 cannot be played".
  public var loss: String
  /// What to install, as a sentence without a full stop.
  public var remedy: String

  public init(
    name: String, isAvailable: Bool, version: String, purpose: String, loss: String,
    remedy: String
  ) {
    self.name = name
    self.isAvailable = isAvailable
    self.version = version
    self.purpose = purpose
    self.loss = loss
    self.remedy = remedy
  }
}

/// The libraries that decoding can use.
public enum DecodingLibraries {
  /// Binds every library that is there. Takes some 30 ms the first time; any thread.
  public static func survey() -> [DecodingLibrary] {
    [libsndfile(), ffmpeg(), libmpcdec(), soxr()]
  }

  private static func libsndfile() -> DecodingLibrary {
    var version = ""
    let library = unsafe sotto_sndfile_load()
    if let library = unsafe library {
      var text = [CChar](repeating: 0, count: 128)
      // SFC_GET_LIB_VERSION: the library's name and version, as "libsndfile-1.2.0".
      unsafe text.withUnsafeMutableBufferPointer { buffer in
        _ = unsafe library.pointee.command(nil, 0x1000, buffer.baseAddress, 127)
      }
      let name = String(
        decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      version = String(name.split(separator: "-").last ?? "")
    }
    return DecodingLibrary(
      name: "libsndfile", isAvailable: unsafe library != nil, version: version,
      purpose: "reads FLAC, Vorbis, MP3, CAF, AU and the rarer uncompressed files",
      loss: "FLAC, Vorbis, MP3, CAF and AU cannot be played",
      remedy: "Install libsndfile1")
  }

  private static func libmpcdec() -> DecodingLibrary {
    DecodingLibrary(
      name: "libmpcdec", isAvailable: MusepackFrames.isAvailable, version: "",
      purpose: "decodes Musepack, which FFmpeg finds in its files",
      loss: "Musepack is decoded by FFmpeg, up to two steps of 16 bits off",
      remedy: "Install libmpcdec6")
  }

  private static func soxr() -> DecodingLibrary {
    var error: UnsafePointer<CChar>?
    let resampler = unsafe sotto_soxr_create(44100, 48000, 1, 4, &error)
    if let resampler = unsafe resampler { unsafe sotto_soxr_delete(resampler) }
    return DecodingLibrary(
      name: "soxr", isAvailable: unsafe resampler != nil, version: "",
      purpose: "resamples where a track's rate differs from the device's",
      loss: "a track of another rate than the device's opens the device anew, with a gap",
      remedy: "Install libsoxr0")
  }

  private static func ffmpeg() -> DecodingLibrary {
    let missing = FFmpegLibrary.missing
    return DecodingLibrary(
      name: "FFmpeg", isAvailable: missing == nil,
      version: missing == nil ? unsafe String(cString: sotto_ff_version()) : "",
      purpose: "reads AAC, ALAC, Opus, WMA, Monkey's Audio, WavPack, Musepack and most others,"
        + " and plays http and https",
      loss: "AAC, ALAC, Opus, WMA, WavPack and http cannot be played",
      remedy: missing.map { $0.prefix(1).uppercased() + $0.dropFirst() } ?? "")
  }
}
