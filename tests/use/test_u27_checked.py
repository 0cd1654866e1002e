"""U-27: `request_review` does what `check_review_required` has announced."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from foureyes.app.calls.seed_words import EXEMPT_TYPES, REVIEW_TYPES
from tests.use.served import DOORS, HTTP, MCP, SHIPPED, Caller, Served, served

pytestmark = pytest.mark.door("http", "mcp", policy=("own_type", "peer", "server", "switched_off"))

#: The document's own policy file, with reviews switched off and with a type of its own.
SWITCHED_OFF = (SHIPPED / "peer.yaml").read_text(encoding="utf-8").replace("enabled: true\n", "enabled: false\n")
OWN_TYPE = (SHIPPED / "peer.yaml").read_text(encoding="utf-8").replace("- create_core\n", "- create_core\n    - poem\n")
POLICIES = {"server": "", "peer": "", "switched_off": SWITCHED_OFF, "own_type": OWN_TYPE}
#: The base that a pipeline attests as live on two targets.
BASE = {
    "docs": {"README.md": "How to use teh total.\n"},
    "keys": {"documentation": "How to use teh total.\n", "plan": "1. Count.\n2. Say teh total.\n"},
}
#: Works under the document's keys; each word differs in every request.
WORKS: dict[str, dict[str, str]] = {
    "all keys": {
        "code": "def total(x):\n    return x  # {0}\n",
        "tests": "def test_total():\n    assert total(1) == 1  # {0}\n",
        "documentation": "How to use the {0} total.\n",
        "plan": "1. Count {0}.\n2. Say the total.\n",
        "spec": "The total is right: {0}.\n",
    },
    "prose": {"README.md": "How to use the {0} total.\n"},
    "document": {"documentation": "How to use the {0} total.\n", "plan": "1. Count {0}.\n2. Say the total.\n"},
    "danger": {"code": "import os\nos.system('rm -rf /{0}')\n"},
}
CONTEXTS: tuple[dict[str, str], ...] = ({}, {"autonomy_level": "aggressive"})
BASES: tuple[dict[str, str], ...] = ({}, *({"target": one} for one in BASE))


@pytest.fixture(scope="module", params=POLICIES)
def house(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A started server with a policy, an author, two who may review, and two targets."""
    folder, text = tmp_path_factory.mktemp("checked"), POLICIES[request.param]
    environment = {}
    if text:
        policy = folder / f"{request.param}.yaml"
        policy.write_text(text, encoding="utf-8")
        environment["FOUREYES_POLICY"] = str(policy)
    with served(folder, request.param if not text else "server", **environment) as up:
        for name, role in (("dev", "core_developer"), ("auditor", "auditor"), ("tester", "tester")):
            up.account(name, role)
        up.account("ci", "ci", scopes=("publish", "read"), kind="program")
        for target, known in BASE.items():
            files = [{"path": path, "text": text} for path, text in known.items()]
            assert up.callers["ci"].call("attest_base", target=target, files=files).is_ok
        yield up


def test_the_answer_beforehand_is_kept(house: Served) -> None:
    """U-27: every type, with every kind of artifacts, autonomy level and base, through both doors in turn."""
    dev = house.callers["dev"]
    needed = set[object]()
    cases = product((*REVIEW_TYPES, *EXEMPT_TYPES), WORKS.items(), CONTEXTS, BASES)
    for count, (kind, (name, work), context, base) in enumerate(cases):
        door = DOORS[count % 2]
        asked = {
            "context": context,
            "artifacts": {key: text.format(_word(count)) for key, text in work.items()},
            **base,
        }
        before = dev.at(door).call("check_review_required", action=kind, **asked)
        after = dev.at(door).call("request_review", type=kind, title="A work", **asked)
        _agree(before.data, after.data, f"{kind} {name} {context} {base}: {before.text} {after.text}")
        needed.add(before["needs_review"])
        if after["status"] != "approved":
            assert dev.call("withdraw", review=after["id"], reason="Only asked.").is_ok
    assert True in needed
    assert (False in needed) is (not house.server.environment["FOUREYES_POLICY"].endswith("/server.yaml"))


def _word(number: int) -> str:
    """A different word for every number, which is valid prose anywhere."""
    letters = "abcdefghij"
    return "".join(letters[int(digit)] for digit in str(number))


def _agree(before: dict[str, object], after: dict[str, object], told: str) -> None:
    assert before["needs_review"] is (after["status"] != "approved"), told
    if before["needs_review"]:
        assert before["reviewer"] == after["reviewer"], told
    else:
        assert after["reviewer"] is None or before["reason"], told


def test_without_artifacts_no_skip_is_promised(house: Served) -> None:
    """U-27: as long as nobody knows the bytes, the answer is that a review is needed."""
    dev = house.callers["dev"]
    for number, (kind, context) in enumerate(product((*REVIEW_TYPES, *EXEMPT_TYPES), CONTEXTS)):
        before = dev.at(DOORS[number % 2]).call("check_review_required", action=kind, context=context)
        assert before["needs_review"] is True, before.text


