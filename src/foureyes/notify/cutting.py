"""Takes secrets of the work out of messages to channels, mail and webhooks: not all who read them are signed in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from foureyes.core.model import Review
from foureyes.notify.channels import Message
from foureyes.notify.letters import Sorted, Written

#: Cuts secrets out of what is said of a review, in texts, lists and objects.
Cuts = Callable[[Review, Any], Awaitable[Any]]


async def nothing(_: Review, said: Any) -> Any:
    """Cut nothing."""
    return said


async def cut_digests(made: Sorted | None, cuts: Cuts) -> None:
    """Free the lines of digests of secrets."""
    if made is not None and made.about is not None:
        clean = await cuts(made.about, [body for _, _, body in made.digests])
        made.digests = [(target, key, body) for (target, key, _), body in zip(made.digests, clean, strict=True)]


async def clean(written: Written, cuts: Cuts) -> Message:
    """The message without secrets."""
    message, about = written.message, written.about
    if about is None:
        return message
    title, text, data = await cuts(about, [message.title, message.text, message.data])
    return replace(message, title=title, text=text, data=data)
