import AudioTypes
import CAudioOutput
import Glibc

/// The program that has a card's device open, as the kernel tells it under /proc.
struct DeviceHolder: Equatable {
  var name: String
  var process: Int

  /// For people, safe to print.
  var phrase: String { "\(name) (process \(process))" }

  /// Finds out who plays on a device.
  ///
  /// - Parameters:
  ///   - device: ALSA's name of it; a name that tells no card stands for every card.
  ///   - proc: the folder of the kernel's files.
  ///   - number: the number of a card by its id.
  /// - Returns: `nil` where nobody does, where several do and any may be meant, and where the kernel
  ///   does not say.
  static func find(
    device: String?, proc: String = "/proc",
    number: (String) -> Int? = DeviceHolder.number(ofCard:)
  ) -> DeviceHolder? {
    guard let place = place(device) else {
      let all = (0..<8).flatMap { card in
        (0..<8).compactMap { holder(card: card, device: $0, proc) }
      }
      return Set(all.map(\.process)).count == 1 ? all.first : nil
    }
    guard let card = number(place.card) else { return nil }
    return holder(card: card, device: place.device, proc)
  }

  /// What "hw:0,3", "plughw:Audio" and "front:CARD=Audio,DEV=0" say.
  static func place(_ device: String?) -> (card: String, device: Int)? {
    guard let device, let colon = device.firstIndex(of: ":") else { return nil }
    var card: Substring?
    var number = 0
    for (index, part) in device[device.index(after: colon)...].split(separator: ",").enumerated() {
      if part.hasPrefix("CARD=") {
        card = part.dropFirst(5)
      } else if part.hasPrefix("DEV=") {
        number = Int(part.dropFirst(4)) ?? 0
      } else if index == 0 {
        card = part
      } else if index == 1 {
        number = Int(part) ?? 0
      }
    }
    return card.map { (String($0), number) }
  }

  private static func number(ofCard card: String) -> Int? {
    let number = unsafe card.withCString { unsafe sotto_alsa_card_number($0) }
    return number < 0 ? nil : Int(number)
  }

  private static func holder(card: Int, device: Int, _ proc: String) -> DeviceHolder? {
    for part in 0..<32 {
      let path = "\(proc)/asound/card\(card)/pcm\(device)p/sub\(part)/status"
      guard let status = read(path) else { return nil }
      guard let thread = value("owner_pid", in: status).flatMap({ Int($0) }) else { continue }
      // The kernel names the thread that opened the device.
      let facts = read("\(proc)/\(thread)/status") ?? ""
      let process = value("Tgid", in: facts).flatMap { Int($0) } ?? thread
      guard let name = read("\(proc)/\(process)/comm") else { return nil }
      return DeviceHolder(
        name: Text.printable(String(name.prefix { $0 != "\n" })), process: process)
    }
    return nil
  }

  /// The rest of a line "name : value".
  private static func value(_ name: String, in text: String) -> String? {
    for line in text.split(separator: "\n") where line.hasPrefix(name) {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let rest = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      return String(rest)
    }
    return nil
  }

  /// The beginning of a small file; `nil` where there is none.
  private static func read(_ path: String) -> String? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
    }
    return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
