"""The door and the policy that a test claims to have been played with, read from its source.

A claim is the marker `@pytest.mark.door("http", policy="server")` on a test or as the `pytestmark` of its module;
tests/conftest.py fails the test if it is not true. Tests below tests/use need none: there a module counts that starts a
server or a command with one of `STARTERS`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

MARKER = "pytest.mark.door"
USE = "tests/use"
#: What a module below tests/use imports to start what users start, and the doors that leads to.
STARTERS = {
    "tests.use.served": ("http", "mcp"),
    "tests.use.clocked": ("http", "mcp"),
    "tests.use.judging": ("http", "mcp"),
    "tests.cli.running": ("http",),
    "tests.use.laptop": ("command",),
    "tests.use.shopping": ("command",),
    "tests.reviewing.command": ("command",),
}


@dataclass(frozen=True, slots=True)
class Played:
    """Through which doors, and with which policy."""

    doors: tuple[str, ...]
    policy: str


Playing = Mapping[str, Played]
"""Pytest node id to what its test claims; tests without a claim are not there."""


def playing_below(root: Path) -> dict[str, Played]:
    """The claims of all tests below root/tests."""
    playing: dict[str, Played] = {}
    for file in sorted((root / "tests").rglob("test_*.py")):
        name = file.relative_to(root).as_posix()
        tree = ast.parse(file.read_text(encoding="utf-8"), filename=str(file))
        whole = _of_module(tree) or (_by_place(tree) if name.startswith(f"{USE}/") else None)
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
            policy = next(str(ast.literal_eval(one.value)) for one in mark.keywords if one.arg == "policy")
            yield Played(tuple(ast.literal_eval(one) for one in mark.args), policy)


def _by_place(tree: ast.Module) -> Played | None:
    imported = {node.module for node in tree.body if isinstance(node, ast.ImportFrom)}
    doors = dict.fromkeys(door for name, doors in STARTERS.items() if name in imported for door in doors)
    return Played(tuple(doors), "shipped") if doors else None
