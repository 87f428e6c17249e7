"""The named faults: each a sentence, and what is to be written in place of what."""

import re
from dataclasses import dataclass

from rules import Edit, Mutant
from source import SourceError


@dataclass
class Hunk:
    source: str
    function: str
    old: str
    new: str
    line: int


@dataclass
class Fault:
    name: str
    line: int
    hunks: list[Hunk]


def read(path):
    """Reads the file of faults: `## name`, then `in FILE [FUNCTION]`, `- old` and `+ new` lines."""
    faults, state = [], None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip()
            if line.startswith("## "):
                faults.append(Fault(line[3:], number, []))
            elif line.startswith("in ") and faults:
                words = line.split()
                faults[-1].hunks.append(
                    Hunk(words[1], words[2] if len(words) > 2 else "", "", "", number))
            elif line[:2] in {"- ", "+ ", "+"} and faults and faults[-1].hunks:
                hunk = faults[-1].hunks[-1]
                if line[0] == "-":
                    hunk.old += line[2:] + "\n"
                else:
                    hunk.new += line[2:] + "\n"
            elif line and not line.startswith("#"):
                raise SourceError(f"{path}:{number}: not a line of a fault: {line}")
    for fault in faults:
        if not fault.hunks or not all(hunk.old for hunk in fault.hunks):
            raise SourceError(f"{path}:{fault.line}: '{fault.name}' changes nothing")
    return faults


def edits(faults, sources, path):
    """The edits of all faults by source, and their mutants: one number for each fault."""
    mutants, found = [], {name: [] for name in sources}
    for number, fault in enumerate(faults):
        where = fault.hunks[0]
        for hunk in fault.hunks:
            place = f"{path}:{hunk.line}: '{fault.name}'"
            if hunk.source not in sources:
                raise SourceError(f"{place} is for {hunk.source}, which is not there")
            source = sources[hunk.source]
            span = locate(source, hunk, place)
            found[hunk.source].append(edit(source, span, number, hunk, place))
            if hunk is where:
                mutants.append(
                    Mutant(number, source.name, source.line(span[0]), hunk.function, fault.name,
                           "named", span))
    for name, list_of_edits in found.items():
        check(list_of_edits, faults, name)
    return mutants, found


def locate(source, hunk, place):
    """Where the old text is: once, whatever its spaces; what is between <| and |> if it has them."""
    old = hunk.old if "<|" in hunk.old else f"<|{hunk.old}|>"
    parts = [[re.escape(word) for word in part.split()] for part in re.split(r"<\||\|>", old)]
    if len(parts) != 3 or not parts[1]:
        raise SourceError(f"{place}: <| and |> stand around what is changed, once")
    space = r"\s*"
    before, changed, after = (r"\s+".join(words) for words in parts)
    text = f"{before}{space if before else ''}({changed}){space if after else ''}{after}"
    regions = [(0, len(source.text))]
    if hunk.function:
        regions = [(f.start, f.end) for f in source.functions if f.name == hunk.function]
        if not regions:
            raise SourceError(f"{place}: {source.name} has no {hunk.function}")
    matches = [match.span(1) for start, end in regions
               for match in re.compile(text).finditer(source.text, start, end)]
    if len(matches) != 1:
        times = "no longer stands" if not matches else f"stands {len(matches)} times"
        raise SourceError(f"{place}: its text {times} in {source.name} {hunk.function}".rstrip())
    return matches[0]


def edit(source, span, number, hunk, place):
    starts = {token.start: i for i, token in enumerate(source.tokens)}
    ends = {token.end: i for i, token in enumerate(source.tokens)}
    if span[0] not in starts or span[1] not in ends:
        raise SourceError(f"{place}: its text begins or ends within a word")
    first, last = starts[span[0]], ends[span[1]]
    new = hunk.new.strip()
    if is_statement(source, first, last):
        return Edit(span, 6, [number], f"if Mutant.on({number}) {{ {new} }} else {{ ",
                    [(" }", number)])
    if not new:
        raise SourceError(f"{place}: an expression needs another in its place")
    return Edit(span, 1, [number], f"(Mutant.on({number}) ? ({new}) : ", [(")", number)])


def is_statement(source, first, last):
    for block in source.blocks:
        if block.kind == "type":
            continue
        for index, statement in enumerate(block.statements):
            if statement.first != first:
                continue
            ends = [s.last for s in block.statements[index:]]
            if last not in ends:
                continue
            is_value = (
                len(block.statements) == 1 and block.owner in {"closure", "var", "func", "case"}
                and (block.owner == "closure" or block.function and block.function.returns)
                and statement.head not in {"return", "if", "guard", "for", "switch", "while"}
                and not any(source.tokens[i].text in {"=", "+=", "-="} and source.is_binary(i)
                            for i in range(first, last)))
            return not is_value
    return False


def check(list_of_edits, faults, name):
    """Two faults may stand in each other, but not half."""
    for a in list_of_edits:
        for b in list_of_edits:
            if a.span[0] < b.span[0] < a.span[1] < b.span[1]:
                raise SourceError(
                    f"'{faults[a.mutants[0]].name}' and '{faults[b.mutants[0]].name}' overlap in "
                    f"{name}: one of them must take the whole expression or statement")
