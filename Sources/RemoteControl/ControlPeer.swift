import Dispatch
import Glibc

/// One program at the control socket: lines in, lines out, both bounded. It is never waited for.
///
/// On the control thread.
@MainActor final class ControlPeer {
  private let socket: ControlDescriptor
  private var reading: (any DispatchSourceRead)?
  private var isSuspended = false
  private var writing: (any DispatchSourceWrite)?
  private var input: [UInt8] = []
  private var output: [UInt8] = []
  /// No more comes in: what was asked is answered, then it is over.
  private var isAtEnd = false
  /// A line is being carried out; the next waits for its answer.
  private var isBusy = false
  private(set) var isOver = false
  private var isAnswering = false
  /// It is told of each change.
  var isWatching = false
  /// When it said something last.
  private(set) var heard = DispatchTime.now()

  /// A line is there. Its answer comes by `answer`, once, in this turn or later.
  var onLine: (@MainActor (ControlPeer, [UInt8]) -> Void)?
  var onEnd: (@MainActor (ControlPeer) -> Void)?

  /// No line is longer.
  static let longestLine = 1 << 16
  /// Who leaves more unread than this is let go.
  static let mostUnread = 1 << 18
  /// As many lines are taken in one turn; others have theirs between.
  private static let linesAtOnce = 32

  init(_ socket: ControlDescriptor) { self.socket = socket }

  func begin() {
    let source = DispatchSource.makeReadSource(fileDescriptor: socket.number, queue: .main)
    source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.read() } }
    // The descriptor lives as long as anybody watches it.
    source.setCancelHandler { [socket] in _ = socket }
    source.activate()
    reading = source
  }

  func end() {
    guard !isOver else { return }
    isOver = true
    stopReading()
    writing?.cancel()
    writing = nil
    onEnd?(self)
  }

  private func stopReading() {
    reading?.cancel()
    // A source that is suspended must not be let go.
    if isSuspended { reading?.resume() }
    isSuspended = false
    reading = nil
  }

  private func suspend(_ wish: Bool) {
    guard let reading, wish != isSuspended else { return }
    isSuspended = wish
    if wish { reading.suspend() } else { reading.resume() }
  }

  // MARK: In

  private func read() {
    guard !isOver, !isAtEnd else { return }
    var isEmpty = false
    let piece = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 14) { buffer, count in
      let result = unsafe recv(socket.number, buffer.baseAddress, buffer.count, 0)
      isEmpty = result < 0 && (errno == EAGAIN || errno == EINTR)
      count = max(0, result)
    }
    if isEmpty { return }
    if piece.isEmpty {
      isAtEnd = true
      stopReading()
    }
    heard = .now()
    input += piece
    takeLines()
  }

  private func takeLines() {
    var taken = 0
    while !isBusy, !isOver {
      var line: [UInt8]
      if let end = input.firstIndex(of: 0x0A) {
        line = Array(input[..<end])
        input.removeFirst(end + 1)
      } else if isAtEnd, !input.isEmpty {
        line = input
        input = []
      } else {
        break
      }
      if line.last == 0x0D { line.removeLast() }
      taken += 1
      isBusy = true
      if line.count > Self.longestLine { return refuse() }
      if taken <= Self.linesAtOnce {
        onLine?(self, line)
      } else {
        DispatchQueue.main.async { [weak self] in
          MainActor.assumeIsolated {
            guard let self, !self.isOver else { return }
            self.onLine?(self, line)
          }
        }
      }
    }
    if !isBusy, input.count > Self.longestLine { return refuse() }
    if !isBusy, isAtEnd, output.isEmpty { return end() }
    suspend(isBusy)
  }

  private func refuse() {
    input = []
    isAtEnd = true
    stopReading()
    isBusy = false
    send(ControlReply.failure("the line is longer than \(Self.longestLine) bytes"))
    if output.isEmpty { end() }
  }

  /// The answer to the line that was given last.
  func answer(_ line: String) {
    guard isBusy else { return send(line) }
    send(line)
    isBusy = false
    // Not from within: many lines at once would be a deep stack.
    guard !isAnswering else { return }
    isAnswering = true
    DispatchQueue.main.async { [weak self] in
      MainActor.assumeIsolated {
        self?.isAnswering = false
        self?.takeLines()
      }
    }
  }

  // MARK: Out

  func send(_ line: String) {
    guard !isOver else { return }
    output += Array(line.utf8)
    output.append(0x0A)
    flush()
    if output.count > Self.mostUnread { end() }
  }

  private func flush() {
    while !output.isEmpty, !isOver {
      let count = unsafe output.withUnsafeBytes { bytes in
        unsafe Glibc.send(socket.number, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
      }
      if count > 0 {
        output.removeFirst(count)
      } else if count < 0, errno == EINTR {
        continue
      } else if count < 0, errno == EAGAIN {
        return wait()
      } else {
        return end()
      }
    }
    writing?.cancel()
    writing = nil
    if isAtEnd, !isBusy, input.isEmpty { end() }
  }

  private func wait() {
    guard writing == nil else { return }
    let source = DispatchSource.makeWriteSource(fileDescriptor: socket.number, queue: .main)
    source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.flush() } }
    source.setCancelHandler { [socket] in _ = socket }
    source.activate()
    writing = source
  }
}
