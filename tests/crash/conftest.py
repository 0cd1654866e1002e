"""The fixture of the crash tests: one process that forks the driven ones."""

from collections.abc import Iterator

import pytest

from tests.crash.nursery import Nursery


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    with Nursery() as nursery:
        yield nursery
