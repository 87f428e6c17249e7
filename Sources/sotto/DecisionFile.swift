import AudioSession
import AudioTypes
import Glibc
import JSONText

/// The latest decisions on disk, a JSON object a line, so that `sotto why` can tell whether sotto
/// runs or not. Bounded: what is older goes when the file is full.
@MainActor enum DecisionFile {
  /// At most about this many bytes; half of them are kept when it is full.
  static let limit = 256 * 1024

  /// `$XDG_STATE_HOME/sotto`, or the same in the home folder; `nil` without either.
  static func folder() -> [UInt8]? {
    if let state = Environment.bytes("XDG_STATE_HOME"), state.first == UInt8(ascii: "/") {
      return state + Array("/sotto".utf8)
    }
    guard let home = Environment.bytes("HOME"), !home.isEmpty else { return nil }
    return home + Array("/.local/state/sotto".utf8)
  }

  static var path: [UInt8]? { folder().map { $0 + Array("/decisions.jsonl".utf8) } }

  /// One line of the file.
  static func json(_ decision: Decision, time: Int64) -> JSON {
    .object([
      ("time", .int(time)),
      ("event", .string(decision.trigger.name)),
      ("before", .string(decision.before.display.rawValue)),
      ("after", .string(decision.after.display.rawValue)),
      ("cause", .string(decision.after.intent.cause?.rawValue)),
      ("rules", .array(decision.rules.all.map { .string($0.id) })),
      ("said", .string(decision.sentence)),
    ])
  }

  private static var isBroken = false

  /// Adds a decision. A file that cannot be written is told once; the music goes on.
  static func append(_ decision: Decision) {
    guard !isBroken, let path else { return }
    let line = Array(json(decision, time: Int64(time(nil))).text().utf8) + [0x0A]
    let cause = write(line, path)
    guard cause != 0 else { return }
    isBroken = true
    Messages.tell("\(Text.printable(path)): decisions are not kept: \(Descriptor.sentence(cause))")
  }

  private static func write(_ line: [UInt8], _ path: [UInt8]) -> CInt {
    var name = path.map { CChar(bitPattern: $0) } + [0]
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC
    var descriptor = unsafe open(name, flags, 0o600)
    if descriptor < 0, errno == ENOENT, let folder = folder() {
      let cause = Folders.make(folder)
      if cause != 0 { return cause }
      descriptor = unsafe open(name, flags, 0o600)
    }
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    var facts = stat()
    if unsafe fstat(descriptor, &facts) == 0, facts.st_size > off_t(limit) {
      // The newer half, and whole lines; the rename makes it one step.
      let kept = newest(path)
      let new = path + Array(".new".utf8)
      let newName = new.map { CChar(bitPattern: $0) } + [0]
      let other = unsafe open(newName, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
      guard other >= 0 else { return errno }
      let cause = Descriptor.write(kept + line, to: other)
      close(other)
      if cause != 0 { return cause }
      return unsafe rename(newName, &name) == 0 ? 0 : errno
    }
    return Descriptor.write(line, to: descriptor)
  }

  private static func newest(_ path: [UInt8]) -> [UInt8] {
    var lines: [[UInt8]] = []
    _ = TextFile.eachLine(path) { line, _ in
      lines.append(line)
      return nil
    }
    var size = 0
    var kept: [[UInt8]] = []
    for line in lines.reversed() {
      size += line.count + 1
      if size > limit / 2 { break }
      kept.append(line)
    }
    return kept.reversed().flatMap { $0 + [0x0A] }
  }
}
