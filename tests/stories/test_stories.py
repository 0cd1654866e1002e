"""The complete stories of the seeds on a running server, alone on SQLite and on PostgreSQL with two workers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import EFFORT
from tests.postgres.server import Server
from tests.stories.stories import STORIES
from tests.stories.theatre import Theatre, theatre

#: All stories share the processes of one theatre: starting them takes longer than a story.
pytestmark = pytest.mark.timeout(600)


def played_by(here: Theatre, stories: Sequence[Callable[[Theatre], Coroutine[Any, Any, None]]] = STORIES) -> None:
    for story in stories:
        asyncio.run(story(here))


def test_every_story_plays_whole_on_a_server_that_carries_runs_out_itself(tmp_path: Path) -> None:
    """With programs, agents on the command line, models and agents from outside in the seats."""
    with theatre(tmp_path / "alone") as here:
        here.serve()
        played_by(here)


def test_every_story_plays_whole_on_a_server_with_two_workers(durable_postgres: Server, tmp_path: Path) -> None:
    """The same flows where many processes carry them out; both workers have had something to do."""
    with theatre(tmp_path / "together", durable_postgres) as here:
        here.serve()
        here.hire("one", "two")
        # All of them in the long run only: stories with several processes are slow.
        played_by(here, STORIES if EFFORT == "all" else STORIES[:4])
        assert all('"message": "begun"' in one.logged() for one in here.workers)
