"""A hostile repository runs nothing, reaches nothing and shows nothing outside itself."""

from __future__ import annotations

import os
import stat
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from foureyes.app.reviewers import Change
from foureyes.git import running
from foureyes.git.reading import read_default, read_range, read_staged, read_worktree, repository
from foureyes.home.trouble import Trouble
from tests.git.ground import SETTINGS, Ground, new, one, paths

HOOKS = (
    "applypatch-msg fsmonitor-watchman post-checkout post-commit post-index-change pre-auto-gc reference-transaction"
)
#: Settings whose value is a program that git starts; {} is one that leaves a trace.
SETTINGS_THAT_RUN = """
[core]
    fsmonitor = {}
    fsmonitorHookVersion = 2
    hooksPath = {hooks}
    pager = {}
    editor = {}
    askPass = {}
    sshCommand = {}
    gitProxy = {}
    alternateRefsCommand = {}
    attributesFile = {attributes}
    untrackedCache = true
[diff]
    external = {}
    ignoreSubmodules = none
[diff "evil"]
    command = {}
    textconv = {}
    cachetextconv = true
[filter "evil"]
    clean = {}
    smudge = {}
    required = true
[filter "long"]
    process = {}
    required = true
[merge "evil"]
    driver = {}
[alias]
    rev-parse = !{}
    diff-tree = !{}
[pager]
    diff = {}
    config = {}
    rev-parse = {}
[log]
    showSignature = true
[gpg]
    program = {}
[gpg "ssh"]
    program = {}
    defaultKeyCommand = {}
[credential]
    helper = !{}
[uploadpack]
    packObjectsHook = {}
[remote "origin"]
    url = ext::{}
    promisor = true
    partialCloneFilter = blob:none
    uploadpack = {}
    fetch = +refs/heads/*:refs/remotes/origin/*
[protocol "ext"]
    allow = always
[extensions]
    partialClone = origin
[submodule]
    recurse = true
[include]
    path = {more}
[trailer "x"]
    command = {}
[sequence]
    editor = {}
[interactive]
    diffFilter = {}
[browser "x"]
    cmd = {}
[url "ext::{}"]
    insteadOf = https://
"""
#: Environment variables that could make git start a program.
VARIABLES = (
    "GIT_EXTERNAL_DIFF GIT_PAGER PAGER GIT_EDITOR EDITOR VISUAL GIT_SEQUENCE_EDITOR GIT_ASKPASS SSH_ASKPASS "
    "GIT_SSH GIT_SSH_COMMAND GIT_PROXY_COMMAND"
)


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    return tmp_path / "canary"


@pytest.fixture
def program(tmp_path: Path, canary: Path) -> Path:
    """Leave a trace, and nothing else."""
    place = tmp_path / "evil"
    place.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{canary}'\n", encoding="utf-8")
    place.chmod(0o755)
    return place


@pytest.fixture
def hostile(tmp_path: Path, program: Path) -> Ground:
    ground = new(tmp_path / "repo")
    module = _submodule(ground, tmp_path)
    ground.commit("First", a__py="a\n", b__py="b\n", evil__txt="one\n", promised__txt="left on the server\n")
    promised = ground.git("rev-parse", "HEAD:promised.txt")
    ground.commit("Second", a__py="b\n", evil__txt="two\n", promised__txt="here\n")
    (ground.path / ".git" / "objects" / promised[:2] / promised[2:]).unlink()
    ground.write(".gitattributes", "*.txt filter=evil diff=evil merge=evil\n*.py filter=long diff=evil\n")
    ground.write("a.py", "c\n")
    ground.write("evil.txt", "three\n")
    ground.write("new.txt", "new\n")
    # Written as late as now, so that nothing of it ran while the repository was made.
    config = ground.path / ".git" / "config"
    attributes, more = tmp_path / "attributes", tmp_path / "more"
    attributes.write_text("* filter=evil diff=evil\n", encoding="utf-8")
    more.write_text(f"[core]\n\tpager = {program}\n", encoding="utf-8")
    text = SETTINGS_THAT_RUN.replace("{hooks}", str(ground.path / ".git" / "hooks"))
    text = text.replace("{attributes}", str(attributes)).replace("{more}", str(more)).replace("{}", str(program))
    with config.open("a", encoding="utf-8") as file:
        file.write(text)
    module.git("config", "filter.evil.clean", str(program))
    module.git("config", "core.fsmonitor", str(program))
    (ground.path / ".git" / "info").mkdir(exist_ok=True)
    (ground.path / ".git" / "info" / "attributes").write_text("* filter=evil diff=evil\n", encoding="utf-8")
    (ground.path / ".git" / "hooks").mkdir(exist_ok=True)
    for hook in HOOKS.split():
        (ground.path / ".git" / "hooks" / hook).unlink(missing_ok=True)
        (ground.path / ".git" / "hooks" / hook).symlink_to(program)
    return ground


