// Paints `Pattern` on the terminal it is started on. Each input is a step further and is named on the
// first row; q ends, c crashes, f paints more than a slow terminal takes and says so on standard
// error. A terminal that is refused is told and ends with 69.
import Dispatch
import Glibc
import TerminalModel
import TerminalScreen

@MainActor final class Trial {
  private let screen: FullScreen
  private var step = 0
  private var note = ""
  private var sources: [any DispatchSourceSignal] = []

  init(_ capabilities: Capabilities) { screen = FullScreen(capabilities) }

  func start() {
    screen.onInput = { [weak self] input in self?.take(input) }
    screen.onEnd = { exit(3) }
    screen.start()
    on(SIGWINCH) { trial in
      trial.screen.resized()
      trial.paint()
    }
    on(SIGTSTP) { trial in
      trial.screen.suspend()
      raise(SIGSTOP)
    }
    on(SIGCONT) { trial in
      trial.screen.resume()
      trial.paint()
    }
    paint()
  }

  private func on(_ number: CInt, _ act: @escaping @MainActor (Trial) -> Void) {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
    source.setEventHandler { [weak self] in
      MainActor.assumeIsolated { if let self { act(self) } }
    }
    source.activate()
    sources.append(source)
  }

  private func take(_ input: TerminalInput) {
    step += 1
    switch input {
    case .key(let key) where key == Key(.character("q")):
      screen.end()
      exit(0)
    case .key(let key) where key == Key(.character("c")):
      unsafe UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
    case .key(let key) where key == Key(.character("p")): fatalError("a panic on purpose")
    case .key(let key) where key == Key(.character("f")):
      for _ in 0..<2000 {
        step += 1
        paint()
      }
      say("flooded")
    case .key(let key): note = "key \(key.name) \(key.modifiers.rawValue)"
    case .mouse(let event): note = "mouse \(event.action) at \(event.row) \(event.column)"
    case .paste(let text): note = "paste \(text.utf8.count) bytes"
    case .focus(let isIn): note = "focus \(isIn)"
    }
    paint()
  }

  private func paint() {
    let size = screen.size
    screen.show(Pattern.grid(columns: size.columns, rows: size.rows, step: step, note: note))
  }
}

private func say(_ text: String) {
  let bytes = Array((text + "\n").utf8)
  _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}

/// A signal that ends the program gives the terminal back first.
private func ended(_ number: CInt) {
  Terminal.restore()
  signal(number, SIG_DFL)
  raise(number)
}

for number in [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT] {
  signal(number, ended)
}
private let trial: Trial
do throws(TerminalRefusal) {
  let capabilities = try Capabilities.detect(
    variable: { name in
      guard let text = unsafe getenv(name), unsafe text.pointee != 0 else { return nil }
      return unsafe String(cString: text)
    }, terminfo: TerminfoEntry.read)
  trial = Trial(capabilities)
} catch {
  say(error.sentence)
  exit(69)
}
trial.start()
dispatchMain()
