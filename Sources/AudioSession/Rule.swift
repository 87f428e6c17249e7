/// The rules that sotto keeps, by their ids: the Sound chapter of the iOS Human Interface Guidelines,
/// in sotto's words.
public enum Rule: UInt8, Hashable, Sendable, CaseIterable {
  case s1 = 0
  case s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17, s18, s19
  case s20, s21, s22, s23, s24, s25, s26, s27, s28, s29, s30, s31, s32, s33, s34, s35, s36, s37
  case s38, s39, s40, s41, s42, s43, s44, s45, s46, s47, s48, s49, s50, s51, s52, s53, s54, s55
  case s56, s57, s58, s59, s60, s61, s62, s63, s64, s65, s66, s67, s68, s69, s70, s71, s72, s73
  case s74, s75, s76, s77, s78, s79, s80, s81, x1, x2, x3

  /// As the documents write it: `S16`.
  public var id: String { rawValue < 81 ? "S\(rawValue + 1)" : "X\(rawValue - 80)" }

  /// The rule in a sentence.
  public var sentence: String { Self.sentences[Int(rawValue)] }

  private static let sentences = [
    "A program says what its sound is for before it may play.",
    "The user decides when sound is heard; a device, a route or a server never does.",
    "Silent mode silences ringing, message tones, key clicks, start-up sounds and game sounds.",
    "Silent mode takes no command away, and what is told by sound alone is told otherwise too.",
    "Silent mode leaves sound alone that the user asked for: media in a media player.",
    "Silent mode leaves an alarm alone that the user has set.",
    "Silent mode leaves a preview or a lesson alone that the user asked for.",
    "Silent mode leaves a conversation alone.",
    "Volume keys change the device: music, effects and the sounds of others alike.",
    "At volume zero or muted nothing is heard, whatever the switch says.",
    "While sound is heard, volume keys change the device's volume and never the ringer's.",
    "While nothing is heard, volume keys change the ringer's volume, and the screen says so.",
    "Wired and wireless headphones are one thing.",
    "Everything that a listener does can be done from the headset.",
    "When a device is connected, sound goes on there, without a pause.",
    "When the device that is heard goes away, sound pauses at once.",
    "After that only the user starts it again.",
    "A program balances its own levels and touches no other.",
    "The volume stays the user's: it is never set back to what it was.",
    "The user can choose the device without plugging.",
    "A device that the user chose never pauses the sound.",
    "A volume bar that is shown is the device's own.",
    "Where a device has no volume, its name stands in the bar's place.",
    "Sounds of the interface are events, apart from the music.",
    "An event is short: nothing that the user asked to hear, nothing over five seconds.",
    "An event decides nothing about mixing, interruptions or devices.",
    "The session only decides; it makes no sound itself.",
    "A call may interrupt every sound, and nothing can prevent it.",
    "A process has one session, a session has one category.",
    "The category says what the program is, and whether it goes on in the background.",
    "A category is chosen by its meaning, not by what it happens to switch.",
    "A category is seldom amended, and only by what means something in it.",
    "A program may lower all others while it speaks, but never a call.",
    "Starting a program stops nobody's sound and asks nothing.",
    "The category stays while sound is heard.",
    "Recording in between is a change between record and playback.",
    "While recording, no effect is heard.",
    "Three things follow from the category: silencing, mixing, playing in the background.",
    "Table 35-1 says which.",
    "Long work on audio keeps the machine awake until it is done.",
    "A language lesson is playback and is heard alone.",
    "A voice program plays and records, is active for the call only, and says when it is over.",
    "A game asks what is heard already, not the user.",
    "Navigation speaks over the music of others, from the background too.",
    "A program with nothing but interface sounds uses the event channel.",
    "Interruptions may come in any number and order.",
    "Who interrupts says of which type it is, when it is over.",
    "The end of an interruption is answered properly.",
    "Only a media player must think about resuming; all others just resume.",
    "A resumable interruption is an interlude in what people listen to.",
    "After a resumable interruption a player is what it was: playing, or paused.",
    "After an interruption a program without controls plays on.",
    "A call in mid-song: silence for the call, then the song from the same place; paused stays paused.",
    "Alarms, prompts and directions are interludes.",
    "Another player that starts takes over: the first one does not come back by itself.",
    "A program without controls does come back.",
    "Whom we paused for an interlude is told when it is over, and nobody else.",
    "Whom we paused for good is told nothing.",
    "Only that word makes others play on.",
    "Whether to resume is decided by the kind of program, and by the hint that comes with the end.",
    "With the hint: resume if it was playing, do not if it was not.",
    "A program without controls resumes, hint or no hint.",
    "Controls from outside work in front and in the background.",
    "Sound on a network device follows the same rules.",
    "In the background controls answer as fast.",
    "Controls from outside are taken only while there is something to control.",
    "When the user has left, they are given up.",
    "While anything is heard they are kept.",
    "Devices are shown as the system names them.",
    "A command means what it says: pause never toggles, stop never quits.",
    "A command that is not supported does nothing.",
    "Every state has a sentence that can be read aloud.",
    "Reading aloud changes nothing in the picture.",
    "Whatever is drawn has words.",
    "Key clicks are off unless wanted, and obey the switch.",
    "An alert makes a sound only when it matters.",
    "Alerts are short, and no track change beeps.",
    "The ringer has a volume of its own, even when nothing is heard.",
    "A call is an interlude; another player is for good, whoever started it.",
    "Who was not playing, or plays already, has nothing to resume.",
    "Controls are answered when it makes sense, and not otherwise.",
    "A symbol means one thing.",
    "Good defaults before settings.",
    "What the user had is never lost, and a restart is silent.",
  ]
}

extension Rule: CustomStringConvertible {
  public var description: String { id }
}

/// Some of the rules.
public struct RuleSet: Hashable, Sendable, Codable, ExpressibleByArrayLiteral {
  // One bit a rule. 84 rules need two words.
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  public init() {}

  public init(arrayLiteral rules: Rule...) {
    for rule in rules { insert(rule) }
  }

  /// Adds one rule; a second time changes nothing.
  public mutating func insert(_ rule: Rule) {
    if rule.rawValue < 64 { low |= 1 << rule.rawValue } else { high |= 1 << (rule.rawValue - 64) }
  }

  /// Adds all rules of another set.
  public mutating func formUnion(_ other: RuleSet) {
    low |= other.low
    high |= other.high
  }

  /// Whether the rule is among them.
  public func contains(_ rule: Rule) -> Bool {
    (rule.rawValue < 64 ? low >> rule.rawValue : high >> (rule.rawValue - 64)) & 1 == 1
  }

  public var isEmpty: Bool { low == 0 && high == 0 }

  /// The rules in the order of their ids.
  public var all: [Rule] { Rule.allCases.filter(contains) }
}
