import Foundation
import Synchronization

/// A small server: one thread accepts, one thread a connection answers one request.
public final class HTTPServer: Sendable {
  public struct Request: Sendable {
    public var path: String
    public var from: Int?
  }
  public enum Answer: Sendable {
    /// A file that can be asked for from any byte on.
    case file([UInt8])
    /// Bytes without a length, ended by closing.
    case endless([UInt8])
    case redirect(String)
    case status(Int)
    /// The beginning of a file of so many bytes, and then nothing.
    case stall([UInt8], of: Int)
    /// Nothing, until the client goes away.
    case silence
  }

  public let url: String
  private let socket: Mutex<Int32>

  public init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
    let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        Glibc.bind(descriptor, generic, size) == 0 && Glibc.listen(descriptor, 16) == 0
          && Glibc.getsockname(descriptor, generic, &size) == 0
      }
    }
    guard bound else { throw CocoaError(.featureUnsupported) }
    socket = Mutex(descriptor)
    url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    Thread.detachNewThread {
      while true {
        let client = Glibc.accept(descriptor, nil, nil)
        guard client >= 0 else { return }
        Thread.detachNewThread {
          Self.serve(client, answer)
          Glibc.close(client)
        }
      }
    }
  }

  deinit { stop() }

  /// From now on connections are refused.
  public func stop() {
    socket.withLock { descriptor in
      guard descriptor >= 0 else { return }
      Glibc.shutdown(descriptor, Int32(SHUT_RDWR))
      Glibc.close(descriptor)
      descriptor = -1
    }
  }

  private static func serve(_ client: Int32, _ answer: (Request) -> Answer) {
    var head: [UInt8] = []
    var byte: UInt8 = 0
    while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
      guard Glibc.read(client, &byte, 1) == 1 else { return }
      head.append(byte)
    }
    let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
    let path = lines[0].split(separator: " ").dropFirst().first.map(String.init) ?? "/"
    let range = lines.first { $0.lowercased().hasPrefix("range: bytes=") }
    let from = range.flatMap { Int($0.dropFirst(13).prefix { $0.isNumber }) }
    switch answer(Request(path: path, from: from)) {
    case .file(let bytes):
      let start = min(from ?? 0, bytes.count)
      let status = from == nil ? "200 OK" : "206 Partial Content"
      send(
        client,
        "HTTP/1.1 \(status)\r\nAccept-Ranges: bytes\r\nContent-Length: \(bytes.count - start)\r\n"
          + "Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)\r\n"
          + "Connection: close\r\n\r\n", bytes[start...])
    case .endless(let bytes):
      send(client, "HTTP/1.0 200 OK\r\nicy-name: Test\r\nConnection: close\r\n\r\n", bytes[...])
    case .redirect(let place):
      send(
        client,
        "HTTP/1.1 302 Found\r\nLocation: \(place)\r\nContent-Length: 0\r\n"
          + "Connection: close\r\n\r\n", [])
    case .status(let number):
      send(client, "HTTP/1.1 \(number) No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", [])
    case .stall(let bytes, let count):
      send(
        client, "HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\nConnection: close\r\n\r\n",
        bytes[...])
      while Glibc.read(client, &byte, 1) == 1 {}
    case .silence:
      while Glibc.read(client, &byte, 1) == 1 {}
    }
  }

  private static func send(_ client: Int32, _ head: String, _ body: ArraySlice<UInt8>) {
    let bytes = Array(head.utf8) + body
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(client, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }
}
