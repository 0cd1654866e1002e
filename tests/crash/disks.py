"""The disks that are possible when the power goes while a process writes.

A synced write is there. A write without a sync is there, is not, or is there in some sectors of 512 bytes, each
file for itself. A name (created, removed, renamed) is safe once its folder was synced; before, a prefix of the
operations on the folder is there. A failed sync makes nothing safe, and no later one makes its writes safe: the
kernel may have dropped them. A file may have grown without its bytes: then it holds zeros.

SQLite's `-shm` file is mapped into memory, so its writes are not seen. It does not matter: the first process to
open a database rebuilds it. Rebuilt disks get random bytes there, to prove it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path, PurePosixPath

from tests.crash.tracing import Call, Step

SECTOR = 512
#: The driven process reports its promises in this file beside its folder; the file is not part of the disk.
MARKS = "marks"
#: The search stops after so many rounds of drawing without a new disk.
BARREN_ROUNDS_MAX = 5
#: After the first round most draws are known already: so many are made to find the few that are missing.
DRAWS_MIN = 300
_IGNORED = ("lseek", "sync_file_range")


@dataclass(slots=True, eq=False)
class Write:
    """Bytes at a place of a file, or (data None) a new length."""

    offset: int
    data: bytes | None
    done: bool = False
    safe: bool = False
    doomed: bool = False


@dataclass(slots=True, eq=False)
class File:
    """A file: the bytes that are certainly safe, and the writes after them."""

    base: bytearray = field(default_factory=bytearray)
    writes: list[Write] = field(default_factory=list)
    #: The length the running process sees.
    length: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Naming:
    """A change of a name to a file, or to nothing (None); a rename is two of them at once."""

    names: tuple[tuple[str, File | None], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """One possible disk: its files by path below the folder, and the promises made before the power went."""

    point: int
    variant: str
    files: Mapping[str, bytes]
    marks: tuple[str, ...]

    @property
    def key(self) -> bytes:
        """Equal disks with equal promises are one state."""
        digest = blake2b(repr(self.marks).encode())
        for name, content in sorted(self.files.items()):
            digest.update(f"{name} {len(content)} ".encode())
            digest.update(content)
        return digest.digest()

    def build(self, folder: Path, rubbish: random.Random | None = None) -> None:
        """Write the files to an empty folder."""
        for name, content in self.files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            if rubbish and name.endswith("-wal"):
                file.with_name(file.name.removesuffix("-wal") + "-shm").write_bytes(rubbish.randbytes(32768))


class Disk:
    """The possible contents of a folder after a power cut, step by step."""

    def __init__(self, folder: Path, before: Mapping[str, bytes] | None = None) -> None:
        """Begin with files that are already safe."""
        self.folder = PurePosixPath(folder)
        self.now: dict[str, File] = {}
        for name, content in (before or {}).items():
            self.now[str(self.folder / name)] = File(base=bytearray(content), length=len(content))
        self.safe_names: dict[str, File] = dict(self.now)
        self.namings: dict[str, list[Naming]] = {}
        self.marks: list[str] = []
        self._positions: dict[int, int] = {}
        self._appending: dict[int, bool] = {}
        self._under_way: dict[int, Write] = {}
        self._syncing: dict[int, tuple[list[Write], list[Naming]]] = {}

    def play(self, step: Step) -> bool:
        """Take one step; return whether a cut right after it can look different from one before it."""
        call = step.call
        if call.name in _IGNORED:
            if call.name == "lseek" and step.ended and call.result is not None and call.result >= 0:
                self._positions[call.descriptor] = call.result
            return False
        match call.name:
            case "openat" | "creat":
                return step.ended and self._open(call)
            case "write" | "pwrite64" | "ftruncate":
                return self._write(call, ended=step.ended)
            case "fsync" | "fdatasync":
                return self._sync(call, ended=step.ended)
            case "unlink" | "unlinkat" | "rename" | "renameat" | "renameat2" | "link" | "mkdir" | "mkdirat":
                return step.ended and self._name(call)
            case _:
                if self._inside(call.path) or any(self._inside(self._at(call, one)) for one in call.strings):
                    raise NotImplementedError(f"{call.name} on {call.path} is not part of the model")
                return False

    def states(self, point: int, variant: str, seed: int) -> State:
        """One possible disk at this point."""
        choose = random.Random(f"{seed} {point} {variant}")
        names = dict(self.safe_names)
        for namings in self.namings.values():
            for naming in namings[: _beginning(len(namings), variant, choose)]:
                _rename(names, naming)
        files = {
            str(PurePosixPath(path).relative_to(self.folder)): _content(file, variant, choose)
            for path, file in names.items()
            if not path.endswith("-shm")
        }
        return State(point=point, variant=variant, files=files, marks=tuple(self.marks))

    def _open(self, call: Call) -> bool:
        if call.result is None or call.result < 0:
            return False
        self._positions[call.result] = 0
        self._appending[call.result] = "O_APPEND" in call.text
        path = self._at(call, call.strings[0])
        if not self._inside(path) or path.endswith("-shm"):
            return False
        if "O_CREAT" in call.text and path not in self.now:
            self._named(path, ((path, File()),))
            return True
        if "O_TRUNC" in call.text and path in self.now:
            self.now[path].writes.append(Write(0, None, done=True))
            self.now[path].length = 0
            return True
        return False

    def _write(self, call: Call, *, ended: bool) -> bool:
        if PurePosixPath(call.path).name == MARKS and not ended:
            self.marks += call.strings[0].decode().split("\n")[:-1]
            return True
        file = self.now.get(call.path)
        if file is None or call.deleted or call.path.endswith("-shm"):
            if self._inside(call.path) and not call.deleted and not call.path.endswith("-shm"):
                raise ValueError(f"a write to {call.path}, which nobody created")
            return False
        if ended:
            self._under_way.pop(id(call), Write(0, None)).done = True
            return False
        # A call that never returned (the process died in it) may have written all its bytes.
        if call.result is not None and call.result < 0:
            return False
        self._under_way[id(call)] = self._begin_write(call, file)
        return True

    def _begin_write(self, call: Call, file: File) -> Write:
        if call.name == "ftruncate":
            write = Write(call.numbers[-1], None)
            file.length = write.offset
        else:
            data = call.strings[0][: call.result]
            if call.name == "pwrite64":
                offset = call.numbers[-1]
            elif self._appending.get(call.descriptor):
                offset = file.length
            else:
                offset = self._positions.get(call.descriptor, 0)
                self._positions[call.descriptor] = offset + len(data)
            write = Write(offset, data)
            file.length = max(file.length, offset + len(data))
        file.writes.append(write)
        return write

    def _sync(self, call: Call, *, ended: bool) -> bool:
        if not ended:
            writes = [write for write in self.now[call.path].writes if write.done] if call.path in self.now else []
            self._syncing[id(call)] = (writes, list(self.namings.get(call.path, ())))
            return False
        writes, namings = self._syncing.pop(id(call))
        if call.result != 0:
            for write in writes:
                write.doomed = write.doomed or not write.safe
            return False
        for write in writes:
            write.safe = write.safe or not write.doomed
        if call.path in self.now:
            _settle(self.now[call.path])
        for naming in namings:
            _rename(self.safe_names, naming)
            self.namings[call.path].remove(naming)
        return bool(writes or namings)

    def _name(self, call: Call) -> bool:
        if call.result != 0:
            return False
        paths = [self._at(call, one) for one in call.strings]
        if not any(map(self._inside, paths)) or any(path.endswith("-shm") for path in paths):
            return False
        if call.name.startswith("mkdir"):
            return False  # rebuilt folders are always there: only the files in them matter
        if call.name.startswith("rename"):
            old, new = paths
            self._named(new, ((old, None), (new, self.now[old])))
        elif call.name == "link":
            self._named(paths[1], ((paths[1], self.now[paths[0]]),))
        else:
            self._named(paths[0], ((paths[0], None),))
        return True

    def _named(self, path: str, names: tuple[tuple[str, File | None], ...]) -> None:
        naming = Naming(names)
        self.namings.setdefault(str(PurePosixPath(path).parent), []).append(naming)
        _rename(self.now, naming)

    def _at(self, call: Call, name: bytes) -> str:
        """The path that an argument names; calls without a descriptor are made with absolute paths."""
        return str(PurePosixPath(call.path or "/") / name.decode(errors="replace"))

    def _inside(self, path: str) -> bool:
        return PurePosixPath(path).is_relative_to(self.folder) and PurePosixPath(path).name != MARKS


def possible(
    steps: Sequence[Step],
    folder: Path,
    *,
    wanted: int,
    seed: int,
    before: Mapping[str, bytes] | None = None,
    share: tuple[int, int] = (0, 1),
) -> Iterator[State]:
    """Different possible disks, at most as many as wanted, from all over the steps.

    A third of them have none of the unsynced writes, some have all of them, the others a random choice. `share` (2, 3)
    takes the third of three equal parts of all points, so that several processes can divide the work.
    """
    watched = Disk(folder, before)
    points = [point for point, step in enumerate(steps) if watched.play(step)][share[0] :: share[1]]
    choose = random.Random(f"{seed} {share}")
    seen: set[bytes] = set()
    barren = 0
    while len(seen) < wanted and barren < BARREN_ROUNDS_MAX:
        known = len(seen)
        plan = _plan(points, max(wanted - known, DRAWS_MIN) if seen else wanted, choose, first=not seen)
        disk = Disk(folder, before)
        for point, step in enumerate(steps):
            disk.play(step)
            for variant in plan.get(point, ()):
                state = disk.states(point, variant, seed)
                if len(seen) < wanted and state.key not in seen:
                    seen.add(state.key)
                    yield state
        barren = 0 if len(seen) > known else barren + 1


def _plan(points: Sequence[int], count: int, choose: random.Random, *, first: bool) -> Mapping[int, list[str]]:
    """The variants to build at each point."""
    plan: dict[int, list[str]] = {}
    sure = min(len(points), count // 3) if first else 0
    for number in range(sure):
        plan.setdefault(points[number * len(points) // sure], []).append("none")
    for _ in range(count - sure):
        variant = "all" if choose.random() < 0.1 else f"draw {choose.randrange(10**6)}"
        plan.setdefault(choose.choice(points), []).append(variant)
    return plan


def _beginning(count: int, variant: str, choose: random.Random) -> int:
    return {"none": 0, "all": count}.get(variant, choose.randint(0, count))


def _rename(names: dict[str, File], naming: Naming) -> None:
    for name, file in naming.names:
        if file is None:
            names.pop(name, None)
        else:
            names[name] = file


def _settle(file: File) -> None:
    """Merge writes that are safe, and have no unsafe write before them, into the base."""
    while file.writes and file.writes[0].safe:
        _put(file.base, file.writes.pop(0), None)


def _content(file: File, variant: str, choose: random.Random) -> bytes:
    content = bytearray(file.base)
    share = choose.choice((0.2, 0.5, 0.8, 0.95))
    for write in file.writes:
        if write.safe or variant == "all":
            _put(content, write, None)
        elif variant != "none":
            _put_perhaps(content, write, share, choose)
    return bytes(content)


def _put_perhaps(content: bytearray, write: Write, share: float, choose: random.Random) -> None:
    if choose.random() < share:
        _put(content, write, choose if choose.random() < 0.4 else None)
    elif write.data is not None and choose.random() < 0.2:
        content.extend(bytes(max(0, write.offset + len(write.data) - len(content))))


def _put(content: bytearray, write: Write, torn: random.Random | None) -> None:
    """Apply a write, whole or in some of its sectors."""
    if write.data is None:
        del content[write.offset :]
        content.extend(bytes(write.offset - len(content)))
        return
    end = write.offset + len(write.data)
    content.extend(bytes(max(0, write.offset - len(content))))
    if torn is None:
        content[write.offset : end] = write.data
        return
    for start in range(write.offset - write.offset % SECTOR, end, SECTOR):
        if torn.random() < 0.5:
            first, last = max(start, write.offset), min(start + SECTOR, end)
            content.extend(bytes(max(0, first - len(content))))
            content[first:last] = write.data[first - write.offset : last - write.offset]
