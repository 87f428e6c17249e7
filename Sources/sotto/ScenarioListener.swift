import AudioEngine
import AudioOutput
import AudioSession
import AudioTypes
import Decoding
import Dispatch
import OutputInterface
import SoundCheck

/// Hears a scenario: takes what was handed to the output apart into the sounds that it is made of,
/// by their samples, and compares it with what must be heard. All but `times` and `due` on its own
/// queue: listening takes longer than a step may be late.
final class ScenarioListener: @unchecked Sendable {
  let queue = DispatchQueue(label: "sotto.listener")
  /// What was handed to the output, stream by stream. Set before anything happens.
  var relay = RecordingRelay()
  /// Whether ringing and tones have streams of their own.
  var eventStreams = EventStreams.mixed
  private let scenario: Scenario
  private let folder: [UInt8]
  /// Which frame was heard at a time of the scenario.
  private var marks: [Double: Int] = [:]
  /// How many frames of events were heard until then, over all their streams.
  private var eventMarks: [Double: Int] = [:]
  private var samples: [Scenario.Sound: [Int: Samples]] = [:]
  /// Where the presences of the same index were found; `nil` in it where they were not.
  private var places: [Int: PlacedSound?] = [:]
  /// Those that are being looked for: they are of no help to each other.
  private var sought: Set<Int> = []

  /// A gain that is silence: -40 dB.
  private static let silence = 0.01
  private static let silenceWhileTurning = 0.1
  /// What may be left unexplained, as a part of the whole, and as a level of its own.
  private static let rest = (part: 0.06, mixed: 0.2, level: 0.002)
  private static let probeFrames = 8192
  private static let tolerance = 1.0
  /// The music goes on where it was, to within this, in seconds.
  static let placeTolerance = 0.012
  /// The same where a change came too late for the device and was repeated.
  private static let busyTolerance = 0.1

  init(_ scenario: Scenario, folder: [UInt8]) {
    self.scenario = scenario
    self.folder = folder
  }

  /// The first stream is the music's.
  private var recording: Recording? { relay.recordings.first }
  /// Changes that came too late for the device. On the queue.
  var lateChanges: Int { Int(recording?.late ?? 0) }
  /// The streams of events, in the order in which they were opened.
  private var events: [Recording] { relay.recordings.filter { $0.role == .event } }

  /// The times at which `mark` is to be called.
  var times: Set<Double> {
    Set(
      scenario.checks.flatMap { [$0.from, $0.to] }
        + scenario.sounds.flatMap { [$0.from, $0.to, $0.probe] } + scenario.steps.map(\.at))
  }

  /// Now is this time. Called on the control thread.
  func mark(_ time: Double) {
    let heard = Int(recording?.heard ?? 0)
    let events = events.reduce(0) { $0 + Int($1.heard) }
    queue.async {
      self.marks[time] = heard
      self.eventMarks[time] = events
    }
  }

  /// When a check can be made: everything that overlaps it has been found by then.
  func due(_ check: Scenario.Check) -> Double {
    let probes = overlapping(check.from, check.to).map { scenario.sounds[$0].probe + 0.25 }
    return max(check.to, probes.max() ?? 0)
  }

  // MARK: Checks

  /// What was heard, and whether that is right.
  struct Finding {
    var isRight: Bool
    var sentence: String
  }

