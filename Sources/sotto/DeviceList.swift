import AudioTypes
import Dispatch
import OutputInterface
import PlayerState

/// The devices of all servers, in the servers' own order and words (S20, S69).
enum DeviceList {
  /// Asks the servers on a queue of its own, and answers on the control thread.
  static func read(_ answer: @escaping @MainActor @Sendable ([PlayerSnapshot.DeviceChoice]) -> Void)
  {
    queue.async {
      var devices: [PlayerSnapshot.DeviceChoice] = []
      for backend in Outputs.automatic {
        // A server that is not there has no devices; `sotto doctor` says why.
        guard let survey = try? backend.survey() else { continue }
        devices += survey.devices.map { device in
          PlayerSnapshot.DeviceChoice(
            id: device.name, name: device.description, server: survey.server,
            routeClass: device.routeClass, isCurrent: device.isDefault,
            isAvailable: !device.ports.contains { $0.isActive && $0.availability == .no })
        }
        // The first server that has devices is the one that plays.
        if !devices.isEmpty { break }
      }
      let found = devices
      DispatchQueue.main.async { MainActor.assumeIsolated { answer(found) } }
    }
  }

  private static let queue = DispatchQueue(label: "sotto.devices")
}
