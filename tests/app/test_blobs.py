"""Bytes that come in pieces are hashed as a whole, and the first byte too many is noticed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.app.blobs import hash_stream
from foureyes.app.work import BLOB_BYTES_MAX, blob_digest
from foureyes.core.refusals import Code, Refusal
from foureyes.store import rows

PIECE = 64 * 1024


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_however_it_is_cut_the_digest_is_that_of_the_whole(pieces: list[bytes]) -> None:
    whole = b"".join(pieces)
    assert hash_stream(pieces, 1000) == (hashlib.sha256(whole).hexdigest(), whole)


def pieces_of(size: int, taken: list[int]) -> Iterator[bytes]:
    for start in range(0, size, PIECE):
        taken.append(start)
        yield bytes(min(PIECE, size - start))


@pytest.mark.parametrize("size", [BLOB_BYTES_MAX - 1, BLOB_BYTES_MAX])
def test_as_many_bytes_as_allowed_are_taken(size: int) -> None:
    assert hash_stream(pieces_of(size, [])) == (blob_digest(bytes(size)), bytes(size))


def test_one_byte_too_many_is_refused() -> None:
    with pytest.raises(Refusal) as caught:
        hash_stream(pieces_of(BLOB_BYTES_MAX + 1, []))
    assert caught.value.code is Code.TOO_LONG


def test_nothing_is_read_behind_the_piece_that_was_too_much() -> None:
    taken: list[int] = []
    with pytest.raises(Refusal):
        hash_stream(pieces_of(PIECE * 1000, taken), limit=PIECE * 3)
    assert len(taken) == 4


def test_the_store_has_the_same_limit() -> None:
    assert rows.BLOB_BYTES_MAX == BLOB_BYTES_MAX
