import Testing

@testable import Bus

/// Values, texts and matches, without any bus.
@Suite struct BusValueTests {
  @Test func `Types are spelt as messages spell them`() {
    let values: [(BusValue, String)] = [
      (.properties([("a", .int32(1))]), "a{sv}"), (.strings([]), "as"), (.paths(["/"]), "ao"),
      (.structure([.boolean(true), .structure([.path("/"), .string("")])]), "(b(os))"),
      (.array(of: "a{sv}", []), "aa{sv}"), (.variant(.double(1)), "v"),
    ]
    for (value, type) in values { #expect(value.type == type) }
  }

  @Test func `What is inside of variants is found, and what does not fit is nothing`() {
    let value = BusValue.properties([("n", .variant(.uint16(7))), ("s", .string("x"))])
    #expect(value["n"]?.integer == 7 && value["n"]?.text == nil)
    #expect(value["s"]?.text == "x" && value["s"]?.bool == nil)
    #expect(value["other"] == nil && BusValue.string("x")["s"] == nil)
    #expect(BusValue.uint64(.max).integer == nil)
  }

  @Test func `Texts are made safe and cut at a whole character`() {
    #expect(BusCoding.clean("a\u{1B}[2J\n\u{0}b") == "a\u{FFFD}[2J\u{FFFD}\u{FFFD}b")
    for character in ["a", "é", "語", "🎧"] {
      let cut = BusCoding.clean(String(repeating: character, count: 70_000))
      #expect(cut.utf8.count <= BusCoding.longestText)
      #expect(cut.utf8.count > BusCoding.longestText - 4)
      #expect(cut.allSatisfy { String($0) == character })
    }
  }

  @Test func `A match says no more than was asked for, and nothing breaks out of it`() {
    let match = BusMatch(sender: "a.b", path: "/c", member: "D", argument: "x',member='E")
    #expect(match.rule == "type='signal',sender='a.b',path='/c',member='D',arg0='x,member=E'")
    #expect(
      BusMatch(argumentNamespace: "org.mpris").rule == "type='signal',arg0namespace='org.mpris'")
  }
}
