"""The critic of secrets: judges the files, paths, title and note of a whole work."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from foureyes.app.encodings import wide
from foureyes.app.reviewers import LINK_MODE, SUBMODULE_MODE, Change, File, Unread
from foureyes.reviewers.critics.critic import Hit, Judged, Rule, State, counted, judged
from foureyes.reviewers.critics.file_classes import is_binary, is_catalogue, is_lock
from foureyes.reviewers.critics.pragmas import ALLOWED, allows_secret
from foureyes.reviewers.critics.secrets import rules
from foureyes.reviewers.critics.secrets.extra import Asked, ask
from foureyes.reviewers.critics.secrets.find import TEXT_MAX, Search, find
from foureyes.reviewers.critics.secrets.found import SURE, Found, apart, mark
from foureyes.reviewers.critics.secrets.keyfiles import has_secret_settings, whole_secret
from foureyes.reviewers.critics.secrets.sweep import Line, Sweep, sweep
from foureyes.reviewers.critics.texts import unread_of, without_long_lines

#: Rules that rest on a name and a value only; tokens of a known shape and private keys are reported in any file.
_SUGGESTED = frozenset({rules.PASSWORD, rules.TOKEN, rules.KEY, rules.SALT, rules.OTHER, rules.UUID})
#: From this score on, even a value in a test counts as real.
_REAL_EVEN_IN_TESTS = 0.75
#: Further secrets in one file are reported as a number.
_HITS_MAX = 200
#: In a text that is too long to be searched, longer lines are left out: they are mostly data.
_LINE_MAX = 100_000
_LEFT_OUT = f"not searched for secrets in its lines of more than {_LINE_MAX // 1_000} thousand characters"

_TRIAL = re.compile(
    r"(?i)(?:^|/)(?:tests?|testing|testdata|test[_-]data|fixtures?|specs?|__tests__|__mocks__|mocks?|examples?|samples?|demos?|e2e)/"
    r"|(?:^|/)(?:test_|conftest)[^/]*$|[._-](?:test|tests|spec|example|sample|template|dist|mock)(?:\.[^/.]{1,10})?$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretsCritic:
    """Finds credentials and secrets that are stored unencrypted. It never reports the value of a secret."""

    name: str = "secrets"
    scope: str = "security"
    rules: tuple[Rule, ...] = rules.ALL
    #: Runs the optional scanner; a parameter so that it can be replaced.
    sweeper: Callable[[Sequence[Line]], Sweep] = field(default=sweep)

    def look(self, change: Change) -> Judged:
        """Judge the change; every hit carries the kind of a secret and its size, never its value."""
        hits: list[Hit] = []
        unread: list[Unread] = []
        texts = [(file, text) for file in change.files if (text := readable(file)) is not None]
        asked = ask([file for file, _ in texts], self.sweeper)
        for file, whole in texts:
            text = whole
            if len(whole) > TEXT_MAX:
                text = without_long_lines(whole, _LINE_MAX)
            if len(text) < len(whole):
                unread.append(Unread(path=file.path, why=_LEFT_OUT))
            search = find(text, file.path)
            if search.cut:
                unread.append(Unread(path=file.path, why=f"not searched for secrets to its end: {search.cut}"))
            hits += _file_hits(file, text, search, asked)
            if file.written is None:
                unread.extend(unread_of(file))
        hits += _whole_hits(change.files)
        hits += _loose(change)
        return judged(hits, unread=unread, looked_at=_looked_at(len(texts), asked))


def readable(file: File) -> str | None:
    """Return the text of a file for this critic: binary bytes too, one character each, so that lines are kept."""
    if file.content is None or file.mode == SUBMODULE_MODE:
        return None
    if file.text is not None:
        return file.text
    return decoded(file.content)


def decoded(content: bytes) -> str:
    """Decode any bytes as text: UTF-8, a wide encoding, otherwise byte by byte."""
    if said := wide(content):
        return said.text
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")


def is_trial(path: str) -> bool:
    """True for paths of tests, examples and templates, where values are usually made up."""
    return _TRIAL.search(path) is not None


def _file_hits(file: File, text: str, search: Search, asked: Asked) -> Iterator[Hit]:
    found = apart((*search.found, *asked.found(file.path, text)))
    if is_binary(file) or is_catalogue(file.path) or is_lock(file.path):
        found = tuple(one for one in found if one.rule not in _SUGGESTED)
    uuids = [one for one in found if one.rule is rules.UUID]
    others = [one for one in found if one.rule is not rules.UUID]
    at, line = 0, 1
    for one in others[:_HITS_MAX]:
        line += text.count("\n", at, one.start)
        at = one.start
        last = line + text.count("\n", one.start, max(one.start, one.end - 1))
        yield _hit(file, one, text[one.start : one.end], line, last)
    if len(others) > _HITS_MAX:
        rest = len(others) - _HITS_MAX
        yield Hit(rule=rules.OTHER, path=file.path, line=line, text=f"{rest} more look-alikes of secrets in this file")
    if uuids:
        first = text.count("\n", 0, uuids[0].start) + 1
        evidence = f"{len(uuids)} of the shape of a UUID, the first one here"
        yield Hit(rule=rules.UUID, path=file.path, line=first, end=first, state=State.CLEAR, evidence=evidence)


def _hit(file: File, found: Found, value: str, line: int, last: int) -> Hit:
    state, severity = _weight(file.path, found)
    allowed = state is not State.CLEAR and allows_secret(file.lines, line)
    if allowed:
        state, severity = State.CLEAR, "minor"
    place = " in a test or example" if state is not State.BLOCK and is_trial(file.path) else ""
    return Hit(
        rule=found.rule,
        path=file.path,
        line=line,
        end=last,
        state=state,
        text=f"{found.rule.title}{place}",
        evidence=f"{found.rule.id.rsplit('.', 1)[-1]}, {mark(found, value)}{f'; {ALLOWED}' if allowed else ''}",
        severity=severity,
    )


def _weight(path: str, found: Found) -> tuple[State, str]:
    """Return state and severity: made-up values of tests and mere suspicions are notes."""
    if found.rule.severity == "minor" or found.score < SURE:
        return State.CLEAR, "minor"
    if is_trial(path):
        if found.rule is rules.PRIVATE_KEY:
            return State.UNKNOWN, "important"
        if found.rule.severity != "critical" and found.score < _REAL_EVEN_IN_TESTS:
            return State.CLEAR, "minor"
    return State.BLOCK, ""


def _whole_hits(files: Sequence[File]) -> Iterator[Hit]:
    """Yield files that should not be part of a work at all."""
    for file in files:
        if file.content is None or file.mode in (LINK_MODE, SUBMODULE_MODE):
            continue
        why = whole_secret(file.path, file.content)
        if not why:
            continue
        rule = rules.ENV_FILE if "environment" in why else rules.LOGIN_FILE
        plain = rule is rules.ENV_FILE and not has_secret_settings(file.content)
        state = State.CLEAR if plain else State.UNKNOWN if is_trial(file.path) else State.BLOCK
        name = PurePosixPath(file.path).suffix or "no suffix"
        # The evidence must not depend on the rest of the file, or the hit would seem new each time.
        yield Hit(rule=rule, path=file.path, line=1, end=1, state=state, evidence=f"{why} ({name})")


def withheld(change: Change) -> tuple[tuple[str, str], ...]:
    """Return the rules of the secrets in the title and the note, for the report after both were redacted."""
    said = (("note", change.note), ("title", change.title))
    return tuple(
        (one.rule.id, what)
        for what, text in said
        for one in find(text).found
        if one.score >= SURE and one.rule.severity == "critical"
    )


def _loose(change: Change) -> Iterator[Hit]:
    """Find secrets in what is said about the work: the author's note, the title and the paths."""
    known = {one.id: one for one in rules.ALL}
    for name, what in change.withheld:
        rule = known.get(name, rules.OTHER)
        yield Hit(rule=rule, path="", text=f"{rule.title}, in the {what}", evidence=f"taken out of the {what}")
    for what, text in (("note", change.note), ("title", change.title), *(("path", one.path) for one in change.files)):
        for one in find(text).found:
            if one.score >= SURE and one.rule.severity == "critical":
                value = text[one.start : one.end]
                yield Hit(rule=one.rule, path="", text=f"{one.rule.title}, in the {what}", evidence=mark(one, value))


def _looked_at(files: int, asked: Asked) -> str:
    return f"{counted(files, 'file')}; {asked.says}"


CRITIC = SecretsCritic()
