"""The guide shows what the program really prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.shape import ROOT

PAGE = ROOT / "docs" / "howto" / "review-a-change.md"


def test_the_first_review_of_the_guide_looks_as_it_says(tmp_path: Path) -> None:
    """The whole program in a fresh repository: the findings as shown, and exit code 2."""
    page = PAGE.read_text(encoding="utf-8")
    commands = re.findall(r"^```sh\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)[1]
    (wanted,) = re.findall(r"^```text\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    environment = {
        "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "COLUMNS": "100",
        "LANG": "C.UTF-8",
        "PYTHONUTF8": "1",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "init.defaultBranch",
        "GIT_CONFIG_VALUE_0": "master",
        **{name: value for name, value in os.environ.items() if name.startswith("COVERAGE")},
    }
    ran = subprocess.run(
        ["sh", "-c", commands], cwd=tmp_path, capture_output=True, text=True, check=False, env=environment, timeout=50
    )
    assert (ran.returncode, ran.stderr) == (2, "")
    told, _, below = ran.stdout.partition("\n  Looked ")
    assert told == wanted.partition("\n  Looked ")[0]
    assert "5 programs: security, factual, format, injection and python; findings from security" in below
    assert ran.stdout.partition("\n  Next ")[2] == wanted.partition("\n  Next ")[2]
