"""The faults that are made by rule: which places of a source, and what is changed there."""

import re
from dataclasses import dataclass, field

from source import PRECEDENCE

# What only says which rule a step follows from, and enumerations of texts: no fault is made there.
RULES_ONLY = re.compile(r"turn\.rules\.|rules\.formUnion")
RULE = re.compile(r"^(s\d+|x\d)$")
TEXT_ENUMS = {"Rule", "Remark", "Obstacle", "Code"}
NEIGHBOURS_OF_LESS = {"<": ("less", "<="), "<=": ("atMost", "<"), ">": ("more", ">="),
                      ">=": ("atLeast", ">")}


@dataclass
class Mutant:
    number: int
    source: str
    line: int
    function: str
    change: str
    rule: str
    span: tuple[int, int]
    # What was tried and does not compile.
    is_dropped: bool = False
    # The text with which the statement begins, for what must be assigned before it is used.
    statement: str = ""

    @property
    def key(self):
        return f"{self.source} {self.function}: {self.change}"


@dataclass
class Edit:
    """A change of one span for one or more mutants, as text before and after it."""
    span: tuple[int, int]
    rank: int
    mutants: list[int]
    opening: str
    # Each with the mutant it is for, None for all.
    closing: list[tuple[str, int | None]]
    # The operator that gives way to a comma.
    replaced: tuple[int, int] | None = None
    # Where the copy of a swapped statement goes: the end of the next one.
    copy: tuple[int, str] | None = None


