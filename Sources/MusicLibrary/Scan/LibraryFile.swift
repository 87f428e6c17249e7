import Database
import Glibc

/// The index as a file. All of it can be read again from the music, so a damaged one is put aside
/// and a new one begun. The folders that the user has named are written into a text file beside it too,
/// a path a line: they alone could not be read again, and whatever page of a database is damaged may be
/// theirs.
public enum LibraryFile {
  /// Opens the index, or makes it. Its folder must be there.
  ///
  /// - Returns: the index, and the name under which a damaged one was put aside before.
  public static func open(
    _ path: [UInt8]
  ) throws(DatabaseError) -> (index: LibraryIndex, setAside: [UInt8]?) {
    do throws(DatabaseError) {
      let index = try LibraryIndex(Database(path))
      try verify(index, at: path)
      if try index.roots().isEmpty { try index.add(roots: folders(beside: path)) }
      return (index, nil)
    } catch {
      guard error.cause == .corrupt else { throw error }
      return try anew(path)
    }
  }

  /// Puts a damaged index aside and begins another one, of the same folders. No connection of this
  /// process may write to the old one any more.
  public static func anew(
    _ path: [UInt8]
  ) throws(DatabaseError) -> (index: LibraryIndex, setAside: [UInt8]?) {
    let name = try setAside(path)
    unlink(mark(path))
    let index = try LibraryIndex(Database(path))
    try index.add(roots: folders(beside: path) + roots(of: name))
    return (index, name)
  }

  /// The folders that can still be read in a damaged index.
  private static func roots(of damaged: [UInt8]) -> [[UInt8]] {
    guard let old = try? Database(damaged, .readOnly, patience: 0) else { return [] }
    var roots: [[UInt8]] = []
    try? old.rows("SELECT path FROM root") { roots.append($0.bytes(0)) }
    return roots.filter { $0.first == 0x2F && !$0.contains(0) }
  }

  // MARK: Damage

  private static func mark(_ path: [UInt8]) -> [CChar] {
    FileProbe.cString(path + Array(".suspect".utf8))
  }

  /// Somebody has come across damage who only reads: an empty file beside the index says so, and who
  /// watches the index is woken.
  static func suspect(_ path: [UInt8]) {
    guard FileProbe.kind(path) != .missing else { return }
    let file = Glibc.open(mark(path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    // Who was here before has said it.
    guard file >= 0 else { return }
    close(file)
    utimensat(AT_FDCWD, FileProbe.cString(path), nil, 0)
  }

  static func isSuspected(_ path: [UInt8]) -> Bool { access(mark(path), F_OK) == 0 }

  /// Reads all of an index that is suspected; throws where it is damaged.
  static func verify(_ index: LibraryIndex, at path: [UInt8]) throws(DatabaseError) {
    guard isSuspected(path) else { return }
    if let damage = try index.database.damage() {
      throw DatabaseError(cause: .corrupt, code: 11, sentence: "it is damaged (\(damage))")
    }
    unlink(mark(path))
  }

  // MARK: The folders

  /// `library.folders` beside `library.db`.
  static func foldersFile(_ path: [UInt8]) -> [UInt8] {
    let ending = Array(".db".utf8)
    let isUsual = path.count > ending.count && path.suffix(ending.count).elementsEqual(ending)
    return (isUsual ? path.dropLast(ending.count) : path[...]) + Array(".folders".utf8)
  }

  /// Nobody names more.
  private static let mostBytes = 1 << 20

  /// What the file beside an index says; none where there is none.
  static func folders(beside path: [UInt8]) -> [[UInt8]] {
    let bytes = FileProbe.bytes(foldersFile(path), from: 0, atMost: mostBytes) ?? []
    return bytes.split(separator: 0x0A).compactMap { line in
      let folder = line.first == 0x2F ? Array(line) : FileURL.path(Array(line))
      return folder?.first == 0x2F && folder?.contains(0) == false ? folder : nil
    }
  }

  /// Writes the folders of an index beside it, where that does not say the same. What cannot be written
  /// is written after the next scan.
  public static func keepFolders(of index: LibraryIndex, beside path: [UInt8]) {
    guard let roots = try? index.roots(), !roots.isEmpty, roots != folders(beside: path) else {
      return
    }
    let lines = roots.map { root in
      root.contains(0x0A) ? Array("file://".utf8) + FileURL.escaped(root) : root
    }
    _ = WholeFile.write(
      Array(lines.map { $0 + [0x0A] }.joined()), to: foldersFile(path), mode: 0o600)
  }

  /// Renames a damaged index to `PATH.damaged-N`; its new name.
  private static func setAside(_ path: [UInt8]) throws(DatabaseError) -> [UInt8] {
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
