import AudioTypes
import Glibc
import JSONText

/// `sotto why`: the latest decisions, from the file that the player keeps.
@MainActor enum WhyCommand {
  static func run(count: Int, json: Bool) {
    guard let path = DecisionFile.path else {
      Messages.tell("there is no home folder in which decisions are kept")
      Messages.status = 1
      return
    }
    var lines: [[UInt8]] = []
    let fault = TextFile.eachLine(path) { line, _ in
      lines.append(line)
      if lines.count > count { lines.removeFirst() }
      return nil
    }
    if let fault {
      if unsafe access(path.map { CChar(bitPattern: $0) } + [0], F_OK) != 0 {
        if !json { Console.print("Nothing was decided yet.") }
        return Console.endIfBroken()
      }
      return Messages.fault(fault.place, fault.sentence)
    }
    for line in lines {
      // A line that a crash has cut is passed over.
      guard let value = try? JSON(reading: line) else { continue }
      if json {
        Console.write(value.text(isASCII: !Environment.isUTF8) + "\n")
      } else if let text = text(value) {
        Console.print(text)
      }
    }
    Console.endIfBroken()
  }

  /// `2026-11-30 07:10:05  Paused: headphones were unplugged  (S13 S16, route)`
  private static func text(_ value: JSON) -> String? {
    guard case .int(let seconds)? = value["time"], case .string(let said)? = value["said"],
      case .string(let event)? = value["event"], case .array(let rules)? = value["rules"]
    else { return nil }
    let ids = rules.compactMap { if case .string(let id) = $0 { id } else { nil } }
    let cause = (ids.isEmpty ? [] : [ids.joined(separator: " ")]) + [event]
    return Text.printable("\(clock(seconds))  \(said)  (\(cause.joined(separator: ", ")))")
  }

  private static func clock(_ seconds: Int64) -> String {
    var time = time_t(seconds)
    var parts = unsafe tm()
    guard unsafe localtime_r(&time, &parts) != nil else { return "\(seconds)" }
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let date = unsafe "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    let clock = unsafe "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    return "\(date) \(clock)"
  }
}
