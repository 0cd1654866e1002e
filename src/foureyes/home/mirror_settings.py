"""The setting `repositories`: which repositories a server reads bases from, and which of their refs are protected.

In the file it is a table for each repository; everywhere else one line, `shop=/srv/shop.git main release/*; docs=…`.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

NONE = "none"
REPOSITORIES_MAX = 50
REFS_MAX = 50
ALLOWED = (
    "a table with `path` and perhaps `protected` for each repository, a line such as "
    "shop=/srv/shop.git main release/*; docs=/srv/docs.git, or none"
)

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}").fullmatch
_PATH = re.compile(r"[^\s;,=-][^\s;,=]{0,999}").fullmatch
#: No two dots in a row and no leading dash: nothing that git could read as a range or an option.
_REF = re.compile(r"(?!.*\.\.)[A-Za-z0-9_*][A-Za-z0-9_./*+-]{0,199}").fullmatch


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorSetting:
    """One repository: its name here, its path, and its protected refs."""

    name: str
    path: str
    protected: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The setting in one line."""
        return " ".join((f"{self.name}={self.path}", *self.protected))


def mirrors_in(text: str) -> tuple[MirrorSetting, ...]:
    """Parse the repositories from one line; raises ValueError if it is malformed."""
    if text.strip() == NONE:
        return ()
    found = []
    for piece in filter(None, (one.strip() for one in text.split(";"))):
        where, *refs = piece.split()
        name, equals, path = where.partition("=")
        if not equals:
            raise ValueError(piece)
        found.append(MirrorSetting(name=name, path=path, protected=tuple(refs)))
    return _checked(found)


def mirrors_of(table: dict[str, object]) -> tuple[MirrorSetting, ...]:
    """Parse the repositories from the tables of a file; raises ValueError if they are malformed."""
    return _checked([_of_table(name, one) for name, one in table.items()])


def line_of(mirrors: tuple[MirrorSetting, ...], base: str) -> str:
    """Write all of them as one line; relative paths are taken from `base`."""
    placed = (
        MirrorSetting(name=one.name, path=_placed(one.path, base), protected=one.protected).line for one in mirrors
    )
    return "; ".join(placed) or NONE


def _of_table(name: str, table: object) -> MirrorSetting:
    if not isinstance(table, dict) or not table.keys() <= {"path", "protected"}:
        raise ValueError(name)
    path, refs = table.get("path"), table.get("protected", [])
    if not isinstance(path, str) or not isinstance(refs, list) or not all(isinstance(one, str) for one in refs):
        raise ValueError(name)
    return MirrorSetting(name=name, path=path, protected=tuple(refs))


def _checked(found: list[MirrorSetting]) -> tuple[MirrorSetting, ...]:
    names = {one.name for one in found}
    if not found or len(names) < len(found) or len(found) > REPOSITORIES_MAX:
        raise ValueError("repositories")
    for one in found:
        if not _NAME(one.name) or not _PATH(one.path) or len(one.protected) > REFS_MAX:
            raise ValueError(one.line)
        if not all(map(_REF, one.protected)):
            raise ValueError(one.line)
    return tuple(found)


def _placed(path: str, base: str) -> str:
    return os.path.normpath(os.path.join(base, os.path.expanduser(path)))
