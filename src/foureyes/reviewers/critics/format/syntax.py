"""On which line does Python that we cannot parse break, by a parser for the newest Python?"""

from __future__ import annotations

import tempfile
from pathlib import Path

from foureyes.reviewers.critics.python.known import SYNTAX
from foureyes.reviewers.critics.python.tools import ToolError, laid_out, ruff_says


def python_line(text: str) -> tuple[int, str]:
    """The line and what is wrong there; line 0 where the newest Python can read it, or nobody could tell."""
    try:
        with tempfile.TemporaryDirectory(prefix="foureyes-format-") as name:
            laid_out({"a.py": text.encode("utf-8", "replace")}, Path(name))
            broken = [one for one in ruff_says(Path(name)) if one.code == SYNTAX]
    except (ToolError, OSError):
        return 0, ""
    return (max(1, broken[0].line), broken[0].text) if broken else (0, "")
