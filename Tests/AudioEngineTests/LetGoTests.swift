import Foundation
import TestSupport
import Testing

@testable import AudioEngine

/// What is stopped leaves its file alone: the drive can be taken out, and a file that takes its place
/// is the one that is heard.
@MainActor @Suite(.serialized) struct LetGoTests {
  /// Whether this process has the file open, or mapped.
  private func isOpen(_ path: String) throws -> Bool {
    let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    let targets = names.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }
    let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
    return targets.contains { $0.hasPrefix(path) } || maps.contains(path)
  }

  @Test func `Stopped, the file is closed, and what takes its place is heard from its beginning`()
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let old = try rig.track("track.wav", frames: 400_000)
    try rig.start([old.path])
    rig.hear(10_000)
    await rig.until { rig.toldTracks == [0] }
    #expect(try isOpen(old.path))
    rig.engine.hold()
    rig.hear(5_000)
    rig.engine.seek(to: 0)
    await rig.until { rig.hasSought }
    rig.engine.letGo(at: 0)
    #expect(await holds { (try? isOpen(old.path)) == false })
    let other = try rig.track("other.wav", frames: 20_000, first: 900_000)
    try FileManager.default.removeItem(atPath: old.path)
    try FileManager.default.moveItem(atPath: other.path, toPath: old.path)
    let before = rig.heard.count
    rig.engine.release()
    #expect(await holds { !rig.device.isCorked })
    rig.hear(30_000)
    await rig.until { rig.hasEnded }
    let isSame = Array(rig.heard[before...]) == other.samples
    #expect(isSame)
    // Nobody has sought, and no other track has begun.
    #expect(rig.seekCount == 1)
    #expect(rig.toldTracks == [0])
  }

  @Test func `A track that is chosen while stopped is known, and not kept open`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let one = try rig.track("one.wav", frames: 400_000)
    let two = try rig.track("two.wav", frames: 20_000, first: 500_000)
    try rig.start([one.path, two.path])
    rig.hear(10_000)
    rig.engine.hold()
    rig.hear(5_000)
    rig.engine.letGo(at: 0)
    #expect(await holds { (try? isOpen(one.path)) == false })
    rig.engine.move(to: 1)
    await rig.until { rig.toldTracks == [0, 1] }
    #expect(rig.engine.snapshot().duration == 20_000.0 / 48_000)
    #expect(await holds { (try? isOpen(two.path)) == false })
    let before = rig.heard.count
    rig.engine.release()
    #expect(await holds { !rig.device.isCorked })
    rig.hear(30_000)
    await rig.until { rig.hasEnded }
    let isSame = Array(rig.heard[before...]) == two.samples
    #expect(isSame)
  }

  @Test func `A long track goes on where it was left when it is played after a stop`() async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let track = try rig.track("long.wav", frames: 400_000)
    let tracks = LooseTracks([track.path], [:])
    try rig.start(tracks)
    rig.hear(10_000)
    await rig.until { rig.toldTracks == [0] }
    rig.engine.hold()
    rig.hear(5_000)
    rig.engine.seek(to: 0)
    await rig.until { rig.hasSought }
    tracks.leave(0, at: 0.1)
    rig.engine.letGo(at: 0)
    #expect(await holds { (try? isOpen(track.path)) == false })
    let before = rig.heard.count
    rig.engine.release()
    await rig.until { rig.lastSought == 0.1 }
    #expect(await holds { !rig.device.isCorked })
    rig.hear(2_000)
    // After the fade it is the track from there on.
    let heard = Array(rig.heard[before...].dropFirst(480 * 2).prefix(1_000 * 2))
    #expect(heard == Array(track.samples[(5_280 * 2)..<(6_280 * 2)]))
  }

  @Test func `What is chosen and played at once after a stop is what is heard`() async throws {
    let rig = try Rig()
    defer { rig.close() }
    let one = try rig.track("one.wav", frames: 400_000)
    let two = try rig.track("two.wav", frames: 20_000, first: 500_000)
    try rig.start([one.path, two.path])
    rig.hear(10_000)
    await rig.until { rig.toldTracks == [0] }
    rig.engine.hold()
    rig.hear(5_000)
    for _ in 0..<20 {
      rig.engine.hold()
      rig.engine.seek(to: 0)
      rig.engine.letGo(at: 0)
      // Whether the decoder's thread has been there in between or not.
      rig.engine.move(to: 1)
      rig.engine.release()
      await rig.until { rig.engine.snapshot().index == 1 }
      #expect(await holds { !rig.device.isCorked })
      rig.hear(2_000)
      rig.engine.hold()
      rig.hear(5_000)
      rig.engine.move(to: 0)
      #expect(await holds { rig.engine.snapshot().index == 0 })
    }
    #expect(rig.failures.isEmpty)
  }

  @Test func `A file that has gone while stopped is told when it is played, and the next plays`()
    async throws
  {
    let rig = try Rig()
    defer { rig.close() }
    let one = try rig.track("one.wav", frames: 400_000)
    let two = try rig.track("two.wav", frames: 20_000, first: 500_000)
    try rig.start([one.path, two.path])
    rig.hear(10_000)
    rig.engine.hold()
    rig.hear(5_000)
    rig.engine.seek(to: 0)
    await rig.until { rig.hasSought }
    rig.engine.letGo(at: 0)
    #expect(await holds { (try? isOpen(one.path)) == false })
    try FileManager.default.removeItem(atPath: one.path)
    rig.engine.release()
    #expect(await holds { !rig.device.isCorked })
    await rig.until { rig.failures == [0] }
    let before = rig.heard.count
    rig.hear(30_000)
    await rig.until { rig.hasEnded }
    #expect(Array(rig.heard[before...].suffix(two.samples.count)) == two.samples)
  }
}
