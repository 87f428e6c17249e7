import Testing

@testable import Tags

@Suite struct TagFieldTests {
  private func record(_ tags: [(name: String, value: String)]) -> TrackRecord {
    var record = TrackRecord()
    TagFields(tags).fill(&record)
    return record
  }

  @Test(
    arguments: [
      ("3", 3, nil), ("03/12", 3, 12), ("3 / 12", 3, 12), ("3 of 12", 3, nil), ("A1", nil, nil),
      ("0/0", nil, nil), ("-1", nil, nil), ("99999999999999999999", nil, nil), ("", nil, nil),
    ] as [(String, Int?, Int?)])
  func `numbers of tracks are read as people write them`(
    _ text: String, _ number: Int?, _ total: Int?
  ) {
    let found = record([("TRACKNUMBER", text)])
    #expect(found.track == number)
    #expect(found.trackTotal == total)
  }

  @Test(
    arguments: [
      ("RATING", "80", 0.8), ("RATING", "4", 0.8), ("rating", "0.7", 0.7), ("RATING", "196", 0.8),
      ("FMPS_RATING", "0.35", 0.35), ("WM/SharedUserRating", "99", 1),
      ("WM/SharedUserRating", "1", 0.2), ("RATING", "0", nil), ("RATING", "many", nil),
      ("RATING", "1e9", nil),
    ] as [(String, String, Double?)])
  func `ratings of other players become parts of one`(
    _ name: String, _ text: String, _ rating: Double?
  ) {
    #expect(record([(name, text)]).rating == rating)
  }

  @Test func `a name is known however it is written`() {
    for name in ["ALBUMARTIST", "Album Artist", "album_artist", "album-artist"] {
      #expect(record([(name, "A")]).albumArtists == ["A"])
    }
  }

  @Test func `values are each there once and without blanks around them`() {
    let found = record([
      ("GENRE", " Jazz \u{0}"), ("GENRE", "Jazz"), ("GENRE", "  "), ("GENRE", "Rock"),
    ])
    #expect(found.genres == ["Jazz", "Rock"])
  }

  @Test func `chapters in comments need a time`() {
    let chapters = OggChapters.read([
      ("CHAPTER002", "01:00:02.250"), ("CHAPTER001", "nonsense"), ("CHAPTER001NAME", "No"),
      ("CHAPTER002NAME", "Yes"), ("CHAPTERS", "3"), ("CHAPTER003", "00:99:00"),
    ])
    #expect(chapters.map(\.start) == [3602.25])
    #expect(chapters.map(\.title) == ["Yes"])
  }
}