  func examine(_ check: Scenario.Check) -> Finding {
    if eventStreams != .mixed, check.sound.isEvent { return examineEvent(check) }
    let name = "\(check.sound.rawValue)"
    guard let from = marks[check.from], let to = marks[check.to], recording != nil else {
      return Finding(isRight: false, sentence: "\(name) was not listened to")
    }
    var gains: [Double] = []
    var other = 0.0
    // Steps within the stretch, each with the time that it takes to be heard.
    let turns = scenario.steps.filter { $0.at > check.from && $0.at < check.to }.compactMap {
      marks[$0.at].map { $0..<$0 + rate / 4 }
    }
    for piece in pieces(from..<to, frames: rate / 20) {
      let (fit, indices) = fit(piece, check.from, check.to)
      let isTurning = turns.contains { $0.overlaps(piece) }
      let own = zip(indices, fit.gains).filter { scenario.sounds[$0.0].sound == check.sound }
      let gain = own.compactMap { $0.1.map(abs) }.max()
      // While something begins or ends, its fades disturb the measure of the others.
      if isTurning {
        if check.heard == .silent, let gain, gain > Self.silenceWhileTurning { gains.append(gain) }
        continue
      }
      if let gain { gains.append(gain) }
      // Where sounds meet, what is loudest is bent by the mixer's knee.
      let isMix = fit.gains.count { abs($0 ?? 0) > Self.silence } > 1
      let part = isMix ? Self.rest.mixed : Self.rest.part
      if fit.rest > Self.rest.level, fit.rest > fit.level * part {
        other = max(other, fit.rest)
      }
    }
    if other > 0 {
      return Finding(
        isRight: false,
        sentence: "something that is not known at \(Self.decibels(other)) beside \(name)")
    }
    let loudest = gains.max() ?? 0
    let softest = gains.min() ?? 0
    switch check.heard {
    case .silent:
      return loudest < Self.silence
        ? Finding(isRight: true, sentence: "\(name): nothing of it")
        : Finding(
          isRight: false, sentence: "\(name) at \(Self.decibels(loudest)), and it must be silent")
    case .sounding:
      return loudest >= Self.silence
        ? Finding(isRight: true, sentence: "\(name) at \(Self.decibels(loudest))")
        : Finding(isRight: false, sentence: "\(name) is not heard, and it must be")
    case .level(let decibels):
      let isRight = Self.isNear(loudest, decibels) && Self.isNear(softest, decibels)
      let range =
        Self.decibels(softest) == Self.decibels(loudest)
        ? Self.decibels(loudest) : "\(Self.decibels(softest)) to \(Self.decibels(loudest))"
      if isRight { return Finding(isRight: true, sentence: "\(name) at \(range)") }
      return Finding(
        isRight: false,
        sentence: (gains.isEmpty ? "\(name) is not heard" : "\(name) at \(range)")
          + ", and it must be at \(Self.text(decibels)) dB")
    }
  }

  /// The same for what has a stream of its own. How loud that is decides the server, so it is looked
  /// for at its own level in its own stream.
  private func examineEvent(_ check: Scenario.Check) -> Finding {
    let name = check.sound.rawValue
    let from = eventMarks[check.from] ?? 0
    let heard = (eventMarks[check.to] ?? 0) - from
    if check.heard == .silent {
      return heard == 0
        ? Finding(isRight: true, sentence: "\(name): nothing of it")
        : Finding(isRight: false, sentence: "\(name) is heard, and it must be silent")
    }
    // The streams and the presences of events are in the same order.
    let presences = scenario.sounds.indices.filter {
      scenario.sounds[$0].sound.isEvent && scenario.sounds[$0].from < check.from
    }
    guard heard > 0, let index = presences.indices.last, index < events.count,
      let sound = samples(check.sound, rate: events[index].format.sampleRate)
    else { return Finding(isRight: false, sentence: "\(name) is not heard, and it must be") }
    let rate = events[index].format.sampleRate
    // From its first frame on: it has nothing to wait for.
    let frames = 0..<Int64(min(rate, sound.count))
    let samples = Samples(
      left: events[index].channel(0, frames), right: events[index].channel(1, frames))
    let fit = SoundCheck.fit([PlacedSound(sound, begin: 0)], to: samples, first: 0)
    let gain = abs(fit.gains.first.flatMap { $0 } ?? 0)
    guard gain > Self.silence, fit.rest < fit.level * Self.rest.part else {
      return Finding(isRight: false, sentence: "something else is heard in the stream of \(name)")
    }
    return Finding(isRight: true, sentence: "\(name) at \(Self.decibels(gain)) in its own stream")
  }

