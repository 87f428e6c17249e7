import AudioSession
import AudioTypes
import Foundation
import Testing

/// How many histories a property is tried on, and which.
enum Trials {
  /// SOTTO_SEED repeats a run, or makes another one: a number, or one in hexadecimal after 0x.
  static let seed: UInt64 = {
    let text = ProcessInfo.processInfo.environment["SOTTO_SEED"] ?? ""
    let hexadecimal = text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : nil
    return hexadecimal ?? UInt64(text) ?? 0x5077_0003
  }()

  /// SOTTO_SEQUENCES says how many histories there are in all. A debug build takes a millisecond
  /// for one, an optimized build a tenth of that.
  static let all: Int = {
    let text = ProcessInfo.processInfo.environment["SOTTO_SEQUENCES"] ?? ""
    #if DEBUG
      return max(properties, Int(text) ?? 20_000)
    #else
      return max(properties, Int(text) ?? 100_000)
    #endif
  }()

  /// Between how many properties they are divided.
  static let properties = 25

  /// Printed once, so that a run that passed can be repeated too.
  static let each: Int = {
    print(
      "properties: \(all) histories, \(all / properties) for each property,",
      "seed 0x\(String(seed, radix: 16))")
    return all / properties
  }()
}

/// A fault in a history, at its smallest.
struct Counterexample {
  var moments: [Moment]
  var fault: String
  /// What it was shrunk from.
  var seed: UInt64
  var originalCount: Int

  /// For whoever reads the failure.
  func message(_ sentence: String) -> String {
    """
    \(sentence)
    But \(fault).
    History 0x\(String(seed, radix: 16)), \(moments.count) of its \(originalCount) events \
    (SOTTO_SEED=0x\(String(Trials.seed, radix: 16)) SOTTO_SEQUENCES=\(Trials.all) repeats the run):
    \(ReplayText.lines(moments).joined(separator: "\n"))
    """
  }
}

/// Tries a property on many histories. `fault` says what is wrong in one, or nil.
func firstFault(
  seed: UInt64, count: Int, _ fault: ([Moment]) -> String?
) -> Counterexample? {
  var seeds = SplitMix64(seed: seed)
  for _ in 0..<count {
    let seed = seeds.next()
    var generator = EventGenerator(seed: seed)
    let moments = generator.history()
    guard let first = fault(moments) else { continue }
    let least = shrink(moments) { fault($0) != nil }
    return Counterexample(
      moments: least, fault: fault(least) ?? first, seed: seed, originalCount: moments.count)
  }
  return nil
}

/// The property holds in all histories; if not, the test fails with the smallest one.
func holds(
  _ sentence: String, share: Int = 1, location: SourceLocation = #_sourceLocation,
  _ fault: ([Moment]) -> String?
) {
  // Every property has histories of its own.
  var seed = Trials.seed
  for byte in sentence.utf8 { seed = (seed ^ UInt64(byte)) &* 0x100_0000_01B3 }
  guard let found = firstFault(seed: seed, count: Trials.each / share, fault) else { return }
  Issue.record(Comment(rawValue: found.message(sentence)), sourceLocation: location)
}

/// The smallest history that still fails: events are taken out, times are made short and round.
func shrink(_ moments: [Moment], while fails: ([Moment]) -> Bool) -> [Moment] {
  var least = moments
  var triesLeft = 4000
  func tries(_ candidate: [Moment]) -> Bool {
    guard triesLeft > 0, candidate != least else { return false }
    triesLeft -= 1
    guard fails(candidate) else { return false }
    least = candidate
    return true
  }
  var isSmaller = true
  while isSmaller, triesLeft > 0 {
    isSmaller = false
    var size = max(1, least.count / 2)
    while size > 0 {
      var start = max(0, least.count - size)
      while true {
        let end = min(least.count, start + size)
        if start < end {
          // First with the time that they took, then without.
          var later = least
          let time = least[start..<end].reduce(SessionTime.zero) { $0 + $1.wait }
          later.removeSubrange(start..<end)
          let sooner = later
          if start < later.count { later[start].wait = later[start].wait + time }
          if tries(later) || tries(sooner) { isSmaller = true }
        }
        if start == 0 { break }
        start = max(0, start - size)
      }
      size /= 2
    }
    for index in least.indices {
      for milliseconds: Int64 in [0, 1, 100, 200, 300, 500, 1000, 2000, 2500, 10_000] {
        let wait = SessionTime.milliseconds(milliseconds)
        var candidate = least
        guard wait < candidate[index].wait || candidate[index].wait < .zero else { continue }
        candidate[index].wait = wait
        if tries(candidate) {
          isSmaller = true
          break
        }
      }
      for event in simpler(least[index].event) + [.wait] {
        var candidate = least
        candidate[index].event = event
        if tries(candidate) {
          isSmaller = true
          break
        }
      }
    }
  }
  return least
}

/// The same with less in it.
private func simpler(_ event: SessionEvent) -> [SessionEvent] {
  switch event {
  case .play(let source) where source != .key: return [.play(.key)]
  case .force(let source) where source != .key: return [.force(.key)]
  case .pause(let source) where source != .key: return [.pause(.key)]
  case .toggle: return [.play(.key), .pause(.key)]
  case .stop(let source) where source != .key: return [.stop(.key)]
  case .load(let tracks) where tracks.count > 1: return [.load(Array(tracks.prefix(1)))]
  case .begin(let id, let kind, let source) where !source.isEmpty:
    return [.begin(id: id, kind: kind, source: "")]
  case .configure(let configuration) where configuration.hasTransportControls == false:
    var simpler = configuration
    simpler.hasTransportControls = true
    return [.configure(simpler)]
  case .stream(let stream):
    var simpler = [stream, stream, stream]
    simpler[0].application = ""
    simpler[1].binary = ""
    simpler[2].role = ""
    return simpler.filter { $0 != stream }.map { .stream($0) }
  case .reconcile(let snapshot):
    var simpler = [snapshot, snapshot]
    simpler[0].streams = Array(snapshot.streams.dropLast())
    simpler[1].peers = Array(snapshot.peers.dropLast())
    return simpler.filter { $0 != snapshot }.map { .reconcile($0) }
  default: return []
  }
}
