"""A PostgreSQL server is started for those stories only that are played on one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.postgres.server import Server


@pytest.fixture(scope="session")
def on_postgres(request: pytest.FixtureRequest) -> Callable[[], Server]:
    """Where a story finds PostgreSQL, if it wants it."""
    return lambda: request.getfixturevalue("durable_postgres")
