"""U-02: every file that instructs agents is high risk, in any folder and in any case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.core.risk.test_instruction_files import NAMES
from tests.use.served import DOORS, Served, served

pytestmark = pytest.mark.door("http", policy=("peer", "team"))

BEFORE, AFTER = "Some wrods are here.\n", "Some words are here.\n"


@pytest.fixture(scope="module", params=["peer", "team"])
def house(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Served]]:
    with served(tmp_path_factory.mktemp("u02"), request.param) as found:
        found.account("dev", "core_developer")
        found.account("ci", kind="program", scopes=("publish",))
        yield request.param, found


def spellings(number: int, name: str) -> Iterator[str]:
    """The name as it is written, and in another folder and case."""
    yield name
    yield f"docs/{name.upper() if number % 2 else name.swapcase()}"


@pytest.mark.parametrize(("number", "name"), tuple(enumerate(NAMES)))
def test_a_typo_in_orders_to_agents_is_high_risk_and_reviewed(
    house: tuple[str, Served], number: int, name: str
) -> None:
    """U-02: the words of such a file are a program; with `risks: high` its chain of critics comes along."""
    policy, found = house
    author = found.callers["dev"].at(DOORS[number % len(DOORS)])
    for path in spellings(number, name):
        sent: dict[str, Any] = {
            "files": [{"path": path, "text": AFTER}],
            "base_files": [{"path": path, "text": BEFORE}],
        }
        reply = author.call("open_review", kind="fix_typo", title=path, **sent)
        assert reply["state"] == "open", reply.text
        review = found.human.call("read_review", review=reply["review"])["review"]
        assert review["state"] == "open"
        if policy == "team":
            assert any("security" in protocol for protocol in review["protocols"]), path


def test_with_a_known_base_nothing_changes_about_that(house: tuple[str, Served]) -> None:
    """U-02: words in a document would be proven; in orders to agents they never are."""
    policy, found = house
    for number, (path, expected) in enumerate({"docs/guide.md": "cleared", "docs/Agents.MD": "open"}.items()):
        target = f"known-{number}"
        files = [{"path": path, "text": BEFORE}]
        assert found.callers["ci"].call("attest_base", target=target, files=files).is_ok
        after = {"files": [{"path": path, "text": AFTER}], "target": target}
        reply = found.callers["dev"].call("open_review", kind="fix_typo", title=path, **after)
        assert policy != "peer" or reply["state"] == expected, reply.text
        assert reply["state"] == "open" or expected == "cleared"
