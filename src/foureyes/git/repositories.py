"""Finds the repository of a folder, reads its safe settings, and resolves names of revisions to commits.

Git itself is asked only what starts no program: paths, a few settings that are plain values, and what a name refers to.
Everything else is read through a scratch repository that has the same objects and none of the settings.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from foureyes.git.names import shown
from foureyes.git.running import environment, run
from foureyes.home.trouble import Trouble

#: Settings that say how files lie on this disk; each is a plain value.
_SETTINGS = ("filemode", "symlinks", "ignorecase", "precomposeunicode", "trustctime", "checkstat", "autocrlf")
_EXCLUDES = "excludesfile"
_POINTER_BYTES_MAX = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """Where a repository lies, and how its files lie on this disk."""

    #: The folder people work in; None for a bare repository.
    top: Path | None
    #: Git's own folder for this work tree, and the one all work trees share.
    git_dir: Path
    common_dir: Path
    object_format: str = "sha1"
    #: The last commit and the branch that is checked out; empty if there is none.
    head: str = ""
    branch: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    #: The ignore file beside those in the repository.
    excludes: str = ""

    @property
    def place(self) -> Path:
        """The folder by which the repository is named."""
        return self.top or self.git_dir

    def commit(self, name: str) -> str:
        """Return the commit a name refers to; raises Trouble if it refers to none, or to more than one thing."""
        if not name or name.startswith("-") or not name.isprintable():
            raise _unknown(name)
        ran = run(("rev-parse", "--verify", f"{name}^{{commit}}"), folder=self.place, environment=environment())
        if "ambiguous" in ran.said:
            raise Trouble(
                f"{shown(name.encode())} stands for more than one thing here.",
                "Name it in full: refs/heads/NAME for a branch, refs/tags/NAME for a tag, or the whole commit id.",
                usage=True,
            )
        if ran.code:
            raise self._not_found(name)
        return ran.out.decode().strip()

    def commit_or_none(self, name: str) -> str:
        """Return the commit a name refers to; empty if there is none."""
        return _asked(self.place, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")

    @property
    def is_shallow(self) -> bool:
        return (self.common_dir / "shallow").is_file()

    def _not_found(self, name: str) -> Trouble:
        if not self.head:
            return Trouble(
                "There are no commits here yet.", "Review the files as they are: foureyes review --worktree."
            )
        if self.is_shallow:
            return Trouble(
                f"{shown(name.encode())} is not in this clone, which has only the newest commits.",
                "Fetch the rest: git fetch --unshallow, or git fetch --deepen=100.",
            )
        return _unknown(name)


def find(folder: Path) -> Repository | None:
    """Return the repository this folder is in, or None; raises Trouble if git does not trust it."""
    questions = ("--absolute-git-dir", "--git-common-dir", "--show-object-format")
    ran = run(("rev-parse", *questions), folder=folder, environment=environment())
    if ran.code:
        _check_refused(folder, ran.said)
        return None
    git_dir, common_dir, object_format = ran.out.removesuffix(b"\n").rsplit(b"\n", 2)
    own = Path(os.fsdecode(git_dir))
    top = _top(folder, own)
    settings = _settings(top or own)
    excludes = settings.pop(_EXCLUDES, "")
    common = (folder / os.fsdecode(common_dir)).resolve()
    head = _asked(top or own, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    branch = _asked(top or own, "symbolic-ref", "--quiet", "HEAD")
    if not head:
        _check_unborn(top or own, common, branch)
    return Repository(
        top=top,
        git_dir=own,
        common_dir=common,
        object_format=object_format.decode(),
        head=head,
        branch=branch.removeprefix("refs/heads/"),
        settings=settings,
        excludes=excludes or _usual_excludes(),
    )


def known(folder: Path) -> Repository:
    """Return the repository this folder is in; raises Trouble if there is none."""
    found = find(folder)
    if found is None:
        raise Trouble(
            f"{shown(os.fsencode(folder))} is not in a git repository.",
            "Run it in one, or name what to review: foureyes review FILE, or foureyes review - for stdin.",
            usage=True,
        )
    return found


def _unknown(name: str) -> Trouble:
    return Trouble(
        f"There is no file and no commit called {shown(name.encode(errors='replace'))!r} here.",
        "Look the name up: git log --oneline --all.",
        usage=True,
    )


def _check_refused(folder: Path, said: str) -> None:
    """Raise Trouble if git refused for another reason than that there is no repository."""
    if "dubious ownership" in said or "safe.directory" in said:
        place = shown(os.fsencode(folder.resolve()))
        raise Trouble(
            f"The repository at {place} belongs to somebody else, so git does not trust it.",
            f"If you do, run: git config --global --add safe.directory '{place}'",
        )
    if "not a git repository" not in said:
        raise Trouble(f"git cannot read {shown(os.fsencode(folder))}: {_sentence(said)}", "Run: git status")


def _sentence(said: str) -> str:
    first = next((line for line in said.splitlines() if line.strip()), "it gave no reason")
    return shown(first.removeprefix("fatal: ").encode())


def _top(folder: Path, git_dir: Path) -> Path | None:
    """Return the folder whose `.git` this is.

    A setting that says that the files lie elsewhere is not followed: it could name any folder of this machine.
    """
    real = folder.resolve()
    for place in (real, *real.parents):
        own = place / ".git"
        if own.is_dir() and own.resolve() == git_dir.resolve():
            return place
        if own.is_file() and _pointed_to(own) == git_dir.resolve():
            return place
    return None


def _pointed_to(pointer: Path) -> Path | None:
    """Return where the `.git` file of a second work tree or a submodule points to."""
    try:
        with pointer.open("rb") as file:
            text = file.read(_POINTER_BYTES_MAX)
    except OSError:
        return None
    if not text.startswith(b"gitdir:"):
        return None
    return (pointer.parent / os.fsdecode(text.removeprefix(b"gitdir:").strip())).resolve()


def _asked(folder: Path, *words: str) -> str:
    """Return git's answer of one line; empty if it has none."""
    ran = run(words, folder=folder, environment=environment())
    return "" if ran.code else ran.out.decode(errors="replace").strip()


def _check_unborn(folder: Path, common_dir: Path, branch: str) -> None:
    """Raise Trouble if the last commit cannot be read: else it would look as if there were none, and all files new."""
    if _asked(folder, "rev-parse", "--verify", "--quiet", "HEAD") or not branch or (common_dir / branch).exists():
        raise Trouble("The last commit of this repository cannot be read.", "Check it: git fsck")


def _settings(folder: Path) -> dict[str, str]:
    names = "|".join((*_SETTINGS, _EXCLUDES))
    ran = run(("config", "-z", "--get-regexp", rf"^core\.({names})$"), folder=folder, environment=environment())
    found: dict[str, str] = {}
    for one in ran.out.decode(errors="replace").split("\0"):
        name, _, value = one.partition("\n")
        # A name without a value is `true` to git.
        found[name.removeprefix("core.")] = value if "\n" in one else "true"
    return {name: value for name, value in found.items() if name in (*_SETTINGS, _EXCLUDES)}


def _usual_excludes() -> str:
    home, configured = os.environ.get("HOME", ""), os.environ.get("XDG_CONFIG_HOME", "")
    base = configured or (str(Path(home) / ".config") if home else "")
    return str(Path(base) / "git" / "ignore") if base else ""
