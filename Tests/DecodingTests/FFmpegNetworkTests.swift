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
    let error = #expect(throws: DecodingError.self) {
      try TrackOpener.open(TrackLocation(server.url + "/hole"), abort: abort)
    }
    #expect(error?.sentence == "given up")
  }

  /// Each wait may take longer here than anybody has patience: only the bound for all of them ends it.
  @Test(.timeLimit(.minutes(15)), arguments: [0, 20, 400, 6000])
  func `a server that falls silent while it is opened is given up`(bytes: Int) throws {
    let source = try Encoder(
      folder, samples: Signals.music(frames: 132_300, channels: 2, rate: 44100))
    let whole = try folder.bytes(of: source.ffmpeg("a.m4a", ["-c:a", "aac"]))
    let server = try HTTPServer { _ in .stall(Array(whole.prefix(bytes)), of: whole.count) }
    let error = #expect(throws: DecodingError.self) {
      try FFmpegDecoder(
        path: Array((server.url + "/a.m4a").utf8), isURL: true, abort: nil,
        patience: .init(each: 1e6, opening: 1))
    }
    #expect(error?.sentence == "the server does not answer")
  }
}
