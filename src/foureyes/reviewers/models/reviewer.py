"""Lets a model review: secrets are redacted, the answer is checked against the work, every limit is enforced."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from foureyes.app.reviewers import Health, Inconclusive, Look, Say, Task
from foureyes.app.reviewing.keeping import Keeping
from foureyes.core.values import Cost, Failure, Who, WhoKind
from foureyes.reviewers.answers import extract_json, read_answer
from foureyes.reviewers.boundary import scrub, told
from foureyes.reviewers.models import asking, trouble
from foureyes.reviewers.models.endpoints import Endpoint
from foureyes.reviewers.prompts import Prompt, prompt_for
from foureyes.reviewers.prompts.prompt import CHARS_MAX
from foureyes.reviewers.secrets_out import take_out

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models import Model

#: How often a model is asked for one look: once, and once more if its answer does not count.
ANSWERS_MAX = 2
#: A prompt that does not fit into a model is halved at most this often.
HALVINGS_MAX = 3
#: Code has about this many characters per token; a low estimate, so that limits hold.
CHARS_PER_TOKEN = 3
#: About what our rules and the task take.
RULES_TOKENS = 2_000
HEALTH_SECONDS_MAX = 30
_AGAIN = (Failure.MALFORMED, Failure.INCOMPLETE)
#: After these, no other model is asked: the time or the money is used up.
_FINAL = (Failure.TIMED_OUT, Failure.OUT_OF_BUDGET)


@dataclass(slots=True, kw_only=True)
class _Spent:
    """What was used so far, over all requests."""

    tokens: int = 0
    usd_micro: int = 0
    priced: bool = True
    #: The most that a request under way may cost: one that is abandoned is paid all the same.
    owed_usd_micro: int = 0

    def add(self, reply: asking.Reply) -> None:
        self.owed_usd_micro = 0
        self.tokens += reply.tokens
        self.usd_micro += reply.usd_micro or 0
        self.priced = self.priced and reply.usd_micro is not None

    def __str__(self) -> str:
        price = f"${self.usd_micro / 1_000_000:.4f}" if self.priced else "price unknown"
        return f"{self.tokens:,} tokens, {price}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """The code with which an answer is to be marked, and the reply; None if the prompt is too large for the model."""

    code: str
    reply: asking.Reply | None


def _written(said: _Said) -> str:
    return json.dumps([said.code, asking.written(said.reply) if said.reply else None])


def _read_back(text: str) -> _Said:
    code, reply = json.loads(text)
    return _Said(code=code, reply=asking.read_back(reply) if reply else None)


_SAID = Keeping(write=_written, read=_read_back)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReviewer:
    """A model as a reviewer; the models behind the first are asked if it has no answer."""

    name: str
    endpoints: tuple[Endpoint, ...]
    build: asking.Build = asking.build_model
    #: How long to wait before a failing provider is asked once more.
    pause_seconds: float = 2
    chars_max: int = CHARS_MAX
    session: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def who(self) -> Who:
        """The reviewer's identity; family and provider are given only if they hold for all its models."""
        families = {one.family for one in self.endpoints}
        providers = {one.provider.name for one in self.endpoints}
        return Who(
            name=self.name,
            kind=WhoKind.AGENT,
            model_family=families.pop() if len(families) == 1 else "",
            provider=providers.pop() if len(providers) == 1 else "",
            session=self.session,
        )

    @property
    def sends(self) -> str:
        """Who outside this machine receives the work, in words for people; empty if it stays here."""
        return "; ".join(dict.fromkeys(one.sends for one in self.endpoints if one.sends))

    @property
    def receivers(self) -> str:
        """Everyone who receives the work, on this machine too; the person is asked about this."""
        return "; ".join(dict.fromkeys(one.receiver for one in self.endpoints))

    async def look(self, task: Task, say: Say) -> Look:
        """Let the model look; raises Inconclusive, with what was found and spent until then."""
        began, spent = time.monotonic(), _Spent()
        outgoing = await take_out(task)
        if outgoing.removed:
            say(f"{len(outgoing.removed)} secrets were taken out before anything is sent")
        try:
            async with asyncio.timeout(task.bounds.seconds):
                look = await self._first_answer(outgoing.task, spent, say)
        except TimeoutError:
            text = f"{self.name} did not answer within {task.bounds.seconds:g} seconds."
            spent.usd_micro += spent.owed_usd_micro
            raise Inconclusive(Failure.TIMED_OUT, text, cost=_cost(spent, began)) from None
        except Inconclusive as none:
            found = scrub(none.found, outgoing.known) if none.found else None
            cost = _cost(spent, began)
            raise Inconclusive(none.reason, none.text, found=found, cost=cost, until=none.until) from None
        say(str(spent))
        look = told(scrub(look, outgoing.known), outgoing)
        return replace(look, cost=_cost(spent, began), cost_known=spent.priced)

    async def _first_answer(self, task: Task, spent: _Spent, say: Say) -> Look:
        """Return the answer of the first model that has one."""
        failed: list[Inconclusive] = []
        for endpoint in self.endpoints:
            try:
                return await self._answer(endpoint, task, spent, say)
            except Inconclusive as none:
                failed.append(none)
                say(none.text)
                if none.reason in _FINAL:
                    break
        last = failed[-1]
        text = " ".join(dict.fromkeys(one.text for one in failed))
        ends = [one.until for one in failed if one.until]
        found = next((one.found for one in failed if one.found), None)
        raise Inconclusive(last.reason, text, found=found, until=min(ends) if ends else None)

    async def _answer(self, endpoint: Endpoint, task: Task, spent: _Spent, say: Say) -> Look:
        """Return one model's answer, with a smaller prompt if the whole work does not fit."""
        chars = min(self.chars_max, _room(task, endpoint))
        async with self.build(endpoint) as model:
            for _ in range(HALVINGS_MAX):
                try:
                    return await self._conversation(model, endpoint, task, spent, say, chars=chars)
                except _TooLargeError:
                    chars //= 2
                    say(f"{endpoint.id} cannot hold the work at once; it is shown less of it")
        raise Inconclusive(Failure.INCOMPLETE, f"{endpoint.id} cannot hold the work at once.")

    async def _conversation(
        self, model: Model, endpoint: Endpoint, task: Task, spent: _Spent, say: Say, *, chars: int
    ) -> Look:
        prompt = prompt_for(task, chars)
        worst = _check_affordable(endpoint, prompt, task, spent)
        say(f"asking {endpoint.id}, about {_tokens(prompt):,} tokens")
        messages = asking.first_messages(endpoint, prompt, in_text=not asking.writes_schema(model))
        for left in reversed(range(ANSWERS_MAX)):
            name = f"{endpoint.id}, {chars} characters, turn {ANSWERS_MAX - left}"
            spent.owed_usd_micro = worst
            said = await _SAID.ask(task.once, name, partial(self._said, model, endpoint, messages, task, prompt.code))
            if said.reply is None:
                raise _TooLargeError
            reply = said.reply
            spent.add(reply)
            try:
                look = replace(_read(reply, task, replace(prompt, code=said.code)), unread=prompt.unread)
            except Inconclusive as none:
                _check_budget(endpoint, task, spent, none.found)
                if not left or none.reason not in _AGAIN or reply.ended == "length":
                    raise Inconclusive(none.reason, f"{endpoint.id}: {none.text}", found=none.found) from None
                say(f"the answer does not count ({none.text}); asking once more")
                messages = asking.again(reply, none.text, prompt.system)
            else:
                _check_budget(endpoint, task, spent, look)
                return look
        raise AssertionError("the loop above ends by itself")

    async def _said(
        self, model: Model, endpoint: Endpoint, messages: tuple[ModelMessage, ...], task: Task, code: str
    ) -> _Said:
        """Return one reply; a failing provider is asked once more after a pause."""
        from pydantic_ai.exceptions import AgentRunError, UserError  # noqa: PLC0415 - loaded when a model is asked

        for is_last in (False, True):
            try:
                return _Said(code=code, reply=await asking.ask(model, endpoint, messages, task))
            except (AgentRunError, UserError) as wrong:
                if trouble.is_too_large(wrong):
                    return _Said(code=code, reply=None)
                if is_last or not trouble.is_passing(wrong):
                    raise trouble.inconclusive(endpoint.id, wrong, datetime.now(UTC)) from None
                await asyncio.sleep(self.pause_seconds)
        raise AssertionError("the loop above ends by itself")


