import CSystemd
import Dispatch
import Glibc

/// One connection to a bus, from its beginning to its loss. Nothing here waits: what the library has
/// to read, to write or to give up is told by its descriptor and a timer.
@safe @MainActor final class BusLink {
  private let bus: OpaquePointer
  let library: UnsafePointer<sotto_systemd>
  private let coding: BusCoding
  private var reading: (any DispatchSourceRead)?
  private var writing: (any DispatchSourceWrite)?
  private var timer: (any DispatchSourceTimer)?
  private var isProcessing = false
  private var isScheduled = false
  private var isClosed = false
  private(set) var isReady = false
  /// What the library's callbacks are given, kept until they cannot come any more.
  private var contexts: [ObjectIdentifier: BusContext] = [:]

  var onReady: (@MainActor (_ uniqueName: String) -> Void)?
  /// The connection is gone; the link is closed and of no use.
  var onLost: (@MainActor (BusError) -> Void)?
  /// A call to an object of ours.
  var onCall: (@MainActor (BusCall) -> Void)?

  /// As many messages are taken at once; then others have their turn.
  private static let turn = 64

  /// Begins to connect. Whether it succeeds is told later.
  init(_ place: BusConnection.Place) throws(BusError) {
    guard let library = unsafe sotto_systemd_load() else { throw .noLibrary }
    unsafe self.library = unsafe library
    coding = unsafe BusCoding(library: library)
    var bus: OpaquePointer?
    var result: CInt = 0
    switch place {
    case .session: result = unsafe library.pointee.open_user(&bus)
    case .system: result = unsafe library.pointee.open_system(&bus)
    case .address(let address):
      result = unsafe library.pointee.new_bus(&bus)
      if result >= 0 { result = unsafe library.pointee.set_address(bus, address) }
      if result >= 0 { result = unsafe library.pointee.set_bus_client(bus, 1) }
      if result >= 0 { result = unsafe library.pointee.start(bus) }
    }
    guard result >= 0, let bus = unsafe bus else {
      if let bus = unsafe bus { unsafe _ = library.pointee.close_unref(bus) }
      throw .system(result)
    }
    unsafe self.bus = unsafe bus
    let calls = unsafe keep(BusContext(link: self))
    unsafe _ = library.pointee.add_fallback(bus, nil, "/", callArrived, calls)
    listen()
    schedule()
  }

  isolated deinit { close() }

