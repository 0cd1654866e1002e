"""`why` tells one finding in full, and `status` how many are open in the last reviews."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.colleagues import Table
from tests.cli.desk import Desk
from tests.cli.outcomes import KEY


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(home=tmp_path / "home")


def test_a_finding_is_told_in_full_with_all_of_its_places(table: Table) -> None:
    ran = table.run("why", "solo.1-F2")
    assert ran.code == 2
    for part in (KEY.text, KEY.why, KEY.suggestion, "app/settings.py:3", "app/region_12.py:12"):
        assert part in ran.out
    assert table.run("why", "solo.1-F2", "--json").data["finding"]["id"] == "solo.1-F2"


def test_a_note_blocks_nothing_and_an_unknown_finding_is_64(table: Table) -> None:
    assert table.run("why", "solo.2-F3").code == 0
    ran = table.run("why", "solo.2-F77")
    assert (ran.code, ran.out) == (64, "")


def test_status_counts_what_is_open_in_the_last_reviews(desk: Desk) -> None:
    ran = desk.run("status")
    assert "r2: 0 open findings in round 1, Second ]0;evil try" in ran.out
    (newest,) = desk.run("status", "--json").data["newest"]
    assert (newest["review"], newest["findings"], newest["revision"]) == ("r2", 0, 1)
