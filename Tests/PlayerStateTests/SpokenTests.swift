import AudioSession
import AudioTypes
import PlayQueue
import Testing

@testable import PlayerState

@Suite struct SpokenTests {
  /// Letters, digits and the marks of plain sentences.
  static func isPlain(_ line: String) -> Bool {
    line.first?.isLetter == true && line.contains(where: \.isWhitespace)
      || ["Muted.", "Stopped.", "Playing.", "Paused."].contains(line)
  }

  static let signs = Set<Character>("►▶❚■◔━─▁▂▃▄▅▆▇█░▒▓│┃•·—–…%|<>[]{}=_~^/\\")

  @Test func `What the player says of an edit is not told a second time`() {
    var stage = Stage()
    stage.change {
      $0.snapshot.queue.repeatMode = .all
      $0.snapshot.notice = PlayerSnapshot.Notice("Repeat all tracks", at: $0.snapshot.at)
    }
    #expect(stage.lines == ["Repeat all tracks."])
  }

  @Test func `Another player that two sources tell of is one, until both are silent`() {
    var stage = Stage()
    stage.happen(.play(.key))
    stage.happen(.pause(.key))
    var lines = stage.happen(
      .begin(id: "mpris:a", kind: .primary, source: "sotto"),
      .begin(id: "sinkinput:1", kind: .primary, source: "sotto"))
    #expect(lines.filter { $0.contains("sotto") }.count == 1, "\(lines)")
    #expect(stage.snapshot.causes.count == 2)
    #expect(stage.snapshot.distinctCauses.map(\.id) == ["mpris:a"])
    let session = stage.snapshot.description(of: .session, at: stage.snapshot.at)
    #expect(!session.contains(";"))
    lines = stage.happen(.end(id: "mpris:a", shouldResume: nil))
    #expect(!lines.contains { $0.contains("is over") })
    lines = stage.happen(.end(id: "sinkinput:1", shouldResume: nil))
    #expect(lines.filter { $0.contains("is over") }.count == 1)
  }

  @Test
  func `What was decided twice in one breath is told twice: the loss, and where sound goes now`() {
    var stage = Stage(route: Stage.headphones)
    stage.happen(.play(.key))
    let lines = stage.happen(
      .route(RouteChange(from: "headphones", to: nil, reason: .oldDeviceUnavailable)),
      .route(RouteChange(to: Stage.speakers, reason: .newDeviceAvailable)))
    #expect(lines.first == "Paused. Headphones were unplugged. Press play to go on.")
    #expect(lines.contains("Sound goes to Speakers."))
  }

