"""U-03: invisible changes shed no objection: NULs, line ends, blanks, comments, a newline."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from tests.use.judging import judge
from tests.use.served import DOORS, Caller, Reply, Served, served

pytestmark = pytest.mark.door("http", "mcp", policy=("server", "solo"))

#: Every line but the last is another in each work, so that nothing follows one test into the next.
RUBY = (
    "# Pays.\ndef pay{n}(amount)\n  total{n} = amount * 100\n  log(total{n})\n"
    '  system("rm -rf #{amount}{n}")\n  notify(total{n})\n  total{n}\nend\n'
)
FLAGGED = 5
LINE = '  system("rm'
DISGUISES: dict[str, Callable[[str], str | bytes]] = {
    "a zero byte at the end": lambda text: text.encode() + b"\0",
    "many zero bytes": lambda text: text.encode() + b"\0" * 400,
    "control characters": lambda text: text.encode() + bytes(range(1, 9)) * 50,
    "bytes of no encoding": lambda text: text.encode() + bytes(range(128, 256)) * 20,
    "a zero byte in the line": lambda text: text.replace(LINE, '  sys\0tem("rm'),
    "bare carriage returns": lambda text: text.replace("\n", "\r"),
    "form feeds": lambda text: text.replace("\n", "\f\n"),
    "a blank line before": lambda text: text.replace(LINE, f"\n{LINE}"),
    "a comment before": lambda text: text.replace(LINE, f"  # harmless\n{LINE}"),
    "comments on both sides": lambda text: text.replace(LINE, f"# a\n\n{LINE}").replace("  notify", "# b\n  notify"),
    "two spaces": lambda text: text.replace("rm -rf", "rm  -rf"),
    "a no-break space": lambda text: text.replace("  system", "\xa0 system"),
    "a zero-width space": lambda text: text.replace("  system", "  \u200bsystem"),
    "a statement before": lambda text: text.replace(LINE, f"  x = 1\n{LINE}"),
    "semicolons on both sides": lambda text: text.replace(")\n", ");\n").replace('");', '")'),
    "both sides": lambda text: text.replace("log(", "warn(").replace("notify(", "tell("),
    "both sides in another function": lambda text: f"def other\n{LINE}" + text.partition(LINE)[2].partition("\n")[0],
}
#: Visible changes: the text differs.
CHANGES: dict[str, Callable[[str], str | bytes]] = {
    "the line": lambda text: text.replace("rm -rf", "echo"),
}
_numbers = count()


@pytest.fixture(scope="module", params=["server", "solo"])
def house(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp(request.param), request.param) as running:
        for name in ("att", "ra", "rb"):
            running.account(name, "dev" if name == "att" else "agent")
        yield running


def _text() -> str:
    return RUBY.replace("{n}", str(next(_numbers)))


def _opened(author: Caller, text: str | bytes, path: str = "pay.rb") -> Reply:
    content = text.encode() if isinstance(text, str) else text
    file = {"path": path, "base64": base64.b64encode(content).decode()}
    opened = author.call("open_review", kind="script", title=f"Pay {next(_numbers)}", files=[file])
    assert opened.is_ok, opened.text
    return opened


def _objected(house: Served, door: str, text: str, **more: Any) -> str:
    """A review whose text a reviewer speaks against, and which its author withdraws."""
    author = house.callers["att"].at(door)
    review = str(_opened(author, text)["review"])
    said = judge(house.callers["ra"].at(door), review, "reject", **more)
    assert said.is_ok, said.text
    assert author.call("withdraw", review=review, reason="Another way.").is_ok
    return review


def _flagged(**place: Any) -> dict[str, Any]:
    finding = {"severity": "critical", "text": f"Deletes {next(_numbers)}.", "evidence": "rm -rf"}
    return {"findings": [finding | ({"place": {"path": "pay.rb", **place}} if place else {})], "summary": "No."}


def _inherited(house: Served, opened: Reply) -> list[str]:
    findings = house.human.call("read_review", review=opened["review"])["review"]["findings"]
    return [str(one["from_review"]) for one in findings if one["from_review"] and one["raiser"] == "ra"]


@pytest.mark.parametrize("door", DOORS)
def test_no_disguise_sheds_a_finding_with_a_place(house: Served, door: str) -> None:
    """U-03: each of them opens with the finding, and another reviewer's yes lets nothing live."""
    shed = []
    for name, disguise in DISGUISES.items():
        text = _text()
        source = _objected(house, door, text, **_flagged(start=FLAGGED, end=FLAGGED))
        opened = _opened(house.callers["att"].at(door), disguise(text))
        if source not in _inherited(house, opened):
            shed.append(name)
            continue
        judge(house.callers["rb"].at(door), opened["review"])
        assert not house.human.call("gate", digest=opened["digest"], target="production")["allowed"], name
    assert shed == []


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.door("http", policy=("server", "solo"))
def test_a_changed_text_sheds_it(house: Served, change: str) -> None:
    """U-03: the flagged line."""
    text = _text()
    source = _objected(house, "http", text, **_flagged(start=FLAGGED, end=FLAGGED))
    assert source not in _inherited(house, _opened(house.callers["att"], CHANGES[change](text)))


