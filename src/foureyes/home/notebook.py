"""How is kept what a person decided on this machine? In small JSON files of the data folder, for its owner alone."""

from __future__ import annotations

import json
import os
import shlex
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
    wrong, found = _parsed(text)
    if wrong:
        moved = f"mv {shlex.quote(path)} {shlex.quote(f'{path}.damaged')}"
        raise Trouble(
            f"{path} is not as foureyes wrote it: {wrong}.", f"Mend it, or decide these things anew after: {moved}"
        )
    return found


def write(home: str, name: str, notes: Mapping[str, Mapping[str, str]]) -> None:
    """Keep them."""
    folder.make(home)
    text = json.dumps(notes, indent=2, sort_keys=True, ensure_ascii=True)
    files.write_whole(os.path.join(home, name), f"{text}\n".encode())


def _parsed(text: bytes) -> tuple[str, Notes]:
    """What is wrong with it, and what it says where nothing is."""
    if len(text) > BYTES_MAX:
        return f"it has more than {BYTES_MAX:,} bytes", {}
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        return f"no JSON from line {error.lineno}, column {error.colno} on", {}
    except (ValueError, RecursionError):
        return "no JSON", {}
    if not isinstance(found, dict):
        return "it is no JSON object", {}
    odd = next((name for name, one in found.items() if not _is_entry(one)), None)
    return ("", found) if odd is None else (f"the entry {odd[:100]!r} holds more than texts", {})


def _is_entry(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())
