"""The delivery status is shown: what waits, for whom, and since when a target fails."""

from __future__ import annotations

from foureyes.app.outbox import outbox
from foureyes.cli.status import _not_told
from tests.app.house import played
from tests.cast import DEV
from tests.notify.post_office import DISCORD, SLACK, post_office


@played
async def test_what_waits_and_who_fails_is_counted_by_target() -> None:
    async with post_office(human=(DISCORD, SLACK)) as office:
        house = office.web.house
        office.receiver.refusing["/slack"] = b"HTTP/1.1 404 No\r\n\r\n"
        await house.open(actor=DEV)
        before = await house.store.read(outbox)
        assert (before.waiting, before.oldest, before.targets) == (1, "2026-01-05T09:00:00.000000Z", ())
        await office.delivery.once()
        found = await house.store.read(outbox)
        discord, slack = found.targets
        assert (found.waiting, discord.waiting, discord.sent, discord.failed) == (1, 0, 1, 0)
        assert (slack.waiting, slack.sent, slack.failed, slack.whom) == (1, 0, 1, "human")
        assert _not_told(found) == [f"{slack.target} (human): 1 wait since {slack.failing_since}, it answered 404"]
        monitor = await office.web.agent("monitor", "read", kind="program")
        text = (await office.web.get("/metrics", monitor)).body.decode()
        assert f'foureyes_notify_failed_total{{target="{slack.target}"}} 1' in text
        assert f'foureyes_notify_waiting{{target="{slack.target}"}} 1' in text
        assert f'foureyes_notify_sent_total{{target="{discord.target}"}} 1' in text
        assert "slack-token" not in text
