"""U-03: findings follow unchanged text into other reviews of a party; no changed byte, part or path sheds one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.use.clearing import text_file
from tests.use.served import DOORS, HTTP, Reply
from tests.use.shopping import STYLES, Shop, shop

pytestmark = pytest.mark.door("http", "mcp", policy=("chains", "peer", "solo", "team"))

HEAD = '"""Starts things."""\n\nimport sys\n'
BODY = "\n\ndef start{n}(host):\n    forward('ping{n} ' + host)\n    return host\n"
TAIL = "\n\ndef stop{n}():\n    return None\n"


@pytest.fixture(scope="module", params=STYLES)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """One server for each shipped policy."""
    with shop(tmp_path_factory.mktemp(request.param), request.param) as found:
        yield found


def _work(place: Shop) -> str:
    """A file that no review has seen, with a block that a reviewer objects to on line 7."""
    place.made += 1
    return HEAD + BODY.format(n=place.made) + TAIL.format(n=place.made)


def _objected(place: Shop, door: str = HTTP, place_named: bool = True) -> tuple[str, str, str]:
    """Work with an open critical finding; its text, its review and the finding."""
    text = _work(place)
    path = f"run{place.made}.py"
    review = place.open("dev", text_file(path, text), door=door)["review"]
    where = {"path": path, "start": 7, "end": 7} if place_named else {"path": path}
    return text, review, place.object_to(review, door, where)


def _inherited(place: Shop, review: str) -> list[dict[str, Any]]:
    """The findings inherited from a reviewer; critics may raise their own."""
    return [one for one in place.shown(review)["findings"] if one["from_review"] and one["raiser"] == "judge"]


def _named(place: Shop, review: str) -> str:
    found = _inherited(place, review)
    assert len(found) == 1, found
    return str(found[0]["finding"])


def _is_inherited(place: Shop, opened: Reply, source: str, finding: str, who: str = "dev") -> None:
    """Check that the new review has the finding with its origin, and stays shut whatever its stages decide."""
    review = opened["review"]
    found = _inherited(place, review)
    assert found, place.shown(review)
    assert [(one["from_review"], one["from_finding"], one["raiser"]) for one in found] == [(source, finding, "judge")]
    assert (found[0]["standing"], found[0]["severity"]) == ("open", "critical")
    shown = place.shown(review)
    own = [one["stage"] for one in shown["requirements"] if one["stage"] != "inherited findings"]
    for stage in dict.fromkeys(own):
        words = {"stage": stage, "revision": shown["revision"], "digest": shown["digest"], "reason": "I read it."}
        place.house.human.call("override", review=review, **words)
    assert place.shown(review)["state"] == "open"
    for door in DOORS:
        answer = place.of(who, door).call("gate", digest=shown["digest"])
        assert answer["allowed"] is False
        assert found[0]["finding"] in answer["reason"]


def _changed(text: str, number: int) -> dict[str, list[dict[str, Any]]]:
    """The change with which an author tries to shed a finding without touching its text."""
    path, other = f"run{number}.py", f"lib/other{number}.py"
    moved = text.replace(HEAD, HEAD + "import json\n\n\nONE = 1\nTWO = 2\n")
    return {
        "one byte": [text_file(path, text.replace("return None", "return 0"))],
        "a phantom part": [text_file(path, text), text_file(f"empty{number}.txt", f"{number}\n")],
        "another path": [text_file(other, text)],
        "moved": [text_file(path, moved)],
        "all of it": [text_file(other, moved), text_file("more.txt", "more\n")],
        "indented": [text_file(path, text.replace("    forward", "        forward"))],
    }


@pytest.mark.parametrize("door", DOORS)
def test_no_change_elsewhere_sheds_a_finding(place: Shop, door: str) -> None:
    """U-03: after a withdrawal, with one byte changed, a part added, under another path, moved, by author and mate."""
    text, review, finding = _objected(place, door)
    assert place.of("dev", door).call("withdraw", review=review, reason="Another way.").is_ok
    for number, (how, files) in enumerate(_changed(text, place.made).items()):
        who = ("dev", "mate")[number % 2]
        opened = place.open(who, *files, door=door)
        assert opened.is_ok, (how, opened.text)
        _is_inherited(place, opened, review, finding, who)


def test_a_task_and_a_session_are_one_party_too(place: Shop) -> None:
    """U-03: another author on the same task, or in the same session, inherits; an unrelated one does not."""
    text = _work(place)
    path, origin = f"run{place.made}.py", {"task": f"task{place.made}", "session": f"session{place.made}"}
    review = place.open("dev", text_file(path, text), origin=origin)["review"]
    finding = place.object_to(review, HTTP, {"path": path, "start": 7, "end": 7})
    assert place.of("dev").call("withdraw", review=review, reason="Another way.").is_ok
    free = place.open("stranger", text_file(path, text + "\n\nTWO = 2\n"))
    assert _inherited(place, free["review"]) == []
    for number, (name, value) in enumerate(origin.items()):
        opened = place.open("stranger", text_file(path, text + f"\n\nONE = {number}\n"), origin={name: value})
        _is_inherited(place, opened, review, finding, "stranger")


@pytest.mark.door("http", policy=("chains", "peer", "solo", "team"))
def test_a_changed_text_sheds_it_and_its_return_does_not(place: Shop) -> None:
    """U-03: a fix takes it away, in a new review and in a revision; the old text brings it back."""
    text, review, finding = _objected(place)
    assert place.of("dev").call("withdraw", review=review, reason="Another way.").is_ok
    fixed = text.replace(f"forward('ping{place.made} ' + host)", "ping(host)")
    path = f"run{place.made}.py"
    opened = place.open("dev", text_file(path, fixed))["review"]
    assert _inherited(place, opened) == []
    revised = place.of("dev").call("revise", review=opened, files=[text_file(path, text + "\n\nONE = 1\n")])
    assert revised.is_ok, revised.text
    assert [(one["from_finding"], one["standing"]) for one in _inherited(place, opened)] == [(finding, "open")]
    again = place.of("dev").call("revise", review=opened, files=[text_file(path, fixed + "\n\nONE = 1\n")])
    assert again.is_ok, again.text
    assert [one["standing"] for one in _inherited(place, opened)] == ["resolved"]


@pytest.mark.parametrize("door", DOORS)
def test_only_its_raiser_settles_it(place: Shop, door: str) -> None:
    """U-03: a second reviewer neither sees nor sheds it before reporting; its raiser settles it."""
    text, review, _ = _objected(place, door)
    assert place.of("dev").call("withdraw", review=review, reason="Another way.").is_ok
    opened = place.open("dev", text_file("else.py", text + "\n\nONE = 1\n"), door=door)["review"]
    name = _named(place, opened)
    word = {"review": opened, "finding": name, "revision": 1, "resolved": True, "note": "The host is checked."}
    refused = place.of("stranger", door).call("settle_finding", **word)
    unknown = place.of("stranger", door).call("settle_finding", **{**word, "finding": "inherited-F9"})
    assert refused.code == unknown.code == "not_the_holder", refused.text
    assert refused.text == unknown.text, "whether there is one is not told"
    assert name not in place.of("stranger", door).call("read_review", review=opened).text
    assert name in place.of("dev", door).call("read_review", review=opened).text
    unread = place.of("judge", door).unread().call("settle_finding", **word)
    assert unread.code == "unread", unread.text
    settled = place.of("judge", door).call("settle_finding", **word)
    assert settled.is_ok, settled.text
    place.passed(opened)
    assert place.shown(opened)["state"] == "cleared"
    digest = place.shown(opened)["digest"]
    assert name not in place.of("dev", door).call("gate", digest=digest)["reason"]
    later = place.open("dev", text_file("else.py", text + "\n\nTWO = 2\n"), door=door)["review"]
    assert _inherited(place, later) == [], "its raiser was satisfied with this text"


def test_what_is_settled_where_it_was_raised_is_lifted_here(place: Shop) -> None:
    """U-03: a waiver in the first review opens the second at once, without a word there."""
    text, review, finding = _objected(place)
    opened = place.open("dev", text_file("else.py", text + "\n\nONE = 1\n"))["review"]
    _is_inherited(place, place.open("dev", text_file("third.py", text + "\n\nTWO = 2\n")), review, finding)
    waived = place.house.human.call("waive", review=review, finding=finding, reason="The host is a constant.")
    assert waived.is_ok, waived.text
    found = _inherited(place, opened)
    assert [(one["standing"], review in one["note"]) for one in found] == [("resolved", True)]


@pytest.mark.door("http", "page", policy=("chains", "peer", "solo", "team"))
def test_a_human_waives_it_here_on_the_page_and_by_call(place: Shop) -> None:
    """U-03: a human waives an inherited finding like any other; the page says where it comes from."""
    text, review, _ = _objected(place)
    opened = place.open("dev", text_file("else.py", text + "\n\nONE = 1\n"))["review"]
    assert f"in review {review}" in place.house.page(f"/reviews/{opened}")
    name = _named(place, opened)
    waived = place.house.human.call("waive", review=opened, finding=name, reason="The host is a constant.")
    assert waived.is_ok, waived.text
    place.passed(opened)
    assert place.shown(opened)["state"] == "cleared"


def test_two_reviews_at_once_shed_nothing(place: Shop) -> None:
    """U-03: a finding that is raised after the second review was opened is met before that one clears."""
    text = _work(place)
    path = f"run{place.made}.py"
    first = place.open("dev", text_file(path, text))["review"]
    second = place.open("dev", text_file(path, text + "\n\nONE = 1\n"))
    finding = place.object_to(first, HTTP, {"path": path, "start": 7, "end": 7})
    assert _inherited(place, second["review"]) == []
    shown = place.shown(second["review"])
    for stage in dict.fromkeys(one["stage"] for one in shown["requirements"]):
        words = {"stage": stage, "revision": 1, "digest": shown["digest"], "reason": "I read it."}
        place.house.human.call("override", review=second["review"], **words)
    _is_inherited(place, second, first, finding)


@pytest.mark.parametrize("door", DOORS)
def test_a_finding_without_lines_stays_while_its_file_does(place: Shop, door: str) -> None:
    """U-03: a finding about a whole file is inherited with that file, under whatever path; not with another one."""
    text, review, finding = _objected(place, door, place_named=False)
    assert place.of("dev").call("withdraw", review=review, reason="Another way.").is_ok
    opened = place.open("dev", text_file("else.py", text), text_file("more.txt", "more\n"), door=door)
    _is_inherited(place, opened, review, finding)
    other = place.open("dev", text_file("else.py", text + "\n\nONE = 1\n"), door=door)
    assert _inherited(place, other["review"]) == []


@pytest.mark.door("http", policy=("chains", "peer", "solo", "team"))
def test_a_hash_that_a_client_sends_is_not_used(place: Shop) -> None:
    """U-03: the text around a place is hashed from the bytes, whatever a report says of it."""
    text = _work(place)
    path = f"run{place.made}.py"
    review = place.open("dev", text_file(path, text))["review"]
    place.object_to(review, HTTP, {"path": path, "start": 7, "end": 7, "context_hash": "mine"})
    stored = place.shown(review)["findings"][0]["place"]["context_hash"]
    assert stored.startswith("t2:")
    assert "mine" not in stored


@pytest.mark.parametrize("door", DOORS)
def test_every_door_that_opens_reviews_inherits(place: Shop, door: str) -> None:
    """U-03: a batch of reviews and the tools of the source systems take findings over like any opening."""
    text, review, finding = _objected(place, door)
    assert place.of("dev").call("withdraw", review=review, reason="Another way.").is_ok
    entry = {"kind": place.kind, "title": "Some work", "files": [text_file("batch.py", text + "\n\nONE = 1\n")]}
    batch = place.of("dev", door).call("open_reviews", reviews=[entry])
    assert batch.is_ok, batch.text
    name = batch["results"][0]["review"]
    assert [one["from_finding"] for one in _inherited(place, name)] == [finding]
    if place.policy == "chains":
        judged = place.of("dev", door).call("validate", output=text + "\n\nTWO = 2\n")
        assert judged.is_ok, judged.text
        found = [one["from_finding"] for one in _inherited(place, judged["review"])]
        assert found == [finding]
