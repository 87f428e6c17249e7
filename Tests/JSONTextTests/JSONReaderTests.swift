import JSONText
import Testing

@Suite struct `JSON is read` {
  private func read(_ text: String) throws -> String {
    try JSON(reading: Array(text.utf8)).text()
  }

  @Test(arguments: [
    "null", "true", "false", "0", "-1", "1.5", "[]", "{}", "[1,[2,{\"a\":null}]]",
    "\"a\\\"b\\\\c\"",
    "9007199254740993",
  ])
  func `what is written is what was read`(text: String) throws {
    #expect(try read(text) == text)
  }

  @Test func `spaces, escapes and exponents are taken`() throws {
    #expect(
      try read(" { \"a\" : [ 1e2 , \"\\u00e9\\ud83d\\ude00\\/\" ] } \r\n")
        == "{\"a\":[100,\"é😀/\"]}")
    #expect(try read("\"\\ud83d!\"") == "\"\u{FFFD}!\"")
  }

  @Test(arguments: [
    "", " ", "nul", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "01", "-", "1.",
    ".5", "1e", "+1", "\"", "\"\\x\"", "\"\\u12\"", "\"\t\"", "1 2", "1e999", "{\"a\":1,\"a\":2}",
    "'a'", "[", "{", "tru",
  ])
  func `what is no JSON is a fault`(text: String) {
    #expect(throws: JSONError.self) { try JSON(reading: Array(text.utf8)) }
  }

  @Test func `depth has a limit instead of a crash`() {
    let text = String(repeating: "[", count: 100_000)
    #expect(throws: JSONError.self) { try JSON(reading: Array(text.utf8)) }
  }

  @Test func `bytes that are not UTF-8 are a fault`() {
    #expect(throws: JSONError.self) { try JSON(reading: [0x22, 0xFF, 0x22]) }
  }

  /// SplitMix64: the same bytes in every run.
  private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
      return value ^ value >> 31
    }
  }

  @Test func `random bytes and cut texts never trap`() {
    var generator = Seeded(state: 1)
    let seed = Array("{\"a\":[1,2.5e3,\"x\\u0041\",true,null],\"b\":{}}".utf8)
    for _ in 0..<20_000 {
      var bytes = Array(seed.prefix(Int.random(in: 0...seed.count, using: &generator)))
      for _ in 0..<Int.random(in: 0...3, using: &generator) where !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
          in: 0...255, using: &generator)
      }
      if let value = try? JSON(reading: bytes) {
        // What was read can be written, and reads again as the same.
        let text = value.text()
        #expect((try? JSON(reading: Array(text.utf8)).text()) == text, "from \(bytes)")
      }
    }
  }
}
