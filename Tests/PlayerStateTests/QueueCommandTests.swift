import AudioTypes
import PlayQueue
import Testing

@testable import PlayerState

@Suite struct QueueCommandTests {
  @Test func `The queue carries out what is its own business and says what it did`() {
    var queue = PlayQueue((0..<5).map { QueueEntry(TrackLocation("\($0)")) })
    func ask(_ line: String) -> String? {
      guard let command = try? PlayerCommand(line) else { return "no command" }
      guard let answer = queue.perform(command, seed: 1) else { return "not mine" }
      return answer.sentence
    }
    #expect(ask("remove 2-4") == "Removed 3 tracks")
    #expect(ask("remove 9") == nil)
    #expect(ask("undo") == "Undid: removed 3 tracks")
    #expect(ask("redo") == "Redid: removed 3 tracks")
    #expect(ask("redo") == "There is nothing to redo")
    #expect(ask("copy 1") == "Copied 1 track")
    #expect(ask("paste end") == "Pasted 1 track")
    #expect(ask("move 1 end") == "Moved 1 track")
    #expect(ask("shuffle") == "Shuffle on")
    #expect(queue.isShuffled)
    #expect(ask("shuffle off") == "Shuffle off")
    #expect(ask("repeat") == "Repeat all tracks")
    #expect(ask("shuffle albums") == "Shuffle by albums")
    #expect(queue.shuffleUnit == .album)
    #expect(ask("shuffle on") == "Shuffle on")
    #expect(ask("shuffle") == "Shuffle off")
    #expect(ask("single") == "Stops after each track")
    #expect(ask("stop-after") == "Stops after this track")
    #expect(ask("stop-after off") == "Goes on after this track")
    #expect(ask("consume") == "Played tracks leave the queue")
    #expect(ask("consume") == "Played tracks stay in the queue")
    #expect(ask("clear") == "Cleared 3 tracks")
    #expect(ask("clear") == nil)
    for line in ["play", "add /x", "choose 1", "save x", "quit"] {
      #expect(ask(line) == "not mine")
    }
  }
}
