import AudioTypes
import MusicLibrary
import Testing

@Suite struct CueSheetTests {
  @Test func `A sheet gives titles, places of 75 frames a second and loudness`() {
    let text = """
      REM GENRE Jazz
      REM DATE 1959
      REM REPLAYGAIN_ALBUM_GAIN -4.50 dB
      PERFORMER "Miles"
      TITLE "Kind of "Blue" Sessions"
      FILE "album one.wav" WAVE
        TRACK 01 AUDIO
          TITLE "So What"
          REM REPLAYGAIN_TRACK_GAIN -3.25 dB
          REM REPLAYGAIN_TRACK_PEAK 0.987
          INDEX 01 00:00:00
        TRACK 02 AUDIO
          TITLE "Blue"
          PERFORMER "Bill"
          PREGAP 00:02:00
          INDEX 00 03:10:40
          INDEX 01 03:12:74
      """
    let sheet = CueSheet(parsing: [0xEF, 0xBB, 0xBF] + bytes(text.replacing("\n", with: "\r\n")))
    #expect(sheet.title == "Kind of \"Blue\" Sessions")
    #expect(sheet.genre == "Jazz")
    #expect(sheet.date == "1959")
    #expect(sheet.tracks.count == 2)
    let second = (3 * 60 + 12) * 75 + 74
    #expect(sheet.tracks[0].title == "So What")
    #expect(sheet.tracks[0].performer == "Miles")
    #expect(sheet.tracks[0].end == second)
    #expect(
      sheet.tracks[0].loudness
        == LoudnessTags(trackGain: -3.25, albumGain: -4.5, trackPeak: 0.987))
    #expect(sheet.tracks[1].start == second)
    #expect(sheet.tracks[1].end == nil)
    #expect(sheet.tracks[1].performer == "Bill")
    let format = AudioFormat(sampleRate: 44100, layout: .stereo)
    #expect(format.frame(atSeconds: CueSheet.seconds(second)) == Int64(second) * 588)
  }

  @Test func `A FILE between two indexes moves the beginning into the new file`() {
    let text = """
      FILE "01.wav" WAVE
        TRACK 01 AUDIO
          INDEX 01 00:00:00
        TRACK 02 AUDIO
          INDEX 00 04:00:00
      FILE "02.wav" WAVE
          INDEX 01 00:00:00
        TRACK 03 AUDIO
          INDEX 01 02:00:00
      """
    let tracks = CueSheet(parsing: bytes(text)).tracks
    #expect(tracks.map(\.file) == ["01.wav", "02.wav", "02.wav"].map(bytes))
    #expect(tracks.map(\.start) == [0, 0, 9000])
    #expect(tracks.map(\.end) == [nil, 9000, nil])
  }

  @Test func `A sheet of a legacy code page, without quotes and with a data track, is read`() {
    var text = bytes("FILE my album.bin BINARY\nTRACK 01 MODE1/2352\nINDEX 01 00:00:00\n")
    text += bytes("TRACK 02 AUDIO\nTITLE Caf") + [0xE9] + bytes("\nINDEX 01 05:00:00\n")
    text += bytes("TRACK 03 AUDIO\nINDEX 01 99:99:99\nTRACK 04 AUDIO\nINDEX 00 06:00:00\n")
    let sheet = CueSheet(parsing: text)
    #expect(sheet.files == [bytes("my album.bin")])
    #expect(sheet.tracks.map(\.number) == [2, 4])
    #expect(sheet.tracks[0].title == "Café")
    #expect(sheet.tracks[0].end == 6 * 60 * 75)
  }

  @Test func `Text that is no sheet has no tracks`() {
    #expect(CueSheet(parsing: []).tracks.isEmpty)
    #expect(
      CueSheet(parsing: bytes("INDEX 01 00:00:00\nTITLE x\nTRACK\nFILE\nREM\n\"")).tracks.isEmpty)
  }
}
