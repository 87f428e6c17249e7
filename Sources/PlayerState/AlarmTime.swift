/// When an alarm sounds: at a time of the day where the player is.
public struct AlarmTime: Hashable, Sendable {
  /// On which days it rings.
  public enum Days: String, Hashable, Sendable, CaseIterable { case once, daily, weekdays }

  public var hour: Int
  public var minute: Int
  public var second: Int
  public var days: Days

  /// `nil` for no time of the day.
  public init?(hour: Int, minute: Int, second: Int = 0, days: Days = .once) {
    guard (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second) else {
      return nil
    }
    self.hour = hour
    self.minute = minute
    self.second = second
    self.days = days
  }

  /// `7:30`, `07:30`, `07:30:15`.
  public init?(_ text: String, days: Days = .once) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count) else { return nil }
    var numbers: [Int] = []
    for (index, part) in parts.enumerated() {
      let isNumber = part.allSatisfy { $0.isASCII && $0.isNumber }
      guard isNumber, part.count == 2 || part.count == 1 && index == 0, let number = Int(part)
      else { return nil }
      numbers.append(number)
    }
    self.init(
      hour: numbers[0], minute: numbers[1], second: numbers.count > 2 ? numbers[2] : 0, days: days)
  }

  /// What `text` says.
  public init?(kept text: String) {
    let words = text.split(separator: " ")
    guard let clock = words.first, words.count <= 2 else { return nil }
    guard let days = words.count == 2 ? Days(rawValue: String(words[1])) : .once else { return nil }
    self.init(String(clock), days: days)
  }

  /// "07:30", with its seconds where it has some.
  public var clock: String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(hour)):\(two(minute))" + (second == 0 ? "" : ":\(two(second))")
  }

  /// As a command takes it, and as it may be kept: "07:30 weekdays".
  public var text: String { days == .once ? clock : "\(clock) \(days.rawValue)" }
}

/// An alarm that is set, or that rings.
public struct AlarmState: Hashable, Sendable {
  public var time: AlarmTime
  /// Seconds since 1970: when it sounds next; `nil` when it rings for the last time.
  public var due: Int?
  public var isRinging: Bool

  public init(time: AlarmTime, due: Int?, isRinging: Bool) {
    self.time = time
    self.due = due
    self.isRinging = isRinging
  }
}
