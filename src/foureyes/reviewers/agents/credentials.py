"""Is there a login? Looked up where a command line keeps it; the secret is read for its own run alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

BYTES_MAX = 1024 * 1024


def first_set(environ: Mapping[str, str], *names: str) -> tuple[str, str] | None:
    """The first of these variables that says something."""
    return next(((name, value) for name in names if (value := environ.get(name, "").strip())), None)


def all_set(environ: Mapping[str, str], *names: str) -> dict[str, str]:
    """Those of these variables that say something."""
    return {name: value for name in names if (value := environ.get(name, "").strip())}


def receiver(environ: Mapping[str, str], name: str, host: str) -> tuple[str, str]:
    """The machine that receives what is sent, and the address of it if this variable sets one."""
    url = environ.get(name, "").strip()
    if not url:
        return host, ""
    try:
        return urlsplit(url).hostname or url, url
    except ValueError:
        return url, url


def read_json(path: Path) -> dict[str, object]:
    """The object a small JSON file holds; empty where there is none."""
    try:
        if not path.is_file() or path.stat().st_size > BYTES_MAX:
            return {}
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
