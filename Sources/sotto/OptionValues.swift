import AudioTypes

/// The values of options, checked; every refusal names what would be right.
extension Arguments {
  static func play(_ words: Words, _ common: CommonOptions) throws(UsageError) -> PlayOptions {
    var options = PlayOptions()
    options.paths = words.rest
    options.common = common
    if let output = words.options["output"] { options.output = try self.output(output) }
    options.device = words.text("device")
    options.isPlain = words.options["plain"] != nil
    options.gain = try gain(words)
    if let text = words.text("volume") {
      guard let level = Int(text), (0...100).contains(level) else {
        throw UsageError(sentence: "--volume takes a number from 0 to 100, not '\(shown(text))'")
      }
      options.level = level
    }
    if words.options["config"]?.isEmpty == true {
      throw UsageError(sentence: "--config needs a file name")
    }
    options.config = words.options["config"]
    options.given = Set(words.options.keys)
    options.isFresh = words.options["no-resume"] != nil
    // A file is not written for what may be there or not.
    if case .file = options.output, options.paths.isEmpty { throw missingPath }
    return options
  }

  static let missingPath = UsageError(
    sentence: "PATH is missing; see 'sotto play --help'")

  static func render(_ words: Words, _ common: CommonOptions) throws(UsageError) -> RenderOptions {
    var options = RenderOptions()
    options.common = common
    options.replay = words.options["replay"]
    if let replay = options.replay, replay.isEmpty {
      throw UsageError(sentence: "--replay needs a file name")
    }
    guard let path = words.rest.first else {
      throw UsageError(sentence: "PATH is missing; see 'sotto render --help'")
    }
    guard words.rest.count == 1 else {
      throw UsageError(
        sentence: "render takes one PATH, and '\(Text.printable(words.rest[1]))' is a second")
    }
    guard let out = words.options["out"], !out.isEmpty else {
      throw UsageError(sentence: "--out OUT is missing; see 'sotto render --help'")
    }
    options.path = path
    options.out = out
    options.gain = try gain(words)
    if let text = words.text("format") {
      guard let format = SampleFormat(rawValue: text) else {
        throw UsageError(sentence: "--format takes f32, s24 or s16, not '\(shown(text))'")
      }
      options.format = format
    }
    if let text = words.text("rate") {
      guard let rate = Int(text), (1000...768_000).contains(rate) else {
        throw UsageError(
          sentence: "--rate takes a number from 1000 to 768000, not '\(shown(text))'")
      }
      options.rate = rate
    }
    options.from = try time(words, "from")
    options.to = try time(words, "to")
    if let from = options.from ?? (options.to == nil ? nil : 0), let to = options.to, from >= to {
      throw UsageError(sentence: "--to must be later than --from")
    }
    return options
  }

  private static func shown(_ text: String) -> String { Text.printable(text) }

  static func output(_ bytes: [UInt8]) throws(UsageError) -> OutputChoice {
    let file = Array("file:".utf8)
    if bytes.starts(with: file), bytes.count > file.count {
      return .file(Array(bytes.dropFirst(file.count)))
    }
    let text = String(decoding: bytes, as: UTF8.self)
    switch text {
    case "pulse": return .pulse
    case "alsa": return .alsa
    case "null": return .null
    default:
      let nearest = Nearest.word(to: text, among: ["pulse", "alsa", "null"])
      let hint = nearest.map { ", did you mean '\($0)'?" } ?? ""
      throw UsageError(
        sentence: "--output takes pulse, alsa, null or file:PATH, not '\(shown(text))'\(hint)")
    }
  }

  private static func gain(_ words: Words) throws(UsageError) -> LoudnessMode {
    guard let text = words.text("gain") else { return .off }
    guard let mode = LoudnessMode(rawValue: text) else {
      throw UsageError(sentence: "--gain takes off, track or album, not '\(shown(text))'")
    }
    return mode
  }

  private static func time(_ words: Words, _ name: String) throws(UsageError) -> Double? {
    guard let text = words.text(name) else { return nil }
    guard let seconds = seconds(text) else {
      throw UsageError(
        sentence: "--\(name) takes seconds, m:ss or h:mm:ss, not '\(shown(text))'")
    }
    return seconds
  }

  /// "90", "1.5", "1:30", "1:02:03.5" in seconds; `nil` for anything else.
  static func seconds(_ text: String) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count) else { return nil }
    var total = 0.0
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      guard !part.isEmpty, part.count <= 12,
        part.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 || isLast && $0 == 0x2E }),
        let number = Double(part), index == 0 || number < 60
      else { return nil }
      total = total * 60 + number
    }
    return total
  }
}
