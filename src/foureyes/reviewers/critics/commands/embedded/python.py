"""Which commands and statements does a Python file start with words that stand in it?"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from foureyes.reviewers.critics.commands.code import literal, python_call
from foureyes.reviewers.critics.commands.embedded.piece import Piece
from foureyes.reviewers.critics.commands.model import HOLE

#: A file without any of these starts nothing.
_WORTH = re.compile(
    r"subprocess|os\.(?:system|popen|exec|spawn|remove|unlink)|rmtree|\.execute|executescript|pty\.spawn"
)
_SQL_CALLS = frozenset(("execute", "executescript", "executemany", "exec_driver_sql", "raw"))


def calls(_path: str, text: str) -> Iterator[Piece]:
    """Each call with literal words, on its own line. What is only known at run time is other critics' matter."""
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
