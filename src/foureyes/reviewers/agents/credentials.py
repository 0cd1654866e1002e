"""Looks up logins where the command lines keep them; a secret is read only for the run that needs it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

BYTES_MAX = 1024 * 1024


def first_set(environ: Mapping[str, str], *names: str) -> tuple[str, str] | None:
    """Return the first of these variables that is set, with its value."""
    return next(((name, value) for name in names if (value := environ.get(name, "").strip())), None)


def all_set(environ: Mapping[str, str], *names: str) -> dict[str, str]:
    """Return those of these variables that are set."""
    return {name: value for name in names if (value := environ.get(name, "").strip())}


def receiver(environ: Mapping[str, str], name: str, host: str) -> tuple[str, str]:
    """Return the host that receives what is sent, and the base URL if this variable sets one."""
    url = environ.get(name, "").strip()
    if not url:
        return host, ""
    try:
        return urlsplit(url).hostname or url, url
    except ValueError:
        return url, url


def read_json(path: Path) -> dict[str, object]:
    """Return the object in a small JSON file; empty if there is none."""
    try:
        if not path.is_file() or path.stat().st_size > BYTES_MAX:
            return {}
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
