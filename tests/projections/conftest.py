"""The stores for tests that must hold on each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stores.conftest import STORES, lending
from tests.stores.making import Box


@pytest.fixture(params=STORES)
def box(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Box]:
    """An empty store of each kind."""
    with lending(request.param, request, tmp_path) as lent:
        yield lent


@pytest.fixture
def sqlite(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Box]:
    """An empty store in a file, which a test may also write to directly."""
    with lending("sqlite", request, tmp_path) as lent:
        yield lent


@pytest.fixture
def on_postgres(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Box]:
    """An empty store with concurrent writers."""
    with lending("postgres", request, tmp_path) as lent:
        yield lent
