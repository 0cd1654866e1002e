"""Run the whole command as its user does: in its own process, with a new home folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.doors_used import COMMAND, RECORD, named_policy

PROGRAM = Path(sys.executable).with_name("foureyes")
SECONDS_MAX = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The output of the command and its exit code."""

    code: int
    out: str
    err: str

    def data(self) -> dict[str, Any]:
        """The single object that `--json` prints."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A user who works in a folder, with exactly the environment given here."""

    folder: Path
    home: Path
    environ: Mapping[str, str] = field(default_factory=dict)

    def runs(self, *words: str, types: str | None = None, seconds_max: float = SECONDS_MAX) -> Said:
        """Run `foureyes` with these words; `types` is typed at a terminal, None is a pipe without a person."""
        self.home.mkdir(exist_ok=True)
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "FOUREYES_HOME": str(self.home / "data"),
            "LANG": "C.UTF-8",
            **self.environ,
        }
        RECORD.note(COMMAND, named_policy(environ, self.folder / "foureyes.yaml", default="solo"))
        keys, screen = os.openpty()
        try:
            os.write(keys, (types or "").encode())
            done = subprocess.run(
                (str(PROGRAM), *words),
                cwd=self.folder,
                env=environ,
                stdin=subprocess.DEVNULL if types is None else screen,
                capture_output=True,
                text=True,
                timeout=seconds_max,
                check=False,
            )
        finally:
            os.close(keys)
            os.close(screen)
        return Said(code=done.returncode, out=done.stdout, err=done.stderr)
