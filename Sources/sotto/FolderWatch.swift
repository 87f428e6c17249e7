import AudioTypes
import Dispatch
import Glibc

/// Tells when something in some folders has been saved, by inotify. On the control thread. Where the
/// system does not tell (too many watches, no folder), nothing is told.
@MainActor final class FolderWatch {
  private let descriptor: CInt
  private var source: (any DispatchSourceRead)?
  private let pause = MainTimer()

  /// An editor writes a file, moves it and changes its rights in one breath: told once after it.
  private static let breath = 0.1

  init(_ folders: [[UInt8]], onChange: @escaping @MainActor () -> Void) {
    descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
    guard descriptor >= 0 else { return }
    // A device that is new may be used when its rights have been set.
    let wanted = UInt32(
      IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE | IN_ATTRIB)
    for folder in folders {
      _ = unsafe inotify_add_watch(
        descriptor, folder.map { CChar(bitPattern: $0) } + [0], wanted)
    }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    source.setEventHandler { [weak self] in
      MainActor.assumeIsolated {
        guard let self else { return }
        self.drain()
        self.pause.set(after: Self.breath) { onChange() }
      }
    }
    let closing = descriptor
    source.setCancelHandler { close(closing) }
    source.activate()
    self.source = source
  }

  func end() {
    source?.cancel()
    source = nil
    pause.cancel()
  }

  private func drain() {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe read(descriptor, $0.baseAddress, $0.count)
      }
      if count <= 0 { return }
    }
  }
}
