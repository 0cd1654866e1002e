"""The answer schema uses only what every provider accepts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from foureyes.reviewers.answers import ANSWER_SCHEMA, read_answer, small_schema
from tests.answers.samples import answer, finding, task

#: Keywords that Anthropic, OpenAI and Gemini all accept in a strict schema.
TAKEN = {"type", "description", "properties", "required", "additionalProperties", "items", "enum"}


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    yield schema
    for inner in schema.get("properties", {}).values():
        yield from nodes(inner)
    if "items" in schema:
        yield from nodes(schema["items"])


def test_the_schema_uses_only_what_every_provider_takes() -> None:
    assert all(set(one) <= TAKEN for one in nodes(ANSWER_SCHEMA))


@pytest.mark.parametrize("schema", [ANSWER_SCHEMA, small_schema(task())])
def test_every_property_is_required_and_nothing_else_allowed(schema: Any) -> None:
    for one in nodes(schema):
        if one["type"] == "object":
            assert one["additionalProperties"] is False
            assert one["required"] == list(one["properties"])


def test_the_schema_for_small_models_bounds_every_list_text_and_number() -> None:
    needed = {"string": {"maxLength"}, "array": {"maxItems"}, "integer": {"minimum", "maximum"}}
    for one in nodes(small_schema(task())):
        if "enum" not in one:
            assert needed.get(one["type"], set()) <= set(one)


def test_findings_come_before_the_verdict_and_confidence_is_a_whole_number() -> None:
    properties: Any = ANSWER_SCHEMA["properties"]
    order = list(properties)
    assert order.index("findings") == 0
    assert order[-2:] == ["verdict", "confidence"]
    assert properties["confidence"]["type"] == "integer"


def test_the_samples_of_these_tests_have_exactly_the_shape_of_the_schema() -> None:
    properties: Any = ANSWER_SCHEMA["properties"]
    assert list(answer()) == list(properties)
    assert list(finding()) == list(properties["findings"]["items"]["properties"])
    assert read_answer(answer(), task()).verdict == "approve"


def test_a_small_model_has_to_fill_in_exactly_what_is_asked() -> None:
    properties: Any = small_schema(task(checklist=("a", "b"), questions=("c",)))["properties"]
    sizes = {name: (one["minItems"], one["maxItems"]) for name, one in properties.items() if "minItems" in one}
    assert sizes == {
        "settled": (0, 0),
        "checked": (0, 0),
        "checklist": (2, 2),
        "answers": (1, 1),
        "strengths": (0, 0),
    }
