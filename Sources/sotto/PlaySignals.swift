import AudioEngine
import Dispatch
import Glibc

/// Signals: stop and go on in the background, another size, and every way to be told to end.
extension PlayCommand {
  func takeSignals() {
    let descriptor = Signals.queue()
    guard descriptor >= 0 else { return }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    source.setEventHandler { [weak self] in
      MainActor.assumeIsolated {
        for number in Signals.take(from: descriptor) { self?.take(signal: number) }
      }
    }
    source.activate()
    signals = source
  }

  private func take(signal number: CInt) {
    switch number {
    case SIGTSTP: stop()
    case SIGCONT: proceed()
    case SIGWINCH where !isStopping:
      screen?.draw()
      full?.resized()
    case SIGWINCH: break
    default: finish(signal: number)
    }
  }

  /// Holds the sound, gives the terminal back, and stops as the terminal asked, once silence is
  /// heard.
  private func stop() {
    if isStopping || isEnding { return }
    player?.send(.suspended(true))
    isStopping = true
    bus?.suspend()
    headset?.rest(true)
    let stop: @MainActor () -> Void = { [weak self] in
      // Who was told to go on in the meantime would not be told again.
      guard self?.isStopping == true else { return }
      self?.isStopping = false
      raise(SIGSTOP)
    }
    // What sounds beside the music is over: seconds of it would be heard after the stop.
    let silence: @MainActor () -> Void = { [weak self] in
      self?.screen?.leaveTerminal()
      self?.full?.suspend()
      self?.voice?.suspend()
      guard let engine = self?.engine else { return stop() }
      engine.endSounds { engine.hold(then: stop) }
    }
    // A microphone that went on would be read by nobody: what was recorded is the memo.
    if let memo { memo.end(then: silence) } else { silence() }
  }

  private func proceed() {
    isStopping = false
    screen?.takeTerminal()
    full?.resume()
    voice?.resume()
    bus?.resume()
    headset?.rest(false)
    player?.send(.suspended(false))
    refresh()
  }
}
