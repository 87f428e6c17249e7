import AudioTypes
import Dispatch
import Glibc
import JSONText
import PlayerState

/// What the control socket reaches.
@MainActor public protocol ControlTarget: AnyObject {
  /// Carries out what a line asks for and tells, now or later, what became of it.
  func perform(_ line: String, _ answer: @escaping @MainActor (ControlReply) -> Void)
  /// How it stands, as fields. `at`, `position` and `isAdvancing` must be among them.
  func status() -> [(String, JSON)]
  /// How it stands, in lines for people.
  func statusLines() -> [String]
}

/// What becomes of a line, and how that is written.
public enum ControlReply: Equatable, Sendable {
  /// It is done; what there is to say, in sentences.
  case done([String])
  /// So many tracks came into the queue; what there is to say, and what did not come and why.
  case added(Int, said: [String], faults: [String])
  /// It is not, and why: the first fault, and all of them where there are several.
  case failed(String, faults: [String] = [])

  public var line: String {
    switch self {
    case .done(let sentences):
      JSON.object([("ok", .bool(true))] + Self.list("said", sentences)).text()
    case .added(let count, let sentences, let faults):
      JSON.object(
        [("ok", .bool(true))] + Self.list("said", sentences) + [("added", .int(count))]
          + Self.list("errors", faults)
      ).text()
    case .failed(let sentence, let faults): Self.failure(sentence, faults)
    }
  }

  static func failure(_ sentence: String, _ faults: [String] = []) -> String {
    JSON.object(
      [("ok", .bool(false)), ("error", .string(sentence))]
        + list("errors", faults.count > 1 ? faults : [])
    ).text()
  }

  /// Nothing where there is nothing to list.
  private static func list(_ name: String, _ sentences: [String]) -> [(String, JSON)] {
    sentences.isEmpty ? [] : [(name, .array(sentences.map { .string($0) }))]
  }
}

/// The control socket: lines of text are commands, lines of JSON their answers. It needs no D-Bus;
/// only the user's own programs are answered.
///
/// On the control thread.
@MainActor public final class ControlServer {
  private unowned let target: any ControlTarget
  private var listening: (any DispatchSourceRead)?
  private var socket: ControlDescriptor?
  private var folder: ControlDescriptor?
  private var peers: [ObjectIdentifier: ControlPeer] = [:]
  private var isDue = false
  private var changes = StatusChanges()
  private var user = geteuid()
  /// The name that this player is chosen by; `nil` while it has none.
  public private(set) var name: String?

  /// As many programs can be connected at once.
  public nonisolated static let mostPeers = 64
  /// Who has said nothing for as long, in seconds, makes room for another.
  static let idleSeconds = 1.0
  /// As many are taken in at once; the player's other business has its turn between.
  private static let acceptedAtOnce = 16

  /// Nobody is listened to yet.
  public init(_ target: any ControlTarget) { self.target = target }

  /// Begins to listen, under the first name that is free.
  public func open(in place: ControlFolder) throws(ControlError) {
    guard listening == nil else { return }
    let (name, socket, folder) = try place.claim(getpid())
    (self.name, self.socket, self.folder, user) = (name, socket, folder, place.user)
    listen()
  }

  private func listen() {
    guard let socket else { return }
    let source = DispatchSource.makeReadSource(fileDescriptor: socket.number, queue: .main)
    source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.accept() } }
    source.setCancelHandler { [socket] in _ = socket }
    source.activate()
    listening = source
  }

  /// Gives the name up and lets everybody go.
  public func close() {
    if let folder, let name { unsafe unlinkat(folder.number, name, 0) }
    (name, folder) = (nil, nil)
    listening?.cancel()
    (listening, socket) = (nil, nil)
    for peer in peers.values { peer.end() }
  }

  /// Something may have changed; who watches is told once this turn is over.
  public func changed() {
    guard !isDue, peers.values.contains(where: \.isWatching) else { return }
    isDue = true
    DispatchQueue.main.async { [weak self] in
      MainActor.assumeIsolated { self?.tell() }
    }
  }

  private func tell() {
    isDue = false
    let watchers = peers.values.filter(\.isWatching)
    guard !watchers.isEmpty, let fields = changes.next(target.status()) else { return }
    let line = JSON.object(fields).text()
    for peer in watchers { peer.send(line) }
  }

  // MARK: Who comes

  private func accept() {
    for _ in 0..<Self.acceptedAtOnce {
      guard let socket else { return }
      let number = Glibc.accept(socket.number, nil, nil)
      if number < 0 {
        let cause = errno
        if cause == EINTR || cause == ECONNABORTED { continue }
        if cause != EAGAIN { rest() }
        return
      }
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
      _ = fcntl(number, F_SETFL, O_NONBLOCK)
      take(ControlDescriptor(taking: number))
    }
  }

  /// No descriptor is free: asked again at once, the same answer would come for ever.
  private func rest() {
    listening?.cancel()
    listening = nil
    DispatchQueue.main.asyncAfter(deadline: .now() + 1) { [weak self] in
      MainActor.assumeIsolated {
        guard let self, self.listening == nil else { return }
        self.listen()
      }
    }
  }

  private func take(_ socket: ControlDescriptor) {
    // Others could not have come in; who it is is looked at all the same.
    guard socket.peer == user else { return }
    if peers.count >= Self.mostPeers { makeRoom() }
    let peer = ControlPeer(socket)
    guard peers.count < Self.mostPeers else {
      return peer.send(
        ControlReply.failure("\(Self.mostPeers) programs are connected already"))
    }
    peers[ObjectIdentifier(peer)] = peer
    peer.onLine = { [weak self] peer, line in self?.take(line, from: peer) }
    peer.onEnd = { [weak self] peer in _ = self?.peers.removeValue(forKey: ObjectIdentifier(peer)) }
    peer.begin()
  }

  /// Who came long ago and says nothing goes.
  private func makeRoom() {
    let quiet = peers.values.filter { !$0.isWatching }.min { $0.heard < $1.heard }
    guard let quiet else { return }
    let now = DispatchTime.now().uptimeNanoseconds
    if Double(now - quiet.heard.uptimeNanoseconds) / 1e9 > Self.idleSeconds { quiet.end() }
  }

  // MARK: What they say

  private func take(_ bytes: [UInt8], from peer: ControlPeer) {
    let line = String(decoding: bytes, as: UTF8.self)
    let words = CommandWords(line)
    let name = words.words.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
    let rest = words.words.dropFirst().map { String(decoding: $0, as: UTF8.self) }
    switch (name, rest) {
    case ("status", []): return peer.answer(ControlReply.done(target.statusLines()).line)
    case ("status", ["--json"]): return peer.answer(JSON.object(target.status()).text())
    case ("watch", []):
      // The others first: from here on all are told the same.
      tell()
      let fields = target.status()
      changes = StatusChanges()
      _ = changes.next(fields)
      peer.isWatching = true
      return peer.answer(JSON.object(fields).text())
    case ("status", _), ("watch", _):
      let takes = name == "status" ? "--json or nothing" : "nothing"
      return peer.answer(ControlReply.failure("'\(name)' takes \(takes)"))
    default: break
    }
    target.perform(line) { peer.answer($0.line) }
  }
}
