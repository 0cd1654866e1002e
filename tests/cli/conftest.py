"""A desk for every test that wants one."""

from pathlib import Path

import pytest

from tests.cli.desk import Desk, furnish


@pytest.fixture
def empty(tmp_path: Path) -> Desk:
    """A desk without a data folder."""
    return Desk(home=tmp_path / "home")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A store with a cleared, a pending and a withdrawn review."""
    furnish(tmp_path / "home")
    return Desk(home=tmp_path / "home")
