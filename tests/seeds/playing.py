"""The doors and the policies that a test claims to have been played with, read from its source.

A claim is the marker `@pytest.mark.door("http", policy="server")` on a test or as the `pytestmark` of its module, with
several policies as `policy=("peer", "team")`; tests/conftest.py fails the test if it is not true. Nothing else counts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.doors_used import policies_of

MARKER = "pytest.mark.door"


@dataclass(frozen=True, slots=True)
class Played:
    """Through which doors, and with which policies."""

    doors: tuple[str, ...]
    policies: tuple[str, ...]


Playing = Mapping[str, Played]
"""Pytest node id to what its test claims; tests without a claim are not there."""


def playing_below(root: Path) -> dict[str, Played]:
    """The claims of all tests below root/tests."""
    playing: dict[str, Played] = {}
    for file in sorted((root / "tests").rglob("test_*.py")):
        name = file.relative_to(root).as_posix()
        tree = ast.parse(file.read_text(encoding="utf-8"), filename=str(file))
        whole = _of_module(tree)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
                found = next(_claims(node.decorator_list), whole)
                if found:
                    playing[f"{name}::{node.name}"] = found
    return playing


def _of_module(tree: ast.Module) -> Played | None:
    for node in tree.body:
        if isinstance(node, ast.Assign) and [ast.unparse(one) for one in node.targets] == ["pytestmark"]:
            marks = node.value.elts if isinstance(node.value, ast.List | ast.Tuple) else [node.value]
            return next(_claims(marks), None)
    return None


def _claims(marks: list[ast.expr]) -> Iterator[Played]:
    for mark in marks:
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == MARKER:
            said = next(ast.literal_eval(one.value) for one in mark.keywords if one.arg == "policy")
            yield Played(tuple(ast.literal_eval(one) for one in mark.args), policies_of(said))
