/// Writes test files in formats that need an encoder. FFmpeg's command is an encoder here, never a
/// reference: what it writes is decoded by the library under test.
public struct Encoder: Sendable {
  public let folder: TestFolder
  /// The source: a WAV file and its samples.
  public let wave: String
  public let samples: [Int32]
  public let coding: SignalFile.Coding
  public let channels: Int
  public let rate: Int

  public init(
    _ folder: TestFolder, samples: [Int32], coding: SignalFile.Coding = .signed16,
    channels: Int = 2, rate: Int = 44100
  ) throws {
    self.folder = folder
    self.samples = samples
    self.coding = coding
    self.channels = channels
    self.rate = rate
    let mask: UInt32? = channels == 6 ? 0x3F : channels == 8 ? 0x63F : nil
    wave = try folder.write(
      SignalFile.wave(
        SignalFile.bytes(samples, coding, big: false),
        format: SignalFile.waveFormat(coding, channels: channels, rate: rate, mask: mask)),
      "source-\(coding)-\(channels)-\(rate)-\(samples.count).wav")
  }

  public var frames: Int { samples.count / channels }
  /// The source as a lossless decoder must give it.
  public var floats: [Float] { SignalFile.floats(samples, bits: coding.bits) }

  /// Encodes with FFmpeg's command; `name` has the container's extension.
  public func ffmpeg(_ name: String, _ options: [String]) throws -> String {
    let path = folder.file(name)
    try Tool.run(
      "ffmpeg", ["-nostdin", "-v", "error", "-y", "-i", wave] + options + [path])
    return path
  }

  /// The same with moving pictures beside the sound.
  public func film(_ name: String, _ options: [String]) throws -> String {
    let path = folder.file(name)
    try Tool.run(
      "ffmpeg",
      ["-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=s=160x120:r=10", "-i", wave]
        + ["-shortest", "-c:v", "mpeg4"] + options + [path])
    return path
  }

  /// Any other encoder: `{in}` and `{out}` are replaced.
  public func tool(_ command: [String], _ name: String) throws -> String {
    let path = folder.file(name)
    let words = command.map { $0 == "{in}" ? wave : $0 == "{out}" ? path : $0 }
    try Tool.run(words[0], Array(words.dropFirst()))
    return path
  }
}

/// Writers for one-bit sound, which no encoder of the distribution makes.
public enum OneBitFile {
  /// A sine as one-bit samples (second-order noise shaping), `count` of them, oldest first.
  public static func sine(count: Int, period: Int) -> [Bool] {
    var last = 0.0
    var before = 0.0
    // A resonator gives the sine without a maths library.
    let step = 6.283185307179586 / Double(period)
    let factor = 2 - step * step
    var sine = (0.0, 0.4 * step)
    return (0..<count).map { _ in
      let value = sine.0 + 2 * last - before
      let output = value >= 0
      before = last
      last = value - (output ? 1 : -1)
      sine = (sine.1, factor * sine.1 - sine.0)
      return output
    }
  }

  /// DSF: little-endian, the lowest bit first, blocks of 4096 bytes a channel.
  public static func dsf(_ channels: [[Bool]], rate: Int) -> [UInt8] {
    let count = channels[0].count
    let planes = channels.map { pack($0, highestFirst: false) }
    let blocks = (planes[0].count + 4095) / 4096
    var data: [UInt8] = []
    for block in 0..<blocks {
      for plane in planes {
        let part = plane.dropFirst(block * 4096).prefix(4096)
        data += part + [UInt8](repeating: 0, count: 4096 - part.count)
      }
    }
    func number(_ value: Int, _ bytes: Int) -> [UInt8] {
      SignalFile.number(value, bytes, big: false)
    }
    let format =
      Array("fmt ".utf8) + number(52, 8) + number(1, 4) + number(0, 4)
      + number(channels.count, 4) + number(channels.count, 4) + number(rate, 4) + number(1, 4)
      + number(count, 8) + number(4096, 4) + number(0, 4)
    let sound = Array("data".utf8) + number(12 + data.count, 8) + data
    return Array("DSD ".utf8) + number(28, 8) + number(28 + format.count + sound.count, 8)
      + number(0, 8) + format + sound
  }

  /// DSDIFF: big-endian, the highest bit first, channels byte by byte.
  public static func dff(_ channels: [[Bool]], rate: Int) -> [UInt8] {
    let planes = channels.map { pack($0, highestFirst: true) }
    var data: [UInt8] = []
    for index in planes[0].indices { for plane in planes { data.append(plane[index]) } }
    func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
      Array(name.utf8) + SignalFile.number(body.count, 8, big: true) + body
        + (body.count % 2 == 1 ? [0] : [])
    }
    let names = ["SLFT", "SRGT"].prefix(channels.count).flatMap { Array($0.utf8) }
    let properties =
      Array("SND ".utf8) + chunk("FS  ", SignalFile.number(rate, 4, big: true))
      + chunk("CHNL", SignalFile.number(channels.count, 2, big: true) + names)
      + chunk("CMPR", Array("DSD \u{0E}not compressed".utf8) + [0])
    let body =
      Array("DSD ".utf8) + chunk("FVER", [1, 5, 0, 0]) + chunk("PROP", properties)
      + chunk("DSD ", data)
    return chunk("FRM8", body)
  }

  private static func pack(_ bits: [Bool], highestFirst: Bool) -> [UInt8] {
    stride(from: 0, to: bits.count, by: 8).map { start in
      (0..<8).reduce(UInt8(0)) { byte, index in
        guard start + index < bits.count, bits[start + index] else { return byte }
        return byte | 1 << UInt8(highestFirst ? 7 - index : index)
      }
    }
  }
}
