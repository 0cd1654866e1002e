"""Runs git so that nothing of a repository runs with it: no foreign settings, limits on time and output.

Only commands are used that start no other program; in case a version of git differs, every setting that could start one
is overridden. The environment is built anew: of the caller's variables only the home and a few harmless ones reach git.
"""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from foureyes.git.names import shown
from foureyes.home.trouble import Trouble

OUTPUT_BYTES_MAX = 64 * 1024 * 1024
SECONDS_MAX = 60.0
SAID_BYTES_MAX = 4_000
_CHUNK_BYTES = 1 << 18

#: Each of these could start a program or reach the network.
_SWITCHED_OFF = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.editor=false",
    "core.askPass=false",
    "core.sshCommand=false",
    "core.gitProxy=false",
    "credential.helper=",
    "diff.external=",
    "gpg.program=false",
    "log.showSignature=false",
    "protocol.allow=never",
    "core.warnAmbiguousRefs=true",
    "core.attributesFile=/dev/null",
)
_ALWAYS = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "false",
    "GIT_ASKPASS": "false",
    "GIT_SSH_COMMAND": "false",
}
_KEPT = ("HOME", "XDG_CONFIG_HOME", "USER", "LOGNAME", "TMPDIR", "DEVELOPER_DIR")

#: Takes what git writes, piece by piece.
Take = Callable[[bytes], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """The result of a git command: exit code, standard output and standard error."""

    code: int
    out: bytes
    said: str


def environment(caller: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment for git: where programs and the home are, and nothing of the caller's that steers git."""
    found = os.environ if caller is None else caller
    kept = {name: found[name] for name in _KEPT if name in found}
    return {**kept, "PATH": _absolute(found.get("PATH", "")), **_ALWAYS}


def run(
    arguments: Sequence[str | bytes],
    *,
    folder: Path,
    environment: Mapping[str, str],
    given: bytes = b"",
    out_bytes_max: int = OUTPUT_BYTES_MAX,
    seconds: float = 0,
) -> Ran:
    """Run git and return its whole output; raises Trouble if it takes too long or writes too much."""
    pieces: list[bytes] = []
    room = [out_bytes_max]

    def take(piece: bytes) -> None:
        room[0] -= len(piece)
        if room[0] < 0:
            raise Trouble(
                f"git had more to say than {out_bytes_max} bytes.",
                "Review less at once: name a smaller range or paths.",
            )
        pieces.append(piece)

    code, said = stream(arguments, take, folder=folder, environment=environment, given=given, seconds=seconds)
    return Ran(code=code, out=b"".join(pieces), said=said)


def stream(
    arguments: Sequence[str | bytes],
    take: Take,
    *,
    folder: Path,
    environment: Mapping[str, str],
    given: bytes = b"",
    seconds: float = 0,
) -> tuple[int, str]:
    """Run git and pass its output on as it comes; return the exit code and standard error."""
    words = [_program(environment), "--no-pager", "--no-optional-locks", "--no-replace-objects", "--literal-pathspecs"]
    words += [word for setting in _SWITCHED_OFF for word in ("-c", setting)]
    allowed = seconds or SECONDS_MAX
    until = time.monotonic() + allowed
    # From a file, because git may answer before it has read everything; with a pipe both sides could block.
    with TemporaryFile() as asked:
        asked.write(given)
        asked.seek(0)
        process = _start([*words, *arguments], folder, environment, asked)
        try:
            said = _pump(process, take, until)
            code = process.wait(timeout=max(0.1, until - time.monotonic()))
        except (subprocess.TimeoutExpired, TimeoutError):
            raise Trouble(
                f"git took longer than {allowed:.0f} seconds.",
                "Review less at once: name a smaller range or paths.",
            ) from None
        finally:
            _end(process)
    return code, said.decode(errors="replace")


def _program(environment: Mapping[str, str]) -> str:
    found = shutil.which("git", path=environment["PATH"])
    if not found:
        raise Trouble("There is no git on the PATH.", "Install git, or name files: foureyes review FILE.")
    return found


def _absolute(path: str) -> str:
    """Drop relative entries from PATH: a `git` in the repository under review must not be run."""
    return os.pathsep.join(one for one in path.split(os.pathsep) if Path(one).is_absolute()) or "/nowhere"


def _start(
    words: list[str | bytes], folder: Path, environment: Mapping[str, str], asked: IO[bytes]
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603 - git, with arguments of ours and names behind a double dash
            words,
            cwd=folder,
            env=dict(environment),
            stdin=asked,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # A session of its own, so that everything it starts is killed with it.
            start_new_session=True,
        )
    except (FileNotFoundError, NotADirectoryError):
        raise Trouble(f"There is no folder {shown(os.fsencode(folder))}.", "Name a folder that is there.") from None
    except PermissionError:
        raise Trouble(
            f"The folder {shown(os.fsencode(folder))} is not yours to enter.", f"Run: ls -ld {folder}"
        ) from None


def _pump(process: subprocess.Popen[bytes], take: Take, until: float) -> bytes:
    """Pass output on until both pipes are closed; of standard error only the beginning is kept."""
    said = b""
    with selectors.DefaultSelector() as waiting:
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                waiting.register(pipe, selectors.EVENT_READ)
        while waiting.get_map():
            ready = waiting.select(until - time.monotonic())
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                piece = os.read(key.fd, _CHUNK_BYTES)
                if not piece:
                    waiting.unregister(key.fileobj)
                elif key.fileobj is process.stdout:
                    take(piece)
                else:
                    said = (said + piece)[:SAID_BYTES_MAX]
    return said


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
