import AudioTypes
import PlayQueue

/// Everything that a screen or a remote may ask of the player. Each can be written as a line of
/// text and read back (`text`, `init(_:)`). Rows count from 0 here and from 1 in the text.
public enum PlayerCommand: Hashable, Sendable {
  // Transport.
  case play, pause, toggle, stop, next, previous
  /// Play over a call too.
  case force
  case seek(Seek)
  /// Play that row of the queue.
  case choose(Int)

  // Loudness.
  /// The device's own volume; with nothing heard a step means the ringer (S9, S12).
  case volume(Change)
  case ringer(Change)
  /// sotto's own level.
  case level(Change)
  case mute
  case silent(Switch)
  case gain(LoudnessMode)

  /// What one can try without the real thing: a call, a prompt, lost headphones.
  case attempt(Trial)

  // Order.
  case shuffle(ShuffleWish)
  case repeating(RepeatWish)
  /// Stop after each track.
  case single(Switch)
  /// Stop after this track, once.
  case stopAfter(Switch)
  /// What has been played leaves the queue.
  case consume(Switch)
  case sleep(SleepWish)
  case alarm(AlarmWish)

  // The queue.
  case add([Path], Destination)
  case remove([Int])
  /// Before the row that stands there now; the number of rows is the end.
  case move([Int], to: Int)
  case moveNext([Int])
  case cut([Int])
  case copy([Int])
  case paste(at: Int)
  case clear, undo, redo
  /// Writes the queue into a playlist of that name; one that is there already only where it is to be
  /// replaced.
  case save(String, replaces: Bool = false)
  /// Of one playlist, by its name or path.
  case list(Path, ListWish)

  /// How good the heard track is, 0 to 5; nil takes that back.
  case rate(Double?)

  // The rest.
  /// By the server's own name for it.
  case device(String)
  /// Leave that program out from now on.
  case ignore(String)
  /// A piece of it is heard, and the queue stays as it is: of a file, from there on and not beyond
  /// its end, or of what else may be played, a folder's first track.
  case preview(TrackLocation)
  /// The rows of that folder or playlist are asked for; with no path those of the music folder,
  /// with `playlists:` the playlists.
  case browse(Path)
  case theme(String)
  /// One line of the configuration, until the end of the program.
  case set(name: String, value: String)
  case quit

  /// A file's name, byte for byte, or a URL.
  public typealias Path = [UInt8]

  /// A place in the track, in seconds, or a step from where it is.
  public enum Seek: Hashable, Sendable {
    case by(Double)
    case to(Double)
    /// A part of the track, 0 to 1.
    case part(Double)
  }

  /// Of a percentage.
  public enum Change: Hashable, Sendable {
    case by(Int)
    case to(Int)
  }

  /// Of what is on or off.
  public enum Switch: String, Hashable, Sendable, CaseIterable {
    case on, off, toggle

    /// What it is after the wish.
    public func applied(to value: Bool) -> Bool { self == .toggle ? !value : self == .on }
  }

  /// What is put in an order of chance.
  public enum ShuffleWish: String, Hashable, Sendable, CaseIterable {
    case on, off, albums, toggle

    /// `nil` is the list's own order.
    public func applied(to unit: ShuffleUnit?) -> ShuffleUnit? {
      switch self {
      case .on: .track
      case .off: nil
      case .albums: .album
      case .toggle: unit == nil ? .track : nil
      }
    }
  }

  /// When it is to become quiet.
  public enum SleepWish: Hashable, Sendable {
    /// In so many seconds.
    case after(Int)
    /// When the current track ends.
    case track
    case off
    /// In half an hour, or no longer.
    case toggle

    /// What `toggle` means.
    public static let usual = 30 * 60
  }

  /// What is wanted of the alarm.
  public enum AlarmWish: Hashable, Sendable {
    case set(AlarmTime)
    case off
    /// Says what is set.
    case tell
  }

  /// What comes after the last track.
  public enum RepeatWish: String, Hashable, Sendable, CaseIterable {
    case off, all, one
    /// Off, all, one, and off again.
    case cycle

    /// What it is after the wish.
    public func applied(to mode: RepeatMode) -> RepeatMode {
      switch self {
      case .off: .off
      case .all: .all
      case .one: .one
      case .cycle: mode == .off ? .all : mode == .all ? .one : .off
      }
    }
  }

  /// Where in the queue new tracks go.
  public enum Destination: String, Hashable, Sendable, CaseIterable {
    case end, next
    /// In place of all that is in the queue, and played at once.
    case replace
  }

  /// What can be tried without waiting for it to happen (keys of `!`).
  public enum Trial: String, Hashable, Sendable, CaseIterable {
    case call, answer, decline
    case prompt, message, alarm, assistant, music, game, memo
    case headphones, bluetooth, profile, lock, sleep

    /// For menus: what happens.
    public var summary: String {
      switch self {
      case .call: "a call comes in"
      case .answer: "answer the call"
      case .decline: "decline the call, or hang up"
      case .prompt: "a spoken prompt"
      case .message: "a message tone"
      case .alarm: "an alarm"
      case .assistant: "an assistant speaks"
      case .music: "other music starts or stops"
      case .game: "a game starts or stops"
      case .memo: "a voice memo is recorded"
      case .headphones: "headphones in or out"
      case .bluetooth: "a Bluetooth headset comes or goes"
      case .profile: "Bluetooth changes its profile"
      case .lock: "lock or unlock the screen"
      case .sleep: "the computer sleeps and wakes"
      }
    }
  }
}
