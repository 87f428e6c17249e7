import AudioTypes
import PlayQueue
import PlayerState

/// What the screen is showing of all there is: which view, which row, what is open. Changes by
/// input alone.
public struct ViewState: Equatable, Sendable {
  public internal(set) var view = ScreenView.playing
  /// Where `close` leads back to from devices, decisions and help.
  var viewBefore = ScreenView.playing
  var positions: [ScreenView: ListPosition] = [:]
  /// The entry that is selected in the queue: edits move rows, not what is meant.
  var anchor: EntryID?
  /// The selection goes along with the current track until the user moves it.
  var isFollowing = true
  var marks: Set<EntryID> = []
  /// The queue's revision that the marks were last compared with.
  var marksRevision = -1
  var fileMarks: Set<[UInt8]> = []
  /// Rows of the playlist that is open, and the revision of its rows that they are of: a track may
  /// stand in it twice.
  var listMarks: Set<Int> = []
  var listMarksRevision = -1
  /// The playlist that was opened from the list of them, by its row's path.
  var openedRow: [UInt8]?
  /// What was left for the rows around it: once these are there, the selection stands at it.
  var leftRows: [ScreenView: [UInt8]] = [:]
  var filter: Filter?
  var library = LibraryState()
  var prompt: Prompt?
  /// The lines that were typed, oldest first.
  public var history: [String] = []
  public internal(set) var isMenuOpen = false
  /// How often the next key is meant.
  var count: Int?
  /// What the screen itself has to say: until the next key.
  var message: Message?

  public init(view: ScreenView = .playing) {
    self.view = view
    viewBefore = view
  }

  struct ListPosition: Equatable, Sendable {
    var selected = 0
    /// The first row that is seen.
    var top = 0
  }

  /// The rows that hold some words: found once, and again when the list has changed.
  struct Filter: Equatable, Sendable {
    var view: ScreenView
    var text: String
    var isTyping: Bool
    var rows: [Int] = []
    var revision = -1
    /// Where the selection was before.
    var selectedBefore = 0
  }

  struct Prompt: Equatable, Sendable {
    var line = LineEditor()
    /// Which line of the history is shown; nil is the new one, which is kept meanwhile.
    var historyIndex: Int?
    var kept = ""
    /// Completions of what was typed, and which of them stands in the line.
    var completions: [String] = []
    var completion: Int?
  }

  struct Message: Equatable, Sendable {
    var text: String
    var isFault: Bool
  }

  /// The lines of the history that are kept.
  static let historyLength = 200
}
