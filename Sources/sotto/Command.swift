import PlayerState

/// What one option is called, takes and does, for the parser and the help alike.
struct OptionSpec: Sendable {
  /// The short name, one letter, where there is one.
  var short: Character?
  /// The long name, without its dashes.
  var name: String
  /// The name of its value in the help; `nil` for a switch.
  var value: String?
  var help: String

  init(_ name: String, short: Character? = nil, value: String? = nil, _ help: String) {
    self.name = name
    self.short = short
    self.value = value
    self.help = help
  }

  /// As written in the help: `-o, --out OUT`.
  var label: String {
    let names = (short.map { "-\($0), " } ?? "") + "--\(name)"
    return value.map { "\(names) \($0)" } ?? names
  }
}

/// What one command is called, takes and does.
struct CommandSpec: Sendable {
  var name: Command
  /// One line without a full stop.
  var abstract: String
  /// The words after the name in the usage line.
  var usage: String
  /// What the arguments are, as label and help; empty where there are none.
  var arguments: [(label: String, help: String)] = []
  var options: [OptionSpec] = []
  /// Sections after the options: title and lines.
  var notes: [(title: String, lines: [String])] = []
}

enum Command: String, Sendable, CaseIterable {
  case play, ctl, info, scan, search, playlist, render, devices, why, session, scenario, config,
    doctor
}

extension CommandSpec {
  static let help = OptionSpec("help", short: "h", "Show help information")
  static let log = OptionSpec(
    "log", value: "FILE", "Write what libraries complain about to FILE (otherwise it is dropped)")

  static let all: [CommandSpec] = [
    play, ctl, info, scan, search, playlist, render, devices, why, session, scenario, config,
    doctor,
  ]

  /// A name of sotto's own stays as it is.
  private static func capitalized(_ summary: String) -> String {
    summary.hasPrefix("sotto") ? summary : summary.prefix(1).uppercased() + summary.dropFirst()
  }

  static func named(_ command: Command) -> CommandSpec { all.first { $0.name == command }! }

  private static let paths = (
    label: "PATH...",
    help:
      "Files, folders, M3U, PLS and XSPF playlists, CUE sheets, http(s) addresses, search:QUERY, playlist:NAME"
  )

  private static let play = CommandSpec(
    name: .play,
    abstract: "Play files, folders, playlists and addresses",
    usage: "[options] [PATH...]",
    arguments: [paths],
    options: [
      OptionSpec(
        "output", value: "OUTPUT",
        "Play through pulse, alsa, null (silence in real time) or file:PATH (default: pulse, then alsa)"
      ),
      OptionSpec("device", value: "NAME", "Play on this device; 'sotto devices' lists them"),
      OptionSpec("plain", "Print a line for each change, and draw no screen"),
      OptionSpec(
        "volume", value: "N",
        "sotto's own level, 0 to 100 (default: 100); the cube of N/100 is the factor, so 50 is -18 dB"
      ),
      OptionSpec("gain", value: "MODE", "Apply loudness tags: off, track or album (default: off)"),
      OptionSpec("mix", "Play beside other players (no player is paused yet: changes nothing)"),
      OptionSpec("no-resume", "Take up nothing of the last run, and keep nothing of this one"),
      OptionSpec("config", value: "FILE", "Read this configuration, not the user's own"),
      log, help,
    ],
    notes: [
      (
        "KEYS",
        [
          "space c      play or pause          q            quit",
          "left right   back or on 5 s         , .          back or on 1 min",
          "+ -          device volume          m            mute",
          "( )          sotto's own level      z b          previous, next",
          "v            stop                   y            why: the latest decisions",
          "C            a call comes in        a d          answer; decline or hang up",
          "!            other sounds, memo     S            silent mode",
          "1 to 8 tab   the views              ?            all keys",
        ]
      ),
      (
        "STATUS",
        [
          "0   everything was played           1   something could not be played",
          "64  wrong usage                     69  no output can be used",
          "130 interrupted",
        ]
      ),
    ])

