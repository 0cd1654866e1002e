"""U-59: messages are true. The spool's part is in tests/postgres/test_spooled_peers.py."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import FOUREYES, Running
from tests.doors_used import COMMAND, RECORD
from tests.use.clocked import clocked
from tests.use.laptop import foureyes, repository, result_of, review
from tests.use.served import SHIPPED, started

pytestmark = pytest.mark.timeout(180)
SECONDS_MAX = 30
SECRET = "whsec_" + base64.b64encode(b"x" * 32).decode()
READ = [{"what": "hello.py", "why": "read all of it, it greets as the title says"}]


@pytest.mark.door("command", policy="server")
def test_policy_diff_compares_with_what_the_server_judges_by(tmp_path: Path) -> None:
    """U-59: the policy file changed after the server started; until it is started again, the old one judges."""
    file = tmp_path / "server.yaml"
    text = (SHIPPED / "server.yaml").read_text(encoding="utf-8")
    file.write_text(text, encoding="utf-8")
    server = Running(tmp_path / "home")
    with started(server, "server", {"FOUREYES_POLICY": str(file)}) as up:
        assert "They say the same." in up.run("policy", "diff", str(file)).stdout
        file.write_text(text.replace("{production: 1}", "{production: 2}"), encoding="utf-8")
        told = up.run("policy", "diff", str(file))
        assert "They say the same." not in told.stdout
        assert "stricter" in told.stdout, told.stdout
    again = Running(tmp_path / "home")
    again.environment["FOUREYES_POLICY"] = str(file)
    with again:
        assert "They say the same." in again.run("policy", "diff", str(file)).stdout


@pytest.mark.door("page", policy="server")
def test_found_nothing_never_stands_above_a_finding(tmp_path: Path) -> None:
    """U-59: neither of a reviewer who approved beside a minor finding, nor of programs that raised one."""
    with started(Running(tmp_path / "home"), "server", {}) as up:
        dev, ann = up.account("dev"), up.account("ann")
        text = "import pickle\n\n\ndef load(data):\n    return pickle.loads(data)\n"
        opened = dev.call("open_review", kind="script", title="x", files=[{"path": "hello.py", "text": text}])["review"]
        finding = {"severity": "minor", "text": "The name could be better.", "place": {"path": "hello.py", "start": 4}}
        said = ann.call("report", review=opened, revision=1, verdict="approve", findings=[finding], evidence=READ)
        assert said.is_ok, said.text
        until = time.monotonic() + SECONDS_MAX
        while "of programs" not in (page := up.page(f"/reviews/{opened}")) and time.monotonic() < until:
            time.sleep(0.2)
        assert "annapproves" in page
        assert "annfound nothing" not in page
        raised = {one["raiser"] for one in up.human.call("read_review", review=opened)["review"]["findings"]}
        if raised - {"ann"}:
            assert "of programs, which found nothing" not in page
        plain = dev.call("open_review", kind="script", title="y", files=[{"path": "hello.py", "text": "x = 1\n"}])
        again = ann.call("report", review=plain["review"], revision=1, verdict="approve", evidence=READ)
        assert again.is_ok, again.text
        assert "annfound nothing" in up.page(f"/reviews/{plain['review']}")


@pytest.mark.parametrize(
    ("name", "kind"),
    [("plan.md", "plan"), ("my-plan.txt", "plan"), ("PLAN.md", "plan"), ("planet.md", "code"), ("plan.py", "code")],
)
@pytest.mark.door("command", policy="solo")
def test_a_document_that_is_called_a_plan_is_judged_as_one(tmp_path: Path, name: str, kind: str) -> None:
    """U-59: `foureyes review plan.md`."""
    work = repository(tmp_path / "work")
    (work / name).write_text("# 1. Count the boats\n\n# 2. Say how many\n", encoding="utf-8")
    assert result_of(review(work, name, "--json"))["kind"] == kind


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://ci.example.com/hook", "it is not encrypted"),
        ("http://127.0.0.1:9/hook", "it is not encrypted"),
        ("https://10.1.2.3/hook", "its address is not public"),
        ("https://localhost/hook", "its address is not public"),
    ],
)
@pytest.mark.door("command", policy="policy")
def test_an_address_that_would_be_refused_is_refused_at_start(tmp_path: Path, url: str, why: str) -> None:
    """U-59: not when the first message is lost."""
    server = Running(tmp_path / "home")
    policy = _notifying(tmp_path, url)
    RECORD.note(COMMAND, policy.stem)
    ran = subprocess.run(
        [FOUREYES, "up", "--port", "0"],
        env={**server.environment, "FOUREYES_POLICY": str(policy), "HOOK": SECRET},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    told = ran.stdout + ran.stderr
    assert ran.returncode != 0, told
    assert f"the url of a webhook would be refused: {why}" in told
    assert url not in told, "an address may hold a key"


@pytest.mark.door("http", policy="policy")
def test_a_webhook_carries_the_sentence(tmp_path: Path) -> None:
    """U-59: a program hears in one line what people are told, and not what a reviewer said."""
    with _hearing() as (url, heard):
        environment = {"FOUREYES_NOTIFY_PRIVATE": "127.0.0.0/8", "HOOK": SECRET}
        policy = str(_notifying(tmp_path, url))
        with started(Running(tmp_path / "home"), "server", {**environment, "FOUREYES_POLICY": policy}) as up:
            dev, auditor = up.account("dev", "core_developer"), up.account("auditor", "auditor")
            work = {"type": "create_core", "title": "A core", "artifacts": {"code": "x = 1\n"}}
            asked = dev.call("request_review", **work)["id"]
            auditor.call("get_review", reviewId=asked)
            feedback = {"overall": "Not yet.", "concerns": ["It has no secret tests."]}
            said = auditor.call("submit_review", reviewId=asked, status="CHANGES_REQUESTED", feedback=feedback)
            assert said.is_ok, said.text
            until = time.monotonic() + SECONDS_MAX
            while not (found := _sentences(heard, asked)) or len(found) < 2:
                assert time.monotonic() < until, heard
                time.sleep(0.2)
        assert all(one.endswith(": A core") for one in found.values()), found
        assert "Changes" in found["RevisionRequested"]
        assert "secret tests" not in json.dumps(heard)


@pytest.mark.door("http", policy="policy")
def test_a_webhook_tells_no_secret_of_the_work(tmp_path: Path) -> None:
    """U-51: a title that quotes the password of the work is told without it, also after the work has lost it."""
    password = "tR4-marble-Quokka-77"
    with _hearing() as (url, heard):
        environment = {"FOUREYES_NOTIFY_PRIVATE": "127.0.0.0/8", "HOOK": SECRET}
        policy = str(_notifying(tmp_path, url))
        with started(Running(tmp_path / "home"), "server", {**environment, "FOUREYES_POLICY": policy}) as up:
            dev, auditor = up.account("dev", "core_developer"), up.account("auditor", "auditor")
            work = {"type": "create_core", "title": f"Rotate {password}"}
            code = {"code": f'password = "{password}"\n'}
            asked = dev.call("request_review", **work, artifacts=code)["id"]
            auditor.call("get_review", reviewId=asked)
            feedback = {"overall": "Not yet.", "concerns": ["It has no tests."]}
            said = auditor.call("submit_review", reviewId=asked, status="CHANGES_REQUESTED", feedback=feedback)
            assert said.is_ok, said.text
            again = {"reviewId": asked, "changes_made": "It is gone.", "artifacts": {"code": "import os\n"}}
            assert dev.call("request_re_review", **again).is_ok
            until = time.monotonic() + SECONDS_MAX
            while max((one["data"].get("revision", 0) for one in heard), default=0) < 2:
                assert time.monotonic() < until, heard
                time.sleep(0.2)
        assert "Rotate [secret removed" in json.dumps(heard)
        assert password not in json.dumps(heard)


@pytest.mark.door("http", policy="peer")
def test_the_audit_says_why_the_clock_asked_somebody_else(tmp_path: Path) -> None:
    """U-59: a reviewer who did not answer is named in the row of whoever is asked instead."""
    with clocked(tmp_path, "peer") as (up, clock):
        dev = up.account("dev", "core_developer")
        for name, role in (("auditor", "auditor"), ("tester", "tester")):
            up.account(name, role)
        work = {"type": "create_core", "title": "A core", "artifacts": {"code": "x = 1\n"}}
        asked = dev.call("request_review", **work)
        assert asked["reviewer"] == "auditor"
        until = time.monotonic() + 2 * SECONDS_MAX
        while dev.call("get_review", reviewId=asked["id"])["reviewer"] != "tester":
            assert time.monotonic() < until
            clock.wait(minutes=16)
            jumped = time.monotonic()
            while dev.call("get_review", reviewId=asked["id"])["reviewer"] != "tester":
                if time.monotonic() > jumped + 1.5:
                    break
                time.sleep(0.1)
        rows = up.human.call("audit", review=asked["id"])["rows"]
        given = [one for one in rows if one["actor"] == "clock" and one.get("asks") == "tester"]
        assert [one["why"] for one in given] == ["auditor did not answer in time; revision 1"], rows


def _notifying(folder: Path, url: str) -> Path:
    file = folder / "policy.yaml"
    text = (SHIPPED / "server.yaml").read_text(encoding="utf-8")
    hook = json.dumps({"url": url, "secret": "${HOOK}"})
    file.write_text(f"{text}notify: {{webhooks: [{hook}]}}\n", encoding="utf-8")
    return file


@contextmanager
def _hearing() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A program on loopback that records notifications."""
    heard = list[dict[str, Any]]()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/hook", heard
        server.shutdown()
        thread.join()


