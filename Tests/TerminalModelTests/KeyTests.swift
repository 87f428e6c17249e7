import AudioTypes
import PlayQueue
import PlayerState
import Testing

@testable import TerminalModel

@Suite struct KeyTests {
  private func stage(_ view: String? = nil) -> Stage {
    var stage = Stage()
    stage.happen(.play(.key))
    if let view { stage.press(view) }
    _ = stage.asked()
    return stage
  }

  @Test(
    arguments: [
      ("space", "toggle"), ("c", "toggle"), ("v", "stop"), ("b", "next"), ("n", "next"),
      ("z", "previous"), ("p", "previous"), ("left", "seek -5"), ("right", "seek +5"),
      ("h", "seek -5"), ("l", "seek +5"), (",", "seek -60"), (".", "seek +60"),
      ("+", "volume +5"), ("=", "volume +5"), ("-", "volume -5"), ("m", "mute"),
      ("(", "level -5"), (")", "level +5"), ("S", "silent toggle"), ("C", "try call"),
      ("F", "force"), ("s", "shuffle toggle"), ("r", "repeat cycle"), ("R", "single toggle"),
      ("u", "undo"), ("ctrl-r", "redo"), ("q", "quit"),
    ])
  func `A key does what the table says`(_ key: String, _ command: String) {
    var stage = stage()
    stage.press(key)
    #expect(stage.asked() == [command])
  }

  @Test func `Views are reached by number, by letter and by tab, and left by escape`() {
    var stage = stage()
    for view in ScreenView.allCases {
      stage.press("\(view.rawValue)")
      #expect(stage.view.view == view)
    }
    stage.press("2", "o")
    #expect(stage.view.view == .devices)
    stage.press("y", "escape")
    #expect(stage.view.view == .queue)
    stage.press("tab")
    #expect(stage.view.view == .files)
    stage.press("shift-tab", "shift-tab", "shift-tab")
    #expect(stage.view.view == .library)
  }

  @Test func `Moving and playing in the queue`() {
    var stage = stage("2")
    stage.press("j", "j", "enter")
    #expect(stage.asked() == ["choose 3"])
    stage.press("G", "enter", "g", "enter", "down", "up", "k", "enter")
    #expect(stage.asked() == ["choose 12", "choose 1", "choose 1"])
    stage.press("pagedown", "enter")
    #expect(stage.asked() == ["choose 12"])
  }

  @Test func `A number before a key repeats it, or names the row`() {
    var stage = stage("2")
    stage.press("alt-3", "j", "enter")
    #expect(stage.asked() == ["choose 4"])
    stage.press("alt-1", "1", "G", "enter")
    #expect(stage.asked() == ["choose 11"])
    stage.press("alt-4", "l", "alt-2", "+", "alt-3", "n")
    #expect(stage.asked() == ["seek +20", "volume +10", "next", "next", "next"])
    stage.style.settings.digits = .counts
    stage.press("g", "2", "D")
    #expect(stage.asked() == ["remove 1-2"])
    stage.press("9", "escape", "j")
    #expect(stage.view.count == nil)
  }

