"""Collects the calls of all seeds: the names, forms and answers are theirs, the commands behind them are ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from foureyes.app.calls import (
    about_sessions,
    seed_000,
    seed_000_list,
    seed_000_moving,
    seed_001,
    seed_001_checking,
    seed_001_metrics,
    seed_001_shown,
    seed_002,
    seed_003,
    seed_003_results,
    seed_004,
)
from foureyes.app.calls.call import Call

_SEEDS = (
    seed_000,
    seed_000_list,
    seed_000_moving,
    seed_001,
    seed_001_checking,
    seed_001_shown,
    seed_001_metrics,
    seed_002,
    about_sessions,
    seed_003,
    seed_003_results,
    seed_004,
)


def calls() -> Iterator[Call[Any]]:
    """Every call of every seed."""
    for seed in _SEEDS:
        yield from seed.calls()
