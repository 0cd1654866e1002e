"""Backups: a folder with a manifest of its files and their hashes, written whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from foureyes.home import files
from foureyes.home.trouble import Trouble

T = TypeVar("T")

FORMAT = 1
MANIFEST = "manifest.json"
STORE = "store.sqlite"
MANIFEST_BYTES_MAX = 16 * 1024 * 1024
#: The most backups of one second; after that the caller is told to wait.
SAME_SECOND_MAX = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The contents of a backup."""

    made: str
    #: The version of the program that made it.
    version: str
    #: The schema version of the store inside.
    schema: int
    events: int
    streams: int
    cursor: tuple[int, int]
    #: The last checkpoint known when it was made; empty if there was none.
    checkpoint: str
    with_keys: bool
    #: Hash and size of every file, by its path below the folder.
    files: Mapping[str, tuple[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """What the function that fills a backup reports about it."""

    schema: int
    events: int
    streams: int
    cursor: tuple[int, int]
    checkpoint: str
    with_keys: bool


def make(place: str, now: datetime, version: str, fill: Callable[[str], Filled]) -> tuple[str, Manifest]:
    """Make a backup below a place: filled under a temporary name, synced to disk, and then renamed."""
    os.makedirs(place, mode=0o700, exist_ok=True)
    partial = os.path.join(place, f".partial-{now:%Y%m%dT%H%M%S%f}-{os.getpid()}")
    os.mkdir(partial, 0o700)
    try:
        filled = fill(partial)
        manifest = Manifest(
            made=now.isoformat(),
            version=version,
            schema=filled.schema,
            events=filled.events,
            streams=filled.streams,
            cursor=filled.cursor,
            checkpoint=filled.checkpoint,
            with_keys=filled.with_keys,
            files=_synced(partial),
        )
        files.write_whole(os.path.join(partial, MANIFEST), _written(manifest))
        final = _named(partial, os.path.join(place, f"foureyes-backup-{now:%Y%m%dT%H%M%SZ}"))
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    files.sync_folder(place)
    return final, manifest


def read(folder: str) -> Manifest:
    """Read a backup's manifest and check every byte of its files; a damaged backup is refused."""
    manifest = _read(folder)
    for name, (wanted, size) in manifest.files.items():
        path = os.path.join(folder, name)
        try:
            found = os.lstat(path)
        except OSError:
            raise _broken(folder, f"{name} is missing") from None
        if not stat.S_ISREG(found.st_mode) or found.st_size != size or files.sha256_of(path) != wanted:
            raise _broken(folder, f"{name} was altered")
    if STORE not in manifest.files:
        raise _broken(folder, f"{STORE} is missing")
    return manifest


def put_back(folder: str, manifest: Manifest, below: str, into: str) -> int:
    """Copy a backup's files below a name to a folder, without overwriting; return how many were copied."""
    count = 0
    for name in sorted(manifest.files):
        head, _, rest = name.partition("/")
        target = os.path.join(into, rest)
        if head != below or not rest or os.path.lexists(target):
            continue
        os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
        files.copy_whole(os.path.join(folder, name), target)
        count += 1
    if count:
        files.sync_folder(into)
    return count


def _synced(folder: str) -> dict[str, tuple[str, int]]:
    """Return every file with its hash, after syncing all of them and their folders."""
    found: dict[str, tuple[str, int]] = {}
    for here, _, names in os.walk(folder):
        for name in sorted(names):
            path = os.path.join(here, name)
            files.sync_file(path)
            found[os.path.relpath(path, folder)] = (files.sha256_of(path), os.path.getsize(path))
        files.sync_folder(here)
    return dict(sorted(found.items()))


def _named(partial: str, final: str) -> str:
    for number in range(1, SAME_SECOND_MAX + 1):
        name = final if number == 1 else f"{final}-{number}"
        if not os.path.lexists(name):
            os.rename(partial, name)
            return name
    raise Trouble(f"There are {SAME_SECOND_MAX} backups of this second already.", "Wait a second.", blocked=True)


def _written(manifest: Manifest) -> bytes:
    body = {
        "format": FORMAT,
        "made": manifest.made,
        "version": manifest.version,
        "schema": manifest.schema,
        "events": manifest.events,
        "streams": manifest.streams,
        "cursor": list(manifest.cursor),
        "checkpoint": manifest.checkpoint,
        "with_keys": manifest.with_keys,
        "files": {name: {"sha256": sha, "bytes": size} for name, (sha, size) in manifest.files.items()},
    }
    return json.dumps(body, indent=2).encode() + b"\n"


def _read(folder: str) -> Manifest:
    try:
        with open(os.path.join(folder, MANIFEST), "rb") as file:
            content = file.read(MANIFEST_BYTES_MAX + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise Trouble(
            f"{folder} is no backup: it has no {MANIFEST}.",
            "Name a folder that `foureyes backup` made.",
            usage=True,
        ) from None
    try:
        body = json.loads(content[:MANIFEST_BYTES_MAX])
        if body["format"] != FORMAT:
            raise Trouble(
                f"{folder} is a backup of format {body['format']!r}; this version reads {FORMAT}.",
                f"Use foureyes {body['version']} or newer.",
                blocked=True,
            )
        return Manifest(
            made=_is(str, body["made"]),
            version=_is(str, body["version"]),
            schema=_is(int, body["schema"]),
            events=_is(int, body["events"]),
            streams=_is(int, body["streams"]),
            cursor=(_is(int, body["cursor"][0]), _is(int, body["cursor"][1])),
            checkpoint=_is(str, body["checkpoint"]),
            with_keys=_is(bool, body["with_keys"]),
            files={
                _inside(name): (_is(str, one["sha256"]), _is(int, one["bytes"])) for name, one in body["files"].items()
            },
        )
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise _broken(folder, f"{MANIFEST} cannot be read ({type(error).__name__})") from None


def _is(kind: type[T], value: object) -> T:
    if type(value) is not kind:
        raise TypeError
    return value


def _inside(name: str) -> str:
    if not name or name != os.path.normpath(name) or name.startswith(("/", "..")) or not name.isprintable():
        raise ValueError
    return name


def _broken(folder: str, what: str) -> Trouble:
    return Trouble(f"The backup {folder} is damaged: {what}.", "Use another backup.", blocked=True)
