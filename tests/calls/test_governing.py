"""Calls that change what governs all reviews: what went live, the policy, and who needs no reviewers."""

from dataclasses import replace

from foureyes.app.calls.call import Caller
from foureyes.app.work import work_of
from foureyes.core.refusals import Code
from tests.app.house import FIRST, played
from tests.calls.counter import SUE, Counter
from tests.calls.test_calls import CHECKED, HELLO


async def sue(counter: Counter) -> Caller:
    """A human who signed in just now."""
    agent = await counter.agent("any", "read")
    account = replace(agent.account, who=SUE, tokens=())
    return Caller(account=account, signed_in=counter.house.now)


async def cleared(counter: Counter) -> tuple[str, str]:
    """A review that is cleared, and the digest of its bytes."""
    dev, codex = await counter.agent("dev"), await counter.agent("codex")
    opened = await counter.call(dev, "open_review", kind="script", title="Say hello", files=HELLO)
    await counter.call(codex, "report", review=opened.review, revision=1, verdict="approve", evidence=CHECKED)
    return opened.review, work_of(FIRST).digest


@played
async def test_a_publisher_is_told_whether_bytes_may_go_live_and_both_answers_are_recorded() -> None:
    """Y25: what went live and what was refused is on the record; only a publisher says so."""
    counter = Counter()
    robot = await counter.agent("robot", kind="program")
    review, digest = await cleared(counter)
    body = {"target": "production", "review": review, "digest": digest}
    done = await counter.call(robot, "record_live", **body, key="k")
    assert (done.allowed, done.reason) == (True, "")
    assert await counter.call(robot, "record_live", **body, key="k") == done
    again = await counter.call(robot, "record_live", **body)
    assert not again.allowed
    assert "already" in again.reason
    other = await counter.call(robot, "record_live", target="production", review=review, digest="0" * 64)
    assert not other.allowed
    log = await counter.house.log("target/production")
    assert log == ["WentLive", "LiveRefused", "LiveRefused"]
    reviewer = await counter.agent("eve")
    assert (await counter.refused(reviewer, "record_live", **body)).code is Code.NOT_ELIGIBLE


@played
async def test_a_human_activates_a_policy_and_everybody_can_read_it() -> None:
    """D-07, Y20: the policy in force changes by a human's hand only."""
    counter = Counter()
    dev, human = await counter.agent("dev"), await sue(counter)
    first = await counter.call(dev, "policy")
    assert (first.name, first.activated_by) == ("tests", "")
    assert (await counter.refused(dev, "activate_policy", shipped="team")).code is Code.SIGN_IN_NEEDED
    after = await counter.call(human, "activate_policy", shipped="team", applies_in_flight=True)
    assert (after.name, after.activated_by, after.applies_in_flight) == ("team", "sue", True)
    assert await counter.call(dev, "policy") == after
    back = await counter.call(human, "activate_policy", digest=first.digest)
    assert back.digest == first.digest
    for wrong in (
        {"text": "protocol: 7\nnothing: [", "shipped": ""},
        {"shipped": "nowhere"},
        {"digest": "0" * 64},
        {},
        {"shipped": "team", "digest": first.digest},
    ):
        refusal = await counter.refused(human, "activate_policy", **wrong)
        assert refusal.code in (Code.BAD_VALUE, Code.UNKNOWN_DIGEST)
    assert (await counter.call(dev, "policy")).digest == first.digest


@played
async def test_a_human_lets_an_author_pass_and_takes_it_back() -> None:
    """001-56: only by a human, once there is a record to go by."""
    counter = Counter()
    dev, codex, human = await counter.agent("dev"), await counter.agent("codex"), await sue(counter)
    body = {"kind": "script", "author": "dev"}
    assert (await counter.refused(dev, "enable_skip", **body)).code is Code.SIGN_IN_NEEDED
    assert (await counter.refused(human, "enable_skip", **body)).code is Code.NOT_ELIGIBLE
    for number in range(10):
        files = [{"path": "hello.py", "text": f"print({number})\n"}]
        opened = await counter.call(dev, "open_review", kind="script", title="A number", files=files)
        said = {"review": opened.review, "revision": 1, "verdict": "approve", "evidence": CHECKED, "confidence": 95}
        await counter.call(codex, "report", **said)
    on = await counter.call(human, "enable_skip", **body)
    assert (on.successes, on.enabled_by) == (10, "sue")
    assert (await counter.call(human, "track_records")).records == (on,)
    off = await counter.call(human, "disable_skip", **body, reason="Seen enough.")
    assert (off.enabled_by, off.disabled_because) == ("", "Seen enough.")
