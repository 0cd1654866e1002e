"""The cost of counting pending requests depends on the open ones, not on the history."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

from foureyes.store import statements as say
from foureyes.store.tables import SQLITE


def test_the_count_walks_through_the_inbox_once_in_the_order_of_its_key() -> None:
    """The inbox holds only what is open; a sort of all of it would cost more than the walk."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in SQLITE:
            connection.execute(statement)
        plan = [str(row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {say.PENDING}", ("", "", ""))]
    walked = [re.match(r"SCAN (\w+)", step) for step in plan]
    assert {found[1] for found in walked if found} <= {"inbox", "each_once"}
    inner = plan[: next(number for number, step in enumerate(plan) if step.startswith("SCAN each_once"))]
    assert not any("TEMP B-TREE" in step for step in inner), plan
