// An audiobook reader without sound: it shows what a program does with the session. Type what
// happens, a line each; it says what it would do, and why.
//
//   swift run --package-path Examples/Rules

import AudioSession

/// The device that reads aloud. A real one would hold and release its stream here.
struct Reader {
  func carryOut(_ action: Action) {
    switch action {
    case .cork(let fade): print("  hold the stream, fading for \(fade.seconds) s")
    case .uncork: print("  let the stream go on")
    case .pausePeer(let id): print("  ask \(id) to pause")
    case .playPeer(let id): print("  tell \(id) to play on")
    default: break
    }
  }
}

let reader = Reader()
let session = AudioSession.shared

// What the program's sound is for. An audiobook is words: a prompt does not make it quieter, it
// makes it wait.
try session.setCategory(.playback, content: .spoken)

session.onActions = { actions in
  for action in actions { reader.carryOut(action) }
}
session.onNotification = { notification in
  if case .decision(let decision) = notification {
    let rules = decision.rules.all.map(\.id).joined(separator: " ")
    print("  \(decision.sentence) (\(rules))")
  }
}

// Where sound goes, and what there is to play: one book of unknown length.
session.handle(
  .route(
    RouteChange(
      to: Route(id: "headphones", name: "Headphones", routeClass: .private),
      reason: .newDeviceAvailable)))
try session.request(.load([SessionTrack(duration: nil, title: "A book")]))

/// What can happen, by the words that are typed.
let words: [String: SessionEvent] = [
  "play": .play(.key),
  "pause": .pause(.key),
  "call": .begin(id: "call", kind: .call, source: "Phone"),
  "hang up": .end(id: "call", shouldResume: true),
  "prompt": .begin(id: "prompt", kind: .duck, source: "Navigation"),
  "prompt ends": .end(id: "prompt", shouldResume: nil),
  "unplug": .route(
    RouteChange(
      to: Route(id: "speakers", name: "Speakers", routeClass: .speaker),
      reason: .oldDeviceUnavailable)),
  "music": .peer(PeerObservation(id: "music", name: "Music", status: .playing)),
]

// The session has no clock. Here a second passes for each line; a real program calls advance(to:)
// with its own clock, at nextDeadline at the latest.
var seconds = 0.0
while let line = readLine() {
  seconds += 1
  session.advance(to: .seconds(seconds))
  guard let event = words[line] else {
    print("type one of: \(words.keys.sorted().joined(separator: ", "))")
    continue
  }
  print(line)
  do {
    try session.request(event)
  } catch {
    print("  refused: \(error.sentence)")
  }
}
