"""Write a golden log: `python -m tests.golden.write VERSION`, once for each release; a version is never written again.

The streams come from a seeded world of the simulator: so many that every event is in them, and every style with every
end it came to. The key is made from a fixed word and signs nothing else.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from foureyes.app.book import Checkpoint, Covered, heads_hash
from foureyes.app.book import line_of as checkpoint_line
from foureyes.app.chain import ROOT, appended
from foureyes.app.checkpoints import grown
from foureyes.app.heads import digest_rows, review_row
from foureyes.app.keys import PublicKey, Signer
from foureyes.app.operations import OPERATIONS
from foureyes.app.ports import Writing
from foureyes.app.projections.beside_log import write_anew
from foureyes.app.receipts import receipt
from foureyes.app.rows import LIVES, Answered, Append, Changes, Stored
from foureyes.app.shelf import read_review
from foureyes.app.silences import stream_of
from foureyes.app.work import work_of
from foureyes.codec import EVENT_TYPES, decode
from foureyes.core.events import BaseAttested, Event, PrincipalEvent, WholeSeen
from foureyes.core.operations import PurgeBlob, RestoreStore, RotateKey, decide_operation
from foureyes.core.principals import (
    Census,
    EnrolPrincipal,
    IssueToken,
    RemovePrincipal,
    RevokeToken,
    account_of,
    decide_principal,
)
from foureyes.core.silence import ResumeHooks, SilenceCommand, SilenceHooks, decide_silence
from foureyes.store.memory import MemoryStore
from tests.app.house import FIRST, House
from tests.cast import HUGO
from tests.golden import log as golden
from tests.sim.campaign import tempers_of
from tests.sim.run import Run, fresh
from tests.tamper.desk import text_of

SEED, STEPS = 4, 12_000
#: How often each event should occur, if the world has it so often.
EACH = 2
AT = datetime(2026, 2, 1, tzinfo=UTC)
LATER = "2026-02-01T00:00:00.000000Z"


def main(version: str) -> None:
    """Write a folder that is not there yet."""
    folder = golden.HERE / version
    folder.mkdir()
    events = list(chosen(list(played())))
    missing = EVENT_TYPES.keys() - {one.type for one in events}
    if missing:
        raise SystemExit(f"The world has none of {', '.join(sorted(missing))}; take another seed.")
    _put(folder / golden.LOG, "".join(f"{golden.line_of(one)}\n" for one in events))
    _put(folder / golden.STATES, json.dumps(golden.hashes(events), indent=1) + "\n")
    asyncio.run(_sign(folder, events))


def played() -> Iterator[Stored]:
    """Everything a seeded world wrote, linked as a store would have it."""
    run = Run(seed=SEED, tempers=tempers_of(SEED))
    run.play(STEPS)
    world = fresh(SEED, run.tempers)
    ends: dict[str, tuple[int, bytes]] = {}
    for work in run.world.works.values():
        world.make_known(work)
    for delivery in run.script:
        before = len(world.logs.get(delivery.stream, ()))
        world.deliver(delivery)
        new = [decode(one) for one in world.logs.get(delivery.stream, ())[before:]]
        at = delivery.at.isoformat(timespec="microseconds")[:-6] + "Z"
        append = appended(
            delivery.stream,
            ends.get(delivery.stream, (0, ROOT)),
            new,
            at=at,
            actor=delivery.who.name,
            cause=delivery.key,
        )
        if new:
            ends[delivery.stream] = (before + len(new), append.entries[-1].chain)
        yield from _stored(append)
    yield from _stored(appended(OPERATIONS, (0, ROOT), _operations(), at=LATER, actor="hugo", cause="golden"))
    yield from _stored(appended("principal/ann", (0, ROOT), _account(), at=LATER, actor="hugo", cause="golden"))
    looked = [WholeSeen(review="r1", revision=number, by="hugo") for number in (1, 2)]
    yield from _stored(appended("seen/r1", (0, ROOT), looked, at=LATER, actor="hugo", cause="golden"))
    attested = BaseAttested(
        target="shop", digest=work_of(FIRST).digest, parts=work_of(FIRST).parts, by="ci", commit="c1"
    )
    yield from _stored(appended("target/shop", (0, ROOT), [attested] * 2, at=LATER, actor="ci", cause="golden"))
    place = stream_of("laptop", "/home/hugo/work")
    yield from _stored(appended(place, (0, ROOT), _silence(), at=LATER, actor="hugo", cause="golden"))


def chosen(events: list[Stored]) -> Iterator[Stored]:
    """As few events as show everything: the stream that adds most for its length, again and again."""
    streams = {name: (_features(some), len(some)) for name, some in golden.by_stream(events).items()}
    seen: Counter[str] = Counter()
    names: set[str] = set()
    while gain := max((_gain(seen, *shown), name) for name, shown in streams.items() if name not in names):
        if gain[0] == 0:
            break
        names.add(gain[1])
        seen.update(streams[gain[1]][0])
    kept = (one for one in events if one.stream in names)
    return (replace(one, seq=seq) for seq, one in enumerate(kept, start=1))


def _gain(seen: Counter[str], features: set[str], length: int) -> float:
    """The new features of a stream in relation to its length."""
    return sum(seen[one] < (EACH if one in EVENT_TYPES else 1) for one in features) / length


def golden_key() -> Signer:
    """The key of every golden book; it protects nothing."""
    from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - as in the program

    private = ed25519.Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"golden").digest())
    return Signer(public=PublicKey(raw=private.public_key().public_bytes_raw()), sign=private.sign)


async def filled(events: Iterable[Stored]) -> MemoryStore:
    """A store with these events and the rows of their reviews."""
    store, listed = MemoryStore(), list(events)
    await store.write(lambda tx: tx.apply(Changes(appends=tuple(golden.appends(listed)))))
    for stream in golden.by_stream(listed):
        if stream.startswith("review/"):
            await store.write(partial(_put_rows, stream=stream))
    for actor, cause in {(one.actor, one.cause): None for one in listed if one.cause}:
        known = Answered(asker=actor, key=cause, body_hash="", reply="{}", at=LATER)
        await store.write(lambda tx, known=known: tx.apply(Changes(answered=known)))  # type: ignore[misc] # bound here
    await write_anew(store, "inbox")
    await write_anew(store, LIVES)
    return store


def _put_rows(tx: Writing, stream: str) -> None:
    held = read_review(tx, stream, tx.known(stream, "", ""))
    row = review_row(held.review, opened=held.opened, updated=LATER)
    tx.apply(Changes(reviews=(row,), digests=digest_rows(held.review)))


async def _sign(folder: Path, events: list[Stored]) -> None:
    signer = golden_key()
    store = await filled(events)
    found = await store.read(lambda reading: grown(reading, None))
    assert found
    reached, heads = found
    said = Covered(heads=heads_hash(heads))
    checkpoint = Checkpoint(store="golden", number=1, previous="", at=AT, reached=reached, said=said)
    _put(folder / golden.BOOK, text_of(checkpoint_line(checkpoint, heads, signer)).decode())
    _put(folder / golden.KEY, f"{signer.public.text}\n")
    house = House()
    await house.cleared()
    made = await house.store.read(lambda reading: receipt(reading, work_of(FIRST).digest, signer, now=house.now))
    _put(folder / golden.RECEIPT, json.dumps(made, indent=1) + "\n")


def _operations() -> list[Event]:
    commands = (
        PurgeBlob(digest="ab" * 32, reason="It held a password."),
        RotateKey(old="first", new="second", reason="Yearly."),
        RestoreStore(checkpoint=3, taken=AT, reason="The disk died."),
    )
    return [event for command in commands for event in decide_operation(command, HUGO)]


def _silence() -> list[Event]:
    here = {"machine": "laptop", "place": "/home/hugo/work"}
    reason = "The generated client has a thousand false alarms."
    silenced = SilenceHooks(**here, seconds=7_200, reason=reason)
    commands: tuple[SilenceCommand, ...] = (silenced, ResumeHooks(**here), silenced)
    return [event for command in commands for event in decide_silence(command, HUGO, AT, is_silent=True)]


def _account() -> list[PrincipalEvent]:
    found: list[PrincipalEvent] = []
    for command in (
        EnrolPrincipal(kind="agent", model_family="claude", roles=("auditor",)),
        IssueToken(token="first", hash="ab" * 32, expires=AT + timedelta(days=30)),
        RevokeToken(token="first", reason="It was in a chat."),
        IssueToken(token="second", hash="cd" * 32, scopes=("read",)),
        RemovePrincipal(reason="She left."),
    ):
        census = Census(humans=1)
        found += decide_principal(account_of(found), command, HUGO, name="ann", census=census, now=AT)
    return found


def _stored(append: Append) -> Iterator[Stored]:
    for version, entry in enumerate(append.entries, start=append.after + 1):
        yield Stored(
            seq=0,
            stream=append.stream,
            version=version,
            type=entry.type,
            schema=entry.schema,
            at=append.at,
            actor=append.actor,
            cause=append.cause,
            body=entry.body,
            chain=entry.chain,
        )


def _features(some: list[Stored]) -> set[str]:
    """The features of a stream: its events, and for a review the outcome of each style."""
    kinds = {one.type for one in some}
    bodies = [json.loads(one.body) for one in some if one.type == "RevisionSubmitted"]
    ends = [
        json.loads(one.body).get("outcome", "cleared") for one in some if one.type in ("ReviewCleared", "ReviewClosed")
    ]
    return kinds | {f"{style} {end}" for body in bodies for style in body["protocols"] for end in ends or ["open"]}


def _put(path: Path, text: str) -> None:
    with path.open("x", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main(sys.argv[1])
