import AudioTypes
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Decoding

/// Sound over http, from a server of our own on 127.0.0.1.
@Suite(.enabled(if: Tool.isIntegration)) struct FFmpegNetworkTests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  func open(_ url: String, abort: FFmpegAbort? = nil) throws(DecodingError) -> FFmpegDecoder {
    try FFmpegDecoder(path: Array(url.utf8), isURL: true, abort: abort)
  }

  func refusal(_ url: String, abort: FFmpegAbort? = nil) -> DecodingError? {
    do throws(DecodingError) {
      _ = try open(url, abort: abort)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [("tta", "a.tta"), ("flac", "b.mka"), ("alac", "c.m4a")])
  func `a file on a server plays bit exact, and seeks hit the frame`(codec: String, name: String)
    throws
  {
    let source = try Encoder(folder, samples: Signals.coded(frames: 90_001, channels: 2, bits: 16))
    let bytes = try folder.bytes(of: source.ffmpeg(name, ["-c:a", codec]))
    let server = try HTTPServer { request in
      request.path == "/music" ? .file(bytes) : .status(404)
    }
    let decoder = try open(server.url + "/music")
    #expect(decoder.isSeekable)
    let shouted = server.url.replacingOccurrences(of: "http:", with: "HTTP:") + "/music"
    #expect(try open(shouted).frames == decoder.frames)
    #expect(try decoder.takeAll() == source.floats)
    if codec != "flac" {
      #expect(try wrongSeeks(decoder, straight: source.floats, count: 30).isEmpty)
    }
  }

  @Test func `a stream without a length plays to its end, once, and cannot be rewound`() throws {
    let source = try Encoder(
      folder, samples: Signals.music(frames: 132_300, channels: 2, rate: 44100))
    let bytes = try folder.bytes(of: source.ffmpeg("a.aac", ["-c:a", "aac"]))
    let server = try HTTPServer { _ in .endless(bytes) }
    let decoder = try open(server.url + "/radio")
    #expect(!decoder.isSeekable)
    #expect(decoder.frames == nil)
    let frames = try decoder.takeAll().count / 2
    #expect(frames >= 132_300 && frames < 140_000)
    #expect(throws: DecodingError.self) { try decoder.seek(to: 0) }
  }

  @Test func `dead addresses are refused with their reason`() throws {
    let server = try HTTPServer { request in
      switch request.path {
      case "/file": return .redirect("file:///etc/hostname")
      case "/concat": return .redirect("concat:/etc/hostname")
      case "/text": return .file(Array("Dear reader,\nthis is no music.\n".utf8))
      case "/list":
        return .file(Array("#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile:///x\n".utf8))
      default: return .status(404)
      }
    }
    #expect(refusal(server.url + "/nothing")?.code == .notFound)
    #expect(refusal(server.url + "/file")?.code == .network)
    #expect(refusal(server.url + "/concat")?.code == .network)
    #expect(refusal(server.url + "/text")?.code == .notAudio)
    #expect(refusal(server.url + "/list")?.code == .notAudio)
    server.stop()
    #expect(refusal(server.url + "/gone")?.code == .network)
    // Nobody is ever called that (RFC 2606).
    let unknown = refusal("http://nobody:secret@sotto.invalid:8000/a.mp3")
    #expect(unknown?.code == .network)
    #expect(unknown?.sentence.contains("sotto.invalid") == true)
    #expect(unknown?.sentence.contains("secret") == false)
  }

  @Test func `the host of an address is found whatever stands around it`() {
    func name(_ address: String) -> String? {
      URLHost.name(in: Array(address.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(name("http://a.example/b") == "a.example")
    #expect(name("HTTPS://u:p@ss@a.example:80?x#y") == "a.example")
    #expect(name("http://[::1]/b") == nil && name("http:///b") == nil && name("text") == nil)
  }

  @Test func `a server that never answers is given up`() throws {
    let server = try HTTPServer { _ in .silence }
    let error = refusal(server.url + "/hole")
    #expect(error?.code == .network)
    #expect(error?.sentence == "the server does not answer")
  }

  /// Raised as soon as the server has heard the request, so that nothing here waits for a clock.
  @Test func `waiting for a server ends when it is aborted`() throws {
    let abort = FFmpegAbort()
    let server = try HTTPServer { _ in
      abort.raise()
      return .silence
    }
    #expect(refusal(server.url + "/hole", abort: abort)?.sentence == "given up")
  }
}

/// A small server: one thread accepts, one thread a connection answers one request.
final class HTTPServer: Sendable {
  struct Request { var path: String, from: Int? }
  enum Answer {
    /// A file that can be asked for from any byte on.
    case file([UInt8])
    /// Bytes without a length, ended by closing.
    case endless([UInt8])
    case redirect(String)
    case status(Int)
    /// Nothing, until the client goes away.
    case silence
  }

  let url: String
  private let socket: Mutex<Int32>

  init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
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
  func stop() {
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
