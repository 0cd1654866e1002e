"""Small JSON files in the data folder that keep a person's decisions, readable by their owner alone."""

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
    """Return the entries under this name; a file that cannot be read is never taken for an empty one."""
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
    """Write the entries under this name."""
    folder.make(home)
    text = json.dumps(notes, indent=2, sort_keys=True, ensure_ascii=True)
    files.write_whole(os.path.join(home, name), f"{text}\n".encode())


def _parsed(text: bytes) -> tuple[str, Notes]:
    """Return what is wrong with the text and its entries; one of the two is empty."""
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
