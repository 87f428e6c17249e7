import AudioTypes
import Database
import Glibc
import Synchronization

/// Which file it is, wherever it is moved.
public struct FileIdentity: Equatable, Sendable {
  public var device: Int64
  public var node: Int64
  public var size: Int64
  /// Nanoseconds since 1970.
  public var modified: Int64

  /// nil where nothing is, or it cannot be looked at. Blocks as long as the disk does.
  public init?(_ path: [UInt8]) {
    var facts = stat()
    guard !path.isEmpty, !path.contains(0), unsafe stat(StateFolder.name(path), &facts) == 0 else {
      return nil
    }
    self.init(facts: facts)
  }

  init(facts: stat) {
    device = Int64(bitPattern: UInt64(facts.st_dev))
    node = Int64(bitPattern: UInt64(facts.st_ino))
    size = Int64(facts.st_size)
    modified = FileTime.nanoseconds(facts.st_mtim)
  }
}

/// Paths without links.
enum RealPath {
  /// The one place of a file, however its path is spelled: its folder without links, and its name
  /// there. A link to a file is a file of its own, as it is for the collection. What is not there is
  /// called as it would be if it was. Blocks as long as the disk does.
  ///
  /// - Parameters:
  ///   - path: from the root; an address is its own place.
  ///   - folder: `folder` below, or one that remembers.
  static func file(_ path: [UInt8], folder: ([UInt8]) -> [UInt8] = RealPath.folder) -> [UInt8] {
    guard path.first == slash, let last = path.lastIndex(of: slash) else { return path }
    let name = path[(last + 1)...]
    if name.isEmpty || isUp(name) { return folder(path) }
    let real = folder(last == 0 ? [slash] : Array(path[..<last]))
    return (real == [slash] ? [] : real) + [slash] + name
  }

  static func folder(_ path: [UInt8]) -> [UInt8] {
    guard !path.contains(0) else { return path }
    guard let real = unsafe realpath(StateFolder.name(path), nil) else { return partly(path) }
    defer { unsafe free(real) }
    return unsafe Array(UnsafeBufferPointer(start: real, count: strlen(real))).map {
      UInt8(bitPattern: $0)
    }
  }

  /// As far as there are links, they are followed; the rest is taken as it is written.
  private static func partly(_ path: [UInt8]) -> [UInt8] {
    var done: [UInt8] = []
    var rest = parts(path)
    var links = 0
    while let part = rest.popLast() {
      if isUp(part) {
        done = Array(done[..<(done.lastIndex(of: slash) ?? 0)])
        continue
      }
      let next = done + [slash] + part
      if links < mostLinks, let target = target(next) {
        links += 1
        if target.first == slash { done = [] }
        rest += parts(target)
      } else {
        done = next
      }
    }
    return done.isEmpty ? [slash] : done
  }

  /// The last one first.
  private static func parts(_ path: [UInt8]) -> [ArraySlice<UInt8>] {
    path.split(separator: slash).filter { !($0.count == 1 && $0.first == 0x2E) }.reversed()
  }

  private static func target(_ path: [UInt8]) -> [UInt8]? {
    var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe target.withUnsafeMutableBytes { buffer in
      unsafe readlink(StateFolder.name(path), buffer.baseAddress!, buffer.count)
    }
    return count > 0 ? Array(target[..<count]) : nil
  }

  private static func isUp(_ part: ArraySlice<UInt8>) -> Bool { part.elementsEqual([0x2E, 0x2E]) }

  private static let slash = UInt8(ascii: "/")
  /// As the kernel.
  private static let mostLinks = 40
}

/// Where files really are, as far as somebody has looked: who may not wait for a disk takes what was
/// found before. Any thread.
public final class FilePlaces: Sendable {
  private let folders = Mutex<[[UInt8]: [UInt8]]>([:])

  private static let mostFolders = 10_000

  public init() {}

  /// Under which name something is known of a track, as far as its folder was looked at; otherwise as
  /// it is spelled. Never waits.
  public func known(_ location: TrackLocation) -> HistoryKey {
    var key = HistoryKey(location)
    if !location.isURL { key.path = known(key.path) }
    return key
  }

  /// The same, asked of the disk. Blocks as long as that does.
  public func look(_ location: TrackLocation) -> HistoryKey {
    var key = HistoryKey(location)
    if !location.isURL { key.path = look(key.path) }
    return key
  }

  func known(_ path: [UInt8]) -> [UInt8] {
    RealPath.file(path) { folder in folders.withLock { $0[folder] } ?? folder }
  }

  func look(_ path: [UInt8]) -> [UInt8] {
    RealPath.file(path) { folder in
      let real = RealPath.folder(folder)
      folders.withLock { folders in
        if folders.count >= Self.mostFolders { folders = [:] }
        folders[folder] = real
      }
      return real
    }
  }
}

/// What a disk says of a path.
struct FileFacts: Sendable {
  /// The file's one place.
  var path: [UInt8]
  /// nil where it is not there, or cannot be looked at.
  var identity: FileIdentity?
  /// Nothing is there, as far as one can see.
  var isGone = false

  /// Blocks as long as the disk does.
  init(lookingAt path: [UInt8], _ places: FilePlaces) {
    self.path = places.look(path)
    var facts = stat()
    guard !path.isEmpty, !path.contains(0) else { return }
    if unsafe stat(StateFolder.name(path), &facts) == 0 {
      identity = FileIdentity(facts: facts)
    } else {
      isGone = errno == ENOENT || errno == ENOTDIR
    }
  }
}

/// A file of which something is remembered, or will be.
struct FilePlace: Equatable, Sendable {
  /// As it was called, from the root on.
  var spelled: [UInt8]
  /// Its one place.
  var path: [UInt8]
  /// nil where it is not there.
  var identity: FileIdentity?
  /// Other paths under which something is known of it, and which lead to it.
  var others: [[UInt8]] = []
  /// One under which something is known of it, and where nothing is now: it was moved.
  var former: [UInt8]?

  /// Asks the disk and the history about files, before anything is written: nobody waits for a disk
  /// who holds the database.
  ///
  /// - Parameter ask: what the disk says of paths, as far as it does.
  static func of(
    _ paths: Set<[UInt8]>, in history: History,
    ask: ([[UInt8]]) -> [[UInt8]: FileFacts]
  ) throws(DatabaseError) -> [[UInt8]: FilePlace] {
    let facts = ask(paths.filter { $0.first == UInt8(ascii: "/") })
    var files: [[UInt8]: FilePlace] = [:]
    var others: [[UInt8]: [[UInt8]]] = [:]
    for path in paths {
      var file = FilePlace(spelled: path, path: facts[path]?.path ?? path)
      file.identity = facts[path]?.identity
      files[path] = file
      guard let identity = file.identity else { continue }
      let found = try history.paths(of: identity, but: file.path)
      if !found.isEmpty { others[path] = found }
    }
    guard !others.isEmpty else { return files }
    let known = ask(Array(Set(others.values.joined())))
    for (path, others) in others {
      let file = files[path]!
      files[path]!.others = others.filter { known[$0]?.path == file.path }
      files[path]!.former = others.first { other in
        known[other]?.isGone == true && known[other]?.path != file.path
      }
    }
    return files
  }
}
