import AudioTypes

/// Sentences. What came from other programs and files is made safe to print here, and nowhere else
/// is it put into words.
enum SessionText {
  static func name(_ raw: String) -> String { Text.printable(String(raw.prefix(80))) }

  /// Up to three digits after the point, none that say nothing.
  static func number(_ value: Double) -> String {
    let thousandths = (value * 1000).rounded()
    guard abs(thousandths) < 1e15 else { return "\(value)" }
    let whole = Int64(thousandths)
    let fraction = abs(whole) % 1000
    let sign = whole < 0 ? "-" : ""
    var text = "\(sign)\(abs(whole) / 1000)"
    if fraction > 0 {
      var digits = String(1000 + fraction).dropFirst()
      while digits.last == "0" { digits = digits.dropLast() }
      text += "." + digits
    }
    return text
  }

  static func clock(_ time: SessionTime) -> String {
    let seconds = max(0, time.nanoseconds) / 1_000_000_000
    let tail = seconds % 60 < 10 ? "0\(seconds % 60)" : "\(seconds % 60)"
    let minutes = seconds / 60
    guard minutes >= 60 else { return "\(minutes):\(tail)" }
    return "\(minutes / 60):" + (minutes % 60 < 10 ? "0" : "") + "\(minutes % 60):\(tail)"
  }

  static func sentence(_ remark: Remark) -> String {
    switch remark {
    case .playing: "Playing"
    case .playingQuietly(let source): "Playing quietly under \(prompt(source))"
    case .resumed: "Playing again"
    case .quieter(let source): "Quieter for \(prompt(source))"
    case .backToFullLevel: "Back to full level"
    case .held(let obstacle, let willResume):
      "Interrupted by \(obstacle.phrase)" + (willResume ? "; goes on afterwards" : "")
    case .willStart(let obstacle): "Will start after \(obstacle?.phrase ?? "the interruption")"
    case .alreadyPlaying: "Already playing"
    case .stillPaused: "Paused already"
    case .paused(let cause, let source): "Paused" + pauseReason(cause, name(source))
    case .deviceGone(let route): "Paused: \(gone(route))"
    case .cameBackElsewhere(let route):
      "Paused: the sound server came back without \(name(route))"
    case .otherDeviceNow: "Paused: the sound would come from another device now"
    case .stopped: "Stopped"
    case .queueEnded: "Stopped: the queue has ended"
    case .stoppedAfterTrack: "Stopped after the track, as was wanted"
    case .track(let number, let count, let title):
      "Track \(number) of \(count)" + (title.isEmpty ? "" : ": \(name(title))")
    case .soughtTo(let position): "At \(clock(position))"
    case .loaded(let count):
      count == 0 ? "The queue is empty" : count == 1 ? "1 track loaded" : "\(count) tracks loaded"
    case .routeChanged(let route): "Sound goes to \(name(route))"
    case .noDevice: "There is no device to play on"
    case .ringerVolume: "Ringer volume: nothing is playing"
    case .noRingerVolume(let route):
      "Volume of \(name(route)): this system has none for the ringer alone"
    case .volumeOnDevice(let route): "The volume is set on \(name(route))"
    case .noDeviceVolume: "There is no device whose volume could change"
    case .effectLeftOut(let obstacle): "No sound: \(obstacle.phrase)"
    case .ignored(let app): "\(name(app)) is left out from now on"
    case .gaveWay: "Stopped, and others were told to go on"
    case .unknownKind: "An interruption of an unknown kind: nothing changes"
    case .refused(let error): "Not done: \(error.sentence)"
    }
  }

  static func spoken(_ remark: Remark) -> String {
    switch remark {
    case .paused(let cause, _) where cause != .user:
      sentences(sentence(remark)) + " Press play to go on."
    case .deviceGone, .cameBackElsewhere, .otherDeviceNow:
      sentences(sentence(remark)) + " Press play to go on."
    case .held(let obstacle, true):
      "Interrupted by \(obstacle.phrase). Goes on by itself afterwards."
    case .held(let obstacle, false): "Interrupted by \(obstacle.phrase)."
    default: sentences(sentence(remark))
    }
  }

  /// A colon or semicolon that a reader may swallow becomes a full stop. Those inside names stay:
  /// only the first one counts.
  private static func sentences(_ text: String) -> String {
    guard let sign = text.firstIndex(where: { $0 == ":" || $0 == ";" }),
      text[text.index(after: sign)...].first == " "
    else { return text + "." }
    let rest = text[text.index(sign, offsetBy: 2)...]
    return text[..<sign] + ". " + rest.prefix(1).uppercased() + rest.dropFirst() + "."
  }

  private static func prompt(_ source: String) -> String {
    source.isEmpty ? "a prompt" : "a prompt of \(name(source))"
  }

  private static func pauseReason(_ cause: PauseCause, _ source: String) -> String {
    switch cause {
    case .user: ""
    case .noisy: ": the output device went away"
    case .primary: ": \(source.isEmpty ? "another player" : source) started to play"
    case .denied: ": the interruption ended without leave to go on"
    case .sleep: ": the computer went to sleep"
    case .timer: ": the sleep timer has run out"
    case .error: ": no more tracks could be played"
    }
  }

  private static func gone(_ route: Route?) -> String {
    guard let route else { return "the output device went away" }
    if route.routeClass == .private {
      return route.deviceAddress == nil
        ? "headphones were unplugged" : "the Bluetooth headphones went away"
    }
    return "\(name(route.name)) went away"
  }
}
