"""The extra runs in its own process; whatever it does, the critic continues and reports it."""

import json
import os
import sys
from pathlib import Path

import pytest

from foureyes.reviewers.critics.critic import State
from foureyes.reviewers.critics.secrets import sweep_child
from foureyes.reviewers.critics.secrets.critic import SecretsCritic
from foureyes.reviewers.critics.secrets.sweep import LINE_MAX, MISSING, OUTPUT_MAX, Sweep, Swept, installed, sweep
from tests.critics.works import look, rules_of

LINES = [("a.py", 'x = "kzwq"'), ("b.py", "y = 2")]


def speaking(answer: object) -> list[str]:
    """A substitute for the extra with this answer."""
    return [sys.executable, "-c", f"import sys; sys.stdin.read(); print({json.dumps(json.dumps(answer))})"]


def test_its_answer_is_read_and_places_beyond_the_line_are_mended() -> None:
    answer = sweep(LINES, command=speaking([[0, 5, 9, "Password", 0.9], [1, -2, -2, "UUID", 7], [0, 2, 99, "Key", 1]]))
    assert answer == Sweep(
        swept=(
            Swept(index=0, start=5, end=9, rule="Password", score=0.9),
            Swept(index=1, start=0, end=5, rule="UUID", score=1.0),
            Swept(index=0, start=2, end=10, rule="Key", score=1.0),
        )
    )


@pytest.mark.parametrize(
    "answer",
    [
        None,
        {},
        "text",
        [1],
        [[0, 1, 2, "Password"]],
        [[9, 1, 2, "Password", 1]],
        [[-1, 1, 2, "Password", 1]],
        [[0, "1", 2, "Password", 1]],
        [[0, 1, 2, None, 1]],
    ],
)
def test_an_answer_in_another_shape_is_none(answer: object) -> None:
    assert sweep(LINES, command=speaking(answer)).trouble == "CredSweeper answered something unreadable"


def test_a_crash_a_flood_garbage_and_a_missing_program_are_said() -> None:
    crash = [sys.executable, "-c", "raise SystemExit(1)"]
    lacking = [sys.executable, "-c", f"raise SystemExit({sweep_child.INCOMPLETE})"]
    flood = [sys.executable, "-c", f"print('x' * {OUTPUT_MAX + 1})"]
    garbage = [sys.executable, "-c", "print('[' * 100000)"]
    assert sweep(LINES, command=crash).trouble == "CredSweeper crashed"
    assert "lacks a package" in sweep(LINES, command=lacking).trouble
    assert sweep(LINES, command=flood).trouble == "CredSweeper answered too much"
    assert sweep(LINES, command=garbage).trouble == "CredSweeper answered something unreadable"
    assert sweep(LINES, command=["/nowhere/at/all"]).trouble == "CredSweeper could not be started"


def test_one_that_hangs_is_killed_with_everything_it_started(tmp_path: Path) -> None:
    """D-16 aside: the time limit of the extra."""
    note = tmp_path / "pid"
    child = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(600)"
    parent = (
        "import subprocess, sys, time\n"
        f"subprocess.Popen([sys.executable, '-c', {child!r}, {str(note)!r}])\n"
        f"import os\nwhile not (os.path.exists({str(note)!r}) and os.path.getsize({str(note)!r})): time.sleep(0.01)\n"
        "time.sleep(600)\n"
    )
    answer = sweep(LINES, seconds=3, command=[sys.executable, "-c", parent])
    assert answer.trouble == "CredSweeper was stopped after 3 seconds"
    with pytest.raises(ProcessLookupError):
        os.kill(_reaped(int(note.read_text(encoding="utf-8"))), 0)


def _reaped(pid: int) -> int:
    """The process once it is gone: an orphan's last moments belong to the system."""
    status = Path(f"/proc/{pid}/status")
    while status.exists() and "zombie" not in status.read_text(encoding="utf-8"):
        pass
    return pid if not status.exists() else 2**22 + 1


