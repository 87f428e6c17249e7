/// Two channels of samples.
public struct Samples: Equatable, Sendable {
  public var left: [Float]
  public var right: [Float]

  /// - Parameter right: as long as `left`; the same as it where there is one channel.
  public init(left: [Float], right: [Float]? = nil) {
    self.left = left
    self.right = right ?? left
  }

  public var count: Int { min(left.count, right.count) }
}

/// A sound that is known, and where a recording has it.
public struct PlacedSound: Sendable {
  public var samples: Samples
  /// The frame of the recording at which the sound's first frame is.
  public var begin: Int
  public var isLooping: Bool

  public init(_ samples: Samples, begin: Int, isLooping: Bool = false) {
    self.samples = samples
    self.begin = begin
    self.isLooping = isLooping
  }

  /// Which frame of the sound a frame of the recording is; nil outside it.
  func index(_ frame: Int) -> Int? {
    let index = frame - begin
    guard index >= 0, samples.count > 0 else { return nil }
    if isLooping { return index % samples.count }
    return index < samples.count ? index : nil
  }
}

/// What a stretch of a recording is made of.
public struct Fit: Equatable, Sendable {
  /// What each sound is multiplied with; nil where the sound itself is too quiet there to tell.
  public var gains: [Double?]
  /// The root mean square of the recording, and of what the sounds do not explain.
  public var level: Double
  public var rest: Double
}

/// Finds known sounds in a recording and says how loud each of them is in it: by least squares
/// against the sounds themselves, so that a mix of several can be taken apart.
public enum SoundCheck {
  /// Below this root mean square a sound says nothing.
  public static let quiet = 1e-3

  /// Which frame of a sound stands at the recording's first frame.
  ///
  /// - Parameters:
  ///   - recording: the piece that is looked for, some thousand frames.
  ///   - candidates: frames of the sound at which it may begin.
  /// - Returns: the best place, and how alike the two are (1: the same up to loudness); nil where
  ///   either is silent everywhere.
  public static func find(
    _ recording: Samples, in sound: Samples, isLooping: Bool = false, at candidates: Range<Int>
  ) -> (frame: Int, likeness: Double)? {
    guard !candidates.isEmpty, recording.count >= coarse else { return nil }
    // First in steps, then frame by frame around the best: of a tone, many places are nearly alike.
    let piece = thinned(recording, from: 0, count: recording.count, isLooping: false)
    let span = candidates.count + recording.count
    let field = thinned(sound, from: candidates.lowerBound, count: span, isLooping: isLooping)
    var rough: [(frame: Int, likeness: Double)] = []
    for step in 0...(candidates.count - 1) / coarse {
      let likeness = Self.likeness(piece, field, at: step)
      rough.append((candidates.lowerBound + step * coarse, likeness))
    }
    rough.sort { $0.likeness > $1.likeness }
    var best: (frame: Int, likeness: Double)?
    var tried: Set<Int> = []
    for place in rough.prefix(24) {
      for frame in place.frame - coarse...place.frame + coarse
      where candidates.contains(frame) && tried.insert(frame).inserted {
        let part = cut(sound, from: frame, count: recording.count, isLooping: isLooping)
        let likeness = likeness(recording, part, at: 0)
        if likeness > best?.likeness ?? 0 { best = (frame, likeness) }
      }
    }
    return best
  }

  /// How loud each sound is in some frames of a recording.
  ///
  /// - Parameter recording: the frames from `first` on.
  public static func fit(_ sounds: [PlacedSound], to recording: Samples, first: Int) -> Fit {
    let (gains, rest) = explain(recording, sounds, first: first)
    return Fit(gains: gains, level: level(recording), rest: level(rest))
  }

  /// What is left of a recording without some sounds.
  public static func rest(
    of recording: Samples, without sounds: [PlacedSound], first: Int
  ) -> Samples {
    explain(recording, sounds, first: first).rest
  }

