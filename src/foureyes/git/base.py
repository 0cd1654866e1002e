"""Files at the base commit of the work: the policy, Python settings, and files that the policy names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from foureyes.app.reviewers import Change
from foureyes.git.repositories import Repository, find
from foureyes.git.scratch import Scratch, scratch
from foureyes.home.trouble import Trouble
from foureyes.policy.nodes import FILE_BYTES_MAX

SETTINGS_NAMES = ("pyproject.toml", "setup.cfg", "setup.py")
SETTINGS_FOLDERS_MAX = 50
SETTINGS_BYTES_MAX = 200_000
#: The second name is read too, so that its author is told that it does not count.
POLICY_NAMES = ("foureyes.yaml", "foureyes.yml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """A commit of a repository, to read files from."""

    here: Repository
    #: Empty if there is no commit.
    commit: str

    def __call__(self, name: str) -> bytes:
        """Return the bytes of this file at the commit; raises FileNotFoundError if it has none."""
        if not self.commit:
            raise FileNotFoundError(name)
        path = PurePosixPath(name).as_posix()  # git knows no ./ in a path
        with scratch(self.here) as bench:
            found = file_at(bench, self.commit, (path,), FILE_BYTES_MAX)
        if found is None:
            raise FileNotFoundError(name)
        return found[1]


def under_policy(change: Change, folder: Path) -> Change:
    """Put work without a place, such as that from stdin, under the policy of the last commit of the repository here.

    So that handing work in by a pipe does not avoid the policy that judges this repository.
    """
    here = nearby(folder)
    if here is None:
        return change
    with scratch(here) as bench:
        policy = policy_at(bench, here.head)
    return replace(change, policy=policy, at_base=Base(here=here, commit=here.head))


def nearby(folder: Path) -> Repository | None:
    """Return the repository a folder is in; git is not even asked if no parent folder has a `.git`."""
    place = folder.resolve()
    if not any(os.path.lexists(one / ".git") for one in (place, *place.parents)):
        return None
    return find(place) if place.is_dir() else None


def policy_at(bench: Scratch, base: str) -> tuple[str, bytes] | None:
    """Return the policy file at the base, never that of the work."""
    return file_at(bench, base, POLICY_NAMES, FILE_BYTES_MAX) if base else None


def settings_at(bench: Scratch, base: str, paths: Sequence[str]) -> tuple[tuple[str, bytes], ...]:
    """Return the files at the base that say for which Python the changed files are written.

    They are looked for in the folders of the changed files and all folders above, at most in SETTINGS_FOLDERS_MAX of
    them.
    """
    folders = {str(one) for path in paths if path.endswith((".py", ".pyi")) for one in PurePosixPath(path).parents}
    if not base or not folders:
        return ()
    near = sorted(folders, key=lambda one: (one.count("/"), one))[:SETTINGS_FOLDERS_MAX]
    names = [str(PurePosixPath(folder, name)) for folder in near for name in SETTINGS_NAMES]
    out = bench.answer("ls-tree", "-l", "-z", "--full-tree", base, "--", *names)
    found: dict[str, str] = {}
    total = 0
    for line in filter(None, out.split(b"\0")):
        head, _, path = line.partition(b"\t")
        _, sort, name, size = head.decode().split()
        if sort == "blob" and size.isdigit() and int(size) <= SETTINGS_BYTES_MAX:
            found[path.decode(errors="surrogateescape")] = name
            total += int(size)
    contents = bench.contents(list(dict.fromkeys(found.values())), at_most=total) if found else {}
    return tuple((path, contents[name]) for path, name in found.items() if name in contents)


def file_at(bench: Scratch, base: str, names: tuple[str, ...], bytes_max: int) -> tuple[str, bytes] | None:
    """Return the first of these files that exists at the base, with its bytes."""
    out = bench.answer("ls-tree", "-l", "-z", "--full-tree", base, "--", *names)
    found: dict[str, tuple[str, str]] = {}
    for line in filter(None, out.split(b"\0")):
        head, _, path = line.partition(b"\t")
        _, sort, name, size = head.decode().split()
        if sort == "blob":
            found[path.decode(errors="surrogateescape")] = name, size
    file = next((one for one in names if one in found), "")
    if not file:
        return None
    name, size = found[file]
    bytes_count = int(size) if size.isdigit() else 0
    if bytes_count > bytes_max:
        raise Trouble(f"{file} at {base[:12]} has more than {bytes_max} bytes.", "Commit a smaller one.")
    content = bench.contents([name], at_most=bytes_count).get(name)
    if content is None:
        raise Trouble(f"The bytes of {file} at {base[:12]} are not in this clone.", "Fetch them: git fetch --refetch.")
    return file, content
