/// What is seen of other programs: their streams and players, and what is not yet decided about
/// them.
struct Scene: Hashable, Sendable, Codable {
  var streams: [StreamObservation] = []
  var peers: [PeerObservation] = []
  /// Programs that the user left out, in lower case.
  var ignored: [String] = []
  var pending: [Pending] = []

  /// Something that counts only when it lasts.
  struct Pending: Hashable, Sendable, Codable {
    enum Kind: UInt8, Hashable, Sendable, Codable {
      case callConfirmed, primaryConfirmed, callOver
    }

    var kind: Kind
    /// A program for calls, a blocker's id for players.
    var id: String
    var due: SessionTime
    /// The user has asked to play since: it will not suppress.
    var isOverridden = false
  }

  func stream(_ id: String) -> StreamObservation? { streams.first { $0.id == id } }

  func peer(_ id: String) -> PeerObservation? { peers.first { $0.id == id } }

  func isPending(_ kind: Pending.Kind, _ id: String) -> Bool {
    pending.contains { $0.kind == kind && $0.id == id }
  }

  mutating func cancel(_ kind: Pending.Kind, _ id: String) {
    pending.removeAll { $0.kind == kind && $0.id == id }
  }

  func isIgnored(_ stream: StreamObservation) -> Bool {
    !ignored.isEmpty
      && (ignored.contains(stream.application.lowercased())
        || ignored.contains(stream.binary.lowercased()))
  }

  func isIgnored(_ peer: PeerObservation) -> Bool {
    !ignored.isEmpty && ignored.contains(PeerName.application(peer.name).lowercased())
  }

  /// Sound of another program that a listener hears (T3: an uncorked stream may be silent).
  func isForeignSound(_ stream: StreamObservation) -> Bool {
    stream.isAudible && !stream.isCorked && !stream.isMuted && stream.direction == .playback
      && !Classifier.isLeftOut(stream)
  }

  /// The words that tell one program's streams from another's.
  static func program(_ stream: StreamObservation) -> String? {
    if let client = stream.client, !client.isEmpty { return client }
    if !stream.binary.isEmpty { return stream.binary }
    return stream.application.isEmpty ? nil : stream.application
  }

  static func blockerID(_ stream: StreamObservation) -> String {
    (stream.direction == .playback ? "sinkinput:" : "source:") + stream.id
  }

  static func blockerID(_ peer: PeerObservation) -> String { "mpris:" + peer.id }

  static func callID(_ program: String) -> String { "call:" + program }
}

/// The names that players have on the bus.
enum PeerName {
  /// `org.mpris.MediaPlayer2.firefox.instance_1` is `firefox`; a bare name is itself.
  static func application(_ name: String) -> String {
    let prefix = "org.mpris.MediaPlayer2.".utf8
    let own = name.utf8.starts(with: prefix) ? name.utf8.dropFirst(prefix.count) : name.utf8[...]
    let first = own.drop { $0 == UInt8(ascii: ".") }.prefix { $0 != UInt8(ascii: ".") }
    return String(Substring(first.isEmpty ? own : first))
  }
}
