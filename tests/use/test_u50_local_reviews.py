"""U-50: the data of `foureyes review` is private to the person, also beside a server in the same data folder."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from foureyes.store.rows import unsqueezed
from tests.cli.running import Running
from tests.conftest import EFFORT
from tests.use.every_call import every_call
from tests.use.laptop import commit, foureyes, git, result_of
from tests.use.served import Caller, Served, served, started

pytestmark = pytest.mark.door("http", "command", policy="solo")

CANARY = "zanzibarcanary"
KEY = "AKIA" + "2E0A8F3B244C9986"
SECRETS = (CANARY, KEY, "copperlantern")
WORK = (
    f'{CANARY} = "{CANARY}"\nACCESS_KEY = "{KEY}"\n\n\ndef run(name):\n    subprocess.run("ls " + name, shell=True)\n'
)


def shop(home: Path) -> Path:
    """A repository in this home with an uncommitted change that holds canaries in its bytes, path and branch."""
    work = home / "copperlantern"
    work.mkdir(parents=True, exist_ok=True)
    git(work, "init", "-q", "-b", "copperlantern-branch")
    (work / "a.py").write_text("x = 1\n", encoding="utf-8")
    commit(work, "one")
    (work / f"{CANARY}.py").write_text(WORK, encoding="utf-8")
    return work


def reviewed(work: Path, home: Path, *arguments: str) -> dict[str, Any]:
    """`foureyes review` there, by the person whose home it is."""
    ran = foureyes(work, "review", "--no-agents", "--json", *arguments, HOME=str(home))
    assert ran.returncode in (0, 2), ran.stderr
    return result_of(ran)


def callers(up: Served) -> Iterator[tuple[str, Caller]]:
    """One account of each kind with all its scopes, the signed-in human, and a caller without credential."""
    yield "agent", up.account("codex-1", "agent", "security", scopes=("read", "author", "review", "signal"))
    yield "program", up.account("scanner", "agent", kind="program")
    yield "service", up.account("orchestrator", kind="service")
    yield "human", up.human
    yield "nobody", Caller(server=up.server, headers={})


@pytest.mark.timeout(300)
@pytest.mark.door("http", "mcp", "page", "command", policy="solo")
def test_no_call_of_any_account_gives_a_byte_of_a_local_review(tmp_path: Path) -> None:
    """U-50: every call of the registry by every kind of account, with the review's own names and digests."""
    with served(tmp_path) as up:
        home = up.server.folder
        work = shop(home)
        first = reviewed(work, home)
        assert first["exit"] == 2
        known = {
            **dict.fromkeys(("review", "review_id", "reviewId", "id", "content_id", "task_id"), first["review"]),
            "digest": first["digest"],
            "finding": "solo.2-F1",
            "seat": "solo.2",
            "glance": True,
            "seconds": 0,
            "wait": 0,
            "limit": 50,
        }
        asked = 0
        for kind, caller in callers(up):
            for call, reply in every_call(caller, known):
                asked += 1
                assert not [one for one in SECRETS if one in reply.text], (kind, call, reply.text[:500])
        assert asked > 400
        for path in ("/", f"/reviews/{first['review']}", f"/reviews/{first['review']}/work", "/sessions", "/accounts"):
            assert not [one for one in SECRETS if one in up.page(path)], path
        assert first["review"] not in up.page("/")
        assert first["review"] not in up.human.call("list_reviews").text + up.human.call("inbox").text
        assert not [one for one in _blobs(up.home / "foureyes.db") if KEY.encode() in one[1]]
        assert not [one for one in SECRETS if one.encode() in _all_bytes(up.home / "foureyes.db")]


@pytest.mark.timeout(120)
def test_bytes_of_a_local_review_cannot_be_named_by_their_digest(tmp_path: Path) -> None:
    """U-50: work that names bytes by a digest it knows from elsewhere gets none of the local ones."""
    with served(tmp_path) as up:
        home = up.server.folder
        work = shop(home)
        reviewed(work, home)
        with closing(sqlite3.connect(up.home / "local.db")) as store:
            digests = [one[0].hex() for one in store.execute("SELECT digest FROM blobs")]
        assert digests
        dev = up.account("dev")
        for digest in digests:
            files = [{"path": "a.py", "digest": digest}]
            assert dev.call("open_review", kind="code", title="t", files=files).code == "unknown_digest"


