"""Which Python files cannot be parsed, and where do they break?"""

from __future__ import annotations

import ast
import tempfile
import warnings
from collections.abc import Iterable
from pathlib import Path

from foureyes.app.reviewers import File, Unread
from foureyes.reviewers.critics.format import rules
from foureyes.reviewers.critics.format.parsing import SOURCE_MAX, Flaw
from foureyes.reviewers.critics.python.known import SYNTAX
from foureyes.reviewers.critics.python.tools import ToolError, laid_out, ruff_says
from foureyes.reviewers.critics.texts import parsable, shown, suffix


def python_flaws(files: Iterable[File]) -> tuple[list[tuple[File, Flaw]], list[Unread]]:
    """Every Python file that does not parse, with the first place.

    Python newer than the one that runs us is no flaw: a parser for the newest has the last word, asked once for all.
    """
    unread: list[Unread] = []
    suspects: dict[str, File] = {}
    for file in files:
        text = parsable(file)
        if suffix(file.path) not in (".py", ".pyi") or text is None:
            continue
        if len(text) > SOURCE_MAX:
            unread.append(Unread(path=file.path, why=f"longer than {SOURCE_MAX:,} characters: not parsed"))
        elif not parses(text):
            suspects[file.path] = file
    if not suspects:
        return [], unread
    try:
        return _broken(suspects), unread
    except (ToolError, OSError) as error:
        unread.extend(Unread(path=path, why=f"Python that may be broken: {error}") for path in suspects)
        return [], unread


def parses(text: str) -> bool:
    """Whether the Python that runs us can parse it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about odd escapes in the text, which is not ours
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _broken(suspects: dict[str, File]) -> list[tuple[File, Flaw]]:
    with tempfile.TemporaryDirectory(prefix="foureyes-format-") as name:
        places = laid_out({path: (file.text or "").encode() for path, file in suspects.items()}, Path(name))
        said = [one for one in ruff_says(Path(name)) if one.code == SYNTAX]
    paths = {place.name: path for path, place in places.items()}
    first = {paths[one.name]: one for one in reversed(said) if one.name in paths}
    return [
        (
            suspects[path],
            Flaw(rule=rules.PYTHON, line=max(1, one.line), text=f"This is not valid Python: {shown(one.text)}"),
        )
        for path, one in first.items()
    ]
