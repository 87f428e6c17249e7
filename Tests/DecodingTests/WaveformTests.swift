import AudioTypes
import TestSupport
import Testing

@testable import Decoding

/// Waveforms are what is in the file.
@Suite struct WaveformTests {
  private static func file(_ folder: TestFolder, _ samples: [Int32], channels: Int = 1) throws
    -> TrackLocation
  {
    TrackLocation(
      try folder.write(
        SignalFile.wave(
          SignalFile.bytes(samples, .signed16, big: false),
          format: SignalFile.waveFormat(.signed16, channels: channels, rate: 8000)), "a.wav"))
  }

  @Test func `Each part has the peak of its own frames, of whichever channel and sign`() throws {
    let folder = try TestFolder()
    // Part after part, one frame of each sounds.
    var samples = [Int32](repeating: 0, count: Waveform.parts * 50 * 2)
    for part in 0..<Waveform.parts {
      let place = (part * 50 + part % 50) * 2 + part % 2
      samples[place] = Int32(part % 2 == 0 ? 1 : -1) * Int32(part * 32767 / Waveform.parts)
    }
    let peaks = try #require(
      try Waveform.peaks(of: try Self.file(folder, samples, channels: 2)) { _ in true })
    #expect(peaks.count == Waveform.parts)
    for part in 0..<Waveform.parts {
      #expect(abs(Int(peaks[part]) - part * 255 / Waveform.parts) <= 1)
    }
  }

  @Test func `A track shorter than its parts and one of a part of a file are whole`() throws {
    let folder = try TestFolder()
    var location = try Self.file(folder, Array(repeating: 32767, count: 7))
    #expect(try Waveform.peaks(of: location) { _ in true }?.max() == 255)
    let loudLast = [Int32](repeating: 0, count: 8000) + [Int32](repeating: 16384, count: 8000)
    location = try Self.file(folder, loudLast)
    location.start = 1
    let peaks = try #require(try Waveform.peaks(of: location) { _ in true })
    #expect(peaks.allSatisfy { $0 == 128 })
  }

  @Test func `It grows as it is computed, and ends when it is told to`() throws {
    let folder = try TestFolder()
    let location = try Self.file(folder, Array(repeating: 32767, count: 16_384 * 4))
    var sums: [Int] = []
    let peaks = try Waveform.peaks(of: location) { peaks in
      sums.append(peaks.count { $0 > 0 })
      return sums.count < 3
    }
    #expect(peaks == nil)
    #expect(sums == [150, 300, 450])
  }

  @Test func `What cannot be read says so`() {
    #expect(throws: DecodingError.self) {
      try Waveform.peaks(of: TrackLocation("/nonexistent.wav")) { _ in true }
    }
  }
}
