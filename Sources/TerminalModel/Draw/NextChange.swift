import AudioSession
import PlayerState

extension ViewState {
  /// When the picture changes next by time alone; nil when it does not. Between two inputs and
  /// snapshots nobody need wake before that. The meter and the spectrum come on top (`showsLevels`).
  public func nextChange(
    _ snapshot: PlayerSnapshot, _ size: ScreenSize, after now: SessionTime
  ) -> SessionTime? {
    var waits: [Double] = []
    if snapshot.isAdvancing { waits += positionWaits(snapshot, now) }
    if let notice = snapshot.notice {
      let rest = Renderer.noticeSeconds(notice) - (now - notice.at).seconds
      if rest > 0 { waits.append(rest) }
    }
    // The minutes that are left.
    if let due = snapshot.sleepsAt, due > now {
      let rest = (due - now).seconds
      waits.append(rest - 60 * ((rest / 60).rounded(.up) - 1))
    }
    // Ages are told to the second.
    var beginnings = snapshot.causes.map(\.began)
    if let call = snapshot.call { beginnings.append(call.since) }
    if view == .why { beginnings += snapshot.decisions.suffix(Self.mostAges).map(\.at) }
    for began in beginnings {
      let age = (now - began).seconds
      waits.append(age < 0 ? 1 - age : 1 - (age - age.rounded(.down)))
    }
    guard let wait = waits.min() else { return nil }
    // A nanosecond more, so that rounding never leads to the moment before.
    return now + SessionTime.seconds(max(wait, 0)) + SessionTime(nanoseconds: 1000)
  }

  /// No screen has more rows.
  private static let mostAges = 1000

  /// The next full second; the next line of the lyrics, and the next chapter, where these are seen.
  private func positionWaits(_ snapshot: PlayerSnapshot, _ now: SessionTime) -> [Double] {
    let position = snapshot.position(at: now)
    if let length = snapshot.length, position >= length { return [] }
    var waits = [1 - (position - position.rounded(.down))]
    guard view == .playing else { return waits }
    let lines = snapshot.lyrics.lazy.compactMap(\.start).filter { $0 > position }
    if let next = lines.min() { waits.append(next - position) }
    let chapters = (snapshot.info?.chapters ?? []).lazy
      .map { $0.start - PlayerSnapshot.chapterTolerance }.filter { $0 > position }
    if let next = chapters.min() { waits.append(next - position) }
    return waits
  }
}
