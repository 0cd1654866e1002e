"""Fixtures of the agents' tests: a place for fake agents, and a check of what was left behind."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.fakes import Place
from tests.conftest import EFFORT

#: The real agents are for the long run only: otherwise their tests are not collected, rather than skipped.
collect_ignore = [] if EFFORT == "all" else ["test_real_agents.py", "test_real_command.py"]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(folder=tmp_path)


@pytest.fixture(autouse=True)
def _nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give each test a folder for temporary files, which must be empty when it ends."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    yield
    # A child process lives on for the next call, and keeps the folder it was started with.
    assert [one for one in temporary.iterdir() if not one.name.startswith("foureyes-child-")] == []
