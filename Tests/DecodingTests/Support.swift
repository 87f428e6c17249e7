import AudioTypes
import Decoding
import Foundation
import TestSupport

/// Opens by path.
func open(_ path: String) throws(DecodingError) -> any Decoding.Decoder {
  try TrackOpener.open(TrackLocation(path))
}

extension Decoding.Decoder {
  /// Reads up to `frames` frames, in pieces of `piece`.
  func take(_ frames: Int, piece: Int = 1000) throws(DecodingError) -> [Float] {
    let channels = format.channels
    var samples: [Float] = []
    let buffer = UnsafeMutableBufferPointer<Float>.allocate(capacity: piece * channels)
    defer { buffer.deallocate() }
    while samples.count < frames * channels {
      let wanted = min(piece, frames - samples.count / channels)
      let part = UnsafeMutableBufferPointer(rebasing: buffer[..<(wanted * channels)])
      let count = try read(into: part)
      if count == 0 { break }
      samples.append(contentsOf: UnsafeBufferPointer(rebasing: part[..<(count * channels)]))
    }
    return samples
  }

  /// Reads to the end.
  func takeAll(piece: Int = 1000) throws(DecodingError) -> [Float] {
    try take(1 << 30, piece: piece)
  }
}

/// The error that opening gives; `nil` where it opens.
func openingError(_ path: [UInt8]) -> DecodingError? {
  do throws(DecodingError) {
    _ = try TrackOpener.open(TrackLocation(path: path))
    return nil
  } catch {
    return error
  }
}

func openingError(_ path: String) -> DecodingError? { openingError(Array(path.utf8)) }

/// Seeks `count` times on one open decoder, also before the beginning, at and after the end, and
/// compares what follows with a straight decode. Returns the seeks that went wrong.
func wrongSeeks(
  _ decoder: any Decoding.Decoder, straight: [Float], count: Int = 500, seed: UInt64 = 7,
  tolerance: Float = 0
) throws -> [(target: Int64, firstWrong: Int)] {
  var random = Signals.Seeded(seed)
  let channels = decoder.format.channels
  let total = Int64(straight.count / channels)
  var wrong: [(target: Int64, firstWrong: Int)] = []
  for index in 0..<count {
    var target = Int64.random(in: 0...total, using: &random)
    switch index % 25 {
    case 3: target = total
    case 7: target = total + Int64.random(in: 1...100_000, using: &random)
    case 11: target = max(0, total - Int64.random(in: 1...50, using: &random))
    case 13: target = Int64.random(in: 0...min(total, 3000), using: &random)
    case 17: _ = try decoder.take(1 << 30)  // from the end on
    default: break
    }
    try decoder.seek(to: target)
    let wanted = Int.random(in: 1...3000, using: &random)
    let got = try decoder.take(wanted, piece: 700)
    let start = Int(min(target, total)) * channels
    let count = min(straight.count - start, wanted * channels)
    if got.count != count {
      wrong.append((target, -1))
    } else if let first = firstDifference(got, straight, at: start, tolerance) {
      wrong.append((target, first))
    }
  }
  return wrong
}

/// The first index at which samples differ from those of a longer run from `start` on.
func firstDifference(
  _ samples: [Float], _ run: [Float], at start: Int, _ tolerance: Float
) -> Int? {
  samples.withUnsafeBufferPointer { left in
    run.withUnsafeBufferPointer { right in
      // Equal bytes are the rule, and debug builds are slow.
      if left.isEmpty || memcmp(left.baseAddress!, right.baseAddress! + start, left.count * 4) == 0
      {
        return nil
      }
      return left.indices.first { abs(left[$0] - right[start + $0]) > tolerance }
    }
  }
}
