import AudioTypes
import CRealtime
import Decoding
import Dispatch
import OutputInterface
import Realtime

/// Plays a succession of tracks on an output: gapless from one to the next, and every command is
/// heard within some 30 ms although seconds are queued (architecture decision 3).
///
/// Lives on the main queue. Commands return at once; what became of them comes as events.
@MainActor public final class AudioEngine {
  let succession: any Succession
  let onEvent: @MainActor (EngineEvent) -> Void
  let feeder: Feeder
  let controlEvent = sotto_eventfd()
  private var controlSource: (any DispatchSourceRead)?
  let placeAlarm = Alarm()

  var backend: (any OutputBackend)?
  var request = StreamRequest()
  /// Where events sound; `nil` before the start and after the close.
  public internal(set) var events: EventChannel?
  var session: OpenOutput?
  /// Where the music stands while no stream can tell: none is open, or it has only just been.
  var standing: Standing?
  /// The stream that is being left, while both sound.
  var handOver: HandOver?
  /// Counts the streams that are opened beside the control thread: only the last one is wanted.
  var openings = 0
  /// How many of them have not answered yet.
  var awaited = 0
  lazy var opening = DispatchQueue(label: "sotto.output")
  /// Where sounds are decoded whose files may be slow.
  lazy var decoding = DispatchQueue(label: "sotto.sounds")
  let handOverAlarm = Alarm()
  private var ahead: OpeningAhead?
  /// What sounds beside the music, to go on with on another stream.
  var sounds: [Int: PlacedSound] = [:]
  /// The server wants silence of the music's stream.
  var isSilenceWanted = false
  private(set) var level = Gain.unity
  /// The level of the music under other sound.
  var musicLevel = Gain.unity
  /// The serial of the wish that last changed the level.
  var levelSerial = 0
  var mute = MuteSteps()
  let fallAlarm = Alarm()
  /// Frees what was heard once.
  let soundAlarm = Alarm()
  let muteAlarm = Alarm()
  var isHeld = false
  /// Where the file is opened again that was let go of.
  private var resting: (index: Int, seconds: Double)?
  private(set) var state = EngineState.idle
  /// The last place told, and its track.
  var announced = 0
  var announcedIndex: Int?
  /// Who waits for silence, and until when.
  private var onSilence: [@MainActor () -> Void] = []
  private let silenceAlarm = Alarm()
  /// The length of the last hold's fade.
  private var holdSeconds = AudioEngine.fadeSeconds

  /// Length of a fade, in seconds: long enough that nothing clicks.
  public nonisolated static let fadeSeconds = 0.010
  /// How long a device may take to be silent beyond a fade, in seconds, before it is taken for dead.
  var patience = 0.15

  /// - Parameters:
  ///   - gain: which loudness tags are applied.
  ///   - onEvent: called on the main queue.
  public convenience init(
    succession: any Succession, gain: LoudnessMode,
    onEvent: @escaping @MainActor (EngineEvent) -> Void
  ) {
    self.init(succession: succession, gain: gain, canResample: nil, onEvent: onEvent)
  }

  /// - Parameter canResample: whether libsoxr is there; `nil` finds out where a rate needs it.
  init(
    succession: any Succession, gain: LoudnessMode, canResample: Bool?,
    onEvent: @escaping @MainActor (EngineEvent) -> Void
  ) {
    self.succession = succession
    self.onEvent = onEvent
    let relay = Relay()
    feeder = Feeder(succession: succession, loudness: gain, canResample: canResample) { report in
      relay.post(report)
    }
    relay.engine = self
  }

  // MARK: Opening and closing

  /// Opens the output and begins with a track; its first frames are decoded while the server
  /// answers. Blocks for as long as the backend's `open`.
  ///
  /// - Parameters:
  ///   - isHeld: nothing is heard before `release`.
  ///   - patience: seconds after which a server that does not answer is no error: the engine then
  ///     stands at the track as if its output were lost, held, for `recover`. Only of what was
  ///     opened ahead.
  public func start(
    backend: any OutputBackend, request: StreamRequest, at index: Int, seconds: Double = 0,
    isHeld: Bool = false, patience: Double? = nil
  ) throws(OutputError) {
    let source = DispatchSource.makeReadSource(fileDescriptor: controlEvent, queue: .main)
    source.setEventHandler { [weak self] in
      MainActor.assumeIsolated { self?.takeDeviceEvents() }
    }
    source.activate()
    controlSource = source
    self.backend = backend
    self.request = request
    events = EventChannel(backend: backend, device: request.device)
    self.isHeld = isHeld
    try feeder.start()
    // Nothing is there yet: nothing is looked for, and what comes later has no rival.
    let isEmpty = isHeld && succession.track(at: index) == nil
    feeder.ask { box in
      box.isHeld = isHeld
      if !isEmpty { box.jump = Feeder.Jump(index: index, seconds: seconds, isSeek: false) }
    }
    do throws(OutputError) {
      try openStream(then: nil, patience: patience)
    } catch {
      if patience != nil, error.code == .noAnswer {
        self.isHeld = true
        feeder.ask { box in
          box.isHeld = true
          box.jump = nil
        }
        stand(at: index, seconds: seconds)
        return change(to: .lost)
      }
      feeder.ask { $0.isClosing = true }
      throw error
    }
    if !isEmpty { change(to: isHeld ? .held : .starting) }
  }

