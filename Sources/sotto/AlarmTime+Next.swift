import Glibc
import PlayerState

extension AlarmTime {
  /// When it sounds first after a moment, in seconds since 1970, by the clocks of the place: a day of
  /// 23 or 25 hours has one alarm too, at the time that its clocks show, or an hour beside it where
  /// they never do.
  func next(after moment: Int) -> Int? {
    tzset()
    var now = time_t(moment)
    var today = unsafe tm()
    guard unsafe localtime_r(&now, &today) != nil else { return nil }
    for offset in 0...8 {
      var day = unsafe today
      unsafe day.tm_mday += CInt(offset)
      unsafe day.tm_hour = CInt(hour)
      unsafe day.tm_min = CInt(minute)
      unsafe day.tm_sec = CInt(second)
      // Summer time or not: as it is on that day.
      unsafe day.tm_isdst = -1
      let at = unsafe Int(mktime(&day))
      let isWanted = unsafe days != .weekdays || (1...5).contains(day.tm_wday)
      if at > moment, isWanted { return at }
    }
    return nil
  }
}
