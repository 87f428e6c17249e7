/// The nearest of some words to a misspelt one.
public enum Nearest {
  /// The word that this begins, or the one with the fewest edits where these are few enough to be a
  /// slip; `nil` otherwise.
  public static func word(to text: String, among words: [String]) -> String? {
    guard !text.isEmpty else { return nil }
    if text.count >= 3, let whole = words.first(where: { $0.hasPrefix(text) }) { return whole }
    let scored = words.map { (word: $0, distance: distance(text, $0)) }
    guard let best = scored.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, best.word.count / 3) ? best.word : nil
  }

  /// ", did you mean 'word'?", or nothing.
  public static func hint(to text: String, among words: [String]) -> String {
    word(to: text, among: words).map { ", did you mean '\($0)'?" } ?? ""
  }

  /// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other.
  static func distance(_ left: String, _ right: String) -> Int {
    // A very long text is no slip of any word.
    let a = Array(left.unicodeScalars.prefix(64))
    let b = Array(right.unicodeScalars.prefix(64))
    var before: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, before[j - 1] + 1) }
        row.append(best)
      }
      before = last
      last = row
    }
    return last[b.count]
  }
}
