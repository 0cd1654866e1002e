"""Input with too many values is refused before it is parsed."""

import json
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.app.calls.files import FileSent
from foureyes.app.calls.sending import BATCH_MAX
from foureyes.app.work import PARTS_MAX
from foureyes.codec import sizes
from foureyes.codec.sizes import VALUES_MAX, is_too_full
from foureyes.core.commands import Answer, Draft
from foureyes.core.rules import Limits
from foureyes.core.values import Place

TEXTS = st.text(alphabet='a\\",[{:\n', max_size=6)
VALUES = st.recursive(
    st.none() | st.integers() | TEXTS,
    lambda one: st.lists(one, max_size=4) | st.dictionaries(TEXTS, one, max_size=4),
    max_leaves=12,
)


def marks(value: Any) -> int:
    """The characters before values: each opening bracket, and each comma."""
    if not isinstance(value, list | dict):
        return 0
    inner = value if isinstance(value, list) else value.values()
    return max(1, len(value)) + sum(marks(one) for one in inner)


@given(value=VALUES, most=st.integers(1, 8), spelt=st.booleans())
def test_values_are_counted_and_what_stands_in_a_text_is_not(value: Any, most: int, spelt: bool) -> None:
    message = json.dumps(value, ensure_ascii=spelt).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sizes, "VALUES_MAX", most)
        assert is_too_full(message) is (marks(value) > most)


@pytest.mark.parametrize("one", [b"[]", b"1", b'""', b'{"a":1}'])
def test_a_body_of_nothing_but_little_values_is_too_full(one: bytes) -> None:
    """T18: half a second of parsing for every four megabytes sent."""
    assert is_too_full(b"[" + b",".join([one] * (VALUES_MAX + 1)) + b"]")


def test_the_fullest_work_and_report_fit_and_so_does_a_batch() -> None:
    """With every field of every file and finding, though most can be left out."""
    file = {one.name: "a" for one in fields(FileSent)}
    draft = {one.name: "a" for one in fields(Draft)} | {"place": {one.name: 1 for one in fields(Place)}}
    answer = {one.name: "a" for one in fields(Answer)}
    limits = Limits()
    for fullest in (
        {"files": [file] * PARTS_MAX, "answers": [answer] * limits.list_max, "a": list(range(100))},
        {"findings": [draft] * limits.findings_per_seat_max},
        {"reviews": [{"kind": "code", "title": "a", "files": [file] * (PARTS_MAX // BATCH_MAX)}] * BATCH_MAX},
    ):
        assert not is_too_full(json.dumps({"params": {"arguments": fullest}}).encode())


def test_what_is_much_fuller_than_any_work_is_too_full() -> None:
    """T18: twice the fullest work would be too long a look for everybody else."""
    file = {one.name: "a" for one in fields(FileSent)}
    assert is_too_full(json.dumps({"files": [file] * (2 * PARTS_MAX)}).encode())


def test_a_large_text_is_one_value() -> None:
    assert not is_too_full(json.dumps({"text": '[1, {"a": "\\"}],\n' * 100_000}).encode())
