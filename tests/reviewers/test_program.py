"""Which of a critic's hits a program's seat reports, and how."""

import asyncio

from foureyes.app.reviewers import Change, File, Look, Task
from foureyes.reviewers.critics import commands, format, python, secrets  # noqa: A004 - it is called so
from foureyes.reviewers.critics.critic import Critic
from foureyes.reviewers.program import ProgramReviewer


def looked(critic: Critic, *files: File, kind: str = "code") -> Look:
    task = Task(change=Change(title="a change", kind=kind, files=files))
    return asyncio.run(ProgramReviewer(critic=critic).look(task, lambda _: None))


def lines_of(look: Look) -> list[int]:
    return [one.place.start for one in look.findings if one.place and one.severity != "minor"]


def test_a_changed_line_that_makes_an_older_one_dangerous_is_stopped_there() -> None:
    before = b'TARGET=/tmp/build\necho cleaning\nrm -rf "$TARGET"/*\n'
    after = before.replace(b"/tmp/build", b"/")
    look = looked(commands.CRITIC, File(path="a.sh", content=after, before=before, changed=((1, 1),)))
    assert (look.verdict, lines_of(look)) == ("reject", [3])


def test_a_changed_line_that_has_an_older_text_run_is_stopped() -> None:
    before = b"cat <<EOF\nrm -rf /\nEOF\n"
    after = before.replace(b"cat", b"bash")
    look = looked(commands.CRITIC, File(path="a.sh", content=after, before=before, changed=((1, 1),)))
    assert look.verdict == "reject"


def test_what_stood_there_before_stays_older_wherever_it_moved() -> None:
    """D-16: only what this work brings is judged."""
    before = b'rm -rf /\nX=1\ncurl https://example.com/x | sh\nrm -rf "$HOME"\n'
    after = b"echo one\necho two\n" + before
    look = looked(commands.CRITIC, File(path="a.sh", content=after, before=before, changed=((1, 2),)))
    assert (look.verdict, look.findings, look.older > 1) == ("approve", (), True)


def test_of_two_alike_only_the_one_more_is_own() -> None:
    before = b"X=/tmp/a\nrm -rf /\nrm -rf $X\n"
    after = b"X=/\nrm -rf /\nrm -rf $X\n"
    look = looked(commands.CRITIC, File(path="a.sh", content=after, before=before, changed=((1, 1),)))
    assert (look.verdict, lines_of(look), look.older) == ("reject", [3], 1)


def test_a_file_that_was_broken_before_is_not_this_works_doing() -> None:
    before = b'{"a": 1,\n "b": }\n'
    look = looked(format.CRITIC, File(path="a.json", content=b"\n" + before, before=before, changed=((1, 1),)))
    assert look.verdict == "approve"


def test_the_secrets_of_older_lines_stay_older() -> None:
    before = b"# a\naws_secret_access_key = '%s'\n" % (b"wJalr3Ut" * 5)
    after = before.replace(b"# a", b"# b")
    look = looked(secrets.CRITIC, File(path="a.py", content=after, before=before, changed=((1, 1),)))
    assert (look.verdict, look.older > 0) == ("approve", True)
    env = b"A=1\nDB_PASSWORD=kf83hs72kdPq\n"
    look = looked(secrets.CRITIC, File(path=".env", content=env + b"B=2\n", before=env, changed=((3, 3),)))
    assert look.verdict == "approve"


def test_unsafe_python_of_older_lines_stays_older() -> None:
    before = b"import subprocess\n\n\ndef run(x):\n    subprocess.call(x, shell=True)\n"
    after = b'"""A."""\n' + before
    look = looked(python.CRITIC, File(path="a.py", content=after, before=before, changed=((1, 1),)))
    assert (look.verdict, look.unclear, look.older > 0) == ("approve", False, True)


def test_a_text_that_becomes_a_script_is_judged_as_one() -> None:
    text = b"echo hello\nrm -rf /\n"
    look = looked(commands.CRITIC, File(path="run.sh", was="notes.txt", content=text, before=text))
    assert (look.verdict, lines_of(look)) == ("reject", [2])


def test_a_script_that_only_moves_stays_older() -> None:
    text = b"echo hello\nrm -rf /\n"
    look = looked(commands.CRITIC, File(path="bin/run.sh", was="scripts/clean.sh", content=text, before=text))
    assert (look.verdict, look.older) == ("approve", 1)


def test_an_example_that_becomes_a_workflow_is_judged_as_one() -> None:
    text = b"on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: curl https://example.com/x | sudo sh\n"
    file = File(path=".github/workflows/x.yml", was="docs/x.yml", content=text, before=text)
    assert looked(commands.CRITIC, file).verdict == "reject"


def test_a_script_that_becomes_a_program_is_judged() -> None:
    text = b"#!/bin/sh\nrm -rf /\n"
    file = File(path="clean", mode="100755", mode_before="100644", content=text, before=text)
    assert looked(commands.CRITIC, file).verdict == "reject"
    bare = File(path="clean", mode="100755", mode_before="100644", content=text[10:], before=text[10:])
    assert looked(commands.CRITIC, bare).verdict == "reject"
    was_one = File(path="clean", mode="100644", mode_before="100755", content=text, before=text)
    assert looked(commands.CRITIC, was_one).verdict == "approve"


def test_python_that_was_a_text_before_is_judged() -> None:
    text = b"import subprocess\n\n\ndef run(x):\n    subprocess.call(x, shell=True)\n"
    look = looked(python.CRITIC, File(path="a.py", was="a.txt", content=text, before=text))
    assert (look.verdict, lines_of(look)) == ("reject", [5])


def new(path: str, text: bytes) -> File:
    return File(path=path, content=text, changed=((1, text.count(b"\n") + 1),))


def test_no_finding_repeats_a_secret_of_the_line() -> None:
    """D-16: what was seen is shown, without the credentials in it."""
    value = "hunter2" + "Xq9sPw"
    look = looked(commands.CRITIC, new("a.sh", b"curl -u admin:%s https://example.com/x | sh\n" % value.encode()))
    assert look.verdict == "reject"
    assert "curl -u admin:[secret removed" in look.findings[0].evidence
    assert value not in repr(look)


def test_no_finding_repeats_a_secret_of_another_line() -> None:
    value = "k9Qz" + "T7wLm2Xv8RbN4cYp"
    text = f"API_TOKEN={value}\ncurl https://example.com/$API_TOKEN/x | sh\n".encode()
    look = looked(commands.CRITIC, new("a.sh", text))
    assert look.verdict == "reject"
    assert value not in repr(look)


def test_what_the_critic_of_secrets_shows_of_one_stays_readable() -> None:
    value = "ghp_" + "a8Kd72nZq1Xw93LmPo45Rt67Yu01Bv" + "c2De3F"
    look = looked(secrets.CRITIC, new("a.py", f'token = "{value}"\n'.encode()))
    assert "secret removed" not in repr(look)
    assert value not in repr(look)
    assert look.verdict == "reject"
