"""Events are encoded as plain JSON and decoded without loss; anything else is refused."""

import json
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.codec import EVENT_TYPES, CodecError, canonical, decode, encode
from foureyes.codec.shapes import spelled
from foureyes.codec.upcasts import current_schema
from foureyes.core.events import (
    Event,
    FindingRaised,
    NoteAdded,
    ReportRequested,
    ReportSubmitted,
    ReviewOpened,
    RevisionSubmitted,
)
from foureyes.core.values import Origin, Place, SeatSpec, Severity, Verdict, Who

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
ZONES = st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30)), timezone(-timedelta(hours=11))])
TIMES = st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 12, 31), timezones=ZONES)  # noqa: DTZ001 - hypothesis wants the zone apart
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
for _plain, _strategy in ((str, TEXTS), (int, st.integers(-(2**63), 2**63)), (datetime, TIMES)):
    st.register_type_strategy(_plain, _strategy)
EVENTS = st.one_of([st.from_type(one) for one in get_args(Event)])

RAISED = FindingRaised(
    finding="spec.1-F1",
    seat="spec.1",
    raiser="auditor",
    revision=1,
    severity=Severity.IMPORTANT,
    severity_word="moderate",
    category="other",
    text="Überlauf",
    fingerprint="f1",
    place=Place(path="a.py", start=1, end=2),
)
REQUESTED = ReportRequested(
    request="q1", seat=SeatSpec(id="spec.1", stage="spec"), revision=1, due=NOON, limit=NOON + timedelta(hours=2)
)


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_every_event_comes_back_as_it_was_written(kind: str) -> None:
    @given(st.from_type(EVENT_TYPES[kind]))
    def round_trip(event: Event) -> None:
        written = json.loads(json.dumps(encode(event), allow_nan=False))
        assert written["type"] == kind
        assert written["schema"] == current_schema(kind)
        assert decode(written) == event
        assert encode(decode(written)) == written
        assert canonical(written) == canonical(encode(event))
        assert spelled(encode(event)["body"]).encode() == canonical(written["body"])

    round_trip()


@given(EVENTS, st.data())
def test_a_missing_or_unknown_field_is_refused(event: Event, data: st.DataObject) -> None:
    written = encode(event)
    name = data.draw(st.sampled_from([one.name for one in fields(event)]))
    shorter = {key: value for key, value in written["body"].items() if key != name}
    with pytest.raises(CodecError, match=f"missing field {name}"):
        decode({**written, "body": shorter})
    with pytest.raises(CodecError, match="unknown field 'surprise'"):
        decode({**written, "body": {**written["body"], "surprise": 1}})


@given(EVENTS, st.data())
def test_a_value_of_a_wrong_type_is_refused(event: Event, data: st.DataObject) -> None:
    written = encode(event)
    name = data.draw(st.sampled_from(sorted(written["body"])))
    for wrong in (1.5, {"a": 1}, [[[]]], object()):
        with pytest.raises(CodecError, match=rf"{type(event).__name__}\.{name}"):
            decode({**written, "body": {**written["body"], name: wrong}})


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_anything_else_is_refused_and_nothing_else_happens(data: Any) -> None:
    with pytest.raises(CodecError):
        decode(data)


def test_words_stand_for_enumerations_and_lists_for_tuples() -> None:
    body = encode(RAISED)["body"]
    assert body["severity"] == "important"
    assert body["place"] == {"path": "a.py", "start": 1, "end": 2, "context_hash": ""}
    report = ReportSubmitted(
        seat="s.1", revision=1, digest="d", reviewer=Who(name="ann"), verdict=Verdict.REJECT, grounds=("g",)
    )
    body = encode(report)["body"]
    assert body["verdict"] == "reject"
    assert body["grounds"] == ["g"]
    assert body["reviewer"]["kind"] == "agent"


def test_times_are_written_in_utc_with_a_z() -> None:
    assert encode(REQUESTED)["body"]["due"] == "2026-05-04T12:00:00.000000Z"
    east = replace(REQUESTED, due=NOON.astimezone(timezone(timedelta(hours=9))))
    assert encode(east) == encode(REQUESTED)


@pytest.mark.parametrize(
    "word",
    ["2026-05-04T12:00:00.000000", "2026-05-04T12:00:00Z", "2026-13-04T12:00:00.000000Z", "2026-05-04", "noon", "", 12],
)
def test_a_time_written_otherwise_is_refused(word: object) -> None:
    written = encode(REQUESTED)
    with pytest.raises(CodecError, match=r"ReportRequested\.due"):
        decode({**written, "body": {**written["body"], "due": word}})


def test_a_time_without_zone_is_refused() -> None:
    with pytest.raises(CodecError, match=r"ReportRequested\.due: a time without its zone"):
        encode(replace(REQUESTED, due=NOON.replace(tzinfo=None)))


def test_a_time_before_the_calendar_is_refused() -> None:
    early = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=9)))
    with pytest.raises(CodecError, match="before year 1"):
        encode(replace(REQUESTED, due=early))