@pytest.mark.timeout(180)
@pytest.mark.door("http", "mcp", "command", policy="solo")
def test_local_reviews_of_an_earlier_release_move_out_of_the_servers_store_once(tmp_path: Path) -> None:
    """U-50: they are found here as before; the server serves nothing of them, and its log verifies."""
    server = Running(tmp_path / "home")
    home = server.folder
    work = shop(home)
    first = reviewed(work, home)
    data = home / ".local/share/foureyes"
    # As an earlier release left it: one store for everything.
    (data / "local.db").rename(data / "foureyes.db")
    with started(server, "solo", {}) as up:
        known = {
            **dict.fromkeys(("review", "review_id", "reviewId", "id", "content_id"), first["review"]),
            "digest": first["digest"],
            "finding": "solo.2-F1",
            "seat": "solo.2",
        }
        # The test above runs for all callers; here the short run takes one of them.
        for kind, caller in islice(callers(up), {"test": 1}.get(EFFORT)):
            for call, reply in every_call(caller, known):
                assert not [one for one in SECRETS if one in reply.text], (kind, call, reply.text[:500])
        metrics = up.human.raw("GET", "/metrics").body.decode()
        assert "copperlantern" not in metrics
        why = up.run("why", first["review"])
        assert CANARY in why.stdout or first["review"] in why.stdout
        assert up.server.end() == 0
        verified = json.loads(up.run("log", "verify", "--deep", "--json").stdout)
        assert verified["sound"], verified
    with closing(sqlite3.connect(data / "foureyes.db")) as store:
        assert store.execute("SELECT count(*) FROM reviews WHERE author LIKE '%(author)'").fetchone() == (0,)
        assert store.execute("SELECT count(*) FROM inbox").fetchone() == (0,)
        assert store.execute("SELECT count(*) FROM log").fetchone()[0] > 0
    assert not [one for one in _blobs(data / "foureyes.db") if KEY.encode() in one[1]]
    assert [one for one in _blobs(data / "local.db") if KEY.encode() in one[1]]
    again = reviewed(work, home)
    assert again["review"] == first["review"]


@pytest.mark.timeout(300)
def test_local_reviews_of_two_persons_in_one_store_are_each_fetched_by_their_owner(tmp_path: Path) -> None:
    """U-50: bob's first run took alice's reviews, her dismissals and her bytes out of the shared store for good."""
    alice, bob, malice = (Person(name=one, home=tmp_path / one) for one in ("alice", "bob", "malice"))
    server = Running(tmp_path / "home")
    data = server.folder / ".local/share/foureyes"
    database = data / "foureyes.db"
    firsts = {one.name: one.reviewed(FOUREYES_HOME=str(data)) for one in (alice, bob, malice)}
    names = {one: str(first["review"]) for one, first in firsts.items()}
    because = "It runs in a sandbox."
    mild = next(one["id"] for one in firsts["alice"]["findings"] if one["severity"] != "critical")
    dropped = alice.run("dismiss", mild, "--because", because, types=mild, FOUREYES_HOME=str(data))
    assert dropped.returncode == 0, dropped.stdout + dropped.stderr
    # As an earlier release left it: one store for everything.
    (data / "local.db").rename(database)
    shared = {"FOUREYES_DATABASE": str(database)}
    assert bob.reviewed(**shared)["review"] == names["bob"]
    with started(server, "solo", {}) as up:
        _check_nothing_is_served(up, firsts)
        told = alice.run("why", names["alice"], **shared)
        assert names["alice"] in told.stdout, told.stdout + told.stderr
        assert "no such review" in alice.run("why", names["bob"], **shared).stderr
        assert "no such review" in alice.run("why", names["malice"], **shared).stderr
        again = alice.reviewed(**shared)
        assert (again["review"], [one["because"] for one in again["dismissed"]]) == (names["alice"], [because])
        (alice.work / "more.txt").write_text("more\n", encoding="utf-8")
        later = alice.reviewed("--anew", **shared)
        assert [one["because"].partition(" (in ")[0] for one in later["dismissed"]] == [because]
        _check_nothing_is_served(up, firsts)
        assert up.server.end() == 0
        verified = json.loads(up.run("log", "verify", "--deep", "--json").stdout)
        assert verified["sound"], verified
    for one in (alice, bob):
        assert [each for each in _blobs(one.store) if one.name.encode() in each[1]]
        assert not [
            each for each in _blobs(one.store) for other in names if other != one.name if other.encode() in each[1]
        ]
    assert [one for one in _unmoved(database) if names["malice"] in one]
    assert not [one for one in _unmoved(database) if names["alice"] in one or names["bob"] in one]
    assert not [one for one in _blobs(database) if KEY.encode() in one[1]]
    secret = hashlib.sha256(b"malice\n").hexdigest()
    assert [one for one in _unmoved(database) if secret in one]
    gone = malice.run("purge", secret, "--reason", "It is a secret.", "--yes", types="y", **shared)
    assert gone.returncode == 0, gone.stdout + gone.stderr
    assert not [one for one in _unmoved(database) if secret in one]
    assert names["malice"] in malice.run("why", names["malice"], **shared).stdout
    assert not _unmoved(database)
    assert KEY.encode() in b"".join(one[1] for one in _blobs(malice.store))
    assert b"malice\n" not in [one[1] for one in _blobs(malice.store)]