def _sentences(heard: list[dict[str, Any]], name: str) -> dict[str, str]:
    data = [one["data"] for one in heard if one["data"].get("review") == name]
    return {one["event"]: one["sentence"] for one in data if "sentence" in one}


@pytest.mark.door("command", policy="solo")
def test_doctor_names_the_store_of_local_reviews(tmp_path: Path) -> None:
    """U-59: after any number of local reviews it said that there was no store yet."""
    work = repository(tmp_path / "work")
    said = " ".join(foureyes(work, "doctor").stdout.split())
    assert "store none yet" in said
    assert review(work, "--no-agents", "-q").returncode == 0
    checks = {str(one["name"]): one for one in result_of(foureyes(work, "doctor", "--json"))["checks"]}  # type: ignore[attr-defined]
    assert "store" not in checks
    found = checks["local reviews"]
    assert found["state"] == "works"
    assert str(found["says"]).startswith(str(tmp_path / "person/.local/share/foureyes/local.db"))


@pytest.mark.parametrize("arguments", [(), ("--json",), ("--markdown",)])
@pytest.mark.door("command", policy="solo")
def test_a_review_whose_output_nobody_reads_keeps_its_exit_code(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """U-59: `foureyes review | head` ended with 1, internal, instead of 2."""
    work = repository(tmp_path / "work")
    (work / "run.sh").write_text("rm -rf / --no-preserve-root\n", encoding="utf-8")
    environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(sys.path)}
    RECORD.note(COMMAND, "solo")
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ran = subprocess.run(
            [str(FOUREYES), "review", "--no-agents", *arguments],
            cwd=work,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    finally:
        os.close(writing)
    assert ran.returncode == 2, ran.stderr
    assert "Traceback" not in ran.stderr
    assert "BrokenPipe" not in ran.stderr
