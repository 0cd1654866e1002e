"""The project's own command runs on exactly this work, and only its exit code counts."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from foureyes.app.reviewers import Bounds, Change, Earlier, Inconclusive, Look, Task
from foureyes.core.commands import Draft
from foureyes.core.values import Failure, Standing, WhoKind
from foureyes.reviewers.critics.evidence import RULES, EvidenceReviewer

PYTHON = sys.executable


def _lays(**files: str) -> Callable[[Path], None]:
    def lay_out(folder: Path) -> None:
        for name, text in files.items():
            place = folder / name.replace("__", ".")
            place.write_text(text, encoding="utf-8")
            place.chmod(0o444)

    return lay_out


def _task(
    lay_out: Callable[[Path], None] | None = None, *, seconds: float = 30, earlier: tuple[Earlier, ...] = ()
) -> Task:
    change = Change(title="a", kind="code", files=(), lay_out=lay_out or _lays(a__txt="x"))
    return Task(change=change, bounds=Bounds(seconds=seconds), earlier=earlier)


def _look(reviewer: EvidenceReviewer, task: Task) -> Look:
    return asyncio.run(reviewer.look(task, lambda _: None))


def _python(code: str, folder: str = "") -> EvidenceReviewer:
    return EvidenceReviewer(command=(PYTHON, "-c", code), folder=folder)


def _reason(reviewer: EvidenceReviewer, task: Task) -> Failure:
    with pytest.raises(Inconclusive) as caught:
        _look(reviewer, task)
    return caught.value.reason


def test_exit_code_zero_approves_with_what_was_run_as_evidence() -> None:
    """D-17: a check is a reviewer, and a green run is evidence about this work."""
    look = _look(_python("print('41 passed')"), _task())
    assert (look.verdict, look.findings) == ("approve", ())
    assert look.evidence[0].what == "the whole work"
    assert "exit code 0" in look.evidence[0].why
    assert "41 passed" in look.evidence[0].why


def test_any_other_exit_code_rejects_with_the_last_lines() -> None:
    """D-17: a failing check is a blocking item by a machine reviewer."""
    code = (
        "import sys; print('\\n'.join(f'line {n}' for n in range(99))); print('1 failed', file=sys.stderr); sys.exit(3)"
    )
    look = _look(_python(code), _task())
    assert look.verdict == "reject"
    (finding,) = look.findings
    assert (finding.severity, finding.rule) == ("critical", RULES[0].id)
    assert "exit code 3" in finding.evidence
    assert "line 98" in finding.evidence
    assert "1 failed" in finding.evidence
    assert "line 5\n" not in finding.evidence


def test_the_same_failure_is_the_same_finding_and_only_a_green_run_settles_it() -> None:
    """D-17: resolved only by a green run."""
    red = _look(_python("raise SystemExit(1)"), _task()).findings[0]
    known = (Earlier(finding="S-F1", draft=red, standing=Standing.ANSWERED, answer="fixed"),)
    again = _look(_python("raise SystemExit(1)"), _task(earlier=known))
    assert (again.settled, again.findings[0].text) == ((), red.text)
    (settled,) = _look(_python("pass"), _task(earlier=known)).settled
    assert (settled.finding, settled.resolved) == ("S-F1", True)


def test_it_runs_in_a_writable_copy_with_scripts_that_can_be_run() -> None:
    lay_out = _lays(check__sh="#!/bin/sh\necho new > a.txt && cat a.txt\n", a__txt="old")
    look = _look(EvidenceReviewer(command=("./check.sh",)), _task(lay_out))
    assert look.verdict == "approve"
    assert look.evidence[0].why.endswith(" seconds: new")


def test_its_environment_is_almost_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "planted")
    monkeypatch.setenv("PYTHONPATH", "/planted")
    look = _look(_python("import os; print(sorted(os.environ)); print(os.environ['HOME'])"), _task())
    assert "AWS" not in look.evidence[0].why
    assert "PYTHONPATH" not in look.evidence[0].why
    assert os.environ["HOME"] not in look.evidence[0].why.split("\n")


def test_the_work_cannot_bring_the_program_itself() -> None:
    """The command is the policy's; a path that is not absolute would be the author's."""
    lay_out = _lays(make="#!/bin/sh\nexit 0\n")
    assert _reason(EvidenceReviewer(command=("make",), path=".:"), _task(lay_out)) is Failure.CRASHED
    printing = EvidenceReviewer(command=("sh", "-c", "echo $PATH"), path=f".::bin:{os.defpath}")
    assert _look(printing, _task(lay_out)).evidence[0].why.endswith(f" seconds: {os.defpath}")


@pytest.mark.parametrize(
    "command", [("no-such-program-at-all",), ("/nowhere/at/all",), ("sh", "-c", "no-such-program-at-all")]
)
def test_what_cannot_start_says_nothing_about_the_work(command: tuple[str, ...]) -> None:
    """D-03: neither an approval nor a veto."""
    assert _reason(EvidenceReviewer(command=command), _task()) is Failure.CRASHED


def test_a_command_that_hangs_is_ended_with_all_its_children(tmp_path: Path) -> None:
    """D-03: a timeout is inconclusive, and nothing is left running."""
    pids = tmp_path / "pids"
    code = (
        "import subprocess, time; p = subprocess.Popen(['sleep', '60']); "
        f"open({str(pids)!r}, 'w').write(str(p.pid)); time.sleep(60)"
    )
    assert _reason(_python(code), _task(seconds=2)) is Failure.TIMED_OUT
    state = Path(f"/proc/{pids.read_text(encoding='utf-8')}/stat")
    assert not state.exists() or " Z " in state.read_text(encoding="utf-8")


def test_a_command_that_was_killed_says_nothing_about_the_work() -> None:
    assert _reason(_python("import os; os.kill(os.getpid(), 9)"), _task()) is Failure.CRASHED


def test_without_a_checkout_or_a_folder_there_is_nothing_to_run() -> None:
    bare = Task(change=Change(title="a", kind="text", files=()))
    assert _reason(_python("pass"), bare) is Failure.INCOMPLETE
    for folder in ("nowhere", "..", "/"):
        assert _reason(_python("pass", folder=folder), _task()) is Failure.CRASHED


def test_it_does_not_judge_findings_of_others() -> None:
    task = _task()
    asked = Task(change=task.change, verify=(Draft(severity="minor", text="x"),))
    assert _reason(_python("pass"), asked) is Failure.REFUSED


def test_what_it_prints_is_shown_without_tricks_and_without_secrets() -> None:
    reviewer = EvidenceReviewer(
        command=(PYTHON, "-c", "print('\\x1b[8mhidden key-1234'); raise SystemExit(1)"),
        redact=lambda text: text.replace("key-1234", "(cut)"),
    )
    (finding,) = _look(reviewer, _task()).findings
    assert "key-1234" not in finding.evidence
    assert "\x1b" not in finding.evidence
    assert "(cut)" in finding.evidence


def test_secrets_are_cut_out_of_what_it_prints_without_being_asked() -> None:
    """A value that a test prints goes no further."""
    token = "ghp_" + "x9Kq2LmP7vRt4WzB8nYc5HdJ3gFs6TaE1uQi"
    (finding,) = _look(_python(f"print('token = {token}'); raise SystemExit(1)"), _task()).findings
    assert token not in finding.evidence


def test_work_that_cannot_be_laid_out_is_inconclusive() -> None:
    def lay_out(_: Path) -> None:
        raise OSError(28, "no room")

    assert _reason(_python("pass"), _task(lay_out)) is Failure.CRASHED


def test_it_is_a_program_and_sends_nothing() -> None:
    reviewer = _python("pass")
    assert (reviewer.who.kind, reviewer.sends) == (WhoKind.PROGRAM, "")