  @Test func `A whole session can be followed by its lines alone`() {
    var stage = Stage()
    stage.happen(.play(.key))
    stage.change { $0.snapshot.deviceVolume = 55 }
    stage.happen(after: 10, .begin(id: "call", kind: .call, source: "Firefox"))
    stage.change {
      $0.snapshot.call = PlayerSnapshot.Call(name: "Phone", phase: .ringing, since: $0.snapshot.at)
    }
    stage.change { $0.snapshot.call?.phase = .talking }
    stage.change { $0.snapshot.call = nil }
    stage.happen(after: 90, .end(id: "call", shouldResume: true))
    stage.happen(.begin(id: "p", kind: .duck, source: "Maps"))
    stage.happen(after: 3, .end(id: "p", shouldResume: nil))
    stage.happen(after: 1)
    stage.happen(
      .route(
        RouteChange(to: Stage.headphones, reason: .newDeviceAvailable)))
    stage.happen(
      .route(
        RouteChange(from: "headphones", to: Stage.speakers, reason: .oldDeviceUnavailable)))
    stage.happen(.play(.key))
    stage.happen(.next(.key))
    stage.change { $0.snapshot.queue.remove([0, 2]) }
    stage.change {
      let edit = $0.snapshot.queue.undo()!
      $0.snapshot.notice = PlayerSnapshot.Notice("Undid: \(edit.sentence)", at: $0.snapshot.at)
    }
    stage.change { $0.snapshot.queue.shuffle(seed: 1) }
    stage.change { $0.snapshot.queue.repeatMode = .all }
    stage.change { $0.snapshot.isDeviceMuted = true }
    stage.change { $0.snapshot.isStreamMuted = true }
    stage.change { $0.snapshot.isDeviceSuspended = true }
    stage.happen(.silent(true))
    stage.happen(.begin(id: "b", kind: .primary, source: "mpv"))
    stage.happen(.stop(.key))
    #expect(
      stage.lines == [
        "Playing.",
        "Track 1 of 3: Title 0 by Artist, 3 minutes 20 seconds.",
        "Volume 55 percent, Speakers.",
        "Interrupted by a call in Firefox. Goes on by itself afterwards.",
        "A call rings: Phone. Press a to answer, d to decline.",
        "In a call with Phone. Press d to hang up.",
        "The call is over.",
        "Playing again.",
        "Firefox, call, is over.",
        "Quieter for a prompt of Maps.",
        "Maps, prompt, is over.",
        "Back to full level.",
        "Sound goes to Headphones.",
        "Volume 55 percent, Headphones.",
        "Paused. Headphones were unplugged. Press play to go on.",
        "Volume 55 percent, Speakers.",
        "Playing.",
        "Track 2 of 3: Title 1 by Artist, 3 minutes 20 seconds.",
        "The queue has 1 track, 3 minutes.",
        "Undid: removed 2 tracks.",
        "The queue has 3 tracks, 10 minutes.",
        "Shuffle on.",
        "Repeat all tracks.",
        "Muted.",
        "Another program's mixer has muted sotto.",
        "The sound server has suspended the device: nothing is heard until it is back.",
        "Silent mode on.",
        "Paused. Mpv started to play. Press play to go on.",
        "Stopped.",
      ])
    for line in stage.lines {
      #expect(Self.isPlain(line), "\(line)")
      #expect(!line.contains(where: Self.signs.contains), "\(line)")
      #expect(line.hasSuffix("."))
    }
  }

  @Test func `Nothing is said while time passes`() {
    var stage = Stage()
    stage.happen(.play(.key))
    #expect(stage.happen(after: 30) == [])
  }

  @Test func `Every control has words in every state, and no signs`() {
    var stages = [Stage()]
    for cause in [BlockerKind.call, .duck, .primary, .serverLost] {
      var stage = Stage()
      stage.happen(.play(.key))
      stage.happen(.begin(id: "x", kind: cause, source: ""))
      stages.append(stage)
    }
    var none = Stage(tracks: 0)
    none.change {
      $0.snapshot.route = nil
      $0.snapshot.deviceName = nil
      $0.snapshot.deviceVolume = nil
      $0.snapshot.hasRingerVolume = false
    }
    stages.append(none)
    for stage in stages {
      for control in Control.allCases {
        let text = stage.snapshot.description(of: control, at: stage.snapshot.at + .seconds(5))
        #expect(text.first?.isLetter == true, "\(control): \(text)")
        #expect(!text.contains(where: Self.signs.contains), "\(control): \(text)")
      }
    }
  }

  @Test func `What stands in the way is told with its kind, its age and what follows`() {
    var stage = Stage()
    stage.happen(.play(.key))
    stage.happen(.begin(id: "c", kind: .call, source: "Firefox"))
    let later = stage.snapshot.at + .seconds(133)
    let cause = CauseText(stage.snapshot.causes[0], in: stage.snapshot, at: later)
    #expect(cause.line() == "Firefox, call, 02:13 — resumes after")
    stage.happen(.pause(.key))
    #expect(
      CauseText(stage.snapshot.causes[0], in: stage.snapshot, at: later).line()
        == "Firefox, call, 02:13 — stays paused")
  }

  @Test func `S6: an alarm of the user's own says what ends it, another program's does not`() throws
  {
    var stage = Stage()
    stage.happen(.play(.key))
    stage.happen(.begin(id: "a", kind: .solo, source: "Alarm"))
    let now = stage.snapshot.at
    func line() -> String {
      CauseText(stage.snapshot.causes[0], in: stage.snapshot, at: now).line()
    }
    #expect(line() == "Alarm, alarm or assistant, 00:00 — resumes after")
    let time = try #require(AlarmTime("07:30"))
    stage.change { $0.snapshot.alarm = AlarmState(time: time, due: nil, isRinging: true) }
    #expect(line() == "Alarm, 00:00 — any key ends it")
  }

  @Test(arguments: [
    (3.0, "3 seconds"), (59.2, "1 minute"), (60, "1 minute"), (61, "2 minutes"),
    (3600, "1 hour"), (5400, "1 hour 30 minutes"), (356_400, "99 hours"),
  ])
  func `The sleep timer is told in hours and minutes, the last minute in seconds`(
    _ left: Double, _ words: String
  ) {
    var stage = Stage()
    stage.change { $0.snapshot.sleepsAt = $0.snapshot.at + .seconds(left) }
    #expect(
      stage.snapshot.description(of: .sleep, at: stage.snapshot.at)
        == "The sleep timer pauses in \(words)")
  }

  @Test func `Control characters of tags and names are never said`() {
    var stage = Stage()
    stage.snapshot.queue = PlayQueue([
      QueueEntry(TrackLocation("x"), title: "a\u{1B}[31mb", artist: "c\u{7}")
    ])
    stage.change { $0.snapshot.deviceName = "d\u{1B}]0;e" }
    stage.happen(.play(.key))
    stage.happen(.begin(id: "c", kind: .call, source: "\u{1B}c"))
    let all =
      stage.lines
      + Control.allCases.map {
        stage.snapshot.description(of: $0, at: stage.snapshot.at)
      }
    for line in all { #expect(Text.printable(line) == line) }
  }

  @Test func `Volume keys mean the ringer only while nothing is heard`() {
    var stage = Stage()
    #expect(stage.snapshot.volumeTarget == .ringer(percent: 80))
    stage.snapshot.isOtherSoundHeard = true
    #expect(stage.snapshot.volumeTarget == .device(percent: 60, isMuted: false))
    stage.snapshot.isOtherSoundHeard = false
    stage.happen(.play(.key))
    #expect(stage.snapshot.volumeTarget == .device(percent: 60, isMuted: false))
    stage.snapshot.deviceVolume = nil
    #expect(stage.snapshot.volumeTarget == .onDevice("Speakers"))
  }

  @Test func `Times are written and said`() {
    #expect(TrackText.clock(3723) == "1:02:03")
    #expect(TrackText.clock(.nan) == "0:00")
    #expect(TrackText.spoken(3723) == "1 hour 2 minutes 3 seconds")
    #expect(TrackText.spoken(61) == "1 minute 1 second")
    #expect(TrackText.roughly(59) == "59 seconds")
    #expect(TrackText.roughly(7500) == "2 hours 5 minutes")
    #expect(TrackText.roughly(200_000) == "2 days 7 hours")
    #expect(TrackText.roughly(.infinity) == "0 minutes")
  }
}
