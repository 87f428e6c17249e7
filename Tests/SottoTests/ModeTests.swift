import Foundation
import TestSupport
import Testing

/// What decides on the tracks that follow, and the sleep timer, with a player that runs.
@Suite(.serialized) struct ModeTests {
  private func ask(_ player: Playing, _ words: String...) throws -> [String] {
    let run = try Run((["ctl"] + words).map { Array($0.utf8) }, environment: player.place)
    #expect(run.status == 0, "\(words): \(run.errorLines)")
    return run.text.split(separator: "\n").map(String.init)
  }

  @Test func `A consumed track leaves the queue when the next is played, and undo brings it back`()
    throws
  {
    let player = try Playing()
    let count = try #require(try player.value("tracks") as? Int)
    #expect(try ask(player, "consume", "on") == ["Played tracks leave the queue"])
    _ = try ask(player, "next")
    #expect(try player.wait { try player.value("tracks") as? Int == count - 1 })
    #expect(try player.wait { try player.value("track") as? Int == 0 })
    #expect(try ask(player, "status").contains("Played tracks leave the queue"))
    #expect(try ask(player, "undo") == ["Undid: took out 1 track that had been played"])
    #expect(try player.value("tracks") as? Int == count)
    #expect(try player.value("track") as? Int == 1)
    // What is left for another one of one's choice has not been played.
    _ = try ask(player, "choose", "1")
    #expect(try player.wait { try player.value("track") as? Int == 0 })
    #expect(try player.value("tracks") as? Int == count)
  }

  @Test func `The sleep timer pauses, and the decisions say that it did`() throws {
    let player = try Playing()
    #expect(try ask(player, "sleep", "30m") == ["The sleep timer pauses in 30 minutes"])
    #expect(try player.value("sleepsAt") is Double)
    #expect(try ask(player, "status").contains("The sleep timer pauses in 30 minutes"))
    #expect(try ask(player, "sleep", "off") == ["The sleep timer is off"])
    #expect(try ask(player, "sleep", "off") == ["There is no sleep timer"])
    #expect(try player.value("sleepsAt") == nil)
    _ = try ask(player, "sleep", "1s")
    #expect(try player.wait { try player.value("display") as? String == "paused" })
    #expect(try player.value("cause") as? String == "timer")
    #expect(try player.value("said") as? String == "Paused: the sleep timer has run out")
    #expect(try player.value("sleepsAt") == nil)
  }

  @Test func `After a track that one wanted to be the last the player stands at the next one`()
    throws
  {
    let player = try Playing()
    #expect(try ask(player, "sleep", "track") == ["Stops after this track"])
    #expect(try player.value("stopAfter") as? Bool == true)
    let duration = try #require(try player.value("duration") as? Double)
    _ = try ask(player, "seek", "\(Int(duration - 1))")
    #expect(try player.wait { try player.value("display") as? String == "stopped" })
    #expect(try player.wait { try player.value("track") as? Int == 1 })
    #expect(try player.value("said") as? String == "Stopped after the track, as was wanted")
    #expect(try player.value("stopAfter") as? Bool == false)
    _ = try ask(player, "play")
    #expect(try player.wait { try player.value("display") as? String == "playing" })
    #expect(try player.value("track") as? Int == 1)
    // Stopped by hand, the wish is over.
    _ = try ask(player, "stop-after")
    _ = try ask(player, "stop")
    #expect(try player.value("stopAfter") as? Bool == false)
  }
}
