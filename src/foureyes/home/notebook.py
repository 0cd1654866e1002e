"""How is kept what a person decided on this machine? In small JSON files of the data folder, for its owner alone."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from foureyes.home import files, folder
from foureyes.home.trouble import Trouble

BYTES_MAX = 1024 * 1024

Notes = dict[str, dict[str, str]]


def read(home: str, name: str) -> Notes:
    """What is kept under this name: entries of texts; a file that cannot be read is never taken for an empty one."""
    path = os.path.join(home, name)
    try:
        with open(path, "rb") as file:
            text = file.read(BYTES_MAX + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    try:
        found = json.loads(text) if len(text) <= BYTES_MAX else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(_is_entry(one) for one in found.values()):
        raise Trouble(
            f"{path} is not as foureyes wrote it.", "Mend it, or move it away; then decide these things anew."
        )
    return found


def write(home: str, name: str, notes: Mapping[str, Mapping[str, str]]) -> None:
    """Keep them."""
    folder.make(home)
    text = json.dumps(notes, indent=2, sort_keys=True, ensure_ascii=True)
    files.write_whole(os.path.join(home, name), f"{text}\n".encode())


def _is_entry(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())
