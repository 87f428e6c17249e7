import AudioTypes
import CRealtime
import Decoding
import Dispatch
import Glibc
import OutputInterface

/// Why an event is not heard in a stream of its own.
public enum EventFailure: Error, Equatable, Sendable {
  /// The stream cannot be opened, or was lost.
  case output(OutputError)
  /// The sound cannot be read.
  case sound(DecodingError)
}

/// Ringing, message tones and clicks: each in a short stream of role event, apart from the music's
/// (S11, S24), opened when it begins and closed when its end has been heard. Between them there is
/// nothing: no stream, no thread, no timer.
///
/// On the control thread, which never waits for a server here: opening has a queue of its own.
@MainActor public final class EventChannel {
  /// Whether streams can be opened here at all.
  public private(set) var streams: EventStreams
  private let backend: any OutputBackend
  private var device: String?
  private lazy var opening = DispatchQueue(label: "sotto.events")
  private var events: [Int: Event] = [:]
  private var count = 0
  private var onIdle: [@MainActor () -> Void] = []
  private let idleAlarm = Alarm()

  /// How long a device may take to be silent after an end, and beyond a sound's own length, in
  /// seconds, before it is taken for dead.
  var patience = 0.5
  var longestDrain = 5.0

  private struct Event {
    var isWanted = true
    var live: Live?
    var onFailure: @MainActor (EventFailure) -> Void
  }

  /// A stream that is open.
  private struct Live {
    let output: OpenOutput
    let source: any DispatchSourceRead
    let alarm: Alarm
  }

  /// What was made beside the control thread.
  private struct Opened: Sendable {
    let output: OpenOutput
    let wakeUp: CInt
    let clip: Int
    let frames: Int64
  }

  public init(backend: any OutputBackend, device: String?) {
    self.backend = backend
    self.device = device
    streams = backend.eventStreams(device: device)
  }

  /// What begins from now on sounds on another device; what sounds already stays where it is.
  func move(to device: String?) {
    self.device = device
    streams = backend.eventStreams(device: device)
  }

  /// True while no stream is open and none is being opened.
  public var isIdle: Bool { events.isEmpty }

  /// Begins a sound in a stream of its own.
  ///
  /// - Parameters:
  ///   - name: what it is, as mixers show it: "Incoming call".
  ///   - onFailure: called once, on the main queue, when it cannot be heard or breaks off.
  /// - Returns: its number, for `end`.
  @discardableResult
  public func begin(
    _ sound: TrackLocation, name: String, gain: Gain = .unity, isLooping: Bool = false,
    onFailure: @escaping @MainActor (EventFailure) -> Void
  ) -> Int {
    count += 1
    let id = count
    events[id] = Event(onFailure: onFailure)
    let request = StreamRequest(device: device, trackName: name, role: .event)
    let backend = backend
    opening.async {
      let result = Self.open(sound, backend, request)
      DispatchQueue.main.async {
        MainActor.assumeIsolated { self.adopt(result, id, gain: gain, isLooping: isLooping) }
      }
    }
    return id
  }

  /// Lets a sound fall to silence, and closes its stream when that is heard.
  public func end(_ id: Int) {
    guard let event = events[id] else { return }
    events[id]?.isWanted = false
    guard let live = event.live, event.isWanted else { return }
    live.output.renderer.send { $0.layers[0].isOn = false }
    live.output.stream.kick()
    live.alarm.set(after: patience) { [weak self] in self?.close(id) }
  }

  /// Ends all, and calls `done` when every stream is closed: at once when there is none, and after
  /// half a second where a server does not answer. What is still being opened then never sounds.
  public func endAll(then done: @escaping @MainActor () -> Void) {
    onIdle.append(done)
    for id in events.keys { end(id) }
    if events.isEmpty { return tellIdle() }
    idleAlarm.set(after: patience) { [weak self] in self?.tellIdle() }
  }

  /// Closes all at once.
  func closeAll() {
    for id in events.keys { close(id) }
  }

  // MARK: The life of a stream

