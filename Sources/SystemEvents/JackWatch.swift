import CAudioOutput
import Dispatch
import Glibc

/// The jacks of one card as they are, read from its control interface. Used by one thread at a time.
@safe public final class JackReader {
  private let watch: OpaquePointer
  /// Readable when something changed; -1 where nothing will be told.
  public let descriptor: CInt
  /// The jacks as they were read last.
  public private(set) var jacks: [Jack] = []

  /// - Parameter control: ALSA's name of the interface: "hw:0".
  /// - Throws: why there are no news of that card.
  public init(control: String) throws(SystemFault) {
    var failure: CInt = 0
    let opened = unsafe control.withCString { unsafe sotto_jack_watch_open($0, &failure) }
    guard let opened = unsafe opened else { throw SystemFault(number: -failure) }
    unsafe watch = opened
    descriptor = unsafe sotto_jack_watch_descriptor(opened)
    copy()
  }

  deinit { unsafe sotto_jack_watch_close(watch) }

  /// Takes what the card has told, without waiting, and reads how the jacks are now.
  ///
  /// - Returns: false when the card is gone.
  public func read() -> Bool {
    guard unsafe sotto_jack_watch_read(watch) else { return false }
    copy()
    return true
  }

  private func copy() {
    var count = 0
    guard let first = unsafe sotto_jack_watch_jacks(watch, &count) else {
      jacks = []
      return
    }
    jacks = unsafe UnsafeBufferPointer(start: first, count: count).map { jack in
      let name = unsafe withUnsafeBytes(of: jack.name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      return Jack(name, index: Int(jack.index), isIn: jack.is_in)
    }
  }
}

/// Tells how the jacks of a card are, whenever they have changed. It wakes nobody while nothing
/// happens. On the control thread.
@MainActor public final class JackWatch {
  private let reader: JackReader
  private var source: (any DispatchSourceRead)?
  /// The jacks as they were told last.
  public var jacks: [Jack] { reader.jacks }

  /// - Parameters:
  ///   - control: ALSA's name of the interface: "hw:0".
  ///   - onChange: called on the main queue with the jacks; `nil` when the card is gone, and then
  ///     never again.
  public init(control: String, onChange: @escaping @MainActor ([Jack]?) -> Void)
    throws(SystemFault)
  {
    reader = try JackReader(control: control)
    guard reader.descriptor >= 0 else { return }
    let source = DispatchSource.makeReadSource(fileDescriptor: reader.descriptor, queue: .main)
    source.setEventHandler { [weak self] in
      MainActor.assumeIsolated { self?.read(onChange) }
    }
    // The descriptor is the reader's: it may be closed only when nobody waits for it.
    let kept = Kept(reader: reader)
    source.setCancelHandler { _ = kept }
    source.activate()
    self.source = source
  }

  /// Nothing is told any more.
  public func end() {
    source?.cancel()
    source = nil
  }

  isolated deinit { end() }

  private func read(_ onChange: @MainActor ([Jack]?) -> Void) {
    guard source != nil else { return }
    let before = reader.jacks
    guard reader.read() else {
      end()
      return onChange(nil)
    }
    if reader.jacks != before { onChange(reader.jacks) }
  }

  /// Sendable because it is only let go of.
  private struct Kept: @unchecked Sendable { var reader: JackReader }
}

/// Something that the system does not give, with the system's own number for it.
public struct SystemFault: Error, Equatable, Sendable {
  public var number: CInt
  public init(number: CInt) { self.number = number }
}