@pytest.mark.parametrize(
    ("field", "value"),
    [("revision", True), ("revision", 2**65), ("revision", "1"), ("text", 7), ("text", "\ud800"), ("demand", 1)],
)
def test_an_event_with_a_wrong_value_is_not_written_nor_read(field: str, value: object) -> None:
    with pytest.raises(CodecError, match=rf"FindingRaised\.{field}"):
        encode(replace(RAISED, **{field: value}))  # type: ignore[arg-type]  # wrong on purpose
    written = encode(RAISED)
    with pytest.raises(CodecError, match=rf"FindingRaised\.{field}"):
        decode({**written, "body": {**written["body"], field: value}})


@pytest.mark.parametrize(
    ("field", "value"),
    [("severity", 2), ("severity", "important"), ("place", SeatSpec(id="s", stage="t"))],
)
def test_an_event_with_a_look_alike_is_not_written(field: str, value: object) -> None:
    with pytest.raises(CodecError, match=rf"FindingRaised\.{field}: expected"):
        encode(replace(RAISED, **{field: value}))  # type: ignore[arg-type]  # wrong on purpose


def test_the_field_deep_inside_is_named() -> None:
    written = encode(REQUESTED)
    written["body"]["seat"]["candidates"] = ["ann", 3]
    with pytest.raises(CodecError, match=r"ReportRequested\.seat\.candidates\[1\]: expected text, not int"):
        decode(written)
    opened = ReviewOpened(
        review="r",
        kind="k",
        title="t",
        author=Who(name="ann"),
        contributors=(),
        trigger="author",
        rules="d",
        origin=Origin(),
        context=(("a", "b"),),
    )
    written = encode(opened)
    written["body"]["context"] = [["a", "b", "c"]]
    with pytest.raises(CodecError, match=r"ReviewOpened\.context\[0\]: expected 2 values, not 3"):
        decode(written)


@pytest.mark.parametrize(
    "data",
    [
        {"type": "NoteAdded", "schema": 2, "body": {"by": "a", "text": "b"}},
        {"type": "NoteAdded", "schema": True, "body": {"by": "a", "text": "b"}},
        {"type": "NoteDropped", "schema": 1, "body": {}},
        {"type": ["NoteAdded"], "schema": 1, "body": {}},
        {"type": "NoteAdded", "schema": 1},
        {"type": "NoteAdded", "schema": 1, "body": {"by": "a", "text": "b"}, "more": 1},
        {"type": "NoteAdded", "schema": 1, "body": []},
    ],
)
def test_an_unknown_type_or_schema_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(CodecError):
        decode(data)


def test_something_that_is_no_event_is_not_written() -> None:
    class NoteDropped:
        """Not an event."""

    for thing in (Who(name="ann"), NoteDropped(), None, type("NoteAdded", (), {})()):
        with pytest.raises(CodecError, match="is not an event"):
            encode(thing)  # type: ignore[arg-type]  # wrong on purpose


def test_a_word_that_is_an_enumeration_in_a_text_field_becomes_plain_text() -> None:
    written = encode(NoteAdded(by=Verdict.REJECT, text="x"))
    assert type(written["body"]["by"]) is str


_ODD = st.sampled_from(["\x7f", "\u2028", "\x00", "\ud800"])
_WORDS = st.text() | st.text(st.characters(max_codepoint=0x2FFF)) | _ODD
_NUMBERS = st.integers(-(2**64), 2**64) | st.sampled_from([2**63, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1])
_VALUES = st.recursive(
    st.none() | st.booleans() | _NUMBERS | _WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_WORDS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(_WORDS, _VALUES, max_size=4))
def test_a_value_is_spelled_or_refused_as_the_standard_library_does(value: dict[str, object]) -> None:
    """Two libraries spell the same log: what one of them wrote, the other must find unchanged."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert spelled(value) == text


@pytest.mark.parametrize("value", [Who(name="ann"), NOON, NOON.date(), NOON.time()])
def test_what_is_no_plain_value_is_not_spelled_by_either_library(value: object) -> None:
    """Else one of them would give it a spelling that no shape reads back."""
    for spell in (spelled, canonical):
        with pytest.raises(TypeError, match="is not JSON serializable"):
            spell({"a": value})


def test_a_text_with_a_class_of_its_own_is_spelled_as_its_text() -> None:
    class Word(str):
        """Text like any other."""

        __slots__ = ()

    value: dict[str, object] = {"a": Word("ü"), "b": Verdict.REJECT}
    assert spelled(value) == canonical(value).decode() == '{"a":"ü","b":"reject"}'


def test_the_canonical_spelling_has_sorted_keys_no_spaces_and_plain_utf8() -> None:
    assert canonical({"b": [1, None, True], "a": "ü"}) == '{"a":"ü","b":[1,null,true]}'.encode()
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical({"a": float("nan")})


def test_every_event_of_the_core_has_a_name_of_its_own() -> None:
    assert len(EVENT_TYPES) == len(get_args(Event))
    assert EVENT_TYPES["RevisionSubmitted"] is RevisionSubmitted