def test_it_is_given_no_variable_of_the_user_and_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOUREYES_TEST_ONLY", "1")
    program = "import json, os, sys; sys.stdin.read(); print(json.dumps([[0, 0, 1, ','.join(sorted(os.environ)), 1]]))"
    (one,) = sweep(LINES, command=[sys.executable, "-c", program]).swept
    assert "FOUREYES_TEST_ONLY" not in one.rule
    assert "HOME" in one.rule


def test_without_the_extra_the_critic_says_so_and_looks_with_its_own_rules() -> None:
    text = "pass" + 'word = "hQ7tz!Lw2"\n'
    judged = look(SecretsCritic(sweeper=lambda _: Sweep(trouble=MISSING)), "a.py", text)
    assert judged.state is State.BLOCK
    assert "CredSweeper is not installed" in judged.looked_at
    assert "foureyes[secrets]" in judged.looked_at


def test_a_broken_extra_changes_nothing_but_what_is_said() -> None:
    text = "pass" + 'word = "hQ7tz!Lw2"\n'
    without = look(SecretsCritic(sweeper=lambda _: Sweep(trouble=MISSING)), "a.py", text)
    broken = look(SecretsCritic(sweeper=lambda _: Sweep(trouble="CredSweeper crashed")), "a.py", text)
    assert broken.hits == without.hits
    assert "CredSweeper crashed" in broken.looked_at


def test_what_it_finds_is_a_hit_at_its_line_under_our_rule() -> None:
    def sweeper(lines: object) -> Sweep:
        assert lines == [("a.py", 'auth = "wordy"')]
        return Sweep(swept=(Swept(index=0, start=8, end=13, rule="Auth", score=0.95),))

    judged = look(SecretsCritic(sweeper=sweeper), "a.py", 'x = 1\ny = 2\nauth = "wordy"\n')
    (hit,) = judged.hits
    assert (hit.line, hit.rule.id, hit.state) == (3, "security.secrets.token", State.BLOCK)
    assert "looked at 1 line" in judged.looked_at


def test_it_is_not_asked_where_no_line_could_hold_a_secret() -> None:
    def sweeper(_: object) -> Sweep:
        raise AssertionError("asked")

    assert look(SecretsCritic(sweeper=sweeper), "a.py", "x = 1\nprint('hello')\n").hits == ()


def test_it_is_not_given_lines_that_are_too_long_and_that_is_said() -> None:
    seen: list[object] = []

    def sweeper(lines: object) -> Sweep:
        seen.append(lines)
        return Sweep()

    judged = look(SecretsCritic(sweeper=sweeper), "a.py", "key = 1\n" + "key " * LINE_MAX + "\n")
    assert seen == [[("a.py", "key = 1")]]
    assert "1 were left out" in judged.looked_at


def test_identifiers_are_one_note_for_each_file_and_only_in_the_thorough_look() -> None:
    one = "0b0a5f5e-7c5e-4c55-9d5e-3d5f0f0a7b11"
    text = f"x\nINSERT INTO t VALUES ('{one}');\nINSERT INTO t VALUES ('{one[::-1]}');\n"
    thorough = look(SecretsCritic(sweeper=lambda _: Sweep()), "a.sql", text)
    assert [(hit.rule.id, hit.line, hit.state) for hit in thorough.hits] == [("security.secrets.uuid", 2, State.CLEAR)]
    assert rules_of(look(SecretsCritic(sweeper=lambda _: Sweep(trouble=MISSING)), "a.sql", text)) == set()


def test_the_real_one_finds_what_it_is_made_for_or_is_said_to_be_missing() -> None:
    answer = sweep([("a.py", "pass" + 'word = "hQ7tz!Lw2"'), ("a.py", "x = 1")])
    assert answer.trouble == ("" if installed() else MISSING)
    assert [one.index for one in answer.swept] == ([0] if installed() else [])
