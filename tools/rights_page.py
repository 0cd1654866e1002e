"""Write the reference of permissions from the table that the tests play, so that it is never out of date.

Usage: python -m tools.rights_page
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from foureyes.app.calls.call import Need
from foureyes.app.calls.registry import CALLS
from foureyes.http.routes import OTHERS, WAYS
from foureyes.mcp.tools import NOT_OFFERED, TOOLS
from tests.doors.rights import PLACES, PRINCIPALS, RIGHTS, STATES_SAID, place_row, row

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "who-may-do-what.md"
HEAD = """# Who may do what

Made by `python -m tools.rights_page` from the table in `tests/doors/rights.py`. Every cell of it is played against the
real application: each kind of credential, in each state of a review, by each call, over HTTP and over MCP. **yes**
means it is done; any other word is the code of the refusal. What a credential may *see* of a review is another
question: nobody sees another reviewer's report before their own is in. The author sees all, and so does a human who
holds no seat; what a human sees by right and not by an own report is written down (**view** in the audit trail). The
other agents whose work a session's review is about see all while it waits for an answer.
"""


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """The whole page."""
    lines = [HEAD, "## Who comes", "", "| | is |", "|---|---|"]
    lines += [f"| **{_said(name)}** | {says} |" for name, (says, _) in PRINCIPALS.items()]
    lines += ["", "## In which state the review is", "", "| | means |", "|---|---|"]
    lines += [f"| **{name}** | {says} |" for name, says in STATES_SAID.items()]
    return "\n".join([*lines, "", *_places(), *(line for call in sorted(RIGHTS) for line in _section(call))])


def _section(call: str) -> Iterator[str]:
    one, way = CALLS[call], WAYS[call]
    yield from (f"## {call}", "", one.says.partition("\n")[0], "")
    ways = " and ".join(f"`{way.method} {path}`" for path in way.paths)
    yield from (f"{ways}, needs `{one.needs}`. {_tool(call)}", "")
    groups = dict[tuple[str, ...], list[str]]()
    for who in PRINCIPALS:
        groups.setdefault(row(call, who), []).append(_said(who))
    columns = ("in every state",) if all(len(set(cells)) == 1 for cells in groups) else tuple(STATES_SAID)
    yield f"| who | {' | '.join(columns)} |"
    yield "|---" * (len(columns) + 1) + "|"
    for cells, names in groups.items():
        yield f"| {', '.join(names)} | {' | '.join(map(_cell, cells[: len(columns)]))} |"
    yield ""


def _tool(call: str) -> str:
    if call in TOOLS:
        return "A tool of MCP, for tokens."
    return "No tool of MCP." if CALLS[call].needs is Need.HUMAN else f"No tool of MCP: {_reason(call)}."


def _reason(call: str) -> str:
    """Why agents do not get this call; "as before" repeats the reason of the call above."""
    names = list(NOT_OFFERED)
    place = names.index(call)
    return next(NOT_OFFERED[one] for one in reversed(names[: place + 1]) if NOT_OFFERED[one] != "likewise")


def _places() -> Iterator[str]:
    yield from ("## Beside the calls", "", "The same in every state, and no tools of MCP.", "")
    yield f"| who | {' | '.join(f'`{OTHERS[place].path}`' for place in PLACES)} |"
    yield "|---" * (len(PLACES) + 1) + "|"
    groups = dict[tuple[str, ...], list[str]]()
    for who in PRINCIPALS:
        groups.setdefault(tuple(place_row(place, who) for place in PLACES), []).append(_said(who))
    for cells, names in groups.items():
        yield f"| {', '.join(names)} | {' | '.join(map(_cell, cells))} |"
    yield ""


def _cell(word: str) -> str:
    return "**yes**" if word == "ok" else word


def _said(name: str) -> str:
    return name.replace("_", " ")


if __name__ == "__main__":
    main()
