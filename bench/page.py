"""Render the pages of documentation about the figures, from the lines and nothing else.

Usage: python -m bench.page
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from bench.lines import HERE, read

PAGE = HERE.parent / "docs" / "explain" / "performance.md"
QUALITY = HERE.parent / "docs" / "explain" / "quality.md"
Line = dict[str, Any]

_HEAD = """# Performance

What foureyes costs, measured beside the bare database driver on the same machine in the same second. This page is
written by `make bench` from `bench/results/lines.jsonl`; nobody types a figure here.

The unit is a **lifecycle**: open a review of 2 KiB of work, a report with three findings, a revision that answers them,
an approving report, the gate's yes. Everything runs in one process through the gate, as a program embeds it, and every
answer is checked.

Floors stand beside it. **Its own bare commits** are the very statements and values that our lifecycle sends, recorded
and sent again by the bare driver in four commits, with the gate's own reads; once with and once without what commands
read before they write. **The least four commits** are what a lifecycle without policy, chain, keys and inbox would
need: three small tables.

A ratio is that of medians of turns taken one after the other; the figure is the median of several rounds. Processor
time stands beside the clock, because a busy machine delays the clock. How to repeat a figure is written in its row; the
load is that of the machine at the time, and a busy one makes syncing the disk slower, for us and for the floor. The
quicker a disk syncs, the closer the clock's ratio comes to the processor's.
"""

_SECTIONS = (
    ("lifecycle.", "A lifecycle", ""),
    (
        "groups.",
        "Many callers",
        """The commands that wait share one commit. On SQLite there is one writer; on PostgreSQL three connections take
up to 32 commands each into a transaction. “One per command” is one connection there, since the server syncs once for
the commits of several. A lifecycle is mostly our own deciding, so sharing commits gives it less than it gives a small
append.""",
    ),
    (
        "flood.",
        "Beside somebody who floods",
        """The shipped server has one processor for itself. Agents play ten lifecycles a second over HTTP, alone and
beside one caller who sends as much as it can, up to 2,000 requests a second, in turns. A ratio is that of the 95th
percentiles of all rounds; what the flooder was told stands beside it, with a plus where it was told when to come
back.""",
    ),
    (
        "growth.",
        "Much history",
        """Two stores, one with a thousand reviews and one with many, take turns with every question: two files of
SQLite, or two databases of one PostgreSQL server with its settings as they come. Both lie in the machine's memory when
the questions begin; where a page has to come from the disk, it costs what the disk takes, and a random one of many
reviews has to more often. Processor time is that of our process.""",
    ),
    (
        "doors.",
        "Over the network",
        """`foureyes up` on SQLite (FULL) with credentials, policy, log and audit, asked from another process. Beside
it stand, in processes of their own, the least four commits behind Starlette, with a note of who read, and an echo of
the official MCP SDK behind the same transport. A lifecycle is seven requests or seven calls of tools: a reviewer reads
each version before judging it. The number is checked, and so is every answer.
What counts is the processor time of the server's process. Both eras of the protocol are asked: the SDK itself needs
about three times as much for a call of the older one.""",
    ),
    (
        "engine.",
        "What runs by itself",
        """A server's gate, dispatcher and engine on SQLite (FULL) in one process; a scripted reviewer says yes at once.
What waiting costs is asked of `foureyes up` itself.""",
    ),
    (
        "cluster.",
        "Several servers and workers",
        """On PostgreSQL, which waits for its disk. A worker's dispatcher and engine, with a scripted reviewer, hear of
a request from the database alone. Then one server and two take commands on the same machine, which the database and
whoever asks share with them.""",
    ),
    (
        "sustained.",
        "Steady work, and too much of it",
        """`foureyes up` on SQLite (FULL). Authors and reviewers, sixteen of each, play lifecycles over HTTP at a fixed
pace, whether or not the one before was answered; afterwards every one of them is in the store once, with all of its
events, and the log verifies. Then one account asks on so many connections that it is refused.""",
    ),
    (
        "starts.",
        "A server from nothing, and at rest",
        "Memory is what the process has alone and its share of what it has together with others (PSS).",
    ),
    (
        "timing.",
        "What a no tells by its time",
        """Nothing: a secret is looked up by its hash, so a guess that is right but for its end takes as long as one
that is all wrong. Welch's t says how far apart the two means are; above 4.5 it would be no chance any more.""",
    ),
    ("bytes.", "Room", "Bytes on the disk, the empty store's taken off."),
    ("cold.", "A check from nothing", "A new process for every answer; none of the heavy modules may be imported."),
    (
        "redaction.",
        "Secrets cut out",
        """The processor time of a call in one process, with the answer written as JSON; turns with and without take
each other's place. What was cleaned once is remembered by its digest.""",
    ),
    (
        "review.",
        "A review from nothing",
        "A new process in a new repository with a new data folder for every run, programs only.",
    ),
    ("core.", "The core alone", ""),
    ("sim.", "The simulator", ""),
)


_QUALITY_HEAD = """# Quality

How good is what the programs say? Measured on data that nobody here wrote, with no model and no network. This page is
written by `python -m bench.quality FOLDER` and `python -m bench.quality_commits FOLDER` from
`bench/results/lines.jsonl`; nobody types a figure here. The folder holds parts of public sets: commands of three guard
projects, lines labelled for secrets, configuration files of a scanner's own tests, texts with injected instructions,
findings of several tools on the same pull requests, and merged commits of public repositories. Rules are written from
how shells, databases and platforms work; a third of the rows was looked at meanwhile.

What a program finds is never all there is. A critic that is not sure says so (unknown), and `foureyes review` says each
time that no model and no person looked.
"""

