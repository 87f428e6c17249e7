import Glibc

/// Two places in one small file, written in turn: whatever happens while one is written, the other
/// is whole. What was written is the kernel's at once and outlives the process; a power cut may take
/// the last half minute of it. Used by one thread at a time.
@safe final class MomentFile {
  private let path: [UInt8]
  private var descriptor: CInt = -1
  private var sequence: UInt64 = 0

  static let slotBytes = 2048

  init(_ path: [UInt8]) { self.path = path }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The newest moment that is whole; nil where there is none.
  func read() -> Moment? {
    let file = unsafe open(StateFolder.name(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 2 * Self.slotBytes)
    var count = 0
    while count < bytes.count {
      let got = unsafe bytes[count...].withUnsafeMutableBytes {
        unsafe Glibc.read(file, $0.baseAddress, $0.count)
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { break }
      count += got
    }
    var found: Moment?
    for slot in 0..<2 {
      var number: UInt64 = 0
      let place = bytes[(slot * Self.slotBytes)..<((slot + 1) * Self.slotBytes)]
      guard let moment = Moment(place, sequence: &number) else { continue }
      guard found == nil || number > sequence else { continue }
      found = moment
      sequence = number
    }
    return found
  }

  /// The folder is another one now.
  func reopen() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  /// One write of one page; nothing waits for a disk.
  ///
  /// - Returns: 0, or the errno.
  func write(_ moment: Moment) -> CInt {
    // Somebody may have emptied the folder meanwhile.
    var facts = stat()
    if descriptor >= 0, unsafe fstat(descriptor, &facts) != 0 || facts.st_nlink == 0 {
      close(descriptor)
      descriptor = -1
    }
    if descriptor < 0 {
      descriptor = unsafe open(
        StateFolder.name(path), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
      guard descriptor >= 0 else { return errno }
    }
    let next = sequence &+ 1
    var text = moment.text(sequence: next)
    guard text.count < Self.slotBytes else { return EMSGSIZE }
    text += [UInt8](repeating: 0, count: Self.slotBytes - text.count)
    let offset = Int(next % 2) * Self.slotBytes
    while true {
      let count = unsafe text.withUnsafeBytes {
        unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset))
      }
      if count == Self.slotBytes { break }
      if count < 0, errno == EINTR { continue }
      return count < 0 ? errno : ENOSPC
    }
    sequence = next
    return 0
  }
}
