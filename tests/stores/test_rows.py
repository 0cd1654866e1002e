"""Names and bytes are packed without loss and without ambiguity."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from foureyes.store.rows import SQUEEZED_BYTES_MAX, packed, prefix_end, squeezed, unpacked, unsqueezed
from foureyes.store.sql import percents

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
HEX = st.binary(min_size=19, max_size=33).map(bytes.hex)
NAMES = TEXTS | HEX | HEX.map(str.upper) | st.text("0123456789abcdefg", min_size=15, max_size=70)


@given(NAMES)
def test_a_packed_name_is_the_same_name_again(name: str) -> None:
    assert unpacked(packed(name)) == name


@given(NAMES, NAMES)
def test_two_names_never_share_a_packing(one: str, other: str) -> None:
    assert (packed(one) == packed(other)) == (one == other)


def test_a_digest_takes_half_the_room() -> None:
    assert len(packed("a" * 64)) == 32
    assert len(packed("a" * 40)) == 20


@given(st.binary(max_size=300) | st.binary(max_size=4).map(lambda some: some * 700))
def test_squeezed_bytes_are_the_same_bytes_again(content: bytes) -> None:
    short = squeezed(content)
    assert len(short) <= len(content)
    assert unsqueezed(short, len(content)) == content


def test_text_takes_less_room_and_very_much_of_it_is_left_alone() -> None:
    assert len(squeezed(b"def f(): return 1\n" * 100)) < 200
    large = bytes(SQUEEZED_BYTES_MAX + 1)
    assert squeezed(large) is large
    assert len(squeezed(bytes(SQUEEZED_BYTES_MAX))) < 10_000


def test_damaged_bytes_come_back_as_something_else_and_never_as_more_than_they_were() -> None:
    short = squeezed(b"x" * 2048)
    assert unsqueezed(short[1:], 2048) != b"x" * 2048
    assert len(unsqueezed(short, 100)) == 100
    assert unsqueezed(b"not squeezed", 100) == b"not squeezed"


@given(TEXTS, TEXTS)
def test_a_text_lies_before_its_prefixes_end_exactly_if_it_begins_so(prefix: str, text: str) -> None:
    end = prefix_end(prefix)
    assert text.startswith(prefix) == (text >= prefix and (not end or text < end))


def test_a_statement_is_translated_for_psycopg() -> None:
    assert percents("SELECT '%' WHERE a = ? AND b = ?") == "SELECT '%%' WHERE a = %s AND b = %s"
