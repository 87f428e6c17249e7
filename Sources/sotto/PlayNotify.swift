import AudioTypes
import Bus
import PlayQueue
import PlayerState
import RemoteControl

/// Tells the desktop which track is heard (`notify = on`). On the control thread.
@MainActor final class PlayNotify {
  private let notice: TrackNotice
  private let wait = MainTimer()
  /// What was shown last.
  private var shown: EntryID?
  private var waiting: EntryID?

  /// Who skips through tracks is shown the one that stays, in seconds.
  private static let settleSeconds = 0.5

  init(_ bus: BusConnection) { notice = TrackNotice(bus) }

  /// The player has changed.
  func changed(_ snapshot: PlayerSnapshot, artURL: @escaping @MainActor () -> String?) {
    guard snapshot.situation.isAudible, !snapshot.isSilent, let row = snapshot.index else {
      waiting = nil
      wait.cancel()
      if snapshot.isSilent || snapshot.situation.intent == .stopped { withdraw() }
      return
    }
    let id = snapshot.queue.ids[row]
    guard id != shown, id != waiting else { return }
    waiting = id
    let track = TrackNotice.Track(
      title: TrackText.title(snapshot.entry, snapshot.info) ?? "sotto",
      artist: TrackText.artist(snapshot.entry, snapshot.info),
      album: TrackText.album(snapshot.info))
    wait.set(after: Self.settleSeconds, leeway: 100) { [weak self] in
      guard let self else { return }
      (shown, waiting) = (id, nil)
      var track = track
      // The cover is a file by now.
      track.artURL = artURL()
      notice.show(track)
    }
  }

  func withdraw() {
    shown = nil
    notice.withdraw()
  }
}
