"""Rules and commands are written down without loss, and rules bear the digest of what they say."""

from dataclasses import replace
from datetime import timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.codec.commands import COMMAND_TYPES, Command, decode_command, encode_command
from foureyes.codec.rules import GATES, decode_rules, encode_rules, rules_text, sealed
from foureyes.codec.shapes import CodecError, canonical
from foureyes.codec.upcasts import STEPS, current_schema, upcast
from foureyes.core import gates
from foureyes.core.rules import Rules
from tests.cast import RULES
from tests.codec import test_events  # noqa: F401 - it tells hypothesis how our texts and times look

SPANS = st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=4000))
st.register_type_strategy(timedelta, SPANS)


def test_rules_come_back_as_they_were_written() -> None:
    written = sealed(RULES)
    assert decode_rules(rules_text(written)) == written


def test_the_digest_of_rules_is_that_of_what_they_say() -> None:
    assert sealed(RULES).digest == sealed(replace(RULES, digest="another")).digest
    assert sealed(RULES).digest != sealed(replace(RULES, enabled=False)).digest


def test_every_gate_can_be_written() -> None:
    known = {getattr(gates, name) for name in gates.__all__ if hasattr(getattr(gates, name), "judge")}
    assert known == set(GATES)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"schema": 2, "rules": {}}, "schema 2"),
        ({"schema": 1}, "exactly the fields"),
        ({"schema": 1, "rules": {"enabled": 1}}, "missing field"),
        (encode_rules(RULES) | {"rules": encode_rules(RULES)["rules"] | {"enabled": 1}}, "true or false"),
        (encode_rules(RULES) | {"rules": encode_rules(RULES)["rules"] | {"single_use_kinds": ["b", "a"]}}, "in order"),
    ],
)
def test_rules_of_another_shape_are_refused(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(CodecError, match=says):
        decode_rules(canonical(wrong))


def test_an_unknown_gate_is_refused() -> None:
    text = rules_text(RULES).replace(b'"is":"Quorum"', b'"is":"Wishes"')
    with pytest.raises(CodecError, match="'Wishes' is not one of Agreement"):
        decode_rules(text)


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


@pytest.mark.parametrize("schema", [0, 2, True, "1", None])
def test_a_body_of_an_unknown_schema_is_refused(schema: object) -> None:
    with pytest.raises(CodecError, match="is not known"):
        upcast("NoteAdded", schema, {})


def test_rules_know_nothing_beside_what_is_written() -> None:
    assert set(encode_rules(RULES)["rules"]) == set(Rules.__slots__) - {"digest", "stages_memo"}
    assert len(get_args(Command)) == len(COMMAND_TYPES)