  /// For a stretch of the music that follows another: whether it goes on where that one ended.
  /// `nil` where this is not one.
  func place(ofPresence index: Int) -> Finding? {
    guard scenario.sounds[index].sound == .music,
      let earlier = scenario.sounds[..<index].lastIndex(where: { $0.sound == .music })
    else { return nil }
    guard let old = place(earlier), let new = place(index), let last = edge(earlier, isEnd: true),
      let first = edge(index, isEnd: false)
    else { return Finding(isRight: false, sentence: "music is not heard again") }
    let gap = Double((first - new.begin) - (last - old.begin)) / Double(rate)
    let milliseconds = Int((gap * 1000).rounded())
    let late = recording?.late ?? 0
    let tolerance = late == 0 ? Self.placeTolerance : Self.busyTolerance
    let busy = late == 0 ? "" : "; the machine is busy: \(late) changes came late"
    return abs(gap) <= tolerance
      ? Finding(isRight: true, sentence: "music goes on where it was (\(milliseconds) ms\(busy))")
      : Finding(
        isRight: false,
        sentence: "music goes on \(abs(milliseconds)) ms \(gap < 0 ? "before" : "after") its place")
  }

  /// For a stretch of the music that a step ends: how long after it the music was silent, in
  /// seconds. `nil` for other sounds, and where it sounds to the end.
  func silence(ofPresence index: Int) -> Double? {
    let presence = scenario.sounds[index]
    guard presence.sound == .music,
      let step = scenario.steps.map(\.at).last(where: { $0 < presence.to && $0 > presence.from }),
      let mark = marks[step], let end = edge(index, isEnd: true)
    else { return nil }
    // What was silent before by itself does not tell.
    return end > mark ? Double(end - mark) / Double(rate) : nil
  }

  // MARK: Places

  private var rate: Int { recording?.format.sampleRate ?? 1 }

  private func overlapping(_ from: Double, _ to: Double) -> [Int] {
    scenario.sounds.indices.filter {
      scenario.sounds[$0].from < to && scenario.sounds[$0].to > from
        && (eventStreams == .mixed || !scenario.sounds[$0].sound.isEvent)
    }
  }

  private func pieces(_ frames: Range<Int>, frames length: Int) -> [Range<Int>] {
    stride(from: frames.lowerBound, to: frames.upperBound - length / 2, by: length).map {
      $0..<min($0 + length, frames.upperBound)
    }
  }

  private func heard(_ frames: Range<Int>) -> Samples {
    guard let recording else { return Samples(left: []) }
    let range = Int64(frames.lowerBound)..<Int64(frames.upperBound)
    return Samples(left: recording.channel(0, range), right: recording.channel(1, range))
  }

  private func fit(_ frames: Range<Int>, _ from: Double, _ to: Double) -> (Fit, [Int]) {
    let found = overlapping(from, to).compactMap { index in place(index).map { (index, $0) } }
    let fit = SoundCheck.fit(
      found.map(\.1), to: heard(frames), first: frames.lowerBound)
    return (fit, found.map(\.0))
  }

