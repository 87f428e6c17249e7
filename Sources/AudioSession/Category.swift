/// What a program's sound is for. The six of table 35-1 (A9); choose by meaning (S30, S31).
public enum Category: String, Hashable, Sendable, Codable, CaseIterable {
  /// Sound that adds to the program and should be heard alone: a game with its own music.
  case soloAmbient
  /// Sound that adds to the program and leaves other sound alone.
  case ambient
  /// Sound that is the point of the program: a music player.
  case playback
  /// The user records.
  case record
  /// Sound in and out, in turn or at once: a call.
  case playAndRecord
  /// Work on audio without playing or recording.
  case audioProcessing

  /// The options that mean something here; others are an error (S32).
  public var legalOptions: CategoryOptions {
    self == .playback || self == .playAndRecord ? [.mixWithOthers, .duckOthers] : []
  }

  /// Whether the silent switch, and a locked screen, silence it (A9, third column).
  public var isSilencedBySwitch: Bool { self == .soloAmbient || self == .ambient }

  /// Whether it goes on in the background (A9, last column).
  public var playsInBackground: Bool { !isSilencedBySwitch }

  /// Whether it emits sound of its own at all.
  public var playsSound: Bool { self != .record && self != .audioProcessing }
}

/// The rare amendments to a category (S32).
public struct CategoryOptions: OptionSet, Hashable, Sendable, Codable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue & 2 == 0 ? rawValue : rawValue | 1 }

  /// Play beside other programs instead of silencing them.
  public static let mixWithOthers = CategoryOptions(rawValue: 1)
  /// Lower other programs while active, never a call; includes `mixWithOthers` (S33).
  public static let duckOthers = CategoryOptions(rawValue: 3)
}

/// What is listened to: a prompt ducks music, but words under words cannot be followed.
public enum ContentKind: String, Hashable, Sendable, Codable, CaseIterable {
  case music, spoken
}

/// The session record that a program declares before it may play (S1).
public struct SessionConfiguration: Hashable, Sendable, Codable {
  public private(set) var category: Category
  public private(set) var options: CategoryOptions
  /// Whether the program is at least partly a media player with play and pause (S49).
  public var hasTransportControls: Bool
  public var content: ContentKind
  /// Whether its sound is an interlude in what people listen to, as an alarm or an assistant is
  /// (S50, S54): neighbours are held while it lasts, and come back.
  public var isInterlude: Bool

  /// - Throws: `.optionsNotAllowed` when an option means nothing in the category (S32).
  public init(
    category: Category, options: CategoryOptions = [], hasTransportControls: Bool = true,
    content: ContentKind = .music, isInterlude: Bool = false
  ) throws(SessionError) {
    guard category.legalOptions.isSuperset(of: options) else {
      throw SessionError(.optionsNotAllowed, cause: category.rawValue)
    }
    self.init(
      legal: category, options, hasTransportControls: hasTransportControls, content: content,
      isInterlude: isInterlude)
  }

  private init(
    legal category: Category, _ options: CategoryOptions, hasTransportControls: Bool,
    content: ContentKind, isInterlude: Bool = false
  ) {
    self.category = category
    self.options = options
    self.hasTransportControls = hasTransportControls
    self.content = content
    self.isInterlude = isInterlude
  }

  /// Whether other programs' sound goes on beside this one's (A9, fourth column).
  public var mixesWithOthers: Bool { category == .ambient || options.contains(.mixWithOthers) }

  /// How this program's becoming active reaches a neighbour that keeps the same rules; `nil` when it
  /// leaves neighbours alone (S47 and S54).
  public var interruptionOfOthers: BlockerKind? {
    switch category {
    case .ambient, .audioProcessing: nil
    case .playAndRecord: mixesWithOthers ? nil : .call
    case .soloAmbient, .playback, .record:
      options.contains(.duckOthers)
        ? .duck : mixesWithOthers ? nil : isInterlude ? .solo : .primary
    }
  }

  // MARK: - Ready-made

  /// A music player: sotto itself.
  public static let musicPlayer = SessionConfiguration(
    legal: .playback, [], hasTransportControls: true, content: .music)

  /// Scenario 1 (S41): recorded words and taps, heard in silent mode and on a locked screen.
  public static let languageLesson = SessionConfiguration(
    legal: .playback, [], hasTransportControls: true, content: .spoken)

  /// Scenario 2 (S42): to be active for the call only, and to be left with `notifyOthers: true`.
  public static let voiceCall = SessionConfiguration(
    legal: .playAndRecord, [], hasTransportControls: false, content: .spoken)

  /// Scenario 3 (S43): decided once at the start, without asking the user.
  public static func game(otherAudioPlaying: Bool) -> SessionConfiguration {
    SessionConfiguration(
      legal: otherAudioPlaying ? .ambient : .soloAmbient, [], hasTransportControls: false,
      content: .music)
  }

  /// Scenario 4 (S44): spoken steps over the music of others, also from the background.
  public static let navigation = SessionConfiguration(
    legal: .playback, [.duckOthers], hasTransportControls: false, content: .spoken)

  /// Scenario 5 (S45): a program whose only sounds are those of its interface. It needs no session:
  /// its sounds go through the effect channel (`SessionEvent.effect`), and this is the record that
  /// leaves all others alone.
  public static let interfaceSounds = SessionConfiguration(
    legal: .ambient, [], hasTransportControls: false, content: .music)

  /// An alarm that the user has set: heard in silent mode (S6).
  public static let alarm = SessionConfiguration(
    legal: .playback, [], hasTransportControls: false, content: .music, isInterlude: true)
}
