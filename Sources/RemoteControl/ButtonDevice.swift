import AudioSession
import AudioTypes
import Bus
import CEvdev
import Dispatch
import Glibc
import PlayerState

/// One input device with buttons for us. On the control thread.
@safe @MainActor final class ButtonDevice {
  enum Opened {
    case device(ButtonDevice)
    /// It can be read, and has no key that means anything here.
    case nothing
    /// It may not be read, or is no input device, at least not yet.
    case refused
  }

  let name: String
  private let descriptor: ControlDescriptor
  private let device: OpaquePointer
  private let isKeyboard: Bool
  private var presses: Presses
  private var reading: (any DispatchSourceRead)?
  private let timer = BusTimer()
  private var volumeAt = SessionTime.zero
  private var now: (@MainActor () -> SessionTime)?
  private var meaning: (@MainActor () -> Presses.Meaning)?
  private var take: (@MainActor (HeadsetButtons.Wish) -> Void)?
  private var onGone: (@MainActor () -> Void)?

  static func open(_ path: String) -> Opened {
    let number = unsafe Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    // One that has just come may get its rights, or be made, a moment later.
    guard number >= 0 else { return .refused }
    let descriptor = ControlDescriptor(taking: number)
    guard let device = unsafe sotto_evdev_open(number) else { return .refused }
    let codes = unsafe codes(device)
    guard !codes.isEmpty else {
      unsafe sotto_evdev_close(device)
      return .nothing
    }
    _ = unsafe sotto_evdev_only(device, codes, codes.count)
    return .device(unsafe ButtonDevice(descriptor, device))
  }

  /// The keys of a device that mean something here.
  nonisolated static func codes(_ device: OpaquePointer) -> [UInt16] {
    let points = unsafe sotto_evdev_points(device)
    return ButtonKeys.codes.filter { code in
      // The first button of a joystick or tablet is no headset's.
      unsafe sotto_evdev_has(device, code) && !(code == ButtonKeys.first && points)
    }
  }

  private init(_ descriptor: ControlDescriptor, _ device: OpaquePointer) {
    self.descriptor = descriptor
    unsafe self.device = device
    name = unsafe String(cString: sotto_evdev_name(device))
    isKeyboard = unsafe sotto_evdev_has(device, ButtonKeys.letter)
    // Bluetooth's releases are made up: they come after a time-out (linux-events C4).
    presses = Presses(reportsReleases: !name.hasSuffix("(AVRCP)"))
  }

  isolated deinit { unsafe sotto_evdev_close(device) }

  func begin(
    now: @escaping @MainActor () -> SessionTime,
    meaning: @escaping @MainActor () -> Presses.Meaning,
    take: @escaping @MainActor (HeadsetButtons.Wish) -> Void,
    onGone: @escaping @MainActor () -> Void
  ) {
    (self.now, self.meaning, self.take, self.onGone) = (now, meaning, take, onGone)
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor.number, queue: .main)
    source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.read() } }
    source.setCancelHandler { [descriptor] in _ = descriptor }
    source.activate()
    reading = source
  }

  func end() {
    reading?.cancel()
    reading = nil
    forget()
  }

  func forget() {
    presses.forget()
    timer.cancel()
  }

  var firstPress: SessionTime? { presses.firstPress }

  private func read() {
    var key = sotto_evdev_key()
    while reading != nil {
      switch unsafe sotto_evdev_next(device, &key) {
      case 1: took(key)
      case 0: return
      default: onGone?()
      }
    }
  }

  private func took(_ key: sotto_evdev_key) {
    guard let meaning = ButtonKeys.meanings[key.code], let now = now?(), let use = self.meaning?()
    else { return }
    if meaning == .single || !isKeyboard && use != .transport && ButtonKeys.isButton(key.code) {
      // Held down, it is still one press.
      if key.value != 2 { press(key.value == 1 ? .press : .release, now, use) }
      return
    }
    guard case .command(let command) = meaning else { return }
    // The press that ended a call is let go when the button is for music again.
    guard key.value != 0 else { return }
    switch command {
    case .volume:
      if key.value == 2, (now - volumeAt).seconds < ButtonKeys.repeatSeconds { return }
      volumeAt = now
      take?(.command(command))
    default: if key.value == 1 { take?(.command(command)) }
    }
  }

  private func press(_ input: Presses.Input, _ now: SessionTime, _ use: Presses.Meaning) {
    for act in presses.take(input, at: now, during: use) { take?(Self.wish(act)) }
    setTimer()
  }

  private func setTimer() {
    guard reading != nil, let deadline = presses.deadline, let now = now?() else {
      return timer.cancel()
    }
    timer.set(after: max(0, (deadline - now).seconds)) { [weak self] in
      guard let self, let now = self.now?(), let use = self.meaning?() else { return }
      press(.wait, now, use)
    }
  }

  private static func wish(_ act: Presses.Act) -> HeadsetButtons.Wish {
    switch act {
    case .toggle: .command(.toggle)
    case .next: .command(.next)
    case .previous: .command(.previous)
    case .answer: .answer
    case .decline: .decline
    case .hangUp: .hangUp
    }
  }
}
