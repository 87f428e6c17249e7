import Glibc

/// Folders that are made when the first file is kept in them.
enum Folders {
  /// Makes a folder and those above it.
  ///
  /// - Returns: 0, or the errno of the first that could not be made where it is not there then.
  @discardableResult
  static func make(_ path: [UInt8], mode: mode_t = 0o700) -> CInt {
    var cause: CInt = 0
    func make(_ folder: some Collection<UInt8>) {
      let result = unsafe mkdir(folder.map { CChar(bitPattern: $0) } + [0], mode)
      if result == 0 || errno == EEXIST { cause = 0 } else if cause == 0 { cause = errno }
    }
    for index in path.indices.dropFirst() where path[index] == UInt8(ascii: "/") {
      make(path[..<index])
    }
    make(path)
    return cause
  }
}