@dataclass
class Maker:
    source: object
    enums: dict
    mutants: list
    edits: list = field(default_factory=list)
    regions: list | None = None

    def make(self):
        self.closed = [self.source.span(*r) for r in self.source.closed if r[0] <= r[1]]
        self._close_rules()
        self._statements()
        self._conditions()
        self._comparisons()
        self._tokens()
        self._switches()
        return self.edits

    # MARK: - Where nothing is changed

    def _close_rules(self):
        """What only tells rules is left out, with the condition that it hangs on."""
        source = self.source
        for function in source.functions:
            if function.returns == "RuleSet" or RULE.match(function.name):
                self.closed.append((function.start, function.end))
        for block in source.blocks:
            for statement in block.statements:
                code = source.code(statement.first, statement.last)
                if RULES_ONLY.match(code):
                    self.closed.append(source.span(statement.first, statement.last))
                elif statement.head == "if" and re.fullmatch(
                        r"if [^{}]*\{ turn\.rules\.[^{}]*\}", code):
                    self.closed.append(source.span(statement.first, statement.last))

    def _is_open(self, start, end):
        if self.regions is not None and not any(a <= start and end <= b for a, b in self.regions):
            return False
        return not any(a <= start and end <= b for a, b in self.closed)

    # MARK: - Helpers

    def _mutant(self, rule, span, change, statement=""):
        function = self.source.function_at(span[0])
        number = len(self.mutants)
        self.mutants.append(
            Mutant(number, self.source.name, self.source.line(span[0]),
                   function.name if function else "", change, rule, span, statement=statement))
        return number

    def _short(self, span):
        code = " ".join(self.source.text[span[0]:span[1]].split())
        return code if len(code) <= 70 else code[:67] + "..."

    # MARK: - Statements: dropped, and swapped with the next one

    def _statements(self):
        for block in self.source.blocks:
            if block.kind == "type":
                continue
            for index, statement in enumerate(block.statements):
                following = block.statements[index + 1] if index + 1 < len(block.statements) else None
                self._statement(statement, following, block)

    def _kind(self, statement, block):
        """What the statement is, for dropping: None when it cannot be dropped."""
        source, tokens = self.source, self.source.tokens
        first, last, head = statement.first, statement.last, statement.head
        if head == "return":
            return "return" if block.owner in {"if", "for", "while"} else None
        if head == "if":
            code = source.code(first, last)
            return None if "} else" in code else "if"
        if head in {"for", "while"}:
            return "loop"
        if head in {"let", "var", "guard", "switch", "case", "default", "break", "continue",
                    "throw", "func", "do", "defer", "self", "try", "preconditionFailure", "fallthrough"}:
            return None
        index, call = first, tokens[last].text in {")", "}"}
        while index <= last:
            if source.is_binary(index):
                if tokens[index].text in {"=", "+=", "-="}:
                    return "assignment"
                call = False
            partner = tokens[index].partner
            index = partner + 1 if partner and partner > index else index + 1
        if not call:
            return None
        function = block.function
        if len(block.statements) == 1 and (
                block.owner == "closure" or function and function.returns
                and block.owner in {"func", "var", "case"}):
            return None
        return "call"

    def _statement(self, statement, following, block):
        source = self.source
        kind = self._kind(statement, block)
        span = source.span(statement.first, statement.last)
        if kind is None or not self._is_open(*span):
            return
        if block.owner == "init" and re.match(r"(self\.)?\w+ = ", source.text[span[0]:span[1]]):
            return
        head = source.tokens[statement.first].text
        what = self._short(span)
        if kind in {"if", "loop"}:
            what = what.split(" {")[0] + " { }"
        dropped = self._mutant("statement", span, f"without `{what}`", head)
        keeps, copy = [dropped], None
        if following is not None and kind != "return":
            copy = self._swap(statement, following, block, span, head)
            if copy is not None:
                keeps.append(copy[0])
        condition = ", ".join(str(number) for number in keeps)
        edit = Edit(span, 5, keeps, f"if Mutant.keeps({condition}) {{ ", [(" }", None)])
        if copy is not None:
            edit.copy = (copy[1], f"; if Mutant.on({copy[0]}) {{ {source.text[span[0]:span[1]]} }}")
        self.edits.append(edit)

    def _swap(self, statement, following, block, span, head):
        source = self.source
        after = source.span(following.first, following.last)
        if not self._is_open(*after):
            return None
        if self._kind(following, block) in {None, "return"}:
            return None
        first, second = source.text[slice(*span)], source.text[slice(*after)]
        if re.search(r"\b(return|continue|break)\b", first + second):
            return None
        if not conflicts(first, second):
            return None
        change = f"`{self._short(span)}` after `{self._short(after)}`"
        return self._mutant("order", (span[0], after[1]), change, head), after[1]

    # MARK: - Conditions

    def _conditions(self):
        """Every boolean operand: negated, and left out where others stand beside it."""
        source, spans = self.source, {}

        def add(first, last, others):
            while source.tokens[first].text == "(" and source.tokens[first].partner == last:
                first, last = first + 1, last - 1
            spans.setdefault((first, last), set()).update(others)

        for (first, last), count, word in source.conditions:
            if count > 1 or word in {"guard", "for", "case"}:
                add(first, last, {"always"})
            else:
                add(first, last, {"always"} if word == "if" else set())
        for index, token in enumerate(source.tokens):
            if token.kind != "operator" or not source.is_binary(index):
                continue
            precedence = PRECEDENCE[token.text]
            if token.text in {"&&", "||"}:
                others = {"always"} if token.text == "&&" else {"never"}
                add(source.left(index, precedence), index - 1, others)
                add(index + 1, source.right(index, precedence), others)
            elif token.text == "?":
                add(source.left(index, precedence), index - 1, set())
            elif precedence == 4:
                add(source.left(index, 4), source.right(index, 4), set())
        for (first, last), others in spans.items():
            span = source.span(first, last)
            if not self._is_open(*span) or source.tokens[first].text in {"let", "var", "case"}:
                continue
            code = self._short(span)
            bare = re.fullmatch(r"!(\w|\.|\$|\([^()]*\))+", code)
            negation = f"`{code[1:]}`" if bare else f"not `{code}`"
            names = {"not": self._mutant("condition", span, f"{negation} for `{code}`" if bare
                                         else negation)}
            if "always" in others:
                names["always"] = self._mutant("condition", span, f"`{code}` always")
            if "never" in others:
                names["never"] = self._mutant("condition", span, f"`{code}` never")
            closing = [(f", {name}: {number}", number) for name, number in names.items()]
            self.edits.append(
                Edit(span, 3, list(names.values()), "Mutant.condition(", closing + [(")", None)]))

    def _comparisons(self):
        source = self.source
        for index, token in enumerate(source.tokens):
            if token.text not in NEIGHBOURS_OF_LESS or not source.is_binary(index):
                continue
            span = source.span(source.left(index, 4), source.right(index, 4))
            if not self._is_open(*span):
                continue
            name, other = NEIGHBOURS_OF_LESS[token.text]
            number = self._mutant(
                "comparison", span, f"`{other}` for `{token.text}` in `{self._short(span)}`")
            self.edits.append(
                Edit(span, 2, [number], f"Mutant.{name}({number}, ", [(")", None)],
                     replaced=(token.start, token.end)))

    # MARK: - Single words

    def _tokens(self):
        source, tokens = self.source, self.source.tokens
        for index, token in enumerate(tokens):
            before = tokens[index - 1] if index else None
            if not self._is_open(token.start, token.end):
                continue
            span = (token.start, token.end)
            context = self._context(index)
            if token.text in {"true", "false"}:
                other = "false" if token.text == "true" else "true"
                self._word(index, span, "boolean", other, context)
            elif token.kind == "number" and before.text != ".":
                for other in numbers(token.text, source.name == "SessionTime.swift"):
                    self._word(index, span, "number", other, context)
            elif token.text in {"min", "max"} and tokens[index + 1].text == "(" \
                    and before.text != ".":
                number = self._mutant("number", span, f"the other of `{context}`")
                opening = (tokens[index + 1].start, tokens[index + 1].end)
                self.edits.append(
                    Edit(opening, 0, [number], "", [(f"{number}, ", None)]))
                self.edits.append(Edit(span, 0, [number], "Mutant.", []))
            elif before is not None and before.text == "." and token.kind == "word":
                # An implicit member has nothing before its dot.
                dot = tokens[index - 1]
                lead = source.text[dot.start - 1]
                if not (lead.isspace() or lead in "(["):
                    continue
                if index + 1 < len(tokens) and tokens[index + 1].text in {"(", "."}:
                    continue
                if dot.begins_line and index - 1 not in source.starts and \
                        not source.is_binary(index - 2) and tokens[index - 2].text not in "([,":
                    continue
                for other in self._neighbours(token.text):
                    self._word(index, (dot.start, token.end), "case", "." + other, context)

    def _word(self, index, span, rule, other, context):
        text = self.source.text[slice(*span)]
        number = self._mutant(rule, span, f"`{other}` for `{text}` in `{context}`")
        self.edits.append(
            Edit(span, 1, [number], f"Mutant.pick({number}, ", [(f", {other})", None)]))

    def _neighbours(self, name):
        found = []
        for enum, cases in self.enums.items():
            plain = [case for case, is_plain in cases if is_plain]
            if name in plain and len(plain) > 1:
                other = plain[(plain.index(name) + 1) % len(plain)]
                if other not in found:
                    found.append(other)
        return found

    def _context(self, index):
        """The line that the word is on, or the statement when that is short."""
        text = self.source.text
        start = text.rfind("\n", 0, self.source.tokens[index].start) + 1
        end = text.find("\n", start)
        code = " ".join(text[start:end].split())
        return code if len(code) <= 80 else code[:77] + "..."

    # MARK: - Switches: one case taken for the next

    def _switches(self):
        source = self.source
        for switch in self.source.switches:
            span = source.span(*switch.subject)
            if not self._is_open(*span):
                continue
            arms = [[source.code(*pattern) for pattern in arm.patterns if self._is_plain(pattern)]
                    if arm.where is None else [] for arm in switch.arms]
            moves = []
            for number, arm in enumerate(arms):
                others = [a[0] for a in arms[number + 1:] + arms[:number] if a]
                if not others:
                    others = ['"-"'] if arm and arm[0].startswith('"') else []
                for pattern in arm if others else []:
                    moves.append((pattern, others[0]))
            if not moves:
                continue
            closing, made = [], []
            for pattern, other in moves:
                change = f"{pattern} taken for {other} in `switch {self._short(span)}`"
                number = self._mutant("case", span, change)
                made.append(number)
                closing.append((f", ({number}, {pattern}, {other})", number))
            self.edits.append(
                Edit(span, 4, made, "Mutant.moved(", closing + [(")", None)]))

    def _is_plain(self, pattern):
        first, last = pattern
        tokens = self.source.tokens
        if first == last:
            return tokens[first].kind == "string"
        return last == first + 1 and tokens[first].text == "." and any(
            (tokens[last].text, True) in cases for cases in self.enums.values())


