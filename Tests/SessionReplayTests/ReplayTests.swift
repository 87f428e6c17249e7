import AudioSession
import SessionReplay
import Testing

/// The output of a replay, a line a step; a fault's sentence ends it.
func replayed(_ text: String) -> (lines: [String], steps: [Replay.Step], fault: String?) {
  var replay = Replay()
  var steps: [Replay.Step] = []
  var fault: String?
  for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
    do throws(ReplayError) {
      try replay.take(Array(line.utf8)) { steps.append($0) }
    } catch {
      fault = error.sentence
      break
    }
  }
  return (steps.map { $0.json.text() }, steps, fault)
}

@Suite struct `A replay` {
  @Test func `prints one line an event, with every field`() {
    let run = replayed(#"{"at": 1, "event": "play"}"#)
    #expect(
      run.lines == [
        #"{"at":1,"event":"play","display":"playing","willResume":false,"intent":"playing","#
          + #""cause":null,"audible":true,"gain":0,"status":"Playing","track":0,"position":0,"#
          + #""blockers":[],"peerCalls":[],"ops":["acceptRemote","uncork"],"rules":["S2"],"#
          + #""said":"Playing"}"#
      ])
  }

  @Test func `prints a deadline at its own time, before the event that came later`() {
    let run = replayed(
      """
      {"at": 0, "event": "play"}
      {"at": 1, "event": "begin", "id": "d", "kind": "duck"}
      {"at": 2, "event": "end", "id": "d"}
      {"at": 9, "event": "wait"}
      """)
    #expect(run.steps.map(\.name) == ["play", "begin", "end", "timer", "wait"])
    #expect(run.steps.map(\.transition.at.seconds) == [0, 1, 2, 2.3, 9])
    #expect(run.steps.map(\.transition.after.gain) == [0, -14, -14, 0, 0])
  }

  @Test func `leaves comments and empty lines out, and takes the same time where none is given`() {
    let run = replayed(
      "# a comment\n\n  # another\n{\"event\":\"play\",\"at\":3}\n{\"event\":\"pause\"}")
    #expect(run.steps.map(\.transition.at.seconds) == [3, 3])
    #expect(run.fault == nil)
  }

  @Test(arguments: [
    (#"{"event": "plai"}"#, "unknown event 'plai'"),
    (#"{"event": "play", "sourze": "key"}"#, "'play' has no field 'sourze'"),
    (#"{"at": 1}"#, "a line needs 'event'"),
    (#"[]"#, "a line must be an object"),
    (#"{"event": "begin", "id": "a"}"#, "'begin' needs 'kind'"),
    (#"{"event": "silent"}"#, "'silent' needs 'on'"),
    (#"{"event": "silent", "on": 1}"#, "'on' must be true or false"),
    (#"{"event": "deactivate"}"#, "'deactivate' needs 'notify'"),
    (#"{"at": -1, "event": "play"}"#, "'at' must be 0 or more"),
    (#"{"at": 1e300, "event": "play"}"#, "'at' must be at most 1000000000"),
    (#"{"event": "route", "to": {"id": "x"}}"#, "'route' needs 'reason'"),
    (
      #"{"event": "route", "to": {"id": "x", "size": 1}, "reason": "override"}"#,
      "'to' has no field 'size'"
    ),
    (
      #"{"event": "configure", "category": "ambient", "options": ["mixWithOthers"]}"#,
      "the category ambient takes no options; playback and playAndRecord take mixWithOthers and "
        + "duckOthers"
    ),
    (#"{"event": "load", "tracks": [{"duration": -1}]}"#, "'duration' must be 0 or more"),
    (#"{"event": "play""#, "a comma or a closing brace is missing (byte 17 of the line)"),
  ])
  func `names what is wrong with a line`(line: String, sentence: String) {
    let run = replayed(line)
    #expect(run.fault == sentence)
    #expect(run.steps.isEmpty)
  }

  @Test func `refuses time that goes back, and a category that changes while sound is heard`() {
    let back = replayed("{\"at\":2,\"event\":\"play\"}\n{\"at\":1,\"event\":\"wait\"}")
    #expect(back.fault == "'at' goes back, from 2 to 1")
    #expect(back.steps.count == 1)
    let change = replayed(
      "{\"event\":\"play\"}\n{\"event\":\"configure\",\"category\":\"ambient\"}")
    #expect(change.fault == "the category cannot change to ambient while sound is heard")
  }

  @Test func `takes unknown kinds, roles, sources and classes, without effect`() {
    let run = replayed(
      """
      {"event": "play", "source": "telepathy"}
      {"event": "begin", "id": "a", "kind": "eclipse"}
      {"event": "stream", "id": "1", "state": "new", "role": "séance"}
      {"event": "route", "to": {"id": "x", "class": "aether"}, "reason": "newDeviceAvailable"}
      """)
    #expect(run.fault == nil)
    #expect(run.steps.allSatisfy { $0.transition.after.isAudible })
    #expect(run.steps.last?.state.blockers.isEmpty == true)
  }

  @Test func `a change of a stream names only what changed`() {
    let run = replayed(
      """
      {"event": "play"}
      {"event": "stream", "id": 7, "state": "new", "app": "Phone", "role": "phone", "corked": true}
      {"event": "stream", "id": 7, "state": "change", "corked": false}
      {"event": "stream", "id": 7, "state": "gone"}
      """)
    #expect(run.steps.map(\.transition.after.isAudible) == [true, true, false, true])
    #expect(run.steps[2].state.blockers.map(\.id) == ["sinkinput:7"])
  }

  @Test func `rows for people show what a program calls itself without its escape codes`() {
    let run = replayed(
      #"{"event":"play"}"# + "\n"
        + #"{"event":"begin","id":"a","kind":"call","app":"\u001b[2JEvil"}"#)
    let row = run.steps[1].row
    #expect(row.contains("a call in \u{FFFD}[2JEvil"))
    #expect(!row.contains("\u{1B}"))
  }
}
