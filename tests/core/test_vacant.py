"""A seat is vacant, open to any eligible reviewer, when nobody could be found for it."""

from foureyes.core.explain import explain, is_vacant
from foureyes.core.facts import Load
from tests.cast import Play


def test_a_seat_is_vacant_while_nobody_has_time_for_it_and_no_longer() -> None:
    """B17: a request in a reviewer's queue is assigned, and a seat without a request is not vacant."""
    play = Play()
    full, busy = Load(active=3, queued=5), Load(active=3)
    play.know(load={"auditor": full, "tester": full})
    play.open("create_core")
    assert is_vacant(play.review, "peer.1")
    assert "Nobody who may hold seat peer.1 is free" in explain(play.rules, play.review).turns[0].how
    assert not is_vacant(play.review, "peer.9")
    for load in (busy, Load()):
        other = Play()
        other.know(load={"auditor": load, "tester": load})
        other.open("create_core")
        assert not is_vacant(other.review, "peer.1")
