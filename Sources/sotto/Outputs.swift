import AudioOutput
import OutputInterface

/// The registry: the only place that names concrete outputs, in the order in which they are tried.
enum Outputs {
  /// Those that may be chosen without being asked for.
  static var automatic: [any OutputBackend] { [PulseBackend(), ALSABackend()] }

  /// The outputs to try for a choice.
  ///
  /// - Parameter isPaced: a file takes as long as a device that plays it.
  static func backends(_ choice: OutputChoice, isPaced: Bool = false) -> [any OutputBackend] {
    switch choice {
    case .automatic: return automatic
    case .pulse: return [PulseBackend()]
    case .alsa: return [ALSABackend()]
    case .null: return [NullBackend()]
    case .file(let path): return [FileBackend(path: path, isPaced: isPaced)]
    }
  }
}
