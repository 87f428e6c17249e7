/// Music files in every format with the same tags, written by encoders and by mutagen, which shares
/// nothing with TagLib.
public struct TaggedFiles {
  /// A format: its file's name, how it is encoded, and what its tags cannot say.
  public struct Format: Sendable, CustomStringConvertible {
    public var name: String
    public var make: @Sendable (Encoder, String) throws -> String
    /// Loudness is tagged as R128 of Opus says.
    public var isR128 = false
    public var hasManyValues = true
    public var hasRating = true
    public var hasPicture = true
    /// Read by FFmpeg, whose tags are fewer.
    public var isFFmpegs = false
    public var description: String { name }
  }

  public static let formats: [Format] = [
    Format(name: "a.flac") { try $0.tool(["flac", "-s", "-f", "-o", "{out}", "{in}"], $1) },
    Format(name: "a.oga") {
      try $0.tool(["flac", "-s", "-f", "--ogg", "-o", "{out}", "{in}"], $1)
    },
    Format(name: "a.ogg") { try $0.tool(["oggenc", "-Q", "-o", "{out}", "{in}"], $1) },
    Format(
      name: "a.opus", make: { try $0.tool(["opusenc", "--quiet", "{in}", "{out}"], $1) },
      isR128: true),
    Format(name: "a.spx") { try $0.tool(["speexenc", "--quiet", "{in}", "{out}"], $1) },
    Format(name: "a.mp3") { try $0.tool(["lame", "--quiet", "{in}", "{out}"], $1) },
    Format(name: "old.mp3") {
      try $0.tool(["lame", "--quiet", "-b", "192", "-t", "{in}", "{out}"], $1)
    },
    Format(name: "a.wv") { try $0.tool(["wavpack", "-q", "-y", "{in}", "-o", "{out}"], $1) },
    Format(name: "a.mpc") {
      try $0.tool(["mpcenc", "--silent", "--overwrite", "{in}", "{out}"], $1)
    },
    Format(name: "a.tta") { try $0.ffmpeg($1, ["-c:a", "tta"]) },
    Format(name: "a.m4a") { try $0.ffmpeg($1, ["-c:a", "aac"]) },
    Format(name: "lossless.m4a") { try $0.ffmpeg($1, ["-c:a", "alac"]) },
    Format(name: "a.wma") { try $0.ffmpeg($1, ["-c:a", "wmav2"]) },
    Format(name: "a.wav") { try $0.ffmpeg($1, ["-c:a", "pcm_s16le"]) },
    Format(name: "a.aiff") { try $0.ffmpeg($1, ["-c:a", "pcm_s16be"]) },
    Format(
      name: "a.mka", make: { try $0.ffmpeg($1, ["-c:a", "flac"] + matroska) }, hasManyValues: false,
      hasRating: false, hasPicture: false, isFFmpegs: true),
  ]

  private static let matroska = [
    ("title", title), ("artist", artists[0]), ("album_artist", albumArtist), ("album", album),
    ("track", "3/12"), ("disc", "1/2"), ("date", "1997-05-21"), ("genre", genres[0]),
    ("composer", composers[0]), ("comment", comment), ("lyrics", "la la"),
    ("REPLAYGAIN_TRACK_GAIN", "-6.50 dB"), ("REPLAYGAIN_TRACK_PEAK", "0.5"),
    ("REPLAYGAIN_ALBUM_GAIN", "-5.00 dB"), ("REPLAYGAIN_ALBUM_PEAK", "0.75"),
    ("COMPILATION", "1"), ("ORIGINALDATE", "1985"), ("MUSICBRAINZ_TRACKID", recording),
    ("MUSICBRAINZ_ALBUMID", release),
  ].flatMap { ["-metadata", "\($0.0)=\($0.1)"] }

  public static let title = "Große Fuge 春"
  public static let artists = ["Anna Ö", "Čeněk & Co"]
  public static let albumArtist = "Various Artists"
  public static let album = "Сборник"
  public static let genres = ["Jazz", "Fusion"]
  public static let composers = ["Björk", "X / Y"]
  public static let comment = "bought, not copied"
  public static let recording = "11111111-2222-3333-4444-555555555555"
  public static let release = "66666666-7777-8888-9999-000000000000"

  /// Writes a format's file and tags it.
  public static func make(_ format: Format, _ encoder: Encoder) throws -> String {
    let path = try format.make(encoder, format.name)
    if !format.isFFmpegs {
      try Tool.run("/usr/bin/python3", ["-c", script, path] + (format.isR128 ? ["r128"] : []))
    }
    return path
  }

