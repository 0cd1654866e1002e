"""The `restore` command: a backup takes the place of the store, and nothing is lost or hidden by it."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

import click

from foureyes.app.book_end import NAME as BOOK
from foureyes.app.book_end import holds
from foureyes.app.checkpoints import AT_ONCE, Standing, checkpoint_if_due, standing
from foureyes.app.handover import restored
from foureyes.app.keys import KeyTrouble
from foureyes.app.ports import Damaged, Reading, Unavailable
from foureyes.app.rows import Head
from foureyes.cli import signing
from foureyes.cli.alone import alone
from foureyes.cli.answer import Answer, Json, Line
from foureyes.cli.backups import CHECKPOINTS, KEYS, SETTINGS
from foureyes.cli.came_back import CameBack, Known, purged_again, purged_before, told
from foureyes.cli.console import progress
from foureyes.cli.log import inspected, looked
from foureyes.cli.parts import Parts
from foureyes.cli.program import answering
from foureyes.home import backups, files, folder
from foureyes.home.restoring import Restoring, cut_off, go_on, noted
from foureyes.home.trouble import Trouble

WORDS = "give up what came later"
PAGE = 1000
SHOWN_MAX = 5
_COPYING = "restoring-"


@click.command()
@click.argument("backup", type=click.Path(exists=True, file_okay=False))
@click.option("--replace", is_flag=True, help="Put it in the place of a store that has something in it.")
@click.option("--reason", default="", help="Why, in a sentence; it stays in the record.")
@answering
def restore(parts: Parts, backup: str, replace: bool, reason: str) -> Answer:  # noqa: FBT001 - click hands flags over so
    """Put a backup in the place of the store.

    Every byte of it is checked first. The store that was there is kept beside the new one. A backup that lacks anything
    the store has, or a checkpoint known here, needs a person at a terminal, and that is recorded. What was purged since
    is purged again.
    """
    manifest = backups.read(backup)
    folder.make(parts.settings.home)
    with alone(parts, "restore"):
        again = _put_back(parts)
        with _ready_copy(parts, backup, manifest) as copy:
            is_there = asyncio.run(_check_place(parts, replace=replace or again, again=again))
            restoring = Restoring(backup=str(Path(backup).absolute()), kept=parts.placing().kept())
            with noted(parts.settings, restoring):
                done = _restored(parts, _Wanted(copy=copy, reason=reason, is_there=is_there), restoring, manifest)
        found = asyncio.run(looked(parts))
    kept, known, came, older = done.kept, done.known, done.came, done.older
    was = (
        *((Line(f"The store that was there is kept as {kept}."),) if kept else ()),
        *told(came, known, manifest.made),
        *done.notes,
    )
    head = Line(f"Restored {manifest.events} events of {manifest.made}.", "good")
    purges: dict[str, Json] = {"purged_again": [*came.gone], "came_back": [*came.back], "purges_known": known.by_store}
    data: dict[str, Json] = {"kept": kept, "older": older, **purges}
    if isinstance(found, str):
        note = Line(found, "care")
        return Answer(lines=(head, *was, note), data={**data, "verified": None})
    said = inspected(found)
    return Answer(
        code=said.code,
        lines=(head, *was, *said.lines),
        data={**data, "verified": dict(said.data)},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """The copy to put in the place of the store, and why."""

    copy: str
    reason: str
    #: True if the copy is in PostgreSQL already: a restore was interrupted after its one transaction.
    is_there: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Done:
    """What a restore did, to be reported."""

    kept: str
    known: Known
    came: CameBack
    older: bool
    #: Further lines to report.
    notes: tuple[Line, ...] = ()


def _restored(parts: Parts, wanted: _Wanted, restoring: Restoring, manifest: backups.Manifest) -> _Done:
    """Put the copy and the files beside it in place; if anything is lost by it, the person is asked first."""
    _book_back(parts, restoring.backup, manifest)
    known = asyncio.run(purged_before(parts))
    lost = asyncio.run(_lost(parts, wanted.copy))
    if lost:
        asyncio.run(_sign(parts))
    stands = asyncio.run(_stands(parts, wanted.copy))
    older = stands.older or bool(lost)
    if older:
        warning = (_given_up(stands, lost), f"You act as {parts.human().name}; this is recorded.")
        parts.console.confirm(warning, WORDS)
    recorded = older or not stands.fits
    if recorded:
        _check_signer(parts, older=older)
    kept = "" if wanted.is_there else parts.placing().put(wanted.copy, restoring.kept, progress("Restoring"))
    restoring.begun = True
    notes = tuple(_settings_back(parts, restoring.backup, manifest))
    why = wanted.reason or f"restored the backup of {manifest.made}"
    asyncio.run(_record(parts, stands, why if recorded else ""))
    return _Done(kept=kept, known=known, came=asyncio.run(purged_again(parts, known)), older=older, notes=notes)


def _put_back(parts: Parts) -> bool:
    """Undo an interrupted restore; True if there was one."""
    begun = cut_off(parts.settings)
    if begun is None:
        return False
    go_on(parts.settings)
    parts.placing().undo(begun.kept)
    for left in Path(parts.settings.home).glob(f"{_COPYING}*"):
        rmtree(left)
    return True


@contextmanager
def _ready_copy(parts: Parts, backup: str, manifest: backups.Manifest) -> Iterator[str]:
    """The backup's store in the schema of this program; an older one is upgraded in a temporary copy."""
    source, wanted = str(Path(backup, backups.STORE)), parts.wanted_schema()
    found = parts.copy_schema(source)
    if found > wanted:
        raise Trouble(
            f"The backup has schema {found}; this program knows {wanted}.",
            f"Use foureyes {manifest.version} or a newer one.",
            blocked=True,
        )
    if found == wanted:
        yield source
        return
    with TemporaryDirectory(dir=parts.settings.home, prefix=_COPYING) as place:
        copy = str(Path(place, backups.STORE))
        files.copy_whole(source, copy)
        parts.migrate(copy)
        yield copy


