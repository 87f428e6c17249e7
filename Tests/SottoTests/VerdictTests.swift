import Testing

@testable import sotto

@Suite struct VerdictTests {
  @Test func `What was heard wrong counts where time was kept, and is in doubt elsewhere`() {
    var verdict = ScenarioVerdict()
    #expect(verdict.status == 0 && verdict.sentence == nil)
    verdict.add(faults: 0, lateness: 3, lateChanges: 7)
    #expect(verdict.status == 0 && verdict.sentence == nil)
    verdict.add(faults: 2, lateness: 0.21, lateChanges: 0)
    #expect(verdict.status == 75)
    #expect(
      verdict.sentence
        == "inconclusive: the machine was too busy to judge by what was heard, steps came up to "
        + "3000 ms late; try again")
    verdict.add(faults: 1, lateness: 0.001, lateChanges: 0)
    #expect(verdict.status == 1)
    #expect(verdict.sentence == "1 thing heard that must not be so")
    var late = ScenarioVerdict()
    late.add(faults: 1, lateness: 0, lateChanges: 1)
    #expect(late.status == 75)
    #expect(
      late.sentence
        == "inconclusive: the machine was too busy to judge by what was heard; try again")
  }
}