  /// Begins to open the output that `start` will be given, so that its server answers while the
  /// caller does something else. Returns at once; what fails is thrown by `start`.
  public func openAhead(backend: any OutputBackend, request: StreamRequest) {
    ahead = OpeningAhead(backend, request, newRenderer())
  }

  /// Opens a stream and gives it to the decoder's thread, with a jump for it unless a newer one
  /// waits there.
  func openStream(then jump: Feeder.Jump?, patience: Double? = nil) throws(OutputError) {
    guard let backend else { return }
    if let ahead {
      self.ahead = nil
      let stream = try ahead.take(within: patience)
      stream.setTrackName(request.trackName)
      return adopt(OpenOutput(renderer: ahead.renderer, stream: stream), then: jump)
    }
    let renderer = Renderer(controlEvent: controlEvent, decoderEvent: feeder.decoderEvent)
    let stream = try unsafe backend.open(request, renderer: renderer.face)
    adopt(OpenOutput(renderer: renderer, stream: stream), then: jump)
  }

  /// A renderer for a stream that is opened by another thread.
  func newRenderer() -> Renderer {
    Renderer(controlEvent: controlEvent, decoderEvent: feeder.decoderEvent)
  }

  /// Takes an open stream for the music.
  ///
  /// - Parameter isSilent: nothing of it is heard until its level is raised.
  func adopt(
    _ new: OpenOutput, then jump: Feeder.Jump?, isSilent: Bool = false
  ) {
    let (renderer, stream) = (new.renderer, new.stream)
    let rate = stream.format.sampleRate
    renderer.prepare(
      sampleRate: rate, channels: stream.format.channels,
      fadeFrames: Int64(Double(rate) * AudioEngine.fadeSeconds))
    let held = isHeld
    let level = isSilent ? Gain.silence : heardLevel
    let music = musicLevel
    levelSerial = renderer.send { wish in
      wish.level = level.linear
      wish.music = music.linear
      wish.isHeld = held
    }
    session = new
    feeder.ask { box in
      box.session = new
      box.jump = box.jump ?? jump
    }
    // What a server asked of the old stream is void with it.
    if isSilenceWanted { tellRequest() }
  }

  /// Ends the sound at once. `shutDown` ends it without a click.
  public func close() {
    feeder.ask { $0.isClosing = true }
    for alarm in [placeAlarm, fallAlarm, muteAlarm, handOverAlarm, soundAlarm] { alarm.cancel() }
    openings += 1
    if let ahead, let stream = try? ahead.take(within: 0) { stream.close() }
    ahead = nil
    handOver?.session.stream.close()
    handOver = nil
    events?.closeAll()
    events = nil
    session?.stream.close()
    session = nil
    // A report that is still on its way opens nothing any more.
    backend = nil
    controlSource?.cancel()
    controlSource = nil
    tellSilence()
  }

  /// Fades out, closes, and then calls `done` with the output's failure, if it had one. A device
  /// that does not answer is waited for as in `hold`.
  public func shutDown(_ done: @escaping @MainActor (OutputError?) -> Void) {
    let stream = session?.stream
    endSounds { [weak self] in
      guard let self else { return }
      hold { [weak self] in
        self?.close()
        done(stream?.failure)
      }
    }
  }

  // MARK: Commands

  /// Jumps to a track and plays it: next, previous, or picked.
  public func play(index: Int, seconds: Double = 0) {
    endHandOver()
    (isHeld, resting) = (false, nil)
    if state == .lost {
      feeder.ask { ($0.isHeld, $0.isLetGo) = (false, false) }
      return stand(at: index, seconds: seconds)
    }
    change(to: .starting)
    feeder.ask { box in
      (box.isHeld, box.isLetGo) = (false, false)
      box.jump = Feeder.Jump(index: index, seconds: seconds, isSeek: false)
    }
  }

