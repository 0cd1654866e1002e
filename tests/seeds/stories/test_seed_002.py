"""Seed 002 on the policy that ships for servers: seven chains, with programs and agents in the seats.

The messages to Discord and Telegram are compared byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from typing import Any

import pytest

from tests.postgres.server import Server
from tests.seeds.chain_play import CHAINS, Seven
from tests.seeds.stories.chats import Chats, chats
from tests.seeds.stories.stage import WORKERS, Stage, done, found, places, posted, shows, stage, until
from tests.stories.process import CHATS
from tests.use.judging import policy_beside
from tests.use.served import SHIPPED

POLICY = "server-with-more"
pytestmark = pytest.mark.door("http", policy="server-with-more")

NOTIFY = """\
notify:
  human: ["discord://111/${ALERTS}", "tgram://123:${BOT}/-100200"]
  thread: "discord://222/${THREAD}?thread={task}"
"""
KEYS = {"ALERTS": "alerts-token", "BOT": "bot-token", "THREAD": "thread-token"}
SOURCED = "The tide table was printed (https://example.com/tides)."
#: Output that the programs accept, and output that each of them rejects.
BAD = {
    "seldon": "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n",
    "hardin": "rm -rf /\n",
    "gaal": "95% of all users agree with us.\n",
}
PROGRAMS = tuple(BAD)
AGENTS = ("daneel", "mallow", "magnifico", "amaryl")
ENDS = {"return_error": "failed", "return_to_author": "returned_to_author", "escalate_to_human": "escalated_to_human"}
_numbers = count(1)


@pytest.fixture(scope="module", params=places(WORKERS))
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, on_postgres: Callable[[], Server]
) -> Iterator[tuple[Stage, Chats]]:
    """The server, the critics that are not programs, the channels, and an author."""
    folder = tmp_path_factory.mktemp("seed-002")
    with ExitStack() as stack:
        told = stack.enter_context(chats(POLICY))
        environment = {CHATS: told.url, "FOUREYES_NOTIFY_PRIVATE": "127.0.0.0/8", **KEYS}
        (folder / "server").mkdir()
        policy = folder / "server-with-more.yaml"
        policy_beside(folder, "server", NOTIFY)
        here = stack.enter_context(stage(folder, request.param, on_postgres, policy=policy, environment=environment))
        here.agent("author")
        for name in AGENTS:
            here.agent(name, name)
        yield here, told


@pytest.fixture
def here(both: tuple[Stage, Chats]) -> Stage:
    """The server."""
    return both[0]


def fine() -> str:
    """Output that no program objects to, another one each time."""
    return f"{SOURCED} It has {next(_numbers)} pages.\n".replace("It has", "See page").replace(" pages", "")


def bad(critic: str) -> str:
    """Output that this critic alone objects to, another one each time."""
    return f"{BAD[critic]}\n{fine()}" if critic in BAD else fine()


def sent(here: Stage, output: object, **more: Any) -> Any:
    """The answer to `/validate`, which waits for the programs."""
    return done(here.agent("author"), "/validate", output=output, **more)


def says(here: Stage, critic: str, review: str, verdict: str, words: str) -> None:
    """A critic that is an agent reads the output and reports, once it is its turn."""
    caller = here.agent(critic)
    until(lambda: [one["review"] for one in found(caller, "/api/v1/inbox")["waiting"]], lambda seen: review in seen)
    work = found(caller, f"/api/v1/reviews/{review}/work")
    seen = found(caller, f"/api/v1/reviews/{review}")["review"]
    mine = [one["finding"] for one in seen["findings"] if one["raiser"] == critic and one["standing"] != "resolved"]
    settled = [{"finding": one, "resolved": True, "note": "gone"} for one in mine if verdict == "approve"]
    body = {"revision": work["revision"], "verdict": verdict, "summary": words, "settled": settled}
    done(caller, f"/api/v1/reviews/{review}/reports", **body)


def judged(here: Stage, chain: Seven, review: str, until_layer: int) -> None:
    """The agents among the critics before this layer approve; the programs have judged by themselves."""
    for critic, _, _ in chain.layers[:until_layer]:
        if critic in AGENTS:
            says(here, critic, review, "approve", f"{critic} has read every line of output.md and it holds.")


def objected(here: Stage, chain: Seven, review: str, number: int) -> None:
    """The last critic objects; a program does so by itself."""
    judged(here, chain, review, len(chain.layers) - 1)
    last = chain.layers[-1][0]
    if last in AGENTS:
        says(here, last, review, "reject", f"{last} finds fault with version {number} of it.")


@pytest.mark.parametrize("chain", CHAINS, ids=str)
def test_each_chain_asks_its_layers_in_order_and_lets_good_output_pass(here: Stage, chain: Seven) -> None:
    """002-01, 002-16, 002-19, 002-21: programs and agents alike; each decision is a row, approvals too."""
    task = str(next(_numbers))
    path = ("/validate", "/seldon/validate")[len(chain.name) % 2]
    body = {"output": fine(), "chain": chain.name, "task_id": task}
    review = done(here.agent("author"), path, **body)["review"]
    judged(here, chain, review, len(chain.layers))
    seen = shows(here.agent("author"), f"/validate/{review}", status="approved")
    order = [(one["critic_agent_id"], one["decision"], one["layer_index"]) for one in seen["layers"]]
    assert order == [(critic, "approve", number) for number, (critic, _, _) in enumerate(chain.layers)]
    assert seen["message"].startswith(f":thumbsup: {chain.layers[-1][0]} (approval)\nStep completed: ")
    rows = found(here.agent("author"), f"/api/v1/reviews/{review}/decisions")["decisions"]
    assert [(one["critic_agent_id"], one["decision"], one["layer_index"]) for one in rows] == order
    assert {(one["chain_name"], one["task_id"]) for one in rows} == {(chain.name, task)}


@pytest.mark.parametrize("chain", CHAINS, ids=str)
def test_each_chain_ends_as_it_says_after_its_last_retry(here: Stage, chain: Seven) -> None:
    """002-02, 002-03, 002-04, 002-17 and 002-07, 002-08, 002-09, 002-10, 002-11, 002-12, 002-13."""
    last, _, has_veto = chain.layers[-1]
    review = sent(here, bad(last), chain=chain.name)["review"]
    author = here.agent("author")
    for number in range(chain.retries + 1):
        objected(here, chain, review, number)
        if number < chain.retries:
            seen = shows(author, f"/validate/{review}", status="returned")
            assert (seen["retry"], seen["retries_left"]) == (number, chain.retries - number)
            assert seen["message"].endswith(f"Returning to agent for revision (retry {number + 1}/{chain.retries})")
            sent(here, bad(last), review=review)
    seen = shows(author, f"/validate/{review}", status=ENDS[chain.end])
    assert seen["retry"] == chain.retries
    decisions = [(one["critic_agent_id"], one["decision"]) for one in seen["layers"]]
    run = [(critic, "approve") for critic, _, _ in chain.layers[:-1]] + [(last, "veto" if has_veto else "reject")]
    assert decisions == run * (chain.retries + 1)


def test_the_programs_of_a_chain_run_where_the_place_hosts_them(here: Stage) -> None:
    """002-05: with a worker beside the server, the worker runs them and the server none."""
    seen = sent(here, bad("hardin"), chain="security")
    assert [one["critic_agent_id"] for one in seen["layers"]] == ["seldon", "hardin"]
    assert here.hosted(seen["review"]) == {"format", "security"}


@pytest.mark.door("http", "chat", policy="server-with-more")
def test_a_veto_and_an_approval_are_in_the_thread_of_the_task(both: tuple[Stage, Chats]) -> None:
    """002-18, 002-19, 002-25: the author is told the same words, with the reason."""
    here, told = both
    task = f"123456789{next(_numbers)}"
    seen = sent(here, f"We reach 95% accuracy.\n\n{fine()}", chain="research", step="write", task_id=task)
    assert (seen["status"], seen["layers"][-1]["decision"]) == ("returned", "veto")
    reason = seen["layers"][-1]["reason"]
    assert reason == "A figure has no source (output.md:1)"
    message = (
        f":octagonal_sign: gaal (veto)\nVETO on step: write\n- gaal: {reason}\n\n"
        "Returning to agent for revision (retry 1/3)"
    )
    assert seen["message"] == message
    thread = f"/discord/222/thread-token?thread_id={task}"
    told.hears(thread, "VETO on step: write")
    assert told.bodies(thread) == [discord(message)]
    sent(here, fine(), review=seen["review"])
    told.hears(thread, "Step completed")
    assert told.bodies(thread)[1:] == [discord(":thumbsup: gaal (approval)\nStep completed: write")]


def discord(text: str) -> bytes:
    """The expected body of a Discord message."""
    return f'{{"content":{json.dumps(text, ensure_ascii=False)},"allowed_mentions":{{"parse":[]}},"flags":4}}'.encode()


@pytest.mark.door("http", "chat", policy="server-with-more")
def test_an_escalation_reaches_the_alerts_and_telegram_and_only_a_human_overrides(both: tuple[Stage, Chats]) -> None:
    """002-20, 002-22, 002-23, C6, Y21: neither critics nor the author lift a veto, nor change the work."""
    here, told = both
    author = here.agent("author")
    output = f"rm -rf /var/lib/{next(_numbers)}\n"
    seen = sent(here, output, chain="security", step="deploy")
    review = seen["review"]
    for number in range(2):
        output = f"rm -rf /srv/{next(_numbers)}\n"
        seen = sent(here, output, review=review)
        assert seen["retry"] == number + 1
    assert seen["status"] == "escalated_to_human"
    address = f"{here.up.server.begun['address']}/reviews/{review}"
    told.hears("/discord/111/alerts-token", address)
    told.hears("/bot123:bot-token/sendMessage", address)
    (alert,) = [body for body in told.bodies("/discord/111/alerts-token") if address.encode() in body]
    text = json.loads(alert)["content"]
    assert text.startswith(":octagonal_sign: hardin (veto)\nVETO on step: deploy\n- hardin: ")
    assert text.endswith(f"\n\nEscalated: a human must decide.\n{address}")
    assert alert == discord(text)
    (telegram,) = [body for body in told.bodies("/bot123:bot-token/sendMessage") if address.encode() in body]
    said = f'{{"chat_id":"-100200","text":{json.dumps(text)},"link_preview_options":{{"is_disabled":true}}}}'
    assert telegram == said.encode()
    assert posted(author, "/validate", output=output, chain="default").code == "vetoed"
    native = f"/api/v1/reviews/{review}"
    digest = found(author, native)["review"]["digest"]
    override = {"stage": "security.security", "revision": 3, "digest": digest, "reason": "It is a test machine."}
    for caller in (author, here.agent("daneel")):
        assert posted(caller, f"{native}/overrides", **override).code == "sign_in_needed"
        files = [{"path": "output.md", "text": "Nothing to see.\n"}]
        assert caller is author or not posted(caller, f"{native}/revisions", files=files).is_ok
    assert not posted(here.human(), f"{native}/overrides", **override | {"reason": ""}).is_ok
    done(here.human(), f"{native}/overrides", **override)
    seen = shows(author, f"/validate/{review}", status="approved")
    assert seen["message"] == ":thumbsup: human (override)\nStep completed: deploy"
    assert "It is a test machine." in json.dumps(found(here.human(), "/api/v1/audit", review=review)["rows"])


def test_the_security_critic_and_the_factual_critic_know_their_rules(here: Stage) -> None:
    """002-05, 002-06: each of their rules sends output back; the words say which."""
    key = "AKIA" + "IOSFODNN7" + "EXAMPLQ"
    dangerous: tuple[object, ...] = (
        f"aws_access_key_id = {key}\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzz9kLmQ2Ws\n",
        "rm -rf /\n",
        "DROP TABLE users;\n",
        "redis-server --protected-mode no --bind 0.0.0.0\n",
        "curl -H 'Authorization: Bearer 9f8e7d6c5b4a3f2e1d0c9b8a7f6e5d4c' http://api.example.com/pay\n",
        "chmod 4755 /bin/bash\n",
    )
    for output in dangerous:
        seen = sent(here, output, chain="security")
        assert (seen["status"], seen["layers"][-1]["critic_agent_id"]) == ("returned", "hardin"), output
        assert seen["layers"][-1]["reason"], output
    claims = (
        "Studies show that remote teams ship faster.\n",
        "95% of all users agree with us.\n",
        "> Simplicity is a great virtue but it takes hard work to achieve it.\n",
        "The current version, as of January 2019, is 3.7.\n",
    )
    for output in claims:
        seen = sent(here, output, chain="research")
        assert (seen["status"], seen["layers"][-1]["critic_agent_id"]) == ("returned", "gaal"), output


def test_a_step_names_its_chain_and_a_critic_stays_in_its_scope(here: Stage) -> None:
    """002-15, 002-24, C7: the step's chain is added to the policy's; other scopes are not judged."""
    assert sent(here, fine(), critic_chain="security", step="security_review")["chains"][-1] == "security"
    assert sent(here, fine(), step="research")["chains"] == ["research"]
    lied = posted(here.agent("author"), "/validate", output=fine(), critic_chain="security", can_veto=True)
    assert (lied.code, "no veto" in lied.text) == ("bad_value", True)
    review = sent(here, fine(), chain="infrastructure")["review"]
    daneel = here.agent("daneel")
    until(lambda: [one["review"] for one in found(daneel, "/api/v1/inbox")["waiting"]], lambda seen: review in seen)
    work = found(daneel, f"/api/v1/reviews/{review}/work")
    file = work["files"][0]["path"]
    other = {"severity": "critical", "text": "The figures are wrong.", "scope": "financial", "place": {"path": file}}
    body = {"revision": work["revision"], "verdict": "reject", "summary": "The figures of it are wrong."}
    refused = posted(daneel, f"/api/v1/reviews/{review}/reports", **body, findings=[other])
    assert not refused.is_ok, "another scope stops nothing here"


@pytest.mark.door("http", "command", policy="server-with-more")
def test_the_seven_chains_are_in_a_file_and_a_wrong_one_is_refused(here: Stage) -> None:
    """002-14: config/critic-chains.json; what is wrong is said with its line."""
    chains = json.loads((SHIPPED / "config/critic-chains.json").read_text(encoding="utf-8"))["chains"]
    assert set(chains) == {chain.name for chain in CHAINS}
    text = found(here.human(), "/api/v1/policy")["text"]
    for chain in CHAINS:
        assert f'"{chain.name}"' in text
    folder = here.up.server.folder
    own = "version: 1\nkinds: {default: {chain: x}}\nchains: {file: x.json}\n"
    (folder / "own.yaml").write_text(own, encoding="utf-8")
    at = ("--database", here.url) if here.url else ()
    for scope, is_right in (("format", True), ("vibes", False)):
        layers = {"chains": {"x": {"layers": [{"agent": "seldon", "scope": scope}]}}}
        (folder / "x.json").write_text(json.dumps(layers), encoding="utf-8")
        ran = here.up.run("policy", "check", str(folder / "own.yaml"), *at)
        assert (ran.returncode == 0, "x.json:1" in ran.stderr) == (is_right, not is_right), (ran.stdout, ran.stderr)
