import Glibc

/// Times of files as databases keep them.
public enum FileTime {
  /// Nanoseconds since 1970. Beyond the year 2262, and before 1677, the number begins anew: it serves
  /// to tell files apart.
  public static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
