/// Reads PLS: `File1=`, `Title1=`, `Length1=`, in the order of the numbers.
public enum PLSParser {
  /// Never fails: what is not understood is left out, and so is what is too long to lead anywhere.
  public static func entries(_ bytes: [UInt8]) -> [PlaylistEntry] {
    var paths: [(number: Int, path: [UInt8])] = []
    var titles: [Int: String] = [:]
    var lengths: [Int: Double] = [:]
    let text = LegacyText.unmarked(bytes)
    let charset = Charset(of: text)
    for line in LegacyText.lines(text) {
      guard line.count <= PlaylistLimits.line, let equals = line.firstIndex(of: UInt8(ascii: "="))
      else { continue }
      let key = LegacyText.lower(LegacyText.trimmed(line[..<equals]))
      let value = LegacyText.trimmed(line[(equals + 1)...])
      let digits = key.reversed().prefix { $0 >= 0x30 && $0 <= 0x39 }.count
      let name = key.dropLast(digits)
      guard digits > 0,
        let number = Int(String(decoding: key.suffix(digits), as: UTF8.self))
      else { continue }
      if name.elementsEqual("file".utf8), !value.isEmpty {
        guard paths.count <= PlaylistLimits.entries else { continue }
        let path = FileURL.path(Array(value)) ?? Array(value)
        if PlaylistLimits.mayLead(path) { paths.append((number, path)) }
      } else if name.elementsEqual("title".utf8) {
        guard titles.count <= PlaylistLimits.entries else { continue }
        titles[number] = charset.string(value)
      } else if name.elementsEqual("length".utf8) {
        guard lengths.count <= PlaylistLimits.entries else { continue }
        lengths[number] = Double(String(decoding: value, as: UTF8.self))
      }
    }
    // Swift's sort keeps the order of equals only by chance: the position decides there.
    let order = paths.indices.sorted { (paths[$0].number, $0) < (paths[$1].number, $1) }
    return order.map { index in
      let (number, path) = paths[index]
      let (artist, title) = M3UParser.split(titles[number])
      let length = lengths[number].flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
      var entry = PlaylistEntry(path: path, title: title, artist: artist, duration: length)
      entry.charset = charset
      return entry
    }
  }
}