  private static let ctl = CommandSpec(
    name: .ctl,
    abstract: "Drive a running sotto, or tell how it stands",
    usage: "[options] COMMAND [ARG...]",
    arguments: [
      ("status", "Tell how it stands"),
      ("watch", "Print how it stands and then each change, as JSON, one object a line"),
      ("instances", "List the players that run"),
    ]
      + PlayerState.CommandSpec.player.map { spec in
        (spec.synopsis, capitalized(spec.summary))
      },
    options: [
      OptionSpec(
        "instance", value: "NAME",
        "Drive that player: sotto, sotto.PID or PID (default: the first one)"),
      OptionSpec("json", "Print the answer as one JSON object"), log, help,
    ],
    notes: [
      (
        "THE SCREEN",
        [
          "'view NAME', 'search QUERY' and the other commands of the screen's line (:) do",
          "there what they do when they are typed; Docs/Screen.md lists them.",
        ]
      ),
      (
        "STATUS",
        [
          "0   done                            1   it cannot be done, and why",
          "64  wrong usage                     69  no player is running",
        ]
      ),
    ])

  private static let info = CommandSpec(
    name: .info,
    abstract: "Show what a file is: container, codec, rate, duration, tags",
    usage: "[options] PATH...",
    arguments: [paths],
    options: [
      OptionSpec("json", "Print one JSON object a line; what is unknown is null"), log, help,
    ])

  private static let scan = CommandSpec(
    name: .scan,
    abstract: "Read the tags of your music, or what has changed of it",
    usage: "[options] [DIR...]",
    arguments: [("DIR...", "Folders to add (default: those that are known or set)")],
    options: [
      OptionSpec("report", "List the files that cannot be read, and why"),
      OptionSpec(
        "forget-missing",
        "Forget the files that have gone; those of a folder that is not there or empty are kept"),
      OptionSpec("config", value: "FILE", "Read this configuration, not the user's own"),
      OptionSpec("json", "Print one JSON object a line"), log, help,
    ],
    notes: [
      (
        "FILES",
        [
          "$XDG_STATE_HOME/sotto/library.db    what is known; it can always be read again",
          "library-folders = DIR:DIR           in the configuration: scanned always",
        ]
      ),
      (
        "STATUS",
        [
          "0   the collection is up to date    1   it could not be read or written",
          "64  wrong usage                     130 interrupted; what was read is kept",
        ]
      ),
    ])

  private static let search = CommandSpec(
    name: .search,
    abstract: "Search the collection",
    usage: "[options] QUERY...",
    arguments: [
      ("WORD", "In any of the tags, in any case, with or without accents; all words are wanted"),
      ("\"WORDS\"", "A phrase (quoted for the shell too: '\"army of me\"')"),
      ("-WORD", "What is not wanted"), ("A or B, ( )", "One of them; what belongs together"),
      (
        "FIELD:TEXT",
        "artist, albumartist, album, title, genre, composer, comment, codec, path, folder, mb; '=' before the text means the whole of it"
      ),
      (
        "FIELD:NUMBER",
        "year, date, track, disc, rate, bits, bitrate, duration, rating, plays, played, added; also >3, <=3, 1990..1999, 3:30, 2026-01-31, <30d"
      ),
    ],
    options: [
      OptionSpec("sort", value: "COLUMN", "Sort by COLUMN, or by -COLUMN from the end"),
      OptionSpec("limit", value: "N", "Not more than N tracks"),
      OptionSpec(
        "save", value: "NAME",
        "Save it as NAME.search in the playlist folder, to be played like a playlist"),
      OptionSpec("replace", "With --save: take the place of the one of that name"),
      OptionSpec("config", value: "FILE", "Read this configuration, not the user's own"),
      OptionSpec("json", "Print one JSON object a line; what is unknown is null"), log, help,
    ],
    notes: [
      (
        "EXAMPLES",
        [
          "sotto search bjork year:1990..1999 -live",
          "sotto search --sort -added 'genre:jazz or genre:soul'",
          "sotto play 'search:rating:>3 codec:flac'",
          "sotto search --save New --sort -added --limit 100 'added:<90d'",
        ]
      ),
      (
        "STATUS",
        [
          "0   done                            1   no collection, or it cannot be read;",
          "64  wrong usage                         the search cannot be saved",
        ]
      ),
    ])

