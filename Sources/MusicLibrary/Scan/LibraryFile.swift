import Database
import Glibc

/// The index as a file. All of it can be read again from the music, so a damaged one is put aside
/// and a new one begun.
public enum LibraryFile {
  /// Opens the index, or makes it. Its folder must be there.
  ///
  /// - Returns: the index, and the name under which a damaged one was put aside before.
  public static func open(
    _ path: [UInt8]
  ) throws(DatabaseError) -> (index: LibraryIndex, setAside: [UInt8]?) {
    do throws(DatabaseError) {
      return (try LibraryIndex(Database(path)), nil)
    } catch {
      guard error.cause == .corrupt else { throw error }
      let name = try setAside(path)
      let index = try LibraryIndex(Database(path))
      try takeRoots(of: name, into: index)
      return (index, name)
    }
  }

  /// The folders that the user has named, as far as they can still be read: they alone stand nowhere
  /// else.
  public static func takeRoots(
    of damaged: [UInt8], into index: LibraryIndex
  ) throws(DatabaseError) {
    guard let old = try? Database(damaged, .readOnly, patience: 0) else { return }
    var roots: [[UInt8]] = []
    try? old.rows("SELECT path FROM root") { roots.append($0.bytes(0)) }
    for root in roots where root.first == UInt8(ascii: "/") { try index.add(root: root) }
  }

  /// Renames a damaged index to `PATH.damaged-N`; its new name. No connection of this process may
  /// be open.
  public static func setAside(_ path: [UInt8]) throws(DatabaseError) -> [UInt8] {
    for number in 1..<10_000 {
      let name = path + Array(".damaged-\(number)".utf8)
      guard access(FileProbe.cString(name), F_OK) != 0 else { continue }
      guard rename(FileProbe.cString(path), FileProbe.cString(name)) == 0 else {
        throw DatabaseError(
          cause: .readOnly, code: 0,
          sentence: "it is damaged, and cannot be renamed: \(String(cString: strerror(errno)))")
      }
      for suffix in ["-wal", "-shm"] {
        let part = Array(suffix.utf8)
        rename(FileProbe.cString(path + part), FileProbe.cString(name + part))
      }
      return name
    }
    throw DatabaseError(cause: .corrupt, code: 0, sentence: "it is damaged")
  }
}
