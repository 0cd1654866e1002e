"""Redacts secrets of the work from messages to channels, mail and webhooks: not all their readers are signed in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from foureyes.core.model import Review
from foureyes.notify.channels import Message
from foureyes.notify.letters import Sorted, Written

#: Redacts secrets of a review from texts, lists and objects.
Cuts = Callable[[Review, Any], Awaitable[Any]]


async def nothing(_: Review, said: Any) -> Any:
    """Redact nothing."""
    return said


async def cut_digests(made: Sorted | None, cuts: Cuts) -> None:
    """Redact secrets from the lines of digests."""
    if made is not None and made.about is not None:
        clean = await cuts(made.about, [body for _, _, body in made.digests])
        made.digests = [(target, key, body) for (target, key, _), body in zip(made.digests, clean, strict=True)]


async def clean(written: Written, cuts: Cuts) -> Message:
    """Return the message without secrets."""
    message, about = written.message, written.about
    if about is None:
        return message
    title, text, data = await cuts(about, [message.title, message.text, message.data])
    return replace(message, title=title, text=text, data=data)
