"""Find Python files that cannot be parsed, and the line where they break."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from foureyes.app.reviewers import Change, File, Unread
from foureyes.reviewers.critics.format import rules
from foureyes.reviewers.critics.format.parsing import SOURCE_MAX, Flaw
from foureyes.reviewers.critics.python.declared import NOT_READ, PYTHON_2, is_template, versions
from foureyes.reviewers.critics.python.known import SYNTAX
from foureyes.reviewers.critics.python.tools import ToolError, laid_out, parses, ruff_says
from foureyes.reviewers.critics.texts import parsable, shown, suffix


def python_flaws(change: Change) -> tuple[list[tuple[File, Flaw]], list[Unread]]:
    """Return every Python file that does not parse, with its first error, and the files that were not read.

    Files that the running Python rejects are checked again with ruff, for the version that the project declares or
    else the newest; its answer counts. It is run once for all files.
    """
    unread: list[Unread] = []
    suspects: dict[str, File] = {}
    for file in change.files:
        text = parsable(file)
        if suffix(file.path) not in (".py", ".pyi") or text is None:
            continue
        if len(text) > SOURCE_MAX:
            unread.append(Unread(path=file.path, why=f"longer than {SOURCE_MAX:,} characters: not parsed"))
        elif not parses(text):
            suspects[file.path] = file
    minors = versions(change, list(suspects)) if suspects else {}
    for path in [one for one, minor in minors.items() if minor == PYTHON_2 or is_template(suspects[one].text or "")]:
        unread.append(Unread(path=path, why=NOT_READ[minors[path] == PYTHON_2]))
        del suspects[path]
    if not suspects:
        return [], unread
    try:
        return _broken(suspects, minors), unread
    except (ToolError, OSError) as error:
        unread.extend(Unread(path=path, why=f"Python that may be broken: {error}") for path in suspects)
        return [], unread


def _broken(suspects: dict[str, File], minors: Mapping[str, int]) -> list[tuple[File, Flaw]]:
    with tempfile.TemporaryDirectory(prefix="foureyes-format-") as name:
        places = laid_out({path: (file.text or "").encode() for path, file in suspects.items()}, Path(name), minors)
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
