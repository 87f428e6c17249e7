import AudioTypes

/// What a run of scenarios has shown: right, wrong, or nothing, when the machine was too busy.
struct ScenarioVerdict: Equatable {
  /// What was heard that must not be so, where the steps came in time, and where they did not.
  private(set) var faults = 0
  private(set) var doubtful = 0
  /// The latest step of those that came too late to judge by, in seconds.
  private(set) var worst = 0.0

  /// Beyond this a step moves what is heard out of the stretch that it is looked for in.
  static let tolerance = 0.05

  /// - Parameters:
  ///   - lateness: of the latest step, in seconds.
  ///   - lateChanges: changes that reached the output too late to be heard where they were meant.
  mutating func add(faults: Int, lateness: Double, lateChanges: Int) {
    let isBusy = lateness > Self.tolerance || lateChanges > 0
    if isBusy { worst = max(worst, lateness) }
    if isBusy { doubtful += faults } else { self.faults += faults }
  }

  /// 75 is "try again later" (EX_TEMPFAIL).
  var status: CInt { faults > 0 ? 1 : doubtful > 0 ? 75 : 0 }

  /// `nil` when all was right.
  var sentence: String? {
    if faults > 0 {
      return "\(faults) \(faults == 1 ? "thing" : "things") heard that must not be so"
    }
    guard doubtful > 0 else { return nil }
    let late = worst > Self.tolerance ? ", steps came up to \(Int(worst * 1000)) ms late" : ""
    return "inconclusive: the machine was too busy to judge by what was heard\(late); try again"
  }
}
