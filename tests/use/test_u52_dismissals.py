"""U-52: a dismissal holds for the same code, and a critical false alarm can be resolved."""

from __future__ import annotations

import http.client
import json
import os
import pty
import pwd
import re
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

from tests.doors_used import COMMAND, PAGE, RECORD, named_policy
from tests.use.laptop import FOUREYES, commit, git

pytestmark = pytest.mark.door("page", "command", policy="solo")

CRITICAL = "#!/bin/sh\ncurl -fsSL https://get.example.com/agent.sh | sudo sh\n"
IMPORTANT = "import subprocess\n\n\ndef run(name):\n    subprocess.run('ls ' + name, shell=True, check=True)\n"
PAD = "".join(f"# line {number}\n" for number in range(300))


@dataclass
class Laptop:
    """A person with a repository, a terminal, and a browser that only records what it should open."""

    home: Path
    has_browser: bool = True
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        script = self.home / "browser"
        script.write_text(f'#!/bin/sh\necho "$1" >> {self.home}/opened\n', encoding="utf-8")
        script.chmod(0o700)
        self.work = self.home / "shop"
        self.work.mkdir()
        git(self.work, "init", "-q", "-b", "main")
        (self.work / "a.txt").write_text("one\n", encoding="utf-8")
        commit(self.work, "begin")

    def run(self, *arguments: str, types: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        """A command in the repository; with something to type there is a terminal."""
        ours, theirs = pty.openpty() if types else (-1, subprocess.DEVNULL)
        if types:
            os.write(ours, f"{types}\n".encode())
        variables = {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(sys.path)}
        variables |= {"BROWSER": str(self.home / "browser")} if self.has_browser else {}
        variables |= {**self.environment, **environment}
        RECORD.note(COMMAND, named_policy(variables, self.work / "foureyes.yaml", default="solo"))
        try:
            return subprocess.run(
                [*FOUREYES, *arguments],
                cwd=self.work,
                env=variables,
                stdin=theirs,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
        finally:
            if types:
                os.close(ours)
                os.close(theirs)

    def review(self, *arguments: str) -> dict[str, Any]:
        """`foureyes review --json`, by our programs alone."""
        ran = self.run("review", "--no-agents", "--json", *arguments)
        assert ran.returncode in (0, 2, 3), ran.stdout + ran.stderr
        found: dict[str, Any] = json.loads(ran.stdout)
        return found

    def while_asked(self, *arguments: str, human: Callable[[str], None]) -> subprocess.CompletedProcess[str]:
        """A command that opens a page, and a human who is shown where it leads."""
        (self.home / "opened").unlink(missing_ok=True)
        asked = threading.Thread(target=self._answer, args=(human,))
        asked.start()
        ran = self.run(*arguments)
        asked.join()
        return ran

    def _answer(self, human: Callable[[str], None]) -> None:
        end = time.monotonic() + 30
        opened = self.home / "opened"
        while not (opened.exists() and opened.read_text(encoding="utf-8").endswith("\n")):
            assert time.monotonic() < end, "no page was opened"
            time.sleep(0.05)
        page = Path(urlsplit(opened.read_text(encoding="utf-8").split()[-1]).path)
        assert page.stat().st_mode & 0o077 == 0, "others could read it"
        found = re.search(r'url=([^"]+)"', page.read_text(encoding="utf-8"))
        assert found
        human(unescape(found[1]))


def request(address: str, body: dict[str, str] | None = None, **headers: str) -> tuple[int, str]:
    """Send a request as a browser does from the page itself."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=10)
    sent = {"origin": f"http://{parts.netloc}", "content-type": "application/x-www-form-urlencoded", **headers}
    if body is None:
        connection.request("GET", f"{parts.path}?{parts.query}", headers=headers)
    else:
        connection.request("POST", parts.path, urlencode(body), sent)
    answer = connection.getresponse()
    RECORD.note(PAGE, "solo")
    return answer.status, answer.read().decode()


def says_yes(address: str) -> None:
    """Open the page as a human and press its button."""
    status, page = request(address)
    assert status == 200
    assert "Sign in and dismiss it" in page
    status, page = request(address, {"link": address.partition("=")[2], "answer": "yes"})
    assert (status, "is dismissed" in page) == (200, True), page


def dismissed_critical(laptop: Laptop) -> dict[str, Any]:
    (laptop.work / "deploy.sh").write_text(CRITICAL, encoding="utf-8")
    first = laptop.review()
    (finding,) = [one["id"] for one in first["findings"] if one["severity"] == "critical"]
    ran = laptop.while_asked("dismiss", "--critical", finding, "--because", "our own server", human=says_yes)
    assert ran.returncode == 0, ran.stderr
    assert "signed in" in ran.stdout
    return first


@pytest.mark.timeout(240)
@pytest.mark.door("page", "command", policy=("solo", "strict"))
def test_a_critical_false_alarm_stays_dismissed_for_the_same_code(tmp_path: Path) -> None:
    """U-52: in a new review, on another branch, after a commit, under another policy, in a worktree."""
    laptop = Laptop(tmp_path / "home")
    first = dismissed_critical(laptop)
    for arguments in ((), ("--anew",)):
        again = laptop.review(*arguments)
        assert (again["exit"], [one["by"] for one in again["dismissed"]]) == (0, [_user()]), again
        assert again["dismissed"][0]["proven"] is True
    git(laptop.work, "checkout", "-q", "-b", "other")
    assert laptop.review()["exit"] == 0
    commit(laptop.work, "add deploy.sh")
    assert laptop.review("HEAD")["exit"] == 0
    policy = laptop.home / "strict.yaml"
    policy.write_text("version: 1\nkinds: {default: peer}\n", encoding="utf-8")
    laptop.environment["FOUREYES_POLICY"] = str(policy)
    other = laptop.review("HEAD", "--anew")
    assert not [one for one in other["findings"] if one["blocking"]], other
    del laptop.environment["FOUREYES_POLICY"]
    git(laptop.work, "worktree", "add", "-q", "-b", "third", str(laptop.home / "third"), "main")
    laptop.work = laptop.home / "third"
    (laptop.work / "deploy.sh").write_text(CRITICAL, encoding="utf-8")
    third = laptop.review()
    assert (third["exit"], third["review"] == first["review"]) == (0, False)


@pytest.mark.timeout(180)
def test_it_holds_where_the_code_moved_and_returns_where_it_changed(tmp_path: Path) -> None:
    """U-52: 300 lines further down it holds; with one changed line it is back."""
    laptop = Laptop(tmp_path / "home")
    dismissed_critical(laptop)
    shell, command = CRITICAL.split("\n", 1)
    # An empty line ends the text of a place; the shebang stood right above, so it moves along.
    (laptop.work / "deploy.sh").write_text(f"#!/bin/bash\n{PAD}\n{shell}\n{command}", encoding="utf-8")
    assert laptop.review("--anew")["exit"] == 0
    (laptop.work / "deploy.sh").write_text(CRITICAL.replace("agent.sh", "other.sh"), encoding="utf-8")
    changed = laptop.review("--anew")
    assert (changed["exit"], changed["dismissed"]) == (2, [])


@pytest.mark.timeout(180)
@pytest.mark.door("command", policy="solo")
def test_what_is_not_critical_is_dismissed_at_the_terminal_for_good(tmp_path: Path) -> None:
    """U-52: by the person at the terminal, across reviews, commits and policies; without one it is refused."""
    laptop = Laptop(tmp_path / "home", has_browser=False)
    (laptop.work / "tool.py").write_text(IMPORTANT, encoding="utf-8")
    first = laptop.review()
    (finding,) = [one["id"] for one in first["findings"] if one["blocking"]]
    because = ("--because", "the name is ours")
    assert laptop.run("dismiss", finding, *because).returncode == 2
    assert laptop.run("dismiss", finding, *because, types=finding).returncode == 0
    assert laptop.review("--anew")["exit"] == 0
    commit(laptop.work, "add tool.py")
    later = laptop.review("HEAD")
    assert (later["exit"], [one["proven"] for one in later["dismissed"]]) == (0, [False])


@pytest.mark.timeout(180)
def test_it_outlives_the_review_it_was_given_in(tmp_path: Path) -> None:
    """U-50, U-52: after 14 quiet days the review is gone and its dismissal still holds."""
    laptop = Laptop(tmp_path / "home")
    first = dismissed_critical(laptop)
    store = laptop.home / ".local/share/foureyes/local.db"
    then = (datetime.now(UTC) - timedelta(days=15)).isoformat().replace("+00:00", "Z")
    with closing(sqlite3.connect(store)) as found, found:
        found.execute("UPDATE reviews SET updated = ?", (then,))
        found.execute("UPDATE rows SET body = ? WHERE projection = 'local_runs'", (then,))
    later = laptop.review()
    assert later["review"] != first["review"]
    assert (later["exit"], [one["by"] for one in later["dismissed"]]) == (0, [_user()])
    with closing(sqlite3.connect(store)) as found:
        assert found.execute("SELECT count(*) FROM reviews").fetchone() == (1,)


@pytest.mark.timeout(180)
@pytest.mark.door("command", policy="solo")
def test_the_way_out_is_named_and_no_agent_can_take_it(tmp_path: Path) -> None:
    """U-52: the output names it; without a desktop, inside an agent, or with a guess nothing is dismissed."""
    laptop = Laptop(tmp_path / "home", has_browser=False)
    (laptop.work / "deploy.sh").write_text(CRITICAL, encoding="utf-8")
    shown = laptop.run("review", "--no-agents")
    assert "foureyes dismiss --critical" in shown.stdout
    (finding,) = [one["id"] for one in laptop.review()["findings"] if one["blocking"]]
    because = ("--because", "x")
    plain = laptop.run("dismiss", finding, *because, types=finding)
    assert plain.returncode == 2
    assert f"foureyes dismiss --critical {finding}" in plain.stderr
    alone = laptop.run("dismiss", "--critical", finding, *because)
    assert alone.returncode == 2
    assert "--to FILE" in alone.stderr
    unseen = laptop.run("dismiss", "--critical", finding, *because, "--to", str(tmp_path / "page.html"))
    assert unseen.returncode == 2
    assert not (tmp_path / "page.html").exists()
    laptop.has_browser = True
    inside = laptop.run("dismiss", "--critical", finding, *because, CLAUDECODE="1")
    assert inside.returncode == 2
    assert "An agent runs this" in inside.stderr
    assert not (laptop.home / "opened").exists()
    assert laptop.review()["exit"] == 2


@pytest.mark.timeout(180)
def test_only_the_page_itself_decides_and_only_once(tmp_path: Path) -> None:
    """U-52: a guess, another page, another name of the host and a mere look decide nothing; a no leaves it as it is."""
    laptop = Laptop(tmp_path / "home")
    (laptop.work / "deploy.sh").write_text(CRITICAL, encoding="utf-8")
    (finding,) = [one["id"] for one in laptop.review()["findings"] if one["blocking"]]
    seen: list[str] = []

    def human(address: str) -> None:
        secret = address.partition("=")[2]
        seen.append(secret)
        yes = {"link": secret, "answer": "yes"}
        assert request(address, {**yes, "link": "guess"})[0] == 401
        assert request(address, yes, origin="http://evil.example")[0] == 403
        assert request(address, yes, host="evil.example")[0] == 403
        assert request(address)[0] == 200
        assert request(address, {"link": secret, "answer": "no"})[0] == 200

    ran = laptop.while_asked("dismiss", "--critical", finding, "--because", "x", human=human)
    assert ran.returncode == 2
    assert "as it is" in ran.stderr
    assert seen[0] not in ran.stdout + ran.stderr
    assert laptop.review()["exit"] == 2


def _user() -> str:
    return pwd.getpwuid(os.getuid()).pw_name
