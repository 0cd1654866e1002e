"""U-30: a call's help explains its fields, its exit code gives the result, and a success names the next step."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from foureyes.app.calls.bodies import taken
from foureyes.app.calls.field_words import Explained, explained
from foureyes.app.calls.registry import CALLS
from foureyes.cli.calling import OFFERED, call, spelt
from tests.shape import ROOT
from tests.use.served import DOORS, HTTP, Served, served

REFERENCE = (ROOT / "docs/reference/http.md").read_text(encoding="utf-8")
#: Options of every command, which are not fields of the call.
OPTIONS = frozenset(("body", "server", "token_file", "home", "database", "as_json", "json", "debug"))
#: The example in the help of an option.
EXAMPLE = re.compile(r" Example: (.*?)\.( A text, JSON or @FILE\.| JSON or @FILE\.| Needed\.|$| \S*[a-z_]: )")
TOLD = ("digest", "next_step", "next_call")


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A started server with the default policy, an author and reviewers."""
    with served(tmp_path_factory.mktemp("help"), "server") as found:
        for name, role in (("dev", "core_developer"), ("auditor", "auditor"), ("ann", "agent"), ("codex", "reviewer")):
            found.account(name, role)
        yield found


def _own(name: str) -> list[Explained]:
    return [one for one in explained(CALLS[name].form) if "." not in one.place]


@pytest.mark.parametrize("name", sorted(CALLS))
def test_every_field_has_a_meaning_and_an_example_that_the_call_takes(name: str) -> None:
    """U-30: of every call, with the fields of what a field holds."""
    needed = {one.place: one.example for one in _own(name) if one.needed}
    for one in explained(CALLS[name].form):
        assert re.fullmatch(r"[A-Z].{3,120}[^.]", one.meaning), one
        if one.allowed and isinstance(one.example, str):
            assert one.example.lower() in {word.lower() for word in one.allowed}, one
        if "." not in one.place:
            taken(CALLS[name].form, {**needed, one.place: one.example})


@pytest.mark.parametrize("name", sorted(OFFERED))
def test_the_help_and_the_reference_say_the_same_of_every_field(name: str) -> None:
    """U-30: meaning, allowed words and example; nested fields such as `place.start` too."""
    shown = " ".join(CliRunner().invoke(call, [name, "--help"], env={"COLUMNS": "200"}).output.split())
    page = REFERENCE.partition(f"\n### {OFFERED[name].name}\n")[2].partition("\n### ")[0]
    for one in explained(OFFERED[name].form):
        assert one.meaning in shown, (name, one.place)
        if "The body is the bytes themselves." in page:
            continue
        assert f"| `{one.place}` |" in page
        assert one.meaning in page
        for word in one.allowed:
            assert word in shown, (name, one.place)
            assert f"`{word}`" in page, (name, one.place)


@pytest.mark.parametrize("name", sorted(OFFERED))
def test_every_example_that_the_help_prints_is_read_by_its_own_command(name: str) -> None:
    """U-30: the whole command, and each option's example, as a shell hands them over; the call takes what was read."""
    command = call.get_command(click.Context(call), name)
    assert command is not None
    typed = shlex.split(str(command.epilog).removeprefix("Example: "))
    assert typed[:3] == ["foureyes", "call", name]
    whole = _read(command, typed[3:])
    taken(OFFERED[name].form, whole)
    fields = {row.place for row in explained(OFFERED[name].form)}
    for one in (one for one in command.params if isinstance(one, click.Option) and one.name in fields):
        words = EXAMPLE.search(str(one.help))
        assert words, one.help
        taken(OFFERED[name].form, whole | _read(command, [one.opts[0], *shlex.split(words[1])]))


def _read(command: click.Command, typed: list[str]) -> dict[str, Any]:
    """The fields that a command line gives, read by the command's own options."""
    fields = command.make_context(str(command.name), typed, resilient_parsing=False).params
    return {name: one for name, one in fields.items() if one is not None and name not in OPTIONS}


@pytest.mark.door("command", policy="server")
def test_a_text_is_content_as_it_stands_and_a_slip_in_json_is_none(up: Served, tmp_path: Path) -> None:
    """U-30: the help's own example is content; what begins as an object and is none is refused."""
    token = tmp_path / "token"
    token.write_text(up.callers["dev"].headers["authorization"].removeprefix("Bearer "), encoding="utf-8")
    token.chmod(0o600)

    def said(command: str, *typed: str) -> subprocess.CompletedProcess[str]:
        return up.run("call", command, *typed, "--token-file", str(token), "--json")

    text = "A world where tides power all cities."
    sent = said("submit-content", "--content-type", "story", "--content", text)
    assert sent.returncode == 0, sent.stderr
    content = json.loads(sent.stdout)
    assert content["content"] == text
    new = said("revise-content", "--content-id", content["content_id"], "--content", '"Quoted," it began.')
    assert (new.returncode, json.loads(new.stdout)["content"]) == (0, '"Quoted," it began.'), new.stderr
    value = said("submit-content", "--content-type", "story", "--content", '{"title": "Tides"}')
    assert json.loads(value.stdout)["content"] == {"title": "Tides"}
    slip = said("submit-content", "--content-type", "story", "--content", '{"title": "Tides",}')
    assert slip.returncode == 64
    assert "this is not JSON" in slip.stderr + slip.stdout


