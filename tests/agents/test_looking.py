"""An agent reviews the work it is given, and whatever it does, the review continues."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from foureyes.app.reviewers import Inconclusive, Look, Task
from foureyes.core.values import Failure
from foureyes.reviewers import agents
from foureyes.reviewers.prompts import framing
from tests.agents.fakes import ANSWER, KEYS, NAMES, Place, nobody_listens, task
from tests.reviewers.notebook import Notebook

#: Messages of agents that are over their limit, not logged in, refused or without a network.
LIMITED = {
    "claude": 'print(json.dumps(dict(type="result", subtype="success", is_error=True, api_error_status=429, '
    'result="You\'ve hit your session limit · resets 2pm (UTC)"))); sys.exit(1)',
    "codex": 'print(json.dumps({"type": "error", "message": "You’ve hit your usage limit. Try again at 2:00 PM."}), '
    "flush=True); time.sleep(3600)",
    "gemini": 'print("Attempt 1 failed with status 429. Retrying with backoff... Please retry in 3600s.", '
    "file=sys.stderr, flush=True); time.sleep(3600)",
}
STRANGERS = {
    "claude": 'print(json.dumps(dict(type="result", is_error=True, result="Not logged in · Please run /login")))',
    "codex": 'print(json.dumps({"type": "error", "message": "unexpected status 401 Unauthorized"}), flush=True); '
    "time.sleep(3600)",
    "gemini": 'print("at a line\\n", json.dumps({"error": {"message": "API key not valid.", "code": 400}}, indent=1), '
    'sep="", file=sys.stderr); sys.exit(144)',
}
REFUSING = {
    "claude": 'print(json.dumps(dict(type="result", is_error=True, stop_reason="refusal", result="no")))',
    "codex": 'print(json.dumps({"type": "turn.completed", "usage": {}}))',
    "gemini": 'print(json.dumps({"response": "", "stats": {}}))',
}
CUT_OFF = {
    "claude": 'print(json.dumps(dict(type="result", is_error=True, result="API Error: Unable to connect to API")))',
    "codex": 'print(json.dumps({"type": "error", "message": "Reconnecting... waiting for network"}), flush=True); '
    "time.sleep(3600)",
    "gemini": 'print(json.dumps({"error": {"message": "exception TypeError: fetch failed", "code": 1}})); sys.exit(1)',
}
OVER_BUDGET = (
    'print(json.dumps(dict(type="result", subtype="error_max_budget_usd", is_error=True, total_cost_usd=1.0)))'
)


def look(place: Place, name: str, what: Task | None = None) -> Look:
    return asyncio.run(place.reviewer(name).look(what or task(), nobody_listens))


def none(place: Place, name: str, body: str, what: Task | None = None) -> Inconclusive:
    """The reason given for an agent without an answer."""
    place.install(name, body)
    with pytest.raises(Inconclusive) as caught:
        look(place, name, what)
    return caught.value


@pytest.mark.parametrize("name", NAMES)
def test_what_an_agent_found_is_handed_in(place: Place, name: str) -> None:
    place.install(name, f"says({ANSWER!r})")
    found = look(place, name)
    assert found.verdict == "reject"
    assert [(one.severity, one.place.path, one.place.start) for one in found.findings if one.place] == [
        ("critical", "app.py", 5)
    ]
    assert found.cost.tokens == 1000
    assert found.evidence


@pytest.mark.parametrize("name", NAMES)
def test_whoever_looks_again_after_a_crash_does_not_run_the_agent_again(
    place: Place, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = tmp_path / "ran"
    place.install(name, f"open({str(ran)!r}, 'a').write('once\\n'); says({ANSWER!r})")
    book = Notebook()
    first = look(place, name, replace(task(), once=book.once))
    monkeypatch.setattr(framing, "_SECRET", b"another process has another")
    assert look(place, name, replace(task(), once=book.again().once)) == first
    assert ran.read_text(encoding="utf-8") == "once\n"


def test_a_login_is_not_written_down_with_what_went_wrong(place: Place) -> None:
    book = Notebook()
    key = KEYS["ANTHROPIC_API_KEY"]
    body = f'print(json.dumps(dict(type="result", is_error=True, result="bad key {key}")))'
    none(place, "claude", body, replace(task(), once=book.once))
    assert book.written
    assert key not in str(book.written)


def test_money_is_known_only_where_it_was_paid(place: Place) -> None:
    """D-09."""
    place.install("claude", f"says({ANSWER!r})")
    paid = look(place, "claude")
    token = place.reviewer("claude", CLAUDE_CODE_OAUTH_TOKEN="t" * 20)
    subscribed = asyncio.run(token.look(task(), nobody_listens))
    assert (paid.cost.usd_micro, paid.cost_known) == (12_500, True)
    assert (subscribed.cost.usd_micro, subscribed.cost_known) == (0, False)


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_gets_the_work_framed_on_its_input_and_nothing_of_it_as_an_argument(place: Place, name: str) -> None:
    """D-06."""
    place.install(name, f"says({ANSWER!r})")
    look(place, name)
    given = place.given()
    assert "os.system(command)" in given["asked"]
    assert "os.system(command)" not in " ".join(given["argv"])
    assert "The code of this message is" in given["asked"]


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_gets_no_variable_of_the_user_but_its_own_login(
    place: Place, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "of-the-user")
    place.install(name, f"says({ANSWER!r})")
    environ = {**KEYS, "GITHUB_TOKEN": "of-the-user", "HTTPS_PROXY": "http://proxy.example", "NODE_OPTIONS": "-r ./x"}
    asyncio.run(place.reviewer(name, **environ).look(task(), nobody_listens))
    given = place.given()["environ"]
    assert not {"AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "NODE_OPTIONS", "LD_PRELOAD"} & set(given)
    assert [one for one in KEYS.values() if one in given.values()] == [f"key-of-{name}"]
    assert given["HTTPS_PROXY"] == "http://proxy.example"
    assert given["TERM"] == "dumb"
    assert given["HOME"] != str(place.folder / "user")


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_finds_the_work_read_only(place: Place, name: str) -> None:
    place.install(name, f"says({ANSWER!r})")
    look(place, name)
    given = place.given()
    assert {path: mode for path, (mode, _) in given["work"].items()} == {"app.py": "0o444"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("print('I like it')", Failure.CRASHED),
        ("print('{' * 100_000)", Failure.CRASHED),
        ("sys.stdout.buffer.write(bytes(range(256)) * 100)", Failure.CRASHED),
        ("", Failure.CRASHED),
        (f"says({ANSWER!r}); sys.exit(3)", Failure.CRASHED),
        ("os.kill(os.getpid(), 9)", Failure.CRASHED),
        ("says(None, 'I approve of this.')", Failure.MALFORMED),
        ("says({'verdict': 'approve'})", Failure.MALFORMED),
        ("says({'approved': True, 'score': 10})", Failure.MALFORMED),
        ("says([1, 2, 3])", Failure.MALFORMED),
        ("sys.stdout.write('x' * 100 * 1024 * 1024)", Failure.MALFORMED),
        ("time.sleep(3600)", Failure.TIMED_OUT),
    ],
)
def test_an_agent_without_an_answer_is_inconclusive(place: Place, name: str, body: str, reason: Failure) -> None:
    """D-03."""
    found = none(place, name, body, task(seconds=1 if reason is Failure.TIMED_OUT else 20))
    assert found.reason is reason
    assert found.text


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_over_its_limit_says_until_when(place: Place, name: str) -> None:
    """D-03, D-09."""
    found = none(place, name, LIMITED[name])
    assert found.reason is Failure.OUT_OF_BUDGET
    assert found.until is not None
    assert "is over its limit until " in found.text
    assert name == "gemini" or "14:00 UTC" in found.text


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_that_is_not_logged_in_says_what_to_do(place: Place, name: str) -> None:
    """D-03."""
    found = none(place, name, STRANGERS[name])
    assert found.reason is Failure.CRASHED
    assert "is not logged in" in found.text
    assert "run " in found.text


@pytest.mark.parametrize("name", NAMES)
def test_a_model_that_refuses_neither_approves_nor_rejects(place: Place, name: str) -> None:
    """D-03."""
    assert none(place, name, REFUSING[name]).reason is Failure.REFUSED


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_without_a_network_is_not_waited_for(place: Place, name: str) -> None:
    """D-03."""
    found = none(place, name, CUT_OFF[name])
    assert found.reason is Failure.CRASHED
    assert "could not reach" in found.text


def test_an_agent_that_reached_the_most_it_may_cost_is_out_of_budget(place: Place) -> None:
    """D-09."""
    found = none(place, "claude", OVER_BUDGET)
    assert found.reason is Failure.OUT_OF_BUDGET
    assert found.cost.usd_micro == 1_000_000


@pytest.mark.parametrize("bound", [{"tokens": 999}, {"usd_micro": 12_499}])
def test_a_bound_that_was_passed_ends_it_with_what_was_found(place: Place, bound: dict[str, int]) -> None:
    """D-09."""
    found = none(place, "claude", f"says({ANSWER!r})", task(**bound))
    assert found.reason is Failure.OUT_OF_BUDGET
    assert found.found is not None
    assert found.found.findings
    assert found.cost.tokens == 1000


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("version", ["0.0.9", "no version", ""])
def test_an_agent_too_old_for_what_binds_it_is_not_asked(place: Place, name: str, version: str) -> None:
    place.install(name, f"says({ANSWER!r})", version=version or "\n")
    with pytest.raises(Inconclusive) as caught:
        look(place, name)
    assert caught.value.reason is Failure.CRASHED
    assert not (place.folder / "given.json").exists()


@pytest.mark.parametrize("name", NAMES)
def test_what_an_agent_writes_or_starts_is_gone_with_it(place: Place, name: str) -> None:
    body = (
        "for top in (os.environ['HOME'], os.environ['TMPDIR'], '.', '..'):\n"
        "    try:\n"
        "        os.makedirs(top + '/deep/er'); open(top + '/deep/er/left', 'w').write('x')\n"
        "        os.chmod(top + '/deep', 0)\n"
        "    except OSError: pass\n"
        "os.symlink('/', os.environ['HOME'] + '/link')\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(3600)'])\n"
        f"says({ANSWER!r})\n"
    )
    place.install(name, body)
    assert look(place, name).verdict == "reject"  # the fixture sees whether anything is left


def test_being_cancelled_leaves_nothing_behind(place: Place) -> None:
    place.install("claude", "time.sleep(3600)")

    async def cancelled() -> None:
        looking = asyncio.create_task(place.reviewer("claude").look(task(), nobody_listens))
        await asyncio.to_thread(place.wait_until_given)
        looking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await looking

    asyncio.run(cancelled())


@pytest.mark.parametrize("name", NAMES)
def test_one_real_call_tells_whether_an_agent_is_alive(place: Place, name: str) -> None:
    place.install(name, 'says({"ready": True})')
    health = asyncio.run(agents.health(place.reviewer(name)))
    assert health.alive
    assert health.version in {"2.1.197", "0.166.0", "0.61.0"}
    assert "1,000 tokens" in health.says
    assert place.given()["work"] == {}


@pytest.mark.parametrize("name", NAMES)
def test_one_real_call_tells_what_is_wrong_and_what_to_do(place: Place, name: str) -> None:
    place.install(name, STRANGERS[name])
    health = asyncio.run(agents.health(place.reviewer(name)))
    assert not health.alive
    agent = place.reviewer(name).agent
    key = f"the key in {next(one for one in KEYS if one in agent.login.called)}"
    assert health.says == f"{agent.cli.called} is not logged in, or no longer, with {key}"
    assert health.next_step == f"mend {key}, or unset it and {agent.cli.log_in}", "no login helps beside a key"


@pytest.mark.parametrize(
    ("name", "folder", "file", "kept"),
    [
        (
            "claude",
            ".claude",
            ".credentials.json",
            {"claudeAiOauth": {"accessToken": "a" * 9, "refreshToken": "r-" * 9}},
        ),
        ("codex", ".codex", "auth.json", {"tokens": {"access_token": "a" * 9, "refresh_token": "r-" * 9}}),
    ],
)
def test_a_copied_login_is_private_and_cannot_renew_itself(
    place: Place, name: str, folder: str, file: str, kept: object
) -> None:
    """D-16."""
    own = Path(place.environ()["HOME"]) / folder / file
    own.parent.mkdir()
    own.write_text(json.dumps(kept), encoding="utf-8")
    place.install(name, f"says({ANSWER!r})")
    asyncio.run(place.reviewer(name, NOTHING="1").look(task(), nobody_listens))
    copies = {path: found for path, found in place.given()["home"].items() if path.endswith(file)}
    [(path, (mode, text))] = copies.items()
    assert (path, mode) == (f"{folder}/{file}", "0o600")
    assert "a" * 9 in text
    assert "r-" not in text
    assert json.loads(own.read_text(encoding="utf-8")) == kept


def test_a_login_that_is_repeated_in_the_last_words_is_not_shown(place: Place) -> None:
    """D-16."""
    found = none(place, "gemini", "print('bad key ' + os.environ['GEMINI_API_KEY'], file=sys.stderr); sys.exit(1)")
    assert KEYS["GEMINI_API_KEY"] not in found.text
    assert "bad key" in found.text
