"""The `rules` command: list the critics' rules with their measured error rates, and retire or restore rules."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

import click

from foureyes.app.reviewing.rulebook import Measured, Retirement, RuleEntry
from foureyes.cli.answer import Answer, Json, Line
from foureyes.cli.fitting import terminal_width, wrapped
from foureyes.cli.parts import Parts
from foureyes.cli.program import answering
from foureyes.cli.telling import counted
from foureyes.home import retired as shelf
from foureyes.home.trouble import Trouble

_TONES = {"critical": "bad", "important": "care", "minor": "dim"}
_USAGE = "Say `foureyes rules`, `foureyes rules NAME`, `rules retire RULE --because …` or `rules restore RULE`."
#: If more rules are listed at once, their fixes are left out.
IN_FULL_MAX = 40


@click.command()
@click.argument("words", nargs=-1, metavar="[NAME|retire RULE|restore RULE]")
@click.option("--because", default="", metavar="TEXT", help="Why a rule is retired; it is kept and shown.")
@click.option("--severity", type=click.Choice(list(_TONES)), metavar="SEVERITY", help="Only those as grave as this.")
@click.option("--all", "everything", is_flag=True, help="Every rule, with its reason and how often it was wrong.")
@answering
def rules(parts: Parts, words: tuple[str, ...], *, because: str, severity: str | None, everything: bool) -> Answer:
    """List what the programs look for and how often they were wrong.

    NAME is a critic, a rule, or how its id begins; then its fix is shown too. `retire RULE` takes a rule out of use on
    this machine, `restore RULE` puts it back; a person confirms both by typing, and every review says so. A critical
    rule stays: to retire it waits for a signed-in human.
    """
    match words:
        case ("retire", rule):
            return _retire(parts, _known(parts, rule), because.strip())
        case ("restore", rule):
            return _restore(parts, rule)
        case (("retire" | "restore"), *_) | (_, _, *_):
            raise click.UsageError(_USAGE)
        case _:
            return _list(parts, "".join(words), severity or "", everything=everything)


def _list(parts: Parts, name: str, severity: str, *, everything: bool) -> Answer:
    gone = shelf.retired(parts.settings.home)
    entries = [one for one in parts.rules() if _is_meant(one, name) and severity in ("", one.severity)]
    if name and not entries and not severity:
        raise _unknown(parts, name)
    lines: list[Line] = []
    whole = bool(name or severity or everything)
    for critic in sorted({one.critic for one in entries}):
        own = sorted((one for one in entries if one.critic == critic), key=lambda one: one.id)
        if whole:
            lines.append(Line(f"{critic}: {counted(len(own), 'rule')}", "strong"))
            in_full = bool(name) and len(own) <= IN_FULL_MAX
            lines += [line for one in own for line in _lines(one, gone.get(one.id), in_full=in_full)]
        else:
            lines += _groups(critic, own)
    if not whole:
        known = sum(one.measured is not None for one in entries)
        count = counted(len(entries), "rule")
        lines.append(Line(f"{count}, {known:,} of them measured, {len(gone):,} retired.", "strong"))
        lines.append(Line("`foureyes rules NAME` shows those of a critic or a group, or one in full;", "strong"))
        lines.append(Line("`--severity critical` shows the gravest, `--all` every one with its reason.", "strong"))
    return Answer(lines=tuple(lines), data={"rules": [_data(one, gone.get(one.id)) for one in entries]})


def _groups(critic: str, rules: list[RuleEntry]) -> Iterator[Line]:
    """A line for the critic, and one for each group of its rules with the count by severity."""
    yield Line(f"{critic}: {counted(len(rules), 'rule')}", "strong")
    groups: dict[str, list[RuleEntry]] = {}
    for one in rules:
        groups.setdefault(".".join(one.id.split(".")[:2]), []).append(one)
    for name, own in groups.items():
        graves = [(grave, sum(one.severity == grave for one in own)) for grave in _TONES]
        yield Line(f"  {name:<28}", "", ((", ".join(f"{count:,} {grave}" for grave, count in graves if count), "dim"),))


def _lines(rule: RuleEntry, gone: Retirement | None, *, in_full: bool) -> Iterator[Line]:
    width = terminal_width()
    more = ((f"  {rule.severity}", _TONES.get(rule.severity, "")), (f"  {_rate(rule.measured)}", "dim"))
    yield Line("  ", "", ((rule.id, "dim" if gone else ""), *more))
    texts = [rule.title.rstrip(".") + ".", rule.why]
    texts += [f"Fix: {rule.fix}"] if in_full else []
    texts += [f"Retired by {gone.by} on {gone.at:%Y-%m-%d}: {gone.because}"] if gone else []
    said = texts if in_full else [" ".join(texts)]
    yield from (Line(f"      {line}", "dim") for text in said for line in wrapped(text, width - 6))


def _rate(measured: Measured | None) -> str:
    if measured is None:
        return "not measured"
    return f"wrong {measured.per_thousand:.1f} in 1,000 (of {measured.harmless:,} harmless)"


def _data(rule: RuleEntry, gone: Retirement | None) -> Json:
    measured = rule.measured
    return {
        "id": rule.id,
        "critic": rule.critic,
        "title": rule.title,
        "why": rule.why,
        "fix": rule.fix,
        "severity": rule.severity,
        "category": rule.category,
        "measured": {"harmless": measured.harmless, "blocked": measured.blocked} if measured else None,
        "retired": {"by": gone.by, "at": gone.at.isoformat(), "because": gone.because} if gone else None,
    }


def _retire(parts: Parts, rule: RuleEntry, because: str) -> Answer:
    if not because:
        raise click.UsageError("Say why with --because; whoever reads a review later wants to know.")
    if rule.severity == "critical":
        raise Trouble(
            f"{rule.id} finds what is critical: to retire it waits for a signed-in human.",
            f"Mend what it finds: `foureyes rules {rule.id}` says how.",
            blocked=True,
        )
    said = (f"{rule.id} finds: {rule.title}", f"Because: {rule.why}", "No review here will look for it any more.")
    parts.console.confirm(said, rule.id)
    person = parts.human().name
    shelf.retire(parts.settings.home, Retirement(rule=rule.id, by=person, at=parts.now(), because=because))
    lines = (
        Line(f"Retired {rule.id}.", "good"),
        Line(f"Every review says so. Back with: foureyes rules restore {rule.id}"),
    )
    return Answer(lines=lines, data={"retired": rule.id, "by": person, "because": because})


def _restore(parts: Parts, rule: str) -> Answer:
    if rule not in shelf.names(parts.settings.home):
        _known(parts, rule)
        return Answer(lines=(Line(f"{rule} is in use; there is nothing to do."),), data={"restored": None})
    parts.console.confirm((f"{rule} will be looked for again.",), rule)
    shelf.restore(parts.settings.home, rule)
    return Answer(lines=(Line(f"{rule} is in use again.", "good"),), data={"restored": rule})


def _known(parts: Parts, name: str) -> RuleEntry:
    found = next((one for one in parts.rules() if one.id == name), None)
    if found is None:
        raise _unknown(parts, name)
    return found


def _unknown(parts: Parts, name: str) -> Trouble:
    entries = parts.rules()
    names = [*(one.id for one in entries), *{one.critic for one in entries}]
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    hint = f"Did you mean {near[0]}? " if near else ""
    return Trouble(f"There is no rule or critic {name!r}.", f"{hint}`foureyes rules` lists them.", usage=True)


def _is_meant(rule: RuleEntry, name: str) -> bool:
    return not name or name in (rule.critic, rule.id) or rule.id.startswith(f"{name.rstrip('.')}.")