def numbers(text, is_timing):
    value = text.replace("_", "")
    if not is_timing:
        return [str(int(value) + 1)] if value.isdigit() else []
    if "." in value:
        return [f"{float(value) * 0.9:.2f}", f"{float(value) * 1.1:.2f}"]
    return [str(int(value) * 9 // 10), str(int(value) * 11 // 10)]


def effects(text):
    """What a statement reads and writes, roughly: paths, with `state` for all of the state."""
    writes, reads = set(), set()
    if re.search(r"&turn\b", text):
        writes |= {"state", "turn.remark", "turn.fade", "turn.extra", "turn.goes", "turn.aside"}
        reads |= {"state"}
    for match in re.finditer(r"\b((?:state|turn)(?:\.\w+)+)", text):
        reads.add(match.group(1))
    for match in re.finditer(r"\b((?:state|turn)(?:\.\w+|\[[^\]]*\])*) (?:=|\+=|-=) ", text):
        writes.add(match.group(1).split("[")[0])
    changed = r"\b((?:state|turn)(?:\.\w+)*)\.(?:append|insert|remove\w*|cancel|formUnion)\b"
    for match in re.finditer(changed, text):
        if not match.group(1).startswith("turn.rules"):
            writes.add(match.group(1))
    if re.search(r"\b(isInCall|isLive|situation)\b", text):
        reads.add("state")
    return writes, reads


def conflicts(first, second):
    """Whether it can matter in which order the two statements stand."""
    def meet(some, others):
        return any(a == b or a.startswith(b + ".") or b.startswith(a + ".")
                   for a in some for b in others)
    first_writes, first_reads = effects(first)
    second_writes, second_reads = effects(second)
    return (meet(first_writes, second_writes | second_reads) or meet(first_reads, second_writes))