_QUALITY = (
    (
        "quality.commands",
        "Commands",
        "Destructive commands, privilege abuse and foreign code, beside benign ones. A miss is anything but a block.",
    ),
    (
        "quality.secrets",
        "Secrets",
        "Lines labelled by others; values are scrambled, so no checksum holds. A hit is a block or a note.",
    ),
    ("quality.configs", "Configuration", "Public exposure and privilege escalation, by the checks in scope."),
    (
        "quality.injection",
        "Hidden text and instructions",
        "Texts with injected instructions by kind, benign hosts, and every invisible or look-alike character.",
    ),
    ("quality.merging", "Merging", "Pairs of findings of different tools that name the same bug, by their text alone."),
    (
        "quality.replayed.",
        "Whole commits",
        """Each commit is replayed in a repository of its own, and `foureyes review --no-agents` looks at it; what
counts is the code it ends with. Nearly all that was merged is good work.""",
    ),
)


def page(lines: Iterable[Line]) -> str:
    """The page of figures about speed and room."""
    return _page(_HEAD, _SECTIONS, lines)


def quality(lines: Iterable[Line]) -> str:
    """The page of figures about quality."""
    return _page(_QUALITY_HEAD, _QUALITY, lines)


def _page(head: str, sections: Iterable[tuple[str, str, str]], lines: Iterable[Line]) -> str:
    known = list(lines)
    return "\n".join([head, *(text for one in sections for text in _section(one, known))])


def _section(about: tuple[str, str, str], lines: list[Line]) -> Iterator[str]:
    prefix, title, why = about
    found = [line for line in lines if line["figure"].startswith(prefix)]
    if not found:
        return
    yield f"## {title}\n"
    if why:
        yield f"{why}\n"
    yield "| figure | demanded | measured | kept | beside it | command | commit | load |"
    yield "|---|---|---|---|---|---|---|---|"
    yield from (_row(line) for line in sorted(found, key=lambda line: line["demand"] is None))
    yield ""
    for line in found:
        yield from (f"{words}: {', '.join(line[name]) or 'none'}.\n" for name, words in _NAMES.items() if name in line)


def _row(line: Line) -> str:
    kept = {True: "yes", False: "**no**", None: ""}[line["kept"]]
    if not line["correct"]:
        kept = "**wrong answers**"
    cells = (
        line["what"],
        _demanded(line),
        f"{_number(line['measured'])}{_unit(line['unit'])}",
        kept,
        _beside(line),
        f"`{line['command']}`",
        line["commit"],
        str(line["load1"]),
    )
    return f"| {' | '.join(cells)} |"


def _demanded(line: Line) -> str:
    if line["demand"] is None:
        return ""
    unit = _unit(line["unit"])
    aim = f" (aim {_number(line['aim'])}{unit})" if line["aim"] is not None else ""
    return f"{line['bound']} {_number(line['demand'])}{unit}{aim}"


def _beside(line: Line) -> str:
    """The numbers behind the figure, in the words of the line."""
    facts: list[str] = []
    for name, words in _WORDS.items():
        value = line.get(name)
        if isinstance(value, dict):
            facts.append(f"{words} {', '.join(f'{key} {_number(one)}' for key, one in value.items())}")
        elif isinstance(value, list):
            facts.append(f"{words} {', then '.join(map(_number, value))}")
        elif value is not None:
            facts.append(f"{words} {_number(value)}")
    return "; ".join(facts)


_NAMES = {"in_scope": "Checks in scope that were tried", "out_of_scope": "Checks of the set that are out of scope"}
_WORDS = {
    "wall_ms": "ms",
    "bare_wall_ms": "bare ms",
    "cpu_ms": "processor ms",
    "cpu_ratio": "processor ×",
    "wall_ratio": "clock ×",
    "p50_ms": "median ms",
    "p99_ms": "99 % ms",
    "shared_per_s": "shared /s",
    "alone_per_s": "alone /s",
    "lifecycles": "lifecycles",
    "per_s": "/s",
    "alone_ms": "alone ms",
    "beside_ms": "beside it ms",
    "times": "×",
    "flood_per_s": "its requests /s",
    "told": "told",
    "near_us": "nearly right: µs",
    "far_us": "all wrong: µs",
    "few_ms": "few: ms",
    "many_ms": "many: ms",
    "bytes": "bytes",
    "floor_bytes": "floor's bytes",
    "bytes_each": "bytes each",
    "modules": "modules",
    "cpu_s": "processor s",
    "megabytes": "MB",
    "rows": "rows",
    "precision": "precision",
    "recall": "recall",
    "recall_at_5_percent": "recall at 5 % false alarms",
    "f1_without_identifiers": "without lines that hold identifiers",
    "f1_of_blocks": "counting only what stops the work",
    "checks": "checks",
    "per_source": "by source",
    "without_one_least": "without one repository at least",
    "without_one_most": "at most",
    "rules": "commits by rule",
}


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.3g}"  # noqa: PLR2004 - digits


def _unit(unit: str) -> str:
    return f" {unit}"


def write() -> None:
    """Write the pages."""
    PAGE.write_text(page(read()), encoding="utf-8")
    QUALITY.write_text(quality(read()), encoding="utf-8")


if __name__ == "__main__":
    write()
