import TerminalModel

/// Colours that stand for others.
enum Palette {
  typealias RGB = (red: Int, green: Int, blue: Int)

  /// xterm's sixteen. What a user's terminal makes of them is the user's affair; as the nearest of
  /// something else they are these.
  private static let sixteen: [RGB] = [
    (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205),
    (229, 229, 229), (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255),
    (255, 0, 255), (0, 255, 255), (255, 255, 255),
  ]
  private static let steps = [0, 95, 135, 175, 215, 255]

  /// The nearest colour that is there. Eight are found among the sixteen: the pen brightens.
  static func nearest(_ color: Color, _ colors: Capabilities.Colors) -> Color {
    switch color {
    case .terminal: return color
    case .ansi(let number): return .ansi(number & 15)
    case .indexed(let number):
      if number < 16 { return .ansi(number) }
      return colors >= .indexed ? color : .ansi(nearestSixteen(indexed(number)))
    case .rgb(let red, let green, let blue):
      if colors == .direct { return color }
      let rgb = (Int(red), Int(green), Int(blue))
      return colors == .indexed ? .indexed(nearestIndexed(rgb)) : .ansi(nearestSixteen(rgb))
    }
  }

  /// Black or white: whichever is read on it.
  static func contrast(to color: Color) -> Color {
    let rgb: RGB
    switch color {
    case .terminal: return .terminal
    case .ansi(let number): rgb = sixteen[Int(number & 15)]
    case .indexed(let number): rgb = indexed(number)
    case .rgb(let red, let green, let blue): rgb = (Int(red), Int(green), Int(blue))
    }
    let light = rgb.red * 299 + rgb.green * 587 + rgb.blue * 114
    return .ansi(light > 127_000 ? 0 : 7)
  }

  /// The 256 by their number: sixteen, a cube of six, and grey.
  static func indexed(_ number: UInt8) -> RGB {
    let number = Int(number)
    if number < 16 { return sixteen[number] }
    if number >= 232 {
      let grey = 8 + (number - 232) * 10
      return (grey, grey, grey)
    }
    let place = number - 16
    return (steps[place / 36], steps[place / 6 % 6], steps[place % 6])
  }

  private static func nearestIndexed(_ rgb: RGB) -> UInt8 {
    func step(_ value: Int) -> Int {
      (0..<6).min { abs(steps[$0] - value) < abs(steps[$1] - value) } ?? 0
    }
    let cube = UInt8(16 + 36 * step(rgb.red) + 6 * step(rgb.green) + step(rgb.blue))
    let grey = UInt8(232 + min(max((rgb.red + rgb.green + rgb.blue) / 3 - 3, 0) / 10, 23))
    return distance(indexed(grey), rgb) < distance(indexed(cube), rgb) ? grey : cube
  }

  private static func nearestSixteen(_ rgb: RGB) -> UInt8 {
    UInt8((0..<16).min { distance(sixteen[$0], rgb) < distance(sixteen[$1], rgb) } ?? 7)
  }

  /// Weighted as the eye is, by the mean of the reds.
  private static func distance(_ one: RGB, _ other: RGB) -> Int {
    let mean = (one.red + other.red) / 2
    let (red, green, blue) = (one.red - other.red, one.green - other.green, one.blue - other.blue)
    return (512 + mean) * red * red / 256 + 4 * green * green + (767 - mean) * blue * blue / 256
  }
}
