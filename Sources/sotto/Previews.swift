import AudioEngine
import AudioTypes
import Decoding
import Dispatch
import MusicLibrary
import PlayerState
import Synchronization

/// Pieces of files to listen to: each at its own level and beside the queue; the music waits for it
/// (S7). A file is looked for and decoded beside the control thread, however slow its disk is, and
/// of several wishes only the newest is heard. On the control thread.
@MainActor final class Previews {
  private unowned let command: PlayCommand
  private let queue = DispatchQueue(label: "sotto.preview", attributes: .concurrent)
  /// What is not wanted any more is broken off.
  private let newest = Newest()
  private let end = MainTimer()
  private var isHeard = false
  /// Files that are being read, also those that nobody waits for any more.
  private var reading = 0

  private final class Newest: Sendable {
    private let number = Atomic<Int>(0)

    func next() -> Int { number.add(1, ordering: .relaxed).newValue }
    func isStill(_ wish: Int) -> Bool { number.load(ordering: .relaxed) == wish }
  }

  private enum Found: Sendable {
    case piece(LoadedSound, title: String?)
    case fault(String)
  }

  init(_ command: PlayCommand) { self.command = command }

  /// Where a preview sounds: no neighbour has this place while one is chosen from the files.
  private static let place = 2
  private static let id = "preview"
  /// Longer is no preview.
  nonisolated private static let longestSeconds = 30.0
  /// It may take for ever, and gives what is sent now instead of a piece to choose by.
  nonisolated private static let noAddress = "an address has no preview"
  /// A share that does not answer keeps a thread; it is not to keep many.
  private static let mostReading = 4

  /// Looks for a piece and begins it once it is there.
  ///
  /// - Parameter location: a file with a part of it, or whatever else may be played but an address.
  func begin(_ location: TrackLocation) {
    guard !location.isURL else {
      return command.say("\(location.display): \(Self.noAddress)", isFault: true)
    }
    guard let format = command.engine?.soundFormat else {
      return command.say("There is no output to hear a preview on", isFault: true)
    }
    guard reading < Self.mostReading else {
      return command.say("Files do not answer: no preview before they do", isFault: true)
    }
    // What is heard goes on until this one takes its place: no music comes between.
    let wish = newest.next()
    reading += 1
    let asked = command.asked?.wait()
    let collection = command.collection
    let newest = newest
    queue.async { [weak self] in
      let found = Self.find(location, format, collection) { newest.isStill(wish) }
      DispatchQueue.main.async {
        MainActor.assumeIsolated {
          guard let self else { return }
          self.reading -= 1
          let before = self.command.asked
          self.command.asked = asked
          let isOver = self.take(found, of: location, isWanted: newest.isStill(wish))
          self.command.asked = before
          if isOver { asked?.finish() }
        }
      }
    }
  }

  private nonisolated static func find(
    _ location: TrackLocation, _ format: AudioFormat, _ collection: MusicCollection?,
    isWanted: () -> Bool
  ) -> Found {
    var location = location
    var title: String?
    if location.start == 0, location.end == nil {
      var expansion = Expansion([location.path], collection: collection)
      switch expansion.next() {
      case .track(let track): (location, title) = (track.location, track.title)
      case .fault(let fault): return .fault(fault.sentence)
      case nil: return .fault("nothing to play")
      }
      if location.isURL { return .fault(noAddress) }
    }
    do throws(DecodingError) {
      let sound = try LoadedSound(
        pieceOf: location, format: format, longest: longestSeconds, isWanted: isWanted)
      return sound.seconds > 0 ? .piece(sound, title: title) : .fault("there is nothing to hear")
    } catch {
      return .fault(error.sentence)
    }
  }

  /// - Returns: false where it is looked for once more.
  private func take(_ found: Found, of location: TrackLocation, isWanted: Bool) -> Bool {
    // What rings has come meanwhile, or the end.
    guard isWanted, let engine = command.engine, let player = command.player, !command.isEnding,
      !command.alarm.isRinging
    else {
      command.asked?.hear("Something else came before the preview", isFault: true)
      return true
    }
    switch found {
    case .fault(let sentence): command.say("\(location.display): \(sentence)", isFault: true)
    case .piece(let sound, let title):
      do throws(DecodingError) {
        guard try engine.begin(sound, place: Self.place) else {
          // Another output has come meanwhile: once more, for that one.
          begin(location)
          return false
        }
      } catch {
        command.say("\(location.display): \(error.sentence)", isFault: true)
        return true
      }
      if !isHeard { player.send(.begin(id: Self.id, kind: .solo, source: "preview")) }
      isHeard = true
      command.say("Preview of \(title.map(Text.printable) ?? location.display)")
      end.set(after: sound.seconds) { [weak self] in self?.endNow() }
    }
    return true
  }

  /// A wish for other sound is the end of it.
  func hear(_ wish: PlayerCommand) {
    switch wish {
    case .play, .pause, .toggle, .stop, .force, .next, .previous, .choose: endNow()
    default: break
    }
  }

  /// Ends what is heard, and what is looked for.
  private func endNow() {
    _ = newest.next()
    guard isHeard else { return }
    isHeard = false
    end.cancel()
    command.engine?.end(soundIn: Self.place)
    command.player?.send(.end(id: Self.id, shouldResume: true))
    command.refresh()
  }
}
