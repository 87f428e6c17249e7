import Glibc

/// What the system says of a process.
public struct ProcessFacts: Hashable, Sendable {
  public var parent: Int
  /// The name of its file, without folders.
  public var executable: String

  public init(parent: Int, executable: String) {
    self.parent = parent
    self.executable = executable
  }
}

/// Who is who among processes.
public protocol ProcessTable {
  /// `nil` when there is none of that number, or it may not be seen.
  func facts(of pid: Int) -> ProcessFacts?
}

/// One word for a program, whatever connections, processes and players it has: what the session pairs
/// streams by, and players with streams.
public enum ProgramWord {
  /// Of the process with that number; for a peer on D-Bus. `nil` when there is none.
  public static func word(ofProcess pid: Int, in table: some ProcessTable) -> String? {
    guard let facts = table.facts(of: pid) else { return nil }
    return "pid:\(root(of: pid, facts, table))"
  }

  /// Of a stream. A sandboxed program tells the number that its process has inside: that counts only
  /// together with its binary's name.
  public static func word(
    pid: Int?, binary: String, client: UInt32?, in table: some ProcessTable
  ) -> String? {
    if let pid {
      if let facts = table.facts(of: pid), isOne(facts, binary) {
        return "pid:\(root(of: pid, facts, table))"
      }
      if !binary.isEmpty { return "\(binary)#\(pid)" }
    }
    return client.map { "client:\($0)" }
  }

  /// Whether the program of that word runs no more; false where the word does not say.
  public static func hasEnded(_ word: String, in table: some ProcessTable) -> Bool {
    guard word.hasPrefix("pid:"), let pid = Int(word.dropFirst(4)) else { return false }
    return table.facts(of: pid) == nil
  }

  /// Whether that process is this one, or was started by it.
  public static func isOwn(_ pid: Int, of own: Int, in table: some ProcessTable) -> Bool {
    var pid = pid
    for _ in 0..<deepest {
      if pid == own { return true }
      guard pid > 1, let facts = table.facts(of: pid) else { return false }
      pid = facts.parent
    }
    return false
  }

  private static let deepest = 64

  /// The first of a program's processes: browsers have many, of one file.
  private static func root(of pid: Int, _ facts: ProcessFacts, _ table: some ProcessTable) -> Int {
    var (root, parent) = (pid, facts.parent)
    for _ in 0..<deepest {
      guard parent > 1, let above = table.facts(of: parent), above.executable == facts.executable
      else { break }
      (root, parent) = (parent, above.parent)
    }
    return root
  }

  /// The kernel keeps 15 bytes of a name where the file itself may not be seen.
  private static func isOne(_ facts: ProcessFacts, _ binary: String) -> Bool {
    binary.isEmpty || facts.executable == binary
      || facts.executable.utf8.count == 15 && binary.hasPrefix(facts.executable)
  }
}

/// The machine's processes, by /proc. What was read is kept until `forget`: a burst of streams is
/// mostly of one program.
public final class MachineProcesses: ProcessTable {
  private var known: [Int: ProcessFacts?] = [:]

  public init() {}

  /// What was read is read anew from now on: a number may be another process's.
  public func forget() { known.removeAll(keepingCapacity: true) }

  public func facts(of pid: Int) -> ProcessFacts? {
    if let facts = known[pid] { return facts }
    let facts = Self.look(pid)
    known[pid] = facts
    return facts
  }

  private static func look(_ pid: Int) -> ProcessFacts? {
    // "7 (a (strange) name) S 1 …": the name ends at the last bracket.
    guard let stat = contents("/proc/\(pid)/stat"), let open = stat.firstIndex(of: 0x28),
      let close = stat.lastIndex(of: 0x29), open < close
    else { return nil }
    let fields = stat[(close + 1)...].split(separator: 0x20)
    guard fields.count > 1, let parent = Int(String(decoding: fields[1], as: UTF8.self)) else {
      return nil
    }
    let name = String(decoding: stat[(open + 1)..<close], as: UTF8.self)
    return ProcessFacts(parent: parent, executable: file("/proc/\(pid)/exe") ?? name)
  }

  private static func contents(_ path: String) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe read(descriptor, $0.baseAddress, 1024)
    }
    return count > 0 ? Array(bytes.prefix(count)) : nil
  }

  private static func file(_ link: String) -> String? {
    var bytes = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink(link, &bytes, bytes.count)
    guard count > 0 else { return nil }
    let path = String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let gone = " (deleted)"
    return name.hasSuffix(gone) ? String(name.dropLast(gone.count)) : name
  }
}
