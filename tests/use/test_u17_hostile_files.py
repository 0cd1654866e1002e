"""U-17: a file that takes a program too long never blocks the server; the program is cut off as inconclusive."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.running import Running
from tests.conftest import EFFORT
from tests.use.clearing import text_file
from tests.use.served import DOORS, HTTP, SHIPPED, Caller, Served, served

pytestmark = pytest.mark.door("http", "mcp", policy=("chains", "solo"))

#: Quadratic time in the parser of shell scripts, just below the size that the programs refuse to parse.
SLOW = ("[1]" * 50 + "\n") * 290
#: A text that once blocked a server for half a minute.
SEEN = "[1]" * 33_333
DANGEROUS = "rm -rf /\n"
#: Loaded machines are slow; a server that is stopped by a parser is slower by far.
ANSWERS_WITHIN_SECONDS = 8.0
#: In `team` code is judged as in `solo`: that is for the long helping.
POLICIES = ("solo", "chains", *(("team",) if EFFORT == "all" else ()))
LIMITS = {"FOUREYES_CRITIC_FILE_SECONDS": "1", "FOUREYES_CRITIC_WORK_SECONDS": "4"}


@dataclass(frozen=True)
class House:
    """A started server and the name of its policy."""

    served: Served
    policy: str

    @property
    def human(self) -> Caller:
        """The human who started it."""
        return self.served.human

    @property
    def first(self) -> str:
        """The first program that reads the file: in a chain the format critic."""
        return "format" if self.policy == "chains" else "security"

    @property
    def callers(self) -> dict[str, Caller]:
        """The author, and the clerk whose layer precedes the programs in a chain."""
        return self.served.callers


@pytest.fixture(scope="module", params=POLICIES)
def house(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with served(tmp_path_factory.mktemp(request.param), request.param, **LIMITS) as one:
        one.account("dev", "agent")
        one.account("clerk", "seldon")
        yield House(served=one, policy=request.param)


def opened(house: House, door: str, **files: str) -> str:
    """Open work of the author, with the layers before the programs of a chain passed."""
    sent = [text_file(path.replace("_", "."), text) for path, text in files.items()]
    author = house.callers["dev"].at(door)
    kind = "security_change" if house.policy == "chains" else "code"
    review = str(author.call("open_review", kind=kind, title=f"By {door}", files=sent)["review"])
    if house.policy == "chains":
        clerk = house.callers["clerk"]
        clerk.call("read_work", review=review)
        evidence = [{"what": "x.sh is a shell script with one statement a line", "why": "read it"}]
        words = {"revision": 1, "verdict": "approve", "summary": "The form is right: x.sh", "evidence": evidence}
        answer = clerk.call("report", review=review, **words)
        assert answer.is_ok, answer.text
    return review


def failures(house: House, review: str) -> list[tuple[str, str]]:
    """The inconclusive reviewers so far, with reasons."""
    rows = house.human.call("audit", review=review)["rows"]
    return [(one["who"], one["why"]) for one in rows if one["type"] == "ReportFailed"]


def until_failed(house: House, review: str, program: str) -> str:
    """Why the program has no answer."""
    end = time.monotonic() + 40
    while time.monotonic() < end:
        for who, why in failures(house, review):
            if who == program:
                return why
        time.sleep(0.1)
    return ""


def is_answered(house: House, review: str, program: str) -> bool:
    """Wait until the program has reported, or is inconclusive with a reason."""
    end = time.monotonic() + 40
    while time.monotonic() < end:
        rows = house.human.call("audit", review=review)["rows"]
        if any(one["who"] == program and one["type"] in ("ReportFailed", "ReportSubmitted") for one in rows):
            return True
        time.sleep(0.1)
    return False


@contextmanager
def asking_health(caller: Caller) -> Iterator[list[float]]:
    """Measure the answers of `/health` while the block runs."""
    took: list[float] = []
    stop = threading.Event()

    def ask() -> None:
        while not stop.is_set():
            began = time.monotonic()
            assert caller.raw("GET", "/health").status == 200
            took.append(time.monotonic() - began)
            stop.wait(0.05)

    asker = threading.Thread(target=ask)
    asker.start()
    try:
        yield took
    finally:
        stop.set()
        asker.join()


@pytest.mark.parametrize("door", DOORS)
def test_a_program_that_a_file_holds_up_is_cut_off_and_the_server_answers_meanwhile(house: House, door: str) -> None:
    """U-17: the reason names the file and the limit; the program neither approves nor vetoes."""
    dev = house.callers["dev"]
    with asking_health(dev) as took:
        review = opened(house, door, x_sh=f"# {door}\n{SLOW}")
        why = until_failed(house, review, house.first)
    assert why == f"the program {house.first} was cut off after 1 seconds on x.sh"
    assert took
    assert max(took) < ANSWERS_WITHIN_SECONDS
    seen = house.human.call("read_review", review=review)["review"]
    assert house.first not in [one["reviewer"]["name"] for one in seen["reports"]]
    assert seen["vetoed"] == []
    assert dev.call("gate", digest=seen["digest"])["state"] != "cleared"
    dev.call("withdraw", review=review, reason="It was a test.")


@pytest.mark.parametrize("door", DOORS)
def test_the_request_that_once_stopped_a_server_is_answered_and_clears_nothing(house: House, door: str) -> None:
    """U-17: the very bytes of the finding."""
    dev = house.callers["dev"]
    with asking_health(dev) as took:
        review = opened(house, door, x_sh=f"{SEEN}{door}")
        assert is_answered(house, review, house.first)
    assert max(took) < ANSWERS_WITHIN_SECONDS
    digest = house.human.call("read_review", review=review)["review"]["digest"]
    assert dev.call("gate", digest=digest)["state"] != "cleared"
    dev.call("withdraw", review=review, reason="It was a test.")


@pytest.mark.door("http", policy=("chains", "solo"))
def test_what_was_found_in_the_other_files_is_told(house: House) -> None:
    """U-17: a slow file hides nothing that stands beside it."""
    dev = house.callers["dev"]
    review = opened(house, HTTP, x_sh=f"# beside\n{SLOW}", y_sh=DANGEROUS)
    assert "on x.sh" in until_failed(house, review, house.first)
    found = [one["rule"] for one in house.human.call("read_review", review=review)["review"]["findings"]]
    # A chain does not continue while its first program has no answer.
    asked = house.first == "security"
    assert ("security.destructive.delete-root" in found) is asked
    dev.call("withdraw", review=review, reason="It was a test.")


def children_of(pid: int) -> set[int]:
    """The processes that a process started and that still live."""
    found = set[int]()
    for one in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = one.read_text(encoding="utf-8").rpartition(")")[2].split()[:2]
            if int(parent) == pid and state != "Z":
                found.add(int(one.parent.name))
    return found


@pytest.mark.door("http", policy=("chains", "solo"))
def test_a_child_that_is_killed_is_replaced_and_the_program_has_no_answer(house: House) -> None:
    """U-17: whatever ends a child, the review goes on without that program's word, and the next work is read."""
    dev, server = house.callers["dev"], house.served.server.process.pid
    review = opened(house, HTTP, x_sh=f"# killed\n{SLOW}")
    end = time.monotonic() + 40
    killed = set[int]()
    while not failures(house, review) and time.monotonic() < end:
        for child in children_of(server):
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
                killed.add(child)
        time.sleep(0.05)
    assert killed
    assert any("crashed" in why or "cut off" in why for _, why in failures(house, review))
    digest = house.human.call("read_review", review=review)["review"]["digest"]
    assert dev.call("gate", digest=digest)["state"] != "cleared"
    dev.call("withdraw", review=review, reason="It was a test.")
    after = opened(house, HTTP, x_sh=f"# after\n{DANGEROUS}")
    assert is_answered(house, after, "security")
    assert "security" not in [who for who, _ in failures(house, after)]
    dev.call("withdraw", review=after, reason="It was a test.")


@pytest.mark.door("command", policy="solo")
def test_a_review_at_the_command_line_ends_inconclusive(tmp_path: Path) -> None:
    """U-17: exit code 4, and the sentence names the file and the limit."""
    (tmp_path / "x.sh").write_text(SLOW, encoding="utf-8")
    program = Running(tmp_path / "home")
    program.environment |= {"FOUREYES_POLICY": str(SHIPPED / "solo.yaml"), **LIMITS}
    done = program.run("review", str(tmp_path / "x.sh"), "--no-agents", timeout=120)
    assert done.returncode == 4, done.stdout
    assert "was cut off after 1 seconds on" in done.stdout
