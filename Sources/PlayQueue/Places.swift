/// Places in a list, ascending and without overlaps. Kept as ranges: neighbours are the rule.
struct Places: Equatable, Sendable {
  private(set) var ranges: [Range<Int>] = []
  private(set) var count = 0

  /// Any order, doubles and places outside of the list allowed.
  init(_ places: some Sequence<Int>, in count: Int) {
    for place in places.filter({ $0 >= 0 && $0 < count }).sorted() {
      if let last = ranges.last, place <= last.upperBound {
        if place == last.upperBound {
          ranges[ranges.count - 1] = last.lowerBound..<place + 1
          self.count += 1
        }
      } else {
        ranges.append(place..<place + 1)
        self.count += 1
      }
    }
  }

  init(_ range: Range<Int>) {
    ranges = range.isEmpty ? [] : [range]
    count = range.count
  }

  /// Ascending, and no two next to each other.
  init(checked ranges: [Range<Int>]) {
    self.ranges = ranges
    count = ranges.reduce(0) { $0 + $1.count }
  }

  var isEmpty: Bool { count == 0 }

  func contains(_ place: Int) -> Bool { ranges.contains { $0.contains(place) } }

  /// How many of them are smaller.
  func count(below place: Int) -> Int {
    var sum = 0
    for range in ranges where range.lowerBound < place {
      sum += min(range.upperBound, place) - range.lowerBound
    }
    return sum
  }
}

extension Array {
  /// Takes out what stands at these places.
  mutating func take(_ places: Places) -> [Element] {
    if places.ranges.count == 1 {
      let range = places.ranges[0]
      let taken = Array(self[range])
      removeSubrange(range)
      return taken
    }
    var taken: [Element] = []
    var rest: [Element] = []
    taken.reserveCapacity(places.count)
    rest.reserveCapacity(count - places.count)
    var next = 0
    for range in places.ranges {
      rest += self[next..<range.lowerBound]
      taken += self[range]
      next = range.upperBound
    }
    rest += self[next...]
    self = rest
    return taken
  }

  /// Puts elements where they stand at these places afterwards: the opposite of `take`.
  mutating func put(_ elements: [Element], at places: Places) {
    if places.ranges.count == 1 {
      return insert(contentsOf: elements, at: Swift.min(places.ranges[0].lowerBound, count))
    }
    var result: [Element] = []
    result.reserveCapacity(count + elements.count)
    var mine = 0
    var theirs = 0
    for range in places.ranges {
      let before = Swift.min(range.lowerBound - result.count, count - mine)
      if before > 0 {
        result += self[mine..<mine + before]
        mine += before
      }
      result += elements[theirs..<theirs + range.count]
      theirs += range.count
    }
    result += self[mine...]
    self = result
  }
}
