import AudioTypes

/// What stands after a command's name, taken one by one; each fault names the command's usage.
struct CommandArguments {
  private var spec: CommandSpec
  private var words: ArraySlice<[UInt8]>

  /// More rows than any queue has are a slip, not a wish.
  private static let mostRows = 1_000_000

  init(_ spec: CommandSpec, _ words: [[UInt8]]) {
    self.spec = spec
    self.words = words[...]
  }

  var isEmpty: Bool { words.isEmpty }

  /// What follows belongs to a word that was taken: faults name its usage.
  mutating func goInto(_ name: String, _ usage: String) {
    spec = CommandSpec("\(spec.name) \(name)", usage, spec.summary, spec.argument)
  }

  func end() throws(CommandError) {
    guard let more = words.first else { return }
    throw CommandError(
      "'\(spec.name)' takes \(spec.usage.isEmpty ? "nothing" : spec.usage), not '\(Text.printable(more))' too"
    )
  }

  private func wrong(_ word: String) -> CommandError {
    CommandError("'\(spec.name)' takes \(spec.usage), not '\(Text.printable(word))'")
  }

  /// Takes that word, where it comes next.
  mutating func takes(_ word: String) -> Bool {
    guard let next = words.first, next.elementsEqual(word.utf8) else { return false }
    words.removeFirst()
    return true
  }

  mutating func path() throws(CommandError) -> [UInt8] {
    guard let word = words.popFirst() else {
      throw CommandError("'\(spec.name)' needs \(spec.usage)")
    }
    return word
  }

  mutating func paths() throws(CommandError) -> [[UInt8]] {
    var paths = [try path()]
    while !words.isEmpty { paths.append(try path()) }
    return paths
  }

  mutating func text() throws(CommandError) -> String {
    String(decoding: try path(), as: UTF8.self)
  }

  mutating func word<Choice>(or usual: Choice?) throws(CommandError) -> Choice
  where Choice: RawRepresentable<String> & CaseIterable {
    if words.isEmpty, let usual { return usual }
    let word = try text()
    if let choice = Choice(rawValue: word) { return choice }
    let names = Choice.allCases.map(\.rawValue)
    let hint = Nearest.hint(to: word, among: names)
    throw CommandError(
      "'\(spec.name)' takes \(names.joined(separator: ", ")), not '\(Text.printable(word))'\(hint)")
  }

  mutating func change() throws(CommandError) -> PlayerCommand.Change {
    let word = try text()
    let digits = word.hasSuffix("%") ? word.dropLast() : word[...]
    guard let value = Int(digits), (-1000...1000).contains(value) else { throw wrong(word) }
    if word.hasPrefix("+") || word.hasPrefix("-") { return .by(value) }
    guard value <= 100 else {
      throw CommandError("'\(spec.name)' takes 0 to 100 percent, not '\(Text.printable(word))'")
    }
    return .to(value)
  }

  /// `4` or `3.5`; 0 is none.
  mutating func rating() throws(CommandError) -> Double? {
    let word = try text()
    guard let value = Self.decimal(word[...]), value <= 5, (value * 2).rounded() == value * 2
    else {
      throw CommandError(
        "'\(spec.name)' takes 0 to 5 in whole and half stars, not '\(Text.printable(word))'")
    }
    return value == 0 ? nil : value
  }

  mutating func seek() throws(CommandError) -> PlayerCommand.Seek {
    let word = try text()
    if word.hasSuffix("%") {
      // A part is a place, and no step: with a sign it would be taken for one.
      guard let value = Self.decimal(word.dropLast()), value <= 100 else { throw wrong(word) }
      return .part(value / 100)
    }
    let isStep = word.hasPrefix("+") || word.hasPrefix("-")
    guard let seconds = Self.seconds(isStep ? word.dropFirst() : word[...]) else {
      throw wrong(word)
    }
    return isStep ? .by(word.hasPrefix("-") ? -seconds : seconds) : .to(seconds)
  }

