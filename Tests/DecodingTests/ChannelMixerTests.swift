import AudioTypes
import Decoding
import TestSupport
import Testing

@Suite struct ChannelMixerTests {
  func mix(_ input: [Float], _ mixer: ChannelMixer) -> [Float] {
    var output = [Float](
      repeating: .nan, count: input.count / mixer.input.channels.count * mixer.output.channels.count
    )
    input.withUnsafeBufferPointer { from in
      output.withUnsafeMutableBufferPointer { _ = mixer.mix(from, into: $0) }
    }
    return output
  }

  @Test func `the same layout stays as it is`() {
    for channels in [1, 2, 6, 8] {
      let layout = ChannelLayout.usual(channels: channels)
      let mixer = ChannelMixer(from: layout, to: layout)
      #expect(mixer.isIdentity)
      let samples = Signals.coded(frames: 50, channels: channels, bits: 24).map {
        Float($0) * 0x1p-23
      }
      #expect(mix(samples, mixer) == samples)
    }
  }

  @Test func `mono goes to both sides and stereo to the middle`() {
    let up = ChannelMixer(from: .mono, to: .stereo)
    #expect(mix([0.5, -1], up) == [0.5, 0.5, -1, -1])
    let down = ChannelMixer(from: .stereo, to: .mono)
    #expect(mix([1, 1, 1, -1, 0.5, 0], down) == [1, 0, 0.25])
  }

  @Test func `five point one follows the matrix and leaves the low channel out`() {
    let mixer = ChannelMixer(from: .usual(channels: 6), to: .stereo)
    // L R C LFE Ls Rs, lowered by 1 + 2 · 0.7071.
    let whole = 1 / (1 + 2 * 0.5.squareRoot())
    let part = 0.5.squareRoot() * whole
    let wanted = [whole, 0, part, 0, part, 0, 0, whole, part, 0, 0, part]
    #expect(mixer.matrix.count == 12)
    for (got, right) in zip(mixer.matrix, wanted) { #expect(abs(Double(got) - right) < 1e-5) }
    #expect(mix([0, 0, 0, 1, 0, 0], mixer) == [0, 0])
  }

  @Test func `no layout clips at full scale, and every channel but the low one is heard`() {
    var layouts = (1...32).map { ChannelLayout.usual(channels: $0) }
    layouts += [
      ChannelLayout([.frontLeft, .frontRight, .backCenter]),
      ChannelLayout([.frontLeft, .frontRight, .frontCenter, .backCenter]),
      ChannelLayout([.lowFrequency]), ChannelLayout([.backLeft, .backRight]),
      ChannelLayout(Channel.allCases),
      ChannelLayout([.frontLeft, .frontCenter, .frontRight, .backLeft, .backRight, .lowFrequency]),
    ]
    var random = Signals.Seeded(9)
    for layout in layouts {
      for output in [ChannelLayout.mono, .stereo] {
        let mixer = ChannelMixer(from: layout, to: output)
        let channels = layout.channels.count
        var input = [Float](repeating: 1, count: channels)
        input += [Float](repeating: -1, count: channels)
        for _ in 0..<200 * channels { input.append(Bool.random(using: &random) ? 1 : -1) }
        #expect(mix(input, mixer).allSatisfy { abs($0) <= 1 })
        for (index, channel) in layout.channels.enumerated() {
          var single = [Float](repeating: 0, count: channels)
          single[index] = 1
          let heard = mix(single, mixer).contains { $0 > 0 }
          #expect(heard == (channel != .lowFrequency || channels == 1))
        }
      }
    }
  }

  @Test func `left stays left and right stays right`() {
    for channels in 2...8 {
      let layout = ChannelLayout.usual(channels: channels)
      let mixer = ChannelMixer(from: layout, to: .stereo)
      for (index, channel) in layout.channels.enumerated() {
        var single = [Float](repeating: 0, count: channels)
        single[index] = 1
        let out = mix(single, mixer)
        switch channel {
        case .frontLeft, .backLeft, .sideLeft: #expect(out[0] > 0 && out[1] == 0)
        case .frontRight, .backRight, .sideRight: #expect(out[0] == 0 && out[1] > 0)
        default: #expect(out[0] == out[1])
        }
      }
    }
  }
}
