"""U-11: another spelling of a path evades no rule, two spellings are refused, and a deleted part blocks no tree."""

from __future__ import annotations

import subprocess
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.use.clearing import cleared, opened, text_file
from tests.use.served import DOORS, Caller, Served, served

pytestmark = pytest.mark.door("http", policy="peer")

ACCENTED = "caf\u00e9.txt"


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("team"), "team") as house:
        house.account("dev", "core_developer")
        yield house


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("peer"), "peer") as house:
        house.account("dev", "core_developer")
        house.account("eve", "core_developer")
        yield house


def _protocols(house: Served, author: Caller, path: str, text: str) -> list[str]:
    review = opened(author, text_file(path, text), kind="chore")
    return list(house.human.call("read_review", review=review)["review"]["protocols"])


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("listed", "spelt"),
    [
        ("main.tf", "main.TF"),
        ("migrations/one.txt", "Migrations/one.txt"),
        ("Dockerfile.web", "dockerfile.web"),
        ("Dockerfile", "DOCKERFILE"),
        ("migrations/two.txt", "migra\u200dtions/two.txt"),
        (".github/workflows/x.txt", ".github./workflows/x.txt"),
    ],
)
@pytest.mark.door("http", "mcp", policy="team")
def test_another_case_of_a_path_meets_the_same_protocols(team: Served, door: str, listed: str, spelt: str) -> None:
    """U-11: `paths:` of the policy `team` demand more of a file, whatever the case of its name."""
    author = team.callers["dev"].at(door)
    wanted = _protocols(team, author, listed, f"{door} {spelt}\n")
    assert "infrastructure" in wanted
    assert _protocols(team, author, spelt, f"{door} {spelt}\n") == wanted


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("call", ["open_review", "revise"])
@pytest.mark.parametrize(
    "names",
    [
        ("D.txt", "d.txt"),
        (ACCENTED, unicodedata.normalize("NFD", ACCENTED)),
        ("A", "a/b.txt"),
        ("src/Main/x.txt", "src/main"),
    ],
)
@pytest.mark.door("http", "mcp", policy="peer")
def test_two_spellings_of_one_name_are_refused_in_one_work(
    peer: Served, door: str, call: str, names: tuple[str, str]
) -> None:
    """U-11: on some disks these are one file, and nobody can say which of the two was read."""
    author = peer.callers["dev"].at(door)
    files = [text_file(name, f"{name} {number}\n") for number, name in enumerate(names)]
    if call == "open_review":
        answer = author.call(call, kind="create_core", title="Two", files=files)
    else:
        answer = author.call(call, review=opened(author, text_file("first.txt", f"{door} {names}\n")), files=files)
    assert answer.code == "bad_path", answer.text
    assert all(repr(name)[1:-1] in answer.text or name in answer.data["detail"] for name in names)


def test_a_refusal_of_two_spellings_is_422(peer: Served) -> None:
    """U-11: the request was understood, and is not done."""
    body = b'{"kind":"create_core","title":"Two","files":[{"path":"D.txt","text":"1"},{"path":"d.txt","text":"2"}]}'
    assert peer.callers["dev"].raw("POST", "/api/v1/reviews", body).status == 422


def test_a_file_may_change_its_case(peer: Served) -> None:
    """U-11: the old name is gone, so only one is left."""
    assert opened(peer.callers["dev"], text_file("new.txt"), text_file("NEW.txt", "", mode="000000"))


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", "command", policy="peer")
def test_a_gone_part_of_somebody_elses_work_shuts_no_tree(peer: Served, door: str, tmp_path: Path) -> None:
    """U-11: the same files and a part that never was have the same git tree, and are other work."""
    files = [text_file("a.txt", f"{door}\n"), text_file("b/c.txt", f"{door} c\n")]
    work = cleared(peer, peer.callers["dev"], *files)
    tree = f"git-tree:{_git_tree(tmp_path, files)}"
    asker = peer.callers["eve"].at(door)
    assert asker.call("gate", digest=tree)["digest"] == work.digest
    phantom = opened(peer.callers["eve"].at(door), *files, text_file("never.txt", "", mode="000000"))
    answer = asker.call("gate", digest=tree)
    assert (answer["state"], answer["digest"], answer["review"]) == ("cleared", work.digest, work.review)
    assert peer.run("check", tree).returncode == 0
    assert peer.human.call("read_review", review=phantom)["review"]["digest"] != work.digest


def test_of_works_in_which_something_is_gone_each_is_named_by_its_digest(peer: Served, tmp_path: Path) -> None:
    """U-11: where no work is the tree and nothing else, its name is as ambiguous as ever."""
    files = [text_file("only.txt", "only\n")]
    tree = f"git-tree:{_git_tree(tmp_path, files)}"
    cleared(peer, peer.callers["dev"], *files, text_file("one.txt", "", mode="000000"))
    assert peer.human.call("gate", digest=tree)["state"] == "cleared"
    opened(peer.callers["eve"], *files, text_file("two.txt", "", mode="000000"))
    answer = peer.human.call("gate", digest=tree)
    assert (answer["state"], "several works" in answer["reason"]) == ("blocked", True)


def _git_tree(folder: Path, files: list[dict[str, str]]) -> str:
    """The name that git itself gives to a tree of these files."""
    for file in files:
        place = folder / file["path"]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(file["text"], encoding="utf-8")
    said = [
        subprocess.run(["git", *line.split()], cwd=folder, check=True, capture_output=True, text=True).stdout
        for line in ("init -q", "add .", "write-tree")
    ]
    return said[-1].strip()
