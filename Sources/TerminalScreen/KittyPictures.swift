import TerminalModel

/// Pictures that lie over cells, as kitty and those who follow it show them: sent once, placed by
/// their number. What the cells beneath hold is seen wherever this is not.
struct KittyPictures: Sendable {
  private var images: [Int: PixelImage] = [:]
  /// Those that the terminal has.
  private var sent: Set<Int> = []
  /// Those that it has and nobody wants any more.
  private var dropped: Set<Int> = []

  /// The terminal's answer to this has the number of the question: `TerminalReport.graphics`.
  static let question = "\u{1B}_Gi=\(questionID),s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"
  static let questionID = 31_415
  /// Takes all pictures away, and their memory.
  static let end = "\u{1B}_Ga=d,d=A,q=2\u{1B}\\"

  /// A picture for places of that number; nil takes it away.
  mutating func define(_ id: Int, _ image: PixelImage?) {
    guard images[id] != image else { return }
    images[id] = image
    if sent.remove(id) != nil { dropped.insert(id) }
  }

  /// The terminal has lost them all.
  mutating func forget() {
    sent = []
    dropped = []
  }

  /// What leads from one frame's pictures to another's; `old` is nil where the screen was erased, and
  /// with it every place. The cursor ends where the grid has it.
  mutating func change(from old: [PicturePlace]?, to grid: Grid) -> [UInt8] {
    var text = ""
    for id in dropped.sorted() { text += "\u{1B}_Ga=d,d=I,i=\(number(id)),q=2\u{1B}\\" }
    let isNew =
      old != grid.pictures || !dropped.isEmpty || grid.pictures.contains { !isSent($0.id) }
    dropped = []
    guard isNew else { return Array(text.utf8) }
    for id in Set((old ?? []).map(\.id)).intersection(sent).sorted() {
      text += "\u{1B}_Ga=d,d=i,i=\(number(id)),q=2\u{1B}\\"
    }
    var bytes = Array(text.utf8)
    var isPlaced = false
    for (index, place) in grid.pictures.enumerated() {
      guard let image = images[place.id], place.rows > 0, place.columns > 0,
        (0..<grid.rows).contains(place.row), (0..<grid.columns).contains(place.column)
      else { continue }
      if sent.insert(place.id).inserted { bytes += transmission(place.id, image) }
      let rows = min(place.rows, grid.rows - place.row)
      let columns = min(place.columns, grid.columns - place.column)
      // C=1: the cursor stays, so that nothing scrolls at the last row.
      bytes += Array(
        ("\u{1B}[\(place.row + 1);\(place.column + 1)H\u{1B}_Ga=p,i=\(number(place.id)),"
          + "p=\(index + 1),c=\(columns),r=\(rows),C=1,q=2\u{1B}\\").utf8)
      isPlaced = true
    }
    if isPlaced, let cursor = grid.cursor {
      bytes += Array("\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H".utf8)
    }
    return bytes
  }

  private func isSent(_ id: Int) -> Bool { sent.contains(id) || images[id] == nil }

  /// Numbers begin at one there.
  private func number(_ id: Int) -> Int { (id & 0xFF_FFFF) + 1 }

  /// The pixels in base64, in pieces of at most 4096 bytes as the protocol wants them.
  private func transmission(_ id: Int, _ image: PixelImage) -> [UInt8] {
    let isOpaque = stride(from: 3, to: image.pixels.count, by: 4)
      .allSatisfy { image.pixels[$0] == 255 }
    var pixels = image.pixels
    if isOpaque {
      // A quarter less to send.
      pixels = []
      pixels.reserveCapacity(image.width * image.height * 3)
      for place in stride(from: 0, to: image.pixels.count, by: 4) {
        pixels += image.pixels[place..<place + 3]
      }
    }
    var head =
      "a=t,t=d,f=\(isOpaque ? 24 : 32),s=\(image.width),v=\(image.height),i=\(number(id)),q=2,"
    var bytes: [UInt8] = []
    var rest = Base64.encode(pixels)[...]
    repeat {
      let piece = rest.prefix(4096)
      rest = rest.dropFirst(piece.count)
      bytes += "\u{1B}_G\(head)m=\(rest.isEmpty ? 0 : 1);".utf8
      bytes += piece
      bytes += [0x1B, 0x5C]
      head = ""
    } while !rest.isEmpty
    return bytes
  }
}

enum Base64 {
  private static let letters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let piece = bytes[start..<min(start + 3, bytes.count)]
      var value: UInt32 = 0
      for byte in piece { value = value << 8 | UInt32(byte) }
      value <<= UInt32(3 - piece.count) * 8
      for index in 0..<4 {
        text.append(
          index <= piece.count ? letters[Int(value >> UInt32(18 - index * 6) & 63)] : 0x3D)
      }
    }
    return text
  }
}
