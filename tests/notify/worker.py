"""A delivery worker in its own process, which can be killed.

Usage: python -m tests.notify.worker DATABASE URL NOW
"""

from __future__ import annotations

import asyncio
import sys
from datetime import datetime

from foureyes.notify.carrying import Carrying
from foureyes.notify.delivering import Delivery
from foureyes.notify.desk import Desk
from foureyes.notify.mail import Mailer
from foureyes.policy.notifying import Notify, Webhook
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import House
from tests.notify.post_office import SECRET
from tests.notify.receiving import way_out


async def deliver(database: str, url: str, now: datetime) -> None:
    """Tell everything that is in this store to the program there."""
    store, out = SqliteStore.open(database), way_out(seconds_max=60)
    notify = Notify(webhooks=(Webhook(url=url, secret="${SECRET}"),))
    delivery = Delivery(
        store=store,
        policies=House(store=store).gate.policies,
        desk=Desk.of(notify, {"SECRET": SECRET}),
        carrier=Carrying(out=out, mailer=Mailer(out=out)),
        clock=lambda: now,
        worker=f"at {now}",
        public="https://gate.example",
    )
    await delivery.once()
    await store.close()


if __name__ == "__main__":
    asyncio.run(deliver(sys.argv[1], sys.argv[2], datetime.fromisoformat(sys.argv[3])))
