"""Writes the files of a work to disk as plain files below an empty folder, never outside of it.

Links, git's own files and agent configuration are left out: agent instructions never come from the work itself.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from foureyes.app.reviewers import GONE_MODE, LINK_MODE, SUBMODULE_MODE, File

PATH_BYTES_MAX = 1_000
FOLDER_MODE = 0o700
#: Configuration and instruction files of agents; they are never taken from the work itself.
ORDERS = frozenset(
    (
        *(".agents", ".claude", ".codex", ".cursor", ".gemini", ".git", ".mcp.json"),
        *("agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md"),
    )
)


def lay_out(folder: Path, *, files: tuple[File, ...]) -> None:
    """Write all files; raises OSError if one cannot be written.

    A command that passes on half a work proves nothing.
    """
    for path, content in _regular(files):
        if not _is_name(path):
            raise OSError(errno.EINVAL, "It cannot be the name of a file here", path)
        put(folder, path, content)


def plain(files: Iterable[File]) -> Iterator[tuple[str, bytes]]:
    """Yield the regular files with a valid relative path, without agent configuration."""
    return ((path, content) for path, content in _regular(files) if _is_name(path))


def put(folder: Path, path: str, content: bytes) -> None:
    """Write a file, never over another one; raises OSError if names collide on this disk or are too long for it."""
    place = folder / path
    place.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    with place.open("xb") as file:
        file.write(content)


def has_step(path: str, names: frozenset[str]) -> bool:
    """True if a component of the path is one of these names, in any capitalisation."""
    return not names.isdisjoint(path.casefold().split("/"))


def _regular(files: Iterable[File]) -> Iterator[tuple[str, bytes]]:
    for file in files:
        is_regular = file.mode not in (GONE_MODE, LINK_MODE, SUBMODULE_MODE)
        if is_regular and file.content is not None and not has_step(file.path, ORDERS):
            yield file.path, file.content


def _is_name(path: str) -> bool:
    parts = PurePosixPath(path).parts
    is_below = bool(parts) and not path.startswith("/") and ".." not in parts and "\0" not in path
    return is_below and len(os.fsencode(path)) <= PATH_BYTES_MAX
