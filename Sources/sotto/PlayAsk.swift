import AudioSession
import AudioTypes
import JSONText
import PlayQueue
import Player
import PlayerState
import RemoteControl
import TerminalModel

/// One command of a program that wants to know what became of it: what is said meanwhile is its
/// answer. On the control thread.
@MainActor final class Asked {
  private var sentences: [String] = []
  private var faults: [String] = []
  private var faultBytes = 0
  /// Faults that are counted alone.
  private var moreFaults = 0
  /// How many tracks came into the queue, where some were asked for and came.
  var added: Int?
  /// The end comes later, by `finish`.
  private(set) var isDeferred = false
  private let answer: @MainActor (ControlReply) -> Void

  init(_ answer: @escaping @MainActor (ControlReply) -> Void) { self.answer = answer }

  /// A folder may have any number of faults; what is told of them stays far below the most that a
  /// program may leave unread.
  private static let mostFaults = 100
  private static let mostFaultBytes = 1 << 16

  func hear(_ sentence: String, isFault: Bool = false) {
    let sentence = Text.printable(sentence)
    if isFault {
      faultBytes += sentence.utf8.count
      if faults.isEmpty || faults.count < Self.mostFaults && faultBytes <= Self.mostFaultBytes {
        faults.append(sentence)
      } else {
        moreFaults += 1
      }
    } else if !sentences.contains(sentence) {
      sentences.append(sentence)
    }
  }

  func hear(_ decision: Decision) {
    switch decision.remark {
    case .refused: hear(decision.sentence, isFault: true)
    // The session does not know the queue: its count is not the listener's.
    case .track: break
    default: hear(decision.sentence)
    }
  }

  /// What was asked for goes on after this turn.
  func wait() -> Asked {
    isDeferred = true
    return self
  }

  func finish() {
    let faults = faults + (moreFaults > 0 ? ["and \(moreFaults) more"] : [])
    if let added {
      answer(.added(added, said: sentences, faults: faults))
    } else {
      answer(faults.first.map { .failed($0, faults: faults) } ?? .done(sentences))
    }
  }
}

extension PlayCommand {
  /// Carries a command out and tells what became of it.
  func perform(
    _ command: PlayerCommand, from source: CommandSource,
    _ answer: @escaping @MainActor (ControlReply) -> Void
  ) {
    guard player != nil, !isEnding else { return answer(.failed("The player ends")) }
    // What is asked of the kept queue waits until that is there.
    if command != .quit,
      kept?.postpones({ [weak self] in self?.perform(command, from: source, answer) }) == true
    {
      return
    }
    if let sentence = refusal(of: command) { return answer(.failed(sentence)) }
    let asked = Asked(answer)
    // The answer is on its way before the program ends.
    if command == .quit {
      asked.finish()
      return perform(.quit, from: source)
    }
    let before = self.asked
    self.asked = asked
    perform(command, from: source)
    self.asked = before
    if !asked.isDeferred { asked.finish() }
  }

  /// The same of the screen's own.
  func perform(_ command: ViewCommand, _ answer: @escaping @MainActor (ControlReply) -> Void) {
    guard player != nil, !isEnding else { return answer(.failed("The player ends")) }
    guard let full else { return answer(.failed(Self.noScreen)) }
    let asked = Asked(answer)
    let before = self.asked
    self.asked = asked
    full.perform(command)
    self.asked = before
    if !asked.isDeferred { asked.finish() }
  }

  private static let noScreen = "There is no screen to show it on"

  /// Why nothing can come of a command, where nobody else would say so.
  private func refusal(of command: PlayerCommand) -> String? {
    switch command {
    case .seek where player?.situation.intent == .stopped: Self.stoppedSentence
    case .play, .toggle, .force, .next, .previous, .seek:
      queue.value.entries.isEmpty ? "The queue is empty" : nil
    case .choose(let row):
      queue.value.entries.indices.contains(row) ? nil : Self.noRow(row)
    case .move(let rows, let to) where to != .max:
      // One row after the last one is its end.
      rows.first { !queue.value.entries.indices.contains($0) }.map { Self.noRow($0) }
        ?? (to > queue.value.entries.count ? Self.noRow(to) : nil)
    case .remove(let rows), .cut(let rows), .copy(let rows), .moveNext(let rows),
      .move(let rows, _):
      rows.first { !queue.value.entries.indices.contains($0) }.map { Self.noRow($0) }
    case .browse, .theme, .set: full == nil ? Self.noScreen : nil
    default: nil
    }
  }

  /// The session moves nothing that is stopped: it begins at its beginning when it is played.
  static let stoppedSentence = "Stopped: there is nothing to seek in"

  private static func noRow(_ row: Int) -> String { "The queue has no row \(row &+ 1)" }
}

/// The player at its control socket.
@MainActor final class PlayControl: ControlTarget {
  private unowned let command: PlayCommand
  private(set) lazy var server = ControlServer(self)

  init(_ command: PlayCommand) { self.command = command }

  /// Where sockets are, by the environment.
  static var folder: ControlFolder { .standard(runtime: Environment.bytes("XDG_RUNTIME_DIR")) }

  /// Without a socket everything else is as it was: `sotto ctl` and `sotto doctor` say why.
  func open() { try? server.open(in: Self.folder) }

  func perform(_ line: String, _ answer: @escaping @MainActor (ControlReply) -> Void) {
    do throws(CommandError) {
      switch try ScreenCommand(elsewhere: line) {
      case .player(let wish): command.perform(wish, from: .cli, answer)
      case .view(let wish): command.perform(wish, answer)
      }
    } catch {
      answer(.failed(error.sentence))
    }
  }

  func status() -> [(String, JSON)] {
    guard let snapshot = command.snapshot(), let player = command.player else { return [] }
    let key = command.engine?.snapshot().index ?? command.index
    return StatusText.fields(
      snapshot, now: player.now(), track: snapshot.entry == nil ? nil : command.listed(key),
      in: CtlCommand.workingFolder, instance: server.name)
  }

  func statusLines() -> [String] { command.snapshot().map { StatusText.lines($0) } ?? [] }
}
