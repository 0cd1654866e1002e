"""The `log` commands: verify the log, sign a checkpoint, and rotate the key that signs."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path

import click

from foureyes.app.checkpoints import AT_ONCE, checkpoint_if_due
from foureyes.app.damages import Inspection
from foureyes.app.handover import rotate
from foureyes.app.keys import new_key
from foureyes.app.ports import Store
from foureyes.app.verify import verify as verified
from foureyes.cli import codes, signing
from foureyes.cli.alone import alone
from foureyes.cli.answer import Answer, Json, Line
from foureyes.cli.console import progress
from foureyes.cli.parts import Parts
from foureyes.cli.program import Group, answering
from foureyes.home.trouble import Trouble

_SEEN = re.compile(r"([0-9]{1,12}):([0-9a-f]{64})").fullmatch


@click.group(cls=Group)
def log() -> None:
    """Look after the log of everything that happened."""


@log.command()
@click.option("--key", default="", metavar="FILE", help="The public key to trust, instead of the one in use here.")
@click.option("--seen", default="", metavar="NUMBER:HASH", help="A checkpoint that an earlier check printed.")
@click.option("--deep", is_flag=True, help="Fold every review anew and compare it with its rows.")
@answering
def verify(parts: Parts, key: str, seen: str, deep: bool) -> Answer:  # noqa: FBT001 - click hands flags over like this
    """Check every link and every signed checkpoint, and name what was altered."""
    before = _seen(seen)

    async def look() -> Inspection:
        async with parts.store() as store:
            return await inspect(parts, store, key=key, seen=before, deep=deep)

    return inspected(asyncio.run(look()))


@log.command()
@answering
def checkpoint(parts: Parts) -> Answer:
    """Sign the log as it is now, and make a key for that the first time."""

    async def sign() -> Answer:
        async with parts.store() as store:
            key = signing.signer(parts, make=True)
            made = await checkpoint_if_due(store, Path(parts.settings.checkpoints), key, parts.now(), AT_ONCE)
            if made is None:
                text = "Nothing has happened since the last checkpoint, or another program signs at this moment."
                return Answer(lines=(Line(text),), data={"made": None})
            text = f"Checkpoint {made.number} covers {made.reached.events} events, signed by key {key.public.id}."
            data: dict[str, Json] = {"made": made.number, "events": made.reached.events, "key": key.public.id}
            return Answer(lines=(Line(text, "good"),), data=data)

    return asyncio.run(sign())


@log.command("rotate")
@click.option("--reason", required=True, help="Why, in a sentence; it stays in the record.")
@answering
def rotate_key(parts: Parts, reason: str) -> Answer:
    """Sign with a new key from now on; the old one signs that once.

    Nothing is lost by it, so nobody is asked: what was signed still verifies, by either key, and the old private key is
    only set aside. The log and the book keep which account did it, when and why.
    """

    async def change() -> Answer:
        async with parts.store(write=True) as store:
            old, by = signing.signer(parts), parts.human()
            new = new_key(Path(parts.settings.keys))
            book = Path(parts.settings.checkpoints)
            await rotate(store, book, (old, new), by, reason=reason, now=parts.now())
            text = f"Key {new.public.id} signs from now on, key {old.public.id} no more."
            step = f"Move {signing.retire(parts, old.public)} to a safe place; its .pub stays."
            kept = f"The record says that {by.name} did this, and why."
            data = {"old": old.public.id, "new": new.public.id, "by": by.name}
            return Answer(lines=(Line(text, "good"), Line(kept), Line(step)), data=data)

    with alone(parts, "log rotate"):
        return asyncio.run(change())


async def inspect(
    parts: Parts, store: Store, *, key: str = "", seen: tuple[int, str] | None = None, deep: bool = False
) -> Inspection:
    """Verify a store against the checkpoints known here."""
    book = Path(parts.settings.checkpoints)
    trusted = signing.trusted_key(parts, key)
    return await verified(store, book, trusted, seen=seen, now=parts.now(), deep=deep, progress=_shown())


async def looked(parts: Parts) -> Inspection | str:
    """Verify the store after it was changed; returns a sentence if that cannot be done."""
    if signing.book_end(parts) is None:
        return "It has no checkpoints, so nothing signed could be compared."
    try:
        signing.trusted_key(parts)
    except Trouble as error:
        return f"The log is not verified yet. {error.sentence} Run `foureyes log verify --key FILE`."
    async with parts.store() as store:
        return await inspect(parts, store)


def inspected(found: Inspection) -> Answer:
    """The result in words; damage gives the exit code for "blocked"."""
    damages = tuple(Line(f"{one.place}: {one.what}. {one.next_step}", "bad") for one in found.damages)
    more = (Line(f"{found.unlisted} more are not listed.", "bad"),) if found.unlisted else ()
    notes = tuple(Line(f"Note: {one}", "care") for one in found.notes)
    counted = f"{found.events} events in {found.streams} streams, {found.checkpoints} checkpoints"
    if found.sound:
        end = Line(f"The log is sound: {counted}, {found.uncovered} events not signed yet.", "good")
    else:
        end = Line(f"The log is damaged in {len(found.damages) + found.unlisted} places: {counted}.", "bad")
    last = f"{found.last[0]}:{found.last[1]}" if found.last else ""
    kept = (Line(f"Keep this elsewhere for the next check: --seen {last}"),) if last else ()
    return Answer(
        code=codes.OK if found.sound else codes.BLOCKED,
        lines=(*damages, *more, *notes, end, *kept),
        data=inspection_data(found),
    )


def inspection_data(found: Inspection) -> dict[str, Json]:
    """The result of a verification for scripts."""
    return {
        "sound": found.sound,
        "damages": [{"place": one.place, "what": one.what, "next_step": one.next_step} for one in found.damages],
        "unlisted": found.unlisted,
        "notes": list(found.notes),
        "streams": found.streams,
        "events": found.events,
        "uncovered": found.uncovered,
        "checkpoints": found.checkpoints,
        "last": f"{found.last[0]}:{found.last[1]}" if found.last else None,
    }


def _seen(text: str) -> tuple[int, str] | None:
    if not text:
        return None
    found = _SEEN(text)
    if found is None:
        message = f"{text!r} is no checkpoint; it looks like 12:4be1…, as an earlier check printed it."
        raise click.BadParameter(message, param_hint="--seen")
    return int(found[1]), found[2]


def _shown() -> Callable[[str, int, int], None]:
    bars: dict[str, Callable[[int, int], None]] = {}

    def step(what: str, done: int, total: int) -> None:
        bar = bars.setdefault(what, progress(what))
        bar(min(done, total or done), total or done)

    return step
