import CAudioOutput
import Testing

/// A device in the server's words.
struct Device: CustomTestStringConvertible, Sendable {
  var words: String
  var name = ""
  var driver = ""
  var form = ""
  var bus = ""
  var api = ""
  var port = ""
  var type: Int32 = 0
  var isNetwork = false
  var expected: String

  var testDescription: String { words }

  var routeClass: String {
    name.withCString { name in
      driver.withCString { driver in
        form.withCString { form in
          bus.withCString { bus in
            api.withCString { api in
              port.withCString { port in
                var facts = sotto_route_facts(
                  name: name, driver: driver, form_factor: form, bus: bus, api: api,
                  port_name: port, port_type: type, network: isNetwork)
                return ["private", "external", "speaker", "network"][
                  Int(sotto_route_class(&facts))]
              }
            }
          }
        }
      }
    }
  }
}

@Suite struct RouteClassTests {
  @Test(arguments: [
    Device(words: "nothing known", expected: "speaker"),
    Device(
      words: "headphones' jack", port: "analog-output-headphones", type: 3, expected: "private"),
    Device(words: "headset's jack", type: 6, expected: "private"),
    Device(words: "handset", type: 7, expected: "private"),
    Device(words: "speaker", form: "internal", type: 2, expected: "speaker"),
    Device(
      words: "USB headset whose port is a speaker", form: "headset", bus: "usb", type: 2,
      expected: "private"),
    Device(
      words: "USB headphones without ports", form: "headphone", bus: "usb", expected: "private"),
    Device(words: "old port names", port: "[Out] Headphones-headphone", expected: "private"),
    Device(words: "HDMI port", type: 10, expected: "external"),
    Device(words: "HDMI by name", name: "alsa_output.pci.hdmi-stereo", expected: "external"),
    Device(words: "line out", type: 4, expected: "external"),
    Device(words: "S/PDIF", type: 9, expected: "external"),
    Device(
      words: "Bluetooth headset", form: "headset", bus: "bluetooth", type: 15, expected: "private"),
    Device(
      words: "Bluetooth speaker", form: "portable", bus: "bluetooth", type: 15, expected: "external"
    ),
    Device(
      words: "Bluetooth speaker's port", name: "bluez_output.x", type: 2, expected: "external"),
    Device(words: "car", form: "car", bus: "bluetooth", expected: "external"),
    Device(words: "Bluetooth without a form", api: "bluez5", expected: "private"),
    Device(words: "hands-free", form: "hands-free", expected: "private"),
    Device(words: "hearing aid", form: "hearing-aid", bus: "bluetooth", expected: "private"),
    Device(words: "tunnel", name: "tunnel.host.speakers", form: "headphone", expected: "network"),
    Device(words: "AirPlay", name: "raop_output.x", expected: "network"),
    Device(words: "network flag", type: 3, isNetwork: true, expected: "network"),
  ])
  func `S13: who hears a device follows from what is known of it`(_ device: Device) {
    #expect(device.routeClass == device.expected)
  }
}
