import AudioTypes
import Decoding
import Foundation
import Testing

@testable import sotto

/// The waveforms that are kept, and what may happen to them.
@Suite struct WaveformCacheTests {
  private let folder: Folder
  private let cache: WaveformCache
  private static let peaks = (0..<Waveform.parts).map { UInt8(truncatingIfNeeded: $0) }

  init() throws {
    folder = try Folder()
    cache = WaveformCache(folder: Array("\(folder.path)/cache/waveforms".utf8), most: 20)
  }

  private var files: [String] {
    (try? FileManager.default.contentsOfDirectory(
      atPath: String(decoding: cache.folder, as: UTF8.self))) ?? []
  }

  @Test func `What was kept comes back, for the same file as it was`() throws {
    let path = try folder.write("a.wav", [1, 2, 3])
    let key = try #require(WaveformCache.key(TrackLocation(path)))
    #expect(cache.read(key) == nil)
    cache.write(key, Self.peaks)
    #expect(cache.read(key) == Self.peaks)
    let part = TrackLocation(path: Array(path.utf8), start: 1)
    #expect(cache.read(try #require(WaveformCache.key(part))) == nil)
    try folder.write("a.wav", [1, 2, 3, 4])
    #expect(cache.read(try #require(WaveformCache.key(TrackLocation(path)))) == nil)
  }

  @Test func `Only files have a key`() {
    #expect(WaveformCache.key(TrackLocation("http://radio.invalid/")) == nil)
    #expect(WaveformCache.key(TrackLocation(folder.path)) == nil)
    #expect(WaveformCache.key(TrackLocation("\(folder.path)/missing")) == nil)
  }

  @Test func `A file that is damaged, or another track's under the same name, is none`() throws {
    let key = Array("/a\n1".utf8)
    cache.write(key, Self.peaks)
    let name = try #require(files.first)
    let path = "\(String(decoding: cache.folder, as: UTF8.self))/\(name)"
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for count in [0, 10, bytes.count - 1] {
      try bytes.prefix(count).write(to: URL(fileURLWithPath: path))
      #expect(cache.read(key) == nil)
    }
    try (bytes + [0]).write(to: URL(fileURLWithPath: path))
    #expect(cache.read(key) == nil)
    bytes[18] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    #expect(cache.read(key) == nil)
  }

  @Test func `The oldest go when there are too many, and what was used is not old`() throws {
    let keys = (0..<21).map { Array("/\($0)".utf8) }
    for (index, key) in keys.prefix(20).enumerated() {
      let before = Set(files)
      cache.write(key, Self.peaks)
      let new = try #require(Set(files).subtracting(before).first)
      let path = "\(String(decoding: cache.folder, as: UTF8.self))/\(new)"
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_000_000 + Double(index))],
        ofItemAtPath: path)
    }
    #expect(cache.read(keys[0]) == Self.peaks)
    cache.write(keys[20], Self.peaks)
    #expect(files.count == 18)
    #expect(cache.read(keys[0]) == Self.peaks)
    #expect(cache.read(keys[1]) == nil)
    #expect(cache.read(keys[20]) == Self.peaks)
  }

  @Test func `A folder that cannot be made costs nothing`() throws {
    let blocked = WaveformCache(folder: Array("\(try folder.write("file", [1]))/waveforms".utf8))
    blocked.write([1], Self.peaks)
    #expect(blocked.read([1]) == nil)
    let full = WaveformCache(folder: Array("/dev/full/waveforms".utf8))
    full.write([1], Self.peaks)
    #expect(full.read([1]) == nil)
  }
}
