"""Finds an agent's program on the user's PATH, never in the repository, the current folder or a relative entry."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from foureyes.reviewers.agents.credentials import read_json

LEVELS_MAX = 100
PACKAGE_LEVELS_MAX = 3


def own_ground(here: Path) -> Path:
    """Return the folder that belongs to the work: the repository around this folder, else the folder."""
    at = here.resolve()
    for folder in (at, *at.parents)[:LEVELS_MAX]:
        if (folder / ".git").exists():
            return folder
    return at


def safe_path(environ: Mapping[str, str], ground: Path) -> tuple[Path, ...]:
    """Return the PATH without relative entries and without folders of the work."""
    entries = [Path(one) for one in environ.get("PATH", "").split(os.pathsep) if Path(one).is_absolute()]
    return tuple(dict.fromkeys(one for one in entries if not _is_below(one, ground)))


def find(name: str, path: tuple[Path, ...], ground: Path) -> Path | None:
    """Return the program of this name; one that is in the work, or links into it, does not count."""
    for folder in path:
        candidate = folder / name
        if candidate.is_file() and os.access(candidate, os.X_OK) and not _is_below(candidate, ground):
            return candidate
    return None


def packaged_version(program: Path, package: str) -> str:
    """Return the version in the npm package around a program, without starting it; empty if there is none."""
    for folder in program.resolve().parents[:PACKAGE_LEVELS_MAX]:
        found = read_json(folder / "package.json")
        if found.get("name") == package:
            return str(found.get("version") or "")
    return ""


def _is_below(path: Path, ground: Path) -> bool:
    """True if a path is, or links into, the work; a home folder that is a repository holds its owner's tools."""
    if ground in (Path.home().resolve(), Path("/")):
        return False
    return path.resolve().is_relative_to(ground) or path.absolute().is_relative_to(ground)