class _TooLargeError(Exception):
    """The prompt does not fit into the model."""


async def health(reviewer: ModelReviewer) -> Health:
    """Check with one small real call that the model answers, and report its name for itself."""
    from pydantic_ai.exceptions import AgentRunError, UserError  # noqa: PLC0415 - loaded when a model is asked
    from pydantic_ai.messages import ModelRequest  # noqa: PLC0415

    endpoint = reviewer.endpoints[0]
    messages = (ModelRequest.user_text_prompt("Answer with the one word: ready"),)
    try:
        async with asyncio.timeout(HEALTH_SECONDS_MAX), reviewer.build(endpoint) as model:
            reply = await asking.ask(model, endpoint, messages)
    except TimeoutError:
        return _ill(reviewer, endpoint, f"no answer within {HEALTH_SECONDS_MAX} seconds")
    except (AgentRunError, UserError) as wrong:
        return _ill(reviewer, endpoint, trouble.inconclusive(endpoint.id, wrong, datetime.now(UTC)).text)
    says = f"answered, {reply.tokens:,} tokens"
    return Health(name=reviewer.name, alive=True, version=reply.model, says=says)


def _ill(reviewer: ModelReviewer, endpoint: Endpoint, says: str) -> Health:
    step = f"check {endpoint.provider.keys[0]} and {endpoint.provider.url or endpoint.provider.model}"
    return Health(name=reviewer.name, alive=False, says=says, next_step=step)


