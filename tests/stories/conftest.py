"""One theatre for all stories of an engine: starting its processes takes longer than a story."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conftest import EFFORT
from tests.stories.theatre import Theatre, theatre

#: Restarts take longer than stories.
collect_ignore = [] if EFFORT == "all" else ["test_rolling.py"]


@pytest.fixture(scope="module", params=["local", "two-workers"])
def here(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Theatre]:
    """A server that carries runs out itself, on SQLite; and one on PostgreSQL with two workers."""
    server = None if request.param == "local" else request.getfixturevalue("durable_postgres")
    with theatre(tmp_path_factory.mktemp("theatre") / request.param, server) as made:
        made.serve()
        if made.url:
            made.hire("one", "two")
        yield made