@pytest.mark.door("http", policy=("server", "solo"))
def test_text_that_says_little_needs_what_stands_beside_it(house: Served) -> None:
    """U-03: a line like `end` stands everywhere, so what was said of one is said of none between other lines."""
    text = _text()
    source = _objected(house, "http", text, **_flagged(start=FLAGGED + 2, end=FLAGGED + 2))
    assert source in _inherited(house, _opened(house.callers["att"], text.replace("log(", "warn(")))
    assert source not in _inherited(house, _opened(house.callers["att"], text.replace("notify(", "tell(")))


@pytest.mark.parametrize("door", DOORS)
def test_a_word_on_the_line_between_other_lines_holds_there_alone(house: Served, door: str) -> None:
    """U-03: what its raiser settled where it was guarded stands again where nothing guards it."""
    text, author, raiser = _text(), house.callers["att"].at(door), house.callers["ra"].at(door)
    source = _objected(house, door, text, **_flagged(start=FLAGGED, end=FLAGGED))
    guarded = text.replace(LINE, f"  if is_ours?(amount)\n{LINE}").replace("  notify", "  end\n  notify")
    opened = _opened(author, guarded)
    shown = house.human.call("read_review", review=opened["review"])["review"]["findings"]
    name = next(one["finding"] for one in shown if one["from_review"])
    words = {"review": opened["review"], "finding": name, "revision": 1, "resolved": True, "note": "It is guarded."}
    assert raiser.call("settle_finding", **words).is_ok
    assert source not in _inherited(house, _opened(author, f"{guarded}puts 1\n"))
    assert source in _inherited(house, _opened(author, f"{text}puts 1\n"))


@pytest.mark.parametrize("door", DOORS)
def test_a_rejection_without_a_finding_follows_the_text(house: Served, door: str) -> None:
    """U-03: a newline more sheds no rejection and no named ground; its reviewer takes it back, and nobody else."""
    text = _text()
    source = _objected(house, door, text, grounds=["security_risk"], summary=f"Not this {next(_numbers)}.")
    opened = _opened(house.callers["att"].at(door), text + "\n")
    assert _inherited(house, opened) == [source]
    other = house.callers["rb"].at(door)
    assert judge(other, opened["review"]).is_ok
    assert not house.human.call("gate", digest=opened["digest"], target="production")["allowed"]
    found = house.human.call("read_review", review=opened["review"])["review"]["findings"]
    name = next(one["finding"] for one in found if one["from_review"])
    words = {"review": opened["review"], "finding": name, "revision": 1, "resolved": True, "note": "It holds."}
    assert not other.call("settle_finding", **words).is_ok
    settled = house.callers["ra"].at(door).call("settle_finding", **words)
    assert settled.is_ok, settled.text
    third = _opened(house.callers["att"].at(door), text + "\n\n")
    assert _inherited(house, third) == [], "its raiser took it back on this very text"


