// What a frame costs in the painter: `bench.py --only painter` builds and runs this. Prints JSON:
// microseconds of processor time and bytes a frame, by what changed.
import Glibc
import TerminalModel
import TerminalScreen

/// A screen as the player has it: frames, a bar, titles in several scripts, colours, and much that is
/// blank.
func screen(columns: Int, rows: Int, step: Int) -> Grid {
  var grid = Grid(columns: columns, rows: rows)
  let titles = ["The Title of a Song", "音楽の時間", "Jóga – Björk", "Ein längerer Titel", "Песня"]
  let styles: [Style] = [
    .plain, Style(.ansi(2)), Style(.indexed(208), .bold), Style(.rgb(120, 80, 200)),
    Style(.terminal, .reverse),
  ]
  for row in 0..<rows {
    let style = styles[(row + step) % styles.count]
    var column = 2
    for character in "\(row + step * 31) \(titles[(row + step) % titles.count])" {
      let width = CharacterWidth.columns(character)
      grid.put(character, width: width, style: style, row: row, column: column)
      column += width
    }
    for place in columns / 2..<columns - 10 where (place * 7 + row * 3 + step) % 3 > 0 {
      grid.put(
        ["▁", "▄", "█"][(place + step) % 3], width: 1, style: Style(.indexed(UInt8(40 + row % 60))),
        row: row, column: place)
    }
    grid.put("│", width: 1, style: Style(.ansi(8)), row: row, column: 0)
    grid.put("│", width: 1, style: Style(.ansi(8)), row: row, column: columns - 1)
  }
  return grid
}

/// One row of another screen.
func changed(_ grid: Grid, row: Int, from other: Grid) -> Grid {
  var new = grid
  for column in 0..<grid.columns where other[row, column].width > 0 {
    let cell = other[row, column]
    new.put(cell.character, width: Int(cell.width), style: cell.style, row: row, column: column)
  }
  return new
}

/// Processor time so far, in microseconds: what else the machine does does not count.
func spent() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

/// What a frame costs between the grid and the bytes to be written.
func measure(_ name: String, from old: Grid?, to new: Grid) -> String {
  var times: [Double] = []
  var bytes = 0
  for _ in 0..<101 {
    var frames = FrameQueue(.modern)
    if let old {
      frames.show(old)
      frames.wrote(frames.next().count)
    }
    let start = spent()
    frames.show(new)
    bytes = frames.next().count
    times.append(spent() - start)
  }
  let median = Int(times.sorted()[times.count / 2].rounded())
  return #"{"frame": "\#(name)", "us": \#(median), "bytes": \#(bytes)}"#
}

let first = screen(columns: 200, rows: 60, step: 0)
let second = screen(columns: 200, rows: 60, step: 1)
let rows = [
  measure("200x60, nothing changed", from: first, to: changed(first, row: 30, from: first)),
  measure("200x60, one row changed", from: first, to: changed(first, row: 30, from: second)),
  measure("200x60, everything changed", from: first, to: second),
  measure("200x60, painted anew", from: nil, to: second),
  measure(
    "80x24, everything changed", from: screen(columns: 80, rows: 24, step: 0),
    to: screen(columns: 80, rows: 24, step: 1)),
]
print("[" + rows.joined(separator: ", ") + "]")
