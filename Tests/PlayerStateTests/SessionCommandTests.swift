import AudioSession
import Testing

@testable import PlayerState

@Suite struct SessionCommandTests {
  @Test(
    arguments: [
      ("play", .play(.cli)), ("pause", .pause(.cli)), ("toggle", .toggle(.cli)),
      ("stop", .stop(.cli)), ("force", .force(.cli)), ("choose 2", .choose(track: 1)),
      ("choose 9", nil), ("seek 1:00", .seek(.seconds(60))), ("seek +5", .seek(.seconds(16))),
      ("seek -60", .seek(.seconds(0))), ("seek 50%", .seek(.seconds(100))),
      ("volume +5", .volumeKey(.up)), ("volume -5", .volumeKey(.down)), ("volume 40", nil),
      ("mute", .volumeKey(.mute)), ("silent", .silent(true)), ("silent off", .silent(false)),
      ("ignore Maps", .ignore("Maps")), ("next", nil), ("shuffle", nil), ("quit", nil),
    ] as [(String, SessionEvent?)])
  func `A command is heard by the session as what it means`(
    _ line: String, _ event: SessionEvent?
  ) throws {
    var stage = Stage()
    stage.happen(.play(.key))
    let now = stage.snapshot.at + .seconds(11)
    let command = try PlayerCommand(line)
    #expect(command.event(from: .cli, in: stage.snapshot, at: now) == event)
  }

  @Test func `A part of a track of unknown length leads nowhere`() {
    #expect(PlayerCommand.Seek.part(0.5).target(from: 3, length: nil) == nil)
    #expect(PlayerCommand.Seek.by(.infinity).target(from: 3, length: 10) == nil)
    #expect(PlayerCommand.Seek.by(60).target(from: 3, length: 10) == 63)
  }
}
