"""Repositories made for a test with the real git, without the user's settings."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from foureyes.app.reviewers import Change, File

SETTINGS = {
    "GIT_AUTHOR_NAME": "Dev",
    "GIT_AUTHOR_EMAIL": "dev@example.org",
    "GIT_COMMITTER_NAME": "Dev",
    "GIT_COMMITTER_EMAIL": "dev@example.org",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ALLOW_PROTOCOL": "file",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """A repository to make changes in."""

    path: Path

    def git(self, *words: str | bytes, given: bytes = b"") -> str:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.path.parent), **SETTINGS}
        done = subprocess.run(
            ["git", *words], cwd=self.path, env=environment, input=given, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode(errors="replace").strip()

    def write(self, name: str | bytes, content: bytes | str = b"") -> None:
        place = os.path.join(os.fsencode(self.path), os.fsencode(name))  # noqa: PTH118 - names that are no text
        os.makedirs(os.path.dirname(place), exist_ok=True)  # noqa: PTH103, PTH120 - likewise
        with open(place, "wb") as file:  # noqa: PTH123 - likewise
            file.write(content.encode() if isinstance(content, str) else content)

    def commit(self, message: str = "A change", **files: str) -> str:
        """Write `name__py` as name.py, and commit everything."""
        for name, content in files.items():
            self.write(name.replace("__", "."), content)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


def new(path: Path, *words: str) -> Ground:
    path.mkdir(parents=True, exist_ok=True)
    ground = Ground(path=path)
    ground.git("init", "-q", "-b", "main", *words)
    return ground


def one(change: Change, path: str) -> File:
    found = change.file(path)
    assert found is not None, [file.path for file in change.files]
    return found


def paths(change: Change) -> list[str]:
    return [file.path for file in change.files]


def reasons(change: Change) -> dict[str, str]:
    return {left.path: left.why for left in change.unread}
