import AudioSession
import AudioTypes
import Dispatch
import Glibc
import JSONText
import SystemEvents

/// `sotto devices --watch`: where sound goes now, and each change of that, a line each. It ends when
/// it is interrupted, or nobody reads any more.
@MainActor final class DevicesWatch {
  private let isJSON: Bool
  private var routes = RouteTracker()
  private var state: ServerSnapshot.State?
  private var watch: ServerWatch?
  private let again = MainTimer()

  private static var running: DevicesWatch?

  private init(isJSON: Bool) { self.isJSON = isJSON }

  static func run(json: Bool) -> Never {
    let command = DevicesWatch(isJSON: json)
    running = command
    command.watch = ServerWatch { [weak command] snapshot, _ in command?.see(snapshot) }
    if command.watch == nil {
      Messages.tell("no descriptor or thread is to be had")
      Exit.end(1)
    }
    dispatchMain()
  }

  private func see(_ snapshot: ServerSnapshot) {
    if snapshot.state != state {
      let isFirst = state == nil
      state = snapshot.state
      // That a server answers was said by the list already.
      if !isFirst || snapshot.state != .ready { tell(snapshot) }
    }
    // Where a new stream would go: sotto plays nothing here.
    let place = snapshot.sink(named: snapshot.defaultSink)?.index
    for finding in routes.see(snapshot, stream: place) { tell(finding) }
    if routes.isInDoubt {
      again.set(after: RouteTracker.doubtSeconds) { [weak self] in self?.watch?.refresh() }
    }
    Console.flush()
    if Console.isBroken { Exit.end(bySignal: SIGPIPE) }
  }

  private func tell(_ snapshot: ServerSnapshot) {
    let words =
      switch snapshot.state {
      case .absent: "no sound server"
      case .silent: "the sound server does not answer"
      case .ready: Text.printable(snapshot.server)
      }
    write(
      words,
      .object([
        ("event", .string("server")), ("state", .string(snapshot.state.rawValue)),
        ("server", .string(snapshot.server)),
      ]))
  }

  private func tell(_ finding: RouteTracker.Finding) {
    switch finding {
    case .route(let change):
      let place = change.to.map { "\(Text.printable($0.name)) (\($0.routeClass.rawValue))" }
      let words =
        switch change.reason {
        case .newDeviceAvailable: "sound goes to \(place ?? "nothing")"
        case .override: "\(place ?? "nothing") was chosen"
        case .oldDeviceUnavailable:
          change.isLinkKept
            ? "the Bluetooth device changes its profile; sound goes to \(place ?? "nothing")"
            : "the device is gone; sound goes to \(place ?? "nothing")"
        case .noSuitableRoute: "the device is gone, and there is no other"
        }
      write(words, json(change))
    case .linkLost(let address):
      write(
        "the Bluetooth device \(Text.printable(address)) is gone",
        .object([("event", .string("linkLost")), ("address", .string(address))]))
    case .deviceReturned(let sink):
      write(
        "\(Text.printable(sink)) is back",
        .object([("event", .string("deviceReturned")), ("name", .string(sink))]))
    }
  }

  private func json(_ change: RouteChange) -> JSON {
    .object([
      ("event", .string("route")), ("reason", .string(change.reason.rawValue)),
      ("linkKept", .bool(change.isLinkKept)),
      (
        "to",
        change.to.map { route in
          .object([
            ("id", .string(route.id)), ("name", .string(route.name)),
            ("class", .string(route.routeClass.rawValue)),
            ("private", .bool(route.routeClass == .private)),
            ("address", route.deviceAddress.map { .string($0) } ?? .null),
          ])
        } ?? .null
      ),
    ])
  }

  private func write(_ words: String, _ json: JSON) {
    if isJSON {
      Console.write(json.text(isASCII: !Environment.isUTF8) + "\n")
    } else {
      Console.print(words)
    }
  }
}
