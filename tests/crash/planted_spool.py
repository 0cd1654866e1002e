"""Bugs of the spool that the crash tests must find."""

from __future__ import annotations

import os
from typing import Any

from foureyes.app import spooling
from foureyes.store import spool, spool_records
from tests.crash.planting import bug, is_file, put


@bug
def the_spool_is_not_synced() -> None:
    real = os.fsync
    put(os, "fsync", lambda descriptor: None if is_file(descriptor) else real(descriptor))


@bug
def the_spools_folder_is_not_synced() -> None:
    put(spool, "sync_folder", lambda _: None)


@bug
def the_mark_goes_with_the_record() -> None:
    """One sync for both: a torn record may have a valid mark."""
    real = spool._write_all

    def write_all(descriptor: int, data: bytes, place: int) -> None:
        if data[:4] == spool_records._RECORD_MAGIC:
            sequence = spool_records._HEAD.unpack(data[: spool_records._HEAD.size])[2]
            real(descriptor, data + spool_records.mark_of(sequence), place)
        elif data[:4] != spool_records._MARK_MAGIC:
            real(descriptor, data, place)

    put(spool, "_write_all", write_all)


@bug
def the_cursor_moves_before_the_effect() -> None:
    real: Any = spooling.SpoolingGate._handed_in

    async def handed_in(self: spooling.SpoolingGate, one: spooling.Waiting) -> bool:
        self._spool.done(one.position)
        return bool(await real(self, one))

    put(spooling.SpoolingGate, "_handed_in", handed_in)


@bug
def the_cursor_is_rewritten_in_place() -> None:
    def write_cursor(folder: Any, position: int) -> None:
        word = str(position)
        (folder / "cursor").write_text(f"{word} {spool._checksum(word)}\n", encoding="ascii")

    put(spool, "_write_cursor", write_cursor)


@bug
def spooled_before_it_is_written() -> None:
    """An in-memory queue answers first and writes later, as a fallback store does (S12)."""
    real = spool.FileSpool.append
    late: list[Any] = []

    def append(self: spool.FileSpool, ask: Any, at: str) -> int:
        late.append((ask, at))
        if len(late) > 3:
            real(self, *late.pop(0))
        return len(late)

    put(spool.FileSpool, "append", append)


@bug
def a_failed_sync_of_the_spool_is_tried_again() -> None:
    """The second sync succeeds, although the first one may have lost the bytes."""
    real = os.fsync

    def fsync(descriptor: int) -> None:
        try:
            real(descriptor)
        except OSError:
            real(descriptor)

    put(os, "fsync", fsync)
