import Testing

@testable import sotto

/// The whole texts: a change of a word is meant, or it is a fault.
@Suite struct HelpTests {
  @Test func `The help of sotto`() {
    let text = """
      OVERVIEW: A music player that behaves around other sound the way a phone does

      USAGE: sotto PATH...
             sotto COMMAND [options] ...

      COMMANDS:
        play (default)        Play files, folders, playlists and addresses
        ctl                   Drive a running sotto, or tell how it stands
        info                  Show what a file is: container, codec, rate, duration,
                              tags
        scan                  Read the tags of your music, or what has changed of it
        search                Search the collection
        playlist              Show, edit, import and export playlists, and find their
                              missing files
        render                Write what playing would give into a WAV file
        devices               List sound servers, devices and ports, and which are
                              current
        why                   Tell the latest decisions: what changed, why, and under
                              which rule
        session               Show the session rules, or what follows from a file of
                              events
        scenario              Let a situation play itself through and check what is
                              heard
        config                Show what is set, and where each value comes from
        doctor                Tell what works on this machine and what to install or
                              switch on

      OPTIONS:
        --version             Show the version
        -h, --help            Show help information

      See 'sotto COMMAND --help' for what a command takes.

      """
    #expect(Help.overview() == text)
  }

  @Test func `The help of search`() {
    let text = """
      OVERVIEW: Search the collection

      USAGE: sotto search [options] QUERY...

      ARGUMENTS:
        WORD                  In any of the tags, in any case, with or without
                              accents; all words are wanted
        "WORDS"               A phrase (quoted for the shell too: '"army of me"')
        -WORD                 What is not wanted
        A or B, ( )           One of them; what belongs together
        FIELD:TEXT            artist, albumartist, album, title, genre, composer,
                              comment, codec, path, folder, mb; '=' before the text
                              means the whole of it
        FIELD:NUMBER          year, date, track, disc, rate, bits, bitrate, duration,
                              rating, plays, played, added; also >3, <=3, 1990..1999,
                              3:30, 2026-01-31, <30d

      OPTIONS:
        --sort COLUMN         Sort by COLUMN, or by -COLUMN from the end
        --limit N             Not more than N tracks
        --save NAME           Save it as NAME.search in the playlist folder, to be
                              played like a playlist
        --replace             With --save: take the place of the one of that name
        --config FILE         Read this configuration, not the user's own
        --json                Print one JSON object a line; what is unknown is null
        --log FILE            Write what libraries complain about to FILE (otherwise
                              it is dropped)
        -h, --help            Show help information

      EXAMPLES:
        sotto search bjork year:1990..1999 -live
        sotto search --sort -added 'genre:jazz or genre:soul'
        sotto play 'search:rating:>3 codec:flac'
        sotto search --save New --sort -added --limit 100 'added:<90d'

      STATUS:
        0   done                            1   no collection, or it cannot be read;
        64  wrong usage                         the search cannot be saved

      """
    #expect(Help.command(CommandSpec.named(.search)) == text)
  }

  @Test func `The help of play`() {
    let text = """
      OVERVIEW: Play files, folders, playlists and addresses

      USAGE: sotto play [options] [PATH...]

      ARGUMENTS:
        PATH...               Files, folders, M3U, PLS and XSPF playlists, CUE sheets,
                              http(s) addresses, search:QUERY, playlist:NAME

      OPTIONS:
        --output OUTPUT       Play through pulse, alsa, null (silence in real time) or
                              file:PATH (default: pulse, then alsa)
        --device NAME         Play on this device; 'sotto devices' lists them
        --plain               Print a line for each change, and draw no screen
        --volume N            sotto's own level, 0 to 100 (default: 100); the cube of
                              N/100 is the factor, so 50 is -18 dB
        --gain MODE           Apply loudness tags: off, track or album (default: off)
        --mix                 Play beside other players (no player is paused yet:
                              changes nothing)
        --no-resume           Take up nothing of the last run, and keep nothing of
                              this one
        --config FILE         Read this configuration, not the user's own
        --log FILE            Write what libraries complain about to FILE (otherwise
                              it is dropped)
        -h, --help            Show help information

      KEYS:
        space c      play or pause          q            quit
        left right   back or on 5 s         , .          back or on 1 min
        + -          device volume          m            mute
        ( )          sotto's own level      z b          previous, next
        v            stop                   y            why: the latest decisions
        C            a call comes in        a d          answer; decline or hang up
        !            other sounds, memo     S            silent mode
        1 to 8 tab   the views              ?            all keys

      STATUS:
        0   everything was played           1   something could not be played
        64  wrong usage                     69  no output can be used
        130 interrupted

      """
    #expect(Help.command(CommandSpec.named(.play)) == text)
  }

