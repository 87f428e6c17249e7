import AudioTypes
import Database
import Decoding
import Dispatch
import Glibc
import MusicLibrary
import OutputInterface
import RemoteControl
import SystemEvents
import Tags
import TerminalScreen

/// `sotto doctor`: what works on this machine, in sentences, and what to install or switch on.
/// Status 0 when something can be played through an output, 1 when nothing can.
@MainActor enum DoctorCommand {
  static func run() -> Never {
    Console.print("Sound")
    var playable = 0
    for backend in Outputs.automatic { playable += output(backend) ? 1 : 0 }
    if playable == 0 {
      say(
        false,
        "Nothing to play on: start PulseAudio or PipeWire (packages pulseaudio, or pipewire-pulse"
          + " and wireplumber). --output null plays in silence.")
      Messages.status = 1
    }
    let places: [String] = (0..<32).map { "/dev/snd/controlC\($0)" }
    let cards = places.filter { unsafe access($0, F_OK) == 0 }
    if cards.isEmpty {
      say(true, "No sound card is visible; a sound server can still play over the network.")
    }
    for card in cards where unsafe access(card, R_OK | W_OK) != 0 {
      say(false, "No permission for \(card): add your user to the group audio.")
    }

    Console.print("")
    Console.print("Surroundings")
    for (isGood, sentence) in DoctorSystem.sentences(ServerSnapshot.once()) {
      say(isGood, sentence)
    }

    Console.print("")
    Console.print("Formats")
    say(true, "WAV and AIFF are read without any library.")
    for library in DecodingLibraries.survey() {
      let name = library.name + (library.version.isEmpty ? "" : " " + library.version)
      say(
        library.isAvailable,
        library.isAvailable
          ? "\(name): \(library.purpose)."
          : "\(library.name) is missing: \(library.loss). \(library.remedy).")
    }

    say(
      LegacyTexts.canGuess,
      LegacyTexts.canGuess
        ? "uchardet: guesses the encoding of old playlists and CUE sheets."
        : "uchardet is missing: titles in old playlists and CUE sheets of other than western"
          + " languages are garbled. Install libuchardet0.")

    Console.print("")
    Console.print("Collection")
    collection()

    Console.print("")
    Console.print("State")
    for (isGood, sentence) in DoctorState.sentences() { say(isGood, sentence) }

    Console.print("")
    Console.print("Terminal")
    terminal()

    Console.print("")
    Console.print("Remote control")
    remote()

    Console.print("")
    Console.print("D-Bus")
    Console.endIfBroken()
    // Its answers come while the control thread runs.
    let survey = BusSurvey()
    survey.run { lines in
      for line in lines { say(line.isGood, Text.printable(line.sentence)) }
      Console.endIfBroken()
      _ = survey
      Exit.end(Messages.status)
    }
    dispatchMain()
  }

  private static func collection() {
    say(
      Database.isAvailable,
      Database.isAvailable
        ? "SQLite \(Database.version): keeps the collection."
        : "SQLite is missing: there is no collection to scan and search. Install libsqlite3-0.")
    say(
      TagLibrary.isAvailable,
      TagLibrary.isAvailable
        ? "TagLib \(TagLibrary.version): reads the tags of most formats."
        : "TagLib is missing: FFmpeg reads the tags, slower, and one value of each. Install"
          + " libtag1-dev and build sotto again.")
  }

  private static func say(_ isGood: Bool, _ sentence: String) {
    Console.print((isGood ? "  ok  " : "  --  ") + sentence)
  }

  /// True when there is a device to play on.
  private static func output(_ backend: any OutputBackend) -> Bool {
    do {
      let survey = try backend.survey()
      let current = survey.devices.first { $0.isDefault } ?? survey.devices.first
      guard let current else {
        say(false, "\(Text.printable(survey.server)) answers and has no device to play on.")
        return false
      }
      let more = survey.devices.count - 1
      let rest = more > 0 ? ", and \(more) more device\(more == 1 ? "" : "s")" : ""
      let name = Text.printable(current.description.isEmpty ? current.name : current.description)
      say(true, "\(Text.printable(survey.server)) plays on \(name)\(rest).")
      return true
    } catch {
      say(false, "\(backend.descriptor.title): \(Text.printable(error.sentence)).")
      return false
    }
  }

  /// The socket, and the buttons of headsets.
  private static func remote() {
    let folder = Text.printable(PlayControl.folder.path)
    do throws(ControlError) {
      let count = try PlayControl.folder.instances().count
      say(
        true,
        "'sotto ctl' reaches players by \(folder); \(count == 0 ? "none" : "\(count)") \(count > 1 ? "run" : "runs")."
      )
    } catch {
      say(
        error.isAbsence,
        error.isAbsence
          ? "'sotto ctl' reaches players by \(folder); none runs."
          : "'sotto ctl' cannot be used: \(Text.printable(error.sentence)).")
    }
    let choice = Configuration.read(nil).settings.headset
    guard PlayHeadset.isWanted(choice) else {
      let why = choice == .off ? "headset = off" : "the desktop does it"
      return say(true, "Buttons of headsets are not read here: \(why).")
    }
    let survey = HeadsetButtons.survey()
    if !survey.hasLibrary {
      say(false, "libevdev is missing: buttons of headsets are not read. Install libevdev2.")
    } else if !survey.readable.isEmpty {
      let names = survey.readable.map { Text.printable($0) }.joined(separator: ", ")
      say(true, "Buttons are read from \(names).")
    } else if survey.refused > 0 {
      say(
        false,
        "No buttons of headsets can be read: Docs/Remote.md has a udev rule for them, or add your"
          + " user to the group input.")
    } else {
      say(true, "No device with buttons for a player is there.")
    }
  }

  private static func terminal() {
    if Terminal.isInteractive {
      say(true, "The terminal shows the line and reads keys.")
    } else if isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1 {
      say(true, "Input or output is no terminal here: 'sotto play' prints a line a track.")
    } else {
      say(true, "TERM is dumb or not set: 'sotto play' prints a line a track.")
    }
    fullScreen()
    for library in TerminalLibraries.survey() {
      let name = library.name + (library.version.isEmpty ? "" : " " + library.version)
      say(
        library.isAvailable,
        library.isAvailable
          ? "\(name): \(library.purpose)."
          : "\(library.name) is missing: \(library.loss). \(library.remedy).")
    }
    if !Environment.isUTF8 {
      say(false, "The locale is not UTF-8, so other letters are shown as '?': set LANG=C.UTF-8.")
    }
  }

  private static func fullScreen() {
    do throws(TerminalRefusal) {
      let found = try Capabilities.detect(
        variable: Environment.value, terminfo: TerminfoEntry.read)
      let colors: String
      switch found.colors {
      case .none: colors = "no colours"
      case .eight: colors = "8 colours"
      case .sixteen: colors = "16 colours"
      case .indexed: colors = "256 colours"
      case .direct: colors = "true colour"
      }
      say(true, "The full screen is painted with \(colors).")
    } catch {
      let sentence = Text.printable(error.sentence)
      say(false, sentence.prefix(1).uppercased() + sentence.dropFirst() + ".")
    }
  }
}
