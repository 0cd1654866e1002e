"""An outcome in words: its headline, its exit code, its findings grouped by cause, and the next commands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from foureyes.app.reviewing.outcome import Command, Found, LookedKind, Outcome
from foureyes.cli import codes
from foureyes.core.situation import Result
from foureyes.core.values import Severity

EXIT = {
    Result.CLEARED: codes.OK,
    Result.NOTHING_BLOCKS: codes.OK,
    Result.BLOCKED: codes.BLOCKED,
    Result.PENDING: codes.PENDING,
    Result.INCONCLUSIVE: codes.INCONCLUSIVE,
}
DIGITS = 12
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_CENT_MICRO, _USD_MICRO = 10_000, 1_000_000
_LIST_MAX = 3
TITLE_CHARS_MAX = 80

#: The command for another round; without arguments it reviews uncommitted changes.
AGAIN = "foureyes review"


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """Findings with the same cause; the most severe represents all of them."""

    first: Found
    others: tuple[Found, ...] = ()

    @property
    def blocking(self) -> bool:
        """True if any of its findings blocks."""
        return self.first.blocking

    @property
    def places(self) -> int:
        """The number of its findings."""
        return 1 + len(self.others)


def exit_code(outcome: Outcome) -> int:
    """The exit code of a round."""
    return EXIT[outcome.result]


def things(found: Iterable[Found]) -> tuple[Thing, ...]:
    """The findings grouped by cause: blocking ones first, then by severity, else in the order they came in."""
    causes: dict[tuple[str, int], list[Found]] = {}
    ranked = sorted(found, key=lambda one: (not one.blocking, -one.severity))
    for number, one in enumerate(ranked):
        causes.setdefault((one.cause, -1) if one.cause else ("", number), []).append(one)
    return tuple(Thing(first=first, others=tuple(others)) for first, *others in causes.values())


def headline(outcome: Outcome) -> str:
    """The result in one sentence that stands alone."""
    if outcome.interrupted or outcome.held_up:
        return _unfinished(outcome)
    match outcome.result:
        case Result.CLEARED:
            return "Cleared: exactly this version may go live."
        case Result.NOTHING_BLOCKS:
            return _free(outcome)
        case Result.PENDING:
            return f"Waiting for {listed(f'{one.who}: {one.what}' for one in outcome.waits) or 'an answer'}."
        case Result.INCONCLUSIVE:
            why = outcome.late or outcome.unclear or _failed(outcome) or "nobody could finish"
            return f"{'Not so fast' if outcome.late else 'No answer'}: {why}".rstrip(".") + "."
        case Result.BLOCKED:
            return _blocked(outcome)


def _failed(outcome: Outcome) -> str:
    failed = listed(dict.fromkeys(one.reviewer for one in outcome.minds_failed))
    return f"every agent and model that was asked failed ({failed}); only programs looked" if failed else ""


def _unfinished(outcome: Outcome) -> str:
    if not outcome.interrupted:
        return f"Nobody looked at this version: {outcome.held_up}".rstrip(".") + "."
    count = sum(1 for one in things(outcome.found) if one.blocking)
    seen = f"{counted(count, 'thing')} to fix" if count else "nothing that blocks"
    return f"Stopped before everybody was done: this is no answer. Until then: {seen}."


def _free(outcome: Outcome) -> str:
    if outcome.nothing:
        return "Nothing to look at: nothing has changed here. What is committed is reviewed only if you name it."
    return f"Nothing blocks{looked_at(outcome)}.{_unjudged(outcome)} {who_looked(outcome)}"


def _unjudged(outcome: Outcome) -> str:
    """The languages that no program judges and no other reviewer looked at, as sentences to append."""
    named = "".join(f" {one}, nobody judged {_them(one)}." for one in outcome.unjudged[:_LIST_MAX])
    more = len(outcome.unjudged) - _LIST_MAX
    return f"{named} {counted(more, 'more language')} nobody judged." if more > 0 else named


def looked_at(outcome: Outcome) -> str:
    """The work as the headline names it: ` in uncommitted changes on main`."""
    title = decapitalised(outcome.title[:TITLE_CHARS_MAX].rstrip("."))
    return f" in {title}" if title else ""


def decapitalised(title: str) -> str:
    """A generated title for use inside a sentence; titles that people gave are unchanged."""
    first = title.split(" ", 1)[0]
    return title[:1].lower() + title[1:] if first in ("Uncommitted", "Staged", "Commit", "Nothing") else title


def _them(counted_files: str) -> str:
    return "it" if counted_files.endswith(" 1 file") else "them"


def _blocked(outcome: Outcome) -> str:
    found = [one for one in things(outcome.found) if one.blocking]
    if not found:
        return f"Blocked: {outcome.gate or f'the review is {outcome.state}'}".rstrip(".") + f".{_unjudged(outcome)}"
    places = sum(1 for one in outcome.found if one.blocking)
    spread = f", in {places} places" if places > len(found) else ""
    unjudged = _unjudged(outcome)
    return f"{counted(len(found), 'thing')} to fix before this goes live{spread}{f'.{unjudged}' if unjudged else ''}"


def who_looked(outcome: Outcome) -> str:
    """Who looked, with the note that programs alone approve nothing."""
    answered = [one for one in outcome.looked if one.answered]
    others = [one.reviewer for one in answered if one.kind is not LookedKind.PROGRAM]
    if not others:
        return "Programs looked; no model or person did: this is not an approval."
    programs = ", and programs," if len(others) < len(answered) else ""
    return f"{listed(others)}{programs} looked; it is not cleared: {_why_open(outcome)}"


def _why_open(outcome: Outcome) -> str:
    return (outcome.gate or "the policy asks for more").rstrip(".") + "."


def counted(count: int, word: str, words: str = "") -> str:
    """A number and its noun."""
    return f"{count:,} {word if count == 1 else words or f'{word}s'}"


def notes(count: int) -> str:
    """The number of findings that do not block, in words."""
    return f"{counted(count, 'note')} that {'does' if count == 1 else 'do'} not block"


def listed(names: Iterable[str], most: int = _LIST_MAX) -> str:
    """Names joined for people, each once; if there are many, the rest is counted."""
    once = [one for one in dict.fromkeys(names) if one]
    if len(once) > most:
        return f"{', '.join(once[: most - 1])} and {len(once) - most + 1} more"
    return " and ".join([", ".join(once[:-1]), once[-1]]) if len(once) > 1 else "".join(once)


def duration(seconds: float) -> str:
    """A duration for people."""
    if seconds < _MINUTE:
        return f"{seconds:.1f} s" if seconds < _MINUTE / 6 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), _MINUTE)
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


def age(seconds: float) -> str:
    """How long ago something was, in the largest unit that fits at least twice."""
    for unit, length in (("d", _DAY), ("h", _HOUR)):
        if seconds >= 2 * length:
            return f"{int(seconds // length)} {unit}"
    return duration(max(0, int(seconds)))


def money(usd_micro: int) -> str:
    """An amount in dollars; less than a cent is shown as that."""
    if 0 < usd_micro < _CENT_MICRO:
        return "under $0.01"
    return f"${usd_micro / _USD_MICRO:,.2f}"


def cost(usd_micro: int | None, tokens: int) -> str:
    """What was spent; empty if nothing was. An unknown price is named, and not shown as zero."""
    words = [money(usd_micro)] if usd_micro else []
    words += [f"{counted(tokens, 'token')}"] if tokens else []
    if tokens and usd_micro is None:
        words.append("price not known")
    return ", ".join(words)


def place(found: Found) -> str:
    """The place of a finding, as editors accept it."""
    if not found.path:
        return "the whole work"
    return f"{found.path}:{found.line}" if found.line else found.path


def again(outcome: Outcome) -> str:
    """The command that reviews the same work again; without the work's name it would review another."""
    return f"{AGAIN} {outcome.named}" if outcome.named else AGAIN


