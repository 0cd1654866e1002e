"""The data folder belongs to one user alone, and one server at a time works in it."""

import json
import os
import stat
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from foureyes.home import Trouble, folder
from foureyes.home.lock import NAME, ServerLock, running

NOW = "2026-01-01T00:00:00Z"
NOBODY = 65534
HOLDER = """
import sys
from foureyes.home.lock import ServerLock
lock = ServerLock.acquire(sys.argv[1], "http://127.0.0.1:8080", now="2026-01-01T00:00:00Z")
print("held", flush=True)
sys.stdin.read()
"""


def refusal(path: Path) -> str:
    with pytest.raises(Trouble) as caught:
        folder.check(str(path))
    return str(caught.value)


def test_the_folder_is_made_for_its_owner_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        folder.make(str(tmp_path / "deep" / "home"))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "deep" / "home").stat().st_mode) == 0o700
    folder.make(str(tmp_path / "deep" / "home"))


@pytest.mark.parametrize("mode", [0o701, 0o710, 0o740, 0o770, 0o777])
def test_a_folder_open_to_others_is_refused_with_the_command_that_mends_it(tmp_path: Path, mode: int) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(mode)
    assert f"chmod 700 {home}" in refusal(home)
    assert f"{mode:04o}" in refusal(home)


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root changes the owner of the folder; any other user fakes their own id."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    if os.geteuid() == 0:
        os.chown(home, NOBODY, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: NOBODY)
    assert "not to you" in refusal(home)
    assert f"chown -R {os.geteuid()} {home}" in refusal(home)


def test_a_link_of_our_own_is_followed_and_what_it_leads_to_is_checked(tmp_path: Path) -> None:
    home, link = tmp_path / "home", tmp_path / "link"
    home.mkdir(mode=0o700)
    link.symlink_to(home)
    folder.check(str(link))
    home.chmod(0o755)
    assert "open to others" in refusal(link)


def test_a_link_of_somebody_else_on_the_way_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    (real / "home").mkdir(parents=True, mode=0o700)
    link.symlink_to(real)
    lstat = os.lstat

    def planted(path: str) -> os.stat_result:
        found = lstat(path)
        return os.stat_result((*found[:4], NOBODY, *found[5:])) if path == str(link) else found

    monkeypatch.setattr(os, "lstat", planted)
    assert f"The link {link}" in refusal(link / "home")


def test_a_folder_that_anybody_could_swap_is_refused(tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    (outer / "home").mkdir(parents=True, mode=0o700)
    outer.chmod(0o777)
    assert f"chmod o-w {outer}" in refusal(outer / "home")
    outer.chmod(0o1777)  # as /tmp is: names are their owners' there
    folder.check(str(outer / "home"))


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to(tmp_path / "two")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    assert "too many links" in refusal(tmp_path / "one")


def test_a_folder_that_cannot_be_made_is_told_and_is_no_crash(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (Path("/dev/null/there"), tmp_path / "file" / "below"):
        with pytest.raises(Trouble, match="cannot be made: ") as caught:
            folder.make(str(path))
        assert "--home" in caught.value.next_step


def test_a_file_or_nothing_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "is not a folder" in refusal(tmp_path / "file")
    assert "There is no data folder" in refusal(tmp_path / "nothing")


def test_a_second_server_is_refused_and_told_who_the_first_is(tmp_path: Path) -> None:
    """Two servers on one data folder: the second refuses to start; a dead one's file is taken over."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as first:
        assert first.stdout
        assert first.stdout.readline() == "held\n"
        with pytest.raises(Trouble) as caught:
            ServerLock.acquire(str(tmp_path), "http://127.0.0.1:9090", now=NOW)
        assert caught.value.blocked
        assert "http://127.0.0.1:8080" in caught.value.sentence
        assert str(first.pid) in caught.value.sentence
        found = running(str(tmp_path))
        assert found
        assert (found.pid, found.address, found.started) == (first.pid, "http://127.0.0.1:8080", NOW)
        since = f"{datetime.fromisoformat(NOW).astimezone():%Y-%m-%d %H:%M}"
        assert found.in_words() == f"http://127.0.0.1:8080 (process {first.pid}, since {since})"
        first.kill()
    assert json.loads((tmp_path / NAME).read_text(encoding="utf-8"))["pid"] == first.pid
    assert running(str(tmp_path)) is None
    with ServerLock.acquire(str(tmp_path), "http://127.0.0.1:9090", now=NOW):
        assert (found := running(str(tmp_path)))
        assert found.pid == os.getpid()
    assert running(str(tmp_path)) is None


def test_the_lock_file_is_private_and_never_a_link(tmp_path: Path) -> None:
    with ServerLock.acquire(str(tmp_path), "", now=NOW):
        assert stat.S_IMODE((tmp_path / NAME).stat().st_mode) == 0o600
    (tmp_path / NAME).unlink()
    (tmp_path / NAME).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Trouble, match="cannot be opened"):
        ServerLock.acquire(str(tmp_path), "", now=NOW)
    assert not (tmp_path / "elsewhere").exists()


def test_a_holder_that_wrote_nonsense_is_at_work_all_the_same(tmp_path: Path) -> None:
    with ServerLock.acquire(str(tmp_path), "http://x", now=NOW):
        (tmp_path / NAME).write_text("{", encoding="utf-8")
        found = running(str(tmp_path))
        assert found
        assert found.in_words() == "another foureyes"
        written = {"pid": 1, "address": "http://x", "started": "long ago", "version": "1"}
        (tmp_path / NAME).write_text(json.dumps(written), encoding="utf-8")
        assert (found := running(str(tmp_path)))
        assert found.in_words() == "http://x (process 1, since long ago)"


def test_nobody_is_at_work_where_there_is_no_lock_file(tmp_path: Path) -> None:
    assert running(str(tmp_path)) is None


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({"XDG_DATA_HOME": "/data", "HOME": "/home/me"}, "/data/foureyes"),
        ({"XDG_DATA_HOME": "data", "HOME": "/home/me"}, "/home/me/.local/share/foureyes"),
        ({"XDG_DATA_HOME": "", "HOME": "/home/me"}, "/home/me/.local/share/foureyes"),
        ({"HOME": "/home/me"}, "/home/me/.local/share/foureyes"),
    ],
)
def test_data_goes_where_the_desktop_standard_says(environment: dict[str, str], wanted: str) -> None:
    assert folder.default_folder(environment) == wanted


def test_a_machine_without_any_home_is_told_what_to_set() -> None:
    with pytest.raises(Trouble, match="Set FOUREYES_HOME"):
        folder.default_folder({})
