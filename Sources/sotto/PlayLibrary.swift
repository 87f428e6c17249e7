import Bus
import Dispatch
import MusicLibrary
import PlayerState
import TerminalModel

/// Keeps the collection up to what is in its folders while the player runs. On the control thread;
/// what takes time is done on a thread of its own.
@MainActor final class PlayLibrary {
  private unowned let command: PlayCommand
  private var watch: LibraryWatch?
  private var ended: DispatchSemaphore?
  private var hasBegun = false
  /// The folders of the configuration; `nil` where nothing is to be watched.
  private var folders: [[UInt8]]?

  init(_ command: PlayCommand) { self.command = command }

  /// Something is heard, or the player stands and waits: now it disturbs nobody.
  func begin() {
    guard !hasBegun else { return }
    hasBegun = true
    follow(command.configuration.settings)
  }

  func follow(_ settings: Settings) {
    guard hasBegun, !command.isEnding else { return }
    let wanted = settings.libraryWatch ? LibraryPlace.folders(settings) : nil
    guard wanted != folders else { return }
    end()
    folders = wanted
    guard let wanted, let path = LibraryPlace.path, let folder = LibraryPlace.folder else { return }
    let watch = LibraryWatch(index: path, folders: wanted)
    let ended = DispatchSemaphore(value: 0)
    (self.watch, self.ended) = (watch, ended)
    let hear: @MainActor @Sendable (LibraryNews) -> Void = { [weak self] in self?.hear($0) }
    let follow: @MainActor @Sendable (MovedFiles.Outcome) -> Void = { [weak self] in
      self?.follow($0)
    }
    let moved = MovedFiles(index: path, folder: folder)
    let (store, queue) = (command.kept?.store, command.queue)
    Background.run {
      var inhibitor: SleepInhibitor?
      watch.run { news in
        switch news {
        // Held for exactly as long as the scan (S40).
        case .begins: inhibitor = SleepInhibitor(why: "scanning music")
        case .ends, .fails, .repaired:
          if case .ends = news {
            let outcome = moved.follow(store)
            if !outcome.paths.isEmpty { queue.follow(outcome.paths) }
            DispatchQueue.main.async { MainActor.assumeIsolated { follow(outcome) } }
          }
          inhibitor?.end()
          inhibitor = nil
        case .unwatched: break
        }
        DispatchQueue.main.async { MainActor.assumeIsolated { hear(news) } }
      }
      ended.signal()
    }
  }

  /// Ends the watch and a scan that is under way; does not wait.
  func end() {
    watch?.end()
    watch = nil
    folders = nil
  }

  /// A scan that was cancelled ends in a moment; longer it is not waited for, and what it does not
  /// write the next one will.
  func waitForEnd() { _ = ended?.wait(timeout: .now() + .milliseconds(200)) }

  /// What was told of files that cannot be followed yet.
  private var toldProblem: String?

  private func follow(_ outcome: MovedFiles.Outcome) {
    guard !command.isEnding else { return }
    if !outcome.paths.isEmpty { command.kept?.follow(outcome.paths) }
    if let problem = outcome.problem, problem != toldProblem { Messages.tell(problem) }
    toldProblem = outcome.problem
  }

  private func hear(_ news: LibraryNews) {
    guard !command.isEnding else { return }
    switch news {
    case .begins, .fails(nil), .ends(_, false): break
    case .ends(let newTracks, true):
      command.full?.libraryChanged()
      guard newTracks > 0, command.full != nil, let player = command.player else { break }
      let sentence = "The collection has \(ScanText.count(newTracks, "new track"))"
      command.notice = PlayerSnapshot.Notice(sentence, at: player.now())
      command.refresh()
    case .repaired(let sentence), .fails(let sentence?), .unwatched(let sentence):
      Messages.tell(sentence)
    }
  }
}