def next_commands(outcome: Outcome) -> tuple[Command, ...]:
    """The next commands to type: those of the round, else those that follow from its result."""
    if not outcome.is_local:
        return _at_a_server(outcome)
    same = {AGAIN: again(outcome), f"{AGAIN} --anew": f"{again(outcome)} --anew"}
    return tuple(replace(one, line=same.get(one.line, one.line)) for one in _next_commands(outcome))


def _next_commands(outcome: Outcome) -> tuple[Command, ...]:
    if outcome.next:
        # A critical finding can be dismissed only by a signed-in person, so this command would be refused.
        vain = {f"foureyes dismiss {one.id}" for one in outcome.found if one.severity is Severity.CRITICAL}
        return tuple(one for one in outcome.next if one.line.partition(" --")[0] not in vain)
    return _after(outcome)


def _after(outcome: Outcome) -> tuple[Command, ...]:
    match outcome.result:
        case Result.CLEARED:
            return (_receipt(outcome),)
        case Result.BLOCKED:
            return _after_blocked(outcome)
        case Result.PENDING:
            return (Command(line=f"foureyes why {outcome.review}", does="says who must decide what"),)
        case Result.INCONCLUSIVE:
            return _after_no_answer(outcome)
        case Result.NOTHING_BLOCKS:
            return _after_nothing(outcome)


