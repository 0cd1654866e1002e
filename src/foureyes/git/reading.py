"""Reads the change under review from a git repository; nothing of the repository is run.

Paths and stdin are read in `loose.py`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from foureyes.app.reviewers import Change, File
from foureyes.git.base import Base, policy_at, settings_at
from foureyes.git.gathering import Left, gathered
from foureyes.git.laying_out import lay_out
from foureyes.git.loose import place, read_paths, read_stdin
from foureyes.git.names import plain
from foureyes.git.repositories import Repository, find, known
from foureyes.git.scratch import Scratch, scratch
from foureyes.git.worktree import NESTED, staged_index, write_index
from foureyes.home.trouble import Trouble

__all__ = [
    "names_commits",
    "read_committed",
    "read_default",
    "read_nothing",
    "read_paths",
    "read_range",
    "read_staged",
    "read_stdin",
    "read_worktree",
    "repository",
]

NOTE_CHARS_MAX = 8_000
TITLE_CHARS_MAX = 120
NAME_CHARS_MAX = 60
COMMITS_MAX = 50
COMMIT_BYTES_MAX = 1024 * 1024
#: HEAD, or a commit named relative to it.
_HEAD = re.compile(r"(?:HEAD|@)((?:[~^@{].*)?)")
#: The usual names of the default branch, the most certain first.
_DEFAULT_BRANCHES = (
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/main",
    "refs/remotes/origin/master",
    "refs/heads/main",
    "refs/heads/master",
)


def repository(folder: Path) -> Path | None:
    """Return the repository this folder is in: the top of its work tree, or the folder of a bare one."""
    found = find(folder)
    return found.place if found else None


def read_range(folder: Path, spec: str) -> Change:
    """Read `A..B` since their merge base, what a branch adds to the default branch, or one commit."""
    here = find(folder)
    if here is None and ".." not in spec:
        raise Trouble(
            f"There is no file called {plain(spec, TITLE_CHARS_MAX)!r}, and this folder is in no git repository.",
            "Name a file that is there, or - for stdin.",
            usage=True,
        )
    here = here or known(folder)
    with scratch(here) as bench:
        base, head = _ends(here, bench, spec)
        return _range(here, bench, base, head, called=_called(here, spec))


def names_commits(folder: Path, word: str) -> bool:
    """True if a word names a commit or a range here; `..`, the parent folder, does not."""
    here = find(folder) if word.isprintable() and not word.startswith("-") and word != ".." else None
    return here is not None and all(here.commit_or_none(one or "HEAD") for one in _sides(word))


def read_staged(folder: Path) -> Change:
    """Read what is staged, against the last commit."""
    here = _with_files(known(folder))
    with scratch(here) as bench:
        return _of_index(here, bench, staged_index(here), Left(), how="staged")


def read_worktree(folder: Path) -> Change:
    """Read the files of the work tree, staged or not, with new ones that are not ignored, against the last commit."""
    here = _with_files(known(folder))
    with scratch(here) as bench:
        return _worktree(here, bench)


def read_nothing(folder: Path) -> Change:
    """Return an empty change against the last commit, with its policy."""
    here = find(folder)
    if here is None:
        return Change(title="", kind="code", files=())
    with scratch(here) as bench:
        return _change(here, bench, (), Left(), base=here.head, how="worktree", title="")


def read_default(folder: Path) -> Change:
    """Read what is not committed; in a bare repository the commits of the branch, else its last commit."""
    here = known(folder)
    with scratch(here) as bench:
        if here.top is not None:
            found = _worktree(here, bench)
            apart = not found.files and all(one.why == NESTED for one in found.unread)
            return replace(found, unread=()) if apart else found
    return read_committed(folder)


def read_committed(folder: Path) -> Change:
    """Read what the checked-out branch adds, else its last commit."""
    here = known(folder)
    with scratch(here) as bench:
        head = here.head or here.commit("HEAD")
        base = _parted(here, bench, head)
        return _range(here, bench, base or _parent(bench, head), head, called=here.branch)


def _with_files(here: Repository) -> Repository:
    if here.top is None:
        raise Trouble(
            "This repository has no files, only commits (it is bare).",
            "Name the commits to review: foureyes review A..B.",
            usage=True,
        )
    return here


def _ends(here: Repository, bench: Scratch, spec: str) -> tuple[str, str]:
    """Return the two commits of a range; the first is empty if there is nothing before the second."""
    sides = _sides(spec)
    commits = [here.commit(one if len(sides) == 1 else one or "HEAD") for one in sides]
    head = commits[-1]
    if len(sides) == 1:
        return (_parted_from_default(here, bench, head) if _is_branch(here, spec) else "") or _parent(bench, head), head
    base = _merge_base(bench, *commits)
    if not base and ("..." in spec or here.is_shallow):
        _raise_unrelated(here)
    return base or commits[0], head


def _is_branch(here: Repository, word: str) -> bool:
    """True if a word names a branch, local or remote; a commit, a tag or HEAD does not."""
    if set(word) & set("^~@{:"):
        return False
    short = word.removeprefix("refs/heads/").removeprefix("refs/remotes/").removeprefix("remotes/")
    return any(here.commit_or_none(f"{room}{short}") for room in ("refs/heads/", "refs/remotes/"))


def _parted_from_default(here: Repository, bench: Scratch, head: str) -> str:
    """Return where a branch left the default branch; empty if it has no commits of its own."""
    for name in _DEFAULT_BRANCHES:
        other = here.commit_or_none(name)
        base = _merge_base(bench, head, other) if other and other != head else ""
        if base:
            return base if base != head else ""
    return ""


def _sides(spec: str) -> tuple[str, ...]:
    """Return what is on both sides of the dots; one word if there are none."""
    dots = "..." if "..." in spec else ".."
    left, found, right = spec.partition(dots)
    return (left, right) if found else (spec,)


def _called(here: Repository, spec: str) -> str:
    """Return the name of the newer end, the same in the next round: for HEAD, the branch that is checked out."""
    name = _sides(spec)[-1] or "HEAD"
    found = _HEAD.fullmatch(name)
    return f"{here.branch}{found[1]}" if found else name.removeprefix("refs/heads/")


def _raise_unrelated(here: Repository) -> str:
    if here.is_shallow:
        sentence = "This clone has only the newest commits, and where the two parted is not among them."
        raise Trouble(sentence, "Fetch the rest: git fetch --unshallow, or git fetch --deepen=100.")
    raise Trouble("The two have no commit in common.", "Compare them directly, with two dots: A..B.", usage=True)


def _merge_base(bench: Scratch, one: str, other: str) -> str:
    ran = bench.ask("merge-base", one, other)
    return "" if ran.code else ran.out.decode().split("\n")[0]


def _parent(bench: Scratch, commit: str) -> str:
    """Return the first parent of a commit; empty if it has none. Raises Trouble if the clone lacks the parent."""
    head, _, _ = bench.contents([commit], at_most=COMMIT_BYTES_MAX).get(commit, b"").partition(b"\n\n")
    parents = [line.split(b" ")[1].decode() for line in head.split(b"\n") if line.startswith(b"parent ")]
    if not parents:
        return ""
    if parents[0] not in bench.sizes(parents[:1]):
        raise bench.trouble(f"the commit before {commit[:12]} is not here")
    return parents[0]


def _parted(here: Repository, bench: Scratch, head: str) -> str:
    """Return where this branch left its upstream or the default branch; empty if it has no commits of its own."""
    for name in ("@{upstream}", *_DEFAULT_BRANCHES):
        other = here.commit_or_none(name)
        base = _merge_base(bench, head, other) if other and other != head else ""
        if base and base != head:
            return base
    return ""


def _range(here: Repository, bench: Scratch, base: str, head: str, *, called: str) -> Change:
    left = Left()
    files = gathered(bench, ("diff-tree", "-r", base or bench.empty_tree, head), left)
    messages = _messages(bench, base, head)
    count = len(messages)
    first = plain(messages[-1].partition("\n")[0], TITLE_CHARS_MAX) if messages else ""
    some = f"{count}{'+' if count == COMMITS_MAX else ''} commits since {base[:12]}"
    of = _of(here)
    title = f"Commit {head[:12]}{of}: {first}" if count == 1 else f"{some} on {called or head[:12]}{of}"
    change = _change(here, bench, files, left, base=base, how=f"range {base}", title=title)
    return replace(
        change,
        place=_place(here, called, f"range {base}"),
        aliases=(f"git-commit:{head}",) if base != head and _is_all_new(here, bench, base, head) else (),
        note=_note(messages),
    )


def _is_all_new(here: Repository, bench: Scratch, base: str, head: str) -> bool:
    """True if this is everything the commit would bring to the default branch.

    Only then does the change have the commit's name as an alias: a clearance of one commit of many would else hold for
    those before it.
    """
    main = next(filter(None, map(here.commit_or_none, _DEFAULT_BRANCHES)), "")
    return not base or bool(main and _merge_base(bench, main, head) == base)


def _of_index(here: Repository, bench: Scratch, index: Path, left: Left, *, how: str) -> Change:
    head = here.head
    files = gathered(bench, ("diff-index", "--cached", head or bench.empty_tree), left, index)
    where = f"on {here.branch}" if here.branch else f"at {head[:12]}"
    what = {"staged": "Staged changes", "worktree": "Uncommitted changes"}[how]
    return _change(here, bench, files, left, base=head, how=how, title=f"{what} {where}{_of(here)}")


def _of(here: Repository) -> str:
    """Return the repository's name, the same in each of its work trees, so that titles tell repositories apart."""
    shared = here.common_dir
    name = shared.parent.name if shared.name == ".git" else shared.name.removesuffix(".git")
    return f" of {plain(name, NAME_CHARS_MAX)}" if name else ""


