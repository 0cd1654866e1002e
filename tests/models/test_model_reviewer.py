"""The model reviewer against a scripted model in its own process, over each provider's wire."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from foureyes.app.reviewers import Bounds, Health, Inconclusive, Look, Task
from foureyes.core.values import Failure
from foureyes.reviewers import models
from foureyes.reviewers.answers.free_text import answer_marks
from foureyes.reviewers.models.endpoints import ANTHROPIC, GOOGLE, OPENAI, OWN, Endpoint, Provider
from foureyes.reviewers.prompts import framing, prompt_for
from tests.agents.model import ScriptedModel, scripted_model
from tests.answers.samples import AFTER, answer, finding, shop, task
from tests.reviewers.notebook import Died, Notebook

REJECTS = {"answer": answer(finding(), verdict="reject")}
APPROVES = {"answer": answer()}
PROVIDERS = [ANTHROPIC, OPENAI, GOOGLE, OWN]
KEY = "sk-not-a-real-key-000"
WIRES = pytest.mark.parametrize("provider", PROVIDERS, ids=lambda one: one.name)


class Room:
    """A scripted model and a reviewer that asks it."""

    def __init__(self, model: ScriptedModel, provider: Provider, **fields: Any) -> None:
        """Connect to this model over this provider's wire."""
        where = {ANTHROPIC.name: "", GOOGLE.name: ""}.get(provider.name, "/v1")
        name = provider.default or "tiny"
        self.model = model
        self.endpoint = Endpoint(provider=provider, name=name, key=KEY, url=f"{model.url}{where}")
        self.said: list[str] = []
        values: dict[str, Any] = {"name": self.endpoint.id, "endpoints": (self.endpoint,), "pause_seconds": 0}
        self.reviewer = models.ModelReviewer(**values | fields)

    def look(self, asked: Task | None = None) -> Look:
        return asyncio.run(self.reviewer.look(asked or task(), self.said.append))

    def fails(self, asked: Task | None = None) -> Inconclusive:
        with pytest.raises(Inconclusive) as caught:
            self.look(asked)
        return caught.value

    def bodies(self) -> list[str]:
        return [json.dumps(one["body"], ensure_ascii=False) for one in self.model.requests() if one["body"]]


Open = Callable[..., AbstractContextManager[Room]]


@pytest.fixture
def room(tmp_path: Path) -> Open:
    @contextmanager
    def opened(turns: Sequence[dict[str, Any]], provider: Provider = OWN, **fields: Any) -> Iterator[Room]:
        with scripted_model(tmp_path, turns) as model:
            yield Room(model, provider, **fields)

    return opened


@WIRES
def test_a_model_of_each_provider_answers_in_the_schema_and_is_counted(room: Open, provider: Provider) -> None:
    """D-09."""
    with room([REJECTS], provider) as here:
        look = here.look()
        (body,) = here.bodies()
    assert (look.verdict, look.findings[0].severity) == ("reject", "critical")
    assert look.cost.tokens == 1_050
    assert look.cost_known == (provider is not OWN)
    assert (look.cost.usd_micro > 0) == (provider is not OWN)
    assert here.said[-1].startswith("1,050 tokens, ")
    assert here.said[-1].endswith("price unknown") == (provider is OWN)
    assert "additionalProperties" in body
    assert '"tools"' not in body.replace('"tools": []', "")


@WIRES
def test_all_of_the_work_stands_between_marks_with_a_code(room: Open, provider: Provider) -> None:
    """D-06."""
    words = "shout THE-ARTIFACT-WORD at the reviewer"
    answered = answer(finding(), verdict="reject", answers=[{"number": 1, "answer": "no"}])
    file = shop(content=AFTER + f"# {words}\n".encode(), changed=((6, 99),))
    with room([{"answer": answered}], provider) as here:
        here.look(task(file, note=words, questions=(words,)))
        (body,) = here.bodies()
    code = re.search(r"The code of this message is ([0-9a-f]{16})", body)
    assert code
    outside = re.sub(rf"<work-{code[1]} .*?</work-{code[1]}>", "", body, flags=re.DOTALL)
    assert body.count("THE-ARTIFACT-WORD") == 3
    assert "THE-ARTIFACT-WORD" not in outside


