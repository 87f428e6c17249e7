import AudioTypes
import Database
import Foundation
import Synchronization
import Testing

@testable import StateStore

/// A folder of a test's own, removed with it.
final class Place: Sendable {
  let path = NSTemporaryDirectory() + "sotto-state-" + UUID().uuidString

  var bytes: [UInt8] { Array((path + "/sotto").utf8) }
  var file: [UInt8] { bytes + Array("/state.db".utf8) }
  func file(_ name: String) -> String { path + "/sotto/" + name }

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// A music file.
  @discardableResult
  func music(_ name: String, _ text: String = "music") throws -> TrackLocation {
    let file = path + "/" + name
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    return TrackLocation(file)
  }
}

/// What a store said.
final class Heard: Sendable {
  private let lines = Mutex<[String]>([])
  var sentences: [String] { lines.withLock { $0 } }
  func take(_ sentence: String) { lines.withLock { $0.append(sentence) } }
}

extension StateStore {
  static func make(_ place: Place, heard: Heard = Heard(), patience: Int32 = 1000) -> StateStore {
    StateStore(folder: place.bytes, delay: 0.005, patience: patience) { sentence, _ in
      heard.take(sentence)
    }
  }

  /// Reads and waits for it.
  func wholeState() async -> SavedState {
    precondition(standing == .own, "\(standing)")
    return await withCheckedContinuation { answer in
      read { reading in
        if case .saved(let saved) = reading { answer.resume(returning: saved) }
      }
    }
  }

  func record(_ location: TrackLocation) async -> HistoryRecord? {
    await withCheckedContinuation { answer in record(location) { answer.resume(returning: $0) } }
  }
}

/// Waits until it is so, at most two minutes, and leaves the thread to others between.
func becomes(_ condition: () async throws -> Bool) async rethrows -> Bool {
  let limit = Date().addingTimeInterval(120)
  while true {
    if try await condition() { return true }
    if Date() > limit { return false }
    try? await Task.sleep(nanoseconds: 2_000_000)
  }
}

let hasDatabase = Database.isAvailable
