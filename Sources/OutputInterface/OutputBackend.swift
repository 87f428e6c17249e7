import AudioTypes
import CRealtime

/// The constant facts about a kind of output.
public struct BackendDescriptor: Equatable, Sendable {
  /// The name of `--output`: "pulse", "alsa", "null", "file".
  public var name: String
  /// For people: "PulseAudio or PipeWire".
  public var title: String
  /// True when it may be chosen without being asked for.
  public var isAutomatic: Bool

  public init(name: String, title: String, isAutomatic: Bool) {
    self.name = name
    self.title = title
    self.isAutomatic = isAutomatic
  }
}

/// What a stream is for. Servers keep a volume for each, and act by it.
public enum StreamRole: String, Equatable, Sendable {
  case music
  /// Ringing, message tones, clicks: short, and opened for each anew (S24).
  case event
}

/// Whether a device takes a second stream, for events, beside the music's.
public enum EventStreams: Equatable, Sendable {
  /// It does not, or nothing would be gained: events are mixed into the music's stream, at a ringer
  /// volume of sotto's own.
  case mixed
  /// It does; the ringer volume is sotto's own.
  case plain
  /// It does, and keeps a volume for the role (S11, S12).
  case withVolume
}

/// Whether a server may move a stream to another device. A guarded stream dies with its device
/// instead, so that not one frame is heard elsewhere (architecture decision 6); the price is that
/// no mixer can move it either.
public enum LeakGuard: String, Equatable, Sendable, CaseIterable {
  case off
  /// On private devices that can vanish: USB, Bluetooth. Never on a port of a card that stays.
  case auto
  case on
}

/// How an open stream stands to being moved.
public struct GuardState: Equatable, Sendable {
  /// The server cannot move it.
  public var isGuarded: Bool
  /// It came by a move to a device on which `LeakGuard.auto` wants it guarded; that only a new
  /// stream can be.
  public var isWanted: Bool

  public init(isGuarded: Bool, isWanted: Bool) {
    self.isGuarded = isGuarded
    self.isWanted = isWanted
  }

  public static let none = GuardState(isGuarded: false, isWanted: false)
}

/// The device that a stream plays on.
public struct DevicePlace: Equatable, Sendable {
  /// The server's name, byte for byte.
  public var id: String
  /// Who can hear it; `nil` for the moment in which it is not known yet.
  public var routeClass: RouteClass?
  /// Of a Bluetooth device.
  public var address: String?

  public init(id: String, routeClass: RouteClass?, address: String? = nil) {
    self.id = id
    self.routeClass = routeClass
    self.address = address
  }
}

/// What a stream is opened with.
public struct StreamRequest: Sendable {
  /// The server's name of a device; `nil` is the server's default.
  public var device: String?
  /// Frames a second wanted; `nil` is the device's own rate (architecture decision 5).
  public var sampleRate: Int?
  public var layout: ChannelLayout
  /// Shown by mixers as the stream's name.
  public var trackName: String
  public var role: StreamRole
  public var leakGuard: LeakGuard

  public init(
    device: String? = nil, sampleRate: Int? = nil, layout: ChannelLayout = .stereo,
    trackName: String = "sotto", role: StreamRole = .music, leakGuard: LeakGuard = .off
  ) {
    self.device = device
    self.sampleRate = sampleRate
    self.layout = layout
    self.trackName = trackName
    self.role = role
    self.leakGuard = leakGuard
  }
}

/// Whether queued sound can be taken back.
public enum RewindCapability: Equatable, Sendable {
  /// Queued frames can be rendered again from `marginFrames` after the frame now heard.
  case exact(marginFrames: Int)
  /// What is queued will be heard; the output keeps at most 60 ms queued.
  case none
}

/// What an open stream can do.
public struct StreamCapabilities: Equatable, Sendable {
  public var rewind: RewindCapability
  /// True when the device has a volume that other programs see too.
  public var hasDeviceVolume: Bool

  public init(rewind: RewindCapability, hasDeviceVolume: Bool) {
    self.rewind = rewind
    self.hasDeviceVolume = hasDeviceVolume
  }
}

/// Where a stream stands: the last heard frame that is known, and when that was.
public struct StreamClock: Equatable, Sendable {
  /// Frames of the stream's timeline heard so far.
  public var heard: Int64
  public var isRunning: Bool
  public var underruns: Int

