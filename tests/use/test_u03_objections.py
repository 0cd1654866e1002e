"""U-03: objections follow the bytes: no other review sheds an objection to a version."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.use.served import DOORS, MCP
from tests.use.shopping import STYLES, Shop, shop

pytestmark = pytest.mark.door("http", "mcp", "command", policy=("chains", "peer", "solo", "team"))


@pytest.fixture(scope="module", params=STYLES)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """One server for each shipped policy."""
    with shop(tmp_path_factory.mktemp(request.param), request.param) as found:
        yield found


def _says_no(place: Shop, digest: str, *names: str) -> None:
    """Check that the gate, `foureyes check`, a publisher and a receipt all say no, and name the objection."""
    for door in DOORS:
        answer = place.of("dev", door).call("gate", digest=digest)
        assert answer["allowed"] is False
        assert [name for name in names if name not in answer["reason"]] == []
    checked = place.house.run("check", digest)
    assert checked.returncode not in (0, 4), checked.stdout
    assert [name for name in names if name not in checked.stdout] == []
    receipt = place.house.run("receipt", digest)
    assert receipt.returncode != 0


@pytest.mark.parametrize("door", DOORS)
def test_a_clearance_beside_an_open_objection_is_no_yes(place: Shop, door: str) -> None:
    """U-03: two reviews of the same bytes, one cleared and one with an open finding: closed, and the finding named."""
    file = place.new_file()
    first = place.open("dev", file, door=door)["review"]
    second = place.open("dev", file, door=door)["review"]
    digest = place.shown(first)["digest"]
    finding = place.object_to(first, door)
    place.passed(second)
    assert place.shown(second)["state"] == "cleared"
    _says_no(place, digest, first, finding)
    live = place.house.human.call("record_live", target="production", review=second, digest=digest)
    assert live["allowed"] is False
    assert finding in live["reason"]
    if door == MCP:
        return
    assert finding in place.house.page(f"/reviews/{second}"), "the page of the cleared one says what shuts it"
    place.house.human.call("waive", review=first, finding=finding, reason="The host is a constant.")
    lifted = place.of("dev").call("gate", digest=digest)
    assert finding not in lifted["reason"]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy=("chains", "peer", "solo", "team"))
def test_the_same_bytes_are_not_opened_again_beside_it(place: Shop, door: str) -> None:
    """U-03: neither by the author nor by another, as another kind, in a batch, by a revision or by another tool."""
    file = place.new_file()
    review = place.open("dev", file, door=door)["review"]
    finding = place.object_to(review, door)
    for more in ({}, {"kind": "story"}, {"title": "Another name"}):
        refused = place.open("dev", file, door=door, **more)
        assert (refused.is_ok, refused.code) == (False, "objected"), refused.text
        assert review in refused.text
        assert finding in refused.text
        assert "ruling" in refused.text
    phantom = {"path": "gone.txt", "text": "", "mode": "000000"}
    refused = place.open("dev", file, phantom, door=door)
    assert (refused.is_ok, refused.code) == (False, "objected"), refused.text
    assert finding in refused.text
    blind = place.open("stranger", file, door=door)
    hidden = place.shown(review)["state"] == "open"
    assert blind.code == ("under_review" if hidden else "objected"), "of an open review a stranger learns nothing"
    assert (finding in blind.text) is not hidden
    other = place.open("dev", place.new_file(), door=door)["review"]
    revised = place.of("dev", door).call("revise", review=other, files=[file])
    assert (revised.is_ok, revised.code) == (False, "objected"), revised.text
    assert finding in revised.text


def test_withdrawing_sheds_nothing_and_its_raiser_lifts_it(place: Shop) -> None:
    """U-03: reject, withdraw, open again: refused by name for any caller; the way out works in the withdrawn one."""
    file = place.new_file()
    review = place.open("dev", file)["review"]
    digest, finding = place.shown(review)["digest"], place.object_to(review)
    assert place.of("dev").call("withdraw", review=review, reason="Another way.").is_ok
    for who in ("dev", "mate", "stranger"):
        for door in DOORS:
            refused = place.open(who, file, door=door)
            assert (refused.is_ok, refused.code) == (False, "objected"), refused.text
            assert review in refused.text
            assert "Answer it" not in refused.text, "nobody can answer in a review that has ended"
    answer = place.of("dev").call("answer_finding", review=review, finding=finding, text="The host is checked.")
    assert answer.code == "review_ended", answer.text
    assert "Answer it" not in place.of("dev").call("gate", digest=digest)["reason"]
    _says_no(place, digest, review)
    settled = place.of("judge").call(
        "settle_finding", review=review, finding=finding, revision=1, resolved=True, note="The host is checked."
    )
    assert settled.is_ok, settled.text
    if place.shown(review)["reports"] and place.open("dev", file).code == "objected":
        # The rejection had another ground than the finding: a human is asked, and the review stays withdrawn.
        asked = place.of("dev").call("escalate", review=review, reason="Its finding was taken back.")
        assert asked.is_ok, asked.text
        said = {"request": place.shown(review)["ruling"]["request"], "option": "as_is", "reason": "I looked at it."}
        ruled = place.house.human.call("rule", review=review, **said)
        assert ruled.is_ok, ruled.text
    assert place.shown(review)["state"] == "withdrawn"
    assert place.open("dev", file).is_ok, "nothing stands against it any more"


@pytest.mark.door("http", policy=("chains", "peer", "solo", "team"))
def test_work_that_nobody_objected_to_is_opened_again_after_a_withdrawal(place: Shop) -> None:
    """U-03: a plain retry stays possible."""
    file = place.new_file()
    review = place.open("dev", file)["review"]
    assert place.of("dev").call("withdraw", review=review, reason="Not yet.").is_ok
    assert place.open("dev", file).is_ok


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy=("chains", "peer", "solo", "team"))
def test_a_doubt_with_a_ground_is_not_shed_by_withdrawing(place: Shop, door: str) -> None:
    """U-03: a reviewer names a ground and no finding; the author takes the work back and asks for other eyes."""
    file = place.new_file()
    review = place.open("dev", file, door=door)["review"]
    said = place.of("judge", door).call(
        "report", review=review, revision=1, verdict="concerns", grounds=["security_risk"], summary="It runs anything."
    )
    assert said.is_ok, said.text
    assert place.of("dev", door).call("withdraw", review=review, reason="another reviewer, please").is_ok
    again = place.open("dev", file, door=door)
    assert (again.is_ok, again.code) == (False, "objected"), again.text
    assert review in again.text
