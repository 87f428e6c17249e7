/// Which file on disk it is: the same after it was moved or renamed.
public struct FileIdentity: Hashable, Sendable {
  public var device: Int64
  public var node: Int64
  /// Bytes.
  public var size: Int64
  /// Nanoseconds since 1970.
  public var modified: Int64

  public init(device: Int64, node: Int64, size: Int64, modified: Int64) {
    self.device = device
    self.node = node
    self.size = size
    self.modified = modified
  }
}

/// A file as the index knows it.
public struct IndexedFile: Equatable, Sendable {
  public var id: Int64
  public var name: [UInt8]
  public var identity: FileIdentity
  /// A stamp of what lies beside it and tells of it (a CUE sheet, a cover): another one, read again.
  public var beside: Int64
  /// Why it could not be read.
  public var fault: String?
  public var isMissing: Bool
}