  public init(heard: Int64, isRunning: Bool, underruns: Int) {
    self.heard = heard
    self.isRunning = isRunning
    self.underruns = underruns
  }
}

/// The device's volume as other programs see it.
public struct DeviceVolume: Equatable, Sendable {
  /// Percent of the server's nominal level, 0 to 150 (what mixers show).
  public var percent: Int
  public var isMuted: Bool

  public init(percent: Int, isMuted: Bool) {
    self.percent = percent
    self.isMuted = isMuted
  }
}

/// The piece of hardware that a stream plays on without a server between: a card's PCM device.
public struct HardwarePlace: Hashable, Sendable {
  public var card: Int
  public var device: Int

  public init(card: Int, device: Int) {
    self.card = card
    self.device = device
  }

  /// ALSA's name of it: "hw:0,0".
  public var name: String { "hw:\(card),\(device)" }
}

/// An open stream. Every function may be called from any thread but the device's own, and returns
/// without waiting for the server.
public protocol OutputStream: AnyObject, Sendable {
  /// The rate and layout in which frames are rendered.
  var format: AudioFormat { get }
  var capabilities: StreamCapabilities { get }
  /// The server's own description of the device ("Built-in Audio Analogue Stereo").
  var deviceName: String { get }
  /// The device as the server knows it; `nil` where there is no server.
  var place: DevicePlace? { get }
  /// Whether the server can move the stream.
  var guardState: GuardState { get }
  /// The card that it plays on, where no server is between.
  var hardware: HardwarePlace? { get }

  /// Asks the device's thread to take a turn (renderer.turn) at the earliest frame that can still
  /// be changed, and to fill up. Calls while one is pending are merged.
  func kick()
  /// Frames heard until now, interpolated from the device's last report.
  func clock() -> StreamClock
  /// The last known volume; `nil` when the device has none or it is not known yet.
  func deviceVolume() -> DeviceVolume?
  func setDeviceVolume(percent: Int)
  func setMuted(_ muted: Bool)
  /// The volume that the server keeps for event sounds, once SOTTO_EVENT_RINGER was reported; `nil`
  /// where there is none.
  func ringerVolume() -> DeviceVolume?
  /// Changes it by so many percent; 0 mutes it, or lifts the mute. What came of it is reported as
  /// SOTTO_EVENT_RINGER, also where there is none.
  func stepRinger(percent: Int)
  /// The name mixers show (Pulse media.name). Control characters must have been taken out.
  func setTrackName(_ name: String)
  /// Whether the server wants silence of this stream; told by SOTTO_EVENT_REQUEST.
  var isSilenceWanted: Bool { get }
  /// Lifts the mute that the server has put on this stream, once.
  func unmuteStream()
  /// Why the stream was lost, once SOTTO_EVENT_LOST was reported.
  var failure: OutputError? { get }
  /// Ends the stream at once and its threads with it; afterwards the renderer is never called.
  /// Never waits for a server that does not answer.
  func close()
}

extension OutputStream {
  public var place: DevicePlace? { nil }
  public var guardState: GuardState { .none }
  public var hardware: HardwarePlace? { nil }
  public var isSilenceWanted: Bool { false }
  public func unmuteStream() {}
}

/// A kind of output. Stateless apart from its streams.
public protocol OutputBackend: Sendable {
  var descriptor: BackendDescriptor { get }
  /// Opens a stream, corked and empty: the first `kick` starts it. May block while the server
  /// answers, at most about 3 seconds. The renderer is not called before the first `kick`, and its
  /// context must live until `close` returned.
  func open(_ request: StreamRequest, renderer: sotto_renderer) throws(OutputError)
    -> any OutputStream
  /// Opens a microphone where this kind of output plays. May block while the server answers, at most
  /// about 3 seconds.
  func openMicrophone(_ request: CaptureRequest) throws(OutputError) -> any CaptureStream
  /// Whether a second stream, for events, can be opened on a device beside the music's. Answers at
  /// once, by what is known of this kind of output; opening one may still fail.
  func eventStreams(device: String?) -> EventStreams
  /// A snapshot of the servers and devices that this kind of output sees.
  func survey() throws(OutputError) -> ServerSurvey
}
