import AudioTypes
import MusicLibrary
import PlayerState
import TerminalModel

/// Settings that are changed while it plays.
extension PlayCommand {
  /// Whether there is what a setting names; throws a sentence with the nearest that there is.
  func check(_ name: String, _ value: String) throws(CommandError) {
    switch name {
    case "theme":
      let names = Theme.all.map(\.name) + configuration.themes.keys.sorted()
      guard configuration.theme(value) == nil else { return }
      throw CommandError(
        "No theme is called '\(Text.printable(value))'\(Nearest.hint(to: value, among: names)); there"
          + " are \(names.joined(separator: ", "))")
    case "device":
      if let sentence = noDevice(value) { throw CommandError(sentence) }
    case "output":
      do throws(UsageError) {
        _ = try Arguments.output(Array(value.utf8))
      } catch {
        let words = ["pulse", "alsa", "null"]
        throw CommandError(
          "'output' is pulse, alsa, null or file:PATH, not '\(Text.printable(value))'"
            + Nearest.hint(to: value, among: words))
      }
      throw CommandError("The output is chosen at the start, by --output or the configuration")
    case "leak-guard", "resume", "view":
      throw CommandError("'\(name)' counts at the start: the configuration says it")
    default: break
    }
  }

  /// Why a device cannot be chosen by that name; `nil` when it may be there.
  func noDevice(_ id: String) -> String? {
    switch options.output {
    case .null, .file: return "This output has no devices to choose from"
    case .automatic, .pulse, .alsa: break
    }
    guard !devices.isEmpty, !devices.contains(where: { $0.id == id }) else { return nil }
    let hint = Nearest.hint(to: id, among: devices.map(\.id))
    return "No device is called '\(Text.printable(id))'\(hint); see sotto devices"
  }

  /// Follows the configuration whenever it is saved.
  func watchConfiguration() {
    var folders: [[UInt8]] = []
    if let folder = Configuration.folder { folders = [folder, folder + Array("/themes".utf8)] }
    if let file = options.config {
      folders.append(PlaylistPath.folder(LibraryPlace.absolute(file)))
    }
    var last = configuration
    watch = FolderWatch(folders) { [weak self] in
      guard let self, !isEnding else { return }
      let new = Configuration.read(options.config)
      // Other files are saved there too; what was set by hand meanwhile holds then.
      guard new != last else { return }
      last = new
      configuration = new
      full?.follow(configuration)
      follow(configuration.settings)
    }
  }

  /// What is beside the screen.
  private func follow(_ settings: Settings) {
    library.follow(settings)
    headset?.follow(settings.headset)
    bus?.follow(settings)
    full?.foldersChanged()
  }

  /// A setting was changed by hand.
  func follow(_ name: String, _ settings: Settings) {
    switch name {
    case "device": perform(.device(settings.device))
    case "gain": perform(.gain(settings.gain))
    case "level": perform(.level(.to(settings.level)))
    default:
      configuration.settings = settings
      follow(settings)
    }
  }
}
