/// What a codec asks of a seek.
///
/// Most codecs have a finite memory: some packets before the target are decoded and dropped, and
/// the frames are those of a straight decode. Some draw noise from a generator that runs on from
/// packet to packet (AAC's noise substitution, Windows Media, Musepack), so that no pre-roll brings
/// the same frames again. Those are cut into segments: at each border, also in a straight decode, a
/// decoder in its first state takes over after a few packets of pre-roll. A seek begins at a border
/// and gives the same frames bit for bit.
struct CodecTraits {
  /// Seconds to decode and drop before the target.
  var preroll: Double = 1
  /// The first packet after a seek gives fewer frames than it holds, at its end.
  var startsShort = false
  /// The decoder cannot be told to forget: a new one takes its place.
  var restarts = false
  /// Seconds from one border to the next, 0 for none, and the packets of pre-roll there.
  var segment: Double = 0
  var packets = 0
  /// Before that pre-roll a new decoder gets the file's first packet: it has the header of the band
  /// replication, which some encoders never send again.
  var primes = false

  init(codec: String, profile: String) {
    switch codec {
    case "aac", "aac_latm":
      let replicates = profile.hasPrefix("HE-AAC")
      // HE-AAC: a border needs a second, until the band replication's header and values that are
      // not told as differences have come.
      segment = replicates ? 8 : 4
      packets = replicates ? 24 : 4
      primes = replicates
    case "wmav1", "wmav2": (segment, packets, startsShort) = (4, 8, true)
    case "musepack7": (segment, packets) = (4, 40)
    case "musepack8": (segment, packets) = (4, 1)
    // Opus: what a band predicts from the packet before fades by a half each 20 ms, or as fast in
    // shorter packets. After 0.3 s full scale is 2 steps of 16 bits off, after 0.4 s 0.1.
    case "opus": (preroll, packets) = (0.4, 50)
    case "speex": (preroll, restarts) = (4, true)
    case "vorbis": (preroll, startsShort) = (0.4, true)
    case "mp3", "mp2", "mp1", "mp3adu", "mp3on4": preroll = 1.5
    case "ac3", "eac3", "dts": preroll = 0.2
    case "alac", "ape", "flac", "shorten", "tak", "tta", "wavpack": preroll = 0
    case _ where codec.hasPrefix("pcm_"): preroll = 0
    case _ where codec.hasPrefix("dsd_"): preroll = 0.05
    default: preroll = 1
    }
  }
}
