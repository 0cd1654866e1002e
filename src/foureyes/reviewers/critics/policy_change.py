"""Compare a policy before and after a change: weaker, broken, the first one, or one that runs commands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import PurePosixPath

from foureyes.app.reviewers import Change, File
from foureyes.home.trouble import Trouble
from foureyes.policy.diff import Direction, diff
from foureyes.policy.load import DEFAULT, load_text, shipped
from foureyes.policy.nodes import PolicyErrors
from foureyes.policy.policy import Holder, Policy, Program, Run
from foureyes.reviewers.critics.critic import Hit, Judged, State, judged
from foureyes.reviewers.critics.policy import BROKEN, CHANGED, ENDS, FILE_NAME, FIRST, RUNS, WEAKENED

SHOWN_MAX = 5


def judge_change(change: Change) -> Judged:
    """Compare the policy at the base with the one that the work leaves."""
    file = change.file(FILE_NAME) or next((one for one in change.files if one.was == FILE_NAME), None)
    before = _before(file, change)
    guards = {FILE_NAME, *_beside(before, change)}
    touched = file or next((one for one in change.files if {one.path, one.was} & guards), None)
    unread = [Hit(rule=BROKEN, path=one.path, evidence=one.why) for one in change.unread if one.path in guards]
    hits = (*unread, *(_hits(touched, before, change) if touched else ()))
    return judged(hits, looked_at="the policy") if hits else Judged()


def _before(file: File | None, change: Change) -> bytes | None:
    """Return the policy at the base; a file that was renamed to the policy's name was no policy before."""
    if change.policy is not None and change.policy[0] == FILE_NAME:
        return change.policy[1]
    return file.before if file is not None and file.was in ("", FILE_NAME) else None


def _beside(before: bytes | None, change: Change) -> set[str]:
    """Return the paths of the files that the policy refers to."""
    paths = (*(name for one in change.files for name in (one.path, one.was)), *(one.path for one in change.unread))
    if before is None or not any(one.endswith(ENDS) for one in paths):
        return set()
    named: set[str] = set()

    def read(name: str) -> bytes:
        named.add(_path(name))
        return _at_base(name, change)

    with suppress(PolicyErrors):
        load_text(FILE_NAME, before, read)
    return named


def _hits(file: File, before: bytes | None, change: Change) -> Iterator[Hit]:
    try:
        new = _new(change, before)
    except PolicyErrors as error:
        yield Hit(rule=BROKEN, path=file.path, line=1, evidence=str(error.problems[0])[:300])
        return
    old = _old(before, change)
    weaker = _weaker(old, new, first=before is None)
    if weaker:
        more = f" and {len(weaker) - SHOWN_MAX} more" if len(weaker) > SHOWN_MAX else ""
        rule = WEAKENED if before is not None else FIRST
        yield Hit(rule=rule, path=file.path, text=f"{rule.title}: {'; '.join(weaker[:SHOWN_MAX])}{more}")
    else:
        yield Hit(rule=CHANGED, path=file.path, state=State.CLEAR)
    known = _commands(old) if old else set()
    for role, line in sorted(_commands(new) - known):
        yield Hit(rule=RUNS, path=file.path, text=f"This policy will run a command as {role}: `{line}`")


def _new(change: Change, before: bytes | None) -> Policy:
    """Return the policy as the work leaves it; without a policy file, the built-in policy applies."""
    file = change.file(FILE_NAME)
    if file is None and any(one.was == FILE_NAME for one in change.files):
        return shipped(DEFAULT).policy
    text = before if file is None else file.content
    if text is None:
        return shipped(DEFAULT).policy

    def read(name: str) -> bytes:
        path = _path(name)
        found = change.file(path)
        if found is not None and found.content is not None:
            return found.content
        if found is not None or any(one.was == path for one in change.files):
            raise FileNotFoundError(name)
        return _at_base(name, change)

    return load_text(FILE_NAME, text, read).policy


def _old(before: bytes | None, change: Change) -> Policy | None:
    """Return the policy that was in force; None if it cannot be read."""
    if before is None:
        return shipped(DEFAULT).policy
    try:
        return load_text(FILE_NAME, before, lambda name: _at_base(name, change)).policy
    except PolicyErrors:
        return None


def _weaker(old: Policy | None, new: Policy, *, first: bool) -> list[str]:
    """Return the points in which the new policy demands less; an unreadable old policy counts as one."""
    if old is None:
        return ["what it demanded before cannot be read"]
    found = [one.words for one in diff(old, new) if one.direction is Direction.WEAKER]
    if not first:
        return found
    # A first policy may choose another review style, as long as not only programs judge.
    chosen = {_chose(kind) for kind in _kinds(new)}
    alone = [f"{kind or 'every other kind'} is judged by programs alone" for kind in _kinds(new) if _alone(new, kind)]
    return [one for one in found if one not in chosen] + alone


def _chose(kind: str) -> str:
    return f"{kind or 'every other kind'} is no longer judged by {DEFAULT}"


def _kinds(policy: Policy) -> tuple[str, ...]:
    return ("", *(one.kind for one in policy.rules.kinds))


def _alone(policy: Policy, kind: str) -> bool:
    """True if every reviewer of this kind is a program or a command."""
    rules = policy.rules
    names = rules.protocols_for(kind) if kind else rules.default
    found = [one for one in map(rules.protocol, names) if one is not None]
    seats = [seat for one in found for stage in one.stages for seat in stage.seats]
    held = {role.name: role.holders for role in policy.reviewers}
    return bool(seats) and all(_is_program(held, seat.roles) for seat in seats)


def _is_program(held: dict[str, tuple[Holder, ...]], roles: tuple[str, ...]) -> bool:
    holders = [one for role in roles for one in held.get(role, ())]
    return bool(holders) and all(isinstance(one, Program | Run) for one in holders)


def _commands(policy: Policy) -> set[tuple[str, str]]:
    return {(role.name, one.line) for role in policy.reviewers for one in role.holders if isinstance(one, Run)}


def _at_base(name: str, change: Change) -> bytes:
    if change.at_base is None:
        raise FileNotFoundError(name)
    try:
        return change.at_base(name)
    except Trouble as error:
        raise OSError(str(error)) from error


def _path(name: str) -> str:
    return str(PurePosixPath(name))
