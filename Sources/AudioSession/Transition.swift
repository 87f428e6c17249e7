import AudioTypes

/// One step: what happened, what was before and is after, and what is to be done.
public struct Transition: Hashable, Sendable, Codable {
  public var at: SessionTime
  public var trigger: Trigger
  public var before: Situation
  public var after: Situation
  /// In the order in which they are to be carried out.
  public var actions: [Action]
  /// Which rules it follows from.
  public var rules: RuleSet
  /// What there is to say; `nil` when nothing changed for a listener.
  public var remark: Remark?
  /// The request was refused, and nothing changed.
  public var refusal: SessionError?

  /// The entry for the log: `nil` when nothing changed and nothing was refused.
  public var decision: Decision? {
    guard let remark else { return nil }
    return Decision(
      at: at, trigger: trigger, before: before, after: after, rules: rules, remark: remark)
  }

  /// A sentence for people: `Paused: headphones were unplugged`; empty when there is nothing to say.
  public var sentence: String { remark?.sentence ?? "" }
}

/// Why it is as it is: what changed, because of what, under which rules.
public struct Decision: Hashable, Sendable, Codable {
  public var at: SessionTime
  public var trigger: Trigger
  public var before: Situation
  public var after: Situation
  public var rules: RuleSet
  public var remark: Remark

  /// For people, without its full stop: `Paused: headphones were unplugged`.
  public var sentence: String { remark.sentence }

  /// For a screen reader: whole sentences, no signs.
  public var spoken: String { remark.spoken }
}

/// The latest decisions, the oldest forgotten first.
public struct DecisionLog: Sendable {
  private var ring: [Decision] = []
  private var oldest = 0
  public let capacity: Int

  public init(capacity: Int = 256) { self.capacity = max(1, capacity) }

  /// Keeps a decision; the oldest is forgotten where there are too many.
  public mutating func append(_ decision: Decision) {
    if ring.count < capacity {
      ring.append(decision)
    } else {
      ring[oldest] = decision
      oldest = (oldest + 1) % capacity
    }
  }

  /// The latest `count`, oldest first.
  public func latest(_ count: Int = .max) -> [Decision] {
    Array((ring[oldest...] + ring[..<oldest]).suffix(max(0, count)))
  }
}
