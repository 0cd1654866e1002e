"""Writes down the paid answers of reviewers and reads them back; a missing answer is kept with its reason."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from foureyes.app.reviewers import Inconclusive, Look, Once, each_time
from foureyes.codec.shapes import shape
from foureyes.core.values import Cost, Failure

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why there is no answer, as it is written down."""

    reason: Failure
    text: str
    found: Look | None
    cost: Cost
    until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping(Generic[T]):
    """How an answer is written down and read back."""

    write: Callable[[T], str]
    read: Callable[[str], T]

    async def ask(self, once: Once, name: str, call: Callable[[], Awaitable[T]]) -> T:
        """Make the call, or return its stored answer; raises Inconclusive in both cases if there was no answer."""
        if once is each_time:
            return await call()

        async def written() -> str:
            try:
                return json.dumps({"said": self.write(await call())})
            except Inconclusive as none:
                return json.dumps({"none": none_written(none)})

        kept = json.loads(await once(name, written))
        if "none" in kept:
            raise none_read(kept["none"])
        return self.read(kept["said"])


def none_written(none: Inconclusive) -> object:
    """Encode a reason as plain JSON."""
    return shape(Reason)[0](
        Reason(reason=none.reason, text=none.text, found=none.found, cost=none.cost, until=none.until)
    )


def none_read(data: object) -> Inconclusive:
    """Decode a reason."""
    one: Reason = shape(Reason)[1](data)
    return Inconclusive(one.reason, one.text, found=one.found, cost=one.cost, until=one.until)
