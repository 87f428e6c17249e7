import AudioTypes
import Foundation
import Testing

@testable import StateStore

struct MomentTests {
  static func moment() -> Moment {
    var moment = Moment()
    moment.epoch = 7
    moment.entry = 4_294_967_295
    moment.track = Moment.sign(of: TrackLocation(path: [0x2F, 0xFF, 0x0A], start: 12.5))
    moment.position = 1234.567890123
    moment.heard = 0.1
    moment.isCounted = true
    moment.intent = .playing
    moment.level = 40
    moment.isMuted = true
    moment.gain = "album"
    moment.view = "queue \u{1B}[31m: x"
    moment.isLong = true
    moment.alarm = "07:30 daily"
    moment.alarmDue = 1_792_836_000
    return moment
  }

  @Test func `A moment comes back as it was written`() throws {
    let place = try Place()
    let file = MomentFile(Array((place.path + "/moment").utf8))
    #expect(file.read() == nil)
    #expect(file.write(Self.moment()) == 0)
    #expect(file.write(Moment()) == 0)
    #expect(MomentFile(Array((place.path + "/moment").utf8)).read() == Moment())
    #expect(file.write(Self.moment()) == 0)
    #expect(MomentFile(Array((place.path + "/moment").utf8)).read() == Self.moment())
  }

  @Test func `Whatever is left of the write that was cut off, the one before is there`() throws {
    let place = try Place()
    let path = place.path + "/moment"
    var (old, new) = (Self.moment(), Self.moment())
    (old.position, new.position) = (1, 2)
    let file = MomentFile(Array(path.utf8))
    #expect(file.write(old) == 0)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(file.write(new) == 0)
    let after = try Data(contentsOf: URL(fileURLWithPath: path))
    // The sequence begins with 1, in the second place; the second write is in the first one.
    let slot = MomentFile.slotBytes
    for count in stride(from: 0, through: slot, by: 8) {
      let torn = after[..<count] + before[count...]
      try torn.write(to: URL(fileURLWithPath: path))
      let found = MomentFile(Array(path.utf8)).read()
      #expect(found == old || found == new, "\(count) bytes")
      if count < 100 { #expect(found == old) }
      if count == slot { #expect(found == new) }
    }
    // And with any byte of the newest spoilt.
    for index in 0..<300 {
      var spoilt = after
      spoilt[index] ^= 0x20
      try spoilt.write(to: URL(fileURLWithPath: path))
      let found = MomentFile(Array(path.utf8)).read()
      #expect(found == old || found == new)
    }
  }

  @Test func `Bytes of any kind are no moment and no crash`() throws {
    let place = try Place()
    let path = place.path + "/moment"
    var random = SystemRandomNumberGenerator()
    for length in [0, 1, 100, 2047, 2048, 4096, 10_000] {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      #expect(MomentFile(Array(path.utf8)).read() == nil)
    }
    try Data("sotto 1\nsequence 18446744073709551616\nsum 1\n".utf8)
      .write(to: URL(fileURLWithPath: path))
    #expect(MomentFile(Array(path.utf8)).read() == nil)
  }

  @Test func `What has no room or is no name is left out, and the rest is kept`() throws {
    let place = try Place()
    let path = Array((place.path + "/moment").utf8)
    var moment = Self.moment()
    moment.gain = String(repeating: "x", count: 3000)
    moment.view = "a\nlevel 1"
    #expect(MomentFile(path).write(moment) == 0)
    moment.gain = nil
    moment.view = nil
    #expect(MomentFile(path).read() == moment)
    moment.position = .infinity
    #expect(MomentFile(path).write(moment) == 0)
    #expect(MomentFile(path).read()?.position == 0)
  }

  @Test func `A file that is taken away is made again`() throws {
    let place = try Place()
    let path = place.path + "/moment"
    let file = MomentFile(Array(path.utf8))
    #expect(file.write(Moment()) == 0)
    try FileManager.default.removeItem(atPath: path)
    #expect(file.write(Self.moment()) == 0)
    #expect(MomentFile(Array(path.utf8)).read() == Self.moment())
  }
}
