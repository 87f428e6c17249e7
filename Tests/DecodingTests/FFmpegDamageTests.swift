import AudioTypes
import Decoding
import Foundation
import TestSupport
import Testing

/// Bad input for FFmpeg: what cannot be played is one clear error, and nothing crashes, hangs or
/// grows.
@Suite(.enabled(if: Tool.isIntegration)) struct FFmpegDamageTests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  @Test(arguments: [
    ("aac", "a.m4a"), ("alac", "b.m4a"), ("aac", "a.aac"), ("wmav2", "a.wma"), ("tta", "a.tta"),
    ("wavpack", "a.wv"), ("ac3", "a.ac3"), ("libopus", "a.opus"), ("libopus", "a.mka"),
    ("libvorbis", "b.mka"), ("libspeex", "a.spx"), ("aac", "a.ts"), ("aac", "a.flv"),
    ("libmp3lame", "a.mp3"), ("flac", "a.flac"), ("musepack", "a.mpc"),
  ])
  func `cut and flipped files end, or fail with a sentence`(codec: String, name: String) throws {
    let rate = codec == "libopus" ? 48000 : codec == "libspeex" ? 16000 : 44100
    let source = try Encoder(
      folder, samples: Signals.music(frames: rate * 2, channels: 2, rate: rate), rate: rate)
    let path =
      codec == "musepack"
      ? try source.tool(["mpcenc", "--silent", "--overwrite", "{in}", "{out}"], name)
      : try source.ffmpeg(name, ["-c:a", codec])
    let whole = try folder.bytes(of: path)
    var random = Signals.Seeded(11)
    for round in 0..<12 {
      var bytes = whole
      switch round % 3 {
      case 0: bytes = Array(bytes.prefix(Int.random(in: 1..<bytes.count, using: &random)))
      case 1:
        for _ in 0..<(1 << (round * 2 / 3)) {
          let index = Int.random(in: 0..<bytes.count, using: &random)
          bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
      default:
        for _ in 0..<20 {
          bytes[Int.random(in: 0..<min(2000, bytes.count), using: &random)] =
            UInt8.random(in: 0...255, using: &random)
        }
      }
      let path = try folder.write(bytes, "damaged-\(name)")
      do throws(DecodingError) {
        let decoder = try openFFmpeg(path)
        // A damaged header may claim any rate, but no file holds more than a minute's worth here.
        var count = 0
        let most = 60 * 192_000
        do throws(DecodingError) {
          while count < most {
            let got = try decoder.take(65536, piece: 65536).count
            if got == 0 { break }
            count += got / decoder.format.channels
          }
        } catch {
          #expect(!error.sentence.isEmpty)
        }
        #expect(count < most)
        do throws(DecodingError) {
          try decoder.seek(to: 5000)
          _ = try decoder.take(1000)
        } catch {
          #expect(!error.sentence.isEmpty)
        }
      } catch {
        #expect(!error.sentence.isEmpty)
      }
    }
  }

  @Test func `a file cut short plays what is there and then says so`() throws {
    let source = try Encoder(
      folder, samples: Signals.music(frames: 441_000, channels: 2, rate: 44100))
    let whole = try folder.bytes(
      of: source.ffmpeg("a.m4a", ["-c:a", "alac", "-movflags", "+faststart"]))
    let decoder = try openFFmpeg(folder.write(Array(whole.prefix(whole.count / 2)), "cut.m4a"))
    var frames = 0
    let error = #expect(throws: DecodingError.self) {
      while true {
        let got = try decoder.take(4096, piece: 4096).count / 2
        if got == 0 { break }
        frames += got
      }
    }
    #expect(error?.code == .corrupt)
    #expect(error?.sentence.contains("cut short") == true)
    #expect(frames > 180_000 && frames < 260_000)
    // The end is the end: the fault of the way there is none of its.
    try decoder.seek(to: 0)
    let buffer = UnsafeMutableBufferPointer<Float>.allocate(capacity: 2 * 441_000)
    defer { buffer.deallocate() }
    #expect(try decoder.read(into: buffer) >= frames)
    try decoder.seek(to: 441_000)
    #expect(try decoder.take(100).isEmpty)
    // And it can still be played again from the beginning.
    try decoder.seek(to: 0)
    #expect(try decoder.take(1000).count == 2000)
  }

  @Test func `a file that goes away under its decoder and comes back can be played again`() throws {
    let source = try Encoder(folder, samples: Signals.coded(frames: 90_001, channels: 2, bits: 16))
    let path = try source.ffmpeg("a.tta", ["-c:a", "tta"])
    let bytes = try folder.bytes(of: path)
    let decoder = try openFFmpeg(path)
    _ = try decoder.takeAll()
    // The descriptor stays, and what it leads to is no file of sound any more.
    func put(_ bytes: [UInt8]) {
      let descriptor = Glibc.open(path, O_WRONLY | O_TRUNC)
      defer { close(descriptor) }
      #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    }
    for content in [[], [UInt8](repeating: 0, count: 200_000)] {
      put(content)
      for target in [10, 10, 0, 60_000] as [Int64] {
        let error = #expect(throws: DecodingError.self) {
          try decoder.seek(to: target)
          _ = try decoder.take(100)
        }
        // It was one of sound.
        #expect(error?.code == .corrupt)
        _ = try? decoder.take(100)
      }
    }
    put(bytes)
    try decoder.seek(to: 0)
    #expect(try decoder.takeAll() == source.floats)
  }

  @Test func `a damaged stretch keeps the place of what follows`() throws {
    let source = try Encoder(
      folder, samples: Signals.music(frames: 441_000, channels: 2, rate: 44100))
    let path = try source.ffmpeg("a.tta", ["-c:a", "tta"])
    var bytes = try folder.bytes(of: path)
    for index in bytes.count / 2..<bytes.count / 2 + 40 { bytes[index] ^= 0x55 }
    let decoder = try openFFmpeg(folder.write(bytes, "hurt.tta"))
    let samples = try decoder.takeAll()
    #expect(samples.count == source.samples.count)
    #expect(samples.suffix(100_000).elementsEqual(source.floats.suffix(100_000)))
  }

  @Test func `what is not a file of sound is refused with its reason`() throws {
    #expect(refusal(folder.file("nothing")) == .notFound)
    #expect(refusal(folder.path) == .isFolder)
    #expect(refusal("/dev/zero") == .notRegular)
    let empty = try folder.write([], "empty.m4a")
    #expect(refusal(empty) == .empty)
    let text = try folder.write(Array("Dear reader,\nthis is no music.\n".utf8), "letter.m4a")
    #expect(refusal(text) == .notAudio)
    let zeros = try folder.write([UInt8](repeating: 0, count: 1 << 20), "zeros.mp3")
    #expect(refusal(zeros) == .notAudio)
  }

  /// A name is only a name, and no file opens another one.
  @Test func `names and playlists that mean something to ffmpeg open nothing`() throws {
    let source = try Encoder(folder, samples: Signals.coded(frames: 5000, channels: 2, bits: 16))
    let good = try source.ffmpeg("good.tta", ["-c:a", "tta"])
    let bytes = try folder.bytes(of: good)
    for name in [
      "concat:good.tta|good.tta", "http:x", "-", "subfile,,start,0,end,9,,:x", "a:b.tta",
    ] {
      let path = try folder.write(bytes, name)
      let decoder = try openFFmpeg(path)
      #expect(decoder.frames == 5000)
    }
    let texts = [
      "ffconcat version 1.0\nfile good.tta\n",
      "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\ngood.tta\n#EXT-X-ENDLIST\n",
      "[playlist]\nFile1=good.tta\n",
    ]
    for text in texts {
      let path = try folder.write(Array(text.utf8), "list.m4a")
      #expect(refusal(path) == .notAudio)
    }
    #expect(refusal("file://\(good)", isURL: true) == .protocolForbidden)
    #expect(refusal("concat:\(good)", isURL: true) == .protocolForbidden)
  }

  @Test func `a name may be any bytes`() throws {
    let source = try Encoder(folder, samples: Signals.coded(frames: 5000, channels: 2, bits: 16))
    let good = try source.ffmpeg("good.tta", ["-c:a", "tta"])
    let name = Array(folder.path.utf8) + [0x2F, 0xFF, 0x0A, 0x1B, 0x5B, 0x32, 0x4A, 0xC3]
    let copied = name.map { CChar(bitPattern: $0) } + [0]
    #expect(rename(good, copied) == 0)
    #expect(try FFmpegDecoder(path: name, isURL: false).frames == 5000)
  }

  /// The code of the error that opening gives; `nil` where it opens.
  func refusal(_ path: String, isURL: Bool = false) -> DecodingError.Code? {
    do throws(DecodingError) {
      _ = try FFmpegDecoder(path: Array(path.utf8), isURL: isURL)
      return nil
    } catch {
      return error.code
    }
  }
}

extension TestFolder {
  func bytes(of path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }
}
