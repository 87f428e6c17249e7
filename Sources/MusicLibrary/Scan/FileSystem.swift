import Glibc

/// What the kernel says of mounted file systems.
enum FileSystem {
  /// False for a device whose files are numbered anew at each mount.
  static func hasStableNodes(_ device: Int64) -> Bool {
    guard let kind = kind(device) else { return true }
    let unstable = ["vfat", "msdos", "exfat", "cifs", "smb3", "9p", "ntfs"]
    return !unstable.contains(kind) && !kind.hasPrefix("fuse")
  }

  /// "ext4", as /proc/self/mountinfo names it; `nil` where it does not.
  private static func kind(_ device: Int64) -> String? {
    let number = UInt64(bitPattern: device)
    let major = number >> 8 & 0xFFF | number >> 32 & ~0xFFF
    let minor = number & 0xFF | number >> 12 & ~0xFF
    let wanted = Array("\(major):\(minor)".utf8)
    for line in mounts().split(separator: 0x0A) {
      // 36 35 98:0 /root /mount options tags - ext4 source options
      let words = line.split(separator: 0x20)
      guard words.count > 3, words[2].elementsEqual(wanted),
        let dash = words.firstIndex(where: { $0.elementsEqual([0x2D]) }), dash + 1 < words.count
      else { continue }
      return String(decoding: words[dash + 1], as: UTF8.self)
    }
    return nil
  }

  private static func mounts() -> [UInt8] {
    let descriptor = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < 16 << 20 {
      let count = read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    return bytes
  }
}
