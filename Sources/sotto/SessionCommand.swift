import AudioSession
import AudioTypes
import JSONText
import SessionReplay

/// `sotto session`: the rules, and what they make of a file of events.
@MainActor enum SessionCommand {
  static func run(_ options: SessionOptions) {
    if let path = options.replay {
      replay(path, options)
    } else {
      rules(json: options.json)
    }
    Console.endIfBroken()
  }

  private static func rules(json: Bool) {
    for rule in Rule.allCases {
      if json {
        let object = JSON.object([("id", .string(rule.id)), ("rule", .string(rule.sentence))])
        Console.write(object.text(isASCII: !Environment.isUTF8) + "\n")
      } else {
        Console.print(rule.id + String(repeating: " ", count: 5 - rule.id.count) + rule.sentence)
      }
    }
  }

  private static func replay(_ path: [UInt8], _ options: SessionOptions) {
    var known = KnownApplications.builtIn
    if let file = options.applications {
      guard let more = applications(file) else { return }
      known = known.merging(more)
    }
    var replay = Replay(applications: known)
    if !options.json { Console.print(Replay.Step.head) }
    let isASCII = !Environment.isUTF8
    let fault = TextFile.eachLine(path) { line, number in
      do throws(ReplayError) {
        try replay.take(line) { step in
          if options.json {
            Console.write(step.json.text(isASCII: isASCII) + "\n")
          } else {
            Console.print(step.row)
          }
        }
      } catch {
        return error.sentence
      }
      return Console.isBroken ? "" : nil
    }
    Console.flush()
    if !Console.isBroken, let fault { Messages.fault(fault.place, fault.sentence) }
  }

  /// `nil` after a message.
  private static func applications(_ path: [UInt8]) -> KnownApplications? {
    var text: [UInt8] = []
    let fault = TextFile.eachLine(path) { line, _ in
      text += line + [0x0A]
      return text.count > 1 << 20 ? "the list is longer than 1 MiB" : nil
    }
    if let fault {
      Messages.fault(fault.place, fault.sentence)
      return nil
    }
    do throws(KnownApplications.ParseError) {
      return try KnownApplications(parsing: String(decoding: text, as: UTF8.self))
    } catch {
      Messages.fault(path + Array(":\(error.line)".utf8), error.sentence)
      return nil
    }
  }
}
