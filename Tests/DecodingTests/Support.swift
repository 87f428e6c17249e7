import AudioTypes
import Decoding
import TestSupport

/// Opens by path.
func open(_ path: String) throws(DecodingError) -> any Decoding.Decoder {
  try TrackOpener.open(TrackLocation(path))
}

extension Decoding.Decoder {
  /// Reads up to `frames` frames, in pieces of `piece`.
  func take(_ frames: Int, piece: Int = 1000) throws(DecodingError) -> [Float] {
    var samples: [Float] = []
    let channels = format.channels
    let buffer = UnsafeMutableBufferPointer<Float>.allocate(capacity: piece * channels)
    defer { buffer.deallocate() }
    while samples.count < frames * channels {
      let wanted = min(piece, frames - samples.count / channels)
      let part = UnsafeMutableBufferPointer(rebasing: buffer[..<(wanted * channels)])
      let count = try read(into: part)
      if count == 0 { break }
      samples += buffer[..<(count * channels)]
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
    let right = straight[start..<min(straight.count, start + wanted * channels)]
    if got.count != right.count {
      wrong.append((target, -1))
    } else if let first = zip(got, right).enumerated().first(where: {
      abs($0.element.0 - $0.element.1) > tolerance
    }) {
      wrong.append((target, first.offset))
    }
  }
  return wrong
}
