"""A house whose outbox is delivered to a real server on loopback."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from foureyes.notify.carrying import Carrying
from foureyes.notify.channels import Places
from foureyes.notify.delivering import Delivery
from foureyes.notify.desk import Desk
from foureyes.notify.mail import Mailer
from foureyes.policy.notifying import Notify
from tests.http.five import Five, house
from tests.notify.receiving import Receiver, receiving, way_out

PUBLIC = "https://gate.example"
KEY = b"k" * 32
DISCORD, THREAD = "discord://111/alerts-token", "discord://222/thread-token?thread={task}"
TELEGRAM, SLACK = "tgram://123:bot-token/-100200", "slack://T1/B2/slack-token"
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
EVENTS = (
    ("creator", ("review_approved", "review_changes_requested", "review_rejected")),
    ("reviewer", ("review_requested", "creator_revised")),
    ("human", ("review_escalated", "review_timeout", "pattern_eligible_for_skip")),
)


@dataclass
class PostOffice:
    """A house with callers and the notifications it sends."""

    receiver: Receiver
    notify: Notify
    web: Five
    seconds_max: float = 5.0

    def __post_init__(self) -> None:
        self.delivery = self.another("one")

    def another(self, worker: str) -> Delivery:
        """A delivery as another process has it."""
        out = way_out(self.seconds_max)
        url = self.receiver.url
        places = Places(discord=f"{url}/discord", telegram=f"{url}/bot", slack=f"{url}/slack")
        return Delivery(
            store=self.web.house.store,
            policies=self.web.house.gate.policies,
            desk=Desk.of(self.notify, {"SECRET": SECRET}),
            carrier=Carrying(out=out, mailer=Mailer(out=out), places=places),
            clock=lambda: self.web.house.now,
            worker=worker,
            public=PUBLIC,
            link_key=KEY,
        )

    def got(self, part: str = "") -> list[Any]:
        """The received JSON bodies of requests whose path contains this."""
        return [json.loads(one.body) for one in self.receiver.got if part in one.path]

    async def waiting(self) -> dict[str, int]:
        """The undelivered outbox rows, by type."""
        return await self.web.house.store.read(lambda reading: {one.type: one.count for one in reading.queued()})


@asynccontextmanager
async def post_office(web: Five | None = None, **notify: Any) -> AsyncIterator[PostOffice]:
    """A post office with these addresses, as long as it is needed."""
    async with receiving() as receiver:
        made = Notify(**{"events": EVENTS, **notify})
        yield PostOffice(receiver=receiver, notify=made, web=web or Five(house=house(default=("default",))))
