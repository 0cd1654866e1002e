"""What is the change under review? Read from a git repository, from paths or from stdin, and nothing of it is run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from foureyes.app.reviewers import Change, File
from foureyes.git.base import Base, file_at
from foureyes.git.gathering import Left, gathered
from foureyes.git.laying_out import lay_out
from foureyes.git.loose import place, read_paths, read_stdin
from foureyes.git.names import plain
from foureyes.git.repositories import Repository, find, known
from foureyes.git.scratch import Scratch, scratch
from foureyes.git.worktree import NESTED, staged_index, write_index
from foureyes.home.trouble import Trouble
from foureyes.policy.nodes import FILE_BYTES_MAX

__all__ = [
    "read_default",
    "read_paths",
    "read_range",
    "read_staged",
    "read_stdin",
    "read_worktree",
    "repository",
]

NOTE_CHARS_MAX = 8_000
TITLE_CHARS_MAX = 120
COMMITS_MAX = 50
COMMIT_BYTES_MAX = 1024 * 1024
#: The second name is read too, so that whoever wrote it is told that it does not count.
POLICY_NAMES = ("foureyes.yaml", "foureyes.yml")
#: What the branch others build on is usually called, the most certain first.
_DEFAULT_BRANCHES = (
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/main",
    "refs/remotes/origin/master",
    "refs/heads/main",
    "refs/heads/master",
)


def repository(folder: Path) -> Path | None:
    """The repository this folder is in: the top of its work tree, or the folder of a bare one."""
    found = find(folder)
    return found.place if found else None


def read_range(folder: Path, spec: str) -> Change:
    """The change `A..B`, `A...B` (since where they parted), or what one commit changed."""
    here = known(folder)
    with scratch(here) as bench:
        base, head = _ends(here, bench, spec)
        return _range(here, bench, base, head)


def read_staged(folder: Path) -> Change:
    """What is staged, against the last commit."""
    here = _with_files(known(folder))
    with scratch(here) as bench:
        return _of_index(here, bench, staged_index(here), Left(), how="staged")


def read_worktree(folder: Path) -> Change:
    """The files as they lie there, staged or not, new ones too unless they are ignored, against the last commit."""
    here = _with_files(known(folder))
    with scratch(here) as bench:
        return _worktree(here, bench)


def read_default(folder: Path) -> Change:
    """What has most likely not been looked at yet: the files if they differ, else the branch, else its last commit."""
    here = known(folder)
    with scratch(here) as bench:
        if here.top is not None:
            found = _worktree(here, bench)
            if found.files or any(one.why != NESTED for one in found.unread) or not found.base:
                return found
        head = here.head or here.commit("HEAD")
        base = _parted(here, bench, head)
        return _range(here, bench, base or _parent(bench, head), head)


def _with_files(here: Repository) -> Repository:
    if here.top is None:
        raise Trouble(
            "This repository has no files, only commits (it is bare).",
            "Name the commits to review: foureyes review A..B.",
            usage=True,
        )
    return here


def _ends(here: Repository, bench: Scratch, spec: str) -> tuple[str, str]:
    """The two commits a range stands for; the first is empty where there is nothing before the second."""
    for dots in ("...", ".."):
        left, found, right = spec.partition(dots)
        if found:
            base, head = here.commit(left or "HEAD"), here.commit(right or "HEAD")
            return (_merge_base(bench, base, head) or _raise_unrelated(here) if dots == "..." else base), head
    head = here.commit(spec)
    return _parent(bench, head), head


def _raise_unrelated(here: Repository) -> str:
    if here.is_shallow:
        sentence = "This clone has only the newest commits, and where the two parted is not among them."
        raise Trouble(sentence, "Fetch the rest: git fetch --unshallow, or git fetch --deepen=100.")
    raise Trouble("The two have no commit in common.", "Compare them directly, with two dots: A..B.", usage=True)


def _merge_base(bench: Scratch, one: str, other: str) -> str:
    ran = bench.ask("merge-base", one, other)
    return "" if ran.code else ran.out.decode().split("\n")[0]


def _parent(bench: Scratch, commit: str) -> str:
    """The first commit before this one; empty where it is the first of all. A clone may lack it: that is told."""
    head, _, _ = bench.contents([commit], at_most=COMMIT_BYTES_MAX).get(commit, b"").partition(b"\n\n")
    parents = [line.split(b" ")[1].decode() for line in head.split(b"\n") if line.startswith(b"parent ")]
    if not parents:
        return ""
    if parents[0] not in bench.sizes(parents[:1]):
        raise bench.trouble(f"the commit before {commit[:12]} is not here")
    return parents[0]


def _parted(here: Repository, bench: Scratch, head: str) -> str:
    """Where this branch left the one it will go to; empty where it has nothing of its own."""
    for name in ("@{upstream}", *_DEFAULT_BRANCHES):
        other = here.commit_or_none(name)
        base = _merge_base(bench, head, other) if other and other != head else ""
        if base and base != head:
            return base
    return ""


def _range(here: Repository, bench: Scratch, base: str, head: str) -> Change:
    left = Left()
    files = gathered(bench, ("diff-tree", "-r", base or bench.empty_tree, head), left)
    messages = _messages(bench, base, head)
    count = len(messages)
    first = plain(messages[-1].partition("\n")[0], TITLE_CHARS_MAX) if messages else ""
    some = f"{count}{'+' if count == COMMITS_MAX else ''} commits since {base[:12]}"
    title = f"Commit {head[:12]}: {first}" if count == 1 else f"{some} on {here.branch or head[:12]}"
    change = _change(here, bench, files, left, base=base, how=f"range {base}", title=title)
    return replace(change, aliases=(f"git-commit:{head}",), note=_note(messages))


def _of_index(here: Repository, bench: Scratch, index: Path, left: Left, *, how: str) -> Change:
    head = here.head
    files = gathered(bench, ("diff-index", "--cached", head or bench.empty_tree), left, index)
    where = f"on {here.branch}" if here.branch else f"at {head[:12]}"
    what = {"staged": "Staged changes", "worktree": "Uncommitted changes"}[how]
    return _change(here, bench, files, left, base=head, how=how, title=f"{what} {where}")


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
        place=place("git", os.path.realpath(here.place), here.branch, how),
        policy=_policy(bench, base),
        at_base=Base(here=here, commit=base, bytes_max=FILE_BYTES_MAX),
        lay_out=partial(lay_out, here=here, base=base, files=files, without=frozenset(left.paths)),
    )


def _policy(bench: Scratch, base: str) -> tuple[str, bytes] | None:
    """The policy file at the base, never that of the change."""
    return file_at(bench, base, POLICY_NAMES, FILE_BYTES_MAX) if base else None


def _messages(bench: Scratch, base: str, head: str) -> list[str]:
    """What the authors say of their commits, the newest first."""
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
