"""Rules and commands are encoded without loss, and rules carry the digest of their content."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.codec.commands import COMMAND_TYPES, Command, decode_command, encode_command
from foureyes.codec.rules import GATES, rules_body
from foureyes.codec.shapes import CodecError, shape
from foureyes.codec.upcasts import STEPS, current_schema, upcast
from foureyes.core import gates
from foureyes.core.rules import Rules
from tests.cast import RULES
from tests.codec import test_events  # noqa: F401 - it tells hypothesis how our texts and times look

SPANS = st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=4000))
st.register_type_strategy(timedelta, SPANS)


def read(body: dict[str, object]) -> object:
    return shape(Rules)[1](body | {"digest": RULES.digest})


def test_rules_come_back_as_they_were_written() -> None:
    assert read(rules_body(RULES)) == RULES


def test_the_digest_of_rules_is_no_part_of_what_they_say() -> None:
    assert rules_body(RULES) == rules_body(replace(RULES, digest="another"))
    assert rules_body(RULES) != rules_body(replace(RULES, enabled=False))


def test_every_gate_can_be_written() -> None:
    known = {getattr(gates, name) for name in gates.__all__ if hasattr(getattr(gates, name), "judge")}
    assert known == set(GATES)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"enabled": 1}, "missing field"),
        (rules_body(RULES) | {"enabled": 1}, "true or false"),
        (rules_body(RULES) | {"single_use_kinds": ["b", "a"]}, "in order"),
    ],
)
def test_rules_of_another_shape_are_refused(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(CodecError, match=says):
        read(wrong)


def test_an_unknown_gate_is_refused() -> None:
    body = json.loads(json.dumps(rules_body(RULES)).replace('"is": "Quorum"', '"is": "Wishes"'))
    with pytest.raises(CodecError, match="'Wishes' is not one of Agreement"):
        read(body)


@pytest.mark.parametrize("kind", COMMAND_TYPES)
def test_every_command_comes_back_as_it_was_written(kind: str) -> None:
    @given(st.from_type(COMMAND_TYPES[kind]))
    def round_trip(command: Command) -> None:
        assert decode_command(encode_command(command)) == command

    round_trip()


def test_what_is_no_command_is_refused() -> None:
    with pytest.raises(CodecError, match="'Obey' is not one of"):
        decode_command({"is": "Obey"})
    with pytest.raises(CodecError, match="Rules is not one of"):
        encode_command(RULES)  # type: ignore[arg-type]


def test_an_old_body_walks_up_to_the_current_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STEPS, ("NoteAdded", 1), lambda body: {"by": body["who"], "words": body["text"]})
    monkeypatch.setitem(STEPS, ("NoteAdded", 2), lambda body: {"by": body["by"], "text": body["words"]})
    assert current_schema("NoteAdded") == 3
    assert upcast("NoteAdded", 1, {"who": "ann", "text": "hm"}) == {"by": "ann", "text": "hm"}
    assert upcast("NoteAdded", 3, {"by": "ann", "text": "hm"}) == {"by": "ann", "text": "hm"}


@pytest.mark.parametrize("kind", ["ReportSubmitted", "ReportFailed"])
def test_the_cost_of_an_old_report_counts_as_it_did(kind: str) -> None:
    """I24, D-09: whose word it was is not in such a body, and what it says besides is what the old shape had."""
    assert upcast(kind, 1, {"seat": "s.1"}).items() >= {"seat": "s.1", "counted": True}.items()
    assert upcast(kind, 2, {"seat": "s.1", "counted": False}).items() >= {"seat": "s.1", "counted": False}.items()
    assert upcast(kind, 1, []) == []
    with pytest.raises(CodecError, match="unknown field 'counted'"):
        upcast(kind, 1, {"seat": "s.1", "counted": False})


def test_an_old_report_does_not_say_what_its_reviewer_was_given() -> None:
    """U-04: it counts as it did; a body that says so in the old shape was not written by us."""
    assert upcast("ReportSubmitted", 2, {"seat": "s.1"}) == {"seat": "s.1", "served": ""}
    assert upcast("ReportSubmitted", 3, {"seat": "s.1", "served": "d1"}) == {"seat": "s.1", "served": "d1"}
    assert upcast("ReportSubmitted", 2, []) == []
    with pytest.raises(CodecError, match="unknown field 'served'"):
        upcast("ReportSubmitted", 2, {"seat": "s.1", "served": "d1"})


@pytest.mark.parametrize("schema", [0, 2, True, "1", None])
def test_a_body_of_an_unknown_schema_is_refused(schema: object) -> None:
    with pytest.raises(CodecError, match="is not known"):
        upcast("NoteAdded", schema, {})


def test_rules_know_nothing_beside_what_is_written() -> None:
    assert set(rules_body(RULES)) == set(Rules.__slots__) - {"digest", "stages_memo"}
    assert len(get_args(Command)) == len(COMMAND_TYPES)
