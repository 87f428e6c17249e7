import AudioTypes
import JSONText
import OutputInterface

/// `sotto devices`: what the servers see. Status 69 when there is no device to play on.
@MainActor enum DevicesCommand {
  static func run(json: Bool) {
    var devices = 0
    for backend in Outputs.automatic {
      do {
        let survey = try backend.survey()
        devices += survey.devices.count
        if json {
          print(DeviceText.json(backend.descriptor, survey))
        } else {
          for line in DeviceText.lines(survey) { Console.print(line) }
        }
      } catch {
        if json {
          print(
            .object([
              ("backend", .string(backend.descriptor.name)), ("error", .string(error.sentence)),
            ]))
        }
        Messages.tell("\(backend.descriptor.title): \(Text.printable(error.sentence))")
      }
    }
    if devices == 0 { Messages.status = 69 }
    Console.endIfBroken()
  }

  private static func print(_ object: JSON) {
    Console.write(object.text(isASCII: !Environment.isUTF8) + "\n")
  }
}

/// What `devices` says of a server. Pure.
enum DeviceText {
  static func json(_ backend: BackendDescriptor, _ survey: ServerSurvey) -> JSON {
    .object([
      ("backend", .string(backend.name)), ("server", .string(survey.server)),
      (
        "devices",
        .array(
          survey.devices.map { device in
            .object([
              ("name", .string(device.name)), ("description", .string(device.description)),
              ("current", .bool(device.isDefault)), ("class", .string(device.routeClass.rawValue)),
              ("private", .bool(device.routeClass == .private)),
              ("sampleRate", .int(device.sampleRate)), ("channels", .int(device.channels)),
              ("volume", .int(device.volume?.percent)),
              ("muted", device.volume.map { .bool($0.isMuted) } ?? .null),
              (
                "ports",
                .array(
                  device.ports.map { port in
                    .object([
                      ("name", .string(port.name)), ("description", .string(port.description)),
                      ("available", .string(port.availability.rawValue)),
                      ("active", .bool(port.isActive)),
                    ])
                  })
              ),
            ])
          })
      ),
    ])
  }

  /// The server, its devices (a star before the current one), and what is plugged into them.
  static func lines(_ survey: ServerSurvey) -> [String] {
    var lines = [Text.printable(survey.server)]
    if survey.devices.isEmpty { lines.append("  no devices") }
    let widest = min(survey.devices.map(\.name.count).max() ?? 0, 48)
    for device in survey.devices {
      let name = Text.printable(device.name)
      let gap = String(repeating: " ", count: max(2, widest - name.count + 2))
      let mark = device.isDefault ? "*" : " "
      lines.append(
        "  \(mark) \(name)\(gap)\(Text.printable(device.description)) (\(facts(device)))")
      for port in device.ports {
        let state =
          switch port.availability {
          case .no: ", not plugged in"
          case .yes: ", plugged in"
          case .unknown: ""
          }
        let active = port.isActive ? "*" : " "
        lines.append("      \(active) \(Text.printable(port.description))\(state)")
      }
    }
    return lines
  }

  private static func facts(_ device: DeviceFacts) -> String {
    var parts = [device.routeClass.rawValue]
    if let rate = device.sampleRate { parts.append("\(rate) Hz") }
    if let channels = device.channels {
      parts.append(channels == 1 ? "1 channel" : "\(channels) channels")
    }
    if let volume = device.volume {
      parts.append(volume.isMuted ? "muted" : "volume \(volume.percent)%")
    }
    return parts.joined(separator: ", ")
  }
}
