"""U-02: instruction files under every other shipped policy, and with a base the server reads from a repository."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import EFFORT
from tests.proofs.corpus import DISGUISES, HONEST, Edit
from tests.use.served import DOORS, Served, served
from tests.use.test_u02_proofs import assert_reviewed, labels, sent, submitted

#: A disguise in each of some languages; all of them are played with `peer`.
SOME = DISGUISES[::10]
#: `team` judges these kinds as `solo` does and as `peer`, with which all of them are played: the long helping has it.
POLICIES = ("solo", "chains", *(("team",) if EFFORT == "all" else ()))
AUTHOR = ("-c", "user.name=ann", "-c", "user.email=ann@shop.example", "-c", "init.defaultBranch=main")


@pytest.fixture(scope="module", params=POLICIES)
def house(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("u02"), str(request.param)) as found:
        found.account("dev", "core_developer", "agent")
        found.account("ci", kind="program", scopes=("publish",))
        yield found


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy=("chains", "solo"))
def test_a_disguise_is_reviewed_under_every_policy(house: Served, door: str) -> None:
    """U-02: whatever its label says, and against a base that is known."""
    for number, edit in enumerate(SOME):
        for words in labels(number):
            assert_reviewed(house, submitted(house, edit, door, **words))


def _git(folder: Path, *words: str) -> None:
    subprocess.run(("git", *AUTHOR, *words), cwd=folder, capture_output=True, check=True)


def _placed(number: int, edit: Edit) -> str:
    """A path of its own in the repository for each edit; proofs go by the name, not by the folder."""
    return f"n{number}/{edit.path}"


@pytest.fixture(scope="module")
def keeper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that reads a bare mirror in which every file is as it was before."""
    folder = tmp_path_factory.mktemp("u02-mirror")
    work = folder / "shop"
    work.mkdir()
    _git(work, "init", "-q")
    for number, edit in enumerate((*SOME, *HONEST)):
        place = work / _placed(number, edit)
        place.parent.mkdir(parents=True)
        place.write_bytes(edit.before)
    _git(work, "add", "-Af")
    _git(work, "commit", "-qm", "begin")
    _git(folder, "clone", "-q", "--mirror", str(work), str(folder / "shop.git"))
    with served(folder, "peer", FOUREYES_REPOSITORIES=f"shop={folder / 'shop.git'} main") as found:
        found.account("dev", "core_developer")
        yield found


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="peer")
def test_a_base_from_a_repository_proves_what_is_honest_and_no_disguise(keeper: Served, door: str) -> None:
    """U-02: by the protected ref; nothing of it is the author's word."""
    dev, cleared = keeper.callers["dev"].at(door), 0
    for number, edit in enumerate((*SOME, *HONEST)):
        files = [sent(_placed(number, edit), edit.after)]
        for words in labels(number):
            reply = dev.call("open_review", title=f"{edit.trick} {door}", base="main", files=files, **words)
            if number < len(SOME):
                assert_reviewed(keeper, reply)
            elif reply.is_ok and reply["state"] == "cleared":
                review = keeper.human.call("read_review", review=reply["review"])["review"]
                assert "needs no review: Proven: only " in str(review)
                cleared += 1
    assert cleared, "honest edits are skipped"
