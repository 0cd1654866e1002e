"""Engines for every contract and story; tests with many processes take a minute, and are for the long run."""

from collections.abc import Iterator

import pytest

from tests.conftest import EFFORT
from tests.engine.engines import Make, durables, local

collect_ignore = [] if EFFORT == "all" else ["test_many_machines.py"]


@pytest.fixture(params=["local", "durable"])
def engines(request: pytest.FixtureRequest) -> Iterator[Make]:
    """Makes the engine in question for a hall; a second one is the next process."""
    if request.param == "local":
        yield local
        return
    with durables(request.getfixturevalue("postgres")) as made:
        yield made