@pytest.mark.parametrize("door", DOORS)
def test_a_doubt_with_a_ground_follows_the_text(house: Served, door: str) -> None:
    """U-03: the same for `concerns` on a named ground."""
    author, text = house.callers["att"].at(door), _text()
    review = _opened(author, text)["review"]
    said = judge(house.callers["ra"].at(door), review, "concerns", grounds=["security_risk"], summary="Risky.")
    assert said.is_ok, said.text
    assert author.call("withdraw", review=review, reason="Another way.").is_ok
    assert _inherited(house, _opened(author, text + "# more\n")) == [review]


@pytest.mark.parametrize("door", DOORS)
def test_a_finding_without_a_place_follows_half_of_the_lines(house: Served, door: str) -> None:
    """U-03: no changed word, part or path sheds it, but another work does; that is said where it is raised."""
    text, author = _text(), house.callers["att"].at(door)
    source = str(_opened(author, text)["review"])
    said = judge(house.callers["ra"].at(door), source, "reject", **_flagged())
    assert "more than half of the lines" in said["next_step"]
    assert author.call("withdraw", review=source, reason="Another way.").is_ok
    for changed in (
        *(text + "\n# more\n", text.replace("\n", "\r"), text.encode() + b"\0"),
        *(text.replace("notify", "inform"), text.replace("amount", "amount_", 1), f"{text}puts 1\n", f"x = 1\n{text}"),
    ):
        assert source in _inherited(house, _opened(author, changed)), changed
    assert source in _inherited(house, _opened(author, f"{text}puts 2\n", path="other.rb"))
    other = text.replace("amount", "sum").replace("total", "all").replace("notify", "inform")
    assert source not in _inherited(house, _opened(author, other))


@pytest.mark.parametrize("words", [{"findings": True}, {"grounds": ["security_risk"]}], ids=["finding", "rejection"])
@pytest.mark.door("http", policy=("server", "solo"))
def test_of_a_large_work_no_line_and_no_file_sheds_what_names_no_place(house: Served, words: dict[str, Any]) -> None:
    """U-03: with one line changed in every file it stands; of another work nothing does."""
    author, number = house.callers["att"], next(_numbers)
    texts = [[f"value_{number}_{file}_{line} = {line}" for line in range(60)] for file in range(5)]
    more = _flagged() if "findings" in words else {**words, "summary": f"Nobody is asked {number}."}
    source = _several(author, texts)
    assert judge(house.callers["ra"], source, "reject", **more).is_ok
    assert author.call("withdraw", review=source, reason="Another way.").is_ok
    changed = [[*one[:7], f"{one[7]};", *one[8:]] for one in texts]
    opened = _several(author, changed)
    found = house.human.call("read_review", review=opened)["review"]["findings"]
    assert [one["from_review"] for one in found if one["raiser"] == "ra"] == [source]
    raised = next(one["finding"] for one in found if one["raiser"] == "ra")
    word = {"review": opened, "finding": raised, "revision": 1, "resolved": True, "note": "Here it is asked."}
    assert house.callers["ra"].call("settle_finding", **word).is_ok
    for another, stands in (
        (texts, True),
        (changed, False),
        ([[f"other_{one}" for one in two] for two in texts], False),
    ):
        again = _several(author, [*another, [f"more_{next(_numbers)} = 1"]])
        found = house.human.call("read_review", review=again)["review"]["findings"]
        assert (source in [one["from_review"] for one in found if one["raiser"] == "ra"]) is stands


def _several(author: Caller, texts: list[list[str]]) -> str:
    files = [{"path": f"f{number}.py", "text": "\n".join(one) + "\n"} for number, one in enumerate(texts)]
    opened = author.call("open_review", kind="script", title=f"Values {next(_numbers)}", files=files)
    assert opened.is_ok, opened.text
    return str(opened["review"])
