import CSystemd
import Glibc
import Synchronization

/// Keeps the machine from sleeping while it lives and has not been ended: logind's inhibitor lock
/// of the kind "block" (S40). For work that holds its own thread, so it needs no control thread: a
/// thread of its own asks for the lock and ends. Where there is no logind, or it refuses, nothing
/// happens. When the process ends, however that is, the lock ends with it.
///
/// May be used from any thread.
public final class SleepInhibitor: Sendable {
  private let lock = SleepLock()

  /// Asks for the lock; returns at once.
  ///
  /// - Parameter why: what is done meanwhile, as "scanning music": the desktop shows it.
  public init(why: String) {
    let work = InhibitorWork(lock, why)
    let context = unsafe Unmanaged.passRetained(work).toOpaque()
    var id = pthread_t()
    if unsafe pthread_create(&id, nil, inhibitorThread, context) == 0 {
      pthread_detach(id)
    } else {
      unsafe Unmanaged<InhibitorWork>.fromOpaque(context).release()
    }
  }

  deinit { end() }

  /// Lets the machine sleep again.
  public func end() { lock.end() }
}

/// The lock, once it is there.
private final class SleepLock: Sendable {
  private let state = Mutex<(descriptor: BusDescriptor?, isEnded: Bool)>((nil, false))

  func keep(_ descriptor: BusDescriptor) {
    state.withLock { if !$0.isEnded { $0.descriptor = descriptor } }
  }

  func end() { state.withLock { $0 = (nil, true) } }

  var isEnded: Bool { state.withLock { $0.isEnded } }
}

@safe private final class InhibitorWork {
  let lock: SleepLock
  let why: String
  var isAnswered = false
  private var library: UnsafePointer<sotto_systemd>?

  init(_ lock: SleepLock, _ why: String) {
    self.lock = lock
    self.why = why
  }

  /// Steps of waiting, in milliseconds, and how many: a logind that does not answer is given up.
  private static let step: CInt = 100
  private static let steps = 50

  func run() {
    guard let library = unsafe sotto_systemd_load() else { return }
    unsafe self.library = unsafe library
    var opened: OpaquePointer?
    guard unsafe library.pointee.open_system(&opened) >= 0, let bus = unsafe opened else {
      return
    }
    defer { unsafe _ = library.pointee.close_unref(bus) }
    var isAsked = false
    for _ in 0..<Self.steps where !isAnswered && !lock.isEnded {
      var result: CInt = 1
      while result > 0 { result = unsafe library.pointee.process(bus, nil) }
      if result < 0 || isAnswered { return }
      if !isAsked, unsafe library.pointee.is_ready(bus) > 0 {
        guard unsafe ask(library, bus) else { return }
        isAsked = true
        continue
      }
      var wait = pollfd(
        fd: unsafe library.pointee.get_fd(bus),
        events: Int16(truncatingIfNeeded: unsafe library.pointee.get_events(bus)), revents: 0)
      _ = unsafe poll(&wait, 1, Self.step)
    }
  }

  private func ask(_ library: UnsafePointer<sotto_systemd>, _ bus: OpaquePointer) -> Bool {
    var made: OpaquePointer?
    guard
      unsafe library.pointee.message_new_method_call(
        bus, &made, "org.freedesktop.login1", "/org/freedesktop/login1",
        "org.freedesktop.login1.Manager", "Inhibit") >= 0, let message = unsafe made
    else { return false }
    defer { unsafe _ = library.pointee.message_unref(message) }
    for text in ["sleep", "sotto", why, "block"] {
      let result = unsafe text.withCString {
        unsafe library.pointee.message_append_basic(message, CChar(UInt8(ascii: "s")), $0)
      }
      if result < 0 { return false }
    }
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    return unsafe library.pointee.call_async(
      bus, nil, message, inhibitorAnswered, context, 5_000_000) >= 0
  }

  func took(_ message: OpaquePointer) {
    isAnswered = true
    guard let library = unsafe library,
      unsafe library.pointee.message_get_error(message) == nil
    else { return }
    var number: CInt = -1
    let result = unsafe withUnsafeMutablePointer(to: &number) {
      unsafe library.pointee.message_read_basic(message, CChar(UInt8(ascii: "h")), $0)
    }
    // The message closes its own.
    guard result > 0 else { return }
    let own = fcntl(number, F_DUPFD_CLOEXEC, 3)
    if own >= 0 { lock.keep(BusDescriptor(taking: own)) }
  }
}

private func inhibitorThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let context = unsafe context {
    unsafe Unmanaged<InhibitorWork>.fromOpaque(context).takeRetainedValue().run()
  }
  return nil
}

private func inhibitorAnswered(
  _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sotto_bus_error>?
) -> CInt {
  if let message = unsafe message, let context = unsafe context {
    unsafe Unmanaged<InhibitorWork>.fromOpaque(context).takeUnretainedValue().took(message)
  }
  return 1
}