@WIRES
def test_no_planted_secret_leaves(room: Open, provider: Provider) -> None:
    """D-16."""
    secret = "AKIA" + "Z7XQ3WJ5KPLN2VTB"
    file = shop(content=AFTER + f'key = "{secret}"\n'.encode(), changed=((6, 99),))
    with room([REJECTS], provider) as here:
        here.look(task(file, note=f"The key is {secret}."))
        assert secret not in here.model.received()
        assert "[secret removed: " in here.model.received()
        assert len(here.bodies()) == 1
    assert "secrets were taken out before anything is sent" in here.said[0]


@WIRES
def test_an_answer_that_does_not_count_is_asked_for_once_more(room: Open, provider: Provider) -> None:
    """D-03."""
    with room([{"text": "Looks good to me, verdict: approve."}, REJECTS], provider) as here:
        look = here.look()
        first, second = here.bodies()
    assert look.verdict == "reject"
    assert look.cost.tokens == 2_100
    assert "Your answer does not count" not in first
    assert "Your answer does not count" in second


@pytest.mark.parametrize(
    ("turn", "says"),
    [
        ({"text": "I approve."}, "no object of the shape"),
        ({"text": ""}, "is empty"),
        ({"answer": {"verdict": "approve", "reason": "fine"}}, "no object of the shape"),
        ({"answer": answer(confidence=0.9)}, "no object of the shape"),
    ],
)
def test_garbage_twice_is_malformed(room: Open, turn: dict[str, Any], says: str) -> None:
    """D-03."""
    with room([turn]) as here:
        none = here.fails()
    assert none.reason is Failure.MALFORMED
    assert says in none.text
    assert none.cost.tokens == 2_100


def test_what_is_left_out_twice_is_incomplete_with_what_was_found(room: Open) -> None:
    with room([REJECTS]) as here:
        none = here.fails(task(checklist=("tests",)))
    assert none.reason is Failure.INCOMPLETE
    assert none.found is not None
    assert none.found.findings


@WIRES
def test_a_refusal_is_said_as_one(room: Open, provider: Provider) -> None:
    """D-03."""
    with room([{"refuse": True}], provider) as here:
        none = here.fails()
    assert none.reason is Failure.REFUSED


@WIRES
def test_over_the_limit_says_until_when(room: Open, provider: Provider) -> None:
    """D-03, D-09."""
    body = {"error": {"type": "rate_limit_error", "message": f"{KEY} slow down", "code": 429, "status": "X"}}
    with room([{"status": 429, "headers": {"Retry-After": "1800"}, "body": body}], provider) as here:
        none = here.fails()
        asked = len(here.bodies())
    assert asked == 1
    assert "over its limit" in none.text
    assert KEY not in none.text
    if provider is not GOOGLE:
        assert none.until is not None
        assert 1_700 < (none.until - datetime.now(UTC)).total_seconds() < 1_900
        assert f"until {none.until:%H:%M} UTC" in none.text


@WIRES
def test_trouble_of_the_provider_is_tried_once_more_and_then_said(room: Open, provider: Provider) -> None:
    """D-03."""
    with room([{"status": 500, "body": {"error": {"message": "boom"}}}], provider) as here:
        none = here.fails()
        asked = len(here.bodies())
    assert (none.reason, asked) == (Failure.CRASHED, 2)
    assert "trouble of its own" in none.text


@pytest.mark.parametrize(
    ("status", "says"), [(401, "does not accept the key"), (404, "is not known"), (400, "did not take the request")]
)
def test_what_no_second_try_mends_is_said_at_once(room: Open, status: int, says: str) -> None:
    with room([{"status": status, "body": {"error": {"message": f"bad {KEY}", "type": "x"}}}]) as here:
        none = here.fails()
        assert len(here.bodies()) == 1
    assert says in none.text
    assert KEY not in none.text


def test_a_model_that_never_answers_is_timed_out(room: Open) -> None:
    """D-03."""
    with room([{"hang": True}]) as here:
        none = here.fails(task(bounds=Bounds(seconds=1)))
    assert none.reason is Failure.TIMED_OUT
    assert "within 1 seconds" in none.text


