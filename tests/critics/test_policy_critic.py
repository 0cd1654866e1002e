"""Work that changes the policy is judged by the old one, and making it weaker takes a human."""

import pytest

from foureyes.app.reviewers import Change, File
from foureyes.reviewers.critics.critic import State
from foureyes.reviewers.critics.policy import CRITIC

STRICT = b"version: 1\nkinds: {default: resolve}\nresolve: {min_reviewers: 3}\n"
WEAK = b"version: 1\nkinds: {default: resolve}\nresolve: {min_reviewers: 2}\n"


def hits(before: bytes | None, after: bytes | None, **fields: object) -> list[tuple[str, State]]:
    mode = "100644" if after is not None else "000000"
    file = File(path="foureyes.yaml", mode=mode, content=after, before=before, changed=((1, 9),), **fields)  # type: ignore[arg-type]
    found = CRITIC.look(Change(title="t", kind="code", files=(file,)))
    return [(one.rule.id.rpartition(".")[2], one.state) for one in found.hits]


def test_a_weaker_policy_takes_a_human() -> None:
    """D-07."""
    assert hits(STRICT, WEAK) == [("weakened", State.BLOCK)]


def test_a_stricter_one_is_only_noted() -> None:
    """D-07."""
    assert hits(WEAK, STRICT) == [("changed", State.CLEAR)]


def test_taking_the_policy_away_weakens_it() -> None:
    """D-07: then the built-in one holds."""
    assert hits(STRICT, None) == [("weakened", State.BLOCK)]


@pytest.mark.parametrize("text", [b"", b"version: 2\n", b"\xff\xfe", b"kinds: [", b"x" * 10_000])
def test_one_that_cannot_be_read_is_stopped(text: bytes) -> None:
    assert hits(STRICT, text) == [("broken", State.BLOCK)]


def test_mending_an_unreadable_one_takes_a_human_too() -> None:
    """Nobody can say that it got no weaker."""
    assert hits(b"kinds: [", STRICT) == [("weakened", State.BLOCK)]


def test_other_files_are_none_of_its_business() -> None:
    change = Change(title="t", kind="code", files=(File(path="sub/foureyes.yaml", content=WEAK, before=STRICT),))
    assert CRITIC.look(change).hits == ()


def test_moving_it_elsewhere_takes_it_away() -> None:
    """D-07."""
    file = File(path="old.yaml", was="foureyes.yaml", content=STRICT, before=STRICT)
    assert [one.rule.id for one in CRITIC.look(Change(title="t", kind="code", files=(file,))).hits] == [
        "security.policy.weakened"
    ]


def test_the_first_policy_of_a_repository_is_noted() -> None:
    """It weakens nothing that anybody wrote."""
    assert hits(None, WEAK) == [("changed", State.CLEAR)]
