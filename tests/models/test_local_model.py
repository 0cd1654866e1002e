"""A real model holds two seats of a panel offline; it is too small to review, so its answers must not matter.

The whole command is run as a user runs it, on the repository with planted things and on the clean one beside it.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.reviewing.command import Said, User
from tools import local_model, planted

#: On an idle machine it takes a minute or two; a busy one is slow, not wrong.
SECONDS_MAX = 1_500
CONTEXT, SEATS = 8_192, 2
MODELS = ("haiku (endpoint:smollm2)", "sonnet (endpoint:smollm2)")
MODEL = {"model": "endpoint:smollm2"}
POLICY = json.dumps(
    {
        "version": 1,
        "mode": "watch",
        # The last one is not installed here, which must be reported.
        "reviewers": {"haiku": MODEL, "sonnet": MODEL, "agent": {"command": "claude"}},
        "kinds": {"default": "solo"},
        "panel": {"parallel_models": ["haiku", "sonnet"]},
    }
)
EXITS = {"nothing blocks": 0, "blocked": 2, "pending": 3, "inconclusive": 4}
#: Reasons that mean that the model was never asked or is not there.
UNASKED = ("could not be reached", "did not answer", "no answer within", "stopped before", "failed:")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    script = Path(__file__).with_name("local_model.py")
    with subprocess.Popen(
        [str(local_model.python()), str(script), str(CONTEXT), str(SEATS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def reviewed(folder: Path, url: str) -> Said:
    """Run the panel's round, with the consent that a model at a loopback address needs, too."""
    environ = {
        "PATH": "/usr/bin:/bin",
        "FOUREYES_MODEL_URL": f"{url}/v1",
        "FOUREYES_MODEL": "smollm2",
        "FOUREYES_MODEL_CONTEXT": str(CONTEXT),
        # Connections to any other machine fail.
        **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9"),
        "NO_PROXY": "127.0.0.1",
    }
    user = User(folder=folder, home=folder.parent, environ=environ)
    consent = [word for name in MODELS for word in ("--yes-send", name)]
    words = ("review", "--style", "panel", "--json", "--timeout", str(SECONDS_MAX), *consent)
    return user.runs(*words, seconds_max=3 * SECONDS_MAX)


@pytest.mark.timeout(3 * SECONDS_MAX)
@pytest.mark.parametrize("make", [planted.plant, planted.clean], ids=["planted", "clean"])
def test_a_real_model_holds_two_seats_of_a_panel_and_clears_nothing(
    tmp_path: Path, url: str, make: Callable[[Path, str], None]
) -> None:
    """004-15, 004-27, 004-28, D-16, D-23: a person has the last word, and the exit code says no more than is known.

    The critics look beside the panel, and what they find stops the work whatever the model says of it.
    """
    make(tmp_path / "shop", POLICY)
    said = reviewed(tmp_path / "shop", url)
    print(said.out, said.err)
    data = said.data()
    assert said.code == EXITS[data["result"]], said.err
    assert said.code == 2 if make is planted.plant else said.code != 0
    assert data["state"] == "open"
    assert data["policy"]["from"].startswith("foureyes.yaml at ")
    assert data["dismissed"] == data["settled"] == []
    assert not [one for one in (planted.AWS_KEY, planted.GITHUB_TOKEN) if one in said.out + said.err]
    theirs = [one for one in data["findings"] if not set(one["raised_by"]) <= set(MODELS)]
    assert planted.problems(theirs, said.out) == [] if make is planted.plant else not theirs
    assert_honest(data)


def assert_honest(data: dict[str, Any]) -> None:
    """Check that each look is an answer verified against the work, or has a reason why it is none."""
    looks = [one for one in data["looked"] if one["reviewer"] in MODELS]
    assert sorted(one["reviewer"] for one in looks) == sorted(2 * MODELS)
    assert "claude" in [one["who"] for one in data["not_looked"]]
    for one in looks:
        assert one["cost"]["tokens"] > 0
        assert not [word for word in UNASKED if word in one["reason"]]
        # Either an answer without a reason, or a reason without an answer.
        assert (one["state"] == "inconclusive") == bool(one["reason"])
    own = [one for one in data["findings"] if set(one["raised_by"]) & set(MODELS)]
    assert len(own) <= sum(one["findings"] for one in looks)
    places = {**planted.BEFORE, **planted.AFTER}
    for one in own:
        assert not one["path"] or 0 <= one["line"] <= len(places[one["path"]].splitlines())
    report = data["report"]
    assert "**Strategy:** Speculative parallel (4 reviewers; spec and quality at once)" in report
    assert "### Spec findings" in report
    assert "### Quality findings" in report
    assert not [role for role in ("haiku", "sonnet") if role not in report]
