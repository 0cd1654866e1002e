"""All known tools and all rules about commands."""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.reviewers.critics.commands.model import Call, Found, Judge, rule
from foureyes.reviewers.critics.commands.tools import (
    backup,
    cloud,
    containers,
    databases,
    disks,
    files,
    frameworks,
    generic,
    git,
    infra,
    messaging,
    network,
    packages,
    platforms,
    privilege,
    reach,
    rights,
    system,
    vaults,
)
from foureyes.reviewers.critics.critic import Rule

UNCLEAR = rule(
    "unknown.command",
    "What this runs is only known at run time",
    "It could be anything, and nothing here says that it cannot destroy something.",
    "Write the command out, or check the value before it is used (`${NAME:?}`, a `case` over the allowed values).",
)
UNREADABLE = rule(
    "unknown.shell",
    "Shell text that could not be read",
    "It is not a script a shell would accept, or it is written so that nobody can read it.",
    "Mend the syntax (`bash -n`), and split it into plain commands.",
)
TOO_LONG = rule(
    "unread.too-long",
    "A script is longer than is read",
    "What stands in the rest of it, or on its endless lines, nobody looked at.",
    "Split the script, keep data in files of its own, or let a person look at it.",
)
REMOTE_CODE = network.REMOTE_CODE
BOMB = system.BOMB

_ALL = (
    messaging.FAMILY,
    vaults.FAMILY,
    backup.FAMILY,
    platforms.FAMILY,
    cloud.FAMILY,
    infra.FAMILY,
    packages.FAMILY,
    frameworks.FAMILY,
    databases.FAMILY,
    containers.FAMILY,
    git.FAMILY,
    disks.FAMILY,
    system.FAMILY,
    reach.FAMILY,
    network.FAMILY,
    rights.FAMILY,
    files.FAMILY,
    privilege.FAMILY,
)


def _both(first: Judge, second: Judge) -> Judge:
    def judge(call: Call) -> Iterator[Found]:
        yield from first(call)
        yield from second(call)

    return judge


def _tools() -> dict[str, Judge]:
    table: dict[str, Judge] = {}
    for family in _ALL:
        for name, judge in family.tools.items():
            table[name] = _both(table[name], judge) if name in table else judge
    table["install"] = _both(table["install"], rights.INSTALL)
    return table


FAMILIES: dict[str, Judge] = _tools()
RULES: tuple[Rule, ...] = (
    *(one for family in _ALL for one in family.rules),
    generic.UNKNOWN_TOOL,
    UNCLEAR,
    UNREADABLE,
    TOO_LONG,
)
