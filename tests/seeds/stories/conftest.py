"""PostgreSQL is started only for the stories that are played on it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.postgres.server import Server


@pytest.fixture(scope="session")
def on_postgres(request: pytest.FixtureRequest) -> Callable[[], Server]:
    """The PostgreSQL server of a story, if it needs one."""
    return lambda: request.getfixturevalue("durable_postgres")