  @Test func `The help of ctl`() {
    let text = """
      OVERVIEW: Drive a running sotto, or tell how it stands

      USAGE: sotto ctl [options] COMMAND [ARG...]

      ARGUMENTS:
        status                Tell how it stands
        watch                 Print how it stands and then each change, as JSON, one
                              object a line
        instances             List the players that run
        play                  Play
        pause                 Pause
        toggle                Play or pause
        stop                  Stop
        next                  Next track
        previous              Previous track, or back to the beginning of this one
        force                 Play over a call too
        seek [+|-]TIME|PERCENT%
                              Go within the track, as +5, 1:23 or 50%
        choose ROW            Play that row of the queue
        volume [+|-]PERCENT   The device's volume
        ringer [+|-]PERCENT   The volume of ringing and tones
        level [+|-]PERCENT    sotto's own level
        mute                  Mute, or sound again
        silent [on|off|toggle]
                              Silent switch
        gain off|track|album  Loudness by the tags of the track or album
        try WHAT              Try what happens: a call, a prompt, lost headphones
        shuffle [on|off|albums|toggle]
                              Play in an order of chance, track by track or by albums
        repeat [off|all|one|cycle]
                              Repeat all tracks, or one
        single [on|off|toggle]
                              Stop after each track
        stop-after [on|off|toggle]
                              Stop after this track, once
        consume [on|off|toggle]
                              Played tracks leave the queue
        sleep [TIME|track|off]
                              Pause after a while, as 30m or 1h30m, or stop after this
                              track
        alarm [HH:MM [once|daily|weekdays]|off]
                              An alarm, which silent mode leaves alone
        add PATH...           Put files at the end of the queue
        add-next PATH...      Put files after the current track
        open PATH...          Play files in place of the queue
        remove ROWS           Remove rows of the queue, as 1-3,7
        move ROWS ROW|end     Move rows before another one
        move-next ROWS        Move rows after the current track
        cut ROWS              Remove rows and keep them to be pasted
        copy ROWS             Keep rows to be pasted
        paste ROW|end         Put what was cut before a row
        clear                 Empty the queue
        undo                  Take back the last change of the queue
        redo                  Make it again
        rate STARS            How good this track is, 1 to 5; 0 takes it back
        save NAME [replace]   Write the queue into a playlist, by NAME.pls or .xspf as
                              such
        playlist NAME WHAT [ROWS] [ROW|end]
                              Play a playlist or rows of it (play, open, add, next),
                              or change it: remove, cut, copy, paste, move, undo,
                              redo, check, repair
        device NAME           Play on that device
        ignore PROGRAM        Leave that program out from now on
        preview PATH [FROM [TO]]
                              Hear a piece of it, without touching the queue
        browse [PATH]         Show the rows of a folder or playlist
        theme NAME            Another theme
        set NAME VALUE        Change a setting until the end
        quit                  Quit

      OPTIONS:
        --instance NAME       Drive that player: sotto, sotto.PID or PID (default: the
                              first one)
        --json                Print the answer as one JSON object
        --log FILE            Write what libraries complain about to FILE (otherwise
                              it is dropped)
        -h, --help            Show help information

      THE SCREEN:
        'view NAME', 'search QUERY' and the other commands of the screen's line (:) do
        there what they do when they are typed; Docs/Screen.md lists them.

      STATUS:
        0   done                            1   it cannot be done, and why
        64  wrong usage                     69  no player is running

      """
    #expect(Help.command(CommandSpec.named(.ctl)) == text)
  }

  @Test func `The help of info`() {
    let text = """
      OVERVIEW: Show what a file is: container, codec, rate, duration, tags

      USAGE: sotto info [options] PATH...

      ARGUMENTS:
        PATH...               Files, folders, M3U, PLS and XSPF playlists, CUE sheets,
                              http(s) addresses, search:QUERY, playlist:NAME

      OPTIONS:
        --json                Print one JSON object a line; what is unknown is null
        --log FILE            Write what libraries complain about to FILE (otherwise
                              it is dropped)
        -h, --help            Show help information

      """
    #expect(Help.command(CommandSpec.named(.info)) == text)
  }

