import AudioTypes
import CTagLib
import Glibc

/// TagLib, where it is there: the tags and facts of the formats that it knows.
public enum TagLibrary {
  /// Whether TagLib can be used here. Loads it, the first time some milliseconds; any thread.
  public static var isAvailable: Bool { unsafe sotto_taglib_load() != nil }

  /// The library's version; empty where it is not there.
  public static var version: String {
    guard let library = unsafe sotto_taglib_load() else { return "" }
    return unsafe String(cString: library.pointee.version)
  }

  /// What a file says of itself, by TagLib's words.
  struct Reading {
    var container: String
    var codec: String
    var seconds: Double
    /// False where the length may be far off.
    var isSure: Bool
    var hasPicture: Bool
    var hasLyrics: Bool
    var sampleRate: Int?
    var channels: Int?
    var bitDepth: Int?
    var bitRate: Int?
    /// Of ID3v2, 1 to 255.
    var rating: Int?
    var tags: [(name: String, value: String)]
    var chapters: [TrackInfo.Chapter]
  }

  /// Reads an open regular file by position. `nil` where the format is none of TagLib's, the file
  /// is damaged, or TagLib is not there.
  static func read(_ descriptor: Int32) -> Reading? {
    guard let library = unsafe sotto_taglib_load(),
      let file = unsafe library.pointee.read(descriptor)
    else { return nil }
    defer { unsafe library.pointee.release(file) }
    let facts = unsafe file.pointee
    func positive(_ number: Int32) -> Int? { number > 0 ? Int(number) : nil }
    return unsafe Reading(
      container: String(cString: facts.container), codec: String(cString: facts.codec),
      seconds: Double(facts.milliseconds) / 1000, isSure: facts.is_sure,
      hasPicture: facts.has_picture, hasLyrics: facts.has_lyrics,
      sampleRate: positive(facts.rate), channels: positive(facts.channels),
      bitDepth: positive(facts.bits), bitRate: positive(facts.bit_rate),
      rating: positive(facts.rating),
      tags: UnsafeBufferPointer(start: facts.texts, count: facts.text_count).map {
        unsafe (text($0.name, $0.name_size), text($0.value, $0.value_size))
      },
      chapters: UnsafeBufferPointer(start: facts.chapters, count: facts.chapter_count).map {
        let title = unsafe text($0.title, $0.title_size)
        return unsafe TrackInfo.Chapter(
          start: Double($0.start) / 1000, title: title.isEmpty ? nil : title)
      })
  }

  private static func text(_ start: UnsafePointer<CChar>?, _ size: Int) -> String {
    unsafe String(
      decoding: UnsafeRawBufferPointer(start: UnsafeRawPointer(start), count: size), as: UTF8.self)
  }
}
