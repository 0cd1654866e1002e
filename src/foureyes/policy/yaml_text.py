"""Strict YAML reader: no aliases, tags, merge keys, duplicate keys or ambiguous values.

PyYAML only splits the text into events with their lines; the meaning of values is decided here. It is imported when a
file is read and not before, so that commands that read no policy do not pay for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING

from foureyes.policy.nodes import (
    DEPTH_MAX,
    DIGITS_MAX,
    NODES_MAX,
    TEXT_CHARS_MAX,
    Entry,
    Mapping,
    Node,
    PolicyErrors,
    Problem,
    Scalar,
    Sequence,
    short,
)
from foureyes.policy.problems import Problems

if TYPE_CHECKING:
    import yaml

PLAIN = "the file holds plain YAML: keys, lists, texts and numbers"

_WHOLE = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"[-+]?[0-9]+\.[0-9]+")
#: Values that some YAML readers take for a number, date or time, and others for text.
_LIKE_A_NUMBER = re.compile(r"[-+]?\.?[0-9][0-9_,.:eExXoObBa-fA-F+-]*|[-+]?\.(?:inf|nan)", re.IGNORECASE)
_VALUES: dict[str, bool | None] = {"": None, "~": None, "null": None, "true": True, "false": False}
#: Values that some YAML readers take for true or false, and others for text.
_EITHER = frozenset({"yes", "no", "on", "off", "y", "n"})


def read_yaml(file: str, text: str, problems: Problems) -> Node:
    """Read one YAML document; a syntax error ends the reading at once, because nothing after it could be trusted."""
    import yaml  # noqa: PLC0415 - see above

    reader = _Reader(file, problems)
    try:
        return reader.document(yaml.parse(text, Loader=yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else reader.line
        raise PolicyErrors((_problem(file, line, f"this is no YAML: {error.problem or error.context}"),)) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise PolicyErrors((_problem(file, line, f"a character that YAML forbids: {error.reason}"),)) from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        if isinstance(error, PolicyErrors):
            raise
        raise PolicyErrors((_problem(file, reader.line, f"this is no YAML: {short(str(error))}"),)) from None


#: Keys renamed after a certain key. The long matrix of an older document has `rationale` twice in a row, each for the
#: reviewer before it; the renaming keeps both and avoids a duplicate key.
MEANT = {("backup_reviewer", "rationale"): "backup_rationale"}


class _Reader:
    """Turns the events of one document into nodes."""

    def __init__(self, file: str, problems: Problems) -> None:
        self._file = file
        self._problems = problems
        self._nodes = 0
        self.line = 1

    def document(self, events: Iterator[yaml.Event]) -> Node:
        import yaml  # noqa: PLC0415 - see above

        root: Node | None = None
        for event in self._followed(events):
            if isinstance(event, yaml.DocumentStartEvent) and (event.version or event.tags):
                raise self._error("a % line", "leave it out; the file holds plain YAML")
            if isinstance(event, yaml.DocumentStartEvent) and root is not None:
                raise self._error("a second document begins here", "a file holds one")
            if isinstance(event, yaml.NodeEvent):
                root = self._node(event, events, depth=1)
        if root is None:
            raise self._error("the file is empty", "write at least `version: 1`")
        return root

    def _followed(self, events: Iterator[yaml.Event]) -> Iterator[yaml.Event]:
        for event in events:
            self.line = event.start_mark.line + 1 if event.start_mark else self.line
            yield event

    def _node(self, event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Node:
        import yaml  # noqa: PLC0415 - see above

        self.line = event.start_mark.line + 1 if event.start_mark else self.line
        self._count(depth)
        if isinstance(event, yaml.AliasEvent):
            raise self._error(f"the alias *{short(str(event.anchor))}", "write the value itself")
        self._refuse_marks(event)
        if isinstance(event, yaml.ScalarEvent):
            return Scalar(value=self._scalar(event), file=self._file, line=self.line)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(events, depth)
        return self._mapping(events, depth)

    def _count(self, depth: int) -> None:
        self._nodes += 1
        if depth > DEPTH_MAX:
            raise self._error(f"more than {DEPTH_MAX} levels deep", "write it flatter")
        if self._nodes > NODES_MAX:
            raise self._error(f"more than {NODES_MAX} values", "write a smaller file")

    def _refuse_marks(self, event: yaml.Event) -> None:
        anchor, tag = getattr(event, "anchor", None), getattr(event, "tag", None)
        if anchor:
            raise self._error(f"the anchor &{short(anchor)}", "write the value where it belongs")
        if tag:
            raise self._error(f"the tag {short(tag)}", "write plain values")

    def _sequence(self, events: Iterator[yaml.Event], depth: int) -> Sequence:
        import yaml  # noqa: PLC0415 - see above

        line, items = self.line, list[Node]()
        for event in self._followed(events):
            if isinstance(event, yaml.SequenceEndEvent):
                break
            items.append(self._node(event, events, depth + 1))
        return Sequence(items=tuple(items), file=self._file, line=line)

    def _mapping(self, events: Iterator[yaml.Event], depth: int) -> Mapping:
        import yaml  # noqa: PLC0415 - see above

        line, entries, seen = self.line, list[Entry](), dict[str, int]()
        for event in self._followed(events):
            if isinstance(event, yaml.MappingEndEvent):
                break
            key_line, key = self.line, self._key(event, events, depth)
            key = MEANT.get((entries[-1].key, key), key) if entries else key
            if key in seen:
                again = f"it stands on line {seen[key]} already"
                self._go_on_after(f"the key {short(key)!r} stands here twice", again)
            seen[key] = key_line
            entries.append(Entry(key=key, line=key_line, node=self._node(next(events), events, depth + 1)))
        return Mapping(entries=tuple(entries), file=self._file, line=line)

    def _key(self, event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> str:
        node = self._node(event, events, depth + 1)
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            raise self._error("a key is no text", "quote it, or write a word")
        if node.value == "<<":
            raise self._error("the merge key <<", "write the keys themselves")
        return node.value

    def _scalar(self, event: yaml.ScalarEvent) -> str | int | Decimal | bool | None:
        text: str = event.value
        if len(text) > TEXT_CHARS_MAX:
            raise self._error(f"a text of more than {TEXT_CHARS_MAX} characters", "write a shorter one")
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise self._error("half a character, which no file can hold")
        return text if event.style else self._plain(text)

    def _plain(self, text: str) -> str | int | Decimal | bool | None:
        lowered = text.lower()
        if lowered in _VALUES and text in {lowered, text.capitalize(), text.upper()}:
            return _VALUES[lowered]
        if lowered in _EITHER:
            self._go_on_after(f"{text} may mean true or false or the word", "write true or false, or quote the word")
            return text
        if len(text) <= DIGITS_MAX and _WHOLE.fullmatch(text):
            return int(text)
        if len(text) <= DIGITS_MAX and _DECIMAL.fullmatch(text):
            return Decimal(text)
        if _LIKE_A_NUMBER.fullmatch(text):
            self._go_on_after(
                f"{short(text)} is a number to some readers and text to others",
                "write a plain decimal number, or quote the text",
            )
        return text

    def _go_on_after(self, wrong: str, allowed: str) -> None:
        """Add a problem that does not change the meaning of the rest, and continue."""
        self._problems.extend((_problem(self._file, self.line, wrong, allowed),))

    def _error(self, wrong: str, allowed: str = PLAIN) -> PolicyErrors:
        return PolicyErrors((_problem(self._file, self.line, wrong, allowed),))


def _problem(file: str, line: int, wrong: str, allowed: str = PLAIN) -> Problem:
    return Problem(file=file, line=line, wrong=" ".join(wrong.split()), allowed=allowed)
