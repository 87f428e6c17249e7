import Glibc

/// What a process is called. Reads of `/proc`, which never wait.
enum BusProgram {
  /// The process's name, which the kernel cuts after 15 bytes.
  static func name(_ id: Int64) -> String? {
    guard id > 0 else { return nil }
    let descriptor = unsafe open("/proc/\(id)/comm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, 64) }
    guard count > 0 else { return nil }
    return String(decoding: bytes[..<count].prefix { $0 != 0x0A }, as: UTF8.self)
  }
}
