"""Small points that newcomers reported: messages are true, and options have consistent names."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres.server import Server
from tests.use.judging import judge, wait_for
from tests.use.laptop import commit, foureyes, git, result_of, review
from tests.use.served import Served, served

pytestmark = pytest.mark.door("command", policy="solo")

CONFLICT = "a = 1\n<<<<<<< HEAD\nb = 2\n||||||| base\nb = 1\n=======\nb = 3\n>>>>>>> other\n"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "a.py").write_text("a = 1\n", encoding="utf-8")
    (folder / "b.json").write_text('{"b": 1}\n', encoding="utf-8")
    commit(folder, "one")
    return folder


def blocking(folder: Path) -> list[tuple[str, str, str]]:
    ran = review(folder, "--no-agents", "--json")
    found = result_of(ran)["findings"]
    assert isinstance(found, list)
    return [(one["path"], one["rule"], one["text"]) for one in found if one["blocking"]]


def test_one_merge_conflict_is_one_thing_to_fix(work: Path) -> None:
    """U-60: its markers, and what parsers say of them, are not counted again; another error beside it is."""
    (work / "a.py").write_text(CONFLICT, encoding="utf-8")
    (work / "b.json").write_text('{"b":\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> other\n}\n', encoding="utf-8")
    (work / "c.py").write_text("def broken(:\n", encoding="utf-8")
    found = blocking(work)
    assert [rule for path, rule, _ in found if path == "a.py"] == ["format.conflict"]
    assert [rule for path, rule, _ in found if path == "b.json"] == ["format.conflict"]
    assert {path for path, _, _ in found} == {"a.py", "b.json", "c.py"}


def test_markers_that_were_there_before_hide_no_new_error(work: Path) -> None:
    """U-60: old markers in a text do not excuse a line that breaks the file now."""
    (work / "a.py").write_text(f'SHOWN = """\n{CONFLICT}"""\n', encoding="utf-8")
    commit(work, "two")
    (work / "a.py").write_text(f'SHOWN = """\n{CONFLICT}"""\ndef broken(:\n', encoding="utf-8")
    assert {path for path, _, _ in blocking(work)} == {"a.py"}


def test_a_deletion_that_depends_on_a_variable_says_so(work: Path) -> None:
    """U-60: it is the whole machine only where the variable is empty."""
    (work / "clean.sh").write_text("#!/bin/sh\nrm -rf $BUILD/*\n", encoding="utf-8")
    (work / "all.sh").write_text("#!/bin/sh\nrm -rf /*\n", encoding="utf-8")
    said = {path: text for path, _, text in blocking(work)}
    assert said["clean.sh"] == "If the variable at its beginning is empty, this deletes the whole machine."
    assert said["all.sh"] == "This deletes the whole machine."


def test_compiled_files_are_binary_and_no_finding(work: Path) -> None:
    """U-60: nothing in a .pyc is a control character of a text."""
    (work / "z.pyc").write_bytes(b"\xcb\r\r\n\x00\x00\x00\x00\x1b[2J\x9b\xe3\x00\x01\x02\x80\x81" * 9)
    assert blocking(work) == []


@pytest.mark.parametrize("name", ["httptools", "uvicorn", "starlette"])
def test_a_server_without_its_packages_names_the_extra(tmp_path: Path, name: str) -> None:
    """U-60: one that is there in part, as with a framework of one's own; no package index is invented."""
    (tmp_path / "without").mkdir()
    lacks = f"raise ModuleNotFoundError('No module named {name}', name='{name}')\n"
    (tmp_path / "without" / f"{name}.py").write_text(lacks, encoding="utf-8")
    (tmp_path / "here").mkdir()
    path = ":".join((str(tmp_path / "without"), *sys.path))
    ran = foureyes(tmp_path / "here", "up", "--port", "0", PYTHONPATH=path)
    told = " ".join(ran.stderr.split())
    assert ran.returncode == 4, ran.stdout + told
    assert f"The package {name} is not installed; the extra `server` of foureyes brings it." in told
    assert "pip install '.[server]'" in told
    assert "failed" not in told


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("small"), "resolve") as running:
        for name in ("alice", "bob", "carol"):
            running.account(name)
        yield running


@pytest.mark.door("http", "command", policy="resolve")
def test_a_receipt_is_asked_for_by_review_or_digest(up: Served) -> None:
    """U-60: the name of the review is what people have at hand."""
    work = {"kind": "story", "title": "Tides", "files": [{"path": "a.md", "text": "The sea came back.\n"}]}
    opened = up.callers["alice"].call("open_review", **work)
    for name in ("bob", "carol"):
        assert judge(up.callers[name], opened["review"], None).is_ok
    wait_for(lambda: up.run("wait", opened["review"], "--timeout", "1").returncode == 0)
    by_review, by_digest = (up.run("receipt", opened[one]) for one in ("review", "digest"))
    assert by_review.returncode == 0, by_review.stderr
    # The server signs its log from time to time, perhaps between the two.
    same = [one.stdout.partition("checkpoint")[0] for one in (by_review, by_digest)]
    assert same[0] == same[1] != ""
    unknown = up.run("receipt", "nosuchreview")
    assert unknown.returncode == 64
    assert "neither a digest nor a review here" in " ".join(unknown.stderr.split())


@pytest.mark.door("http", "command", policy="resolve")
def test_wait_takes_its_time_by_both_names(up: Served) -> None:
    """U-60: `--timeout` as for a review, and `--seconds`."""
    work = {"kind": "story", "title": "Tides", "files": [{"path": "b.md", "text": "The sea went away.\n"}]}
    opened = up.callers["alice"].call("open_review", **work)
    for option in ("--timeout", "--seconds"):
        assert up.run("wait", opened["review"], option, "1").returncode == 3, option


@pytest.mark.door("page", policy="resolve")
def test_the_form_ticks_what_a_token_of_the_kind_may_be_for(up: Served) -> None:
    """U-60: an agent's token is never for publish or vouch, a service's is."""
    for address, vouches in (("/accounts", False), ("/accounts?kind=service&name=x", True)):
        form = asyncio.run(up.browser.open(address)).form("/accounts/enrol")
        assert ("for_vouch" in form.fields, "for_publish" in form.fields) == (vouches, vouches)
        assert {"for_read", "for_author", "for_review", "for_signal"} <= form.fields.keys()


def test_status_beside_a_server_of_another_folder_does_not_say_that_none_is_there(
    tmp_path: Path, durable_postgres: Server
) -> None:
    """U-60: servers that share a PostgreSQL database have a data folder each."""
    with durable_postgres.fresh() as url, served(tmp_path, FOUREYES_DATABASE=url) as up:
        assert up.server.netloc in up.run("status").stdout
        other = " ".join(up.run("status", "--home", str(tmp_path / "other")).stdout.split())
        assert "At work no server of this data folder; others may share the database" in other
