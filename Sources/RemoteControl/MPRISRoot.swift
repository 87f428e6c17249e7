import Bus
import PlayerState

/// org.mpris.MediaPlayer2: who it is, and what it can play.
extension MPRISServer {
  nonisolated static let root = "org.mpris.MediaPlayer2"

  func rootInterface() -> BusInterface {
    BusInterface(
      Self.root,
      methods: [
        // A program cannot bring its terminal to the front: CanRaise says so.
        BusMethod("Raise") { $0.answer(.success([])) },
        BusMethod("Quit") { [weak self] call in
          call.answer(.success([]))
          self?.player.perform(.quit, from: .mpris)
        },
      ],
      properties: [
        BusProperty("CanQuit", "b") { .boolean(true) },
        BusProperty("Fullscreen", "b") {
          .boolean(false)
        } set: { (value) throws(BusError) in
          if value.bool == true { throw .notSupported("a terminal's size is not sotto's") }
        },
        BusProperty("CanSetFullscreen", "b") { .boolean(false) },
        BusProperty("CanRaise", "b") { .boolean(false) },
        BusProperty("HasTrackList", "b") { .boolean(true) },
        BusProperty("Identity", "s") { .string("sotto") },
        BusProperty("DesktopEntry", "s") { .string("sotto") },
        BusProperty("SupportedUriSchemes", "as") { .strings(MPRISAddress.schemes) },
        BusProperty("SupportedMimeTypes", "as") { .strings(Self.types) },
      ])
  }

  private static let types = [
    "audio/flac", "audio/mpeg", "audio/mp4", "audio/aac", "audio/ogg", "audio/opus",
    "audio/vorbis", "audio/x-vorbis+ogg", "audio/x-opus+ogg", "audio/x-wav", "audio/wav",
    "audio/x-aiff", "audio/aiff", "audio/x-wavpack", "audio/x-musepack", "audio/x-speex",
    "audio/x-ms-wma", "audio/x-ape", "audio/x-matroska", "audio/x-mpegurl", "audio/mpegurl",
    "audio/x-scpls", "application/xspf+xml", "application/x-cue",
  ]
}
