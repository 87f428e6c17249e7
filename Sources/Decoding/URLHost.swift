import AudioTypes
import Glibc

/// The host of an address, and whether anybody knows it.
enum URLHost {
  /// The host's name, safe to print, where the system's resolver does not know it; `nil` where it
  /// does, or the address has no name. May wait for a name server.
  static func unknown(in address: [UInt8]) -> String? {
    guard let name = name(in: address) else { return nil }
    var found: UnsafeMutablePointer<addrinfo>?
    let host = name.map { CChar(bitPattern: $0) } + [0]
    let status = unsafe getaddrinfo(host, nil, nil, &found)
    if unsafe found != nil { unsafe freeaddrinfo(found) }
    return status == EAI_NONAME || status == EAI_AGAIN ? Text.printable(name) : nil
  }

  /// Between `//`, and a user's name if there is one, and the port or path.
  static func name(in address: [UInt8]) -> [UInt8]? {
    guard let colon = address.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    var rest = address[(colon + 1)...]
    guard rest.starts(with: Array("//".utf8)) else { return nil }
    rest = rest.dropFirst(2)
    rest = rest.prefix { !Array("/?#".utf8).contains($0) }
    if let at = rest.lastIndex(of: UInt8(ascii: "@")) { rest = rest[(at + 1)...] }
    // In brackets there is a number, not a name.
    guard rest.first != UInt8(ascii: "[") else { return nil }
    let name = Array(rest.prefix { $0 != UInt8(ascii: ":") })
    return name.isEmpty || name.contains(0) ? nil : name
  }

  /// Seconds of the machine's own clock.
  static func seconds() -> Double {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
  }
}
