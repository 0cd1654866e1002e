"""`GET /metrics` shows the load to callers for whom that reveals nothing hidden."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

from foureyes.app.limits import Limits
from foureyes.app.pulse import Around, pulse
from foureyes.app.rows import ENGINE, START
from foureyes.app.silencing import write_silence
from foureyes.app.workers import Offer, Worker, key_of, written
from foureyes.core import commands as c
from foureyes.core.silence import SilenceHooks
from foureyes.http.app import build
from foureyes.http.gauges import text_of
from tests.app.house import FIRST, House, played
from tests.cast import CODEX, HUGO
from tests.cast import START as NOW
from tests.http.test_http import told
from tests.http.web import SITE, Web

REASON = "Rebasing vendored code."


async def busy() -> Web:
    """A store with a requested report in progress, a live worker, and hooks off somewhere."""
    web = Web()
    house = web.house
    stream = await house.open(FIRST, title="A title of somebody")
    seat = next(iter((await house.gate.read("r1", HUGO)).view.review.seats))
    await house.do(CODEX, c.TakeSeat(seat=seat, lease=timedelta(minutes=5)), stream)
    worker = Worker(name="one", until=NOW + timedelta(seconds=10), offers=(Offer(who=CODEX, roles=()),), runs=2)
    other = replace(worker, name='t"w\\o', offers=(), runs=0, queued=3)
    rows = {key_of(one.name): written(one) for one in (worker, other)}
    await house.store.write(lambda tx: tx.follow(ENGINE, rows, START))
    off = SilenceHooks(machine="laptop", place="/secret/place", seconds=600, reason=REASON)
    await house.store.write(lambda tx: write_silence(tx, off, HUGO, house.now))
    return web


@played
async def test_queues_leases_workers_outbox_and_deadlines_are_in_the_figures() -> None:
    web = await busy()

    async def around() -> Around:
        return Around(runs=4, spool_bytes=77, checkpoint=NOW - timedelta(hours=1))

    web.app = build(web.office, SITE, around=around)
    monitor = await web.agent("monitor", "read", kind="program")
    lines = (await web.get("/metrics", monitor)).body.decode().splitlines()
    for wanted in (
        'foureyes_pending_requests{kind="report"} 1',
        'foureyes_pending_requests{kind="ruling"} 0',
        'foureyes_pending_held{kind="report"} 1',
        'foureyes_pending_queued{kind="report"} 0',
        'foureyes_pending_overdue{kind="report"} 0',
        'foureyes_leases{state="held"} 1',
        'foureyes_leases{state="lapsed"} 0',
        "foureyes_workers 2",
        'foureyes_worker_reviewers{worker="one"} 1',
        'foureyes_worker_runs{worker="one"} 2',
        'foureyes_worker_runs{worker="t\\"w\\\\o"} 0',
        "foureyes_runs_queued 3",
        "foureyes_runs 4",
        'foureyes_outbox_rows{type="ReportRequested"} 1',
        'foureyes_outbox_oldest_seconds{type="ReportRequested"} 0',
        "foureyes_spool_bytes 77",
        "foureyes_checkpoint_age_seconds 3600",
        "foureyes_hooks_off 1",
    ):
        assert wanted in lines, wanted


@played
async def test_they_name_no_review_no_author_and_no_place() -> None:
    web = await busy()
    found = await web.house.store.read(lambda reading: pulse(reading, web.house.now))
    text = text_of(found, Around(), web.house.now)
    for word in ("r1", "A title", "dev", "/secret/place", REASON):
        assert word not in text, word
    assert "foureyes_runs " not in text, "a process that carries nothing out says nothing of runs"
    assert "foureyes_checkpoint_age_seconds" not in text, "what was never signed has no age"


@played
async def test_every_figure_says_what_it_is_and_stands_there_once() -> None:
    web = await busy()
    monitor = await web.agent("monitor", "read", kind="program")
    lines = (await web.get("/metrics", monitor)).body.decode().splitlines()
    helped = [line.split()[2] for line in lines if line.startswith("# HELP")]
    values = [line.rpartition(" ")[0] for line in lines if not line.startswith("#")]
    assert len(helped) == len(set(helped))
    assert len(values) == len(set(values))
    bare = {re.sub(r"(_bucket|_sum|_count)?(\{.*)?$", "", one) for one in values}
    assert bare <= set(helped)


@played
async def test_a_reviewer_who_still_owes_a_report_is_told_none_of_it() -> None:
    """T13: that a seat is no longer held tells of another's report."""
    web = Web(house=House())
    reviewer = await web.agent("codex", "read", "review")
    await web.house.open(FIRST)
    assert (await web.get("/metrics", reviewer)).status == 403


@played
async def test_whoever_asks_for_them_too_often_is_told_when_to_come_back() -> None:
    """T18: refused callers too; a read-only token has the same limits as every other."""
    web = Web()
    monitor, dev = await web.agent("monitor", "read", kind="program"), await web.agent("dev")
    web.office.quotas.limits = Limits(account=replace(Limits().account, requests_a_minute=2))
    for headers, status in ((monitor, 200), (dev, 403)):
        answers = [await web.get("/metrics", headers) for _ in range(3)]
        assert [one.status for one in answers] == [status, status, 429]
        told(answers[-1], 429, "limit_reached")
        assert answers[-1].headers["retry-after"] == "30"
