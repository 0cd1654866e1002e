"""How does a message get into a mailbox? By the library `apprise`, which is loaded only where an address asks for it.

It works in a thread of its own that nobody can end: a mail server that hangs holds this thread and nothing else.
"""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from foureyes.notify.channels import MAIL_UNITS_MAX, BadAddress, Mail, Message
from foureyes.notify.outside import NotSent, Outside

SECONDS_MAX = 30.0
THREADS_MAX = 4
ID_HEADER = "X-Foureyes-Id"
MISSING = "E-mail needs an extra package: run pip install 'foureyes[apprise]'."


@dataclass(frozen=True, slots=True, kw_only=True)
class Mailer:
    """Sends mail to servers that may be reached."""

    out: Outside
    seconds_max: float = SECONDS_MAX
    _threads: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(THREADS_MAX, thread_name_prefix="mail"), repr=False
    )

    async def send(self, channel: Mail, message: Message) -> None:
        """Return when the mail server took it; raises NotSent otherwise."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self.seconds_max):
                box = await loop.run_in_executor(self._threads, mailbox, channel)
                await self.out.checked(box.smtp_host, box.port or 0, plain=False)
                sent = await loop.run_in_executor(self._threads, _send, box, message)
        except TimeoutError:
            raise NotSent(f"no answer within {self.seconds_max:g} seconds") from None
        except BadAddress as error:
            raise NotSent(str(error)) from None
        if not sent:
            raise NotSent("the mail server did not take it")


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
