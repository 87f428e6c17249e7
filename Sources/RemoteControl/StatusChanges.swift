import JSONText

/// What of a status is new: fields that are as they were are left out, and so is a position that
/// has only gone on with time. Pure.
public struct StatusChanges: Sendable {
  private var told: [String: String]?
  private var at = 0.0
  private var position = 0.0
  private var isAdvancing = false

  /// A position further off than this, in seconds, is a jump.
  static let tolerance = 0.25

  public init() {}

  /// The first time all of it; then `at` and what has changed, or `nil` when nothing has.
  public mutating func next(_ fields: [(String, JSON)]) -> [(String, JSON)]? {
    let new = Dictionary(fields.map { ($0.0, $0.1.text()) }) { $1 }
    let (oldAt, oldPosition, wasAdvancing) = (at, position, isAdvancing)
    for case (let name, .double(let value)) in fields {
      if name == "at" { at = value }
      if name == "position" { position = value }
    }
    for case ("isAdvancing", .bool(let value)) in fields { isAdvancing = value }
    guard let old = told else {
      told = new
      return fields
    }
    let expected = wasAdvancing ? oldPosition + at - oldAt : oldPosition
    let isJump = abs(position - expected) > Self.tolerance || isAdvancing != wasAdvancing
    let changed = fields.filter { name, _ in
      name != "at" && name != "position" && old[name] != new[name]
    }
    guard !changed.isEmpty || isJump else {
      // What is told is what others count on from there.
      (at, position) = (oldAt, oldPosition)
      return nil
    }
    told = new
    return fields.filter { name, _ in
      name == "at" || name == "position" || changed.contains { $0.0 == name }
    }
  }
}
