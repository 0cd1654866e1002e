"""The lock of a server: one at a time per data folder and database file; the system frees it with the process.

The lock file names the holder's address, so that other programs find the server. A database in a file has a lock of its
own beside it, by its real path: another data folder that names the same file, or a link to it, does not allow a second
server.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, Self

from foureyes import __version__
from foureyes.home import folder
from foureyes.home.trouble import Trouble

NAME = "server.lock"
#: Appended to the real path of a database in a file.
SUFFIX = ".lock"
#: A program that only looks holds the lock for a moment; that must not be mistaken for a second server.
TRIES_MAX = 20
TRY_SECONDS = 0.01
_CONTENT_BYTES_MAX = 8192
#: The most reviewers named in the lock file to which work may be sent.
SENDS_MAX = 20


class Places(Protocol):
    """Where a program keeps its data."""

    @property
    def home(self) -> str: ...
    @property
    def database(self) -> str: ...
    @property
    def is_postgres(self) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """The holder of the lock: a server with its address, or a command that changes things."""

    pid: int
    #: A server's own address; for a command, its name.
    address: str
    started: str
    version: str
    #: The public address of a server, if that is another one.
    public: str = ""
    #: The reviewers that a server may send work to.
    sends: tuple[str, ...] = ()

    @property
    def is_server(self) -> bool:
        """True for a server, which can be reached; False for a command that changes things."""
        return self.address.startswith(("http://", "https://"))

    def in_words(self) -> str:
        """Return who it is, for the middle of a sentence."""
        if not self.pid:
            return "another foureyes"
        return f"{self.address or 'another foureyes'} (process {self.pid}, since {_minute(self.started)})"


class ServerLock:
    """Held while a server lives; the operating system releases it when the process ends, however it ends."""

    def __init__(self, descriptor: int) -> None:
        """Keep the open file: closing it releases the lock."""
        self._descriptor = descriptor

    @classmethod
    def acquire(cls, home: str, address: str, *, now: str, public: str = "", sends: tuple[str, ...] = ()) -> ServerLock:
        """Take the lock of a data folder and write down the holder; the file of a dead server is taken over."""
        step = "Stop it first, or use another folder with --home."
        mine = _mine(address, now=now, public=public, sends=sends)
        return cls._acquired(os.path.join(home, NAME), mine, busy=("data folder", step))

    @classmethod
    def on_database(cls, database: str, address: str, *, now: str, public: str = "") -> ServerLock:
        """Take the lock of a database in a file, whatever data folder names it."""
        step = "Stop it first, or use another database with --database."
        path = os.path.realpath(database) + SUFFIX
        folder.make_parent(path)
        return cls._acquired(path, _mine(address, now=now, public=public), busy=("database", step))

    @classmethod
    def _acquired(cls, path: str, mine: dict[str, object], *, busy: tuple[str, str]) -> ServerLock:
        descriptor = _open(path)
        try:
            _take(descriptor, *busy)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps(mine).encode(), 0)
            os.fsync(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        return cls(descriptor)

    def release(self) -> None:
        """Release the lock. The file stays: removing it would race with the next process that takes it."""
        if self._descriptor >= 0:
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


@contextmanager
def locked(
    settings: Places, address: str, *, now: str, public: str = "", sends: tuple[str, ...] = ()
) -> Iterator[None]:
    """Hold the lock of a data folder and, if it is a file, of its database; PostgreSQL allows several servers."""
    with ExitStack() as held:
        held.enter_context(ServerLock.acquire(settings.home, address, now=now, public=public, sends=sends))
        if not settings.is_postgres:
            held.enter_context(ServerLock.on_database(settings.database, address, now=now, public=public))
        yield


def running(home: str) -> Running | None:
    """Return the holder of a data folder's lock, or None; a file without a living holder does not count."""
    try:
        descriptor = os.open(os.path.join(home, NAME), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read(descriptor)
    else:
        return None
    finally:
        os.close(descriptor)


def server(home: str) -> Running:
    """Return the server at work in this data folder; raises Trouble if there is none."""
    found = running(home)
    if found is None or not found.is_server:
        step = "Start one in another terminal: foureyes up. Where it has another data folder, name that with --home."
        raise Trouble(f"No server is at work in the data folder {home}.", step)
    return found


def _mine(address: str, *, now: str, public: str, sends: tuple[str, ...] = ()) -> dict[str, object]:
    """Return what a holder of the lock writes down about itself."""
    return {
        "address": address,
        "public": public,
        "pid": os.getpid(),
        "started": now,
        "version": __version__,
        "sends": list(sends[:SENDS_MAX]),
    }


def _minute(written: str) -> str:
    """Return a time in readable form; other text unchanged, because anyone could have written to the file."""
    try:
        return f"{datetime.fromisoformat(written).astimezone():%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError):
        return written


def _open(path: str) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(path, flags, 0o600)
    except OSError as error:
        raise Trouble(
            f"The lock file {path} cannot be opened: {error.strerror}.",
            "Look at what lies there; a link does not belong there.",
        ) from None


def _take(descriptor: int, what: str, step: str) -> None:
    for attempt in range(TRIES_MAX):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if attempt + 1 < TRIES_MAX:
                time.sleep(TRY_SECONDS)
        else:
            return
    other = _read(descriptor)
    raise Trouble(f"{other.in_words()} is at work in this {what}.", step, blocked=True)


def _read(descriptor: int) -> Running:
    """Return what the holder wrote; an empty or malformed file still means that there is a holder."""
    try:
        found = json.loads(os.pread(descriptor, _CONTENT_BYTES_MAX, 0))
        return Running(
            pid=int(found["pid"]),
            address=str(found["address"]),
            started=str(found["started"]),
            version=str(found["version"]),
            public=str(found.get("public", "")),
            sends=tuple(map(str, found.get("sends", ()))),
        )
    except (ValueError, KeyError, TypeError):
        return Running(pid=0, address="", started="", version="")
