import AudioTypes
import Glibc
import OutputInterface
import Synchronization

/// What became of a recording.
public struct Memo: Equatable, Sendable {
  public var path: [UInt8]
  public var seconds: Double
  /// Why it ended by itself; `nil` when it was ended.
  public var failure: OutputError?
}

/// Records a microphone into a WAV file, on a thread of its own that may wait for a server and for a
/// disk. The file can be played at any moment but the last second: also when the program is killed.
///
/// All functions may be called from any thread; the events come on the recorder's own.
@safe public final class MemoRecorder: Sendable {
  public enum Event: Equatable, Sendable {
    /// The microphone is open and the file is there. Nothing is recorded before `record`.
    case ready(path: [UInt8], device: String)
    /// Nothing was recorded, and no file is left. `path` is what could not be made, if that was it.
    case failed(OutputError, path: [UInt8]?)
    /// It was ended before anything came, and no file is left.
    case empty
    case ended(Memo)
  }

  private enum Wish { case wait, record, end }

  private let backend: any OutputBackend
  private let request: CaptureRequest
  /// Where memos are kept, and the name of this one without its ending.
  private let folder: [UInt8]
  private let name: [UInt8]
  private let onEvent: @Sendable (Event) -> Void
  private let wish = Mutex(Wish.wait)

  /// - Parameters:
  ///   - folder: made where it is missing.
  ///   - name: a file of that name is left alone; then a number is added.
  public init(
    backend: any OutputBackend, request: CaptureRequest, folder: [UInt8], name: [UInt8],
    onEvent: @escaping @Sendable (Event) -> Void
  ) {
    self.backend = backend
    self.request = request
    self.folder = folder
    self.name = name
    self.onEvent = onEvent
  }

  /// Opens the microphone and the file. What comes of it is an event.
  public func start() {
    var id = pthread_t()
    let context = unsafe Unmanaged.passRetained(self).toOpaque()
    let status = unsafe pthread_create(&id, nil, recorderThread, context)
    if status == 0 {
      pthread_detach(id)
      return
    }
    unsafe Unmanaged<MemoRecorder>.fromOpaque(context).release()
    onEvent(
      .failed(OutputError(.other, "no thread to record on", underlying: Int(status)), path: nil))
  }

  /// From now on what the microphone hears goes into the file.
  public func record() { wish.withLock { if $0 == .wait { $0 = .record } } }

  /// What was recorded so far is the memo; nothing that comes later is in it.
  public func end() { wish.withLock { $0 = .end } }

  // MARK: The thread

  fileprivate func run() {
    let microphone: any CaptureStream
    do throws(OutputError) {
      microphone = try backend.openMicrophone(request)
    } catch {
      return onEvent(.failed(error, path: nil))
    }
    defer { microphone.close() }
    let path: [UInt8]
    let writer: WAVWriter
    switch create() {
    case .failure(let error): return onEvent(.failed(error, path: folder))
    case .success(let file):
      path = file.path
      do throws(OutputError) {
        writer = try WAVWriter(
          descriptor: file.descriptor, ownsDescriptor: true, format: microphone.format,
          sample: .s16)
        try writer.update()
      } catch {
        remove(path)
        return onEvent(.failed(error, path: path))
      }
    }
    onEvent(.ready(path: path, device: microphone.deviceName))
    let failure = record(microphone, into: writer)
    if writer.frames == 0 {
      remove(path)
      return onEvent(failure.map { .failed($0, path: path) } ?? .empty)
    }
    let seconds = Double(writer.frames) / Double(writer.format.sampleRate)
    onEvent(.ended(Memo(path: path, seconds: seconds, failure: failure)))
  }

  /// Until it is ended or something fails; the file is closed and complete then.
  private func record(_ microphone: any CaptureStream, into writer: WAVWriter) -> OutputError? {
    let format = microphone.format
    let buffer = UnsafeMutableBufferPointer<Float>.allocate(capacity: 4096 * format.channels)
    defer { unsafe buffer.deallocate() }
    var updated: Int64 = 0
    var heard: OutputError?
    do throws(OutputError) {
      while wish.withLock({ $0 != .end }) {
        let frames: Int
        do throws(OutputError) {
          frames = try unsafe microphone.read(into: buffer)
        } catch {
          heard = error
          break
        }
        // What was heard before the wish is not asked for, and what comes after the end neither.
        guard frames > 0, wish.withLock({ $0 == .record }) else { continue }
        try unsafe writer.write(
          UnsafeBufferPointer(rebasing: buffer[..<(frames * format.channels)]))
        if writer.frames - updated >= Int64(format.sampleRate) {
          updated = writer.frames
          try writer.update()
        }
      }
      try writer.finish()
      return heard
    } catch {
      writer.salvage()
      return error
    }
  }

  // MARK: The file

  /// A new file in the folder: one that is there is never written over.
  private func create() -> Result<(path: [UInt8], descriptor: CInt), OutputError> {
    // The cause is the folder's, not that of the file that then has none.
    if let cause = makeFolders() { return .failure(Self.failure(cause)) }
    for number in 1...999 {
      let suffix = number == 1 ? "" : "_\(number)"
      let path = folder + [UInt8(ascii: "/")] + name + Array("\(suffix).wav".utf8)
      let text = path.map { CChar(bitPattern: $0) } + [0]
      let descriptor = unsafe open(text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if descriptor >= 0 { return .success((path, descriptor)) }
      if errno != EEXIST { return .failure(Self.failure(errno)) }
    }
    return .failure(Self.failure(EEXIST))
  }

  /// Makes the folder and those above it; the errno of the last one where it is not there then.
  private func makeFolders() -> CInt? {
    var cause: CInt = 0
    func make(_ path: some Collection<UInt8>) {
      let result = unsafe mkdir(path.map { CChar(bitPattern: $0) } + [0], 0o700)
      if result == 0 || errno == EEXIST { cause = 0 } else if cause == 0 { cause = errno }
    }
    for (index, byte) in folder.enumerated() where index > 0 && byte == UInt8(ascii: "/") {
      make(folder[..<index])
    }
    make(folder)
    return cause == 0 ? nil : cause
  }

  private func remove(_ path: [UInt8]) {
    _ = unsafe unlink(path.map { CChar(bitPattern: $0) } + [0])
  }

  private static func failure(_ cause: CInt) -> OutputError {
    OutputError(
      .fileError, "no memo can be kept there: \(unsafe String(cString: strerror(cause)))",
      underlying: Int(cause))
  }
}

private func recorderThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  let recorder = unsafe Unmanaged<MemoRecorder>.fromOpaque(context!).takeRetainedValue()
  recorder.run()
  return nil
}
