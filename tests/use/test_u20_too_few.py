"""U-20: content that too few agents can review says so, with the number that is missing, until there are enough."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.use.served import DOORS, served

ITEM = {"category": "causal_gap", "description": "How are inland cities reached?", "severity": "minor"}
ONE_MORE = "Enrol one more reviewer who had no hand in the work, with `foureyes agents add NAME`"
TWO_MORE = "Enrol 2 more reviewers who had no hand in the work, with `foureyes agents add NAME`"


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", "page", "command", policy="server")
def test_a_human_who_is_offered_no_seat_is_no_reviewer_of_content(tmp_path: Path, door: str) -> None:
    """U-20: with one author and one reviewer the second is missed everywhere, though a human is there too."""
    with served(tmp_path, "server") as up:
        begun = next(one for one in up.server.begun["vacant"] if one["needed_by"] == ["resolve"])
        assert TWO_MORE in begun["how"]
        haku, ann = up.account("haku"), up.account("ann")
        told = " ".join(up.run("status").stdout.split())
        assert f"Nobody can be a reviewer in resolve. {ONE_MORE}" in told
        assert "a human is asked after 24 hours" in told
        sent = haku.call("submit_content", content_type="aspect", content="Tides power all cities.")
        content = sent["content_id"]
        assert sent["next_step"].startswith(f"Too few reviewers are there. {ONE_MORE}"), sent.text
        assert ann.call("read_content", content_id=content).is_ok
        given = ann.call("give_feedback", content_id=content, items=[ITEM])
        assert ONE_MORE in given["next_step"], given.text
        gate = haku.call("can_graduate", content_id=content)
        assert gate["reason"] == "Need 2 reviewers, have 1"
        assert ONE_MORE in gate["next_step"], gate.text
        opened = haku.at(door).call("read_review", review=content)
        assert opened.is_ok
        assert ONE_MORE.replace("`", "") in " ".join(up.page(f"/reviews/{content}").split())
        up.account("ben")
        assert "next_step" not in haku.call("can_graduate", content_id=content).data
        assert "in resolve" not in " ".join(up.run("status").stdout.split())


@pytest.mark.door("http", policy="server")
def test_a_human_who_reviews_content_all_the_same_counts(tmp_path: Path) -> None:
    """U-20: nobody is missed where a human has come without being offered the seat."""
    with served(tmp_path, "server") as up:
        haku, ann = up.account("haku"), up.account("ann")
        content = haku.call("submit_content", content_type="story", content="The sea came back.")["content_id"]
        for one in (up.human, ann):
            assert one.call("read_content", content_id=content).is_ok
            assert one.call("give_feedback", content_id=content, items=[ITEM]).is_ok
        assert "next_step" not in haku.call("can_graduate", content_id=content).data
