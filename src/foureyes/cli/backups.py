"""The `backup` command: copy the store and the files beside it while other processes go on working."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import click

from foureyes import __version__
from foureyes.app.checkpoints import AT_ONCE, checkpoint_if_due
from foureyes.app.keys import PRIVATE, PUBLIC
from foureyes.app.ports import Reading
from foureyes.app.rows import START, Cursor
from foureyes.cli import signing
from foureyes.cli.answer import Answer, Line
from foureyes.cli.console import progress
from foureyes.cli.parts import Parts
from foureyes.cli.program import answering
from foureyes.home import backups, files

PAGE = 1000
CHECKPOINTS, KEYS, SETTINGS = "checkpoints", "keys", "settings"


@click.command()
@click.argument("place", type=click.Path(file_okay=False), default="")
@click.option("--with-keys", is_flag=True, help="Take the private keys along; whoever has them can sign as you.")
@answering
def backup(parts: Parts, place: str, with_keys: bool) -> Answer:  # noqa: FBT001 - click hands flags over like this
    """Copy everything into a folder, while others go on working.

    PLACE is where the new folder goes; without it, that of the settings. The copy is one moment of the store, with the
    checkpoints, the public keys and the settings.
    """
    folder, manifest = make_backup(parts, place or parts.settings.backups, with_keys=with_keys)
    text = f"{manifest.events} events in {manifest.streams} streams are safe in {folder}."
    keys = "It holds private keys: keep it as you keep them." if with_keys else "It holds no private keys."
    return Answer(
        lines=(Line(text, "good"), Line(keys, "care" if with_keys else "")),
        data={
            "folder": folder,
            "events": manifest.events,
            "streams": manifest.streams,
            "cursor": list(manifest.cursor),
            "checkpoint": manifest.checkpoint,
            "with_keys": manifest.with_keys,
        },
    )


def make_backup(parts: Parts, place: str, *, with_keys: bool) -> tuple[str, backups.Manifest]:
    """Sign a checkpoint, copy the store and the files beside it, and count the copy's events."""
    asyncio.run(_sign(parts))

    def fill(folder: str) -> backups.Filled:
        copy = str(Path(folder, backups.STORE))
        # The checkpoints before the store: what they cover must be in the copy.
        for source, name in _beside(parts, with_keys=with_keys):
            target = Path(folder, name)
            target.parent.mkdir(mode=0o700, exist_ok=True)
            files.copy_whole(str(source), str(target))
        parts.copy_store(copy, progress("Copying"))
        events, streams, cursor = asyncio.run(_counted(parts, copy))
        last = signing.book_end(parts)
        return backups.Filled(
            schema=parts.copy_schema(copy),
            events=events,
            streams=streams,
            cursor=cursor,
            checkpoint=f"{last.checkpoint.number}:{last.digest}" if last else "",
            with_keys=with_keys,
        )

    return backups.make(place, parts.now(), __version__, fill)


async def _sign(parts: Parts) -> None:
    """Sign a last checkpoint, so that a signature covers the copy; without a key there is none."""
    async with parts.store() as store:
        if signing.has_signer(parts):
            key = signing.signer(parts)
            await checkpoint_if_due(store, Path(parts.settings.checkpoints), key, parts.now(), AT_ONCE)


def _beside(parts: Parts, *, with_keys: bool) -> Iterator[tuple[Path, str]]:
    """The files that are copied along with the store, and their names in the backup."""
    settings = parts.settings
    for one in sorted(Path(settings.checkpoints).glob("*")):
        if one.is_file():
            yield one, f"{CHECKPOINTS}/{one.name}"
    for suffix in (PUBLIC, PRIVATE) if with_keys else (PUBLIC,):
        for one in sorted(Path(settings.keys).glob(f"*{suffix}")):
            yield one, f"{KEYS}/{one.name}"
    for one in (Path(settings.file), Path(settings.policy)):
        if one.is_file():
            yield one, f"{SETTINGS}/{one.name}"


async def _counted(parts: Parts, copy: str) -> tuple[int, int, Cursor]:
    async with parts.copied(copy) as store:
        return await store.read(_count)


def _count(reading: Reading) -> tuple[int, int, Cursor]:
    events, streams, after = 0, 0, ""
    while page := reading.heads(after, PAGE):
        events, streams, after = events + sum(one.version for one in page), streams + len(page), page[-1].stream
    cursor = START
    while tail := reading.tail(cursor, PAGE):
        cursor = tail[-1].cursor
    return events, streams, cursor