  private static let render = CommandSpec(
    name: .render,
    abstract: "Write what playing would give into a WAV file",
    usage: "[options] PATH -o OUT",
    arguments: [("PATH", "A file, or a CUE sheet or playlist that means one track")],
    options: [
      OptionSpec(
        "out", short: "o", value: "OUT",
        "The file to write; - writes bare little-endian samples to standard output"),
      OptionSpec("format", value: "FORMAT", "Samples as f32, s24 or s16 (default: f32)"),
      OptionSpec("rate", value: "N", "Frames a second, 1000 to 768000 (default: the file's own)"),
      OptionSpec("from", value: "T", "Begin at T: seconds, m:ss or h:mm:ss"),
      OptionSpec("to", value: "T", "End at T"),
      OptionSpec("gain", value: "MODE", "Apply loudness tags: off, track or album (default: off)"),
      OptionSpec(
        "replay", value: "FILE",
        "Let the events of FILE happen meanwhile (see 'sotto session --help'); the result is as long as they take"
      ),
      log, help,
    ])

  private static let devices = CommandSpec(
    name: .devices,
    abstract: "List sound servers, devices and ports, and which are current",
    usage: "[options]",
    options: [
      OptionSpec("watch", "Then tell each change of where sound goes, as it comes"),
      OptionSpec("json", "Print one JSON object a line, one line a server"), log, help,
    ],
    notes: [
      (
        "STATUS",
        ["0   there are devices               69  there are none"]
      )
    ])

  private static let why = CommandSpec(
    name: .why,
    abstract: "Tell the latest decisions: what changed, why, and under which rule",
    usage: "[options]",
    options: [
      OptionSpec("count", short: "n", value: "N", "How many, the latest ones (default: 20)"),
      OptionSpec("json", "Print one JSON object a line"), log, help,
    ])

  private static let session = CommandSpec(
    name: .session,
    abstract: "Show the session rules, or what follows from a file of events",
    usage: "replay [options] FILE\n       sotto session rules [--json]",
    arguments: [
      ("replay FILE", "Feed events, one JSON object a line, to the rules; - is standard input"),
      ("rules", "List the rules by their ids"),
    ],
    options: [
      OptionSpec("json", "Print one JSON object a line"),
      OptionSpec(
        "applications", value: "FILE",
        "What is known of programs beside what sotto knows (one a line: call, always-phone, speech or not-a-player, and a name)"
      ),
      log, help,
    ],
    notes: [
      (
        "EVENTS",
        [
          "{\"at\": SECONDS, \"event\": NAME, ...}; lines that begin with # are comments.",
          "Docs/Session.md lists the events and the fields of what is printed.",
        ]
      ),
      ("STATUS", ["0   the whole file was played        1   a line has a fault"]),
    ])

  private static let scenario = CommandSpec(
    name: .scenario,
    abstract: "Let a situation play itself through and check what is heard",
    usage: "[options] NAME",
    arguments: [
      ("call", "A call comes in, is answered, and the music comes back"),
      ("navigation", "A spoken direction: the music steps under it"),
      ("interface", "Message tones beside the music, and silent mode"),
      ("game", "A game joins the music, or not"),
      ("language", "A language lesson takes the place of other music"),
      ("unplug", "Headphones come and go"),
      ("all", "All of them, in about 80 seconds"),
    ],
    options: [
      OptionSpec(
        "output", value: "OUTPUT",
        "Play through pulse, alsa, null (silence in real time) or file:PATH (default: pulse, then alsa)"
      ),
      OptionSpec("device", value: "NAME", "Play on this device; 'sotto devices' lists them"),
      log, help,
    ],
    notes: [
      (
        "STATUS",
        [
          "0   all that was heard is right     1   something else was heard",
          "69  no output can be used           75  the machine was too busy to tell",
        ]
      )
    ])

  private static let config = CommandSpec(
    name: .config,
    abstract: "Show what is set, and where each value comes from",
    usage: "[options]",
    options: [
      OptionSpec("config", value: "FILE", "Read this configuration, not the user's own"),
      OptionSpec("example", "Print a file with every default, to begin with"),
      OptionSpec("json", "Print one JSON object a line"), log, help,
    ],
    notes: [
      (
        "FILES",
        [
          "$XDG_CONFIG_HOME/sotto/config       name = value; # begins a comment",
          "$XDG_CONFIG_HOME/sotto/keys         key = command, or place.key = command",
          "$XDG_CONFIG_HOME/sotto/themes/NAME  role = colour on colour bold ...",
          "None is needed. They are read again when they are saved.",
        ]
      ),
      ("STATUS", ["0   all is well                     1   a line has a fault"]),
    ])

  private static let doctor = CommandSpec(
    name: .doctor,
    abstract: "Tell what works on this machine and what to install or switch on",
    usage: "[options]",
    options: [log, help],
    notes: [("STATUS", ["0   something can be played         1   nothing can be played"])])
}
