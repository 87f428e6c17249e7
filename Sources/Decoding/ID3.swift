/// ID3v2 tags, which stand in front of MP3 and of much else.
enum ID3 {
  /// The length of the tag that begins with these ten bytes; `nil` where none does.
  static func length(of head: [UInt8]) -> Int64? {
    guard head.count >= 10, head[0] == 0x49, head[1] == 0x44, head[2] == 0x33, head[3] < 0xFF,
      head[4] < 0xFF, head[6...9].allSatisfy({ $0 < 0x80 })
    else { return nil }
    let size = head[6...9].reduce(Int64(0)) { $0 << 7 | Int64($1) }
    return size + 10 + (head[5] & 0x10 != 0 ? 10 : 0)
  }
}
