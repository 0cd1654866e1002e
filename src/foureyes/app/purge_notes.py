"""Notes outside the store of which bytes were purged, because a backup made before a purge still has them.

They are a file beside the checkpoint journal with one line for each purge: digests and reasons, no bytes. After the
restore of an older backup it tells what must be purged again, even if the store that knew is lost.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

from foureyes.app.book import FILE_MODE, FOLDER_MODE
from foureyes.codec import canonical

NAME = "purged.jsonl"
#: Longest line; foureyes writes no longer notes.
LINE_BYTES_MAX = 64 * 1024

_is_digest = re.compile(r"[0-9a-f]{64}").fullmatch


def note_purge(folder: Path, digest: str, reason: str) -> None:
    """Append a note; it is on the disk on return."""
    folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(folder / NAME, flags, FILE_MODE), "ab") as file:
        # A line that was cut off by a crash is ended first.
        file.write(b"\n" * _is_cut(folder) + canonical({"digest": digest, "reason": reason}) + b"\n")
        file.flush()
        os.fsync(file.fileno())


def noted_purges(folder: Path) -> Mapping[str, str]:
    """Return the noted digests with their reasons. An unreadable line is skipped: the store knows the purge too."""
    found: dict[str, str] = {}
    try:
        with (folder / NAME).open("rb") as file:
            while line := file.readline(LINE_BYTES_MAX):
                found |= _read(line)
    except FileNotFoundError:
        return {}
    return found


def _is_cut(folder: Path) -> bool:
    with (folder / NAME).open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"


def _read(line: bytes) -> dict[str, str]:
    try:
        said = json.loads(line)
        digest, reason = said["digest"], said["reason"]
    except (ValueError, KeyError, TypeError):
        return {}
    return {digest: reason} if isinstance(digest, str) and isinstance(reason, str) and _is_digest(digest) else {}
