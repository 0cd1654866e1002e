"""Compare two policies, and say for each difference whether the new one demands more or less.

Both are compared in their stored form, value by value, so that no difference is left out. A table says which
differences demand more and which less. A difference that is not in it is neither, but is still shown.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any

from foureyes.codec.shapes import Json
from foureyes.core.rules import Rules
from foureyes.policy.policy import Mode, Policy, policy_text
from foureyes.policy.strictness import SPANS, Weight, weigh, weigh_member
from foureyes.policy.words import span_words

Path = tuple[str, ...]


class Direction(StrEnum):
    """Whether a change demands more, less, or something else."""

    STRICTER = "stricter"
    WEAKER = "weaker"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference, in words."""

    direction: Direction
    words: str

    def __str__(self) -> str:
        return f"{self.direction}: {self.words}"


def diff(old: Policy, new: Policy) -> tuple[Change, ...]:
    """All differences between two policies, those that demand less first."""
    beside = (*_of_kinds(old, new), *_of_modes(old, new), *_of_targets(old, new))
    found = (*beside, *_of_values((), _body(old), _body(new)))
    order = [Direction.WEAKER, Direction.OTHER, Direction.STRICTER]
    return tuple(sorted(dict.fromkeys(found), key=lambda one: order.index(one.direction)))


def diff_text(old: Policy, new: Policy) -> str:
    """The differences as lines of text, those that demand less first."""
    changes = diff(old, new)
    if not changes:
        return "the policies say the same"
    return "\n".join(map(str, changes))


def _of_kinds(old: Policy, new: Policy) -> Iterator[Change]:
    """Compare what each kind effectively must pass, because a rule for a kind may demand less than the default."""
    kinds = dict.fromkeys(("", *(one.kind for one in (*old.rules.kinds, *new.rules.kinds))))
    for kind in kinds:
        before, after = _judged(old.rules, kind), _judged(new.rules, kind)
        what = kind or "every other kind"
        yield from (_change(-1, f"{what} is no longer judged by {one}") for one in before if one not in after)
        yield from (_change(1, f"{what} is judged by {one} too") for one in after if one not in before)
        if before != after and set(before) == set(after):
            yield _change(0, f"{what} is judged in another order: {', '.join(after)}")


def _judged(rules: Rules, kind: str) -> tuple[str, ...]:
    return rules.protocols_for(kind) if kind else rules.default


def _of_modes(old: Policy, new: Policy) -> Iterator[Change]:
    for kind in dict.fromkeys(("", *(one.kind for one in (*old.modes, *new.modes)))):
        before, after = _mode(old, kind), _mode(new, kind)
        if before is not after:
            what = kind or "every other kind"
            yield _change(1 if after is Mode.ENFORCE else -1, f"{what}: {before} becomes {after}")


def _mode(policy: Policy, kind: str) -> Mode:
    return policy.mode_for(kind) if kind else policy.mode


def _of_targets(old: Policy, new: Policy) -> Iterator[Change]:
    """Compare the level each target effectively demands, because a listed target may demand less than others."""
    names = dict.fromkeys(("", *(one.name for one in (*old.targets, *new.targets))))
    levels = [(name, old.level_for(name), new.level_for(name)) for name in names]
    for name, before, after in levels:
        if before != after:
            what = f"target {name}" if name else "every other target"
            yield _change(after - before, f"{what}: level {before} becomes {after}")
    if old.targets != new.targets and all(before == after for _, before, after in levels):
        yield _change(0, "targets: listed otherwise, the same levels")


def _body(policy: Policy) -> Json:
    body: Json = json.loads(policy_text(policy))["policy"]
    for name in ("mode", "modes", "targets"):
        del body[name]
    for name in ("kinds", "default"):
        del body["rules"][name]
    return body


def _of_values(path: Path, old: Any, new: Any) -> Iterator[Change]:
    if old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for name in dict.fromkeys((*old, *new)):
            yield from _of_field((*path, name), old, new)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _of_lists(path, old, new)
    else:
        yield _change(weigh(path[-1], old, new), f"{_said(path)}: {_value(path, old)} becomes {_value(path, new)}")


def _of_field(path: Path, old: Json, new: Json) -> Iterator[Change]:
    name = path[-1]
    if name not in old or name not in new:
        yield _change(0, f"{_said(path)} {'is new' if name in new else 'is gone'}")
    else:
        yield from _of_values(path, old[name], new[name])


def _of_lists(path: Path, old: list[Any], new: list[Any]) -> Iterator[Change]:
    """Compare lists by the names of their members, not by position."""
    before, after = _named(old), _named(new)
    weight = weigh_member(path)
    shared = [name for name in before if name in after]
    yield from (_change(-weight, f"{_said(path)}: {name} is gone") for name in before if name not in after)
    yield from (_change(weight, f"{_said(path)}: {name} is new") for name in after if name not in before)
    for name in shared:
        yield from _of_values((*path, name), before[name], after[name])
    if shared != [name for name in after if name in before]:
        yield _change(0, f"{_said(path)}: another order")


def _named(items: list[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    counted: Counter[str] = Counter()
    for index, item in enumerate(items):
        name = _name(item, index)
        counted[name] += 1
        found[name if counted[name] == 1 else f"{name} ({counted[name]})"] = item
    return found


def _name(item: Any, index: int) -> str:  # noqa: PLR0911 - one line for each sort of member
    match item:
        case {"pattern": str(pattern), "kind": str(kind)}:
            return f"{pattern} as {kind}"
        case {"is": str(kind), "name": str(name)}:
            return f"{kind.lower()} {name}"
        case {"name": str(name)} | {"kind": str(name)} | {"creator": str(name)} | {"level": str(name)}:
            return name
        case {"is": str(name)}:
            return name
        case {"scope": str(scope), "roles": list(roles)}:
            return " ".join(map(str, roles)) + (f" on {scope}" if scope else "") or f"seat {index + 1}"
        case [str(name), *_]:
            return name
        case _:
            return str(item)


def _said(path: Path) -> str:
    hidden = {"rules", "protocols", "stages", "options", "gates"}
    shown = [one.replace("_", " ") for one in path if one not in hidden]
    # Names are listed once, because a style with one stage has the same name as the stage.
    return " / ".join(one for index, one in enumerate(shown) if one not in shown[:index]) or "policy"


def _value(path: Path, value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return str(value).lower()
        case int() if path[-1] in SPANS:
            return span_words(timedelta(microseconds=value))
        case _:
            return str(value) or "nothing"


def _change(weight: Weight, words: str) -> Change:
    direction = Direction.STRICTER if weight > 0 else Direction.WEAKER if weight < 0 else Direction.OTHER
    return Change(direction=direction, words=words)