  private static let script = """
    import base64, sys, zlib, struct
    import mutagen
    from mutagen import id3
    from mutagen.flac import Picture
    path = sys.argv[1]
    r128 = 'r128' in sys.argv
    f = mutagen.File(path)
    if f.tags is None: f.add_tags()
    kind = type(f).__name__
    def chunk(name, body):
        return (struct.pack('>I', len(body)) + name + body
            + struct.pack('>I', zlib.crc32(name + body)))
    png = (b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 1, 1, 8, 2, 0, 0, 0))
        + chunk(b'IDAT', zlib.compress(b'\\0\\xff\\0\\0')) + chunk(b'IEND', b''))
    artists, genres = ['Anna Ö', 'Čeněk & Co'], ['Jazz', 'Fusion']
    composers = ['Björk', 'X / Y']
    rec, rel = '11111111-2222-3333-4444-555555555555', '66666666-7777-8888-9999-000000000000'
    gains = {'replaygain_track_gain': '-6.50 dB', 'replaygain_track_peak': '0.5',
        'replaygain_album_gain': '-5.00 dB', 'replaygain_album_peak': '0.75'}
    common = {'title': ['Große Fuge 春'], 'artist': artists, 'albumartist': ['Various Artists'],
        'album': ['Сборник'], 'date': ['1997-05-21'], 'originaldate': ['1985'], 'genre': genres,
        'composer': composers, 'comment': ['bought, not copied'], 'compilation': ['1'],
        'musicbrainz_trackid': [rec], 'musicbrainz_albumid': [rel], 'lyrics': ['la la']}
    picture = Picture()
    picture.type, picture.mime, picture.data = 3, 'image/png', png
    if kind in ('FLAC', 'OggVorbis', 'OggOpus', 'OggSpeex', 'OggFLAC'):
        for k, v in common.items(): f.tags[k] = v
        f.tags['tracknumber'], f.tags['tracktotal'] = ['3'], ['12']
        f.tags['discnumber'] = ['1/2']
        f.tags['rating'] = ['80']
        if r128:
            # -6.5 dB and -5 dB of ReplayGain lie 5 dB above R128.
            f.tags['r128_track_gain'], f.tags['r128_album_gain'] = ['-2944'], ['-2560']
        else:
            for k, v in gains.items(): f.tags[k] = [v]
        if kind == 'FLAC': f.add_picture(picture)
        else: f.tags['metadata_block_picture'] = [base64.b64encode(picture.write()).decode()]
    elif kind in ('WavPack', 'Musepack'):
        for k, v in common.items(): f.tags[{'albumartist': 'Album Artist', 'date': 'Year'}.get(k, k)] = v
        f.tags['track'], f.tags['disc'], f.tags['rating'] = '3/12', '1/2', '80'
        for k, v in gains.items(): f.tags[k] = v
        f.tags['Cover Art (Front)'] = mutagen.apev2.APEValue(b'a.png\\0' + png, 1)
    elif kind == 'MP4':
        t = f.tags
        t['\\xa9nam'], t['\\xa9ART'], t['aART'] = common['title'], artists, ['Various Artists']
        t['\\xa9alb'], t['\\xa9day'], t['\\xa9gen'] = common['album'], ['1997-05-21'], genres
        t['\\xa9wrt'], t['\\xa9cmt'], t['\\xa9lyr'] = composers, common['comment'], ['la la']
        t['trkn'], t['disk'], t['cpil'] = [(3, 12)], [(1, 2)], True
        t['covr'] = [mutagen.mp4.MP4Cover(png, mutagen.mp4.MP4Cover.FORMAT_PNG)]
        own = {'MusicBrainz Track Id': rec, 'MusicBrainz Album Id': rel, 'ORIGINALDATE': '1985',
            'RATING': '80', **gains}
        for k, v in own.items():
            t['----:com.apple.iTunes:' + k] = [mutagen.mp4.MP4FreeForm(v.encode())]
    elif kind == 'ASF':
        t = f.tags
        t['Title'], t['Author'], t['WM/AlbumArtist'] = common['title'], artists, ['Various Artists']
        t['WM/AlbumTitle'], t['WM/Year'], t['WM/Genre'] = common['album'], ['1997-05-21'], genres
        t['WM/Composer'], t['Description'], t['WM/Lyrics'] = composers, common['comment'], ['la la']
        t['WM/TrackNumber'], t['WM/PartOfSet'], t['WM/IsCompilation'] = '3/12', '1/2', '1'
        t['WM/OriginalReleaseTime'] = '1985'
        t['MusicBrainz/Track Id'], t['MusicBrainz/Album Id'] = rec, rel
        t['WM/SharedUserRating'] = mutagen.asf.ASFDWordAttribute(75)
        for k, v in gains.items(): t[k] = v
        mime, data = 'image/png', png
        t['WM/Picture'] = mutagen.asf.ASFByteArrayAttribute(
            struct.pack('<bI', 3, len(data)) + mime.encode('utf-16-le') + b'\\0\\0' + b'\\0\\0' + data)
    else:
        t = f.tags
        def add(frame): t.add(frame)
        add(id3.TIT2(3, common['title'])); add(id3.TPE1(3, artists)); add(id3.TALB(3, common['album']))
        add(id3.TPE2(3, ['Various Artists'])); add(id3.TRCK(3, ['3/12'])); add(id3.TPOS(3, ['1/2']))
        add(id3.TDRC(3, ['1997-05-21'])); add(id3.TDOR(3, ['1985'])); add(id3.TCON(3, genres))
        add(id3.TCOM(3, composers)); add(id3.COMM(3, 'eng', '', common['comment']))
        add(id3.TCMP(3, ['1'])); add(id3.USLT(3, 'eng', '', 'la la'))
        add(id3.UFID('http://musicbrainz.org', rec.encode()))
        add(id3.TXXX(3, 'MusicBrainz Album Id', [rel]))
        add(id3.POPM('someone@example.org', 196, 7))
        add(id3.APIC(3, 'image/png', 3, 'front', png))
        for k, v in gains.items(): add(id3.TXXX(3, k.upper(), [v]))
    f.save()
    """
}
