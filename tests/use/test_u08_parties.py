"""U-08: the agents of one service are one party, and the author's session mates never hold a seat on its work."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.use.judging import approve_peer, judge, policy_beside, state_of, wait_for
from tests.use.served import DOORS, Caller, Reply, Served, served

pytestmark = pytest.mark.door("http", "mcp", policy=("chains", "peer", "resolve", "solo"))

LINE = "services: {reactor: {agents_review_each_other: true}}"
ROLES = ("agent", "auditor", "core_developer", "magnifico")
#: The kind of work opened under each policy; in `chains` one whose first layer no program can clear by itself.
KINDS = {"solo": "script", "peer": "create_core", "resolve": "story", "chains": "content"}
_numbers = count()


def staffed(house: Served) -> Served:
    """A service with two agents of claimed families, and accounts of other operators."""
    service = house.account("reactor", *ROLES, kind="service", model_family="")
    for name, family in (("bot-a", "claude"), ("bot-b", "gpt")):
        roles = ["core_developer"] if name == "bot-a" else ["agent", "auditor", "magnifico"]
        answer = service.call("enrol", name=name, kind="agent", roles=roles, model_family=family, provider=family)
        assert answer.is_ok, answer.text
        house.callers[name] = service.speaking_for(name)
    house.account("dev", "core_developer")
    return house


@pytest.fixture(scope="module", params=list(KINDS))
def house(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Served]]:
    with served(tmp_path_factory.mktemp(request.param), request.param) as running:
        yield request.param, staffed(running)


def opened(author: Caller, policy: str, **more: Any) -> str:
    files = [{"path": "notes.md", "text": f"Words number {next(_numbers)}.\n"}]
    return str(author.call("open_review", kind=KINDS[policy], title="Words", files=files, **more)["review"])


def approve(reviewer: Caller, policy: str, review: str) -> Reply:
    if policy == "peer":
        return approve_peer(reviewer, review)
    return judge(reviewer, review, None if policy == "resolve" else "approve")


@pytest.mark.parametrize("door", DOORS)
def test_one_token_never_makes_and_judges_the_same_work(house: tuple[str, Served], door: str) -> None:
    """U-08: the refusal names the line of the policy that would allow it."""
    policy, running = house
    for author in ("bot-a", "reactor"):
        review = opened(running.callers[author].at(door), policy)
        answer = approve(running.callers["bot-b"].at(door), policy, review)
        assert answer.code == "one_party", answer.text
        assert LINE in answer.text
        taken = running.callers["bot-b"].at(door).call("take_seat", review=review)
        assert taken.code == "one_party", taken.text
        assert state_of(running, review) == "open"


@pytest.mark.door("http", policy=("chains", "peer", "resolve", "solo"))
def test_the_refusal_is_403(house: tuple[str, Served]) -> None:
    """U-08, D-04."""
    policy, running = house
    review = opened(running.callers["bot-a"], policy)
    answer = running.callers["bot-b"].raw("POST", f"/api/v1/reviews/{review}/seats", b"{}")
    assert answer.status == 403, answer.body


@pytest.mark.door("http", policy=("chains", "peer", "resolve", "solo"))
def test_what_a_service_says_of_its_agents_families_is_not_known(house: tuple[str, Served]) -> None:
    """U-08: at every door their family is unknown; the operator is the service's."""
    _, running = house
    listed = {one["who"]["name"]: one for one in running.human.call("list_accounts")["accounts"]}
    for name in ("bot-a", "bot-b"):
        who = listed[name]["who"]
        assert (who["model_family"], who["provider"], who["operator"]) == ("", "", "reactor-co")
        assert running.callers[name].call("me")["who"]["model_family"] == ""


@pytest.mark.parametrize("door", DOORS)
def test_a_mate_of_the_session_never_holds_a_seat(house: tuple[str, Served], door: str) -> None:
    """U-08: whether the work names the session or hides it."""
    policy, running = house
    number = next(_numbers)
    dev = running.account(f"dev-{number}", "core_developer")
    mate = running.account(f"mate-{number}", *ROLES)
    for who in (dev, mate):
        signal = who.call("signal", session=f"s{number}", type="progress", summary="Working on it.")
        assert signal.is_ok, signal.text
    for more in ({"origin": {"session": f"s{number}"}}, {}):
        review = opened(dev.at(door), policy, **more)
        answer = approve(mate.at(door), policy, review)
        assert answer.code == "one_party", answer.text
        assert "same session" in answer.text
        assert state_of(running, review) == "open"
        assert review not in [one["review"] for one in mate.call("inbox")["waiting"]]


def is_cleared(house: Served, review: str) -> bool:
    return state_of(house, review) == "cleared"


@pytest.mark.parametrize("named", ["resolve-with-more", "solo-with-more"])
@pytest.mark.door("http", "mcp", "command", policy=("resolve-with-more", "solo-with-more"))
def test_with_the_line_they_may_and_the_clearance_says_one_operator(named: str, tmp_path: Path) -> None:
    """U-08: at level 1, so that a target which demands another model family stays shut."""
    policy = named.removesuffix("-with-more")
    text = policy_beside(tmp_path, policy, LINE, "targets: {production: 2, staging: 1}")
    with served(tmp_path, policy, FOUREYES_POLICY=text) as running:
        staffed(running)
        service = running.callers["reactor"]
        assert service.call("enrol", name="bot-c", kind="agent", roles=["agent"], model_family="gemini").is_ok
        checked = running.run("policy", "check", text)
        assert "one operator" in checked.stdout + checked.stderr, checked
        for door in DOORS:
            review = opened(service.speaking_for("bot-a").at(door), policy)
            for name in ("bot-b", "bot-c"):
                answer = approve(service.speaking_for(name).at(door), policy, review)
                if policy == "resolve" or name == "bot-b":
                    assert answer.is_ok, answer.text
            wait_for(partial(is_cleared, running, review))
            digest = running.human.call("read_review", review=review)["review"]["digest"]
            found = running.human.call("gate", digest=digest, target="staging")
            assert (found["state"], found["level"]) == ("cleared", 1), found.text
            assert "one operator" in found["flags"]
            assert running.human.call("gate", digest=digest, target="production")["state"] == "blocked"


@pytest.mark.parametrize("allowed", [False, True])
@pytest.mark.door("http", "mcp", policy="resolve-with-more")
def test_an_account_of_the_authors_operator_makes_up_the_two_only_by_a_line(allowed: bool, tmp_path: Path) -> None:
    """U-08: and then the clearance says it."""
    text = policy_beside(tmp_path, "resolve")
    if allowed:
        whole = (
            Path(text)
            .read_text(encoding="utf-8")
            .replace("  min_reviewers: 2", "  min_reviewers: 2\n  own_operator: true")
        )
        Path(text).write_text(whole, encoding="utf-8")
    with served(tmp_path, "resolve", FOUREYES_POLICY=text) as running:
        dev = running.account("dev", operator="acme")
        sister, other = running.account("sister", operator="acme"), running.account("other")
        for door in DOORS:
            review = opened(dev.at(door), "resolve")
            answer = judge(sister.at(door), review, None)
            assert answer.code == ("" if allowed else "one_party"), answer.text
            assert allowed or "own_operator: true" in answer.text
            assert judge(other.at(door), review, None).is_ok
            assert state_of(running, review) == ("cleared" if allowed else "open")
            digest = running.human.call("read_review", review=review)["review"]["digest"]
            assert running.human.call("gate", digest=digest)["flags"] == (["one operator"] if allowed else [])