def _worktree(here: Repository, bench: Scratch) -> Change:
    left = Left()
    write_index(here, bench, left)
    return _of_index(here, bench, bench.index, left, how="worktree")


def _change(
    here: Repository, bench: Scratch, files: tuple[File, ...], left: Left, *, base: str, how: str, title: str
) -> Change:
    empty = not files and not left.found
    return Change(
        title=plain(f"Nothing changed: {title}" if empty else title, TITLE_CHARS_MAX),
        kind="code",
        files=files,
        unread=left.all,
        base=base,
        place=_place(here, here.branch, how),
        policy=policy_at(bench, base),
        settings=settings_at(bench, base, [one.path for one in files]),
        at_base=Base(here=here, commit=base),
        lay_out=partial(lay_out, here=here, base=base, files=files, without=frozenset(left.paths)),
    )


def _place(here: Repository, branch: str, how: str) -> str:
    return place("git", os.path.realpath(here.place), branch, how)


def _messages(bench: Scratch, base: str, head: str) -> list[str]:
    """Return the messages of the commits, the newest first."""
    span = f"{base}..{head}" if base else head
    words = (
        "log",
        "-z",
        "--format=%B",
        f"--max-count={COMMITS_MAX}",
        "--no-show-signature",
        "--no-mailmap",
        span,
        "--",
    )
    ran = bench.ask(*words)
    return [one.decode(errors="replace").strip() for one in ran.out.split(b"\0") if one.strip()]


def _note(messages: Sequence[str]) -> str:
    note = "\n\n".join(reversed(messages))
    return note if len(note) <= NOTE_CHARS_MAX else note[: NOTE_CHARS_MAX - 1] + "…"