def _read(reply: asking.Reply, task: Task, prompt: Prompt) -> Look:
    """Return the look that a reply amounts to."""
    if reply.ended == "content_filter":
        raise Inconclusive(Failure.REFUSED, "the model or its provider refused to look at this.")
    try:
        return read_answer(extract_json(reply.text, task, _code_for(reply.text, prompt)), task)
    except Inconclusive as none:
        if reply.ended == "length":
            text = "the answer was longer than there is room for."
            raise Inconclusive(Failure.INCOMPLETE, text, found=none.found) from None
        raise


def _code_for(text: str, prompt: Prompt) -> str:
    """Return the code that must mark an answer; an answer that is one JSON object and nothing else needs no marks."""
    try:
        return "" if isinstance(json.loads(text), dict) else prompt.code
    except (ValueError, RecursionError):
        return prompt.code


def _room(task: Task, endpoint: Endpoint) -> int:
    """Return how many characters of work leave room for an answer and a second try, within the bound on tokens."""
    tokens = task.bounds.tokens // ANSWERS_MAX - endpoint.answer_tokens
    if endpoint.is_small:
        # Twice: the second try adds the first answer, and our rules add to both.
        tokens = min(tokens, endpoint.context - 2 * endpoint.answer_tokens - RULES_TOKENS)
    return max(0, tokens) * CHARS_PER_TOKEN


def _tokens(prompt: Prompt) -> int:
    return (len(prompt.system) + len(prompt.user)) // CHARS_PER_TOKEN


def _check_affordable(endpoint: Endpoint, prompt: Prompt, task: Task, spent: _Spent) -> int:
    """Refuse a request that could cost more than is left; return what it could cost, or 0 if the price is unknown."""
    worst = asking.worst_price(endpoint, _tokens(prompt))
    left = task.bounds.usd_micro - spent.usd_micro
    if worst is not None and worst > left:
        part = f"{endpoint.id} could cost ${worst / 1e6:.2f}, and its part of the budget is ${left / 1e6:.2f}"
        text = f"{part}: {task.bounds.share}." if task.bounds.share else f"{part}."
        raise Inconclusive(Failure.OUT_OF_BUDGET, text)
    return worst or 0


def _check_budget(endpoint: Endpoint, task: Task, spent: _Spent, found: Look | None) -> None:
    """Raise Inconclusive, with what was found, if a limit was exceeded."""
    bounds = task.bounds
    if spent.tokens > bounds.tokens:
        text = f"{endpoint.id} took {spent.tokens:,} tokens, more than {bounds.tokens:,}."
        raise Inconclusive(Failure.OUT_OF_BUDGET, text, found=found)
    if spent.usd_micro > bounds.usd_micro:
        text = f"{endpoint.id} cost ${spent.usd_micro / 1e6:.2f}, more than ${bounds.usd_micro / 1e6:.2f}."
        raise Inconclusive(Failure.OUT_OF_BUDGET, text, found=found)


def _cost(spent: _Spent, began: float) -> Cost:
    return Cost(usd_micro=spent.usd_micro, tokens=spent.tokens, seconds=round(time.monotonic() - began))