  /// Fades out and stands still at the frame after the fade. Nothing is lost.
  ///
  /// - Parameters:
  ///   - fade: seconds until silence; 0 stops at the next frame that can be changed.
  ///   - done: called once: when the end of the fade has been heard and the device stands still (at
  ///   once if nothing sounds), or 0.15 s after its length if the device does not answer or the hold
  ///   is taken back.
  public func hold(
    fade: Double = AudioEngine.fadeSeconds, then done: (@MainActor () -> Void)? = nil
  ) {
    endHandOver()
    if state == .lost, !isHeld {
      isHeld = true
      feeder.ask { $0.isHeld = true }
    }
    if let session, !isHeld, state == .playing || state == .starting {
      isHeld = true
      holdSeconds = fade
      feeder.ask { $0.isHeld = true }
      let frames = session.stream.format.frame(atSeconds: fade)
      session.renderer.send { wish in
        wish.isHeld = true
        wish.holdFade = frames
      }
      session.stream.kick()
      change(to: .held)
    } else if session != nil, !isHeld, state == .idle {
      // Everything has been heard: a jump that comes now must not be.
      isHeld = true
      feeder.ask { $0.isHeld = true }
    }
    guard let done else { return }
    onSilence.append(done)
    if isSilent { return tellSilence() }
    silenceAlarm.set(after: holdSeconds + patience) { [weak self] in self?.tellSilence() }
  }

  /// True when nothing sounds and nothing is about to.
  var isSilent: Bool {
    guard let session, isHeld || state == .playing || state == .starting else { return true }
    return isHeld && session.renderer.taken == session.renderer.wish.serial
      && !session.stream.clock().isRunning
  }

  func tellSilence() {
    silenceAlarm.cancel()
    let waiting = onSilence
    onSilence = []
    for done in waiting { done() }
  }

  /// Goes on at exactly the frame where `hold` stopped, rising within `fade` seconds.
  public func release(fade: Double = AudioEngine.fadeSeconds) {
    guard isHeld, session != nil || state == .lost else { return }
    let place = state == .lost ? nil : resting
    (isHeld, resting) = (false, nil)
    if let place { return begin(again: place.index, seconds: place.seconds) }
    feeder.ask { ($0.isHeld, $0.isLetGo) = (false, false) }
    guard let session else { return }
    let frames = session.stream.format.frame(atSeconds: fade)
    session.renderer.send { wish in
      wish.isHeld = false
      wish.releaseFade = frames
    }
    session.stream.kick()
    change(to: .playing)
  }

  /// Stopped: the file of the held track is closed, so that its drive may be taken out, and one that
  /// takes its place meanwhile is the one that is heard. `release` opens it again, and a jump to a held
  /// track closes that one too.
  ///
  /// - Parameter index: the track, which may still be on its way there.
  public func letGo(at index: Int, seconds: Double = 0) {
    guard isHeld else { return }
    resting = (index, seconds)
    feeder.ask { $0.isLetGo = true }
  }

  /// Opens a file that was let go of. From its beginning a long one goes on where it was left. A jump
  /// that is still on its way leads there too, and this one takes its place.
  private func begin(again index: Int, seconds: Double) {
    let begins = seconds == 0 ? succession.beginning(of: index) : seconds
    feeder.ask { box in
      (box.isHeld, box.isLetGo) = (false, false)
      box.jump = Feeder.Jump(index: index, seconds: begins, isSeek: true, resumes: true)
    }
    change(to: .starting)
    if begins != seconds { onEvent(.seeked(position: begins)) }
  }

  /// Moves within the heard track; past its end is the next track.
  public func seek(to seconds: Double) {
    endHandOver()
    if state == .lost { return seekStanding(to: seconds) }
    guard let place = heardPlace()?.place else { return }
    if let duration = place.duration, seconds >= duration {
      guard let next = succession.index(after: place.index) else {
        return jump(to: place.index, seconds: duration, isSeek: true)
      }
      return jump(to: next, seconds: 0, isSeek: false)
    }
    jump(to: place.index, seconds: max(seconds, 0), isSeek: true)
  }

  /// Changes the track and leaves everything else: held stays held, at the new track's beginning
  /// (session.md D3, next and previous).
  public func move(to index: Int) {
    if state == .lost { return stand(at: index, seconds: 0) }
    if isHeld { return jump(to: index, seconds: 0, isSeek: false) }
    play(index: index)
  }

  /// Stands in a track, held: at its beginning after everything has been heard, or where the last
  /// run of the program ended.
  public func rest(at index: Int, seconds: Double = 0) {
    endHandOver()
    if state == .lost {
      hold()
      return stand(at: index, seconds: seconds)
    }
    guard session != nil else { return }
    (isHeld, resting) = (true, nil)
    feeder.ask { box in
      (box.isHeld, box.isLetGo) = (true, false)
      box.jump = Feeder.Jump(index: index, seconds: seconds, isSeek: false)
    }
    change(to: .held)
  }

