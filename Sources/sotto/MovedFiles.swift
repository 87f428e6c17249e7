import AudioTypes
import Database
import Glibc
import MusicLibrary
import StateStore

/// Takes ratings, counts and places in long tracks along with the files that a scan has found at other
/// places. What cannot be written now stays noted in the index, and is done after the next scan.
struct MovedFiles: Sendable {
  /// The index, and the folder of the state.
  let index: [UInt8]
  let folder: [UInt8]

  struct Outcome: Sendable {
    /// New paths by the old ones, and by the places that those led to.
    var paths: [[UInt8]: [UInt8]] = [:]
    /// Why it is not done yet; without a full stop.
    var problem: String?
  }

  private var state: [UInt8] { folder + Array("/state.db".utf8) }

  /// Blocks: after a scan, on its thread.
  ///
  /// - Parameter store: that of a player that keeps the state; otherwise its file is written here,
  ///   whoever else has it open.
  func follow(_ store: StateStore?) -> Outcome {
    // The user may take it away at any time.
    guard isThere(index) else { return Outcome() }
    do throws(DatabaseError) {
      return follow(try LibraryIndex(Database(index, .readWrite)), store)
    } catch {
      return Outcome(problem: "\(Text.printable(index)): \(error.sentence)")
    }
  }

  func follow(_ index: LibraryIndex, _ store: StateStore?) -> Outcome {
    var outcome = Outcome()
    do throws(DatabaseError) {
      let found = try index.moves()
      guard !found.isEmpty else { return outcome }
      let moves = found.map { History.Move(sign: $0.scan, from: $0.old, to: $0.new) }
      do throws(DatabaseError) {
        if let store, store.standing == .own {
          try store.follow(moves)
        } else if isThere(state) {
          try History.open(in: folder).follow(moves)
        }
      } catch {
        let files =
          found.count == 1 ? "1 moved file follow it" : "\(found.count) moved files follow them"
        outcome.problem =
          "\(Text.printable(state)): \(error.sentence); ratings and counts of \(files)"
          + " after the next scan"
        return outcome
      }
      let paths = Self.paths(found)
      let places = FilePlaces()
      outcome.paths = Dictionary(
        paths.map { (places.look(TrackLocation(path: $0.key)).path, $0.value) }
      ) { $1 }
      outcome.paths.merge(paths) { $1 }
      try index.forget(found)
    } catch {
      outcome.problem = "\(Text.printable(self.index)): \(error.sentence)"
    }
    return outcome
  }

  /// Where each file is after all of the moves.
  static func paths(_ moves: [FileMove]) -> [[UInt8]: [UInt8]] {
    var paths: [[UInt8]: [UInt8]] = [:]
    var rest = moves[...]
    while let scan = rest.first?.scan {
      let once = rest.prefix { $0.scan == scan }
      rest = rest.dropFirst(once.count)
      let next = Dictionary(once.map { ($0.old, $0.new) }) { $1 }
      paths = paths.mapValues { next[$0] ?? $0 }.merging(next) { earlier, _ in earlier }
    }
    return paths
  }

  private func isThere(_ path: [UInt8]) -> Bool {
    unsafe access(path.map { CChar(bitPattern: $0) } + [0], F_OK) == 0
  }
}
