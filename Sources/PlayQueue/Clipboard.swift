/// What was cut or copied, for playlists, which share it with the queue.
extension PlayQueue {
  /// What would be pasted.
  public var clipboardEntries: [QueueEntry] { clipboard.entries }

  /// Keeps entries that are in no queue, to be pasted.
  public mutating func keep(_ entries: [QueueEntry]) {
    guard !entries.isEmpty else { return }
    clipboard = named(entries)
  }
}
