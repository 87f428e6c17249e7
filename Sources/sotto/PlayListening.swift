import AudioTypes
import Dispatch
import Glibc
import PlayQueue
import StateStore

/// What is heard, and what of it is remembered: counts, ratings, and where long tracks go on. On the
/// control thread.
extension KeptState {
  private static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) * 1e-9 }

  /// Another track is heard. True where it is the one that was taken up, which does not begin.
  func began(_ key: Int, _ info: TrackInfo, byUser: Bool) -> Bool {
    let isTakenUp = takenUp == key
    takenUp = nil
    let isLong = Listening.isLong(
      duration: info.duration, genres: info.tags.filter { $0.name == "genre" }.map(\.value))
    if isTakenUp {
      listening?.duration = info.duration
      listening?.isLong = isLong
    } else {
      ended(byUser: byUser)
      let location = command.queue.track(at: key) ?? TrackLocation("")
      listening = Listening(key: key, location: location, duration: info.duration, isLong: isLong)
      let place = command.queue.beginning(of: key)
      if place > 0, command.engine?.snapshot().position ?? 0 >= place - 1 {
        sayPlace(place)
      }
      // The first one is asked for by `catchUp`.
      if place == 0, isLong, hasCaughtUp { askPlace(of: key, location) }
    }
    catchUp()
    note(isLasting: true)
    return isTakenUp
  }

  /// What was heard is over, at its end or by the user's wish.
  func ended(byUser: Bool) {
    guard var last = listening else { return }
    listening = nil
    count(&last, isSounding: false)
    if byUser {
      if last.isSkip { change(last.location, .skipped) }
      if last.tellsPlace { keep(last.bookmark, for: last.location) }
    } else if last.isLong {
      keep(nil, for: last.location)
    }
  }

  func count(_ listening: inout Listening, isSounding: Bool) {
    if listening.take(isSounding: isSounding, at: Self.now) {
      change(listening.location, .played(at: Int64(time(nil))))
    }
  }

  /// Something happened to a track: views of what was played show it once it is written.
  private func change(_ location: TrackLocation, _ change: History.Change) {
    store.change(location, change)
    guard command.full != nil else { return }
    store.record(location) { [weak self] _ in
      DispatchQueue.main.async {
        MainActor.assumeIsolated { self?.command.full?.historyChanged() }
      }
    }
  }

  /// The user has stopped it: it begins anew the next time, or where it was left if it is long.
  func stopped() {
    guard let last = listening else { return }
    if last.tellsPlace { keep(last.bookmark, for: last.location) }
    listening = Listening(
      key: last.key, location: last.location, duration: last.duration, isLong: last.isLong)
  }

  func rate(_ rating: Double?) {
    guard let location = command.heardLocation else {
      return command.say("Nothing is heard that could be rated", isFault: true)
    }
    guard isOwn else { return command.say("Ratings are not kept by this sotto", isFault: true) }
    change(location, .rated(rating))
    command.say(rating.map { "Rated \(Self.shown($0)) of 5" } ?? "Not rated any more")
  }

  /// Files have other paths now, and what is kept of them too: by the old ones, and by the places
  /// that they were in.
  func follow(_ paths: [[UInt8]: [UInt8]]) {
    if var location = listening?.location, !location.isURL,
      let path = paths[HistoryKey(location).path]
    {
      location.path = path
      listening?.location = location
    }
  }

  static func shown(_ rating: Double) -> String {
    rating == rating.rounded() ? "\(Int(rating))" : "\(rating)"
  }

  /// What was asked for on the command line has begun before its place was known.
  func catchUp() {
    guard hasRead, !hasCaughtUp, takenUp == nil, let listening, let engine = command.engine else {
      return
    }
    hasCaughtUp = true
    let place = command.queue.beginning(of: listening.key)
    if place == 0, listening.isLong { askPlace(of: listening.key, listening.location) }
    let heard = engine.snapshot()
    guard place > 0, heard.index == listening.key, heard.position < Self.catchUpSeconds else {
      return
    }
    command.perform(.seek(.to(place)))
    sayPlace(place)
  }

  /// A file that was moved while nobody looked is known by what file it is: where it was left is asked
  /// of the disk, and goes on there if that is soon.
  private func askPlace(of key: Int, _ location: TrackLocation) {
    guard isOwn, hasRead, !location.isURL else { return }
    store.record(location) { [weak self] record in
      guard let place = record?.bookmark, place > 0 else { return }
      DispatchQueue.main.async {
        MainActor.assumeIsolated {
          guard let self, !self.command.isEnding, self.listening?.key == key,
            self.command.queue.beginning(of: key) == 0
          else { return }
          self.command.queue.setBeginning(place, of: location)
          guard let heard = self.command.engine?.snapshot(), heard.index == key,
            heard.position < Self.catchUpSeconds
          else { return }
          self.command.perform(.seek(.to(place)))
          self.sayPlace(place)
        }
      }
    }
  }

  private static let catchUpSeconds = 5.0
  func sayPlace(_ place: Double) {
    command.say("Goes on at \(StatusLine.clock(place)); 'previous' starts it from the beginning")
  }

  /// A long track that was heard when the last sotto ended goes on there whatever is played now.
  func keepPlace(of moment: Moment?, in state: QueueState, _ row: Int?) {
    // Stopped, its place was kept then.
    guard let moment, moment.isLong, moment.intent != .stopped, let row else { return }
    let location = state.queue.entries[row].location
    var listening = Listening(key: 0, location: location, duration: nil, isLong: true)
    listening.position = moment.position
    keep(listening.bookmark, for: location)
  }

  func keep(_ bookmark: Double?, for location: TrackLocation) {
    command.queue.setBeginning(bookmark, of: location)
    store.change(location, .bookmarked(bookmark))
  }
}

extension PlayCommand {
  func rate(_ rating: Double?) {
    guard let kept else {
      return say("Ratings are not kept: see 'sotto doctor'", isFault: true)
    }
    kept.rate(rating)
  }
}
