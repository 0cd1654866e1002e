"""Record the system calls of a process on its files, in order, with strace, which must be installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

#: Every call that can change a file or a folder, or make it durable; lseek for the place of a plain write.
WRITES = "pwrite64,write,writev,pwritev,pwritev2,ftruncate,truncate,fallocate,copy_file_range,sendfile"
SYNCS = "fdatasync,fsync,sync_file_range,syncfs,sync"
NAMES = "openat,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat"
TRACED = f"{WRITES},{SYNCS},{NAMES},lseek"
DATA_BYTES_MAX = 1_000_000
SECONDS_MAX = 120

_WHOLE = re.compile(r"(\d+) +(\w+)\((.*)\) += (-?\d+|\?)(.*)", re.DOTALL)
_BEGUN = re.compile(r"(\d+) +(\w+)\((.*) <unfinished \.\.\.>", re.DOTALL)
_RESUMED = re.compile(r"(\d+) +<\.\.\. (\w+) resumed>(.*)\) += (-?\d+|\?)(.*)", re.DOTALL)
_KILLED = re.compile(r"(\d+) +\+\+\+ killed by (\w+)")
_DESCRIPTOR = re.compile(r"(-?\d+|AT_FDCWD)<([^>]*)>(\(deleted\))?")
_STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")


@dataclass(slots=True, kw_only=True)
class Call:
    """One system call; `result` is None until it has returned, or for ever when the process died in it."""

    name: str
    descriptor: int
    #: The file of the descriptor, or the folder of an *at call.
    path: str
    deleted: bool
    strings: tuple[bytes, ...]
    numbers: tuple[int, ...]
    text: str
    result: int | None = None
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The begin or end of a call; calls of several threads overlap."""

    call: Call
    ended: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A traced process: its exit code, its output and the file of its calls."""

    code: int
    output: str
    log: Path

    @property
    def steps(self) -> list[Step]:
        """Its calls in order."""
        with self.log.open(encoding="ascii", errors="replace") as lines:
            return list(steps_of(lines))

    def killed_at(self, name: str, turn: int) -> bool:
        """Whether a thread was killed by SIGKILL in its n-th call of this name, and did not come back from it."""
        begun: dict[str, list[str]] = {}
        killed: set[str] = set()
        for line in self.log.read_text(encoding="ascii", errors="replace").splitlines():
            thread, _, rest = line.partition(" ")
            if match := _KILLED.match(line):
                killed |= {thread} if match[2] == "SIGKILL" else set()
            elif rest.lstrip().startswith((f"{name}(", f"<... {name} resumed")):
                begun.setdefault(thread, []).append(rest)
        return any(
            thread in killed
            and sum(one.lstrip().startswith(f"{name}(") for one in calls) == turn
            and calls[-1].endswith(("= ?", "<unfinished ...>"))
            for thread, calls in begun.items()
        )


def untraced() -> dict[str, str]:
    """The environment without coverage, which is pointless in a process that is killed."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COV")}


def traced(command: Sequence[str], log: Path) -> Run:
    """Run a command under strace."""
    run = subprocess.run(
        [*_strace(log, TRACED, (), data=True), *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
        env=untraced(),
    )
    return Run(code=run.returncode, output=run.stdout, log=log)


@contextmanager
def attached(process: int, log: Path, *, trace: str, inject: Sequence[str], data: bool) -> Iterator[None]:
    """Trace a process that has stopped itself; it continues when the block begins and must end before the block."""
    command = [*_strace(log, trace, inject, data=data), "-p", str(process)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as strace:
        assert strace.stderr
        said = strace.stderr.readline()
        if "attached" not in said:
            strace.kill()
            raise RuntimeError(f"strace does not attach: {said}")
        yield
        strace.wait(SECONDS_MAX)


def _strace(log: Path, trace: str, inject: Sequence[str], *, data: bool) -> list[str]:
    """Build the command; never with --seccomp-bpf, which would silently ignore injections."""
    strace = shutil.which("strace")
    if strace is None:
        raise RuntimeError("The crash tests need strace. Install it (apt install strace) and run them again.")
    size = str(DATA_BYTES_MAX) if data else "16"
    command = [strace, "-f", "-y", "-xx", "-s", size, "-o", str(log), "-e", f"trace={trace}"]
    for one in inject:
        command += ["-e", f"inject={one}"]
    return command


def steps_of(lines: Iterable[str]) -> Iterator[Step]:
    """Read strace's lines; a call split by another thread's call is joined again."""
    under_way: dict[str, Call] = {}
    for line in lines:
        if match := _RESUMED.match(line):
            call = under_way.pop(match[1])
            _finish(call, match[4], match[5])
            yield Step(call=call, ended=True)
        elif match := _WHOLE.match(line):
            call = _call(match[2], match[3])
            _finish(call, match[4], match[5])
            yield Step(call=call, ended=False)
            yield Step(call=call, ended=True)
        elif match := _BEGUN.match(line):
            call = under_way[match[1]] = _call(match[2], match[3])
            yield Step(call=call, ended=False)


def _call(name: str, arguments: str) -> Call:
    outside = _STRING.sub("", arguments)
    descriptor = _DESCRIPTOR.match(outside)
    strings = []
    for match in _STRING.finditer(arguments):
        if match[2]:
            raise ValueError(f"strace cut a string of {name}; raise DATA_BYTES_MAX")
        strings.append(_bytes(match[1]))
    return Call(
        name=name,
        descriptor=int(descriptor[1]) if descriptor and descriptor[1] != "AT_FDCWD" else -1,
        path=_bytes(descriptor[2]).decode() if descriptor else "",
        deleted=bool(descriptor and descriptor[3]),
        strings=tuple(strings),
        numbers=tuple(int(number) for number in _NUMBER.findall(_DESCRIPTOR.sub("", outside))),
        text=outside,
    )


def _finish(call: Call, result: str, rest: str) -> None:
    if result == "?":
        return
    call.result = int(result)
    if call.result < 0:
        call.error = rest.split(maxsplit=1)[0] if rest.split() else "?"


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", "")) if text.startswith("\\x") else text.encode()