  /// Ends it. Nothing is told any more.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    isReady = false
    reading?.cancel()
    writing?.cancel()
    timer?.cancel()
    (reading, writing, timer) = (nil, nil, nil)
    // The library is on the stack while it calls.
    if !isProcessing { unsafe _ = library.pointee.close_unref(bus) }
    onReady = nil
    onLost = nil
    onCall = nil
    // Every call has an answer.
    let waiting = contexts.values.compactMap(\.onReply)
    guard !waiting.isEmpty else { return }
    DispatchQueue.main.async {
      MainActor.assumeIsolated {
        for reply in waiting { reply(.failure(.disconnected)) }
      }
    }
  }

  private func lose(_ error: BusError) {
    let tell = onLost
    close()
    tell?(error)
  }

  private func keep(_ context: BusContext) -> UnsafeMutableRawPointer {
    contexts[ObjectIdentifier(context)] = context
    return unsafe Unmanaged.passUnretained(context).toOpaque()
  }

  static func text(_ pointer: UnsafePointer<CChar>?) -> String {
    guard let pointer = unsafe pointer else { return "" }
    return unsafe String(cString: pointer)
  }

  // MARK: The library's turn

  /// The sources have descriptors of their own, which they close when they are done with them.
  private func listen() {
    let own = fcntl(unsafe library.pointee.get_fd(bus), F_DUPFD_CLOEXEC, 3)
    guard own >= 0 else { return }
    let source = DispatchSource.makeReadSource(fileDescriptor: own, queue: .main)
    source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.process() } }
    source.setCancelHandler { Glibc.close(own) }
    source.activate()
    reading = source
  }

  /// After something was sent, or as soon as others had their turn.
  private func schedule() {
    guard !isScheduled, !isClosed else { return }
    isScheduled = true
    DispatchQueue.main.async { [weak self] in
      MainActor.assumeIsolated {
        self?.isScheduled = false
        self?.process()
      }
    }
  }

  private func process() {
    guard !isClosed, !isProcessing else { return }
    isProcessing = true
    var result: CInt = 1
    var count = 0
    while result > 0, count < Self.turn, !isClosed {
      result = unsafe library.pointee.process(bus, nil)
      count += 1
    }
    isProcessing = false
    if isClosed {
      unsafe _ = library.pointee.close_unref(bus)
      return
    }
    guard result >= 0, unsafe library.pointee.is_open(bus) > 0 else {
      return lose(.system(result < 0 ? result : -ECONNRESET))
    }
    if !isReady, unsafe library.pointee.is_ready(bus) > 0 { becomeReady() }
    if isClosed { return }
    if result > 0 { schedule() }
    arm()
  }

  private func becomeReady() {
    isReady = true
    var name: UnsafePointer<CChar>?
    unsafe _ = library.pointee.get_unique_name(bus, &name)
    onReady?(unsafe Self.text(name))
  }

  private func arm() {
    if unsafe library.pointee.get_events(bus) & CInt(POLLOUT) != 0 {
      awaitRoom()
    } else {
      writing?.cancel()
      writing = nil
    }
    var due = UInt64.max
    unsafe _ = library.pointee.get_timeout(bus, &due)
    timer?.cancel()
    timer = nil
    if due == 0 { return schedule() }
    guard due < UInt64.max / 1000 else { return }
    let timer = DispatchSource.makeTimerSource(queue: .main)
    // The library's clock is the monotonic one, as Dispatch's is.
    timer.schedule(
      deadline: DispatchTime(uptimeNanoseconds: due * 1000), leeway: .milliseconds(20))
    timer.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.process() } }
    timer.activate()
    self.timer = timer
  }

  private func awaitRoom() {
    guard writing == nil else { return }
    let own = fcntl(unsafe library.pointee.get_fd(bus), F_DUPFD_CLOEXEC, 3)
    guard own >= 0 else { return }
    let source = DispatchSource.makeWriteSource(fileDescriptor: own, queue: .main)
    source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.process() } }
    source.setCancelHandler { Glibc.close(own) }
    source.activate()
    writing = source
  }

  // MARK: Sending

  func call(
    _ destination: String, _ path: String, _ interface: String, _ member: String,
    _ arguments: [BusValue], mayStart: Bool, timeout: Double,
    _ reply: @escaping @MainActor (Result<[BusValue], BusError>) -> Void
  ) {
    var message: OpaquePointer?
    var failure: BusError?
    let result = unsafe library.pointee.message_new_method_call(
      bus, &message, destination, path, interface, member)
    if result < 0 { failure = .system(result) }
    defer { unsafe release(message) }
    if let message = unsafe message {
      unsafe _ = library.pointee.message_set_auto_start(message, mayStart ? 1 : 0)
      do throws(BusError) {
        try coding.append(arguments, to: unsafe BusPointer(message))
        let context = BusContext(link: self)
        context.onReply = reply
        let pointer = unsafe keep(context)
        let sent = unsafe library.pointee.call_async(
          bus, nil, message, replyArrived, pointer, UInt64(timeout * 1e6))
        if sent < 0 {
          contexts[ObjectIdentifier(context)] = nil
          failure = .system(sent)
        }
      } catch {
        failure = error
      }
    }
    if let failure {
      DispatchQueue.main.async { MainActor.assumeIsolated { reply(.failure(failure)) } }
    }
    schedule()
  }

  func emit(
    _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue],
    to destination: String?
  ) {
    var message: OpaquePointer?
    guard
      unsafe library.pointee.message_new_signal(bus, &message, path, interface, member) >= 0
    else { return }
    if let destination,
      unsafe library.pointee.message_set_destination(message, destination) < 0
    {
      // Never to everybody what is meant for one.
      return unsafe release(message)
    }
    unsafe send(message, arguments)
  }

  func answer(_ call: OpaquePointer, _ result: Result<[BusValue], BusError>) {
    guard !isClosed else { return }
    var message: OpaquePointer?
    switch result {
    case .success(let values):
      guard unsafe library.pointee.message_new_method_return(call, &message) >= 0 else { return }
      unsafe send(message, values)
    case .failure(let error):
      let made = unsafe error.name.withCString { name in
        unsafe BusCoding.clean(error.sentence).withCString { sentence in
          var error = unsafe sotto_bus_error(name: name, message: sentence, needs_free: 0)
          return unsafe library.pointee.message_new_method_error(call, &message, &error)
        }
      }
      if made >= 0 { unsafe send(message, []) }
    }
  }

  private func send(_ message: OpaquePointer?, _ values: [BusValue]) {
    defer { unsafe release(message) }
    guard let message = unsafe message,
      (try? coding.append(values, to: unsafe BusPointer(message))) != nil
    else { return }
    unsafe _ = library.pointee.send(bus, message, nil)
    schedule()
  }

  private func release(_ message: OpaquePointer?) {
    if let message = unsafe message { unsafe _ = library.pointee.message_unref(message) }
  }

  func watch(_ match: String, _ handler: @escaping @MainActor (BusSignal) -> Void) {
    let context = BusContext(link: self)
    context.onSignal = handler
    let pointer = unsafe keep(context)
    unsafe _ = library.pointee.add_match_async(
      bus, nil, match, signalArrived, matchInstalled, pointer)
    schedule()
  }

  // MARK: Receiving

  fileprivate func took(reply message: OpaquePointer, _ context: BusContext) {
    contexts[ObjectIdentifier(context)] = nil
    if let error = unsafe library.pointee.message_get_error(message) {
      let name = unsafe Self.text(error.pointee.name)
      let sentence = unsafe Self.text(error.pointee.message)
      context.onReply?(.failure(BusError(BusCoding.clean(name), BusCoding.clean(sentence))))
      return
    }
    do throws(BusError) {
      context.onReply?(.success(try coding.read(unsafe BusPointer(message))))
    } catch {
      context.onReply?(.failure(error))
    }
  }

  fileprivate func took(signal message: OpaquePointer, _ context: BusContext) {
    // What cannot be read says nothing.
    guard let arguments = try? coding.read(unsafe BusPointer(message)) else { return }
    context.onSignal?(
      BusSignal(
        sender: unsafe Self.text(library.pointee.message_get_sender(message)),
        path: unsafe Self.text(library.pointee.message_get_path(message)),
        interface: unsafe Self.text(library.pointee.message_get_interface(message)),
        member: unsafe Self.text(library.pointee.message_get_member(message)),
        arguments: arguments))
  }

  fileprivate func took(call message: OpaquePointer) {
    // Its signature is asked for before anything is read of it.
    let signature = unsafe Self.text(library.pointee.message_get_signature(message, 1))
    do throws(BusError) {
      let arguments = try coding.read(unsafe BusPointer(message))
      onCall?(
        unsafe BusCall(
          message, arguments: arguments, signature: signature, library: library, link: self))
    } catch {
      if unsafe library.pointee.message_get_expect_reply(message) > 0 {
        unsafe answer(message, .failure(error))
      }
    }
  }
}

