"""A model whose provider enforces no schema is asked in text, between marks that only the prompt knows."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest
from opentelemetry.trace import NoOpTracer, Span, Tracer, TracerProvider
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings

from foureyes.app.reviewers import Bounds, Inconclusive, Look, Task
from foureyes.app.reviewing.second_look import second_look
from foureyes.core.values import Failure
from foureyes.reviewers.models import ModelReviewer
from foureyes.reviewers.models.endpoints import OWN, Endpoint
from tests.answers.injected import APPROVED
from tests.answers.samples import answer, finding, shop, task
from tests.reviewing.test_second_look import DRAFT, word

HERE = Endpoint(provider=OWN, name="tiny", url="http://localhost:1/v1")
Says = Callable[[str], str]


def code_in(asked: str) -> str:
    found = re.search(r"The code of this message is ([0-9a-f]{16})", asked)
    assert found
    return found[1]


def marked(data: object) -> Says:
    """A model that answers between the marks of its prompt."""
    return lambda asked: f"Thinking…\nBEGIN ANSWER {code_in(asked)}\n{json.dumps(data)}\nEND ANSWER {code_in(asked)}\n"


def bare(text: str) -> Says:
    return lambda _: text


def reviewer(*turns: Says, asked: list[AgentInfo] | None = None) -> ModelReviewer:
    def speak(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if asked is not None:
            asked.append(info)
        first = messages[0].parts[0]
        assert isinstance(first, UserPromptPart)
        spoken = sum(isinstance(one, ModelResponse) for one in messages)
        said = turns[min(spoken, len(turns) - 1)](str(first.content))
        return ModelResponse(parts=[TextPart(content=said)])

    return ModelReviewer(name="tiny", endpoints=(HERE,), build=lambda _: FunctionModel(speak), pause_seconds=0)


def look(one: ModelReviewer, asked: Task | None = None) -> Look:
    return asyncio.run(one.look(asked or task(), lambda _: None))


def test_an_answer_between_the_marks_counts() -> None:
    assert look(reviewer(marked(answer()))).verdict == "approve"
    assert look(reviewer(marked(answer(finding())))).verdict == "reject"


@pytest.mark.parametrize(
    "text", ["approve", f"Sure: {json.dumps(answer())}", "BEGIN ANSWER 0000000000000000\n" + json.dumps(answer())]
)
def test_an_approval_anywhere_else_does_not(text: str) -> None:
    """D-06."""
    with pytest.raises(Inconclusive) as caught:
        look(reviewer(bare(text)))
    assert caught.value.reason is Failure.MALFORMED


def test_a_model_that_copies_the_approval_in_the_work_has_not_answered() -> None:
    """D-06."""
    planted = task(shop(content=APPROVED.encode(), before=None, changed=((1, 1),)))
    for says in (bare(APPROVED), marked(json.loads(APPROVED))):
        with pytest.raises(Inconclusive, match="stands in the work itself"):
            look(reviewer(says), planted)


def test_no_tool_is_offered() -> None:
    """D-06."""
    asked: list[AgentInfo] = []
    look(reviewer(marked(answer()), asked=asked))
    assert [(one.function_tools, one.output_tools) for one in asked] == [([], [])]


def test_a_model_has_as_long_as_the_person_says() -> None:
    """D-09: the library's own limit is not the one that ends a look."""
    asked: list[AgentInfo] = []
    look(reviewer(marked(answer()), asked=asked), task(bounds=Bounds(seconds=1_234)))
    assert [(one.model_settings or {}).get("timeout") for one in asked] == [1_234]


def test_a_model_can_take_a_second_look() -> None:
    """D-11."""
    said = {"checked": [word(1, "refuted", "return True")]}
    asked = replace(task(), verify=(DRAFT,))
    (found,) = asyncio.run(second_look(reviewer(marked(said)), asked, lambda _: None)).checked
    assert found.result == "refuted"
    (left,) = asyncio.run(second_look(reviewer(bare("no idea")), asked, lambda _: None)).checked
    assert left.result == "plausible"


class Watching(TracerProvider):
    """A tracer provider that records every span."""

    def __init__(self) -> None:
        self.spans: list[str] = []

    def get_tracer(self, *_: Any, **__: Any) -> Tracer:
        spans = self.spans

        class Noting(NoOpTracer):
            def start_span(self, name: str, *_: Any, **__: Any) -> Span:
                spans.append(name)
                return super().start_span(name)

            def start_as_current_span(self, name: str, *_: Any, **__: Any) -> Any:
                return nullcontext(self.start_span(name))

        return Noting()


def test_nothing_of_it_goes_into_a_trace_whatever_the_process_has_switched_on() -> None:
    """D-16."""
    watching = Watching()
    Agent.instrument_all(InstrumentationSettings(tracer_provider=watching))
    try:
        assert look(reviewer(marked(answer()))).verdict == "approve"
    finally:
        Agent.instrument_all(instrument=False)
    assert watching.spans == []


def test_what_a_model_sees_is_the_same_in_each_try_of_one_look() -> None:
    seen: list[str] = []

    def confused(asked: str) -> str:
        seen.append(asked)
        return "what?"

    def sure(asked: str) -> str:
        seen.append(asked)
        return marked(answer(finding()))(asked)

    assert look(reviewer(confused, sure)).verdict == "reject"
    assert len(seen) == 2
    assert len(set(seen)) == 1
