import AudioTypes
import CAudioOutput
import OutputInterface

/// A picture of the door as a value.
extension ServerSnapshot {
  init(_ seen: UnsafePointer<sotto_seen>) {
    let it = unsafe seen.pointee
    let states: [State] = [.absent, .silent, .ready]
    unsafe self.init(
      state: states.indices.contains(Int(it.state)) ? states[Int(it.state)] : .absent,
      kind: it.is_pipewire ? .pipeWire : .pulseAudio, at: Double(it.at_ns) / 1e9,
      server: text(it.server), defaultSink: text(it.default_sink),
      sinks: values(it.sinks, it.sink_count) { unsafe Sink($0) },
      cards: values(it.cards, it.card_count) { unsafe Card($0) },
      sources: values(it.sources, it.source_count) { unsafe Source($0) },
      clients: values(it.clients, it.client_count) { unsafe Client($0) },
      playbacks: values(it.playbacks, it.playback_count) { unsafe Stream($0) },
      captures: values(it.captures, it.capture_count) { unsafe Stream($0) },
      modules: values(it.modules, it.module_count) { unsafe text($0) })
  }
}

extension ServerSnapshot.Port {
  fileprivate init(_ it: sotto_seen_port) {
    let availabilities: [DevicePort.Availability] = [.unknown, .no, .yes]
    unsafe self.init(
      text(it.name), description: text(it.description),
      availability: availabilities[Int(it.available)], routeClass: routeClasses[Int(it.route)])
  }
}

extension ServerSnapshot.Sink {
  fileprivate init(_ it: sotto_seen_sink) {
    unsafe self.init(
      text(it.name), index: it.index, card: some(it.card), description: text(it.description),
      address: some(it.address), routeClass: routeClasses[Int(it.route)],
      ports: values(it.ports, it.port_count) { unsafe ServerSnapshot.Port($0) },
      activePort: it.active_port < 0 ? nil : Int(it.active_port),
      isSuspended: it.suspended)
  }
}

extension ServerSnapshot.Card {
  fileprivate init(_ it: sotto_seen_card) {
    unsafe self.init(
      text(it.name), index: it.index, address: some(it.address),
      ports: values(it.ports, it.port_count) { unsafe ServerSnapshot.Port($0) })
  }
}

extension ServerSnapshot.Source {
  fileprivate init(_ it: sotto_seen_source) {
    unsafe self.init(
      text(it.name), index: it.index, address: some(it.address), isMonitor: it.monitor)
  }
}

extension ServerSnapshot.Client {
  fileprivate init(_ it: sotto_seen_client) {
    unsafe self.init(
      index: it.index, pid: it.pid > 0 ? Int(it.pid) : nil, application: text(it.application),
      binary: text(it.binary), role: text(it.role))
  }
}

extension ServerSnapshot.Stream {
  fileprivate init(_ it: sotto_seen_stream) {
    unsafe self.init(
      index: it.index, client: some(it.client), device: it.device,
      pid: it.pid > 0 ? Int(it.pid) : nil, application: text(it.application),
      binary: text(it.binary), role: text(it.role), name: text(it.name), isCorked: it.corked,
      isMuted: it.muted, isMeter: it.meter, passesOn: it.passes_on)
  }
}

private let routeClasses: [RouteClass] = [.private, .external, .speaker, .network]

private func some(_ index: UInt32) -> UInt32? { index == UInt32.max ? nil : index }

/// Invalid UTF-8 is repaired.
private func text(_ text: UnsafePointer<CChar>?) -> String {
  guard let text = unsafe text else { return "" }
  return unsafe String(cString: text)
}

private func some(_ value: UnsafePointer<CChar>?) -> String? {
  let value = unsafe text(value)
  return value.isEmpty ? nil : value
}

private func values<Item, Value>(
  _ start: UnsafePointer<Item>?, _ count: Int, _ value: (Item) -> Value
) -> [Value] {
  unsafe UnsafeBufferPointer(start: start, count: start == nil ? 0 : count).map { value($0) }
}