@pytest.mark.door("http", "command", policy="server")
def test_the_installed_command_shows_what_newcomers_looked_for(up: Served) -> None:
    """U-30: `--verdict TEXT  A text.` and an unknown `place.line` were all that there was."""
    shown = " ".join(up.run("call", "report", "--help").stdout.split())
    for words in (
        "--verdict [approve|",
        "The reviewer's word on the version. Example: approve.",
        "[].place.start: The first line; lines count from 1.",
        "Example: foureyes call report --review q7m3kx2v9p4t --revision 1",
    ):
        assert words in shown, shown
    wrong = {"severity": "important", "text": "x", "place": {"path": "a.py", "line": 3}}
    refused = up.callers["ann"].call("report", review="x", revision=1, verdict="concerns", findings=[wrong])
    assert (refused.code, refused.data["fields"]["known_fields"]) == (
        "bad_value",
        ["path", "start", "end", "context_hash"],
    )
    assert "The fields there are: path, start, end" in refused.text


@pytest.mark.door("command", policy="server")
def test_the_exit_code_follows_the_call(up: Served, tmp_path: Path) -> None:
    """U-30: handing content in succeeds though it may not graduate yet; asking whether it may does not."""
    token = tmp_path / "token"
    token.write_text(up.callers["dev"].headers["authorization"].removeprefix("Bearer "), encoding="utf-8")
    token.chmod(0o600)

    def ran(name: str, *words: str) -> tuple[int, dict[str, Any]]:
        done = up.run("call", name, *words, "--token-file", str(token), "--json")
        return done.returncode, json.loads(done.stdout)

    code, sent = ran("submit-content", "--content-type", "story", "--content", '"A story about tides."')
    assert (code, sent["can_graduate"]) == (0, False)
    assert ran("read-content", "--content-id", sent["content_id"])[0] == 0
    assert ran("can-graduate", "--content-id", sent["content_id"])[0] == 2
    assert ran("gate", "--digest", sent["digest"])[0] == 2
    for row in _own("submit_content"):
        assert f"--{spelt(row.place)}" in up.run("call", "submit-content", "--help").stdout


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="server")
def test_a_success_names_ids_digest_seat_and_the_next_step(up: Served, door: str) -> None:
    """U-30: in the calls of every source document, through both doors that agents have."""
    dev, ann, auditor, codex = (up.callers[one].at(door) for one in ("dev", "ann", "auditor", "codex"))
    # Content has its own paths of HTTP, and no tools.
    sent = dev.at(HTTP).call("submit_content", content_type="story", content=f"A story over {door}.")
    ann.at(HTTP).call("read_content", content_id=sent["content_id"])
    given = ann.at(HTTP).call(
        "give_feedback",
        content_id=sent["content_id"],
        checked=[{"what": "the story", "why": "It is whole and reads well to the end."}],
    )
    work = {"type": "create_core", "title": "A core", "artifacts": {"code": f"x = 1  # {door}\n"}}
    asked = dev.call("request_review", **work)
    auditor.call("get_review", reviewId=asked["id"])
    feedback = {"overall": "Not yet.", "concerns": ["It has no tests."]}
    said = auditor.call("submit_review", reviewId=asked["id"], status="CHANGES_REQUESTED", feedback=feedback)
    run = dev.call("validate", output=f"A plain note over {door}.", chain="security")
    heard = dev.call("signal", session=f"s-{door}", type="milestone", summary=f"Done over {door}.")
    codex.call("review_requests", session=f"s-{door}")
    payload = {"verdict": "approved", "summary": "The summary says what was done, and it is."}
    result = codex.call("submit_result", session=f"s-{door}", payload=payload)
    for answer in (sent, given, asked, said, run, heard, result):
        assert answer.is_ok, answer.text
        assert all(answer[name] for name in TOLD), answer.text
        assert re.fullmatch("[0-9a-f]{64}", answer["digest"])
    assert (given["seat"], said["seat"], result["seat"]) == ("resolve.1", "peer.1", "session.1")