  @Test func `Rows are marked, moved, cut and pasted`() {
    var stage = stage("2")
    stage.press("g", "t", "j", "t", "x")
    #expect(stage.asked() == ["cut 1,3"])
    #expect(stage.view.marks.isEmpty)
    stage.snapshot.queue.cut([0, 2])
    // The selection went on to what came after the rows that went.
    stage.press("enter", "a", "A")
    #expect(stage.asked() == ["choose 2", "paste 3", "paste 2"])
    stage.press("J", "K", "e", "E", "D", "delete")
    #expect(
      stage.asked() == ["move 2 4", "move 2 1", "move 2 11", "move-next 2", "remove 2", "remove 3"])
    stage.press("T", "Y")
    #expect(stage.asked() == ["copy 1-10"])
  }

  @Test func `A mark goes with the row that bore it`() {
    var stage = stage("2")
    stage.press("g", "t", "t")
    stage.snapshot.queue.remove([0])
    stage.press("D")
    #expect(stage.asked() == ["remove 1"])
    stage.press("t")
    stage.snapshot.queue.clear()
    #expect(!stage.frame().text.contains("marked"))
  }

  @Test func `What is selected stays selected while rows come and go`() {
    var stage = stage("2")
    stage.press("g", "j", "j", "j", "j")
    stage.snapshot.queue.remove([0, 1])
    stage.press("enter")
    #expect(stage.asked() == ["choose 3"])
    stage.snapshot.queue.undo()
    stage.press("enter")
    #expect(stage.asked() == ["choose 5"])
  }

  @Test func `The current track is followed until the user moves`() {
    var stage = stage("2")
    stage.snapshot.queue.select(7)
    stage.press("m", "enter")
    #expect(stage.asked() == ["mute", "choose 8"])
    stage.press("k")
    stage.snapshot.queue.select(2)
    stage.press("enter", "i", "enter")
    #expect(stage.asked() == ["choose 7", "choose 3"])
  }

  @Test func `A command line has history, completion and errors with the nearest name`() {
    var stage = stage()
    stage.press(":")
    stage.type("seke +5")
    stage.press("enter")
    #expect(stage.asked() == [])
    #expect(stage.lines.last == " unknown command 'seke', did you mean 'seek'?")
    stage.press(":")
    #expect(stage.lines.last == " :")
    stage.press("up")
    stage.press("home", "right", "right", "delete", "delete")
    stage.type("ek")
    stage.press("enter")
    #expect(stage.asked() == ["seek +5"])
    stage.press(":", "up", "up", "down", "down", "down")
    #expect(stage.view.prompt?.line.text == "")
    stage.type("vol")
    stage.press("tab")
    #expect(stage.view.prompt?.line.text == "volume ")
    stage.type("40")
    stage.press("enter", ":")
    stage.type("view que")
    stage.press("tab", "enter")
    #expect(stage.asked() == ["volume 40"])
    #expect(stage.view.view == .queue)
    stage.press(":")
    stage.type("device ")
    stage.press("shift-tab")
    #expect(stage.view.prompt?.line.text == "device hall")
    stage.press("escape", ":", "backspace")
    #expect(stage.view.prompt == nil)
    stage.press(":")
    stage.type("7")
    stage.press("enter", "enter")
    #expect(stage.asked() == ["choose 7"])
  }

  @Test func `A filter shows what holds the words, as one types`() {
    var stage = stage("2")
    stage.press("/")
    stage.type("PÄRT für")
    #expect(stage.lines[2].contains("Für Alina"))
    #expect(stage.view.filter?.rows == [9])
    stage.press("enter", "enter")
    #expect(stage.asked() == ["choose 10"])
    stage.press("escape", "enter")
    #expect(stage.asked() == ["choose 10"])
    #expect(stage.view.filter == nil)
    stage.press("/")
    stage.type("xyz")
    #expect(stage.frame().text.contains("No track holds these words"))
    stage.press("backspace", "backspace", "backspace", "backspace")
    #expect(stage.view.filter == nil)
    stage.press("/")
    stage.type("arvo")
    stage.press("enter")
    stage.snapshot.queue.remove([1])
    stage.press("g", "enter")
    #expect(stage.asked() == ["choose 9"])
    stage.press("T", "D")
    #expect(stage.asked() == ["remove 9"])
  }

  @Test func `Files are opened, marked and put into the queue`() {
    var stage = Scene.files.stage
    _ = stage.asked()
    stage.press("e")
    #expect(stage.asked() == ["add '/srv/Music/Brian Eno'"])
    stage.press("g", "enter", "backspace")
    #expect(stage.asked() == ["browse '/srv/Music/Arvo Pärt'", "browse /srv"])
    stage.press("G", "enter", "P", "E")
    #expect(
      stage.asked() == [
        "open /srv/Music/one.flac", "preview /srv/Music/one.flac",
        "add-next /srv/Music/one.flac",
      ])
    stage.content.files = Listing()
    stage.press("1", "3")
    #expect(stage.commands.count == 1)
    stage.press("enter", "e", "P", "D")
    #expect(stage.commands.count == 1)
  }

  @Test func `A preview of a sheet's track is of that part of the file`() {
    var stage = stage("2")
    stage.snapshot.queue.replace(with: [
      QueueEntry(TrackLocation(path: Array("/m/all.flac".utf8), start: 0, end: 61.5)),
      QueueEntry(TrackLocation(path: Array("/m/all.flac".utf8), start: 61.5, end: 120)),
      QueueEntry(TrackLocation(path: Array("/m/all.flac".utf8), start: 120)),
    ])
    stage.press("g", "P", "down", "P", "down", "P")
    #expect(
      stage.asked() == [
        "preview /m/all.flac 0 61.5", "preview /m/all.flac 61.5 120", "preview /m/all.flac 120",
      ])
  }

  @Test func `A device is picked, and what is not there cannot be`() {
    var stage = stage("o")
    stage.press("down", "enter", "down", "down", "enter")
    #expect(stage.asked() == ["device headphones"])
    #expect(stage.lines.last == " HDMI / DisplayPort is not available")
  }

  @Test func `From a decision its program is left out by one key`() {
    var stage = Scene.why.stage
    _ = stage.asked()
    stage.press("I")
    #expect(stage.asked() == ["ignore Firefox"])
    stage.press("G", "I")
    #expect(stage.asked() == [])
    #expect(stage.lines.last == " No program stands behind this")
    // A line is completed with those of the decisions, and then with those that are seen.
    stage.content.programs = ["Firefox", "Some Program"]
    stage.press(":")
    stage.type("ignore ")
    stage.press("tab")
    #expect(stage.view.prompt?.line.text == "ignore Firefox")
    stage.press("shift-tab")
    #expect(stage.view.prompt?.line.text == "ignore 'Some Program'")
  }

  @Test func `While a call rings its keys come first, and the menu takes one key`() {
    var stage = Scene.ringing.stage
    stage.press("2", "a", "d")
    #expect(stage.asked() == ["try answer", "try decline"])
    stage.snapshot.call = nil
    stage.press("!", "p")
    #expect(stage.asked() == ["try prompt"])
    stage.press("!", "x", "!", "escape")
    #expect(stage.asked() == [])
    #expect(!stage.view.isMenuOpen)
  }

  @Test func `A paste presses no keys`() {
    var stage = stage()
    stage.input(.paste("qqq\nq"))
    #expect(stage.asked() == [])
    #expect(stage.lines.last == " What was pasted is no path: nothing was done")
    stage.input(.paste("'/m/a b.flac' /m/c\\ d.flac\n"))
    stage.input(.paste("/m/it is plain.flac\n/m/two.flac"))
    stage.input(.paste("file:///m/a%20b%ff.flac"))
    stage.input(.paste("file://elsewhere/x"))
    stage.input(.paste("/m/\u{1B}[2J"))
    #expect(
      stage.asked() == [
        "add '/m/a b.flac' '/m/c d.flac'", "add '/m/it is plain.flac' /m/two.flac",
        "add /m/a\\x20b\\xff.flac",
      ])
    stage.press(":")
    stage.input(.paste("seek\n1:00\u{1B}"))
    #expect(stage.view.prompt?.line.text == "seek\u{FFFD}1:00\u{FFFD}")
  }

  @Test func `Every view, mark and edit is answered in an empty player`() {
    var stage = Stage(tracks: 0)
    for binding in KeyTable.defaults.bindings {
      stage.input(.key(binding.key))
      _ = stage.frame()
    }
  }

  @Test func `Every command can be bound and is written as it is read`() {
    for binding in KeyTable.defaults.bindings {
      #expect((try? ScreenCommand(binding.command.text)) == binding.command)
      #expect(!binding.command.summary.isEmpty, "\(binding.command.text)")
      #expect(Key(named: binding.key.text) == binding.key)
    }
    for spec in ScreenCommand.specs
    where spec.usage.isEmpty || spec.usage.hasPrefix("[") && !spec.usage.hasPrefix("[+") {
      #expect((try? ScreenCommand(spec.name)) != nil, "\(spec.name)")
    }
    #expect(
      throws: CommandError(
        "'view' takes playing, queue, files, playlists, devices, why, help, library or 1 to 8, did you mean 'queue'?"
      )
    ) {
      try ScreenCommand("view quee")
    }
  }
}
