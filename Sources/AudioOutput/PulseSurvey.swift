import AudioTypes
import CAudioOutput
import OutputInterface

/// A backend's snapshot of its server and devices as values.
func deviceSurvey(
  _ backend: UnsafePointer<sotto_output_backend>, server: String?, say: FailureSentence
) throws(OutputError) -> ServerSurvey {
  var error = sotto_output_error()
  let found = unsafe withCString(server) { server in
    unsafe backend.pointee.survey(server, &error)
  }
  guard let survey = unsafe found else {
    throw outputError(error, device: nil, say: say)
  }
  defer { unsafe sotto_survey_free(survey) }
  let devices = unsafe UnsafeBufferPointer(
    start: survey.pointee.devices, count: survey.pointee.device_count)
  return unsafe ServerSurvey(
    server: text(survey.pointee.server), devices: devices.map { unsafe facts(of: $0) })
}

private func facts(of device: sotto_device) -> DeviceFacts {
  let ports = unsafe UnsafeBufferPointer(start: device.ports, count: device.port_count)
  return unsafe DeviceFacts(
    name: text(device.name), description: text(device.description), isDefault: device.is_default,
    routeClass: routeClass(device.route) ?? .speaker,
    sampleRate: device.rate > 0 ? Int(device.rate) : nil,
    channels: device.channels > 0 ? Int(device.channels) : nil,
    volume: DeviceVolume(device.volume), ports: ports.map { unsafe facts(of: $0) })
}

/// A route's class in C; `nil` for what is not known.
func routeClass(_ route: CInt) -> RouteClass? {
  let classes: [RouteClass] = [.private, .external, .speaker, .network]
  return classes.indices.contains(Int(route)) ? classes[Int(route)] : nil
}

private func facts(of port: sotto_port) -> DevicePort {
  let availabilities: [DevicePort.Availability] = [.unknown, .no, .yes]
  return unsafe DevicePort(
    name: text(port.name), description: text(port.description),
    availability: availabilities[Int(port.available)], isActive: port.active)
}

/// The server's text byte for byte (invalid UTF-8 repaired).
private func text(_ text: UnsafePointer<CChar>?) -> String {
  guard let text = unsafe text else { return "" }
  return unsafe String(cString: text)
}