  /// Digits, with a point among them or without; no `1e3`, `0x10` and `inf`.
  private static func decimal(_ text: Substring) -> Double? {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard let first = text.utf8.first, digits.contains(first),
      text.utf8.allSatisfy({ digits.contains($0) || $0 == UInt8(ascii: ".") })
    else { return nil }
    return Double(text)
  }

  /// `83`, `83.5`, `1:23`, `1:01:05`.
  private static func seconds(_ text: Substring) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count) else { return nil }
    var sum = 0.0
    for (index, part) in parts.enumerated() {
      guard let value = decimal(part), value.isFinite,
        index == parts.count - 1 || value == value.rounded(),
        index == 0 || value < 60
      else { return nil }
      sum = sum * 60 + value
    }
    return sum < 1e9 ? sum : nil
  }

  /// A path, and where in the file it begins and ends.
  mutating func piece() throws(CommandError) -> TrackLocation {
    var piece = TrackLocation(path: try path())
    if !words.isEmpty { piece.start = try time() }
    if !words.isEmpty {
      let end = try time()
      guard end > piece.start else { throw wrong(Number.text(end)) }
      piece.end = end
    }
    return piece
  }

  private mutating func time() throws(CommandError) -> Double {
    let word = try text()
    guard let seconds = Self.seconds(word[...]) else { throw wrong(word) }
    return seconds
  }

  mutating func sleep() throws(CommandError) -> PlayerCommand.SleepWish {
    if words.isEmpty { return .toggle }
    let word = try text()
    if word == "track" { return .track }
    if word == "off" { return .off }
    guard let seconds = Self.duration(word) else { throw wrong(word) }
    return .after(seconds)
  }

  mutating func alarm() throws(CommandError) -> PlayerCommand.AlarmWish {
    if words.isEmpty { return .tell }
    let word = try text()
    if word == "off" { return .off }
    guard var time = AlarmTime(word) else { throw wrong(word) }
    time.days = try self.word(or: .once)
    return .set(time)
  }

  /// `90s`, `30m`, `1h30m`: each unit once, the larger first; a week at the most. A bare number is
  /// none: minutes for some and seconds for others.
  static func duration(_ text: String) -> Int? {
    var sum = 0
    var number: Int?
    var units = [("h", 3600), ("m", 60), ("s", 1)][...]
    for character in text {
      if character.isASCII, let digit = character.wholeNumberValue {
        number = (number ?? 0) * 10 + digit
        guard number! <= 604_800 else { return nil }
      } else {
        guard let value = number, let place = units.firstIndex(where: { $0.0 == String(character) })
        else { return nil }
        sum += value * units[place].1
        units = units[(place + 1)...]
        number = nil
      }
    }
    return number == nil && (1...604_800).contains(sum) ? sum : nil
  }

  mutating func row() throws(CommandError) -> Int {
    let word = try text()
    guard let row = Int(word), row >= 1 else { throw wrong(word) }
    return row - 1
  }

  /// "end" is the largest number there is.
  mutating func rowOrEnd() throws(CommandError) -> Int {
    try takes("end") ? .max : row()
  }

  mutating func rowsOrAll() throws(CommandError) -> [Int]? { isEmpty ? nil : try rows() }

  /// `3`, `1-3`, `1-3,7`: in ascending order.
  mutating func rows() throws(CommandError) -> [Int] {
    let word = try text()
    var rows: Set<Int> = []
    for part in word.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false)
      guard (1...2).contains(ends.count), let first = Int(ends[0]),
        let last = Int(ends[ends.count - 1]),
        first >= 1, last >= first, last - first < Self.mostRows,
        rows.count + (last - first) < Self.mostRows
      else { throw wrong(word) }
      rows.formUnion(first - 1...last - 1)
    }
    return rows.sorted()
  }
}
