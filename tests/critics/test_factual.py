"""The critic of sources finds unproven statements and says what it cannot verify."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.app.reviewers import Change, File
from foureyes.reviewers.critics.critic import State
from foureyes.reviewers.critics.factual import CRITIC, Factual
from tests.critics.works import file, hits_of, look, rules_of

TODAY = Factual(today=date(2026, 11, 16))
STRICT = Factual(today=date(2026, 11, 16), strict=True)


@pytest.mark.parametrize(
    ("sentence", "rule"),
    [
        ("More than 73 % of all outages are caused by people.", "unsourced.figure"),
        ("The market is worth 12 billion dollars.", "unsourced.figure"),
        ("It is 10 times faster than the others.", "unsourced.figure"),
        ("Nine out of ten developers prefer tabs.", "unsourced.figure"),
        ("Studies show that reviews find most bugs.", "unsourced.studies"),
        ("Experts agree that this is safe.", "unsourced.studies"),
        ("It is the most popular library of its kind.", "unsourced.superlative"),
        ("This is the world's first gate for agents.", "unsourced.superlative"),
        ("\u201cNobody needs more than a little memory\u201d, and so it stayed.", "quote"),
        ("> Simplicity is a great virtue but it takes hard work to achieve it.", "quote"),
        ("As of 2019 there are two versions.", "stale"),
        ("The latest version, published in March 2021, has no such flaw.", "stale"),
        ("The service will be shut down in 2024.", "stale"),
    ],
)
def test_what_is_stated_without_proof_is_a_note_and_blocks_where_a_chain_asks(sentence: str, rule: str) -> None:
    """002-06: claims sourced, quotes attributed, dates current."""
    text = f"# Title\n\nSome words before.\n\n{sentence}\n"
    (note,) = hits_of(look(TODAY, "a.md", text), f"factual.{rule}")
    assert (note.state, note.severity, note.line) == (State.CLEAR, "minor", 5)
    (block,) = hits_of(look(STRICT, "a.md", text), f"factual.{rule}")
    assert (block.state, block.severity) == (State.BLOCK, "important")


@pytest.mark.parametrize(
    "text",
    [
        "More than 73 % of outages are caused by people [1].\n",
        "More than 73 % of outages ([report](https://example.org/r)) are caused by people.\n",
        "More than 73 % of outages are caused by people (Smith, 2024).\n",
        "We measured it on two machines: it is 3 times faster than before.\n",
        "Studies show that it works.[^1]\n\n[^1]: Smith, *On reviews*, 2020.\n",
        "\u201cNobody needs more than a little memory\u201d, said Ada Lovelace.\n",
        "> [!NOTE]\n> This option is on by default and costs nothing at all.\n",
        "The limit is 80 % by default; set to 90 % it waits.\n",
        "As of 2026 there are two versions. It began in 1999.\n",
        "Run `make test`:\n\n```\n73 % of studies show the world's best\n```\n",
        "<!-- 73 % of studies show -->\nPlain words.\n",
        "Follow the best practice; take the largest value.\n",
    ],
)
def test_what_brings_its_source_or_states_nothing_is_left_alone(text: str) -> None:
    assert look(STRICT, "a.md", text).hits == ()


def test_links_within_the_work_must_lead_somewhere() -> None:
    text = "# One\n\n## Two words\n\n[a](#one) [b](#two-words) [c](#three) [d](b.md#gone) [e](old.md) [f](outside.md)\n"
    files = (
        file("docs/a__md", text),
        file("docs/b__md", "# Here\n\n[back](a.md#one)\n"),
        File(path="docs/old.md", mode="000000", content=None, before=b"x"),
    )
    hits = TODAY.look(Change(title="", kind="code", files=files)).hits
    assert [(hit.path, hit.evidence) for hit in hits] == [
        ("docs/a.md", "#three"),
        ("docs/a.md", "b.md#gone"),
        ("docs/a.md", "old.md"),
    ]


def test_links_in_code_and_links_that_exist_are_left_alone() -> None:
    headings = "Setup\n=====\n\n<a id='x'></a>\n## A & `b`!\n## A & `b`!\n\n"
    text = f"{headings}[1](#setup) [2](#x) [3](#a--b) [4](#a--b-1)\n\n`[5](#no)`\n"
    assert look(TODAY, "a.md", text).hits == ()


def test_it_reads_prose_only() -> None:
    claim = "# Studies show that 73 % agree.\n"
    for path in ("a.py", "a.js", "a.yaml", "LICENSE.md", "CHANGELOG.md", "a"):
        assert look(STRICT, path, claim).hits == (), path
    for path in ("a.md", "a.rst", "a.txt", "a.adoc"):
        assert look(STRICT, path, claim).hits, path
    assert look(STRICT, "plan", claim, kind="plan").hits


def test_it_reads_the_texts_of_an_agents_output() -> None:
    """002-06: what a chain validates may come as JSON; its own signs are no quotes."""
    said = '{"answer": {"text": "Studies show that it works.", "more": ["We are done with all of it now."], "n": 95}}'
    judged = look(STRICT, "output.json", said)
    assert [(one.rule.id, one.line) for one in judged.hits] == [("factual.unsourced.studies", 1)]
    assert "1 text" in judged.looked_at
    for text in ("no JSON: studies show it", '{"n": 95}'):
        assert look(STRICT, "output.json", text).hits == ()


def test_it_says_that_it_cannot_verify() -> None:
    """002-06: verified is what a model or a human says, never this program."""
    judged = look(TODAY, "a.md", "Plain words.\n")
    assert "needs a model or a human" in judged.looked_at
    assert all("model or a human" in rule.why for rule in TODAY.rules)
    assert look(TODAY, "a.py", "x = 1\n").looked_at == "files without prose"


def test_without_the_day_it_says_that_dates_were_not_looked_at() -> None:
    judged = look(CRITIC, "a.md", "As of 2001 there are two versions.\n")
    assert judged.hits == ()
    assert "dates were not looked at" in judged.looked_at


@given(text=st.text(alphabet=st.sampled_from('ab 1%.\n>"`#[]()!<-~\u201c\u201d2019'), max_size=300))
def test_no_text_breaks_it(text: str) -> None:
    lines = text.count("\n") + 1
    assert all(0 < hit.line <= lines for hit in look(STRICT, "a.md", text).hits)


@pytest.mark.parametrize(
    "part", ["x ", "1%. ", "> ", "`", "[a](#b)", '"', "# a\n", "<!--", "```\n", "[", "\n ", "![", "as of 2019 "]
)
def test_a_text_without_end_takes_linear_time(part: str) -> None:
    judged = look(STRICT, "a.md", part * (1_100_000 // len(part)))
    assert [one.path for one in judged.unread] == ["a.md"]


def test_rules_have_their_own_ids_and_words_of_others_are_judged_alike() -> None:
    assert len({rule.id for rule in CRITIC.rules}) == len(CRITIC.rules)
    assert rules_of(look(STRICT, "a.md", "Studien zeigen, dass 40 Prozent zustimmen.\n")) == {
        "factual.unsourced.figure",
        "factual.unsourced.studies",
    }
