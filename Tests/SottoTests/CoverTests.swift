import TestSupport
import Testing

/// Covers on a terminal of their own.
@Suite(.enabled(if: Tool.isIntegration), .timeLimit(.minutes(15))) struct CoverTests {
  /// A picture of one colour, as BMP: 24 bits, rows of a multiple of four bytes.
  static func bmp(width: Int, height: Int, red: UInt8, green: UInt8, blue: UInt8) -> [UInt8] {
    func little(_ number: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    let row = (width * 3 + 3) / 4 * 4
    var line = [UInt8](repeating: 0, count: row)
    for x in 0..<width { line.replaceSubrange(x * 3..<x * 3 + 3, with: [blue, green, red]) }
    return Array("BM".utf8) + little(54 + row * height, 4) + little(0, 4) + little(54, 4)
      + little(40, 4) + little(width, 4) + little(height, 4) + little(1, 2) + little(24, 2)
      + little(0, 24) + (0..<height).flatMap { _ in line }
  }

  /// Rows that hold a colour, as the terminal was told.
  private static func rows(_ terminal: PrivateTmux, _ color: String) throws -> Int {
    try terminal.rows(colors: true).count { $0.contains("8;2;\(color)") }
  }

  private static func open(_ folder: Folder, columns: Int = 100, rows: Int = 30) throws
    -> PrivateTmux
  {
    try PrivateTmux(
      "\(Run.program) play --output null \(folder.path)", columns: columns, rows: rows,
      environment: ["COLORTERM": "truecolor"])
  }

  @Test func `A picture in the folder is shown beside the track, as high as it is said to be`()
    throws
  {
    let folder = try Folder()
    try folder.write("a.wav", wav(seconds: 60))
    try folder.write("back.bmp", Self.bmp(width: 8, height: 8, red: 0, green: 255, blue: 0))
    try folder.write("Folder.BMP", Self.bmp(width: 40, height: 20, red: 255, green: 0, blue: 0))
    let terminal = try Self.open(folder)
    var height = 0
    #expect(
      try terminal.wait {
        height = try Self.rows(terminal, "255;0;0")
        return height > 0
      })
    // It is twice as wide as high: half as many rows as a square takes.
    #expect((8...10).contains(height))
    #expect(try Self.rows(terminal, "0;255;0") == 0)
    // Another size, another picture; and none where there is no room.
    try terminal.tell("resize-window", "-x", "200", "-y", "60")
    #expect(try terminal.wait { try Self.rows(terminal, "255;0;0") > height })
    try terminal.tell("resize-window", "-x", "40", "-y", "12")
    #expect(try terminal.wait { try Self.rows(terminal, "255;0;0") == 0 })
  }

  @Test func `The picture in a file is its own, before that of the folder`() throws {
    let folder = try Folder()
    let plain = try folder.write("plain.wav", wav(seconds: 60))
    let picture = try folder.write(
      "green.bmp", Self.bmp(width: 32, height: 32, red: 0, green: 255, blue: 0))
    try folder.write("cover.bmp", Self.bmp(width: 32, height: 32, red: 255, green: 0, blue: 0))
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-i", plain, "-i", picture, "-map", "0:a", "-map", "1:v", "-c:v", "png"]
        + ["-disposition:v", "attached_pic", "\(folder.path)/a.flac"])
    try #require(try Run("info", "--json", "\(folder.path)/a.flac").text.contains("image/png"))
    let terminal = try PrivateTmux(
      "\(Run.program) play --output null \(folder.path)/a.flac \(plain)", columns: 100, rows: 30,
      environment: ["COLORTERM": "truecolor"])
    #expect(try terminal.wait { try Self.rows(terminal, "0;255;0") > 5 })
    #expect(try Self.rows(terminal, "255;0;0") == 0)
    try terminal.type("n")
    #expect(try terminal.wait { try Self.rows(terminal, "255;0;0") > 5 })
    #expect(try Self.rows(terminal, "0;255;0") == 0)
  }

  @Test func `A stream after a file has not that file's picture`() throws {
    let folder = try Folder()
    try folder.write("a.wav", wav(seconds: 60))
    try folder.write("cover.bmp", Self.bmp(width: 32, height: 32, red: 255, green: 0, blue: 0))
    let music = wav(seconds: 60)
    let server = try HTTPServer { _ in .file(music) }
    let terminal = try PrivateTmux(
      "\(Run.program) play --output null \(folder.path)/a.wav \(server.url)/radio", columns: 100,
      rows: 30, environment: ["COLORTERM": "truecolor"])
    #expect(try terminal.wait { try Self.rows(terminal, "255;0;0") > 5 })
    try terminal.type("n")
    #expect(try terminal.wait { try terminal.rows().contains { $0.contains("track 2 of 2") } })
    #expect(try terminal.wait { try Self.rows(terminal, "255;0;0") == 0 })
    try terminal.type("p")
    #expect(try terminal.wait { try Self.rows(terminal, "255;0;0") > 5 })
  }

  @Test func `Covers are drawn as the setting says, at once`() throws {
    let folder = try Folder()
    try folder.write("a.wav", wav(seconds: 60))
    try folder.write("cover.bmp", Self.bmp(width: 32, height: 32, red: 255, green: 0, blue: 0))
    let terminal = try Self.open(folder)
    #expect(try terminal.wait { try Self.rows(terminal, "255;0;0") > 5 })
    // This terminal shows no pictures of its own.
    for (value, isSeen) in [("none", false), ("symbols", true), ("kitty", false), ("auto", true)] {
      try terminal.type(":set pictures \(value)\r")
      let seen = try terminal.wait { try (Self.rows(terminal, "255;0;0") > 5) == isSeen }
      #expect(seen, "\(value)")
    }
    try terminal.type(":set pictures sixel\r")
    let refusal = "'pictures' is auto, none, symbols, kitty, not 'sixel'"
    #expect(try terminal.wait { try terminal.rows().contains { $0.contains(refusal) } })
  }

  @Test func `What is no picture is none, and the music goes on`() throws {
    let folder = try Folder()
    try folder.write("a.wav", wav(seconds: 60))
    try folder.write("cover.png", Array("no picture at all".utf8))
    try folder.write("folder.jpg", [])
    let terminal = try Self.open(folder)
    #expect(try terminal.wait { try terminal.rows().contains { $0.contains("0:02") } })
    #expect(try Self.rows(terminal, "") == 0)
  }
}
