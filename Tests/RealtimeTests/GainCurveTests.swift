import Realtime
import TestSupport
import Testing

@Suite struct GainCurveTests {
  @Test func `A constant curve is the same everywhere`() {
    let curve = GainCurve(0.5)
    #expect(curve.value(at: .min) == 0.5)
    #expect(curve.value(at: 0) == 0.5)
    #expect(curve.value(at: .max) == 0.5)
  }

  @Test func `A ramp leaves frames before it alone, and settles on its target`() {
    var curve = GainCurve(1)
    curve.ramp(to: 0.2, at: 1000, over: 100)
    #expect(curve.value(at: 0) == 1)
    #expect(curve.value(at: 1000) == 1)
    #expect(abs(curve.value(at: 1050) - 0.6) < 1e-6)
    #expect(curve.value(at: 1100) == 0.2)
    #expect(curve.value(at: 5000) == 0.2)
    #expect(curve.settledFrom == 1100)
  }

  @Test func `A ramp in the middle of another starts at the value reached, without a jump`() {
    var curve = GainCurve(1)
    curve.ramp(to: 0, at: 0, over: 100)
    curve.ramp(to: 1, at: 50, over: 100)
    #expect(curve.value(at: 25) == 0.75)
    #expect(curve.value(at: 50) == 0.5)
    #expect(curve.value(at: 100) == 0.75)
    #expect(curve.value(at: 150) == 1)
  }

  /// A model without a limit on points: the list of ramps, each cutting the ones planned after it.
  private struct Model {
    var points: [(frame: Int64, gain: Double)]
    func value(at frame: Int64) -> Double {
      guard let index = points.lastIndex(where: { $0.frame <= frame }) else {
        return points[0].gain
      }
      if index == points.count - 1 { return points[index].gain }
      let (from, to) = (points[index], points[index + 1])
      let part = Double(frame - from.frame) / Double(to.frame - from.frame)
      return from.gain + (to.gain - from.gain) * part
    }
    mutating func ramp(to gain: Double, at frame: Int64, over length: Int64) {
      let now = value(at: frame)
      points.removeAll { $0.frame >= frame }
      points.append((frame, now))
      points.append((frame + length, gain))
    }
  }

  @Test(arguments: 1...50)
  func `Any run of ramps, with what has been heard forgotten, is the curve of all of them`(
    seed: Int
  ) {
    var random = Signals.Seeded(UInt64(seed))
    var curve = GainCurve(1)
    var model = Model(points: [(Int64.min / 2, 1)])
    var frame: Int64 = 0
    for _ in 0..<200 {
      frame += Int64.random(in: 0...300, using: &random)
      let gain = Float.random(in: 0...1, using: &random)
      curve.ramp(to: gain, at: frame, over: 441)
      model.ramp(to: Double(gain), at: frame, over: 441)
      curve.forget(before: frame - 600)
      for _ in 0..<5 {
        let probe = Int64.random(in: (frame - 600)...(frame + 1000), using: &random)
        #expect(abs(Double(curve.value(at: probe)) - model.value(at: probe)) < 1e-5, "seed \(seed)")
      }
    }
  }
}