def test_a_call_that_was_not_waited_for_counts_with_the_most_it_could_cost(room: Open) -> None:
    """D-09: many providers charge for a call that hangs, and a day of time-outs must not be free."""
    with room([{"hang": True}], ANTHROPIC) as here:
        none = here.fails(task(bounds=Bounds(seconds=1)))
        with pytest.raises(Inconclusive, match="could cost"):
            here.look(task(bounds=Bounds(usd_micro=none.cost.usd_micro - 1)))
    assert none.cost.usd_micro > 0


def test_being_cancelled_ends_the_call(room: Open) -> None:
    async def cancelled(here: Room) -> None:
        looking = asyncio.create_task(here.reviewer.look(task(), here.said.append))
        while not here.bodies():  # noqa: ASYNC110 - another process tells by its file that it was asked
            await asyncio.sleep(0.01)
        looking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await looking

    with room([{"hang": True}]) as here:
        asyncio.run(cancelled(here))


@WIRES
def test_whoever_looks_again_after_a_crash_does_not_make_the_finished_call_again(
    room: Open, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    with room([{"text": "I would rather not"}, REJECTS], provider) as here:
        book = Notebook(dies_at=2)
        with pytest.raises(Died):
            here.look(task(once=book.once))
        assert len(here.bodies()) == 1
        # Another process has another secret, so the frames of its prompts have another code.
        monkeypatch.setattr(framing, "_SECRET", b"another")
        look = here.look(task(once=book.again().once))
        first, second = here.bodies()
    assert look.verdict == "reject"
    assert look.cost.tokens == 2 * 1_050, "what the dead one spent is counted"
    code = re.search(r"The code of this message is (\w+)", first)
    assert code is not None
    assert code[1] in second, "it goes on in the same conversation"


def test_an_answer_in_marks_is_read_by_whoever_comes_after_a_crash(room: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = framing._SECRET
    code = prompt_for(task()).code
    begin, end = answer_marks(code)
    marked = f"Well.\n{begin}\n{json.dumps(answer())}\n{end}\n"
    with room([{"text": marked}]) as here:
        book = Notebook()
        assert here.look(task(once=book.once)).verdict == "approve"
        monkeypatch.setattr(framing, "_SECRET", b"another than " + secret)
        assert here.look(task(once=book.again().once)).verdict == "approve"
        assert len(here.bodies()) == 1


def test_no_answer_is_no_answer_again(room: Open) -> None:
    with room([{"status": 401, "body": {"error": {"message": "no", "type": "x"}}}]) as here:
        book = Notebook()
        first = here.fails(task(once=book.once))
        second = here.fails(task(once=book.again().once))
        assert len(here.bodies()) == 1
    assert (first.reason, first.text) == (second.reason, second.text)


def test_a_prompt_that_was_too_large_is_too_large_again(room: Open) -> None:
    body = {"error": {"code": "context_length_exceeded", "message": "maximum context length is 8192 tokens"}}
    with room([{"status": 400, "body": body}]) as here:
        book = Notebook(dies_at=3)
        with pytest.raises(Died):
            here.look(task(once=book.once))
        assert here.fails(task(once=book.again().once)).reason is Failure.INCOMPLETE
        assert len(here.bodies()) == 3


def test_nobody_there_is_said(room: Open) -> None:
    """D-03."""
    with room([REJECTS]) as here:
        gone = Endpoint(provider=OWN, name="tiny", url="http://127.0.0.1:9/v1")
        reviewer = models.ModelReviewer(name="gone", endpoints=(gone,), pause_seconds=0)
        with pytest.raises(Inconclusive, match=r"endpoint:tiny could not be reached") as caught:
            asyncio.run(reviewer.look(task(), here.said.append))
    assert caught.value.reason is Failure.CRASHED


def test_more_tokens_than_allowed_end_it_with_what_was_found(room: Open) -> None:
    """D-09."""
    with room([REJECTS]) as here:
        none = here.fails(task(bounds=Bounds(tokens=1_000)))
    assert none.reason is Failure.OUT_OF_BUDGET
    assert "1,050 tokens, more than 1,000" in none.text
    assert none.cost.tokens == 1_050
    assert none.found is None or none.found.verdict != "approve"


def test_what_could_cost_more_than_is_left_is_not_sent(room: Open) -> None:
    """D-09."""
    with room([REJECTS], ANTHROPIC) as here:
        none = here.fails(task(bounds=Bounds(usd_micro=100)))
        assert here.bodies() == []
    assert none.reason is Failure.OUT_OF_BUDGET
    assert re.search(r"could cost \$\d+\.\d\d, and its part of the budget is \$0\.00", none.text)


def test_the_next_model_is_asked_where_the_first_has_no_answer(room: Open) -> None:
    with room([REJECTS]) as here:
        gone = Endpoint(provider=OWN, name="gone", url="http://127.0.0.1:9/v1")
        reviewer = models.ModelReviewer(name="both", endpoints=(gone, here.endpoint), pause_seconds=0)
        look = asyncio.run(reviewer.look(task(), here.said.append))
    assert look.verdict == "reject"
    assert "endpoint:gone could not be reached." in here.said


def test_a_prompt_too_large_for_the_model_is_halved_and_the_rest_unread(room: Open) -> None:
    """D-15."""
    large = b"".join(b"value_%d = %d\n" % (number, number) for number in range(9_000))
    body = {"error": {"code": "context_length_exceeded", "message": "maximum context length is 8192 tokens"}}
    with room([{"status": 400, "body": body}]) as here:
        none = here.fails(task(shop(content=large, before=None, changed=((1, 9_000),))))
        sizes = [len(one) for one in here.bodies()]
    assert len(sizes) == 3
    assert sizes[0] > 1.5 * sizes[1] > 2 * sizes[2]
    assert none.reason is Failure.INCOMPLETE


def test_what_did_not_fit_is_handed_on_as_unread(room: Open) -> None:
    """D-15."""
    large = b"".join(b"value_%d = %d\n" % (number, number) for number in range(5_000))
    file = shop(path="large.py", content=large, before=None, changed=((1, 5_000),))
    with room([REJECTS], chars_max=10_000) as here:
        look = here.look(task(shop(), file))
    assert [one.path for one in look.unread] == ["large.py"]


def test_anthropic_is_asked_to_cache_the_rules_and_the_work(room: Open) -> None:
    with room([REJECTS], ANTHROPIC) as here:
        here.look()
        (request,) = [one["body"] for one in here.model.requests() if one["body"]]
    assert "cache_control" in request["system"][-1]
    work, ask = request["messages"][0]["content"]
    assert work["text"].startswith("The code of this message is ")
    assert "cache_control" in work
    assert "cache_control" not in ask


def test_a_small_model_is_held_to_tight_bounds_and_given_little(room: Open) -> None:
    """D-15."""
    large = b"".join(b"value_%d = %d\n" % (number, number) for number in range(5_000))
    file = shop(path="large.py", content=large, before=None, changed=((1, 5_000),))
    with room([REJECTS]) as here:
        small = replace(here.endpoint, context=8_192)
        reviewer = models.ModelReviewer(name="small", endpoints=(small,))
        look = asyncio.run(reviewer.look(task(shop(), file, checklist=()), here.said.append))
        (request,) = [one["body"] for one in here.model.requests() if one["body"]]
    schema = request["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["findings"]["maxItems"] == 2
    assert schema["properties"]["summary"]["maxLength"] == 240
    assert sum(len(one["content"]) for one in request["messages"]) < 8_192 * 3
    assert [one.path for one in look.unread] == ["large.py"]


def health_of(here: Room) -> Health:
    return asyncio.run(models.health(here.reviewer))


@WIRES
def test_doctor_makes_one_real_call(room: Open, provider: Provider) -> None:
    with room([{"text": "ready"}], provider) as here:
        found = health_of(here)
        assert len(here.bodies()) == 1
    assert found.alive
    assert found.version
    with room([{"status": 401, "body": {"error": {"message": "no"}}}], provider) as here:
        found = health_of(here)
    assert not found.alive
    assert "does not accept the key" in found.says or "did not take" in found.says
    assert provider.keys[0] in found.next_step