  private static func explain(
    _ recording: Samples, _ sounds: [PlacedSound], first: Int
  ) -> (gains: [Double?], rest: Samples) {
    let count = recording.count
    let references = sounds.map { sound -> Samples? in
      var left = [Float](repeating: 0, count: count)
      var right = left
      for frame in 0..<count {
        guard let index = sound.index(first + frame) else { continue }
        left[frame] = sound.samples.left[index]
        right[frame] = sound.samples.right[index]
      }
      let samples = Samples(left: left, right: right)
      return level(samples) < quiet ? nil : samples
    }
    let known = references.compactMap { $0 }
    let solved = solve(
      known.map { row in known.map { product(row, $0) } },
      known.map { product($0, recording) })
    var next = 0
    let gains = references.map { reference -> Double? in
      guard reference != nil else { return nil }
      next += 1
      return solved[next - 1]
    }
    var rest = recording
    for (gain, reference) in zip(solved, known) {
      for frame in 0..<count {
        rest.left[frame] -= Float(gain) * reference.left[frame]
        rest.right[frame] -= Float(gain) * reference.right[frame]
      }
    }
    return (gains, rest)
  }

  /// The root mean square of both channels.
  public static func level(_ samples: Samples) -> Double {
    samples.count == 0 ? 0 : (product(samples, samples) / Double(2 * samples.count)).squareRoot()
  }

  // MARK: Sums

  /// How many frames become one in the rough search.
  private static let coarse = 4

  private static func cut(_ samples: Samples, from: Int, count: Int, isLooping: Bool) -> Samples {
    let length = samples.count
    func value(_ channel: [Float], _ index: Int) -> Float {
      if isLooping, length > 0 { return channel[((index % length) + length) % length] }
      return index >= 0 && index < length ? channel[index] : 0
    }
    return Samples(
      left: (from..<from + count).map { value(samples.left, $0) },
      right: (from..<from + count).map { value(samples.right, $0) })
  }

  /// The means of some frames each.
  private static func thinned(
    _ samples: Samples, from: Int, count: Int, isLooping: Bool
  ) -> Samples {
    let part = cut(samples, from: from, count: count, isLooping: isLooping)
    func means(_ channel: [Float]) -> [Float] {
      (0..<count / coarse).map { block in
        var sum: Float = 0
        for index in block * coarse..<(block + 1) * coarse { sum += channel[index] }
        return sum / Float(coarse)
      }
    }
    return Samples(left: means(part.left), right: means(part.right))
  }

  /// The normalised correlation of a piece with a field, from one of its frames on.
  private static func likeness(_ piece: Samples, _ field: Samples, at begin: Int) -> Double {
    let count = min(piece.count, field.count - begin)
    var own = 0.0
    var other = 0.0
    var common = 0.0
    for index in 0..<max(count, 0) {
      let a = (piece.left[index], piece.right[index])
      let b = (field.left[begin + index], field.right[begin + index])
      own += Double(a.0 * a.0 + a.1 * a.1)
      other += Double(b.0 * b.0 + b.1 * b.1)
      common += Double(a.0 * b.0 + a.1 * b.1)
    }
    let scale = (own * other).squareRoot()
    return scale > 0 ? common / scale : 0
  }

  private static func product(_ a: Samples, _ b: Samples) -> Double {
    var sum = 0.0
    for index in 0..<min(a.count, b.count) {
      sum += Double(a.left[index] * b.left[index] + a.right[index] * b.right[index])
    }
    return sum
  }

  /// Gaussian elimination with the largest pivot. A row that says nothing new gives 0.
  private static func solve(_ matrix: [[Double]], _ values: [Double]) -> [Double] {
    let count = values.count
    var rows = matrix
    var right = values
    let smallest = (matrix.indices.map { matrix[$0][$0] }.max() ?? 0) * 1e-9
    for column in 0..<count {
      let pivot = (column..<count).max { abs(rows[$0][column]) < abs(rows[$1][column]) }!
      rows.swapAt(column, pivot)
      right.swapAt(column, pivot)
      guard abs(rows[column][column]) > smallest else { continue }
      for row in 0..<count where row != column {
        let factor = rows[row][column] / rows[column][column]
        for index in column..<count { rows[row][index] -= factor * rows[column][index] }
        right[row] -= factor * right[column]
      }
    }
    return (0..<count).map {
      abs(rows[$0][$0]) > smallest ? right[$0] / rows[$0][$0] : 0
    }
  }
}
