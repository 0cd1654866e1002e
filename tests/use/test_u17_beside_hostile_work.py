"""U-17: hostile work of one account delays neither the requests nor the reviews of another."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.use.clearing import text_file
from tests.use.served import DOORS, Caller, Served, served
from tests.use.test_u17_hostile_files import SLOW

WORKS, FILES = 8, 6
#: The programs that the policy asks; its agents are not available.
PROGRAMS = {"format", "security", "injection", "factual", "python"}
#: Generous for loaded machines; queued after the hostile works it took minutes.
ANSWERS_WITHIN_SECONDS, REVIEWED_WITHIN_SECONDS = 10.0, 40.0
BEFORE = "# Shop\n\nWe sel things.\n"
LIMITS = {"FOUREYES_CRITIC_FILE_SECONDS": "2", "FOUREYES_CRITIC_WORK_SECONDS": "24"}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("beside"), "solo", **LIMITS) as found:
        found.account("dev", "agent")
        found.account("mallory", "agent")
        found.account("ci", kind="program", scopes=("publish",))
        attested = found.callers["ci"].call("attest_base", target="shop", files=[text_file("README.md", BEFORE)])
        assert attested.is_ok, attested.text
        yield found


@pytest.fixture
def flooded(house: Served, request: pytest.FixtureRequest) -> Iterator[Served]:
    """The server with the hostile works open; they are withdrawn in the end."""
    mallory, reviews = house.callers["mallory"], list[str]()
    for work in range(WORKS):
        files = [text_file(f"{number}.sh", f"# {request.node.name} {work} {number}\n{SLOW}") for number in range(FILES)]
        reviews.append(mallory.call("open_review", kind="code", title=f"Work {work}", files=files)["review"])
    yield house
    for review in reviews:
        mallory.call("withdraw", review=review, reason="It was a try.")


def timed(caller: Caller, kind: str, text: str, path: str = "README.md", **words: str) -> tuple[str, float]:
    """Open a review, and how long its answer took."""
    began = time.monotonic()
    opened = caller.call("open_review", kind=kind, title="A small change", files=[text_file(path, text)], **words)
    assert opened.is_ok, opened.text
    return str(opened["review"]), time.monotonic() - began


def answers(house: Served, review: str) -> int:
    """The number of programs that have reported or failed."""
    rows = house.human.call("audit", review=review)["rows"]
    return sum(row["type"] in ("ReportSubmitted", "ReportFailed") and row["who"] in PROGRAMS for row in rows)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="solo")
def test_an_honest_typo_is_answered_beside_hostile_work(flooded: Served, door: str) -> None:
    """U-17, U-02: the proof waits for no child that reviews; without one the work is reviewed."""
    dev = flooded.callers["dev"].at(door)
    text = f"# Shop\n\nWe sell things over {door}.\n"
    review, took = timed(dev, "fix_typo", text, target="shop")
    assert took < ANSWERS_WITHIN_SECONDS
    began = time.monotonic()
    form = {"kind": "fix_typo", "title": "t", "files": [text_file("README.md", f"{text}\nMore.\n")], "target": "shop"}
    assert dev.call("preview", call="open_review", form=form).is_ok
    assert time.monotonic() - began < ANSWERS_WITHIN_SECONDS
    dev.call("withdraw", review=review, reason="It was a try.")


@pytest.mark.door("http", policy="solo")
def test_an_honest_review_ends_beside_hostile_work(flooded: Served) -> None:
    """U-17: programs look at one account's work in turn with that of others, not after all of it."""
    dev = flooded.callers["dev"]
    review, took = timed(dev, "code", "print('an honest work')\n", "honest.py")
    assert took < ANSWERS_WITHIN_SECONDS
    end = time.monotonic() + REVIEWED_WITHIN_SECONDS
    while answers(flooded, review) < len(PROGRAMS) and time.monotonic() < end:
        time.sleep(0.2)
    assert answers(flooded, review) == len(PROGRAMS)
    flood = flooded.callers["mallory"].call("list_reviews", state="open")["reviews"]
    assert any(answers(flooded, row["review"]) < len(PROGRAMS) for row in flood), "the flood was over before"
    dev.call("withdraw", review=review, reason="It was a try.")
