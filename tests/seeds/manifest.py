"""The requirements, the tests that prove them, and the doors through which they are proven.

A row is proven where its user is: by a test that goes through a door of a started server or by a real command. A row
that only internal tests name is not yet proven.
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from tests.seeds.playing import Played, Playing, playing_below
from tests.seeds.rows_beyond import BEYOND
from tests.seeds.rows_decisions import DECISIONS
from tests.seeds.rows_decisions_between import DECISIONS_BETWEEN
from tests.seeds.rows_seed_000 import SEED_000
from tests.seeds.rows_seed_001 import SEED_001
from tests.seeds.rows_seed_001_pages import SEED_001_PAGES
from tests.seeds.rows_seed_002 import SEED_002
from tests.seeds.rows_seed_003 import SEED_003
from tests.seeds.rows_seed_004 import SEED_004
from tests.seeds.rows_use import USE
from tests.seeds.shapes import AREAS, Row

ROOT = Path(__file__).parents[2]
SEEDS = (*SEED_000, *SEED_001, *SEED_001_PAGES, *SEED_002, *SEED_003, *SEED_004)
ALL_ROWS = (*SEEDS, *DECISIONS, *DECISIONS_BETWEEN, *BEYOND, *USE)
ROWS: dict[str, Row] = {row.id: row for row in ALL_ROWS}

# Invariants (I1), holes (S1), threats (T1) and faults (F1) have other letters. A range such as "A1…A3" is read as one
# id, which no row has: so it is reported instead of silently naming only its ends.
_ID = r"(?:00\d-\d+|[ABCOPXY]\d{1,2}|[DU]-\d+)"
_NAMED = re.compile(rf"(?<![\w-]){_ID}(?:(?:\u2026|\u2013|-|\.\.\.?)(?:{_ID}|\d+))?(?!\w)")
_UNPROVING = (".mark.skip", ".mark.xfail")  # skipif too: a test that may not run proves nothing

#: Prefixes of the ids of rows whose proof must go through a door.
AT_A_DOOR = ("00", "U")
INSIDE = "not at door"

Naming = Mapping[str, tuple[str, ...]]
"""Row id to the pytest node ids of the tests that name it."""


def naming_below(root: Path = ROOT) -> dict[str, tuple[str, ...]]:
    """Every id named in the docstring of a test below root/tests, with the tests that name it."""
    naming: dict[str, tuple[str, ...]] = {}
    for file in sorted((root / "tests").rglob("test_*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"), filename=str(file))
        for node_id, docstring in _tests_in(tree, file.relative_to(root).as_posix()):
            for row in ids_in(docstring):
                naming[row] = (*naming.get(row, ()), node_id)
    return naming


def ids_in(text: str) -> tuple[str, ...]:
    """The row ids a text names, each once, in order."""
    return tuple(dict.fromkeys(_NAMED.findall(text)))


def problems(rows: Iterable[Row], naming: Naming, playing: Playing) -> list[str]:
    """Everything that must fail the build, one sentence each; a row of a seed must be proven through a door."""
    listed = tuple(rows)
    times = Counter(row.id for row in listed)
    return [
        *(f"{row} is listed {count} times" for row, count in times.items() if count > 1),
        *(f"{row.id} waits for the unknown area {row.area!r}" for row in listed if row.area not in {None, *AREAS}),
        *(f"{row} is no row, but {', '.join(tests)} names it" for row, tests in naming.items() if row not in times),
        *(f"{row.id} has no test: {row.sentence}" for row in listed if row.area is None and row.id not in naming),
        *(
            f"{row.id} is tested, but no test plays it through a door: {row.sentence}"
            for row in listed
            if row.id.startswith(AT_A_DOOR) and _kind(row, naming, playing) == INSIDE
        ),
    ]


def rows_with_tests(rows: Iterable[Row], naming: Naming) -> list[str]:
    """The ids of the rows that are due and have a test."""
    return [row.id for row in rows if row.area is None and row.id in naming]


def table(rows: Iterable[Row], naming: Naming, playing: Playing) -> Iterator[str]:
    """One line per row, then the counts per seed and per part."""
    listed = tuple(rows)
    yield f"{'row':<7} {'state':<40} {'door':<24} {'policy':<22} {'tests':>5}  sentence"
    for row in listed:
        doors, policies = _shown(row, naming, playing)
        state, tests = _state(row, naming, playing), len(naming.get(row.id, ()))
        yield f"{row.id:<7} {state:<40} {doors:<24} {policies:<22} {tests:>5}  {row.sentence}"
    yield ""
    yield f"{'':<16} {'rows':>5} {'proven':>7} {INSIDE:>12} {'core part':>10} {'to come':>8} {'missing':>8}"
    for name, members in (*_grouped(listed, _seed), *_grouped(listed, _part), ("all", listed)):
        kinds = Counter(_kind(row, naming, playing) for row in members)
        yield (
            f"{name:<16} {len(members):>5} {kinds['proven']:>7} {kinds[INSIDE]:>12} {kinds['core part']:>10}"
            f" {kinds['to come']:>8} {kinds['MISSING']:>8}"
        )


def _tests_in(tree: ast.Module | ast.ClassDef, prefix: str) -> Iterator[tuple[str, str]]:
    """Node id and docstring of each test that always runs."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test") and not _may_be_skipped(node):
            yield from _tests_in(node, f"{prefix}::{node.name}")
        elif (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and node.name.startswith("test")
            and not _may_be_skipped(node)
        ):
            yield f"{prefix}::{node.name}", ast.get_docstring(node) or ""


def _may_be_skipped(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(mark in ast.unparse(decorator) for decorator in node.decorator_list for mark in _UNPROVING)


def _kind(row: Row, naming: Naming, playing: Playing) -> str:
    if row.area is not None:
        return "core part" if row.id in naming else "to come"
    if row.id not in naming:
        return "MISSING"
    return "proven" if _plays(row, naming, playing) else INSIDE


def _state(row: Row, naming: Naming, playing: Playing) -> str:
    match _kind(row, naming, playing):
        case "core part":
            return f"core part tested, {row.area} to come"
        case "to come":
            return f"to come: {row.area}"
        case "not at door":
            return "tested inside, not yet proven at a door"
        case kind:
            return kind


def _plays(row: Row, naming: Naming, playing: Playing) -> list[Played]:
    return [playing[test] for test in naming.get(row.id, ()) if test in playing]


def _shown(row: Row, naming: Naming, playing: Playing) -> tuple[str, str]:
    plays = _plays(row, naming, playing)
    doors = dict.fromkeys(door for play in plays for door in play.doors)
    return ", ".join(doors), ", ".join(dict.fromkeys(policy for play in plays for policy in play.policies))


def _seed(row: Row) -> str:
    if row.id.startswith("00"):
        return f"seed {row.id[:3]}"
    if row.id.startswith("U"):
        return "use U"
    return "beyond D" if row.id.startswith("D") else f"decisions {row.id[0]}"


def _part(row: Row) -> str:
    if row.id.startswith("00"):
        return "part 1, seeds"
    if row.id.startswith("U"):
        return "part 4, use"
    return "part 3, beyond" if row.id.startswith("D") else "part 2, decided"


def _grouped(rows: tuple[Row, ...], name_of: Callable[[Row], str]) -> list[tuple[str, tuple[Row, ...]]]:
    names = dict.fromkeys(map(name_of, rows))
    return [(name, tuple(row for row in rows if name_of(row) == name)) for name in names]


if __name__ == "__main__":
    print("\n".join(table(ALL_ROWS, naming_below(), playing_below(ROOT))))
