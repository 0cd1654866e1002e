"""U-02: a sentence that makes its reader run, fetch or believe something is reviewed, whatever its label."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from itertools import count

import pytest

from tests.proofs.corpus.orders import MORE_THAN_A_TYPO, UNREAD, WELCOME
from tests.proofs.corpus.shapes import Edit
from tests.use.served import DOORS, Reply, Served, served

pytestmark = pytest.mark.door("http", policy="peer")

_NUMBERS = count(1)
AGGRESSIVE = {"kind": "create_app", "context": [["autonomy_level", "aggressive"]]}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("u02"), "peer") as found:
        found.account("dev", "core_developer")
        found.account("ci", kind="program", scopes=("publish",))
        yield found


def submitted(house: Served, edit: Edit, number: int, **words: object) -> tuple[Reply, str]:
    """Open a review of the edit for a target on which a publisher found the file before."""
    before, after = (
        [{"path": edit.path, "base64": base64.b64encode(content).decode()}] for content in (edit.before, edit.after)
    )
    target = f"shop-{next(_NUMBERS)}"
    assert house.callers["ci"].call("attest_base", target=target, files=before).is_ok
    dev = house.callers["dev"].at(DOORS[number % len(DOORS)])
    return dev.call("open_review", title="A change", target=target, files=after, **words), target


def assert_waits(house: Served, reply: Reply, target: str) -> None:
    assert reply["state"] == "open", reply.text
    review = house.human.call("read_review", review=reply["review"])["review"]
    assert house.human.call("gate", digest=review["digest"], target=target)["allowed"] is False


@pytest.mark.parametrize(("number", "edit"), tuple(enumerate(UNREAD)), ids=lambda value: getattr(value, "name", ""))
def test_an_order_in_words_is_reviewed(house: Served, number: int, edit: Edit) -> None:
    """U-02: names of things to run or open, words to agents, negations: the gate waits for a reviewer."""
    for words in ({"kind": edit.label}, {"kind": "fix_typo"}, AGGRESSIVE):
        assert_waits(house, *submitted(house, edit, number, **words))


@pytest.mark.parametrize(
    ("number", "edit"), tuple(enumerate(MORE_THAN_A_TYPO)), ids=lambda value: getattr(value, "name", "")
)
def test_a_label_lets_pass_no_more_than_it_says(house: Served, number: int, edit: Edit) -> None:
    """U-02: a new sentence is no typo, and other words are no formatting."""
    assert_waits(house, *submitted(house, edit, number, kind=edit.label))


@pytest.mark.parametrize(("number", "edit"), tuple(enumerate(WELCOME)), ids=lambda value: getattr(value, "name", ""))
def test_an_honest_correction_or_comment_passes(house: Served, number: int, edit: Edit) -> None:
    """U-02: corrected spelling and comments that explain need no review."""
    reply, target = submitted(house, edit, number, kind=edit.label)
    assert reply["state"] == "cleared", reply.text
    review = house.human.call("read_review", review=reply["review"])["review"]
    assert house.human.call("gate", digest=review["digest"], target=target)["allowed"] is True