  /// What follows the heard track may be another one now. Where the old one was joined already, the
  /// heard one is decoded again and goes on at the same frame, which nobody hears.
  public func successionChanged() {
    guard let session, !feeder.isJumping, state != .idle, let heard = heardPlace() else { return }
    let (slot, frame) = session.renderer.timeline().heard(at: session.stream.clock().heard)
    guard let joined = feeder.follower(slot: slot, after: frame) else { return }
    let next = succession.index(after: heard.place.index).map { Feeder.Joined.track($0) } ?? .end
    guard joined != next else { return }
    decodeAgain()
  }

  /// Which loudness tags are applied, from now on.
  public func setLoudness(_ mode: LoudnessMode) {
    feeder.setLoudness(mode)
    if !feeder.isJumping { decodeAgain() }
  }

  /// Opens the heard track once more, and goes on with it at the frame where it is.
  private func decodeAgain() {
    guard let session, let heard = heardPlace(), succession.track(at: heard.place.index) != nil
    else { return }
    let (_, frame) = session.renderer.timeline().heard(at: session.stream.clock().heard)
    let seconds =
      heard.place.offset + session.stream.format.seconds(atFrame: frame - heard.place.frame)
    feeder.ask {
      $0.jump = Feeder.Jump(
        index: heard.place.index, seconds: seconds, isSeek: true, follows: frame)
    }
  }

  /// To be called, by any thread, when a growing succession has more tracks than it had, or is whole.
  public var successionGrew: @Sendable () -> Void { { [feeder] in feeder.ask { _ in } } }

  private func jump(to index: Int, seconds: Double, isSeek: Bool) {
    endHandOver()
    // After the end, where what loops beside the music has kept the device running.
    if state == .idle, !isHeld { change(to: .starting) }
    if resting != nil { resting = (index, seconds) }
    feeder.ask { $0.jump = Feeder.Jump(index: index, seconds: seconds, isSeek: isSeek) }
  }

  /// sotto's own level, reached within a fade's length.
  public func setLevel(_ gain: Gain) {
    level = gain
    sendLevel()
  }

  /// Silence below a mute, otherwise sotto's own level.
  var heardLevel: Gain { mute.isSilenced ? .silence : level }

  func sendLevel() {
    endHandOver()
    guard let session else { return }
    let level = heardLevel
    levelSerial = session.renderer.send { wish in
      wish.level = level.linear
      wish.levelRamp = -1
    }
    session.stream.kick()
  }

  /// Asks for the stream's volume on the server; what became of it comes as an event. Percent, 0 to
  /// 100.
  public func setDeviceVolume(percent: Int) { session?.stream.setDeviceVolume(percent: percent) }

  /// The name that mixers show; control characters are taken out here.
  public func setTrackName(_ name: String) { session?.stream.setTrackName(Text.printable(name)) }

  // MARK: What is going on

  /// What is heard at this moment, as far as the output tells. Cheap: no system call, no wait.
  public func snapshot() -> EngineSnapshot {
    let clock = session?.stream.clock()
    let standing = currentPlace
    return EngineSnapshot(
      state: state, index: standing?.index, position: standing?.position ?? 0,
      duration: standing?.duration, info: standing?.info,
      loudnessGain: standing?.gain ?? .unity, level: level,
      device: session?.stream.deviceName, hardware: session?.stream.hardware,
      deviceVolume: session?.stream.deviceVolume(),
      underruns: clock?.underruns ?? 0, outputRate: session?.stream.format.sampleRate)
  }

  typealias Heard = (
    place: Place, position: Double, past: ArraySlice<Place>, framesToNext: Int64?
  )

  func heardPlace() -> Heard? {
    guard let session else { return nil }
    let (slot, frame) = session.renderer.timeline().heard(at: session.stream.clock().heard)
    let (past, next) = feeder.places(slot: slot, upTo: frame)
    guard let place = past.last else { return nil }
    var position = place.offset + session.stream.format.seconds(atFrame: frame - place.frame)
    if let duration = place.duration { position = min(position, duration) }
    return (place, position, past, next.map { $0 - frame })
  }

  func change(to new: EngineState) {
    if state == new { return }
    state = new
    onEvent(.state(new))
  }
}

/// Carries the decoder thread's reports to the main queue.
private final class Relay: @unchecked Sendable {
  /// Set once, before the decoder's thread starts.
  weak var engine: AudioEngine?

  func post(_ report: Feeder.Report) {
    DispatchQueue.main.async { MainActor.assumeIsolated { self.engine?.take(report) } }
  }
}
