import AudioEngine
import AudioOutput
import AudioSession
import AudioTypes
import Dispatch
import Glibc
import OutputInterface
import Player

/// The voice memo: sotto's own session records meanwhile, and plays again afterwards if it was
/// playing (S35 to S37). The microphone is opened first: without one the music never stops.
///
/// On the control thread.
@MainActor final class VoiceMemo {
  private let player: Player
  private let engine: AudioEngine
  private let backend: any OutputBackend
  /// Where memos are kept; `nil` when nothing says where.
  private let folder: [UInt8]?
  private var recorder: MemoRecorder?
  /// It was ended, and the recorder has not said so yet.
  private var isEnding = false
  /// The session's record as it was, while it is another one.
  private var before: SessionConfiguration?
  /// Why it was ended, if not by the user.
  private var reason = ""
  private var onEnd: [@MainActor () -> Void] = []
  /// A disk that does not answer is waited for no longer.
  private let endTimer = MainTimer()

  /// A line for people.
  var say: (@MainActor (_ sentence: String) -> Void)?
  /// A fault; the path is empty when it is of no file.
  var onFault: (@MainActor (_ path: [UInt8], _ sentence: String) -> Void)?

  init(player: Player, engine: AudioEngine, backend: any OutputBackend, folder: [UInt8]?) {
    self.player = player
    self.engine = engine
    self.backend = backend
    self.folder = folder
  }

  /// From the first wish to the end of the file.
  var isActive: Bool { recorder != nil }

  /// Begins, or ends what was begun.
  func toggle() {
    if recorder != nil { return end() }
    // The microphone is the call's.
    if player.state.blockers.contains(where: { $0.kind == .call }) {
      say?("No voice memo during a call (S28)")
      return
    }
    guard let folder else {
      onFault?([], "no voice memo: neither XDG_DATA_HOME nor HOME says where to keep it")
      return
    }
    let recorder = MemoRecorder(
      backend: backend, request: CaptureRequest(), folder: folder, name: Self.name(time(nil))
    ) { [weak self] event in
      DispatchQueue.main.async { MainActor.assumeIsolated { self?.take(event) } }
    }
    self.recorder = recorder
    isEnding = false
    reason = ""
    recorder.start()
  }

  /// Ends it: nothing that comes from now on is in it. `done` is called when the file is closed, at
  /// once when there is none, and after two seconds where a disk does not answer.
  ///
  /// - Parameter isLast: nothing plays after it.
  func end(isLast: Bool = false, then done: (@MainActor () -> Void)? = nil) {
    if isLast { before = nil }
    guard let recorder else {
      done?()
      return
    }
    isEnding = true
    recorder.end()
    guard let done else { return }
    onEnd.append(done)
    endTimer.set(after: 2) { [weak self] in self?.tellEnd() }
  }

  /// A call may interrupt everything (S28): what was said so far is the memo.
  func interrupt() {
    guard recorder != nil else { return }
    reason = "S28 "
    end()
  }

  // MARK: What the recorder tells

  private func take(_ event: MemoRecorder.Event) {
    switch event {
    case .ready(let path, let device): if !isEnding { begin(path, device) }
    case .failed(let error, let path):
      onFault?(path ?? [], path == nil ? "no voice memo: \(error.sentence)" : error.sentence)
      over()
    case .empty:
      say?("Voice memo: nothing was recorded (\(reason)S36)")
      over()
    case .ended(let memo):
      let length = StatusLine.clock(memo.seconds)
      if let failure = memo.failure {
        onFault?(memo.path, "the voice memo ends at \(length): \(failure.sentence)")
      } else {
        say?("Voice memo, \(length): \(Text.printable(memo.path)) (\(reason)S36)")
      }
      over()
    }
  }

  /// Holds the music; what is heard of its fade is not in the memo.
  private func begin(_ path: [UInt8], _ device: String) {
    let configuration = player.state.configuration
    before = configuration
    let record: SessionConfiguration
    do throws(SessionError) {
      record = try SessionConfiguration(
        category: .record, hasTransportControls: configuration.hasTransportControls,
        content: configuration.content)
    } catch {
      preconditionFailure("recording takes no options")
    }
    player.send(.configure(record))
    let recorder = recorder
    engine.hold { [weak self] in
      recorder?.record()
      guard let self, self.recorder === recorder else { return }
      say?("Recording from \(device): \(Text.printable(path)); ! v ends it (S36 S37)")
    }
  }

  private func over() {
    recorder = nil
    if let before {
      self.before = nil
      player.send(.configure(before))
    }
    tellEnd()
  }

  private func tellEnd() {
    endTimer.cancel()
    let waiting = onEnd
    onEnd = []
    for done in waiting { done() }
  }

  // MARK: Where memos are

  /// `$XDG_DATA_HOME/sotto/Memos`, or the same in the home folder.
  static var folder: [UInt8]? {
    if let data = Environment.bytes("XDG_DATA_HOME"), data.first == UInt8(ascii: "/") {
      return data + Array("/sotto/Memos".utf8)
    }
    guard let home = Environment.bytes("HOME"), !home.isEmpty else { return nil }
    return home + Array("/.local/share/sotto/Memos".utf8)
  }

  /// A memo's name: when it began, in the time of the place.
  static func name(_ seconds: time_t) -> [UInt8] {
    var seconds = seconds
    var local = unsafe tm()
    _ = unsafe localtime_r(&seconds, &local)
    func two(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let date = unsafe "\(local.tm_year + 1900)-\(two(local.tm_mon + 1))-\(two(local.tm_mday))"
    let clock = unsafe "\(two(local.tm_hour)).\(two(local.tm_min)).\(two(local.tm_sec))"
    return Array("\(date)_\(clock)".utf8)
  }
}