def _submodule(ground: Ground, tmp_path: Path) -> Ground:
    inner = new(tmp_path / "inner")
    inner.commit("One", x__py="x\n")
    ground.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "vendor")
    module = Ground(path=ground.path / "vendor")
    # As long as before, so that git has to compare the bytes, and for that to run the filter.
    module.write("x.py", "y\n")
    module.write(".gitattributes", "* filter=evil\n")
    return module


def every_reading(ground: Ground, out: Path) -> Iterator[Change]:
    for number, change in enumerate(
        (
            read_worktree(ground.path),
            read_staged(ground.path),
            read_default(ground.path),
            read_range(ground.path, "HEAD"),
            read_range(ground.path, "HEAD^..HEAD"),
            read_range(ground.path, "HEAD^...HEAD"),
            read_default(ground.path / "vendor"),
        )
    ):
        folder = out / str(number)
        folder.mkdir(parents=True)
        assert change.lay_out is not None
        change.lay_out(folder)
        yield change


def test_the_trap_works(hostile: Ground, canary: Path) -> None:
    """What git usually does in this repository runs the program many times over; else the next test says nothing."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(hostile.path.parent), **SETTINGS}
    del environment["GIT_ALLOW_PROTOCOL"]
    assert not canary.exists()
    for words in (["status"], ["diff"], ["log", "-1", "-p"], ["cat-file", "-p", "HEAD^:promised.txt"]):
        canary.unlink(missing_ok=True)
        subprocess.run(["git", *words], cwd=hostile.path, env=environment, capture_output=True, check=False, timeout=30)
        assert canary.exists(), words


def test_nothing_of_a_hostile_repository_runs(
    hostile: Ground, canary: Path, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T20: no hook, filter, driver, monitor, pager, alias, helper, signature check or fetch."""
    for name in VARIABLES.split():
        monkeypatch.setenv(name, str(program))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_WORK_TREE", "/")
    monkeypatch.setenv("GIT_TRACE", str(canary))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(program))
    (hostile.path / "git").symlink_to(program)
    monkeypatch.chdir(hostile.path)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}:")
    files, staged, default, last, *_ = every_reading(hostile, tmp_path / "out")
    assert not canary.exists(), canary.read_text(encoding="utf-8")
    assert paths(files) == [".gitattributes", "a.py", "evil.txt", "git", "new.txt"]
    assert one(files, "evil.txt").content == b"three\n"
    assert files.files == default.files
    assert staged.files == ()
    assert {"a.py", "evil.txt", "promised.txt"} <= set(paths(last))
    assert one(last, "promised.txt").before is None


def test_files_that_a_setting_says_lie_elsewhere_are_not_read(tmp_path: Path) -> None:
    outside = tmp_path / "private"
    outside.mkdir()
    (outside / "key").write_text("secret\n", encoding="utf-8")
    ground = new(tmp_path / "repo")
    ground.commit(a__py="a\n")
    for place in (str(outside), "/", ".."):
        ground.git("config", "core.worktree", place)
        ground.write("b.py", "b\n")
        assert repository(ground.path) == ground.path.resolve()
        assert paths(read_worktree(ground.path)) == ["b.py"]
        ground.git("config", "--unset", "core.worktree")


def test_a_monitor_that_once_said_nothing_changes_is_not_believed(tmp_path: Path) -> None:
    """The index keeps what a file system monitor said; a lying one would hide a change."""
    ground = new(tmp_path / "repo")
    ground.commit(a__py="a\n", b__py="b\n")
    liar = tmp_path / "liar"
    liar.write_text("#!/bin/sh\nprintf '1\\0'\n", encoding="utf-8")
    liar.chmod(0o755)
    ground.git("config", "core.fsmonitor", str(liar))
    ground.git("update-index", "--fsmonitor")
    ground.git("status")
    ground.write("a.py", "hidden\n")
    assert ground.git("status", "--porcelain") == ""
    assert paths(read_worktree(ground.path)) == ["a.py"]


