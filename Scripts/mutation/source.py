"""Swift sources, read as far as mutation needs: tokens, brackets, statements and conditions.

It relies on the style that `swift format` keeps: a statement begins a line, and a binary operator
has a space on both sides. What it takes for a statement and is none does not compile with the
mutation, and the mutation is dropped then."""

import re
from dataclasses import dataclass, field

TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
      | (?P<string>\"\"\".*?\"\"\"|"(?:\\\((?:[^()]|\([^()]*\))*\)|\\.|[^"\\])*")
      | (?P<word>[@#]?[A-Za-z_][A-Za-z0-9_]*|`[^`]+`|\$[0-9]+)
      | (?P<number>[0-9][0-9_]*(?:\.[0-9]+)?(?:e[0-9]+)?)
      | (?P<operator>\.\.\.|\.\.<|[-/=+*%<>&|^~]+|!=+|\?\?|[!?]|\\)
      | (?P<mark>[(){}\[\],;:.])""",
    re.VERBOSE | re.DOTALL)

PRECEDENCE = {
    "=": 0, "+=": 0, "-=": 0, "?": 1, ":": 1, "||": 2, "&&": 3, "==": 4, "!=": 4, "<": 4, "<=": 4,
    ">": 4, ">=": 4, "??": 5, "...": 6, "..<": 6, "+": 7, "-": 7, "|": 7, "*": 8, "/": 8, "%": 8,
    "&": 8,
}
MODIFIERS = {
    "public", "private", "internal", "fileprivate", "package", "static", "mutating", "nonmutating",
    "final", "override", "lazy", "weak", "indirect", "nonisolated", "convenience", "required",
}
TYPES = {"struct", "enum", "extension", "class", "protocol", "actor"}
STOPS = {"return", "in", "if", "guard", "while", "where", "case", "let", "var", "else", "throw",
         "switch", "try", "for", "some"}


class SourceError(Exception):
    """The text could not be read: a sentence."""


@dataclass
class Token:
    kind: str
    text: str
    start: int
    end: int
    begins_line: bool
    is_spaced: bool = False
    partner: int | None = None


@dataclass
class Function:
    """A function, an initialiser or a computed property, and where its body is."""
    name: str
    start: int
    end: int
    returns: str


@dataclass
class Statement:
    """Tokens `first` to `last`, inclusive, and the block that they stand in."""
    first: int
    last: int
    block: "Block"
    head: str


@dataclass
class Block:
    """What stands between two braces of code, or after the colon of a case."""
    kind: str
    owner: str
    function: Function | None
    statements: list[Statement] = field(default_factory=list)


@dataclass
class Arm:
    """A case of a switch: the tokens of each pattern, and of its condition if it has one."""
    patterns: list[tuple[int, int]]
    where: tuple[int, int] | None
    is_default: bool


@dataclass
class Switch:
    subject: tuple[int, int]
    arms: list[Arm]


class Source:
    def __init__(self, name, text):
        self.name = name
        self.text = text
        self.tokens = []
        self.blocks = []
        self.functions = []
        self.switches = []
        # Token ranges, inclusive: (range, all of the list's elements, statement's head).
        self.conditions = []
        self.starts = set()
        self.bodies = set()
        # Token ranges in which nothing is changed: patterns, declarations' heads.
        self.closed = []
        self.enums = {}
        self._read()
        self._items(0, len(self.tokens), "type", "", None)

    # MARK: - Tokens

    def _read(self):
        position, begins = 0, True
        while position < len(self.text):
            match = TOKEN.match(self.text, position)
            if not match:
                raise SourceError(f"{self.name}:{self.line(position)}: cannot be read")
            if match.lastgroup == "skip":
                begins = begins or "\n" in match.group()
            else:
                self.tokens.append(
                    Token(match.lastgroup, match.group(), position, match.end(), begins))
                begins = False
            position = match.end()
        open_brackets = []
        for index, token in enumerate(self.tokens):
            before = self.text[token.start - 1] if token.start else "\n"
            after = self.text[token.end] if token.end < len(self.text) else "\n"
            token.is_spaced = before.isspace() and after.isspace()
            if token.kind != "mark":
                continue
            if token.text in "([{":
                open_brackets.append(index)
            elif token.text in ")]}":
                token.partner = open_brackets.pop()
                self.tokens[token.partner].partner = index

    def line(self, offset):
        return self.text.count("\n", 0, offset) + 1

    def span(self, first, last):
        return self.tokens[first].start, self.tokens[last].end

    def code(self, first, last):
        start, end = self.span(first, last)
        return " ".join(self.text[start:end].split())

    def is_binary(self, index):
        token = self.tokens[index]
        if token.kind == "operator":
            return token.text in PRECEDENCE and token.is_spaced
        return token.text == ":" and token.is_spaced

    def function_at(self, offset):
        """The innermost function around that place."""
        around = [f for f in self.functions if f.start <= offset < f.end]
        return max(around, key=lambda f: f.start, default=None)

    # MARK: - Statements

    def _continues(self, index):
        """Whether the token, first of its line, goes on with the statement before it."""
        token, before = self.tokens[index], self.tokens[index - 1]
        if token.text in {".", "else", "{", "where", "->", ")", "]", "}", "throws"}:
            return True
        if self.is_binary(index) or before.text in {",", "=", "->", "guard", "if", "return", "in"}:
            return before.text != "in"
        return self.is_binary(index - 1) or before.text.startswith("@")

    def _items(self, first, end, kind, owner, function):
        """Reads the statements or declarations between two tokens."""
        block = Block(kind, owner, function)
        self.blocks.append(block)
        index = first
        while index < end:
            last = index
            while True:
                if self.tokens[last].partner is not None and self.tokens[last].partner > last:
                    last = self.tokens[last].partner
                following = last + 1
                if following >= end or self.tokens[following].text == ";":
                    break
                if self.tokens[following].begins_line and not self._continues(following):
                    break
                last = following
            self._item(index, last, block)
            index = last + 1
            if index < end and self.tokens[index].text == ";":
                index += 1

    def _head(self, first, last):
        """The keyword of a declaration or statement, after its attributes and modifiers."""
        index = first
        while index < last:
            text = self.tokens[index].text
            if text.startswith("@") or text in MODIFIERS:
                index += 1
                if self.tokens[index].text == "(" and self.tokens[index - 1].text != "case":
                    index = self.tokens[index].partner + 1
                continue
            break
        return index

    def _brace(self, first, last):
        """The first brace of the statement that is in no other bracket."""
        index = first
        while index <= last:
            token = self.tokens[index]
            if token.text == "{":
                return index
            if token.partner is not None and token.partner > index:
                index = token.partner
            index += 1
        return None

    def _item(self, first, last, block):
        head = self._head(first, last)
        word = self.tokens[head].text
        self.starts.add(first)
        if word in TYPES and block.kind == "type":
            brace = self._brace(head, last)
            if word == "enum":
                self._enum(self.tokens[head + 1].text, brace)
            self.closed.append((first, brace - 1))
            self._items(brace + 1, self.tokens[brace].partner, "type", word, None)
        elif word in {"func", "init", "subscript"}:
            self._function(first, head, last, block)
        elif word in {"import", "typealias", "case", "associatedtype"} and block.kind == "type":
            self.closed.append((first, last))
        elif word in {"var", "let"} and block.kind == "type":
            self._property(first, head, last)
        else:
            block.statements.append(Statement(first, last, block, word))
            self._statement(first, last, word, block)

    def _enum(self, name, brace):
        cases, index = [], brace + 1
        while index < self.tokens[brace].partner:
            token = self.tokens[index]
            if token.text == "case" and token.begins_line:
                index += 1
                while True:
                    following = self.tokens[index + 1]
                    cases.append((self.tokens[index].text, following.text != "("))
                    index += 1
                    while self.tokens[index].text != "," and not self.tokens[index].begins_line \
                            and self.tokens[index].text != "}":
                        partner = self.tokens[index].partner
                        index = partner + 1 if partner and partner > index else index + 1
                    if self.tokens[index].text != ",":
                        break
                    index += 1
                continue
            if token.partner is not None and token.partner > index:
                index = token.partner
            index += 1
        self.enums[name] = cases

    def _function(self, first, head, last, block):
        brace = self._brace(head, last)
        self.closed.append((first, (brace or last + 1) - 1))
        if brace is None:
            return
        returns, name = "", self.tokens[head].text
        if name == "func":
            name = self.tokens[head + 1].text
        for index in range(head, brace):
            if self.tokens[index].text == "->":
                returns = self.code(index + 1, brace - 1)
        close = self.tokens[brace].partner
        function = Function(name, self.tokens[head].start, self.tokens[close].end, returns)
        self.functions.append(function)
        self.bodies.add(brace)
        self._items(brace + 1, close, "code", self.tokens[head].text, function)

    def _property(self, first, head, last):
        brace, equals = self._brace(head, last), None
        for index in range(head, (brace or last) + 1):
            if self.tokens[index].text == "=" and self.is_binary(index):
                equals = index
                break
        if equals is not None:
            self.closed.append((first, equals))
            self._expression(equals + 1, last, None)
        elif brace is None:
            self.closed.append((first, last))
        else:
            self.closed.append((first, brace - 1))
            colon = next(i for i in range(head, brace) if self.tokens[i].text == ":")
            close = self.tokens[brace].partner
            function = Function(
                self.tokens[head + 1].text, self.tokens[head].start, self.tokens[close].end,
                self.code(colon + 1, brace - 1))
            self.functions.append(function)
            self.bodies.add(brace)
            self._items(brace + 1, close, "code", "var", function)

    def _statement(self, first, last, word, block):
        if word in {"if", "guard", "while"}:
            self._branch(first, last, word, block)
        elif word == "for":
            self._loop(first, last, block)
        elif word in {"do", "defer"}:
            brace = first + 1
            while self.tokens[brace].text != "{":
                brace += 1
            self._body(brace, word, block)
            rest = self.tokens[brace].partner + 1
            if rest <= last:
                catch = self._brace(rest, last)
                self.closed.append((rest, catch - 1))
                self._body(catch, "catch", block)
        else:
            self._expression(first, last, block)

    def _body(self, brace, owner, block):
        self.bodies.add(brace)
        self._items(brace + 1, self.tokens[brace].partner, "code", owner, block and block.function)

    def _branch(self, first, last, word, block):
        brace = first + 1
        if word == "guard":
            # The brace of the else that belongs to it: the last one.
            brace = self.tokens[last].partner
            end = brace - 2
        else:
            while self.tokens[brace].text != "{":
                partner = self.tokens[brace].partner
                brace = partner + 1 if partner and partner > brace else brace + 1
            end = brace - 1
        self._conditions(first + 1, end, word, block)
        self._body(brace, word, block)
        rest = self.tokens[brace].partner + 1
        if rest <= last and self.tokens[rest].text == "else":
            if self.tokens[rest + 1].text == "if":
                self._branch(rest + 1, last, "if", block)
            else:
                self._body(rest + 1, "else", block)

    def _conditions(self, first, last, word, block):
        parts, index, begin = [], first, first
        while index <= last:
            if self.tokens[index].text == ",":
                parts.append((begin, index - 1))
                begin = index + 1
            partner = self.tokens[index].partner
            index = partner + 1 if partner and partner > index else index + 1
        parts.append((begin, last))
        plain = []
        for begin, end in parts:
            text = self.tokens[begin].text
            if text in {"let", "var", "case"} or text.startswith("#"):
                equals = next((i for i in range(begin, end + 1)
                               if self.tokens[i].text == "=" and self.is_binary(i)), end)
                self.closed.append((begin, equals))
                if equals < end:
                    self._expression(equals + 1, end, block)
            else:
                plain.append((begin, end))
                self._expression(begin, end, block)
        for part in plain:
            self.conditions.append((part, len(parts), word))

    def _loop(self, first, last, block):
        brace = self.tokens[last].partner
        middle = next(i for i in range(first, brace) if self.tokens[i].text == "in")
        where = next((i for i in range(middle, brace) if self.tokens[i].text == "where"), None)
        self.closed.append((first, middle))
        self._expression(middle + 1, (where or brace) - 1, block)
        if where:
            self._expression(where + 1, brace - 1, block)
            self.conditions.append(((where + 1, brace - 1), 1, "for"))
        self._body(brace, "for", block)

    # MARK: - Expressions

    def _expression(self, first, last, block):
        """Finds the switches and closures of an expression."""
        index = first
        while index <= last:
            token = self.tokens[index]
            if token.text == "switch":
                index = self._switch(index, block) + 1
            elif token.text == "if" and index == first or token.text == "if" \
                    and self.tokens[index - 1].text in {"=", "return"}:
                end = index
                while end < last:
                    end += 1
                    if self.tokens[end].partner and self.tokens[end].partner > end:
                        end = self.tokens[end].partner
                self._branch(index, end, "if", block)
                return
            elif token.text == "{":
                self._closure(index, block)
                index = token.partner + 1
            else:
                index += 1

    def _closure(self, brace, block):
        close, first = self.tokens[brace].partner, brace + 1
        index = first
        while index < close and not (index > first and self.tokens[index].begins_line):
            if self.tokens[index].text == "in":
                self.closed.append((first, index))
                first = index + 1
                break
            if self.tokens[index].text in "({[":
                index = self.tokens[index].partner
            index += 1
        if first < close:
            self._items(first, close, "code", "closure", block and block.function)

    def _switch(self, index, block):
        brace = index + 1
        while self.tokens[brace].text != "{":
            partner = self.tokens[brace].partner
            brace = partner + 1 if partner and partner > brace else brace + 1
        self.bodies.add(brace)
        close = self.tokens[brace].partner
        switch = Switch((index + 1, brace - 1), [])
        self.switches.append(switch)
        self._expression(index + 1, brace - 1, block)
        heads, depth_index = [], brace + 1
        while depth_index < close:
            token = self.tokens[depth_index]
            if token.text in {"case", "default"} and token.begins_line:
                heads.append(depth_index)
            partner = token.partner
            depth_index = partner + 1 if partner and partner > depth_index else depth_index + 1
        for number, head in enumerate(heads):
            end = heads[number + 1] if number + 1 < len(heads) else close
            colon = head + 1
            while self.tokens[colon].text != ":" or self.tokens[colon].is_spaced and \
                    not self.text[self.tokens[colon].end:].startswith("\n"):
                partner = self.tokens[colon].partner
                colon = partner + 1 if partner and partner > colon else colon + 1
            switch.arms.append(self._arm(head, colon, block))
            if colon + 1 < end:
                self._items(
                    colon + 1, end, "code", "case", block and block.function)
        return close

    def _arm(self, head, colon, block):
        if self.tokens[head].text == "default":
            return Arm([], None, True)
        patterns, index, begin, where = [], head + 1, head + 1, None
        while index < colon:
            text = self.tokens[index].text
            if text == "," and where is None:
                patterns.append((begin, index - 1))
                begin = index + 1
            elif text == "where":
                patterns.append((begin, index - 1))
                where = (index + 1, colon - 1)
                break
            partner = self.tokens[index].partner
            index = partner + 1 if partner and partner > index else index + 1
        if where is None:
            patterns.append((begin, colon - 1))
            self.closed.append((head, colon))
        else:
            self.closed.append((head, where[0] - 1))
            self._expression(*where, block)
            self.conditions.append((where, 1, "case"))
        return Arm(patterns, where, False)

    # MARK: - Operands

    def left(self, index, precedence):
        """The first token of what an operator has on its left."""
        at = index - 1
        while True:
            token = self.tokens[at]
            if token.partner is not None and token.partner < at:
                if token.text == "}" and token.partner in self.bodies:
                    return at + 1
                at = token.partner
                if at in self.starts:
                    return at
            elif self._bounds(at, precedence):
                return at + 1
            elif at in self.starts:
                return at
            at -= 1

    def right(self, index, precedence):
        """The last token of what an operator has on its right."""
        at = index + 1
        while at < len(self.tokens):
            token = self.tokens[at]
            if at in self.bodies or at > index + 1 and at in self.starts:
                return at - 1
            if token.partner is not None and token.partner > at:
                at = token.partner
            elif self._bounds(at, precedence):
                return at - 1
            at += 1
        return at - 1

    def _bounds(self, at, precedence):
        token = self.tokens[at]
        if token.text in STOPS or token.kind == "mark" and token.text in "([{)]},;":
            return True
        if token.text == ":":
            return True
        return self.is_binary(at) and PRECEDENCE[token.text] <= precedence
