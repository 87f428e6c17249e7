// Keeps state in a folder until it is killed, and says on standard output what it did and when: a
// line for each act, with its number and the time in nanoseconds (CLOCK_MONOTONIC).
//
//   StateTrial hold DATABASE
//   StateTrial FOLDER SEED ACTS [DELAY [BYTES]]
//
// DELAY is how long the store gathers, in seconds; BYTES the largest file that may be written. With
// no more acts it closes the store and ends with 0.
import AudioTypes
import Database
import Dispatch
import Glibc
import Synchronization

@testable import StateStore

private let words = CommandLine.arguments
if words[1] == "hold" {
  // Keeps a database to itself until standard input says something.
  let database = try Database(Array(words[2].utf8))
  try database.execute("PRAGMA locking_mode = EXCLUSIVE")
  try database.execute("BEGIN EXCLUSIVE")
  try database.execute("UPDATE history SET skips = skips")
  say("held")
  var byte: UInt8 = 0
  _ = read(0, &byte, 1)
  try database.execute("COMMIT")
  exit(0)
}
private let folder = Array(words[1].utf8)
private let count = Int(words[3]) ?? 0
if words.count > 5, let bytes = UInt(words[5]) {
  signal(SIGXFSZ, SIG_IGN)
  var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
  setrlimit(__rlimit_resource_t(1), &limit)
}

private func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

private func now() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

private let store = StateStore(
  folder: folder, delay: words.count > 4 ? Double(words[4]) ?? 0.2 : 0.2
) { sentence, isFault in say("\(isFault ? "fault" : "notice") \(sentence)") }
guard store.standing == .own else {
  say("standing \(store.standing)")
  exit(3)
}
private let isRead = DispatchSemaphore(value: 0)
store.read { reading in
  guard case .saved(let saved) = reading else { return }
  say("saved \(saved.settings["latest"] ?? "nothing")")
  isRead.signal()
}
// Of a full disk nothing is ever read where nothing was kept before.
_ = isRead.wait(timeout: .now() + (words.count > 5 ? 1 : 30))
private var random = TrialChance(state: UInt64(words[2]) ?? 0)
say("begin \(now())")
for act in 1...max(count, 1) {
  let track = TrackLocation("/music/\(random.next() % 7).flac")
  switch random.next() % 4 {
  case 0: store.change(track, .played(at: Int64(act)))
  case 1: store.change(track, .bookmarked(Double(act)))
  case 2: store.change(track, .rated(Double(act % 6)))
  default: store.set("act", String(act))
  }
  // One that is always the latest: how far it came.
  store.set("latest", String(act))
  var moment = Moment()
  moment.position = Double(act)
  store.note(moment)
  say("act \(act) \(now())")
  usleep(UInt32(random.next() % 4000))
}
store.close()
say("end \(now())")

struct TrialChance {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
