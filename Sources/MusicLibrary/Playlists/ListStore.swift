import Glibc

/// Playlists on the disk, and beside them what can be undone. Used by one thread at a time; blocks.
public struct ListStore: Sendable {
  /// Where the histories are; without a folder nothing can be undone in the next run.
  private let histories: [UInt8]?

  public init(histories: [UInt8]?) { self.histories = histories }

  /// Reads a list to be edited. One that is not there is an empty one.
  public func open(_ path: [UInt8]) throws(LibraryFault) -> ListEditor {
    if SavedSearch.isOne(path) { throw LibraryFault(path: path, sentence: SavedSearch.isNoList) }
    guard let format = PlaylistFormat(of: path), format == .m3u8 || format == .m3u else {
      throw LibraryFault(
        path: path,
        sentence: "only M3U lists can be edited; 'sotto playlist import' makes one of it")
    }
    let path = WholeFile.real(path)
    let bytes = try Self.read(path)
    guard let bytes else { return ListEditor(path: path, bytes: nil) }
    let editor = ListEditor(path: path, bytes: bytes, history: history(of: path))
    guard editor.list.isWhole else {
      throw LibraryFault(
        path: path,
        sentence: "has more than \(PlaylistLimits.entries) entries: too long to be edited")
    }
    return editor
  }

  /// All of a list's bytes; `nil` where there is none.
  static func read(_ path: [UInt8]) throws(LibraryFault) -> [UInt8]? {
    func fault(_ sentence: String) -> LibraryFault { LibraryFault(path: path, sentence: sentence) }
    switch FileProbe.kind(path) {
    case .missing: return nil
    case .folder: throw fault("is a folder")
    case .file: break
    case let kind: throw fault(FileProbe.sentence(kind, path) ?? "cannot be read")
    }
    guard let bytes = FileProbe.bytes(path, from: 0, atMost: PlaylistLimits.bytes + 1) else {
      throw fault(errno == EACCES ? "no permission to read it" : "cannot be read")
    }
    guard bytes.count <= PlaylistLimits.bytes else { throw fault("too large for a playlist") }
    return bytes
  }

  /// Writes a list that was edited, whole or not at all. One that another program has changed meanwhile
  /// is left as that program made it.
  ///
  /// - Returns: what else there is to say: that the edit cannot be undone in the next run.
  @discardableResult
  public func save(_ editor: inout ListEditor) throws(LibraryFault) -> String? {
    let path = WholeFile.real(editor.path)
    guard editor.bytes.count <= PlaylistLimits.bytes, editor.count <= PlaylistLimits.entries,
      editor.list.isWhole
    else {
      throw LibraryFault(path: path, sentence: "would be too large for a playlist")
    }
    let made = WholeFile.make(folder: editor.folder, mode: 0o755)
    guard made == 0 else {
      throw LibraryFault(
        path: path, sentence: "cannot be written: \(String(cString: strerror(made)))")
    }
    let lock = Lock(histories)
    defer { lock.end() }
    guard try Self.read(path).map({ ContentMark($0) }) == editor.stored else {
      throw LibraryFault(path: path, sentence: Self.foreign)
    }
    guard editor.stored != ContentMark(editor.bytes) else { return nil }
    // The history comes first: what it says of a list that was not written then is not believed.
    let complaint = keep(editor.history, of: path)
    if let sentence = WholeFile.write(editor.bytes, to: path) {
      throw LibraryFault(path: path, sentence: sentence)
    }
    editor.stored = ContentMark(editor.bytes)
    return complaint.map { "it cannot be undone in the next run: \($0)" }
  }

  /// Whether the file is another one than this list knows.
  public func isForeign(_ editor: ListEditor) -> Bool {
    guard let bytes = try? Self.read(editor.path) else { return editor.stored != nil }
    return ContentMark(bytes) != editor.stored
  }

  /// What is said of a list that is not as it was when it was read.
  public static let foreign = "another program has changed it meanwhile: nothing was done"

  // MARK: Histories

  private func file(of path: [UInt8]) -> [UInt8]? {
    guard let histories else { return nil }
    return Paths.join(histories, Array("\(String(ContentMark(path).sum, radix: 16)).undo".utf8))
  }

  private func history(of path: [UInt8]) -> ListHistory {
    guard let file = file(of: path), case .file(let size) = FileProbe.kind(file),
      size < Int64(ListHistory.mostBytes * 4),
      let bytes = FileProbe.bytes(file, from: 0, atMost: Int(size))
    else { return ListHistory() }
    return ListHistory(bytes, of: path) ?? ListHistory()
  }

  private func keep(_ history: ListHistory, of path: [UInt8]) -> String? {
    guard let histories, let file = file(of: path) else { return "there is no folder for that" }
    let made = WholeFile.make(folder: histories, mode: 0o700)
    guard made == 0 else { return "\(String(cString: strerror(made)))" }
    return WholeFile.write(history.bytes(of: path), to: file)
  }

  /// Two sottos that edit do it after each other.
  private struct Lock {
    private let descriptor: CInt

    init(_ folder: [UInt8]?) {
      guard let folder, WholeFile.make(folder: folder, mode: 0o700) == 0 else {
        descriptor = -1
        return
      }
      descriptor = Glibc.open(
        FileProbe.cString(Paths.join(folder, Array("lock".utf8))), O_RDWR | O_CREAT | O_CLOEXEC,
        0o600)
      if descriptor >= 0 { while flock(descriptor, LOCK_EX) != 0, errno == EINTR {} }
    }

    func end() { if descriptor >= 0 { close(descriptor) } }
  }
}
