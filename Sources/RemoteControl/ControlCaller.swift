import AudioTypes
import Dispatch
import Glibc

/// The other end of the control socket: what `sotto ctl` is. Any one thread; it waits.
public final class ControlCaller {
  private let socket: ControlDescriptor
  private var input: [UInt8] = []
  public let instance: String

  /// - Parameter instance: `sotto`, `sotto.PID` or `PID`; `nil` is the first player, or the only one.
  public init(_ place: ControlFolder, instance: String?) throws(ControlError) {
    let folder = try place.open(making: false)
    let running = place.instances(in: folder)
    let name: String
    if let instance {
      let wish = Int(instance) == nil ? instance : "sotto.\(instance)"
      guard running.contains(wish) else {
        let others = running.isEmpty ? "" : "; there are \(running.joined(separator: ", "))"
        throw ControlError(
          "no player is called '\(Text.printable(instance))'\(others)", isAbsence: true)
      }
      name = wish
    } else if running.first == ControlFolder.first || running.count == 1 {
      name = running[0]
    } else if running.isEmpty {
      throw ControlError("no player is running", isAbsence: true)
    } else {
      throw ControlError(
        "there are \(running.joined(separator: ", ")); choose one with --instance")
    }
    self.instance = name
    guard let socket = ControlDescriptor.socket() else { throw .system("a socket", errno) }
    self.socket = socket
    var cause = socket.connect(place.address(name, in: folder))
    // Its line of waiting programs is full for a moment.
    let limit = Self.now + Self.patience
    while cause == EAGAIN, Self.now < limit {
      usleep(20_000)
      cause = socket.connect(place.address(name, in: folder))
    }
    switch cause {
    case 0: break
    case ENOENT, ECONNREFUSED: throw ControlError("no player is running", isAbsence: true)
    case EAGAIN: throw Self.silence(name, isStopped: false)
    default: throw .system(name, cause)
    }
    guard socket.peer == place.user else {
      throw ControlError("\(name) is the player of another user")
    }
  }

  /// How long an answer is waited for, in seconds.
  public static let patience = 10.0
  /// After this it is looked whether the player was stopped: then none comes.
  private static let glance = 2.0

  private static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

  private static func silence(_ name: String, isStopped: Bool) -> ControlError {
    let why = isStopped ? ": it was stopped, and goes on with fg or kill -CONT" : ""
    return ControlError("the player '\(name)' does not answer\(why)")
  }

  /// The other end is stopped, from its terminal or by a signal.
  private var isStopped: Bool {
    guard let process = socket.peerProcess else { return false }
    let file = unsafe open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    var text = [UInt8](repeating: 0, count: 512)
    let count = unsafe read(file, &text, text.count)
    // The state stands after the name, which may hold brackets itself.
    guard count > 0, let end = text[..<count].lastIndex(of: UInt8(ascii: ")")), end + 2 < count
    else { return false }
    return text[end + 2] == UInt8(ascii: "T") || text[end + 2] == UInt8(ascii: "t")
  }

  /// - Parameter patience: `nil` waits for as long as it takes.
  public func ask(_ line: String, patience: Double? = ControlCaller.patience)
    throws(ControlError) -> String
  {
    let limit = patience.map { Self.now + $0 }
    try say(Array(line.utf8) + [0x0A], until: limit)
    guard let answer = try nextLine(until: limit) else {
      throw ControlError("the player has gone without an answer")
    }
    return answer
  }

  /// The next line, however long it takes; `nil` when the player has gone, or nobody reads `reader`
  /// any more.
  public func nextLine(whileRead reader: CInt) throws(ControlError) -> String? {
    try nextLine(until: nil, reader: reader)
  }

  private func say(_ bytes: [UInt8], until limit: Double?) throws(ControlError) {
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe send(
          socket.number, buffer.baseAddress! + done, buffer.count - done,
          CInt(MSG_NOSIGNAL))
      }
      if count > 0 {
        done += count
      } else if errno == EAGAIN {
        guard try wait(for: POLLOUT, until: limit) else { return }
      } else if errno != EINTR {
        // What it had to say of it may still be read.
        return
      }
    }
  }

  private func nextLine(until limit: Double?, reader: CInt = -1) throws(ControlError) -> String? {
    while true {
      if let end = input.firstIndex(of: 0x0A) {
        let line = String(decoding: input[..<end], as: UTF8.self)
        input.removeFirst(end + 1)
        return line
      }
      var piece = [UInt8](repeating: 0, count: 1 << 16)
      let count = unsafe piece.withUnsafeMutableBytes { buffer in
        unsafe recv(socket.number, buffer.baseAddress, buffer.count, 0)
      }
      if count > 0 {
        input += piece[..<count]
      } else if count < 0, errno == EAGAIN {
        guard try wait(for: POLLIN, until: limit, reader: reader) else { return nil }
      } else if count == 0 || errno != EINTR {
        return nil
      }
    }
  }

  /// False when nobody reads `reader` any more.
  private func wait(for events: CInt, until limit: Double?, reader: CInt = -1)
    throws(ControlError) -> Bool
  {
    var places = [
      pollfd(fd: socket.number, events: Int16(events), revents: 0),
      pollfd(fd: reader, events: 0, revents: 0),
    ]
    while true {
      let rest = limit.map { max(0, min($0 - Self.now, Self.glance) * 1000) } ?? -1
      let count = unsafe poll(&places, 2, CInt(rest))
      guard count == 0, let limit else { return count <= 0 || places[1].revents == 0 }
      let isStopped = isStopped
      if isStopped || Self.now >= limit { throw Self.silence(instance, isStopped: isStopped) }
    }
  }
}
