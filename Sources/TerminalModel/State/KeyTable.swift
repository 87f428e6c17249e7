import PlayerState

/// What each key does: a command, everywhere or in one place.
public struct KeyTable: Equatable, Sendable {
  /// Where a key means something of its own. What is not named there means what it means
  /// everywhere.
  public enum Place: String, CaseIterable, Sendable {
    case everywhere, playing, queue, files, playlists, devices, why, help, library
    /// While a call rings or lasts: before all others.
    case call
    /// In the menu of what one can try.
    case menu

    public init(_ view: ScreenView) { self = Place(rawValue: view.word) ?? .everywhere }

    var title: String {
      switch self {
      case .everywhere: "Everywhere"
      case .playing: "Playing"
      case .queue: "In the queue"
      case .files: "In the files"
      case .playlists: "In the playlists"
      case .devices: "In the devices"
      case .why: "In the decisions"
      case .help: "In the help"
      case .library: "In the library"
      case .call: "While a call rings or lasts"
      case .menu: "To try, after the key for that menu"
      }
    }
  }

  public struct Binding: Equatable, Sendable {
    public var place: Place
    public var key: Key
    public var command: ScreenCommand
  }

  /// In the order in which help shows them.
  public private(set) var bindings: [Binding] = []
  private var index: [Place: [Key: Int]] = [:]

  public init() {}

  public func command(for key: Key, in place: Place) -> ScreenCommand? {
    index[place]?[key].map { bindings[$0].command }
  }

  /// A key's command; `nil` takes the key away.
  public mutating func bind(_ key: Key, in place: Place, to command: ScreenCommand?) {
    let old = index[place]?[key]
    if let command, let old {
      bindings[old].command = command
    } else if let command {
      index[place, default: [:]][key] = bindings.count
      bindings.append(Binding(place: place, key: key, command: command))
    } else if let old {
      bindings.remove(at: old)
      index = [:]
      for (number, binding) in bindings.enumerated() {
        index[binding.place, default: [:]][binding.key] = number
      }
    }
  }

  /// The keys of a command there, as they are written.
  public func keys(for command: ScreenCommand, in place: Place = .everywhere) -> [String] {
    bindings.filter { $0.place == place && $0.command == command }.map(\.key.text)
  }

  /// The defaults, as a file of keys writes them: one table for the program, help and documents.
  public static let defaults: KeyTable = {
    var table = KeyTable()
    for line in defaultText.split(separator: "\n") {
      guard let (place, key, command) = try? KeysFile.binding(String(line)) else {
        preconditionFailure("a default key cannot be read: \(line)")
      }
      table.bind(key, in: place, to: command)
    }
    return table
  }()

  static let defaultText = """
    space = toggle
    c = toggle
    v = stop
    b = next
    n = next
    z = previous
    p = previous
    left = seek -5
    right = seek +5
    h = seek -5
    l = seek +5
    , = seek -60
    . = seek +60
    + = volume +5
    equals = volume +5
    - = volume -5
    m = mute
    ( = level -5
    ) = level +5
    S = silent
    C = try call
    ! = menu
    F = force
    s = shuffle
    r = repeat
    R = single
    O = stop-after
    B = shuffle albums
    X = consume
    Z = sleep
    up = up
    k = up
    down = down
    j = down
    pageup = page-up
    ctrl-b = page-up
    pagedown = page-down
    ctrl-f = page-down
    ctrl-u = half-up
    ctrl-d = half-down
    home = top
    g = top
    end = bottom
    G = bottom
    i = follow
    enter = enter
    backspace = back
    t = mark
    T = mark-all
    e = queue-end
    E = queue-next
    D = remove
    delete = remove
    x = cut
    Y = copy
    a = paste
    A = paste-before
    K = rows-up
    J = rows-down
    u = undo
    ctrl-r = redo
    P = preview
    / = filter
    : = command
    tab = next-view
    shift-tab = previous-view
    1 = view playing
    2 = view queue
    3 = view files
    4 = view playlists
    5 = view devices
    o = view devices
    6 = view why
    y = view why
    7 = view help
    ? = view help
    8 = view library
    L = view library
    escape = close
    q = quit
    why.I = ignore
    library./ = search
    library.f = sort
    library.w = sort-reverse
    call.a = try answer
    call.d = try decline
    menu.c = try call
    menu.p = try prompt
    menu.m = try message
    menu.a = try alarm
    menu.s = try assistant
    menu.o = try music
    menu.g = try game
    menu.v = try memo
    menu.h = try headphones
    menu.b = try bluetooth
    menu.k = try profile
    menu.l = try lock
    menu.z = try sleep
    """
}