  /// Opens a stream and decodes the sound for it; blocks for as long as the server takes.
  private nonisolated static func open(
    _ sound: TrackLocation, _ backend: any OutputBackend, _ request: StreamRequest
  ) -> Result<Opened, EventFailure> {
    let wakeUp = sotto_eventfd()
    let renderer = Renderer(controlEvent: wakeUp, decoderEvent: -1)
    let stream: any OutputStream
    do throws(OutputError) {
      stream = try unsafe backend.open(request, renderer: renderer.face)
    } catch {
      Glibc.close(wakeUp)
      return .failure(.output(error))
    }
    let format = stream.format
    renderer.prepare(
      sampleRate: format.sampleRate, channels: format.channels,
      fadeFrames: format.frame(atSeconds: AudioEngine.fadeSeconds), ringFrames: 1)
    do throws(DecodingError) {
      let (clip, loaded) = try renderer.sound(sound, format: format)
      return .success(
        Opened(
          output: OpenOutput(renderer: renderer, stream: stream), wakeUp: wakeUp, clip: clip,
          frames: loaded.clip.frames))
    } catch {
      stream.close()
      Glibc.close(wakeUp)
      return .failure(.sound(error))
    }
  }

  private func adopt(
    _ result: Result<Opened, EventFailure>, _ id: Int, gain: Gain, isLooping: Bool
  ) {
    let event = events[id]
    switch result {
    case .failure(let failure):
      forget(id)
      if let event, event.isWanted { event.onFailure(failure) }
    case .success(let opened):
      guard let event, event.isWanted else {
        opened.output.stream.close()
        Glibc.close(opened.wakeUp)
        return forget(id)
      }
      play(opened, id, gain: gain, isLooping: isLooping)
    }
  }

  private func play(_ opened: Opened, _ id: Int, gain: Gain, isLooping: Bool) {
    let source = DispatchSource.makeReadSource(fileDescriptor: opened.wakeUp, queue: .main)
    let wakeUp = opened.wakeUp
    source.setEventHandler { [weak self] in
      MainActor.assumeIsolated { self?.takeEvents(id, wakeUp) }
    }
    // Not before the last wake-up: the stream is closed by then.
    source.setCancelHandler { Glibc.close(wakeUp) }
    source.activate()
    let alarm = Alarm()
    events[id]?.live = Live(output: opened.output, source: source, alarm: alarm)
    opened.output.renderer.send { wish in
      wish.layers[0].serial += 1
      wish.layers[0].clip = opened.clip
      wish.layers[0].frames = opened.frames
      wish.layers[0].isLooping = isLooping && opened.frames > 0
      wish.layers[0].gain = min(max(gain.linear, 0), 1)
      wish.layers[0].isOn = true
    }
    opened.output.stream.kick()
    if isLooping { return }
    // A device that never tells the end must not keep the stream for ever.
    let seconds = opened.output.stream.format.seconds(atFrame: opened.frames)
    alarm.set(after: seconds + longestDrain) { [weak self] in self?.close(id) }
  }

  private func takeEvents(_ id: Int, _ wakeUp: CInt) {
    guard let event = events[id], let live = event.live else { return }
    sotto_eventfd_clear(wakeUp)
    let bits = live.output.renderer.takeEvents()
    if bits & UInt32(SOTTO_EVENT_LOST) != 0 {
      let failure =
        live.output.stream.failure ?? OutputError(.deviceLost, "the output is gone")
      close(id)
      if event.isWanted { event.onFailure(.output(failure)) }
    } else if bits & UInt32(SOTTO_EVENT_FINISHED) != 0 {
      close(id)
    }
  }

  private func close(_ id: Int) {
    guard let event = events[id] else { return }
    guard let live = event.live else {
      events[id]?.isWanted = false
      return
    }
    live.alarm.cancel()
    live.output.stream.close()
    live.source.cancel()
    forget(id)
  }

  private func forget(_ id: Int) {
    events[id] = nil
    if events.isEmpty { tellIdle() }
  }

  private func tellIdle() {
    idleAlarm.cancel()
    let waiting = onIdle
    onIdle = []
    for done in waiting { done() }
  }
}

/// Events of the engine's own output.
extension AudioEngine {
  /// Ends all that sounds beside the music, and calls `done` when every stream of events is closed.
  public func endSounds(then done: @escaping @MainActor () -> Void) {
    for place in 0..<Self.places { end(soundIn: place) }
    if let events { events.endAll(then: done) } else { done() }
  }

  /// Changes the volume that the server keeps for events by so many percent; 0 mutes it or lifts the
  /// mute. What came of it is told by `EngineEvent.ringer`.
  public func stepRinger(percent: Int) { session?.stream.stepRinger(percent: percent) }
}
