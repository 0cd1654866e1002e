"""How does a message get into a mailbox? By the library `apprise`, which is loaded only where an address asks for it.

It works in a thread of its own that nobody can end: a mail server that hangs holds this thread and no other, because
its mailbox gets no second one before that.
"""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from foureyes.notify.channels import MAIL_UNITS_MAX, BadAddress, Mail, Message
from foureyes.notify.outside import NotSent, Outside

SECONDS_MAX = 30.0
ID_HEADER = "X-Foureyes-Id"
MISSING = "E-mail needs an extra package: run pip install 'foureyes[apprise]'."
HANGS = "its server still hangs at an earlier mail"


@dataclass(slots=True)
class _Box:
    """A mailbox has one mail on its way at a time; what was given up may still be."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    under_way: Future[Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mailer:
    """Sends mail to servers that may be reached."""

    out: Outside
    seconds_max: float = SECONDS_MAX
    #: As many as the policy has, and so many threads at most.
    _boxes: dict[str, _Box] = field(default_factory=dict, repr=False)

    async def send(self, channel: Mail, message: Message) -> None:
        """Return when the mail server took it; raises NotSent otherwise."""
        box = self._boxes.setdefault(channel.url, _Box())
        try:
            async with asyncio.timeout(self.seconds_max), box.turn:
                if box.under_way is not None and not box.under_way.done():
                    raise NotSent(HANGS)
                sent = await self._sent(box, channel, message)
        except TimeoutError:
            raise NotSent(f"no answer within {self.seconds_max:g} seconds") from None
        except BadAddress as error:
            raise NotSent(str(error)) from None
        if not sent:
            raise NotSent("the mail server did not take it")

    async def _sent(self, box: _Box, channel: Mail, message: Message) -> bool:
        thread = ThreadPoolExecutor(1, thread_name_prefix="mail")
        try:
            box.under_way = thread.submit(mailbox, channel)
            found = await asyncio.wrap_future(box.under_way)
            await self.out.checked(found.smtp_host, found.port or 0, plain=False)
            box.under_way = thread.submit(_send, found, message)
            return bool(await asyncio.wrap_future(box.under_way))
        finally:
            thread.shutdown(wait=False)


def mailbox(channel: Mail) -> Any:
    """What apprise makes of an address; raises BadAddress where that is nothing."""
    try:
        apprise = import_module("apprise")  # here: it takes seconds to load, and most have no mailbox
    except ModuleNotFoundError:
        raise BadAddress(MISSING) from None
    # What it logs would hold addresses; that it failed, and why, we tell ourselves.
    logging.getLogger("apprise").setLevel(logging.CRITICAL)
    asset = apprise.AppriseAsset(app_id="foureyes", http_redirects=False, secure_logging=True)
    box = apprise.Apprise.instantiate(channel.url, asset=asset, suppress_exceptions=True)
    if box is None or not hasattr(box, "smtp_host"):
        raise BadAddress("an address that begins with mailto is not complete: write mailtos://user:password@host?to=…")
    # As it is: apprise would make HTML of it.
    box.notify_format = apprise.NotifyFormat.TEXT
    return box


def _send(box: Any, message: Message) -> bool:
    box.headers[ID_HEADER] = message.id
    body = message.fitting(MAIL_UNITS_MAX)
    return bool(box.notify(body=body, title=message.title, body_format=box.notify_format))
