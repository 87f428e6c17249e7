import AudioSession
import PlayerState
import RemoteControl
import Testing

/// What presses of a headset's button mean, on a clock of the test's own.
@Suite struct PressesTests {
  /// Presses (p), releases (r) and changes of what the button is for (T, R, C: transport, ringing,
  /// talking), each after its milliseconds; timers fire when they are due. What came of it, and when.
  private func timeline(_ text: String, reportsReleases: Bool = true) -> [String] {
    var presses = Presses(reportsReleases: reportsReleases)
    var meaning = Presses.Meaning.transport
    var acts: [String] = []
    func take(_ input: Presses.Input, _ at: SessionTime) {
      for act in presses.take(input, at: at, during: meaning) {
        acts.append("\(at.nanoseconds / 1_000_000) \(act)")
      }
    }
    func fire(until limit: SessionTime) {
      while let deadline = presses.deadline, deadline <= limit { take(.wait, deadline) }
    }
    for word in text.split(separator: " ") {
      let at = SessionTime.milliseconds(Int64(word.dropLast()) ?? 0)
      fire(until: at)
      switch word.last {
      case "p": take(.press, at)
      case "r": take(.release, at)
      case "R": meaning = .ringing
      case "C": meaning = .talking
      case "f": presses.forget()
      default: meaning = .transport
      }
    }
    fire(until: .seconds(1000))
    return acts
  }

  @Test(arguments: [
    // One, two and three; the fourth begins anew.
    ("0p 80r", ["350 toggle"]),
    ("0p 80r 200p 280r", ["550 next"]),
    ("0p 80r 200p 280r 400p", ["400 previous"]),
    ("0p 200p 400p 600p", ["400 previous", "950 toggle"]),
    // 350 ms are too late by a hair only.
    ("0p 349p", ["699 next"]),
    ("0p 350p", ["350 toggle", "700 toggle"]),
    // Held down it is one press, however long.
    ("0p 2000r", ["350 toggle"]),
    ("0p 100r 300p 900r", ["650 next"]),
    // The plug was pulled between press and act.
    ("0p 100f", []),
    ("0p 100p 150f 200r 1000p", ["1350 toggle"]),
    // A release without a press.
    ("0r 10r", []),
  ]) func `Without a call presses are counted`(_ text: String, _ acts: [String]) {
    #expect(timeline(text) == acts)
    #expect(timeline(text, reportsReleases: false) == acts)
  }

  @Test(arguments: [
    // Short answers when it is let go, long declines while it is down.
    ("0R 100p 200r", ["200 answer"]),
    ("0R 100p 699r", ["699 answer"]),
    ("0R 100p 1000r", ["700 decline"]),
    ("0R 100p 5000r", ["700 decline"]),
    // A nervous second press does not hang up at once; a later one does.
    ("0R 100p 200r 201C 350p 400r", ["200 answer"]),
    ("0R 100p 200r 201C 600p 700r", ["200 answer", "600 hangUp"]),
    // After the call the button is for music again, once the finger is off it.
    ("0C 100p 101T 150r 200p 300r", ["100 hangUp"]),
    ("0C 100p 101T 500p 550r", ["100 hangUp", "850 toggle"]),
    ("0R 100p 1000r 1001T 1500p", ["700 decline", "1850 toggle"]),
    // What was begun before the call, or is held over its end, means nothing.
    ("0p 100R", []),
    ("0p 100R 200p 300r", ["300 answer"]),
    ("0R 100p 200T 300r", []),
    ("0R 100p 200C 300r", []),
    ("0R 100p 150f 300r", []),
  ]) func `While a call rings or lasts the button is the call's`(_ text: String, _ acts: [String]) {
    #expect(timeline(text) == acts)
  }

  @Test(arguments: [
    ("0R 100p", ["100 answer"]), ("0R 100p 2100r", ["100 answer"]),
    ("0R 100p 101C 200p 2100r 2200p", ["100 answer", "2200 hangUp"]),
  ]) func `Where releases are not told no press is long`(_ text: String, _ acts: [String]) {
    #expect(timeline(text, reportsReleases: false) == acts)
  }

  @Test func `A timer that comes late changes nothing but the moment`() {
    var presses = Presses()
    #expect(presses.take(.press, at: .zero, during: .transport) == [])
    let late = presses.take(.press, at: .seconds(3), during: .transport)
    #expect(late == [.toggle])
    #expect(presses.deadline == .seconds(3) + Presses.pause)
  }

  @Test func `Whatever comes in whatever order, at most one act follows from a press`() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      var presses = Presses(reportsReleases: .random(using: &generator))
      var (pressed, acted) = (0, 0)
      var at = SessionTime.zero
      for _ in 0..<60 {
        at = at + .milliseconds(.random(in: 0...500, using: &generator))
        let input = [Presses.Input.press, .release, .wait].randomElement(using: &generator)!
        let meaning = [Presses.Meaning.transport, .ringing, .talking].randomElement(
          using: &generator)!
        if input == .press { pressed += 1 }
        acted += presses.take(input, at: at, during: meaning).count
        #expect(acted <= pressed)
      }
    }
  }
}

@Suite struct EchoTests {
  private func admitted(_ steps: [(Int64, PlayerCommand, CommandSource)]) -> [Bool] {
    var echo = Echo()
    return steps.map { echo.admits($0.1, from: $0.2, at: .milliseconds($0.0)) }
  }

  @Test func `The same act from another side within 150 ms counts once`() {
    #expect(
      admitted([(0, .toggle, .headset), (150, .toggle, .mpris), (151, .toggle, .mpris)])
        == [true, false, true])
    #expect(
      admitted([(0, .next, .avrcp), (20, .next, .mpris), (40, .next, .headset)])
        == [true, false, false])
    // A desktop may have made another word of the same button.
    #expect(admitted([(0, .play, .headset), (10, .toggle, .mpris)]) == [true, false])
  }

  @Test func `One side may be as fast as it likes, and other acts are other acts`() {
    #expect(
      admitted([(0, .next, .mpris), (1, .next, .mpris), (2, .previous, .headset)])
        == [true, true, true])
    #expect(admitted([(0, .stop, .headset), (1, .toggle, .mpris)]) == [true, true])
    #expect(
      admitted([(0, .volume(.by(5)), .headset), (1, .volume(.by(5)), .mpris)]) == [true, true])
  }

  @Test func `Keys, the command line and WirePlumber are always meant`() {
    for source in [CommandSource.key, .cli, .wireplumber] {
      #expect(admitted([(0, .pause, .headset), (1, .pause, source)]) == [true, true])
      #expect(admitted([(0, .pause, source), (1, .pause, .mpris)]) == [true, true])
    }
  }
}
