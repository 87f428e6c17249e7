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
    case .flac, .oggFlac, .oggVorbis, .mp3, .caf, .au, .rareUncompressed, .other: break
    }
    return try FFmpegDecoder(path: location.path, isURL: false)
  }

  private static func pcm(_ file: ByteFile, _ source: PCMSource) throws(DecodingError) -> PCMDecoder
  {
    try PCMDecoder(file: file, source: source)
  }
}
