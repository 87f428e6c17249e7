/// The order in which commands came, kept while one of them waits for what must be known first.
///
/// On the control thread.
@MainActor final class MPRISOrder {
  private var isHeld = false
  private var waiting: [@MainActor () -> Void] = []

  /// Does it at once, or in its turn.
  func take(_ command: @escaping @MainActor () -> Void) {
    if isHeld { waiting.append(command) } else { command() }
  }

  /// What comes from now on waits until `goOn`.
  func hold() { isHeld = true }

  /// Does what has waited, up to the next that holds.
  func goOn() {
    isHeld = false
    while !isHeld, !waiting.isEmpty { waiting.removeFirst()() }
  }
}
