"""Read a Terraform file into blocks and attributes with lines; what only Terraform can compute stays opaque.

python-hcl2 needs two seconds to build its tables before it reads the first file; this reader needs none. The tests
compare both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from foureyes.reviewers.critics.exposure.tree import DEPTH_MAX, NODES_MAX, Node, UnreadableError

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f\v\ufeff]+)|(?P<line>\n)|(?P<comment>\#[^\n]*|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)
    |(?P<heredoc><<(?P<dash>-?)(?P<tag>[A-Za-z_][\w-]*)[ \t\r]*\n)
    |(?P<name>[A-Za-z_][\w-]*)|(?P<number>[0-9][0-9.]*(?:[eE][-+]?[0-9]+)?)|(?P<quote>")
    |(?P<mark>\.\.\.|=>|==|!=|<=|>=|&&|\|\||[{}\[\]()=,:.?+\-*/%<>!&|~$;@^'\\])""",
    re.VERBOSE,
)
_PLAIN = re.compile(r'[^"\\$%\n]+')
_WORDS = {"true": True, "false": False, "null": None}
#: Functions that return their one argument, as far as the rules are concerned.
_WRAPPERS = frozenset({"jsonencode", "tolist", "toset", "tostring", "tobool", "tonumber", "nonsensitive", "yamlencode"})
_KEPT_MAX = 40
#: Keys under which the content of a dynamic block keeps its list and its iterator name; no attribute contains a dot.
EACH, ITERATOR = "dynamic.for_each", "dynamic.iterator"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A top-level block of a file: `resource "aws_s3_bucket" "logs" { … }`."""

    kind: str
    labels: tuple[str, ...]
    body: Node


def read_hcl(text: str) -> list[Block]:
    """Return the top-level blocks of a file; top-level attributes (a .tfvars file) become a block without a name."""
    reader = _Reader(_tokens(text))
    keys: dict[str, int] = {}
    loose: dict[str, Node] = {}
    blocks: list[Block] = []
    while reader.skip_lines():
        name = reader.name()
        if reader.peek() == "=":
            reader.next()
            loose[name.text], keys[name.text] = reader.expression(1), name.line
        else:
            labels = reader.labels()
            blocks.append(Block(kind=name.text, labels=labels, body=reader.body(name.line, 1)))
    if loose:
        blocks.append(Block(kind="", labels=(), body=Node(line=1, value=loose, keys=keys)))
    return blocks


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    line, position = 1, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise UnreadableError(f"is not valid HCL (line {line})")
        position, kind, token = match.end(), match.lastgroup or "", match.group()
        if kind == "quote":
            token, position, opaque = _string(text, position, line)
            found.append(_Token("opaque" if opaque else "string", token, line))
        elif kind == "heredoc":
            body, position = _heredoc(text, position, match["tag"], line)
            found.append(_Token("heredoc", body, line))
            found.append(_Token("line", "\n", line))
            line += text.count("\n", match.start(), position)
        elif kind == "line":
            found.append(_Token("line", token, line))
            line += 1
        elif kind == "comment":
            line += token.count("\n")
        elif kind != "space":
            found.append(_Token(kind, token, line))
        if len(found) > NODES_MAX:
            raise UnreadableError(f"has more than {NODES_MAX} words")
    found.append(_Token("end", "", line))
    return found


def _string(text: str, position: int, line: int) -> tuple[str, int, bool]:
    """Read a quoted text from after its quote; return its value, its end, and whether it has interpolations."""
    parts: list[str] = []
    opaque = False
    while position < len(text):
        plain = _PLAIN.match(text, position)
        if plain:
            parts.append(plain.group())
            position = plain.end()
            continue
        char = text[position]
        if char == '"':
            return "".join(parts), position + 1, opaque
        if char == "\n":
            break
        if char == "\\":
            parts.append(_ESCAPES.get(text[position + 1 : position + 2], text[position : position + 2]))
            position += 2
        elif text.startswith(("${", "%{"), position):
            end = _interpolation(text, position + 2, line)
            parts.append(text[position:end])
            position, opaque = end, True
        else:
            parts.append(char)
            position += 1
    raise UnreadableError(f"has a text without end (line {line})")


_INSIDE = re.compile(r'[^"{}\n]+')


def _interpolation(text: str, position: int, line: int) -> int:
    """Return the end of `${ … }`; a stack tracks the texts and interpolations nested in it."""
    stack = ["{"]
    while position < len(text) and stack:
        char = text[position]
        if stack[-1] == '"':
            if char == "\\":
                position += 1
            elif char == '"':
                stack.pop()
            elif text.startswith(("${", "%{"), position):
                stack.append("{")
                position += 1
        elif char in '"{':
            stack.append(char)
        elif char == "}":
            stack.pop()
        position += 1
        if len(stack) > DEPTH_MAX:
            raise UnreadableError(f"is nested more than {DEPTH_MAX} deep")
    if stack or "\n" in text[position - 1 : position]:
        raise UnreadableError(f"has a text without end (line {line})")
    return position


def _heredoc(text: str, position: int, tag: str, line: int) -> tuple[str, int]:
    """Return the lines up to the one with only the tag, and the position after that line."""
    end = re.compile(rf"^[ \t]*{re.escape(tag)}[ \t\r]*$", re.MULTILINE).search(text, position)
    if end is None:
        raise UnreadableError(f"has a text without end (line {line})")
    body = text[position : end.start()]
    return body.removesuffix("\n"), min(end.end() + 1, len(text))


class _Reader:
    """Reads tokens into nodes, up to the depth limit."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._at = 0

    def peek(self) -> str:
        token = self._tokens[self._at]
        return token.text if token.kind == "mark" else token.kind

    def next(self) -> _Token:
        token = self._tokens[self._at]
        self._at = min(self._at + 1, len(self._tokens) - 1)
        return token

    def skip_lines(self) -> bool:
        while self._tokens[self._at].kind == "line":
            self._at += 1
        return self._tokens[self._at].kind != "end"

    def name(self) -> _Token:
        token = self.next()
        if token.kind not in ("name", "string"):
            raise UnreadableError(f"is not valid HCL (line {token.line})")
        return token

    def labels(self) -> tuple[str, ...]:
        found = []
        while self.peek() in ("name", "string", "opaque"):
            found.append(self.next().text)
        return tuple(found)

    def body(self, line: int, depth: int) -> Node:
        """Read the inside of a block, braces included."""
        self._enter(depth, "{")
        value: dict[str, Node] = {}
        keys: dict[str, int] = {}
        while self.skip_lines() and self.peek() != "}":
            name = self.name()
            if self.peek() == "=":
                self.next()
                value[name.text], keys[name.text] = self.expression(depth + 1), name.line
                continue
            labels = self.labels()
            inner = self.body(name.line, depth + 1)
            key, inner = _dynamic(name.text, labels, inner)
            keys.setdefault(key, inner.line)
            blocks = value.setdefault(key, Node(line=inner.line, value=[]))
            if isinstance(blocks.value, list):
                blocks.value.append(inner)
        self._leave("}")
        return Node(line=line, value=value, keys=keys)

    def expression(self, depth: int) -> Node:
        """Read a value; anything but a literal, a list or an object is opaque."""
        start = self._at
        node = self._primary(depth)
        if self.peek() in ("line", ",", "]", "}", ")", "end"):
            return node
        return self._opaque(start)

    def _primary(self, depth: int) -> Node:  # noqa: PLR0911 - one for each form of a value
        token = self._tokens[self._at]
        if token.kind in ("string", "heredoc", "opaque"):
            self.next()
            opaque = token.kind == "opaque"
            return Node(line=token.line, value=token.text, opaque=opaque)
        if token.text == "[" and self._after(1) != "for":
            return self._list(depth)
        if token.text == "{" and self._after(1) != "for":
            return self._object(depth)
        if token.kind == "number":
            self.next()
            return Node(line=token.line, value=_number(token.text))
        if token.text == "-" and self._tokens[self._at + 1].kind == "number":
            self.next()
            return Node(line=token.line, value=-_number(self.next().text))
        if token.kind == "name" and token.text in _WORDS:
            self.next()
            return Node(line=token.line, value=_WORDS[token.text])
        if token.kind == "name" and token.text in _WRAPPERS and self._after(1) == "(":
            return self._wrapped(depth)
        return self._opaque(self._at)

    def _after(self, steps: int) -> str:
        at = self._at + steps
        while at < len(self._tokens) and self._tokens[at].kind == "line":
            at += 1
        return self._tokens[at].text if at < len(self._tokens) else ""

    def _wrapped(self, depth: int) -> Node:
        start = self._at
        self.next()
        self._enter(depth, "(")
        self.skip_lines()
        node = self.expression(depth + 1)
        self.skip_lines()
        if self.peek() != ")":
            return self._opaque(start, 1)
        self.next()
        return node

    def _list(self, depth: int) -> Node:
        line = self._enter(depth, "[")
        found: list[Node] = []
        while self.skip_lines() and self.peek() != "]":
            found.append(self.expression(depth + 1))
            self.skip_lines()
            if self.peek() == ",":
                self.next()
        self._leave("]")
        return Node(line=line, value=found)

    def _object(self, depth: int) -> Node:
        line = self._enter(depth, "{")
        value: dict[str, Node] = {}
        keys: dict[str, int] = {}
        while self.skip_lines() and self.peek() != "}":
            key = self._key()
            value[key.text], keys[key.text] = self.expression(depth + 1), key.line
            self.skip_lines()
            if self.peek() == ",":
                self.next()
        self._leave("}")
        return Node(line=line, value=value, keys=keys)

    def _key(self) -> _Token:
        """Read the key of an object and its `=` or `:`."""
        first = self._tokens[self._at]
        parts = []
        while self.peek() not in ("=", ":", "end", "line", "}"):
            parts.append(self.next().text)
        if self.peek() not in ("=", ":"):
            raise UnreadableError(f"is not valid HCL (line {first.line})")
        self.next()
        self.skip_lines()
        return _Token("name", "".join(parts), first.line)

    def _opaque(self, start: int, depth: int = 0) -> Node:
        """Return everything from `start` to the end of the expression as one opaque node, with brackets balanced.

        Tokens that are already read are not read again. Tokens in brackets may be on further lines. Only the first
        words are kept, because no rule reads a long expression.
        """
        line = self._tokens[start].line
        while (token := self._tokens[self._at]).kind != "end":
            if depth == 0 and (token.kind == "line" or (token.kind == "mark" and token.text in ",]})")):
                break
            if token.kind == "mark":
                depth += (token.text in "([{") - (token.text in ")]}")
            self._at += 1
        if self._at == start:
            raise UnreadableError(f"is not valid HCL (line {line})")
        kept = self._tokens[start : min(self._at, start + _KEPT_MAX)]
        return Node(line=line, value="".join(one.text for one in kept if one.kind != "line"), opaque=True)

    def _enter(self, depth: int, mark: str) -> int:
        if depth > DEPTH_MAX:
            raise UnreadableError(f"is nested more than {DEPTH_MAX} deep")
        token = self.next()
        if token.text != mark:
            raise UnreadableError(f"is not valid HCL (line {token.line})")
        return token.line

    def _leave(self, mark: str) -> None:
        token = self.next()
        if token.text != mark or token.kind != "mark":
            raise UnreadableError(f"is not valid HCL (line {token.line})")


def _dynamic(name: str, labels: tuple[str, ...], inner: Node) -> tuple[str, Node]:
    """Replace a `dynamic` block by a block of its label with its content, which keeps `for_each` and `iterator`."""
    content = inner.get("content")
    if name == "dynamic" and labels and content is not None and content.items:
        block = content.items[0]
        for kept, key in ((EACH, "for_each"), (ITERATOR, "iterator")):
            if (said := inner.get(key)) is not None:
                block.map[kept] = said
        return labels[0], block
    return name, inner


def _number(text: str) -> float | int:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return 0
