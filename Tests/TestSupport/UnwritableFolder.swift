import Foundation

/// A folder in which nothing can be written for a while, as on a disk that is read-only. For root
/// that takes a mount, for others permissions.
public final class UnwritableFolder {
  private let path: String
  private var isMounted = false
  private static let isRoot = geteuid() == 0

  /// False where root may not mount anything, as in many containers.
  public static let isPossible: Bool = {
    guard isRoot else { return true }
    let path = NSTemporaryDirectory() + "sotto-mount-" + UUID().uuidString
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    guard let folder = try? UnwritableFolder(path) else { return false }
    folder.open()
    return true
  }()

  public init(_ path: String) throws {
    self.path = path
    if Self.isRoot {
      try Tool.run("mount", ["--bind", path, path])
      isMounted = true
    }
    try close()
  }

  deinit { open() }

  /// Nothing can be written from now on.
  private func close() throws {
    if Self.isRoot {
      do {
        try Tool.run("mount", ["-o", "remount,ro,bind", path])
      } catch {
        unmount()
        throw error
      }
    } else {
      for name in try FileManager.default.contentsOfDirectory(atPath: path) {
        chmod(path + "/" + name, 0o400)
      }
      chmod(path, 0o500)
    }
  }

  /// It can be written again; a program that has it open notices.
  public func makeWritable() throws {
    if Self.isRoot {
      try Tool.run("mount", ["-o", "remount,rw,bind", path])
    } else {
      open()
    }
  }

  /// As it was before.
  public func open() {
    if Self.isRoot { return unmount() }
    chmod(path, 0o700)
    for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
      chmod(path + "/" + name, 0o600)
    }
  }

  private func unmount() {
    guard isMounted else { return }
    isMounted = false
    // Who has something open there lets it go later.
    _ = try? Tool.run("umount", ["--lazy", path])
  }
}
