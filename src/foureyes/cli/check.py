"""The `check` command's fast path: whether exactly these bytes may go live.

It runs before every step of an agent, so it starts without click, asyncio or YAML. Most answers are no and come from
projection rows alone, without the core. A yes is always re-evaluated from the log.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from foureyes.app.glance import Shut, glance
from foureyes.cli import codes
from foureyes.cli.answer import Answer, Line, show
from foureyes.cli.silenced import off_here, with_note

if TYPE_CHECKING:
    from foureyes.app.book_end import BookMark
    from foureyes.app.live import Live
    from foureyes.app.ports import Reading
    from foureyes.policy.policy import Policy

#: Exit code and tone of every state; any other state is inconclusive, and the gate stays shut.
STATES = {
    "cleared": (codes.OK, "good"),
    "blocked": (codes.BLOCKED, "bad"),
    "unknown": (codes.BLOCKED, "bad"),
    "pending": (codes.PENDING, "care"),
}
#: The store is not the one that was signed. The state has no exit code of its own, so it is inconclusive.
DAMAGED = "damaged"
_VALUES = ("--home", "--database", "--target")
_FLAGS = ("--json", "--debug")

#: Reads the policy in force before any is activated; None if it demands nothing of any target.
Default = Callable[[], "Policy | None"]
Look = Callable[[Mapping[str, str | None]], "AbstractContextManager[tuple[Reading, Default, BookMark]]"]

LookLocal = Callable[[Mapping[str, str | None]], "AbstractContextManager[tuple[Reading, Default, BookMark] | None]"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A parsed `check` command line."""

    name: str
    target: str
    as_json: bool
    debug: bool
    flags: Mapping[str, str | None]


def asked(arguments: Sequence[str]) -> Asked | None:
    """Parse the command line; None for anything unusual, which click then handles or reports as an error."""
    values: dict[str, str] = {}
    words: list[str] = []
    waiting = list(reversed(arguments))
    while waiting:
        word = waiting.pop()
        name, equals, value = word.partition("=")
        if name in _VALUES and (equals or waiting):
            values[name] = value if equals else waiting.pop()
        elif word.startswith("-") and word not in _FLAGS:
            return None
        else:
            words.append(word)
    flags = {word for word in words if word in _FLAGS}
    plain = [word for word in words if word not in _FLAGS]
    if len(plain) != 2 or plain[0] != "check" or not plain[1]:  # noqa: PLR2004 - the command and its one argument
        return None
    return Asked(
        name=plain[1],
        target=values.get("--target", ""),
        as_json="--json" in flags,
        debug="--debug" in flags,
        flags={"home": values.get("--home"), "database": values.get("--database")},
    )


def run(question: Asked, look: Look, home: Callable[[], str], look_local: LookLocal | None = None) -> int:
    """Print the answer and return the exit code; a failure is reported as one.

    Bytes that no review in the server's store knows may have been reviewed here, by `foureyes review`. That review
    counts on this machine only, so not for a target.
    """
    try:
        with look(question.flags) as (reading, default, mark):
            answer = answered(reading, question.name, question.target, default, mark)
        if is_unknown(answer) and not question.target and look_local is not None:
            with look_local(question.flags) as found:
                here = answered(found[0], question.name, "", *found[1:]) if found else answer
            answer = answer if is_unknown(here) else here
        return show(answer, as_json=question.as_json)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the outermost boundary
        from foureyes.cli.errors import Manner, tell  # noqa: PLC0415 - who is answered needs no words for failure

        return tell(error, Manner(as_json=question.as_json, debug=question.debug, home=home))


def answered(
    reading: Reading, name: str, target: str, default: Default, mark: BookMark, *, is_local: bool = True
) -> Answer:
    """The gate's answer, with a note if the hooks are off here, which does not change it.

    `is_local` is False on a database that machines share: the answer is not for this machine alone.
    """
    found = judged(reading, name, target, default, mark, is_local=is_local)
    return with_note(answer_of(found), off_here(reading, datetime.now(UTC)))


def judged(
    reading: Reading, name: str, target: str, default: Default, mark: BookMark, *, is_local: bool = True
) -> Live | Shut:
    """The rows' answer if it is no, else the log's; a yes only if the log matches its last checkpoint."""
    shut = glance(reading, name)
    if shut is not None:
        return shut
    from foureyes.cli.judging import judge, why_not_signed  # noqa: PLC0415 - only a possible yes needs the core

    found = judge(reading, name, target, datetime.now(UTC), default=default, is_local=is_local)
    reason = why_not_signed(reading, found, mark) if found.allowed else ""
    return Shut(state=DAMAGED, digest=found.digest, review=found.review, reason=reason) if reason else found


def is_unknown(answer: Answer) -> bool:
    """True if no review knows these bytes."""
    return answer.data.get("state") == "unknown"


def answer_of(found: Live | Shut) -> Answer:
    """The answer as a line for people and as data for scripts."""
    code, tone = STATES.get(found.state, (codes.INCONCLUSIVE, "bad"))
    by = f" by review {found.review}" if found.review else ""
    text = f"{found.state}: {found.digest}{by}." if code == codes.OK else f"{found.state}: {found.reason}"
    data = {"state": found.state, "digest": found.digest, "review": found.review, "reason": found.reason}
    if not isinstance(found, Shut):
        flags = f" Flags: {', '.join(found.flags)}." if found.flags else ""
        text = f"{text}{flags}" if code == codes.OK else text
        return Answer(code=code, lines=(Line(text, tone),), data={**data, "level": found.level, "flags": found.flags})
    return Answer(code=code, lines=(Line(text, tone),), data={**data, "level": 0, "flags": ()})
