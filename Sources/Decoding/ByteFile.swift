import Glibc

/// A regular file open for reading, by position only: no shared file offset, no map (a file that
/// shrinks while it is mapped kills the process), no growth of memory. One thread at a time.
final class ByteFile {
  let descriptor: Int32
  /// The size when it was opened, from `base` on.
  private(set) var size: Int64
  /// What offsets count from: the first byte behind tags and padding in front of the music.
  private(set) var base: Int64 = 0

  /// Opens a file that can be music at all; says in one sentence why one cannot. Never waits: a
  /// FIFO without a writer or a device is refused before it is opened.
  init(path: [UInt8]) throws(DecodingError) {
    if path.isEmpty { throw DecodingError(.notFound, "no such file: the name is empty") }
    if path.contains(0) { throw DecodingError(.notFound, "no such file: the name holds a NUL") }
    let name = path.map { CChar(bitPattern: $0) } + [0]
    var status = stat()
    if unsafe stat(name, &status) != 0 { throw Self.error(errno) }
    try Self.check(status)
    let descriptor = unsafe open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    if descriptor < 0 { throw Self.error(errno) }
    // Whatever has taken the name since is judged again, now by its descriptor.
    if unsafe fstat(descriptor, &status) != 0 {
      let reason = errno
      close(descriptor)
      throw Self.error(reason)
    }
    do {
      try Self.check(status)
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    size = Int64(status.st_size)
  }

  deinit { close(descriptor) }

  /// Lets offsets count from `offset` on.
  func skip(_ offset: Int64) {
    let step = min(max(offset, 0), size)
    base += step
    size -= step
  }

  /// Fills `buffer` from `offset` on. Fewer bytes than asked are the end of the file.
  func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(DecodingError) -> Int {
    let (count, reason) = unsafe readSome(at: offset, into: buffer)
    if let reason { throw Self.error(reason) }
    return count
  }

  /// The same, and how much was read before a fault (an errno).
  func readSome(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) -> (count: Int, reason: Int32?) {
    guard let start = buffer.baseAddress, offset >= 0 else { return (0, nil) }
    var done = 0
    while done < buffer.count {
      let count = unsafe pread(
        descriptor, start + done, buffer.count - done, off_t(base + offset) + off_t(done))
      if count == 0 { break }
      if count < 0 {
        if errno == EINTR { continue }
        return (done, errno)
      }
      done += count
    }
    return (done, nil)
  }

  /// Fills the first `count` bytes of an array from `offset` on; see the other.
  func read(
    at offset: Int64, into bytes: inout [UInt8], count: Int
  ) throws(DecodingError) -> Int {
    precondition(count <= bytes.count)
    return try unsafe bytes.withUnsafeMutableBufferPointer { (buffer) throws(DecodingError) in
      let part = unsafe UnsafeMutableBufferPointer(rebasing: buffer[..<count])
      return try unsafe read(at: offset, into: UnsafeMutableRawBufferPointer(part))
    }
  }

  /// Up to `count` bytes from `offset` on. For headers and tags, never for sound.
  func bytes(at offset: Int64, count: Int) throws(DecodingError) -> [UInt8] {
    guard offset >= 0, offset < size, count > 0 else { return [] }
    let wanted = Int(min(Int64(count), size - offset))
    var bytes = [UInt8](repeating: 0, count: wanted)
    let done = try read(at: offset, into: &bytes, count: wanted)
    bytes.removeLast(wanted - done)
    return bytes
  }

  private static func check(_ status: stat) throws(DecodingError) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw DecodingError(.isFolder, "is a folder")
    default: throw DecodingError(.notRegular, "not a regular file")
    }
    if status.st_size == 0 { throw DecodingError(.empty, "empty file") }
  }

  /// The sentence for an errno of the file system.
  static func error(_ number: Int32) -> DecodingError {
    switch number {
    case ENOENT, ENOTDIR: return DecodingError(.notFound, "no such file", underlying: Int(number))
    case EACCES, EPERM:
      return DecodingError(.noPermission, "no permission to read it", underlying: Int(number))
    case EISDIR: return DecodingError(.isFolder, "is a folder", underlying: Int(number))
    case ENXIO, ENODEV:
      return DecodingError(.notRegular, "not a regular file", underlying: Int(number))
    default:
      let reason = unsafe String(cString: strerror(number))
      return DecodingError(.ioError, "cannot be read: \(reason)", underlying: Int(number))
    }
  }
}
