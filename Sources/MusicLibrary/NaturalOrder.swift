/// The order in which people sort names: numbers by value ("2" before "10"), letter case aside.
public enum NaturalOrder {
  /// True when the first name stands before the second. A total order: names that differ only in
  /// case or leading zeros are ordered by their bytes.
  public static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    var i = 0
    var j = 0
    while i < left.count, j < right.count {
      let a = left[i]
      let b = right[j]
      if isDigit(a), isDigit(b) {
        let (startA, endA) = number(left, i)
        let (startB, endB) = number(right, j)
        if endA - startA != endB - startB { return endA - startA < endB - startB }
        for offset in 0..<(endA - startA) where left[startA + offset] != right[startB + offset] {
          return left[startA + offset] < right[startB + offset]
        }
        i = endA
        j = endB
        continue
      }
      let lowA = lower(a)
      let lowB = lower(b)
      if lowA != lowB { return lowA < lowB }
      i += 1
      j += 1
    }
    let restA = left.count - i
    let restB = right.count - j
    if restA == 0, restB == 0 { return left.lexicographicallyPrecedes(right) }
    return restA < restB
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  private static func lower(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }

  /// The digits from `start` on, leading zeros left out.
  private static func number(_ name: [UInt8], _ start: Int) -> (Int, Int) {
    var first = start
    while first < name.count, name[first] == 0x30 { first += 1 }
    var end = first
    while end < name.count, isDigit(name[end]) { end += 1 }
    return (first, end)
  }
}
