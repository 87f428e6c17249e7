import AudioTypes
import Bus
import PlayQueue
import PlayerState

/// A track as MPRIS describes it. What files say is made safe to print on its way to the bus.
enum MPRISMetadata {
  /// Of the heard track, or of the current one before anything is heard.
  static func heard(_ snapshot: PlayerSnapshot, artURL: String?) -> BusValue {
    let queue = snapshot.queue
    let row = snapshot.index ?? queue.current
    // One that was taken out of the queue is still heard.
    guard let id = row.map({ queue.ids[$0] }) ?? queue.currentID else {
      return .properties([("mpris:trackid", .path(MPRISAddress.noTrack))])
    }
    return track(
      id, row.map { queue.entries[$0] } ?? snapshot.removed, snapshot.info, length: snapshot.length,
      artURL: artURL)
  }

  static func track(
    _ id: EntryID, _ entry: QueueEntry?, _ info: TrackInfo? = nil, length: Double? = nil,
    artURL: String? = nil
  ) -> BusValue {
    var values: [(String, BusValue)] = [("mpris:trackid", .path(MPRISAddress.track(id)))]
    func add(_ name: String, _ text: String?) {
      if let text, !text.isEmpty { values.append((name, .string(text))) }
    }
    func list(_ name: String, _ text: String?) {
      if let text, !text.isEmpty { values.append((name, .strings([text]))) }
    }
    if let seconds = length ?? entry?.duration, seconds > 0, seconds < 1e9 {
      values.append(("mpris:length", .int64(Int64(seconds * 1e6))))
    }
    add("mpris:artUrl", artURL)
    add("xesam:url", entry.flatMap { MPRISAddress.url($0.location.path) })
    add("xesam:title", TrackText.title(entry, info))
    list("xesam:artist", TrackText.artist(entry, info))
    add("xesam:album", info?.tag("album"))
    list("xesam:albumArtist", info?.tag("album_artist"))
    list("xesam:genre", info?.tag("genre"))
    list("xesam:composer", info?.tag("composer"))
    add("xesam:contentCreated", created(info?.tag("date")))
    for (name, tag) in [("xesam:trackNumber", "track"), ("xesam:discNumber", "disc")] {
      if let number = Int32(info?.tag(tag)?.prefix { $0.isASCII && $0.isNumber } ?? "") {
        values.append((name, .int32(number)))
      }
    }
    return .properties(values)
  }

  /// "1997" or "1997-05-21" as a moment, which is what MPRIS wants.
  private static func created(_ date: String?) -> String? {
    guard let date else { return nil }
    let parts = date.prefix(10).split(separator: "-").map(String.init)
    guard let year = parts.first, year.count == 4, parts.allSatisfy({ Int($0) != nil }) else {
      return nil
    }
    let rest = parts.count == 3 && parts[1].count == 2 && parts[2].count == 2
    return (rest ? parts.joined(separator: "-") : "\(year)-01-01") + "T00:00:00Z"
  }
}
