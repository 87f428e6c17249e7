import AudioSession
import AudioTypes
import CEvdev
import Dispatch
import Glibc
import PlayerState

/// The buttons of headsets and keyboards, read from the kernel where nobody else does it for us.
/// Devices come and go; without leave to read them, or without the library, nothing happens.
///
/// On the control thread.
@MainActor public final class HeadsetButtons {
  /// What a button asks for.
  public enum Wish: Hashable, Sendable {
    case command(PlayerCommand)
    case answer, decline, hangUp
  }

  private let folder: String
  private let now: @MainActor () -> SessionTime
  private let meaning: @MainActor () -> Presses.Meaning
  private let take: @MainActor (Wish) -> Void
  private var devices: [String: ButtonDevice] = [:]
  /// Devices that have nothing for us.
  private var others: Set<String> = []
  private var watch: (any DispatchSourceRead)?

  /// - Parameters:
  ///   - now: the time that presses are counted by.
  ///   - meaning: what a headset's button is for at this moment.
  ///   - take: called for each thing that a button asks for.
  public init(
    folder: String = "/dev/input", now: @escaping @MainActor () -> SessionTime,
    meaning: @escaping @MainActor () -> Presses.Meaning, take: @escaping @MainActor (Wish) -> Void
  ) {
    self.folder = folder
    self.now = now
    self.meaning = meaning
    self.take = take
  }

  public var isOpen: Bool { watch != nil }

  /// The devices that are being read.
  public var names: [String] { devices.values.map(\.name).sorted() }

  /// Begins to read what is there and what will come.
  public func open() {
    guard watch == nil, sotto_evdev_available() else { return }
    let number = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
    guard number >= 0 else { return }
    let descriptor = ControlDescriptor(taking: number)
    guard isWatching(number) else { return }
    let source = DispatchSource.makeReadSource(fileDescriptor: number, queue: .main)
    source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.changed(number) } }
    source.setCancelHandler { [descriptor] in _ = descriptor }
    source.activate()
    watch = source
    look()
  }

  /// The folder goes with its last device and comes with the first one: the one above tells of it.
  @discardableResult
  private func isWatching(_ number: CInt) -> Bool {
    // The right to read comes a moment after the device: ATTRIB tells of it.
    let events = UInt32(IN_CREATE | IN_ATTRIB | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM)
    let above = folder.lastIndex(of: "/").map { String(folder[...$0]) } ?? "/"
    let isAbove = unsafe inotify_add_watch(number, above, UInt32(IN_CREATE | IN_MOVED_TO)) >= 0
    // One that is watched already stays so.
    return unsafe inotify_add_watch(number, folder, events) >= 0 || isAbove
  }

  /// No button is read any more.
  public func close() {
    watch?.cancel()
    watch = nil
    for device in devices.values { device.end() }
    devices = [:]
    others = []
  }

  /// What was pressed was not meant: a plug that is pulled often presses the button.
  public func forget() { for device in devices.values { device.forget() } }

  /// A command came from elsewhere that may be the same press.
  public func heard(_ command: PlayerCommand) {
    switch command {
    case .play, .pause, .toggle:
      for device in devices.values {
        guard let press = device.firstPress, (now() - press).seconds <= Echo.seconds else {
          continue
        }
        device.forget()
      }
    default: break
    }
  }

  // MARK: Devices

  private func changed(_ number: CInt) {
    // What happened is seen by looking again.
    var piece = [UInt8](repeating: 0, count: 4096)
    while unsafe read(number, &piece, piece.count) > 0 {}
    isWatching(number)
    look()
  }

  private func look() {
    let names = Set(Self.names(in: folder))
    for (name, device) in devices where !names.contains(name) {
      device.end()
      devices[name] = nil
    }
    others.formIntersection(names)
    for name in names where devices[name] == nil && !others.contains(name) {
      switch ButtonDevice.open("\(folder)/\(name)") {
      case .device(let device):
        devices[name] = device
        device.begin(now: now, meaning: meaning, take: take) { [weak self] in
          self?.devices[name]?.end()
          self?.devices[name] = nil
        }
      case .nothing: others.insert(name)
      case .refused: break
      }
    }
  }

  private nonisolated static func names(in folder: String) -> [String] {
    guard let handle = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(handle) }
    var names: [String] = []
    while let entry = unsafe readdir(handle) {
      let bytes = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
        unsafe Array($0.prefix { $0 != 0 })
      }
      let name = String(decoding: bytes, as: UTF8.self)
      if name.hasPrefix("event") { names.append(name) }
    }
    return names
  }

  // MARK: For the doctor

  /// What there is of devices with buttons.
  public struct Survey: Sendable {
    public var hasLibrary: Bool
    /// Devices that have buttons for us and can be read, by their names.
    public var readable: [String]
    /// How many devices may not be read.
    public var refused: Int
  }

  /// What there is. Opens each device for a moment.
  public nonisolated static func survey(folder: String = "/dev/input") -> Survey {
    var survey = Survey(hasLibrary: sotto_evdev_available(), readable: [], refused: 0)
    for name in names(in: folder) {
      let number = unsafe Glibc.open("\(folder)/\(name)", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      if number < 0 {
        if errno == EACCES || errno == EPERM { survey.refused += 1 }
        continue
      }
      defer { Glibc.close(number) }
      guard let device = unsafe sotto_evdev_open(number) else { continue }
      defer { unsafe sotto_evdev_close(device) }
      if unsafe !ButtonDevice.codes(device).isEmpty {
        unsafe survey.readable.append(String(cString: sotto_evdev_name(device)))
      }
    }
    return survey
  }
}
