import TestSupport
import Testing

@testable import Decoding

/// Covers as pixels. Where FFmpeg is not installed there is nothing to try.
@Suite(.enabled(if: Tool.isIntegration || DecodingLibraries.survey()[1].isAvailable))
struct PictureTests {
  /// A PNG of our own making, its data not compressed.
  private static func png(
    width: Int, height: Int, alpha: Bool = false, said: (Int, Int)? = nil,
    _ color: (Int, Int) -> [UInt8]
  ) -> [UInt8] {
    var lines: [UInt8] = []
    for y in 0..<height {
      lines.append(0)
      for x in 0..<width { lines += color(x, y).prefix(alpha ? 4 : 3) }
    }
    var stream: [UInt8] = [0x78, 0x01]
    var rest = lines[...]
    repeat {
      let piece = rest.prefix(65535)
      rest = rest.dropFirst(piece.count)
      let count = UInt16(piece.count)
      stream.append(rest.isEmpty ? 1 : 0)
      for value in [count, ~count] { stream += [UInt8(value & 0xFF), UInt8(value >> 8)] }
      stream += piece
    } while !rest.isEmpty
    var (a, b) = (UInt32(1), UInt32(0))
    for byte in lines {
      a = (a + UInt32(byte)) % 65521
      b = (b + a) % 65521
    }
    stream += bytes(b << 16 | a)
    let (saidWidth, saidHeight) = said ?? (width, height)
    let header =
      bytes(UInt32(saidWidth)) + bytes(UInt32(saidHeight)) + [8, alpha ? 6 : 2, 0, 0, 0]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
      + chunk("IDAT", stream) + chunk("IEND", [])
  }

  private static func bytes(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(value >> $0 & 0xFF) }
  }

  private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    let named = Array(name.utf8) + body
    var sum: UInt32 = 0xFFFF_FFFF
    for byte in named {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return bytes(UInt32(body.count)) + named + bytes(~sum)
  }

  @Test func `A small picture is its pixels, each as it was`() throws {
    let file = Self.png(width: 5, height: 3) { x, y in [UInt8(x * 50), UInt8(y * 100), 7] }
    let picture = try #require(Pictures.decode(file, largest: 100))
    #expect(picture.width == 5 && picture.height == 3)
    for y in 0..<3 {
      for x in 0..<5 {
        let place = (y * 5 + x) * 4
        #expect(
          Array(picture.pixels[place..<place + 4]) == [UInt8(x * 50), UInt8(y * 100), 7, 255])
      }
    }
  }

  @Test func `A large picture keeps its shape, and each pixel is the mean of what it stands for`()
    throws
  {
    let file = Self.png(width: 400, height: 200) { x, _ in
      x % 2 == 0 ? [0, 0, 0] : [200, 100, 50]
    }
    let picture = try #require(Pictures.decode(file, largest: 100))
    #expect(picture.width == 100 && picture.height == 50)
    #expect(picture.pixels.prefix(4) == [100, 50, 25, 255])
    #expect(picture.pixels.suffix(4) == [100, 50, 25, 255])
  }

  @Test func `What is transparent gives no colour`() throws {
    let file = Self.png(width: 4, height: 2, alpha: true) { x, _ in
      x % 2 == 0 ? [255, 255, 255, 0] : [10, 20, 30, 255]
    }
    let picture = try #require(Pictures.decode(file, largest: 2))
    #expect(picture.pixels == [10, 20, 30, 127, 10, 20, 30, 127])
  }

  @Test func `A picture that promises to fill the memory is none`() {
    let file = Self.png(width: 2, height: 2, said: (60000, 60000)) { _, _ in [1, 2, 3] }
    #expect(Pictures.decode(file, largest: 100) == nil)
  }

  @Test func `What is no picture is none`() {
    for bytes in [[], [0xFF], Array("\u{89}PNG".utf8), Array("a text".utf8), [0xFF, 0xD8, 0xFF]] {
      #expect(Pictures.decode(bytes as [UInt8], largest: 100) == nil)
    }
  }

  @Test(
    .enabled(if: Tool.isIntegration),
    arguments: [
      ("png", "rgb24"), ("png", "rgba"), ("png", "pal8"), ("png", "rgb48be"), ("jpg", "yuvj420p"),
      ("jpg", "yuvj444p"), ("webp", "yuv420p"), ("gif", "pal8"), ("bmp", "bgr24"),
      ("bmp", "rgb565le"),
    ])
  func `Every kind of cover has its colours, and damaged it harms nobody`(
    _ kind: String, _ format: String
  ) throws {
    let folder = try TestFolder()
    let path = folder.file("cover.\(kind)")
    // Left red, right blue; wider than high.
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "color=0xC02010:s=60x80", "-f", "lavfi", "-i",
        "color=0x1030B0:s=60x80", "-filter_complex", "hstack", "-pix_fmt", format, "-frames:v", "1",
        path,
      ])
    let file = try folder.read("cover.\(kind)")
    let picture = try #require(Pictures.decode(file, largest: 60))
    #expect(picture.width == 60 && picture.height == 40)
    for (x, color) in [(5, [0xC0, 0x20, 0x10]), (54, [0x10, 0x30, 0xB0])] {
      let place = (20 * 60 + x) * 4
      for (index, value) in color.enumerated() {
        #expect(
          abs(Int(picture.pixels[place + index]) - value) < 14, "\(kind) \(format) \(x) \(index)")
      }
    }
    var random = SystemRandomNumberGenerator()
    for _ in 0..<60 {
      var damaged = Array(file.prefix(Int.random(in: 0...file.count, using: &random)))
      for _ in 0..<8 where !damaged.isEmpty {
        damaged[Int.random(in: 0..<damaged.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      if let picture = Pictures.decode(damaged, largest: 60) {
        #expect(picture.pixels.count == picture.width * picture.height * 4)
        #expect(max(picture.width, picture.height) <= 60)
      }
    }
  }

  @Test(.enabled(if: Tool.isIntegration))
  func `The picture of a file of music is found`() throws {
    let folder = try TestFolder()
    let cover = Self.png(width: 3, height: 3) { _, _ in [9, 8, 7] }
    let picture = try folder.write(cover, "cover.png")
    let music = folder.file("a.mp3")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "sine=d=1", "-i", picture, "-map", "0", "-map", "1",
        "-c:v", "copy", "-id3v2_version", "3", "-disposition:v", "attached_pic", music,
      ])
    #expect(Pictures.attached(to: Array(music.utf8)) == cover)
    #expect(Pictures.attached(to: Array(picture.utf8)) == nil)
    #expect(Pictures.attached(to: Array("/nowhere".utf8)) == nil)
  }
}
