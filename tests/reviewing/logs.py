"""Helpers that read the log of a review."""

from __future__ import annotations

from typing import TypeVar

from foureyes.app.shelf import dated
from tests.reviewing.desk import Desk

T = TypeVar("T")


async def happened(desk: Desk, review: str, kind: type[T]) -> list[T]:
    """The events of this type in the log of a review."""
    past = await desk.kept.read(lambda reading: dated(tuple(reading.events(f"review/{review}"))))
    return [event for event, _ in past if isinstance(event, kind)]