  /// Where a presence is in the recording, once it is known.
  private func place(_ index: Int) -> PlacedSound? {
    if let known = places[index] { return known }
    guard sought.insert(index).inserted else { return nil }
    defer { sought.remove(index) }
    let presence = scenario.sounds[index]
    guard let from = marks[presence.from], let probe = marks[presence.probe],
      let recording, recording.heard >= probe + Self.probeFrames,
      let sound = samples(presence.sound)
    else { return nil }
    let isLooping = presence.sound.isLooping
    let around = probe..<probe + Self.probeFrames
    var piece = heard(around)
    // Without what is known already: over loud music a voice is not alike enough.
    let others = overlapping(presence.probe, presence.probe + 0.1).compactMap { self.place($0) }
    if !others.isEmpty { piece = SoundCheck.rest(of: piece, without: others, first: probe) }
    // From its beginning, or from where it was held.
    var guesses = [probe - from]
    if let earlier = scenario.sounds[..<index].lastIndex(where: { $0.sound == presence.sound }),
      let old = place(earlier), let last = edge(earlier, isEnd: true)
    {
      guesses.append(last - old.begin + probe - from)
    }
    let reach = rate / 2
    let match = guesses.compactMap { guess in
      SoundCheck.find(piece, in: sound, isLooping: isLooping, at: guess - reach..<guess + reach / 4)
    }.max { $0.likeness < $1.likeness }
    var place: PlacedSound?
    // Among voices and over other music it is not alone, so it need not be very alike.
    if let match, match.likeness > 0.3 {
      place = PlacedSound(sound, begin: probe - match.frame, isLooping: isLooping)
    }
    places[index] = .some(place)
    return place
  }

  /// The first or the last frame of a presence at which it is audible.
  private func edge(_ index: Int, isEnd: Bool) -> Int? {
    let presence = scenario.sounds[index]
    guard place(index) != nil, let from = marks[presence.from], let to = marks[presence.to]
    else { return nil }
    let pieces = pieces(from..<to, frames: rate / 200)
    for piece in isEnd ? pieces.reversed() : pieces {
      let (fit, indices) = fit(piece, presence.from, presence.to)
      guard let own = indices.firstIndex(of: index), let gain = fit.gains[own] else { continue }
      if abs(gain) >= Self.silence { return isEnd ? piece.upperBound : piece.lowerBound }
    }
    return nil
  }

  /// The sound itself, as a stream's rate has it: the music's, where none is given.
  private func samples(_ sound: Scenario.Sound, rate other: Int? = nil) -> Samples? {
    let rate = other ?? rate
    if let known = samples[sound]?[rate] { return known }
    var left: [Float] = []
    var right: [Float] = []
    for file in sound.files ?? scenario.tracks {
      let path = folder + Array("/\(file)".utf8)
      do {
        let render = try OfflineRender(location: TrackLocation(path: path), rate: rate)
        let channels = render.format.channels
        try unsafe render.run { samples in
          for frame in 0..<samples.count / channels {
            left.append(unsafe samples[frame * channels])
            right.append(unsafe samples[frame * channels + channels - 1])
          }
        }
      } catch { return nil }
    }
    samples[sound, default: [:]][rate] = Samples(left: left, right: right)
    return samples[sound]?[rate]
  }

  // MARK: Texts

  private static func isNear(_ gain: Double, _ decibels: Double) -> Bool {
    abs(Gain(linear: Float(gain)).decibels - decibels) <= tolerance
  }

  private static func decibels(_ gain: Double) -> String {
    gain < 1e-5 ? "nothing" : "\(text(Gain(linear: Float(gain)).decibels)) dB"
  }

  /// With one digit after the point.
  static func text(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }
}

extension Scenario.Sound {
  /// The files it is made of; `nil` is what sotto plays.
  var files: [String]? {
    switch self {
    case .music: nil
    case .prompt: ["effects/navigation.wav"]
    case .message: ["effects/message.wav"]
    case .ringtone: ["effects/ringtone.wav"]
    case .caller: ["effects/call-caller.wav"]
    case .callee: ["effects/call-callee.wav"]
    case .game: ["music/05-greensleeves-verse.ogg"]
    case .otherMusic: ["music/04-ode-to-joy.mp3"]
    }
  }

  /// Rings or beeps: on the ringer's volume, and where it can be in a stream of its own (S11, S24).
  fileprivate var isEvent: Bool { self == .message || self == .ringtone }

  fileprivate var isLooping: Bool { [.ringtone, .game, .otherMusic].contains(self) }
}
