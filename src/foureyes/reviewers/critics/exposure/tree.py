"""A tree of values with line numbers, shared by the YAML, JSON and HCL readers, with bounded size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

#: Deeper than any configuration people write; deeper files are not read.
DEPTH_MAX = 100
#: The maximum number of nodes in one file, with its aliases expanded.
NODES_MAX = 400_000

Scalar = str | int | float | bool | None
_NO_KEYS: Mapping[str, int] = MappingProxyType({})
_YES = frozenset({"true", "yes", "on", "enabled", "1"})
_NO = frozenset({"false", "no", "off", "disabled", "0"})


class UnreadableError(Exception):
    """A configuration file that cannot be read; the message says why, in words for people."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Node:
    """One value of a configuration file, with the line it starts on."""

    line: int
    value: Scalar | dict[str, Node] | list[Node]
    #: The line of each key of a mapping.
    keys: Mapping[str, int] = field(default_factory=lambda: _NO_KEYS)
    #: True for an expression that only the platform can resolve: `var.cidr`, `${...}`, a template.
    opaque: bool = False
    #: The number of its nodes with aliases expanded.
    size: int = 1

    @property
    def map(self) -> dict[str, Node]:
        """Return the mapping; empty if the value is not a mapping."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def items(self) -> list[Node]:
        """Return the elements of a list; a single value is a list of one, null an empty list."""
        if isinstance(self.value, list):
            return self.value
        return [] if self.value is None else [self]

    @property
    def text(self) -> str:
        """Return the scalar as text; empty if the value is not a scalar."""
        if isinstance(self.value, bool):
            return "true" if self.value else "false"
        return "" if self.value is None or isinstance(self.value, (dict, list)) else str(self.value)

    @property
    def yes(self) -> bool:
        """True if the value means true in any of the usual spellings."""
        return not self.opaque and self.text.lower() in _YES

    @property
    def no(self) -> bool:
        """True if the value means false in any of the usual spellings."""
        return not self.opaque and self.text.lower() in _NO

    @property
    def number(self) -> float | None:
        """Return the number; None if the value is not a number."""
        try:
            return float(self.text)
        except ValueError:
            return None

    @property
    def empty(self) -> bool:
        """True for null and for an empty text, list or mapping."""
        return self.value is None or self.value in ("", [], {})

    def get(self, key: str) -> Node | None:
        """Return the value of a key of a mapping, or of the first element of a list of mappings."""
        value = self.value
        if isinstance(value, list) and value and isinstance(value[0].value, dict):
            value = value[0].value
        return value.get(key) if isinstance(value, dict) else None

    def at(self, path: str) -> Node | None:
        """Return the first value at a path such as `spec.template.spec`."""
        return next(self.every(path), None)

    def every(self, path: str) -> Iterator[Node]:
        """Yield every value at a path, through all elements of the lists on the way."""
        found = [self]
        for key in path.split("."):
            found = [inner for one in found for part in one.items if (inner := part.get(key)) is not None]
        yield from found

    def at_line(self, path: str) -> int:
        """Return the line of the last key of a path that is present, else of this node."""
        line, node = self.line, self
        for key in path.split("."):
            holder = node.items[0] if node.items else node
            inner = holder.get(key)
            if inner is None:
                return line
            line, node = holder.keys.get(key, inner.line), inner
        return line

    def scalars(self) -> Iterator[Node]:
        """Yield every scalar below this node, in order."""
        stack = [self]
        while stack:
            node = stack.pop()
            if isinstance(node.value, dict):
                stack.extend(reversed(node.value.values()))
            elif isinstance(node.value, list):
                stack.extend(reversed(node.value))
            else:
                yield node


@dataclass(slots=True, kw_only=True)
class _Open:
    """A mapping or list that is being read."""

    line: int
    value: dict[str, Node] | list[Node]
    keys: dict[str, int] = field(default_factory=dict)
    key: str | None = None
    key_line: int = 0
    size: int = 1
    anchor: str = ""
    #: Mappings that `<<` merges in; keys written in this mapping take precedence.
    merges: list[Node] = field(default_factory=list)


class Builder:
    """Builds a tree from the events of a reader, in order and without recursion."""

    def __init__(self) -> None:
        self._stack: list[_Open] = []
        self._anchors: dict[str, Node | None] = {}
        self.roots: list[Node] = []

    @property
    def wants_key(self) -> bool:
        """True if the next event is the key of a mapping."""
        return bool(self._stack) and isinstance(self._stack[-1].value, dict) and self._stack[-1].key is None

    def open(self, line: int, *, mapping: bool, anchor: str = "") -> None:
        if len(self._stack) >= DEPTH_MAX:
            raise UnreadableError(f"is nested more than {DEPTH_MAX} deep")
        if self.wants_key:
            raise UnreadableError("uses a list or mapping as a key")
        if anchor:
            self._anchors[anchor] = None
        self._stack.append(_Open(line=line, value={} if mapping else [], anchor=anchor))

    def key(self, text: str, line: int) -> None:
        top = self._stack[-1]
        top.key, top.key_line = text, line

    def scalar(self, value: Scalar, line: int, *, opaque: bool = False, anchor: str = "") -> None:
        self._add(Node(line=line, value=value, opaque=opaque), anchor)

    def alias(self, anchor: str) -> None:
        node = self._anchors.get(anchor)
        if node is None:
            raise UnreadableError("has an alias that names nothing or itself")
        self._add(node, "")

    def close(self) -> None:
        top = self._stack.pop()
        for merged in top.merges:
            for each in merged.items:
                self._merge(top, each)
        self._add(Node(line=top.line, value=top.value, keys=top.keys, size=top.size), top.anchor)

    def end_document(self) -> None:
        self._anchors.clear()

    @staticmethod
    def _merge(top: _Open, other: Node) -> None:
        if isinstance(top.value, dict):
            for key, inner in other.map.items():
                if key not in top.value:
                    top.value[key] = inner
                    top.keys[key] = other.keys.get(key, inner.line)
            top.size += other.size

    def _add(self, node: Node, anchor: str) -> None:
        if anchor:
            self._anchors[anchor] = node
        if node.size > NODES_MAX:
            raise UnreadableError(f"has more than {NODES_MAX} values")
        if not self._stack:
            self.roots.append(node)
            return
        top = self._stack[-1]
        top.size += node.size
        if top.size > NODES_MAX:
            raise UnreadableError(f"has more than {NODES_MAX} values")
        if isinstance(top.value, list):
            top.value.append(node)
        elif top.key == "<<":
            top.merges.append(node)
            top.key = None
        elif top.key is not None:
            top.value[top.key] = node
            top.keys[top.key] = top.key_line
            top.key = None
