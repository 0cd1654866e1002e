"""Sends mail with the library `apprise`, which is imported only where an address needs it.

Each mail is sent in a thread that cannot be ended: a mail server that hangs blocks this one thread, because its mailbox
gets no second one before the first has ended.
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
    """A mailbox sends one mail at a time; one that timed out may still be under way."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    under_way: Future[Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mailer:
    """Sends mail, after checking that the mail server may be reached."""

    out: Outside
    seconds_max: float = SECONDS_MAX
    #: As many as the policy has, and at most as many threads.
    _boxes: dict[str, _Box] = field(default_factory=dict, repr=False)

    async def send(self, channel: Mail, message: Message) -> None:
        """Return when the mail server accepted the message; raises NotSent otherwise."""
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
    """Return apprise's object for an address; raises BadAddress if there is none."""
    try:
        apprise = import_module("apprise")  # here: it takes seconds to load, and most have no mailbox
    except ModuleNotFoundError:
        raise BadAddress(MISSING) from None
    # Its log would contain addresses; failures and their reasons are logged by us.
    logging.getLogger("apprise").setLevel(logging.CRITICAL)
    asset = apprise.AppriseAsset(app_id="foureyes", http_redirects=False, secure_logging=True)
    box = apprise.Apprise.instantiate(channel.url, asset=asset, suppress_exceptions=True)
    if box is None or not hasattr(box, "smtp_host"):
        raise BadAddress("an address that begins with mailto is not complete: write mailtos://user:password@host?to=…")
    # Plain text: apprise would make HTML of it.
    box.notify_format = apprise.NotifyFormat.TEXT
    return box


def _send(box: Any, message: Message) -> bool:
    box.headers[ID_HEADER] = message.id
    body = message.fitting(MAIL_UNITS_MAX)
    return bool(box.notify(body=body, title=message.title, body_format=box.notify_format))
