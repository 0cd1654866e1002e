"""A limit on the total bytes of all request bodies held in memory at the same time.

What one account may send is limited elsewhere. This limit keeps many accounts that send at once from filling the
memory.
"""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from foureyes.app.ports import Unavailable
from foureyes.http.problems import unavailable

#: A body is held about twice while it is written to the store.
HELD_BYTES_MAX = 128 * 1024 * 1024
#: A large body that comes more slowly than this many bytes a second is refused while room is short.
RATE_BYTES_MIN = 128 * 1024
#: Every body may take this long, whatever its rate.
GRACE_SECONDS = 10.0
#: How often a late body is checked against the room that is left.
LOOK_SECONDS = 0.5
#: Room is short when more than this part of the budget is in use.
SHORT_PART = 0.5
#: This much of each body is not counted, so that large uploads do not block ordinary calls.
SMALL_BYTES = 64 * 1024


class NoRoom(Unavailable):
    """The budget is used up: this body is not accepted now."""

    def __init__(self, why: str = "Others are sending so much that there is no room for this body now.") -> None:
        """Build the answer, which asks the client to retry soon."""
        super().__init__(why, "Send it again soon.")


class ByteBudget:
    """Middleware that limits the total bytes of request bodies in memory."""

    def __init__(self, app: ASGIApp, most: int = HELD_BYTES_MAX, grace_seconds: float = GRACE_SECONDS) -> None:
        """Wrap an application; `most` is the budget in bytes."""
        self._app, self._most, self._grace_seconds = app, most, grace_seconds
        self.held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count a request's body from its first large piece until the answer is complete."""
        size, counted, is_answered = 0, 0, False
        began = asyncio.get_running_loop().time()

        async def taken() -> Message:
            nonlocal size, counted
            due = began + self._grace_seconds + size / RATE_BYTES_MIN
            message = await (self._in_time(receive, due) if counted and not is_answered else receive())
            size += len(message.get("body", b""))
            more = max(0, size - SMALL_BYTES) - counted
            if self.held + more > self._most:
                raise NoRoom
            self.held, counted = self.held + more, counted + more
            return message

        async def told(message: Message) -> None:
            nonlocal is_answered
            is_answered = True
            await send(message)

        try:
            await self._app(scope, taken, told)
        except NoRoom as error:
            if is_answered:
                raise
            await unavailable(error)(scope, receive, send)
        finally:
            self.held -= counted

    async def _in_time(self, receive: Receive, due: float) -> Message:
        """The next piece of a large body; a late one is waited for only while others have enough room."""
        loop = asyncio.get_running_loop()
        coming = asyncio.ensure_future(receive())
        try:
            while not coming.done():
                await asyncio.wait((coming,), timeout=max(due - loop.time(), LOOK_SECONDS))
                if not coming.done() and loop.time() >= due and self.held > self._most * SHORT_PART:
                    raise NoRoom("This body comes too slowly while others wait for room.")
            return await coming
        finally:
            if not coming.done():
                coming.cancel()
