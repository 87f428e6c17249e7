import CFFmpeg

/// FFmpeg's libraries: bound at first need, exactly those of the headers built with. Any thread.
enum FFmpegLibrary {
  /// Binds the libraries (27 ms the first time, never at start-up), or says what to install.
  static func load() throws(DecodingError) {
    if let sentence = missing { throw DecodingError(.libraryMissing, sentence) }
  }

  /// What to install, or `nil` when the libraries are there. Binds them.
  static var missing: String? {
    guard sotto_ff_compiled() else {
      return "needs FFmpeg: install libavformat-dev libavcodec-dev and build again"
    }
    guard !sotto_ff_load() else { return nil }
    let packages =
      "libavformat\(sotto_ff_format_major()) libavcodec\(sotto_ff_codec_major())"
    let name = unsafe String(cString: sotto_ff_missing())
    return "needs FFmpeg (\(name) is not there): install \(packages)"
  }

  /// A fault of the door in a sentence. `isOpen`: the file has been opened, so that nonsense in it is
  /// damage.
  static func error(_ code: Int32, isURL: Bool, isOpen: Bool) -> DecodingError {
    let kind = sotto_ff_fault(code, isOpen)
    let number = Int(code)
    switch kind {
    case SOTTO_FF_FAULT_NOT_AUDIO:
      return DecodingError(.notAudio, "not an audio file", underlying: number)
    case SOTTO_FF_FAULT_CORRUPT: return DecodingError(.corrupt, "damaged file", underlying: number)
    case SOTTO_FF_FAULT_UNSUPPORTED:
      return DecodingError(
        .unsupported, "a kind of audio that this FFmpeg cannot decode", underlying: number)
    case SOTTO_FF_FAULT_NOT_FOUND:
      return DecodingError(.notFound, "the server has no such file", underlying: number)
    case SOTTO_FF_FAULT_PERMISSION:
      return DecodingError(.noPermission, "the server refuses it", underlying: number)
    case SOTTO_FF_FAULT_PROTOCOL:
      return DecodingError(
        .protocolForbidden, "only http and https are played from the network", underlying: number)
    case SOTTO_FF_FAULT_TIMEOUT:
      return DecodingError(.network, "the server does not answer", underlying: number)
    case SOTTO_FF_FAULT_ABORTED: return DecodingError(.network, "given up", underlying: number)
    default:
      let text = describe(code)
      return isURL
        ? DecodingError(.network, "network fault: \(text)", underlying: number)
        : DecodingError(.ioError, "cannot be read: \(text)", underlying: number)
    }
  }

  private static func describe(_ code: Int32) -> String {
    var text = [CChar](repeating: 0, count: 128)
    unsafe text.withUnsafeMutableBufferPointer { buffer in
      unsafe sotto_ff_describe(code, buffer.baseAddress, buffer.count)
    }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// Ends the waiting of decoders from another thread: a network stream that is being opened, read or
/// sought gives up within moments, and so does a file that is long to read through. Only the
/// resolver's own waiting for the name of a host is not ended. For one decoder or for many; any
/// thread.
@safe public final class FFmpegAbort: @unchecked Sendable {
  // The flag is an atomic in C, and lives as long as this object.
  let flag: OpaquePointer?

  public init() { unsafe flag = sotto_ff_flag_new() }

  /// From now on everything that waits, or is to wait, fails with `.network` ("given up"). For good:
  /// what is opened afterwards takes another one. Any thread; never waits.
  public func raise() { if let flag = unsafe flag { unsafe sotto_ff_flag_set(flag, true) } }

  deinit { if let flag = unsafe flag { unsafe sotto_ff_flag_free(flag) } }
}
