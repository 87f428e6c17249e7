import AudioTypes
import Glibc
import StateStore

/// What `doctor` says of what is kept across restarts: where it is, how large, and whether it can be
/// written.
@MainActor enum DoctorState {
  static func sentences() -> [(isGood: Bool, sentence: String)] {
    guard StateStore.isAvailable else {
      return [
        (
          false,
          "libsqlite3 is missing: the queue, its undo history, counts, ratings and places in long"
            + " tracks are lost when sotto ends. Install libsqlite3-0."
        )
      ]
    }
    guard let folder = KeptState.folder else {
      return [(false, "HOME is not set: nothing is kept when sotto ends.")]
    }
    let shown = Text.printable(folder)
    guard let missing = fault(folder) else {
      let bytes = ["state.db", "state.db-wal", "moment"].compactMap { size(folder, $0) }
      let aside = FolderNames.sorted(folder).filter { $0.starts(with: "state.db.damaged-".utf8) }
      let kept = aside.filter { !$0.ends(with: "-wal".utf8) && !$0.ends(with: "-shm".utf8) }.count
      let more =
        kept == 0
        ? "" : "; \(kept) damaged \(kept == 1 ? "one is" : "ones are") kept beside it"
      return [
        (
          true,
          bytes.isEmpty
            ? "Queue, counts and ratings will be kept in \(shown)."
            : "Queue, counts and ratings are kept in \(shown): \(size(bytes.reduce(0, +)))\(more)."
        )
      ]
    }
    return [
      (false, "\(shown): \(missing). Queue, counts and ratings are lost when sotto ends.")
    ]
  }

  /// Why nothing can be written there; a folder that is not there yet can be made where the one
  /// above it can be written.
  private static func fault(_ folder: [UInt8]) -> String? {
    var path = folder
    while true {
      let name = path.map { CChar(bitPattern: $0) } + [0]
      if unsafe access(name, W_OK | X_OK) == 0 { return nil }
      let cause = errno
      guard cause == ENOENT, let slash = path.lastIndex(of: UInt8(ascii: "/")), slash > 0 else {
        return Descriptor.sentence(cause)
      }
      path = Array(path[..<slash])
    }
  }

  private static func size(_ folder: [UInt8], _ name: String) -> Int? {
    var facts = stat()
    let path = (folder + Array("/\(name)".utf8)).map { CChar(bitPattern: $0) } + [0]
    return unsafe stat(path, &facts) == 0 ? Int(facts.st_size) : nil
  }

  private static func size(_ bytes: Int) -> String {
    bytes < 1_000_000 ? "\((bytes + 999) / 1000) kB" : "\(bytes / 1_000_000) MB"
  }
}

extension [UInt8] {
  fileprivate func ends(with tail: String.UTF8View) -> Bool {
    suffix(tail.count).elementsEqual(tail)
  }
}
