"""Y18, D-02: a rebase is recognised from the bytes of both versions and both bases."""

from __future__ import annotations

import pytest

from foureyes.core.values import ChangeKind
from tests.app.house import House, played
from tests.cast import DEV

TOP = "import sys\n\n\n"
OLD = "ONE = 1\nTWO = 2\n\n\ndef start(host):\n    ping(host)\n    return host\n"
NEW = OLD.replace("ping(host)", "ping(host, 1)")
END = "\n\ndef stop():\n    return None\n"


def files(text: str, **more: str) -> dict[str, bytes]:
    return {"run.py": text.encode(), **{f"{name}.py": one.encode() for name, one in more.items()}}


async def changed(
    first: tuple[dict[str, bytes], dict[str, bytes]],
    second: tuple[dict[str, bytes], dict[str, bytes]],
    base: str = "c2",
) -> ChangeKind:
    """How a second version on its base relates to the first on its own."""
    house = House()
    house.mirror.commits |= {"c1": first[0], "c2": second[0]}
    stream = await house.open(first[1], base="c1")
    await house.revise(stream, second[1], DEV, base=base)
    return (await house.review(stream)).current.change


@played
async def test_the_same_change_on_a_base_that_moved_is_a_rebase() -> None:
    """Y18, D-02: with lines above and below, and with more files that are as they were."""
    first = files(OLD + END), files(NEW + END)
    for top, end in ((TOP, ""), ("", "\n\nLAST = 1\n"), (TOP, "\n\nLAST = 1\n")):
        second = files(top + OLD + END + end), files(top + NEW + END + end)
        assert await changed(first, second) is ChangeKind.REBASE
    first = files(OLD + END, same="ONE = 1\n"), files(NEW + END, same="ONE = 1\n")
    second = files(TOP + OLD + END, same="TWO = 2\n"), files(TOP + NEW + END, same="TWO = 2\n")
    assert await changed(first, second) is ChangeKind.REBASE


@pytest.mark.parametrize(
    ("base", "work"),
    [
        (files(TOP + OLD + END), files(TOP + NEW.replace("1)", "2)") + END)),
        (files(TOP + OLD + END), files(TOP + NEW + END + "\n\nevil()\n")),
        (files(TOP + OLD + END), {**files(TOP + NEW + END), "more.py": b"evil()\n"}),
        (files(TOP + OLD.replace("return host", "return sudo(host)") + END), files(TOP + NEW + END)),
        (
            files(OLD.replace("return host", "return sudo(host)") + END),
            files(NEW.replace("return host", "return sudo(host)") + END),
        ),
        (files(OLD + END + "\0"), files(NEW + END + "\0")),
    ],
    ids=["another line", "a line more", "a file more", "a line taken back", "other lines around it", "binary"],
)
def test_anything_else_is_new_content(base: dict[str, bytes], work: dict[str, bytes]) -> None:
    """Y18: a reviewer has not seen it."""

    @played
    async def play() -> None:
        assert await changed((files(OLD + END), files(NEW + END)), (base, work)) is ChangeKind.CONTENT

    play()


@played
async def test_an_unknown_base_makes_no_rebase() -> None:
    """U-01: another claimed base counts as a change of everything."""
    second = files(TOP + OLD + END), files(TOP + NEW + END)
    assert await changed((files(OLD + END), files(NEW + END)), second, base="c9") is ChangeKind.CONTENT
