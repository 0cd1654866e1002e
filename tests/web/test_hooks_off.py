"""The first page shows every signed-in human where hooks are off; the given reason is shown as text."""

from __future__ import annotations

from datetime import timedelta

from foureyes.app.silencing import write_silence
from foureyes.core.silence import SilenceHooks
from tests.app.house import played
from tests.cast import HUGO
from tests.web.browser import Site

WHY = "<b>the generated client</b> has false alarms"


@played
async def test_the_first_page_says_where_hooks_are_off_until_when_by_whom_and_why() -> None:
    site = Site()
    human = await site.browser()
    assert "hooks off" not in (await human.open("/")).text
    command = SilenceHooks(machine="laptop", place="/home/hugo/<work>", seconds=600, reason=WHY)
    await site.house.store.write(lambda tx: write_silence(tx, command, HUGO, site.house.now))
    page = await human.open("/")
    for word in ("hooks off", "laptop, /home/hugo/<work>", f"hugo: {WHY}"):
        assert word in page.text, word
    site.house.now += timedelta(minutes=10)
    assert "hooks off" not in (await human.open("/")).text
