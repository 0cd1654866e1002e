"""An empty scratch repository that borrows the objects of another one, to read content without its settings.

It has no settings, hooks, filters or remotes of the repository under review, so git has nothing to run and nowhere to
fetch from; what is written into it for comparing is removed with it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from foureyes.app.reviewers import Span
from foureyes.git.disk import bounded
from foureyes.git.hunks import Hunks
from foureyes.git.names import shown
from foureyes.git.repositories import Repository
from foureyes.git.running import OUTPUT_BYTES_MAX, Ran, environment, run, stream
from foureyes.home.trouble import Trouble

#: With more candidates than this git looks for no renames, because that takes quadratic time.
RENAMES_MAX = 300
#: A file is at most as large as a work; for larger ones git need not compare lines.
BIG_FILE = "21m"
COPY_BYTES_MAX = 1024 * 1024
_DIFF = (
    "--ita-invisible-in-index",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--ignore-submodules=none",
    "--no-relative",
)
_BLOB = 3
_HASHES = {"sha1": hashlib.sha1, "sha256": hashlib.sha256}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One difference as git lists it: two modes, two object ids and the path; two paths where it was renamed."""

    path: bytes
    was: bytes = b""
    mode: str
    mode_before: str
    object: str
    object_before: str
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scratch:
    """An empty repository that borrows objects, and the git commands that read from it."""

    folder: Path
    repository: Repository
    environment: dict[str, str]
    #: The time limit of each command; 0 for the general one.
    seconds: float = 0

    @property
    def empty_tree(self) -> str:
        return self.name_of(b"", kind=b"tree")

    @property
    def index(self) -> Path:
        """The path of its own index file."""
        return self.folder / "index"

    def name_of(self, content: bytes, kind: bytes = b"blob") -> str:
        """Return git's object id for these bytes."""
        hasher = _HASHES[self.repository.object_format]
        return hasher(kind + b" %d\0" % len(content) + content, usedforsecurity=False).hexdigest()

    def keep(self, contents: Iterable[bytes]) -> None:
        """Add objects that last as long as this repository: in one pack file, because many small files take time."""
        blobs = list(dict.fromkeys(contents))
        if not blobs:
            return
        place = self.folder / "objects" / "pack"
        place.mkdir(exist_ok=True)
        hasher = _HASHES[self.repository.object_format](usedforsecurity=False)
        with (place / "own.pack").open("wb") as file:
            for piece in (b"PACK" + struct.pack(">II", 2, len(blobs)), *map(_packed, blobs)):
                hasher.update(piece)
                file.write(piece)
            file.write(hasher.digest())
        self.answer("index-pack", "--threads=1", str(place / "own.pack"))

    def ask(self, *arguments: str, given: bytes = b"", index: Path | None = None, at_most: int = 0) -> Ran:
        """Run a git command and return the result, whatever its exit code."""
        return run(
            arguments,
            folder=self.repository.top or self.folder,
            environment=self._with(index),
            given=given,
            out_bytes_max=at_most or OUTPUT_BYTES_MAX,
            seconds=self.seconds,
        )

    def answer(self, *arguments: str, given: bytes = b"", index: Path | None = None, at_most: int = 0) -> bytes:
        """Run a git command and return its output; raises Trouble if it fails."""
        ran = self.ask(*arguments, given=given, index=index, at_most=at_most)
        if ran.code:
            raise self.trouble(ran.said)
        return ran.out

    def entries(self, sides: Sequence[str], *, index: Path | None = None, renames: bool = True) -> list[Entry]:
        """Return the differences as git lists them."""
        found = ("-M", f"-l{RENAMES_MAX}") if renames else ("--no-renames",)
        command, *trees = sides
        return listed(self.answer(command, "--raw", "-z", "--no-abbrev", *_DIFF, *found, *trees, index=index))

    def spans(self, sides: Sequence[str], *, index: Path | None = None) -> list[list[Span]]:
        """Return the spans of new lines, one list for each file of git's patch."""
        hunks = Hunks()
        command, *trees = sides
        # As text whatever the attributes say: else a file could declare itself binary and its lines would not be
        # judged.
        words = (command, "-p", "-U0", "--text", "-D", "-M", f"-l{RENAMES_MAX}", "--inter-hunk-context=0", *_DIFF)
        code, said = stream(
            (*words, *trees),
            hunks.take,
            folder=self.repository.top or self.folder,
            environment=self._with(index),
        )
        if code:
            raise self.trouble(said)
        return hunks.files

    def sizes(self, names: Iterable[str]) -> dict[str, int]:
        """Return the sizes of these objects; missing objects are left out."""
        asked = "".join(f"{name}\n" for name in dict.fromkeys(names))
        out = self.answer("cat-file", "--buffer", "--batch-check=%(objectname) %(objectsize)", given=asked.encode())
        split = (line.split(" ") for line in out.decode().splitlines())
        return {name: int(size) for name, size in split if size != "missing"}

    def contents(self, names: Iterable[str], at_most: int) -> dict[str, bytes]:
        """Return the bytes of these objects, `at_most` in total; missing objects are left out."""
        wanted = list(dict.fromkeys(names))
        if not wanted:
            return {}
        asked = "".join(f"{name}\n" for name in wanted)
        out = self.answer(
            "cat-file", "--buffer", "--batch", given=asked.encode(), at_most=at_most + 1_000 * (len(wanted) + 1)
        )
        found, at = dict[str, bytes](), 0
        for name in wanted:
            end = out.index(b"\n", at)
            head, at = out[at:end].rsplit(b" ", 2), end + 1
            if head[-1] == b"missing":
                continue
            size = int(head[-1])
            found[name] = out[at : at + size]
            at += size + 1
        return found

    def trouble(self, said: str) -> Trouble:
        """Return what to raise when git cannot answer."""
        if self.repository.is_shallow:
            return Trouble(
                "This clone has only the newest commits, and what this is compared with is not among them.",
                "Fetch the rest: git fetch --unshallow, or git fetch --deepen=100.",
            )
        first = next((line for line in said.splitlines() if line.strip()), "it gave no reason")
        return Trouble(f"git could not read the repository: {shown(first.encode())}", "Check it: git fsck")

    def _with(self, index: Path | None) -> dict[str, str]:
        return {**self.environment, "GIT_INDEX_FILE": str(index or self.index)}


