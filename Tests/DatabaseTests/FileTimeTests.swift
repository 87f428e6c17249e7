import Database
import Foundation
import Testing

@Suite struct FileTimeTests {
  @Test func `Times of files become nanoseconds, and those of any year a number`() {
    #expect(FileTime.nanoseconds(timespec(tv_sec: 1, tv_nsec: 5)) == 1_000_000_005)
    #expect(FileTime.nanoseconds(timespec(tv_sec: -1, tv_nsec: 5)) == -999_999_995)
    let late = FileTime.nanoseconds(timespec(tv_sec: 10_413_792_000, tv_nsec: 0))
    #expect(late != FileTime.nanoseconds(timespec(tv_sec: 10_413_792_001, tv_nsec: 0)))
    _ = FileTime.nanoseconds(timespec(tv_sec: .max, tv_nsec: 999_999_999))
    _ = FileTime.nanoseconds(timespec(tv_sec: .min, tv_nsec: 0))
  }
}
