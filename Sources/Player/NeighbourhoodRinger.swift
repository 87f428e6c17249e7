import AudioEngine
import AudioSession
import AudioTypes
import Decoding

/// Ringing and message tones, and how loud they are. On the control thread.
extension Neighbourhood {
  /// Rings or beeps in a stream of its own, at the volume that the server keeps for events; in the
  /// mix where the output takes one stream only.
  func alert(_ file: String, name: String, isRing: Bool = false) {
    guard let events = engine.events, events.streams != .mixed else {
      alertInMix(file, isRing)
      return
    }
    let path = folder + Array("/\(file)".utf8)
    let gain = events.streams == .withVolume ? .unity : Self.ringerGain(ownRinger)
    let id = events.begin(
      TrackLocation(path: path), name: name, gain: gain, isLooping: isRing
    ) { [weak self] failure in
      guard let self else { return }
      switch failure {
      case .sound(let error): onFault?(path, error.sentence)
      case .output(let error):
        // Nobody would know why the ringer's volume means nothing.
        let isHeard = alertInMix(file, isRing)
        let rest = isHeard ? "it sounds in the music's" : "it is not heard"
        notice("\(name): no stream of its own, \(rest): \(error.sentence)")
      }
      if isRing { ringEvent = nil }
    }
    if isRing { ringEvent = id }
  }

  /// - Returns: whether it sounds.
  @discardableResult
  func alertInMix(_ file: String, _ isRing: Bool) -> Bool {
    // What rings goes on: a tone in its place would be its end.
    if !isRing, isRingingInMix { return false }
    let length = sound(
      file, place: Self.ringPlace, gain: Self.ringerGain(ownRinger), isLooping: isRing)
    return length != nil
  }

  private var isRingingInMix: Bool {
    ringEvent == nil && !isSilent && calls.contains { $0.phase == .ringing }
  }

  func endRing() {
    if let id = ringEvent {
      engine.events?.end(id)
      ringEvent = nil
    } else {
      engine.end(soundIn: Self.ringPlace)
    }
  }

  private func notice(_ sentence: String) {
    if noticed.insert(sentence).inserted { onNotice?(sentence) }
  }

  /// Changes the ringer volume by so many percent, whatever sounds.
  public func stepRinger(percent: Int) {
    if ringer == nil { return engine.stepRinger(percent: percent) }
    ownRinger = min(max(ownRinger + percent, 0), 100)
  }

  func changeRinger(_ direction: VolumeDirection) {
    let step =
      switch direction {
      case .up: Player.volumeStep
      case .down: -Player.volumeStep
      case .mute: 0
      }
    if ringer == nil { return engine.stepRinger(percent: step) }
    if step == 0 {
      ownRinger = ownRinger == 0 ? 80 : 0
    } else {
      ownRinger = min(max(ownRinger + step, 0), 100)
    }
  }

  /// The cube of the percentage, as sotto's own level.
  static func ringerGain(_ percent: Int) -> Gain {
    let part = Float(percent) / 100
    return Gain(linear: part * part * part)
  }
}