def test_objects_that_stand_in_for_others_do_not(tmp_path: Path) -> None:
    """`git replace` would show reviewers other bytes than those that are committed."""
    ground = new(tmp_path / "repo")
    ground.commit(a__py="good\n")
    good = ground.git("rev-parse", "HEAD:a.py")
    ground.commit(a__py="bad\n")
    ground.git("replace", ground.git("rev-parse", "HEAD:a.py"), good)
    assert one(read_range(ground.path, "HEAD"), "a.py").content == b"bad\n"
    other = ground.git("commit-tree", "-m", "x", "HEAD^{tree}")
    ground.git("replace", "HEAD", other)
    assert read_range(ground.path, "HEAD").base


def test_a_repository_of_somebody_else_is_refused_with_what_git_wants(tmp_path: Path) -> None:
    """Tests that run as root can give a folder away; others ask git itself to pretend."""
    ground = new(tmp_path / "repo")
    ground.commit(a__py="a\n")
    if os.geteuid() != 0:
        return _pretended(ground)
    for place in (ground.path, ground.path / ".git"):
        os.chown(place, 12345, 12345)
    with pytest.raises(Trouble, match=r"belongs to somebody else.*git config --global --add safe.directory"):
        read_default(ground.path)
    return None


def _pretended(ground: Ground) -> None:
    environment = {**running.environment(), "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}
    ran = running.run(("rev-parse", "--git-dir"), folder=ground.path, environment=environment)
    assert "dubious ownership" in ran.said


def tree_with(ground: Ground, name: bytes, content: bytes = b"x\n", mode: bytes = b"100644") -> str:
    """A commit whose tree no honest git would write."""
    blob = ground.git("hash-object", "-w", "--stdin", given=content)
    entry = mode + b" " + name + b"\0" + bytes.fromhex(blob)
    tree = ground.git("hash-object", "-w", "-t", "tree", "--literally", "--stdin", given=entry)
    return ground.git("commit-tree", "-m", "crafted", "-p", "HEAD", tree)


CRAFTED = (b"..", b".git", b".GIT", b".g\xe2\x80\x8cit", b"git~1", b".", b"a\\b", b".git ")


def test_a_crafted_tree_writes_nothing_outside(tmp_path: Path) -> None:
    ground = new(tmp_path / "repo")
    ground.commit(a__py="a\n")
    for number, name in enumerate(CRAFTED):
        crafted = tree_with(ground, name)
        change = read_range(ground.path, f"HEAD..{crafted}")
        assert (paths(change), len(change.unread)) == (["a.py"], 1)
        out = tmp_path / f"out{number}" / "deep"
        out.mkdir(parents=True)
        lay_out = read_range(ground.path, f"{crafted}..HEAD").lay_out
        assert lay_out is not None
        lay_out(out)
        assert {path.name for path in out.rglob("*")} <= {"a.py", "FOUREYES-LEFT-OUT.txt"}
        assert [path.name for path in out.parent.iterdir()] == ["deep"]


def test_a_git_that_hangs_or_never_stops_is_ended_with_all_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    fake, alive = folder / "git", tmp_path / "alive"
    fake.write_text(f"#!/bin/sh\n(sleep 300; touch '{alive}') &\necho $! > '{alive}'\nsleep 300\n", encoding="utf-8")
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    environment = {"PATH": f"{folder}:{os.environ['PATH']}"}
    monkeypatch.setattr(running, "SECONDS_MAX", 0.5)
    with pytest.raises(Trouble, match=r"git took longer than"):
        running.run(("x",), folder=tmp_path, environment=environment)
    child = int(alive.read_text(encoding="utf-8"))
    until = time.monotonic() + 20
    while _runs(child) and time.monotonic() < until:
        os.sched_yield()
    assert not _runs(child)
    monkeypatch.setattr(running, "SECONDS_MAX", 30.0)
    fake.write_text("#!/bin/sh\nexec cat /dev/zero\n", encoding="utf-8")
    with pytest.raises(Trouble, match="more to say than 1000000 bytes"):
        running.run(("x",), folder=tmp_path, environment=environment, out_bytes_max=1_000_000)
    fake.write_text("#!/bin/sh\nhead -c 9999999 /dev/zero >&2\nexit 3\n", encoding="utf-8")
    ran = running.run(("x",), folder=tmp_path, environment=environment)
    assert (ran.code, len(ran.said)) == (3, running.SAID_BYTES_MAX)


def _runs(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"
