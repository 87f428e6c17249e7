"""All mutants in one build: each changed place asks at run time which mutant is chosen."""

import re
from dataclasses import dataclass

# What the changed places call. The mutant is read once from the environment.
RUNTIME = """\
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

enum Mutant {
  static let chosen: Int = getenv("SOTTO_MUTANT").flatMap { Int(String(cString: $0)) } ?? -1

  static func on(_ number: Int) -> Bool { chosen == number }

  static func keeps(_ numbers: Int...) -> Bool { !numbers.contains(chosen) }

  static func condition(_ value: Bool, not: Int = -2, always: Int = -2, never: Int = -2) -> Bool {
    if chosen == not { return !value }
    if chosen == always { return true }
    if chosen == never { return false }
    return value
  }

  static func pick<T>(_ number: Int, _ value: T, _ other: T) -> T {
    chosen == number ? other : value
  }

  static func moved<T: Equatable>(_ value: T, _ moves: (Int, T, T)...) -> T {
    for (number, from, to) in moves where number == chosen && value == from { return to }
    return value
  }

  static func less<T: Comparable>(_ number: Int, _ a: T, _ b: T) -> Bool {
    chosen == number ? a <= b : a < b
  }

  static func atMost<T: Comparable>(_ number: Int, _ a: T, _ b: T) -> Bool {
    chosen == number ? a < b : a <= b
  }

  static func more<T: Comparable>(_ number: Int, _ a: T, _ b: T) -> Bool {
    chosen == number ? a >= b : a > b
  }

  static func atLeast<T: Comparable>(_ number: Int, _ a: T, _ b: T) -> Bool {
    chosen == number ? a > b : a >= b
  }

  static func min<T: Comparable>(_ number: Int, _ a: T, _ b: T) -> T {
    chosen == number ? Swift.max(a, b) : Swift.min(a, b)
  }

  static func max<T: Comparable>(_ number: Int, _ a: T, _ b: T) -> T {
    chosen == number ? Swift.min(a, b) : Swift.max(a, b)
  }
}
"""


@dataclass
class Piece:
    """A stretch of the written text: where it is from, or which mutant it is for."""
    start: int
    end: int
    origin: int | None
    mutants: list[int]


class Schemata:
    """A source with the changes of the edits, and the way back from a place in it."""

    def __init__(self, source, edits, mutants):
        self.source = source
        self.mutants = mutants
        self.edits = edits
        self.write()

    def write(self):
        opening, closing, replaced = {}, {}, {}
        for order, edit in enumerate(self.edits):
            live = [n for n in edit.mutants if not self.mutants[n].is_dropped]
            if not live:
                continue
            start, end = edit.span
            closings = [(text, [number] if number is not None else live)
                        for text, number in edit.closing if number is None or number in live]
            text = edit.opening
            if text.startswith("if Mutant.keeps("):
                text = f"if Mutant.keeps({', '.join(map(str, live))}) {{ "
            # What begins first ends last; at one place the higher rank is the outer one.
            opening.setdefault(start, []).append((-end, -edit.rank, order, text, live))
            closing.setdefault(end, []).append((-start, edit.rank, -order, closings))
            if edit.replaced:
                replaced[edit.replaced[0]] = edit.replaced[1]
            if edit.copy and edit.mutants[1] in live:
                # Outside of everything that ends there.
                place, copied = edit.copy
                closing.setdefault(place, []).append((1, 9, 0, [(copied, [edit.mutants[1]])]))
        self.pieces, out, length = [], [], 0

        def put(text, origin, mutants):
            nonlocal length
            if text:
                out.append(text)
                self.pieces.append(Piece(length, length + len(text), origin, mutants))
                length += len(text)

        text, at = self.source.text, 0
        places = sorted(set(opening) | set(closing) | set(replaced))
        for place in places:
            put(text[at:place], at, [])
            at = max(at, place)
            for *_, closings in sorted(closing.get(place, [])):
                for added, owners in closings:
                    put(added, None, owners)
            for _, _, _, added, owners in sorted(opening.get(place, [])):
                put(added, None, owners)
            if place in replaced:
                put(",", None, [])
                at = replaced[place]
        put(text[at:], at, [])
        self.text = "".join(out)

    def blame(self, line, column, message):
        """The mutants that a compiler's complaint is about: the innermost, or all around."""
        offset = 0
        for _ in range(line - 1):
            offset = self.text.index("\n", offset) + 1
        # Columns count bytes.
        row = self.text[offset:].split("\n", 1)[0].encode()
        offset += len(row[:column - 1].decode(errors="ignore"))
        place = None
        for piece in self.pieces:
            if piece.start <= offset < piece.end or piece.end == offset == len(self.text):
                if piece.origin is None:
                    if piece.mutants:
                        return piece.mutants
                else:
                    place = piece.origin + offset - piece.start
                break
        if place is None:
            place = max((p.origin + p.end - p.start for p in self.pieces
                         if p.origin is not None and p.end <= offset), default=0)
        live = [m for m in self.mutants
                if m.source == self.source.name and not m.is_dropped]
        named = re.search(r"'(\w+)' (?:used before|captured by|was never|must be init)", message)
        if named:
            found = [m.number for m in live
                     if m.rule in {"statement", "order"} and m.statement == named.group(1)]
            if found:
                return found
        function = self.source.function_at(place)
        within = [m for m in live
                  if function and function.start <= m.span[0] and m.span[1] <= function.end]
        if "missing return" in message:
            found = [m.number for m in within if m.rule == "statement"
                     and m.statement in {"return", "if", "for"}]
            if found:
                return found
        around = [m for m in live if m.span[0] <= place <= m.span[1]]
        if around:
            size = min(m.span[1] - m.span[0] for m in around)
            return [m.number for m in around if m.span[1] - m.span[0] == size]
        line = self.source.line(place)
        on_line = [m.number for m in live if m.line == line]
        return on_line or [m.number for m in within]
