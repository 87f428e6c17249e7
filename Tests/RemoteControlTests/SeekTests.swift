import PlayQueue
import PlayerState
import TestSupport
import Testing

@testable import RemoteControl

/// Jumps that are merged, by themselves; over a bus they are in MPRISTests.
@MainActor struct SeekTests {
  /// What is heard, and what was asked for.
  @MainActor final class Ear {
    var entry = EntryID(1)
    private(set) var performed: [PlayerCommand.Seek] = []
    private(set) var seeks: MPRISSeeks!

    init() {
      seeks = MPRISSeeks(
        heard: { [weak self] in self?.entry },
        perform: { [weak self] seek in self?.performed.append(seek) })
    }
  }

  @Test func `Jumps that come too fast are one more, to the last place`() async {
    let ear = Ear()
    for position in [10.0, 20, 30, 40] { ear.seeks.seek(to: position, in: ear.entry) }
    #expect(ear.performed == [.to(10)])
    #expect(ear.seeks.target(from: 10, in: ear.entry) == 40)
    #expect(await holds { ear.performed == [.to(10), .to(40)] && ear.seeks.isIdle })
  }

  @Test func `A jump that waits is void when another track is heard`() async {
    let ear = Ear()
    ear.seeks.seek(to: 10, in: ear.entry)
    ear.seeks.seek(to: 20, in: ear.entry)
    ear.entry = EntryID(2)
    // The next one begins where that track is.
    #expect(ear.seeks.target(from: 1, in: ear.entry) == 1)
    #expect(await holds { ear.seeks.isIdle })
    #expect(ear.performed == [.to(10)])
    ear.seeks.seek(to: 3, in: ear.entry)
    #expect(ear.performed == [.to(10), .to(3)])
    ear.seeks.seek(to: 5, in: ear.entry)
    ear.seeks.forget()
    #expect(await holds { ear.seeks.isIdle })
    #expect(ear.performed == [.to(10), .to(3)])
  }
}
