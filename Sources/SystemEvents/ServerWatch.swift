import AudioTypes
import CAudioOutput
import Dispatch

/// How loud a stream of another program is, as far as it was measured.
public enum StreamLevel: String, Hashable, Sendable {
  case unknown
  /// Nothing above -60 dB of full scale for a second.
  case silent
  case sounding
  /// The server lets nobody measure it.
  case unavailable
}

/// Watches PulseAudio, or PipeWire by its PulseAudio service, on a connection and a thread of its
/// own: that costs nothing while nothing happens, and waits for no server.
///
/// On the control thread.
@MainActor public final class ServerWatch {
  /// The watch in C; nil once it is closed. The source's end frees it: until then its descriptor is
  /// waited for.
  private var handle: Handle?
  private let source: any DispatchSourceRead
  private let onChange: @MainActor (ServerSnapshot, [UInt32: StreamLevel]) -> Void
  /// The newest picture; `nil` until the first one.
  public private(set) var latest: ServerSnapshot?
  private var measured: [UInt32] = []

  /// - Parameters:
  ///   - server: its address as in PULSE_SERVER; `nil` takes what the environment says.
  ///   - onChange: called with the newest picture and the levels, when one of them is new.
  /// - Returns: `nil` where no descriptor or thread is to be had.
  public init?(
    server: String? = nil,
    onChange: @escaping @MainActor (ServerSnapshot, [UInt32: StreamLevel]) -> Void
  ) {
    guard let watch = unsafe Self.open(server) else { return nil }
    let handle = unsafe Handle(watch: watch)
    self.handle = handle
    self.onChange = onChange
    source = DispatchSource.makeReadSource(
      fileDescriptor: unsafe sotto_watch_descriptor(watch), queue: .main)
    source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.take() } }
    source.setCancelHandler { unsafe sotto_watch_close(handle.watch) }
    source.activate()
  }

  isolated deinit { source.cancel() }

  fileprivate nonisolated static func open(_ server: String?) -> OpaquePointer? {
    guard let server else { return unsafe sotto_watch_open(nil) }
    return unsafe server.withCString { unsafe sotto_watch_open($0) }
  }

  @safe private struct Handle: @unchecked Sendable {
    let watch: OpaquePointer
  }

  /// Takes what is there already, without waiting for the queue to come to it.
  public func take() {
    guard let watch = unsafe handle?.watch else { return }
    if let seen = unsafe sotto_watch_take(watch) {
      latest = unsafe ServerSnapshot(seen)
      unsafe sotto_seen_free(seen)
    }
    if let latest { onChange(latest, levels()) }
  }

  /// Asks for a new picture although nothing happened.
  public func refresh() {
    if let watch = unsafe handle?.watch { unsafe sotto_watch_refresh(watch) }
  }

  /// Measures these playback streams from now on, at most sixteen, and no others.
  public func measure(_ streams: [UInt32]) {
    guard let watch = unsafe handle?.watch, streams != measured else { return }
    measured = streams
    unsafe streams.withUnsafeBufferPointer { streams in
      unsafe sotto_watch_measure(watch, streams.baseAddress, streams.count)
    }
  }

  private func levels() -> [UInt32: StreamLevel] {
    guard !measured.isEmpty, let watch = unsafe handle?.watch else { return [:] }
    let names: [StreamLevel] = [.unknown, .silent, .sounding, .unavailable]
    let room = Int(SOTTO_LEVEL_MOST)
    return unsafe withUnsafeTemporaryAllocation(of: sotto_level.self, capacity: room) { levels in
      let count = unsafe sotto_watch_levels(watch, levels.baseAddress)
      var found: [UInt32: StreamLevel] = [:]
      for index in 0..<count {
        let level = unsafe levels[index]
        found[level.stream] = names[Int(level.state)]
      }
      return found
    }
  }

  /// Ends the watch. Does not wait for the server.
  public func close() {
    handle = nil
    source.cancel()
  }
}

extension ServerSnapshot {
  /// One picture of a server, for who asks once: waits for it at most about three seconds. `nil` when
  /// no server answers. Blocks.
  public static func once(server: String? = nil) -> ServerSnapshot? {
    guard let watch = unsafe ServerWatch.open(server) else { return nil }
    defer { unsafe sotto_watch_close(watch) }
    let descriptor = unsafe sotto_watch_descriptor(watch)
    guard sotto_eventfd_wait(descriptor, 3000), let seen = unsafe sotto_watch_take(watch) else {
      return nil
    }
    defer { unsafe sotto_seen_free(seen) }
    let snapshot = unsafe ServerSnapshot(seen)
    return snapshot.state == .ready ? snapshot : nil
  }
}