  @Test func `The help of scan`() {
    let text = """
      OVERVIEW: Read the tags of your music, or what has changed of it

      USAGE: sotto scan [options] [DIR...]

      ARGUMENTS:
        DIR...                Folders to add (default: those that are known or set)

      OPTIONS:
        --report              List the files that cannot be read, and why
        --forget-missing      Forget the files that have gone; those of a folder that
                              is not there or empty are kept
        --config FILE         Read this configuration, not the user's own
        --json                Print one JSON object a line
        --log FILE            Write what libraries complain about to FILE (otherwise
                              it is dropped)
        -h, --help            Show help information

      FILES:
        $XDG_STATE_HOME/sotto/library.db    what is known; it can always be read again
        library-folders = DIR:DIR           in the configuration: scanned always

      STATUS:
        0   the collection is up to date    1   it could not be read or written
        64  wrong usage                     130 interrupted; what was read is kept

      """
    #expect(Help.command(CommandSpec.named(.scan)) == text)
  }

  @Test func `The help of render`() {
    let text = """
      OVERVIEW: Write what playing would give into a WAV file

      USAGE: sotto render [options] PATH -o OUT

      ARGUMENTS:
        PATH                  A file, or a CUE sheet or playlist that means one track

      OPTIONS:
        -o, --out OUT         The file to write; - writes bare little-endian samples
                              to standard output
        --format FORMAT       Samples as f32, s24 or s16 (default: f32)
        --rate N              Frames a second, 1000 to 768000 (default: the file's
                              own)
        --from T              Begin at T: seconds, m:ss or h:mm:ss
        --to T                End at T
        --gain MODE           Apply loudness tags: off, track or album (default: off)
        --replay FILE         Let the events of FILE happen meanwhile (see 'sotto
                              session --help'); the result is as long as they take
        --log FILE            Write what libraries complain about to FILE (otherwise
                              it is dropped)
        -h, --help            Show help information

      """
    #expect(Help.command(CommandSpec.named(.render)) == text)
  }

  @Test func `The help of devices`() {
    let text = """
      OVERVIEW: List sound servers, devices and ports, and which are current

      USAGE: sotto devices [options]

      OPTIONS:
        --watch               Then tell each change of where sound goes, as it comes
        --json                Print one JSON object a line, one line a server
        --log FILE            Write what libraries complain about to FILE (otherwise
                              it is dropped)
        -h, --help            Show help information

      STATUS:
        0   there are devices               69  there are none

      """
    #expect(Help.command(CommandSpec.named(.devices)) == text)
  }

  @Test func `The help of session`() {
    let text = """
      OVERVIEW: Show the session rules, or what follows from a file of events

      USAGE: sotto session replay [options] FILE
             sotto session rules [--json]

      ARGUMENTS:
        replay FILE           Feed events, one JSON object a line, to the rules; - is
                              standard input
        rules                 List the rules by their ids

      OPTIONS:
        --json                Print one JSON object a line
        --applications FILE   What is known of programs beside what sotto knows (one a
                              line: call, always-phone, speech or not-a-player, and a
                              name)
        --log FILE            Write what libraries complain about to FILE (otherwise
                              it is dropped)
        -h, --help            Show help information

      EVENTS:
        {"at": SECONDS, "event": NAME, ...}; lines that begin with # are comments.
        Docs/Session.md lists the events and the fields of what is printed.

      STATUS:
        0   the whole file was played        1   a line has a fault

      """
    #expect(Help.command(CommandSpec.named(.session)) == text)
  }

  @Test func `The help of doctor`() {
    let text = """
      OVERVIEW: Tell what works on this machine and what to install or switch on

      USAGE: sotto doctor [options]

      OPTIONS:
        --log FILE            Write what libraries complain about to FILE (otherwise
                              it is dropped)
        -h, --help            Show help information

      STATUS:
        0   something can be played         1   nothing can be played

      """
    #expect(Help.command(CommandSpec.named(.doctor)) == text)
  }

  @Test func `No help line is wider than 80 columns and no abstract ends with a full stop`() {
    let texts = CommandSpec.all.map(Help.command) + [Help.overview()]
    for line in texts.flatMap({ $0.split(separator: "\n") }) {
      #expect(line.count <= 80, "\(line)")
    }
    for spec in CommandSpec.all { #expect(!spec.abstract.hasSuffix(".")) }
  }
}
