import AudioSession

extension Decision {
  /// The program because of which it was decided, where there is one: what can be left out.
  public var program: String? {
    let named: String? =
      switch remark {
      case .held(.blocker(let kind, let source), _), .willStart(.blocker(let kind, let source)?):
        kind == .call || kind == .solo || kind == .duck || kind == .primary ? source : nil
      case .quieter(let source), .playingQuietly(let source), .paused(_, let source): source
      default: nil
      }
    if let named, !named.isEmpty { return named }
    guard case .event(let event) = trigger else { return nil }
    let told: String? =
      switch event {
      case .begin(_, _, let source): source
      case .stream(let stream): stream.application.isEmpty ? stream.binary : stream.application
      case .peer(let peer): Self.application(peer.name)
      default: nil
      }
    return told.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// `org.mpris.MediaPlayer2.firefox.instance_1` is `firefox`.
  private static func application(_ name: String) -> String {
    let prefix = "org.mpris.MediaPlayer2."
    let own = name.hasPrefix(prefix) ? name.dropFirst(prefix.count) : name[...]
    return own.split(separator: ".").first.map(String.init) ?? String(own)
  }
}