def _at_a_server(outcome: Outcome) -> tuple[Command, ...]:
    """The commands for a server's review, whose parties answer at the server and not on this machine."""
    if outcome.result is Result.CLEARED:
        return (_receipt(outcome),)
    page = f"foureyes decide {outcome.review}"
    if outcome.state != "open":
        return (Command(line=page, does="opens its page, where a human may reopen it"),)
    return (Command(line=page, does="opens its page, where a human decides"),) if outcome.pending else ()


def _receipt(outcome: Outcome) -> Command:
    return Command(line=f"foureyes receipt {outcome.digest}", does="shows who let it through")


def _after_blocked(outcome: Outcome) -> tuple[Command, ...]:
    if not outcome.blocking:
        return (Command(line=f"foureyes why {outcome.review}", does="says why"),)
    mild = next((one for one in outcome.blocking if one.severity is not Severity.CRITICAL), None)
    grave = next((one for one in outcome.blocking if one.severity is Severity.CRITICAL), None)
    commands = [
        Command(line="foureyes fix", does="prints them as a prompt for your agent"),
        Command(line=AGAIN, does="looks again after the fix"),
    ]
    if mild:
        commands.append(Command(line=f'foureyes dismiss {mild.id} --because "WHY"', does="if it is not real"))
    elif grave:
        line = f'foureyes dismiss --critical {grave.id} --because "WHY"'
        commands.append(Command(line=line, does="if it is a false alarm; you sign in"))
    return tuple(commands)


def _after_no_answer(outcome: Outcome) -> tuple[Command, ...]:
    if outcome.held_up and outcome.blocking:
        return _after_blocked(outcome)
    again = Command(line=AGAIN, does="tries again; nothing was lost")
    doctor = Command(line="foureyes doctor", does="says who can look, and who cannot and why")
    return (again,) if outcome.interrupted else (again, doctor)


def _after_nothing(outcome: Outcome) -> tuple[Command, ...]:
    if outcome.nothing:
        return (
            Command(line="foureyes review HEAD", does="looks at the last commit"),
            Command(line="foureyes review WHAT", does="looks at a branch, a range (main..HEAD), a file or stdin (-)"),
        )
    if any(one.kind is not LookedKind.PROGRAM for one in outcome.looked):
        return (Command(line=f"foureyes why {outcome.review}", does="says what is missing"),)
    return (Command(line="foureyes doctor", does="says how to have a model look"),)
