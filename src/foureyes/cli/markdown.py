"""A round as a Markdown comment for a pull request, with the work's own words made harmless.

The work's own words can be neither HTML, a link, a picture, nor a mention: marks are escaped, and what sites turn into
links by themselves is broken with an invisible character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.app.plain import marked
from foureyes.app.reviewing.outcome import Outcome
from foureyes.cli import telling
from foureyes.cli.telling import Thing
from foureyes.core.situation import Result

#: GitHub takes 65,536 characters in a comment.
CHARS_MAX = 60_000
FULL_MAX, BRIEF_MAX, PLACES_MAX, LISTED_MAX = 10, 50, 10, 20
TEXT_CHARS_MAX = 600
_SIGNS = {
    Result.CLEARED: "✅",
    Result.NOTHING_BLOCKS: "✅",
    Result.BLOCKED: "❌",
    Result.PENDING: "⏳",
    Result.INCONCLUSIVE: "❔",
}
_MARKS = re.compile(r"([\\`*_\[\]<>|~&!(){}])")
#: What sites turn into a mention, a reference, a link or a formula without any markup.
_MAGIC = re.compile(r"([@#$]|://|www\.|GH-)", re.IGNORECASE)
_BREAK = "\u200b"
#: What makes a list, a rule or a heading at the start of a line.
_BEGINS = re.compile(r"^(\d*)([-+=.])")
#: Two spaces at the end of a line are a line break in Markdown.
_END = "  "
_BACKTICKS = re.compile("`+")


def markdown(outcome: Outcome) -> str:
    """The comment."""
    lines: list[str] = []
    size = 0
    for line in _lines(outcome):
        size += len(line) + 1
        if size > CHARS_MAX:
            lines += ["", "…"]
            break
        lines.append(line)
    return "\n".join(lines) + "\n"


def text_of(text: str, most: int = TEXT_CHARS_MAX) -> str:
    """Untrusted text, escaped so that it stays text."""
    words = _MAGIC.sub(rf"\1{_BREAK}", _MARKS.sub(r"\\\1", marked(text, most).strip()))
    return _BEGINS.sub(r"\1\\\2", words)


def code_of(text: str, most: int = TEXT_CHARS_MAX) -> str:
    """Untrusted text in a code span that it cannot end."""
    shown = marked(text, most).strip()
    longest = max((len(one) for one in _BACKTICKS.findall(shown)), default=0)
    fence = "`" * (longest + 1)
    # A span that begins or ends with a backtick needs a space there.
    pad = " " if shown[:1] == "`" or shown[-1:] == "`" else ""
    return f"{fence}{pad}{shown}{pad}{fence}" if shown else ""


def _lines(outcome: Outcome) -> Iterator[str]:
    yield f"### {_SIGNS[outcome.result]} {text_of(telling.headline(outcome))}"
    yield ""
    of = f" of {outcome.revisions_max}" if outcome.revisions_max else ""
    version = outcome.digest.rpartition(":")[2][: telling.DIGITS]
    yield f"{text_of(outcome.title, 200)} · {text_of(outcome.kind)} · round {outcome.revision}{of} · {code_of(version)}"
    found = telling.things(outcome.found)
    blocking = [one for one in found if one.blocking]
    for one in blocking[:FULL_MAX]:
        yield ""
        yield from _full(one)
    rest, notes = blocking[FULL_MAX:], [one for one in found if not one.blocking]
    yield from _folded(f"{len(rest):,} more to fix", rest)
    yield from _folded(telling.notes(len(notes)), notes)
    if outcome.report:
        # The report was escaped where it was made; its headings go one level below ours.
        yield from ("", *(f"##{line}" if line.startswith("#") else line for line in outcome.report.splitlines()))
    yield from _receipt(outcome)


def _full(thing: Thing) -> Iterator[str]:
    lines = list(_of(thing))
    yield from (f"{one}{_END}" for one in lines[:-1])
    yield lines[-1]


def _of(thing: Thing) -> Iterator[str]:
    found = thing.first
    rule = f" · {code_of(found.rule, 80)}" if found.rule else ""
    yield f"- **{found.severity.name.lower()}** {code_of(telling.place(found), 300)}{rule} · {code_of(found.id, 60)}"
    yield f"  {text_of(found.text)}"
    if found.quote:
        yield f"  {code_of(found.quote, 300)}"
    if found.why:
        yield f"  *Why:* {text_of(found.why)}"
    if found.suggestion:
        yield f"  *Fix:* {text_of(found.suggestion)}"
    if thing.others:
        rest = len(thing.others) - PLACES_MAX
        places = ", ".join(code_of(telling.place(one), 200) for one in thing.others[:PLACES_MAX])
        more = f" and {rest:,} more" if rest > 0 else ""
        yield f"  The same in {telling.counted(len(thing.others), 'more place', 'more places')}: {places}{more}"


def _folded(words: str, things: list[Thing]) -> Iterator[str]:
    """A list in a `<details>` element; these tags are the only HTML in the comment."""
    if not things:
        return
    yield from ("", f"<details><summary>{words}</summary>", "")
    for one in things[:BRIEF_MAX]:
        found = one.first
        many = f" (and {len(one.others):,} more)" if one.others else ""
        yield f"- {found.severity.name.lower()} {code_of(telling.place(found), 200)}{many}: {text_of(found.text, 200)}"
    if len(things) > BRIEF_MAX:
        yield f"- and {len(things) - BRIEF_MAX:,} more"
    yield from ("", "</details>")


def _receipt(outcome: Outcome) -> Iterator[str]:
    yield ""
    answered = [one.reviewer for one in outcome.looked if one.answered]
    yield f"- **Looked:** {text_of(telling.listed(answered, LISTED_MAX) or 'nobody')}"
    silent = [
        f"{one.reviewer} ({one.reason.rstrip('.') or 'could not say'})" for one in outcome.looked if not one.answered
    ]
    silent += [f"{one.who} ({one.why.rstrip('.')})" for one in outcome.not_looked]
    rows = [
        ("Did not look", telling.listed(silent, LISTED_MAX)),
        ("Not read", telling.listed((f"{one.path} ({one.why})" for one in outcome.unread), LISTED_MAX)),
        ("Ignored", telling.listed(outcome.ignored, LISTED_MAX)),
        ("Dismissed", telling.listed((f"{one.found.id} by {one.by}" for one in outcome.dismissed), LISTED_MAX)),
        ("Independence", f"{outcome.independence.level} of 3 {outcome.independence.words}"),
        ("Cost", telling.cost(outcome.usd_micro, outcome.tokens)),
    ]
    yield from (f"- **{label}:** {text_of(text, 2000)}" for label, text in rows if text)
    if outcome.older:
        yield f"- **Older lines:** {telling.counted(outcome.older, 'finding')}, not judged"