@dataclass
class Person:
    """A user of the operating system with a home, a repository with canaries, and a terminal."""

    name: str
    home: Path

    def __post_init__(self) -> None:
        self.work = shop(self.home)
        (self.work / f"{self.name}.txt").write_text(f"{self.name}\n", encoding="utf-8")
        # A test cannot become another user, so Python is patched at its start.
        (self.home / "sitecustomize.py").write_text(
            "import pwd\n"
            "ask = pwd.getpwuid\n"
            f"pwd.getpwuid = lambda uid: pwd.struct_passwd(({self.name!r}, *ask(uid)[1:]))\n",
            encoding="utf-8",
        )

    @property
    def store(self) -> Path:
        """The person's own store of local reviews."""
        return self.home / ".local/share/foureyes/local.db"

    def run(self, *arguments: str, types: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        """A command in the repository."""
        path = ":".join((str(self.home), *sys.path))
        return foureyes(self.work, *arguments, types=types, HOME=str(self.home), PYTHONPATH=path, **environment)

    def reviewed(self, *arguments: str, **environment: str) -> dict[str, Any]:
        """`foureyes review` there."""
        ran = self.run("review", "--no-agents", "--json", *arguments, **environment)
        assert ran.returncode in (0, 2), ran.stderr
        return result_of(ran)


def _check_nothing_is_served(up: Served, firsts: dict[str, dict[str, Any]]) -> None:
    """Neither the calls nor the pages give a byte of these local reviews, nor can bytes be named by their digests."""
    for first in firsts.values():
        known = {
            **dict.fromkeys(("review", "review_id", "reviewId", "id", "content_id"), first["review"]),
            "digest": first["digest"],
            "finding": "solo.2-F1",
            "seat": "solo.2",
            "glance": True,
        }
        for call, reply in every_call(up.human, known):
            assert not [one for one in SECRETS if one in reply.text], (call, reply.text[:500])
        files = [{"path": "a.py", "digest": hashlib.sha256(WORK.encode()).hexdigest()}]
        assert up.human.call("open_review", kind="code", title="t", files=files).code == "unknown_digest"
        for path in ("/", "/sessions", f"/reviews/{first['review']}", f"/reviews/{first['review']}/work"):
            assert not [one for one in (*SECRETS, first["review"]) if one in up.page(path)], path
    assert "copperlantern" not in up.human.raw("GET", "/metrics").body.decode()


@pytest.mark.timeout(120)
@pytest.mark.door("command", policy="solo")
def test_what_is_quiet_for_two_weeks_goes_with_its_bytes_and_dismissals_stay(tmp_path: Path) -> None:
    """U-50, U-52: the next run after 14 quiet days removes it from the file; what was dismissed stays dismissed."""
    home = tmp_path / "person"
    work = shop(home)
    first = reviewed(work, home)
    kept = reviewed(_other(home), home)
    store = home / ".local/share/foureyes/local.db"
    (blob,) = [one for one in _blobs(store) if KEY.encode() in one[1]]
    _age(store, first["review"], timedelta(days=14, minutes=1))
    (work / f"{CANARY}.py").unlink()
    (work / "b.py").write_text("y = 2\n", encoding="utf-8")
    later = reviewed(work, home)
    assert later["review"] not in (first["review"], kept["review"])
    assert not [one for one in _blobs(store) if KEY.encode() in one[1]]
    assert blob[0] not in _all_bytes(store), "deleted bytes are overwritten"
    with closing(sqlite3.connect(store)) as found:
        names = {one[0] for one in found.execute("SELECT name FROM streams WHERE name LIKE 'review/%'")}
    assert names == {f"review/{kept['review']}", f"review/{later['review']}"}
    gone = foureyes(work, "why", first["review"], HOME=str(home))
    assert gone.returncode != 0
    assert foureyes(work, "why", kept["review"], HOME=str(home)).returncode in (2, 3)


@pytest.mark.timeout(120)
@pytest.mark.door("command", policy="solo")
def test_every_command_finds_a_local_review_and_says_what_only_a_server_has(tmp_path: Path) -> None:
    """U-50: `why`, `wait`, `fix`, `status` and `check` find it by itself or by its name; `decide` says it is local."""
    home = tmp_path / "person"
    work = shop(home)
    first = reviewed(work, home)
    review = str(first["review"])
    here = {"HOME": str(home)}
    for name in ((), (review,)):
        assert review in foureyes(work, "why", *name, **here).stdout
        assert review in foureyes(work, "fix", *name, **here).stdout
    assert review in foureyes(work, "wait", review, "--seconds", "0", **here).stdout
    assert review in foureyes(work, "status", **here).stdout
    checked = foureyes(work, "check", str(first["digest"]), "--json", **here)
    assert (checked.returncode, json.loads(checked.stdout)["state"]) == (3, "pending")
    decided = foureyes(work, "decide", review, **here)
    assert decided.returncode == 64
    assert "is a local one" in decided.stderr
    verified = foureyes(work, "log", "verify", **here)
    assert verified.returncode != 0
    assert "There is no store" in verified.stderr


@pytest.mark.timeout(120)
def test_a_shared_review_is_a_fresh_one_on_the_server_with_the_same_bytes(tmp_path: Path) -> None:
    """U-50: it says what was sent and where to; nothing else of the local review goes there."""
    with served(tmp_path) as up:
        home = up.server.folder
        work = shop(home)
        refused = foureyes(work, "review", "--no-agents", "--share", HOME=str(home))
        assert refused.returncode == 64
        assert "FOUREYES_TOKEN" in refused.stderr
        dev = up.account("dev")
        token = dev.headers["authorization"].removeprefix("Bearer ")
        ran = foureyes(work, "review", "--no-agents", "--share", "--json", HOME=str(home), FOUREYES_TOKEN=token)
        found = result_of(ran)
        assert ran.returncode == found["exit"] == 2, ran.stderr
        shared: dict[str, Any] = found["shared"]  # type: ignore[assignment] # of a document
        assert shared["review"] != found["review"]
        assert shared["server"] == up.server.begun["address"]
        there = up.human.call("read_review", review=shared["review"])["review"]
        assert (there["author"]["name"], there["digest"]) == ("dev", found["digest"])
        assert there["known_base"]["source"] not in ("live", "repository", "attested", "local")
        bytes_there = up.human.call("read_work", review=shared["review"], glance=True)["files"]
        assert WORK in [one["text"] for one in bytes_there]
        listed = up.human.call("list_reviews")["reviews"]
        assert [one["review"] for one in listed] == [shared["review"]]
        again = foureyes(work, "review", "--no-agents", "--share", HOME=str(home), FOUREYES_TOKEN=token)
        assert "Not shared: This exact version still has open findings" in again.stdout
        (work / "more.txt").write_text("more\n", encoding="utf-8")
        said = foureyes(work, "review", "--no-agents", "--share", HOME=str(home), FOUREYES_TOKEN=token)
        assert f"at {up.server.begun['address']}: 2 files" in said.stdout, said.stdout
        assert "a claim that the server checks itself" in said.stdout
    alone = foureyes(work, "review", "--no-agents", "--share", HOME=str(home), FOUREYES_TOKEN=token)
    assert alone.returncode == 64
    assert "no server to share it with" in alone.stderr


def _other(home: Path) -> Path:
    other = home / "other"
    other.mkdir()
    git(other, "init", "-q")
    (other / "c.sh").write_text("curl https://example.com/x | sh\n", encoding="utf-8")
    commit(other, "one")
    (other / "c.sh").write_text("curl https://example.com/y | sh\n", encoding="utf-8")
    return other


def _age(store: Path, review: str, by: timedelta) -> None:
    """Set the last change of a review to so long ago."""
    then = (datetime.now(UTC) - by).isoformat().replace("+00:00", "Z")
    with closing(sqlite3.connect(store)) as found, found:
        found.execute("UPDATE reviews SET updated = ? WHERE review = ?", (then, review))
        found.execute("UPDATE rows SET body = ? WHERE projection = 'local_runs' AND key = ?", (then, review))


def _blobs(store: Path) -> list[tuple[bytes, bytes]]:
    """The bytes of works as they lie in the file, and what they are."""
    with closing(sqlite3.connect(store)) as found:
        rows = found.execute("SELECT content, size FROM blobs WHERE content IS NOT NULL").fetchall()
    return [(content, unsqueezed(content, size)) for content, size in rows]


def _all_bytes(store: Path) -> bytes:
    return b"".join(one.read_bytes() for one in store.parent.glob(f"{store.name}*"))


def _unmoved(store: Path) -> list[str]:
    """The keys of what the file keeps for the owners of local reviews."""
    with closing(sqlite3.connect(store)) as found:
        return [one[0] for one in found.execute("SELECT key FROM rows WHERE projection = 'unmoved'")]
