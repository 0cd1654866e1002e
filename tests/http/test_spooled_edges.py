"""Edge cases of spooling: the seeds' calls, a service's agents, and an unusable folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from foureyes.app.accounts import stream_of
from foureyes.app.calls.registry import CALLS, answered
from foureyes.app.credentials import credential_of
from foureyes.app.spooling import IsSpooled, Progress
from foureyes.bootstrap import spool
from foureyes.core.principals import RemovePrincipal
from foureyes.home.trouble import Trouble
from tests.app.house import played
from tests.calls.counter import SUE
from tests.calls.test_calls import HELLO
from tests.cli.desk import Desk as Person
from tests.http.test_spooled import REVIEWS, Site

SENT: dict[str, dict[str, Any]] = {
    "open_review": {"kind": "script", "title": "x", "files": HELLO, "base_files": HELLO},
    "revise": {"review": "r1", "files": HELLO},
    "take_seat": {"review": "r1"},
    "request_review": {"type": "create_app", "creator": "dev", "title": "x", "artifacts": {"a.py": "1"}},
    "escalate_review": {"reviewId": "r1", "reason": "We cannot agree."},
    "submit_content": {"content_type": "proposal", "content": "text"},
}


@pytest.mark.parametrize("name", SENT)
def test_what_is_known_by_its_form_alone_waits(tmp_path: Path, name: str) -> None:
    """001-76: the seeds' calls too, where they look nothing up before."""

    @played
    async def story() -> None:
        site = Site(tmp_path)
        dev = credential_of(await site.agent("dev"))
        assert await site.office.recognised(dev)
        site.store.down = True
        caller = await site.office.recognised(dev, spools=True)
        assert caller is not None
        with pytest.raises(IsSpooled) as waits:
            await answered(site.office, caller, CALLS[name], SENT[name])
        assert waits.value.spooled.position == site.spool.waiting == 1

    story()


@pytest.mark.parametrize("stays", [True, False])
def test_an_agent_of_a_service_is_believed_as_long_as_the_service_is(tmp_path: Path, stays: bool) -> None:
    """001-76: what it sent through the service's token is looked up again there."""

    @played
    async def story() -> None:
        site = Site(tmp_path)
        dsf = await site.agent("dsf", kind="service")
        made = await site.post("/api/v1/accounts", dsf, name="dweller", kind="agent", operator="dsf-co")
        assert made.status < 300, made.body
        dweller = dsf | {"foureyes-agent": "dweller"}
        assert (await site.get("/api/v1/me", dweller)).status == 200
        site.store.down = True
        sent = {"kind": "script", "title": "x", "files": HELLO, "key": "k"}
        assert (await site.post(REVIEWS, dweller, **sent)).status == 202
        site.store.down = False
        if not stays:
            await site.house.do(SUE, RemovePrincipal(reason="over"), stream_of("dsf"))
        assert await site.spool.hand_in() == Progress(done=1, refused=int(not stays))
        assert (await site.post(REVIEWS, dweller, **sent)).status == (201 if stays else 401)

    story()


def test_a_folder_of_another_server_or_a_damaged_one_keeps_a_server_from_starting(tmp_path: Path) -> None:
    """B27: nothing starts over a promise that cannot be read."""
    settings = Person(home=tmp_path).assembly({"database": "postgresql:///nowhere"}).settings
    with (
        spool.kept(settings) as kept,
        pytest.raises(Trouble, match="Another process uses the spool"),
        spool.kept(settings),
    ):
        assert kept is None, "it is held"
    (Path(settings.spool) / "cursor").write_text("7 nonsense\n", encoding="ascii")
    with pytest.raises(Trouble, match="The spool is damaged"), spool.kept(settings):
        pass