/// What a callback of the library is given.
@MainActor final class BusContext {
  fileprivate weak var link: BusLink?
  fileprivate var onReply: (@MainActor (Result<[BusValue], BusError>) -> Void)?
  fileprivate var onSignal: (@MainActor (BusSignal) -> Void)?

  fileprivate init(link: BusLink) { self.link = link }
}

// The library calls these only from `process`, on the control thread; they are functions of nobody,
// as every C callback here.

private func replyArrived(
  _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sotto_bus_error>?
) -> CInt {
  unsafe handle(message, context) { link, message, context in
    unsafe link.took(reply: message, context)
  }
  return 1
}

private func signalArrived(
  _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sotto_bus_error>?
) -> CInt {
  unsafe handle(message, context) { link, message, context in
    unsafe link.took(signal: message, context)
  }
  // Others may wait for the same signal.
  return 0
}

private func callArrived(
  _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sotto_bus_error>?
) -> CInt {
  unsafe handle(message, context) { link, message, _ in unsafe link.took(call: message) }
  return 1
}

/// A match that the bus refuses is only never told; without this the library would disconnect.
private func matchInstalled(
  _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sotto_bus_error>?
) -> CInt {
  1
}

private func handle(
  _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
  _ body: @MainActor (BusLink, OpaquePointer, BusContext) -> Void
) {
  guard let message = unsafe message, let context = unsafe context else { return }
  nonisolated(unsafe) let found = unsafe (message, context)
  MainActor.assumeIsolated {
    let context = unsafe Unmanaged<BusContext>.fromOpaque(found.1).takeUnretainedValue()
    if let link = context.link { unsafe body(link, found.0, context) }
  }
}