async def _check_place(parts: Parts, *, replace: bool, again: bool) -> bool:
    """Refuse to replace a store that is not empty unless asked to; True if the copy is in place already."""
    if await _is_empty(parts):
        return False
    if parts.settings.is_postgres and again:
        return True  # it can only be the copy: a restore fills an empty database at once, and locks others out
    if parts.settings.is_postgres:
        raise Trouble(
            "The PostgreSQL database has a store in it.",
            "Create an empty database, name it with --database, and restore there; the old one stays as it is. To try "
            "a backup, name a file: --database FOLDER/foureyes.db",
            blocked=True,
        )
    if not replace:
        raise Trouble(
            f"The store {parts.settings.database} has something in it.",
            "Add --replace to put the backup in its place; what is there is kept beside it.",
            blocked=True,
        )
    return False


async def _is_empty(parts: Parts) -> bool:
    """True if the store is empty. A damaged file, or one of another version, may hold anything, so it is not."""
    try:
        if not parts.schema().found:
            return True
        async with parts.store() as store:
            return not await store.read(lambda reading: reading.heads("", 1))
    except (Unavailable, Trouble):
        if parts.settings.is_postgres:
            raise
        return False


def _book_back(parts: Parts, backup: str, manifest: backups.Manifest) -> None:
    """Restore missing checkpoints and public keys. A checkpoint journal that extends ours replaces it."""
    backups.put_back(backup, manifest, KEYS, parts.settings.keys)
    Path(parts.settings.keys).mkdir(mode=0o700, parents=True, exist_ok=True)
    backups.put_back(backup, manifest, CHECKPOINTS, parts.settings.checkpoints)
    ours, theirs = Path(parts.settings.checkpoints, BOOK), Path(backup, CHECKPOINTS, BOOK)
    if f"{CHECKPOINTS}/{BOOK}" in manifest.files and _goes_on(ours, theirs):
        files.write_whole(str(ours), theirs.read_bytes())


def _goes_on(ours: Path, theirs: Path) -> bool:
    ends, more = ours.stat().st_size, theirs.stat().st_size
    if more <= ends:
        return False
    with theirs.open("rb") as file:
        return ours.read_bytes() == file.read(ends)


