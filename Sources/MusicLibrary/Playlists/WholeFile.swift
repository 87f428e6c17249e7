import Glibc

/// Files that are written whole or not at all.
public enum WholeFile {
  /// Writes beside the place, sees it on the disk and moves it there: a full disk, a crash or a power
  /// failure leaves the old file. What stands there keeps its permissions; a link stays a link.
  /// Blocks.
  ///
  /// - Parameter mode: the permissions of a file that is not there yet.
  /// - Returns: what is wrong, if anything.
  public static func write(
    _ bytes: [UInt8], to path: [UInt8], mode: mode_t = 0o644
  ) -> String? {
    let path = real(path)
    let folder = Paths.folder(path)
    var facts = stat()
    let isThere = stat(FileProbe.cString(path), &facts) == 0
    if isThere {
      guard facts.st_mode & S_IFMT == S_IFREG else { return "is no regular file" }
      // A file that must not be written is not replaced by another one either.
      guard access(FileProbe.cString(path), W_OK) == 0 else { return failure(errno) }
    }
    // Others of this process may write here too; what one left that was killed is left.
    var beside: [CChar] = []
    var descriptor: CInt = -1
    for number in 0..<1000 {
      beside = FileProbe.cString(
        Paths.join(folder.isEmpty ? [0x2E] : folder, Array(".sotto-\(getpid())-\(number)".utf8)))
      descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      if descriptor >= 0 || errno != EEXIST { break }
    }
    guard descriptor >= 0 else { return failure(errno) }
    var cause = write(bytes, descriptor)
    if isThere { _ = fchmod(descriptor, facts.st_mode & 0o7777) }
    if cause == 0, fsync(descriptor) != 0 { cause = errno }
    if close(descriptor) != 0, cause == 0 { cause = errno }
    if cause == 0, rename(beside, FileProbe.cString(path)) != 0 { cause = errno }
    guard cause == 0 else {
      unlink(beside)
      return failure(cause)
    }
    // The name is on the disk too. Where a folder cannot be asked for that, the system does it soon.
    let handle = open(
      FileProbe.cString(folder.isEmpty ? [0x2E] : folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if handle >= 0 {
      fsync(handle)
      close(handle)
    }
    return nil
  }

  /// Where links lead; of a file that is not there, those of its folder.
  static func real(_ path: [UInt8]) -> [UInt8] {
    guard let found = realpath(FileProbe.cString(path), nil) else {
      let folder = Paths.folder(path)
      let isEnd = folder.isEmpty || folder == path
      return isEnd ? path : Paths.join(real(folder), Paths.name(path))
    }
    defer { free(found) }
    return Array(UnsafeBufferPointer(start: found, count: strlen(found))).map {
      UInt8(bitPattern: $0)
    }
  }

  private static func failure(_ cause: CInt) -> String {
    "cannot be written: \(String(cString: strerror(cause)))"
  }

  private static func write(_ bytes: [UInt8], _ descriptor: CInt) -> CInt {
    var done = 0
    while done < bytes.count {
      let result = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress! + done, bytes.count - done)
      }
      if result > 0 { done += result } else if errno != EINTR { return errno }
    }
    return 0
  }

  /// Makes a folder and those above it, 0 or the errno of the first that could not be made.
  static func make(folder path: [UInt8], mode: mode_t) -> CInt {
    if mkdir(FileProbe.cString(path), mode) == 0 || errno == EEXIST { return 0 }
    guard errno == ENOENT, path.count > 1 else { return errno }
    let cause = make(folder: Paths.folder(path), mode: mode)
    guard cause == 0 else { return cause }
    return mkdir(FileProbe.cString(path), mode) == 0 || errno == EEXIST ? 0 : errno
  }
}
