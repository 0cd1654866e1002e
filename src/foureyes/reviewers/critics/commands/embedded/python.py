"""Extract the commands and SQL statements that a Python file starts with literal arguments."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from foureyes.reviewers.critics.commands.code import literal, python_call
from foureyes.reviewers.critics.commands.embedded.piece import Piece
from foureyes.reviewers.critics.commands.model import HOLE

#: A file without any of these contains nothing to judge here, so it is not parsed.
_WORTH = re.compile(
    r"subprocess|os\.(?:system|popen|exec|spawn|remove|unlink)|rmtree|\.execute|executescript|pty\.spawn"
)
_SQL_CALLS = frozenset(("execute", "executescript", "executemany", "exec_driver_sql", "raw"))


def calls(_path: str, text: str) -> Iterator[Piece]:
    """Yield each call with literal arguments, on its own line. Other critics judge what is only known at run time."""
    if not _WORTH.search(text):
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError, SystemError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from _call(node)


def _call(node: ast.Call) -> Iterator[Piece]:
    for inner in python_call(node):
        if inner.argv and inner.argv != ("true",):
            yield Piece(argv=inner.argv, line=node.lineno, certain=True)
        elif inner.script:
            yield Piece(text=inner.script, line=node.lineno, pinned=True, certain=True)
    if isinstance(node.func, ast.Attribute) and node.func.attr in _SQL_CALLS and node.args:
        first = node.args[0]
        if isinstance(first, ast.Call) and first.args:
            first = first.args[0]
        text = literal(first)
        if text.strip(HOLE).strip():
            yield Piece(text=text, line=node.lineno, language="sql", pinned=True, certain=True)