async def _lost(parts: Parts, copy: str) -> list[str]:
    """Streams that have more events in the store than in the backup, whether a checkpoint covers them or not."""
    if await _is_unreadable(parts):
        return []
    lost: list[str] = []
    async with parts.store() as here, parts.copied(copy) as there:
        after = ""
        while page := await here.read(partial(_heads, after)):
            lost += await there.read(partial(_missing, page))
            after = page[-1].stream
    return lost


def _heads(after: str, reading: Reading) -> tuple[Head, ...]:
    return reading.heads(after, PAGE)


def _missing(heads: Iterable[Head], reading: Reading) -> list[str]:
    return [head.stream for head in heads if not holds(reading, head)]


async def _is_unreadable(parts: Parts) -> bool:
    """True if there is no store, or it is damaged or of another version, so that it cannot be compared."""
    try:
        async with parts.store() as store:
            await store.read(lambda reading: reading.heads("", 1))
    except (Unavailable, Trouble):
        return True
    return False


async def _sign(parts: Parts) -> None:
    """Sign a checkpoint of what is given up; if it cannot be signed, the person decides all the same."""
    if signing.has_signer(parts):
        with suppress(Damaged, KeyTrouble):
            key, book = signing.signer(parts), Path(parts.settings.checkpoints)
            async with parts.store() as store:
                await checkpoint_if_due(store, book, key, parts.now(), AT_ONCE)


async def _stands(parts: Parts, copy: str) -> Standing:
    signing.book_end(parts)  # raises if the checkpoint journal cannot be read
    async with parts.copied(copy) as store:
        return await store.read(lambda reading: standing(reading, Path(parts.settings.checkpoints)))


def _given_up(stands: Standing, lost: list[str]) -> str:
    """The warning: what the backup lacks that the store has, or that a checkpoint known here covers."""
    if not stands.older:
        names = ", ".join(lost[:SHOWN_MAX]) + (" and others" if len(lost) > SHOWN_MAX else "")
        return f"This backup is older than the store here. What happened since in {names} is given up, vetoes too."
    to = f"checkpoint {stands.held.checkpoint.number}" if stands.held else "the time before the first checkpoint"
    last = (
        f"checkpoint {stands.last.checkpoint.number} ({stands.last.checkpoint.at.isoformat()})" if stands.last else ""
    )
    return (
        f"This backup is older than the last checkpoint known here: it goes back to {to}. Whatever happened up "
        f"to {last} is given up, clearances and vetoes too."
    )


def _settings_back(parts: Parts, backup: str, manifest: backups.Manifest) -> Iterator[Line]:
    """Restore missing settings and policy files, except settings that name another database than this one."""
    for target in (Path(parts.settings.file), Path(parts.settings.policy)):
        name = f"{SETTINGS}/{target.name}"
        if name not in manifest.files or target.exists():
            continue
        source = Path(backup, name)
        if target == Path(parts.settings.file) and _leads_elsewhere(parts, source):
            text = f"{source} names another database and was not put back: commands here would use that one."
            yield Line(
                f"{text} Copy it to {target} without its line `database`, if you want its other settings.", "care"
            )
            continue
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        files.copy_whole(str(source), str(target))


def _leads_elsewhere(parts: Parts, settings: Path) -> bool:
    """True if the backup's settings name another database than the one restored into."""
    try:
        named = tomllib.loads(settings.read_text(encoding="utf-8")).get("database")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return False
    if not isinstance(named, str):
        return False
    here = named if "://" in named else str(Path(parts.settings.home, named))
    return here != parts.settings.database


def _check_signer(parts: Parts, *, older: bool) -> None:
    """Refuse a restore that must be recorded if there is no key to sign the record."""
    try:
        signing.signer(parts)
    except KeyTrouble as trouble:
        why = "goes back behind what is known here" if older else "gives the events other numbers"
        sentence = f"This restore {why}, which is recorded and signed. {trouble.sentence}"
        step = f"Copy the signing key (*.key) into {parts.settings.keys}, or take a backup with --with-keys."
        raise Trouble(sentence, step) from None


async def _record(parts: Parts, stands: Standing, reason: str) -> None:
    """Record why the log went back or was renumbered, if it was."""
    if reason:
        async with parts.store(write=True) as store:
            book, key = Path(parts.settings.checkpoints), signing.signer(parts)
            await restored(store, book, key, stands.held, parts.human(), reason=reason, now=parts.now())
