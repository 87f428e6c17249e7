import AudioTypes

/// Opens tracks: judges the file by its bytes, chooses a decoder and applies the part that a CUE
/// sheet or a chapter asks for. May be called from any thread; blocks on the disk (URLs: on the
/// network).
public enum TrackOpener {
  /// Opens a track, its next frame the first one.
  public static func open(_ location: TrackLocation) throws(DecodingError) -> any Decoder {
    let whole = try openWhole(location)
    if location.start <= 0 && location.end == nil { return whole }
    return try RangeDecoder(whole, start: location.start, end: location.end)
  }

  /// What the file is, without playing it.
  public static func info(_ location: TrackLocation) throws(DecodingError) -> TrackInfo {
    try open(location).info
  }

  private static func openWhole(_ location: TrackLocation) throws(DecodingError) -> any Decoder {
    if location.isURL { return try FFmpegDecoder(path: location.path, isURL: true) }
    let file = try ByteFile(path: location.path)
    let (kind, start) = try FileKind.detect(file)
    file.skip(start)
    switch kind {
    case .wave: if let source = try WaveHeader.read(file) { return try pcm(file, source) }
    case .wave64: if let source = try Wave64.read(file) { return try pcm(file, source) }
    case .aiff: if let source = try AIFFHeader.read(file) { return try pcm(file, source) }
    case .text: throw DecodingError(.notAudio, "not an audio file")
    case .flac, .oggFlac, .oggVorbis, .caf, .au, .rareUncompressed:
      return try with({ () throws(DecodingError) in try SndfileDecoder(file, kind) }, location)
    case .mp3: return try with({ () throws(DecodingError) in try MP3Decoder(file) }, location)
    case .other: break
    }
    return try FFmpegDecoder(path: location.path, isURL: false)
  }

  /// Opens with libsndfile, or where that is missing or refuses the file with FFmpeg. Where FFmpeg
  /// is missing too, the first reason is the one to tell.
  private static func with(
    _ open: () throws(DecodingError) -> any Decoder, _ location: TrackLocation
  ) throws(DecodingError) -> any Decoder {
    do {
      return try open()
    } catch {
      if error.code == .ioError { throw error }
      do {
        return try FFmpegDecoder(path: location.path, isURL: false)
      } catch let second {
        throw second.code == .libraryMissing ? error : second
      }
    }
  }

  private static func pcm(_ file: ByteFile, _ source: PCMSource) throws(DecodingError) -> PCMDecoder
  {
    try PCMDecoder(file: file, source: source)
  }
}