@pytest.mark.parametrize("door", DOORS)
def test_both_take_the_same_types(house: Served, door: str) -> None:
    """U-27: a type is known to both calls, however it is spelt, or to neither; and both name those that are."""
    dev = house.callers["dev"].at(door)
    artifacts = {"code": f"x = 1  # {door}\n"}
    for kind in ("core-creation", "Fix Typo", "poem", "nonsense"):
        before = dev.call("check_review_required", action=kind, artifacts=artifacts)
        after = dev.call("request_review", type=kind, title="A work", artifacts=artifacts)
        assert before.is_ok is after.is_ok, f"{kind}: {before.text} {after.text}"
        if not before.is_ok:
            assert "create_core" in before.text, before.text
            assert "fix_typo" in after.text, after.text
        elif after["status"] != "approved":
            assert dev.call("withdraw", review=after["id"], reason="Only asked.").is_ok


@pytest.mark.door("command", policy=("own_type", "peer", "server", "switched_off"))
def test_the_command_line_hears_the_same(house: Served, tmp_path: Path) -> None:
    """U-27: `foureyes call check-review-required` and `request-review`."""
    secret = house.callers["dev"].headers["authorization"].removeprefix("Bearer ")
    token = tmp_path / "token"
    token.write_text(secret, encoding="utf-8")
    token.chmod(0o600)
    work = json.dumps({"documentation": "How to use the total at a terminal.\n"})
    common = ("--artifacts", work, "--token-file", str(token), "--json")
    before = house.run("call", "check-review-required", "--action", "create_app", *common)
    after = house.run("call", "request-review", "--type", "create_app", "--title", "A work", *common)
    assert before.returncode == after.returncode == 0, before.stderr + after.stderr
    _agree(json.loads(before.stdout), json.loads(after.stdout), before.stdout + after.stdout)


@pytest.mark.door("http", "mcp", policy="server")
def test_where_several_hold_the_role_the_role_is_named(tmp_path: Path) -> None:
    """U-27: who of them is asked is drawn when the work is handed in, so nobody is promised."""
    with served(tmp_path, "server") as up:
        dev: Caller = up.account("dev", "core_developer")
        for name in ("ann", "ben", "cid"):
            up.account(name, "auditor")
        for number, door in enumerate((HTTP, MCP) * 3):
            work = {"artifacts": {"code": f"x = {number}\n"}}
            before = dev.at(door).call("check_review_required", action="create_core", **work)
            assert before["reviewer"] == "auditor"
            after = dev.at(door).call("request_review", type="create_core", title="A work", **work)
            assert after["reviewer"] in ("ann", "ben", "cid")


@pytest.mark.door("http", policy="peer")
def test_a_record_that_lets_work_pass_is_told_with_its_audits(tmp_path: Path) -> None:
    """U-27: after ten approvals and a human's word the answer says which share is reviewed all the same."""
    with served(tmp_path, "peer") as up:
        dev, auditor = up.account("dev", "core_developer"), up.account("auditor", "auditor")
        for number in range(10):
            work = {"artifacts": {"code": f"x = {number}\n"}}
            review = dev.call("request_review", type="api_endpoint_change", title="A work", **work)["id"]
            auditor.call("get_review", reviewId=review)
            feedback = {"overall": "Read every line of it twice."}
            checklist = {"does_what_it_says": True, "errors_handled": True, "nothing_broken": True}
            said = auditor.call(
                "submit_review",
                reviewId=review,
                status="APPROVED",
                feedback=feedback,
                confidence=95,
                checklist=checklist,
            )
            assert said.is_ok, said.text
        enabled = up.human.call("enable_skip", kind="api_endpoint_change", author="dev")
        assert enabled.is_ok, enabled.text
        asked = {"artifacts": {"code": "y = 1\n"}}
        before = dev.call("check_review_required", action="api_endpoint_change", **asked)
        why = (
            "Auto-skip: 10 successful reviews, 95% avg confidence; 10% of such work is drawn and reviewed all the same"
        )
        assert before.data == {"needs_review": False, "reason": why}
        unseen = dev.call("check_review_required", action="api_endpoint_change")
        assert (unseen["needs_review"], unseen["reviewer"]) == (True, "auditor")
        assert unseen["reason"].startswith("Name the artifacts"), unseen.text
        risky = {"artifacts": {"code": "import os\nos.system('id')\n"}}
        assert dev.call("check_review_required", action="api_endpoint_change", **risky)["needs_review"] is True
        ends = set()
        for number in range(12):
            work = {"artifacts": {"code": f"z = {number}\n"}}
            after = dev.call("request_review", type="api_endpoint_change", title="A work", **work)
            log = up.human.call("audit", review=after["id"]).text if after["status"] == "pending" else ""
            ends.add(after["status"])
            assert after["status"] == "approved" or "Audit" in log or "pending" in ends
        assert "approved" in ends
