"""A PostgreSQL database for the race."""

from collections.abc import Iterator

import pytest

from tests.postgres.server import lent


@pytest.fixture
def postgres_url() -> Iterator[str]:
    with lent() as server, server.fresh() as url:
        yield url
