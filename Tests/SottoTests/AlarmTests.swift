import Foundation
import PlayerState
import TestSupport
import Testing

@testable import sotto

@Suite(.serialized) struct AlarmTests {
  /// Its ringing is resampled, so libsoxr must be there.
  private static let rings = Tool.isIntegration

  /// Central European time, without any file of time zones.
  private func inBerlin<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = ProcessInfo.processInfo.environment["TZ"]
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
    tzset()
    defer {
      if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
      tzset()
    }
    return try body()
  }

  @Test func `An alarm that is kept is the same again, and nothing else is one`() throws {
    for text in ["7:30", "07:30:15 daily", "00:00 weekdays"] {
      let time = try #require(AlarmTime(kept: text))
      #expect(AlarmTime(kept: time.text) == time)
    }
    for text in ["", "07:30 never", "25:00", "07:30 daily daily"] {
      #expect(AlarmTime(kept: text) == nil)
    }
  }

  private func hours(_ time: AlarmTime, after moment: Int) -> Double? {
    time.next(after: moment).map { Double($0 - moment) / 3600 }
  }

  @Test func `An alarm sounds at the time that the clocks show, also where a day is longer`() throws
  {
    try inBerlin {
      // Saturday, 2026-10-24 12:00; the clocks are set back in the night.
      let autumn = 1_792_836_000
      let half = try #require(AlarmTime("7:30"))
      #expect(hours(half, after: autumn) == 20.5)
      // Saturday, 2026-03-28 12:00; they are set on.
      let spring = 1_774_695_600
      #expect(hours(half, after: spring) == 18.5)
      // The hour that is not there has an alarm all the same.
      let night = try #require(AlarmTime("02:30"))
      let skipped = try #require(hours(night, after: spring))
      #expect((13...15).contains(skipped))
      // A moment is never its own next one.
      let due = try #require(half.next(after: autumn))
      #expect(hours(half, after: due) == 24)
      #expect(hours(half, after: due - 1).map { $0 * 3600 } == 1)
      // On Saturday the next working day is Monday.
      let weekdays = try #require(AlarmTime("07:30", days: .weekdays))
      #expect(hours(weekdays, after: autumn) == 44.5)
    }
  }

  private static let sounds = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sounds").path()

  private func player(_ arguments: [String] = ["--output", "null"], seconds: Double = 600) throws
    -> Playing
  {
    let folder = try Folder()
    let track = try folder.write("track.wav", wav(seconds: seconds))
    let player = try Playing(
      ["play"] + arguments + [track], in: folder,
      environment: ["SOTTO_SOUNDS": Self.sounds, "TZ": "UTC0"])
    try player.waitUntilItAnswers()
    return player
  }

  /// A moment that is not over before it has been set, also on a slow machine.
  private func soon() -> String {
    let now = Int(Date().timeIntervalSince1970) + 4
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(now / 3600 % 24)):\(two(now / 60 % 60)):\(two(now % 60))"
  }

  private func isRinging(_ player: Playing) throws -> Bool {
    (try player.value("alarm") as? [String: Any])?["ringing"] as? Bool == true
  }

  @Test(.enabled(if: rings, "needs SOTTO_INTEGRATION=1"))
  func `S6, S54: an alarm is heard in silent mode, holds the music, and pause ends it`()
    throws
  {
    let player = try player()
    #expect(try player.ctl("silent", "on").status == 0)
    let time = soon()
    #expect(try player.ctl("alarm", time).text.hasPrefix("The alarm is set to \(time.prefix(5))"))
    #expect(try player.wait { try isRinging(player) })
    #expect(try player.ctl("status").text.contains("rings. Any key ends it"))
    #expect(try player.wait { try player.value("display") as? String == "interrupted" })
    // It is an interlude: who ends it hears the music again.
    #expect(try player.ctl("pause").status == 0)
    #expect(try player.wait { try player.value("display") as? String == "playing" })
    #expect(try player.value("alarm") == nil)
    #expect(try player.ctl("pause").text == "Paused\n")
  }

  @Test(.enabled(if: rings, "needs SOTTO_INTEGRATION=1"))
  func `S6: an alarm rings in a paused player too, and leaves it paused`() throws {
    let player = try player()
    try player.ctl("pause")
    #expect(try player.ctl("alarm", soon(), "daily").status == 0)
    #expect(try player.wait { try isRinging(player) })
    #expect(try player.ctl("toggle").status == 0)
    #expect(try player.wait { try !isRinging(player) })
    #expect(try player.value("display") as? String == "paused")
    // It comes again tomorrow.
    let alarm = try #require(try player.value("alarm") as? [String: Any])
    #expect(alarm["days"] as? String == "daily")
    let due = try #require(alarm["due"] as? Int)
    #expect(due - Int(Date().timeIntervalSince1970) > 20 * 3600)
    #expect(try player.ctl("alarm", "off").text == "The alarm is off\n")
  }

  @Test(.enabled(if: rings, "needs SOTTO_INTEGRATION=1"))
  func `A program without a screen stays for its alarm, and ends after it`() throws {
    let player = try player(seconds: 1)
    #expect(try player.ctl("alarm", "12:00", "daily").status == 0)
    #expect(try player.wait { try player.value("display") as? String == "stopped" })
    #expect(try player.ctl("alarm", "off").text == "The alarm is off\n")
    #expect(player.wait() == 0)
  }
}
