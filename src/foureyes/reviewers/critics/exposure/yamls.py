"""Read a YAML file event by event, so that neither deep nesting nor aliases exhaust memory or the stack."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from foureyes.reviewers.critics.exposure.tree import Builder, Node, Scalar, UnreadableError

if TYPE_CHECKING:
    import yaml

_INTEGER = re.compile(r"[-+]?[0-9]{1,18}", re.ASCII)
_FLOAT = re.compile(r"[-+]?[0-9]{1,18}\.[0-9]{1,18}", re.ASCII)
_WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None, "~": None, "": None}


def read_yaml(text: str) -> list[Node]:
    """Return the documents of a YAML text."""
    import yaml  # noqa: PLC0415 - only work with YAML in it pays for this

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    builder = Builder()
    try:
        for event in yaml.parse(text, Loader=loader):
            _take(builder, event)
    except yaml.YAMLError as error:
        raise UnreadableError(_told(error)) from None
    except (UnicodeError, ValueError, RecursionError):
        raise UnreadableError("is not valid YAML") from None
    return builder.roots


def _take(builder: Builder, event: Any) -> None:
    kind = type(event).__name__
    line: int = event.start_mark.line + 1
    if kind == "ScalarEvent":
        _scalar(builder, event, line)
    elif kind == "MappingStartEvent":
        builder.open(line, mapping=True, anchor=event.anchor or "")
    elif kind == "SequenceStartEvent":
        builder.open(line, mapping=False, anchor=event.anchor or "")
    elif kind in ("MappingEndEvent", "SequenceEndEvent"):
        builder.close()
    elif kind == "AliasEvent":
        if builder.wants_key:
            raise UnreadableError("uses an alias as a key")
        builder.alias(event.anchor or "")
    elif kind == "DocumentEndEvent":
        builder.end_document()


def _scalar(builder: Builder, event: Any, line: int) -> None:
    text: str = event.value
    if builder.wants_key:
        builder.key(text, line)
        return
    tag = event.tag or ""
    plain = not event.style and not tag
    value: Scalar = _plain(text) if plain else text
    # CloudFormation's `!Ref`, `!Sub` and similar tags are resolved by the platform.
    opaque = tag.startswith("!") and len(tag) > 1
    builder.scalar(value, line, opaque=opaque, anchor=event.anchor or "")


def _plain(text: str) -> Scalar:
    if len(text) <= len("false") and (lowered := text.lower()) in _WORDS:
        return _WORDS[lowered]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


def _told(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    where = f" (line {mark.line + 1})" if mark is not None else ""
    return f"is not valid YAML{where}"
