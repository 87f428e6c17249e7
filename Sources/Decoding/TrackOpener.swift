import AudioTypes

/// Opens tracks: judges the file by its bytes, chooses a decoder and applies the part that a CUE
/// sheet or a chapter asks for. May be called from any thread; blocks on the disk (URLs: on the
/// network).
public enum TrackOpener {
  /// Opens a track, its next frame the first one. Waits for the network for ten seconds at the most.
  ///
  /// - Parameter abort: raised from another thread, ends the waiting of opening, and later that of the
  ///   decoder's reads and seeks, with a `.network` fault; what FFmpeg does not read waits for the disk
  ///   alone and takes no notice.
  public static func open(
    _ location: TrackLocation, abort: FFmpegAbort? = nil
  ) throws(DecodingError) -> any Decoder {
    let whole = try openWhole(location, abort)
    if location.start <= 0 && location.end == nil { return whole }
    return try RangeDecoder(whole, start: location.start, end: location.end)
  }

  /// What the file is, without playing it.
  public static func info(_ location: TrackLocation) throws(DecodingError) -> TrackInfo {
    try open(location).info
  }

  private static func openWhole(
    _ location: TrackLocation, _ abort: FFmpegAbort?
  ) throws(DecodingError) -> any Decoder {
    if location.isURL { return try FFmpegDecoder(path: location.path, isURL: true, abort: abort) }
    let file = try ByteFile(path: location.path)
    let (kind, start, tags) = try FileKind.detect(file)
    file.skip(start)
    switch kind {
    case .wave: if let source = try WaveHeader.read(file) { return try pcm(file, source, tags) }
    case .wave64: if let source = try Wave64.read(file) { return try pcm(file, source, tags) }
    case .aiff: if let source = try AIFFHeader.read(file) { return try pcm(file, source, tags) }
    case .text: throw DecodingError(.notAudio, "not an audio file")
    case .oggVorbis:
      return try with(
        { () throws(DecodingError) in try VorbisDecoder(file, tags) }, location, abort)
    case .flac, .oggFlac, .caf, .au, .rareUncompressed:
      return try with(
        { () throws(DecodingError) in try SndfileDecoder(file, kind, tags) }, location, abort)
    case .mp3:
      return try with({ () throws(DecodingError) in try MP3Decoder(file, tags) }, location, abort)
    case .voice, .other: break
    }
    return try FFmpegDecoder(path: location.path, isURL: false, abort: abort)
  }

  /// Opens with libsndfile, or where that is missing or refuses the file with FFmpeg. Where FFmpeg
  /// is missing too, the first reason is the one to tell.
  private static func with(
    _ open: () throws(DecodingError) -> any Decoder, _ location: TrackLocation,
    _ abort: FFmpegAbort?
  ) throws(DecodingError) -> any Decoder {
    do {
      return try open()
    } catch {
      if error.code == .ioError { throw error }
      do {
        return try FFmpegDecoder(path: location.path, isURL: false, abort: abort)
      } catch let second {
        throw second.code == .libraryMissing ? error : second
      }
    }
  }

  private static func pcm(
    _ file: ByteFile, _ source: PCMSource, _ before: FileTags
  ) throws(DecodingError) -> PCMDecoder {
    var tags = before
    if let id3 = source.id3, let more = try ID3.read(file, at: id3) { tags.add(missingFrom: more) }
    return try PCMDecoder(file: file, source: source, tags: tags)
  }
}