@contextmanager
def scratch(repository: Repository, seconds: float = 0) -> Iterator[Scratch]:
    """Make a scratch repository, and remove it in the end."""
    folder = Path(tempfile.mkdtemp(prefix="foureyes-git-")).resolve()
    try:
        _fill(folder, repository)
        steered = _environment(folder, repository)
        yield Scratch(folder=folder, repository=repository, environment=steered, seconds=seconds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def listed(out: bytes) -> list[Entry]:
    """Parse the output of `--raw -z`."""
    found: list[Entry] = []
    words = iter(out.split(b"\0"))
    for head in words:
        if not head:
            break
        mode_before, mode, before, after, status = head.decode().removeprefix(":").split(" ")
        path = next(words)
        was, path = (path, next(words)) if status[0] in "RC" else (b"", path)
        found.append(
            Entry(
                path=path,
                was=was,
                mode=mode,
                mode_before=mode_before,
                object=after,
                object_before=before,
                status=status[0],
            )
        )
    return found


def _packed(blob: bytes) -> bytes:
    """Encode a blob for a pack: its type and length, seven bits at a time, then the compressed bytes."""
    size = len(blob)
    head = bytearray(((_BLOB << 4) | (size & 0x0F),))
    size >>= 4
    while size:
        head[-1] |= 0x80
        head.append(size & 0x7F)
        size >>= 7
    return bytes(head) + zlib.compress(blob, 1)


def _fill(folder: Path, repository: Repository) -> None:
    (folder / "refs").mkdir()
    (folder / "objects" / "info").mkdir(parents=True)
    (folder / "HEAD").write_bytes(b"ref: refs/heads/none\n")
    (folder / "config").write_text(_config(repository), encoding="utf-8")
    objects = os.fsencode(repository.common_dir / "objects")
    (folder / "objects" / "info" / "alternates").write_bytes(_quoted(objects) + b"\n")
    copies = (
        (repository.common_dir / "shallow", folder / "shallow"),
        (repository.common_dir / "info" / "exclude", folder / "info" / "exclude"),
        # The user's global ignore file goes where git looks for it, because the scratch folder is its home.
        (Path(repository.excludes).expanduser() if repository.excludes else folder, folder / "git" / "ignore"),
    )
    for source, target in copies:
        if content := bounded(source, COPY_BYTES_MAX):
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(content)
    # An index may be split in two; git looks for its other half in its own folder.
    for half in repository.git_dir.glob("sharedindex.*"):
        (folder / half.name).symlink_to(half)


def _config(repository: Repository) -> str:
    """Return a config file that says how files lie on this disk, and no other setting of the repository."""
    version, more = (
        ("0", "") if repository.object_format == "sha1" else ("1", "[extensions]\n\tobjectFormat = sha256\n")
    )
    core = {"repositoryformatversion": version, "bare": "false", "bigFileThreshold": BIG_FILE, "quotePath": "true"}
    for name in ("filemode", "symlinks", "ignorecase", "precomposeunicode", "trustctime"):
        value = repository.settings.get(name, "").lower()
        if value in ("true", "yes", "on", "1", "false", "no", "off", "0"):
            core[name] = value
    if repository.settings.get("checkstat", "").lower() == "minimal":
        core["checkStat"] = "minimal"
    lines = "".join(f"\t{name} = {value}\n" for name, value in core.items())
    return f"[core]\n{lines}[gc]\n\tauto = 0\n{more}"


def _environment(folder: Path, repository: Repository) -> dict[str, str]:
    own = {
        "HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder),
        "GIT_DIR": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_WORK_TREE": str(repository.top or folder),
    }
    return {**environment(), **own}


def _quoted(path: bytes) -> bytes:
    """Quote a path as git does."""
    odd = {ord('"'): b'\\"', ord("\\"): b"\\\\", ord("\n"): b"\\n"}
    return b'"' + b"".join(odd.get(one, bytes((one,))) for one in path) + b'"'
