"""The type of an edit of one file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """A file before and after; `trick` names what a reader should overlook, or what an honest author did."""

    language: str
    trick: str
    path: str
    before: bytes
    after: bytes
    #: The label an honest author gives it; by default the widest one.
    label: str = "update_readme"

    @property
    def name(self) -> str:
        """The id of the edit in tests."""
        return f"{self.language}: {self.trick}"


def edit(
    language: str, trick: str, path: str, before: str | bytes, after: str | bytes, *, label: str = "update_readme"
) -> Edit:
    """An edit of text in UTF-8, unless the bytes are given."""
    return Edit(language=language, trick=trick, path=path, before=_encoded(before), after=_encoded(after), label=label)


def added(language: str, trick: str, path: str, base: str, line: str) -> Edit:
    """An edit that puts one piece of text in front of a file."""
    return edit(language, trick, path, base, line + base)


def _encoded(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text
