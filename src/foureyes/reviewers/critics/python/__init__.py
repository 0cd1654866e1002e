"""The critic of Python code: runs bandit for unsafe code and ruff for code that cannot work."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from foureyes.app.reviewers import Change, File, Unread
from foureyes.reviewers.critics.critic import Hit, Judged, Rule, State, counted, judged
from foureyes.reviewers.critics.pragmas import ALLOWED, allows_check
from foureyes.reviewers.critics.python.declared import NOT_READ, PYTHON_2, is_template, versions
from foureyes.reviewers.critics.python.known import SYNTAX, all_rules, is_broken, is_passed_on, rule_of
from foureyes.reviewers.critics.python.tools import Said, ToolError, bandit_says, laid_out, parses, ruff_says
from foureyes.reviewers.critics.texts import has_conflict, parsable, shown, suffix, unread_of

FILE_BYTES_MAX = 1_000_000
TOTAL_BYTES_MAX = 30_000_000
STATEMENT_LINES_MAX = 200
#: Words that introduce checks that bandit has and ruff does not.
_ONLY_BANDIT = re.compile(rb"\b(?:torch|from_pretrained|hf_hub_download|load_dataset|snapshot_download|Markup)\b")
_SHEBANG = re.compile(rb"#![^\n]{0,100}\bpython[0-9.]*\b")
#: Syntax newer than the declared version is wrong only at its own line; it breaks nothing before it.
_TOO_NEW = re.compile(r"syntax was (?:added|changed) in Python 3")
#: Checks skipped in tests, where passwords are test data, and weak hashes and temporary folders do no harm.
_FINE_IN_TESTS = ("105", "106", "107", "108", "110", "112", "113", "301", "306", "310", "314", "324", "608")
#: Checks that matter only in a security context, which a checksum, for example, is not.
_SELDOM_GRAVE = frozenset({"B303", "B324", "B413"})


class Python:
    """The critic of Python code; it reads the code and never runs it."""

    name = "python"
    scope = ""

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Return the rules of all checks that are reported."""
        return all_rules()

    def look(self, change: Change) -> Judged:
        files, unread = _readable(change.files)
        if not files:
            return judged((), unread=unread, looked_at="no Python")
        with tempfile.TemporaryDirectory(prefix="foureyes-python-") as name:
            said, failed = _said(files, Path(name), versions(change, list(files)))
        unread.extend(failed)
        hits = [_hit(one, files[path]) for path, one in said if not _is_fine(one, path)]
        return judged(
            _once(hits), unread=unread, looked_at=f"{counted(len(files), 'Python file')} with bandit and ruff"
        )


CRITIC = Python()


def is_python(file: File) -> bool:
    """True if a file is Python by its name or its shebang."""
    if suffix(file.path) in (".py", ".pyi", ".pyw"):
        return True
    return not suffix(file.path) and _SHEBANG.match(file.content or b"") is not None


def _readable(files: Iterable[File]) -> tuple[dict[str, File], list[Unread]]:
    chosen: dict[str, File] = {}
    unread: list[Unread] = []
    total = 0
    for file in files:
        if file.content is None or not is_python(file) or not (file.changed or file.was or file.mode_before):
            continue
        total += len(file.content)
        if parsable(file) is None:
            unread.extend(unread_of(file) or (Unread(path=file.path, why="Python with zero bytes or as a link"),))
        elif len(file.content) > FILE_BYTES_MAX or total > TOTAL_BYTES_MAX:
            unread.append(Unread(path=file.path, why="too much Python for bandit and ruff"))
        else:
            chosen[file.path] = file
    return chosen, unread


def _said(
    files: dict[str, File], folder: Path, minors: Mapping[str, int]
) -> tuple[list[tuple[str, Said]], list[Unread]]:
    """Return the reports of both tools by path, and the files they could not read."""
    texts = {path: (file.text or "").encode() for path, file in files.items() if minors[path] != PYTHON_2}
    places = laid_out(texts, folder, minors)
    paths = {place.name: path for path, place in places.items()}
    unread = [Unread(path=path, why=NOT_READ[True]) for path in files if path not in places]
    said: list[Said] = []
    broken: set[str] = set()
    suspects = list(places.values())
    try:
        said = [one for one in ruff_says(folder) if one.name in paths]
        telling = {one.name for one in said if one.code.startswith("S")}
        broken = {one.name for one in said if is_broken(one.code)}
        templates = {one.name for one in said if one.code == SYNTAX and is_template(files[paths[one.name]].text or "")}
        unread.extend(Unread(path=paths[name], why=NOT_READ[False]) for name in sorted(templates))
        said = [one for one in said if one.name not in templates]
        suspects = [place for path, place in places.items() if place.name in telling or _needs_bandit(files[path])]
    except ToolError as error:
        unread.extend(Unread(path=path, why=str(error)) for path in files)
    if suspects:
        try:
            more, skipped = bandit_says(suspects)
            said += more
            unread.extend(
                Unread(path=paths[name], why="bandit cannot read it") for name in skipped if name not in broken
            )
        except ToolError as error:
            unread.extend(Unread(path=paths[place.name], why=str(error)) for place in suspects)
    return [(paths[one.name], one) for one in _deduplicated(said)], unread


def _needs_bandit(file: File) -> bool:
    return _ONLY_BANDIT.search((file.text or "").encode()) is not None


def _deduplicated(said: list[Said]) -> Iterator[Said]:
    """Drop ruff's report of what bandit also found on the line; bandit's has severity and confidence."""
    passed_on = [one for one in said if is_passed_on(one.tool, one.code)]
    by_bandit = {
        (one.name, line, one.code[1:])
        for one in passed_on
        if one.tool == "bandit"
        for line in range(one.lines[0], min(one.lines[1], one.lines[0] + STATEMENT_LINES_MAX) + 1)
    }
    for one in passed_on:
        if one.tool == "bandit" or (one.name, one.line, one.code[1:]) not in by_bandit or one.code[0] != "S":
            yield one


def _is_fine(said: Said, path: str) -> bool:
    security = said.tool == "bandit" or said.code.startswith("S")
    return security and is_test(path) and said.code[1:] in _FINE_IN_TESTS


def is_test(path: str) -> bool:
    """True if a file belongs to the tests."""
    parts = PurePosixPath(path.lower())
    folders = {"test", "tests", "testing", "fixtures", "conftest.py"}
    return bool(folders & set(parts.parts)) or parts.name.startswith("test_") or parts.stem.endswith("_test")


def _hit(said: Said, file: File) -> Hit:
    rule = rule_of(said.tool, said.code)
    state = _state(said)
    if said.line > len(file.lines) > 0:
        said = replace(said, line=len(file.lines))  # ruff may count a lone carriage return as a line end
    silenced = _is_allowed(said, file)
    if silenced:
        state = State.CLEAR
    elif said.code == SYNTAX and has_conflict(file):
        state = State.CLEAR  # the critic of form reports the merge conflict
    elif is_test(file.path) and state is State.BLOCK and not is_broken(said.code):
        state = State.UNKNOWN
    sure = f", severity {said.severity.lower()}, confidence {said.confidence.lower()}" if said.severity else ""
    quiet = f"; {ALLOWED}" if silenced else ""
    return Hit(
        rule=rule,
        path=file.path,
        line=0 if _breaks_elsewhere(said, file) else said.line,
        state=state,
        text=_text(said, rule),
        evidence=f"{said.tool} {said.code}{sure}{quiet}",
        severity={State.BLOCK: rule.severity, State.UNKNOWN: "important", State.CLEAR: "minor"}[state],
    )


def _breaks_elsewhere(said: Said, file: File) -> bool:
    """True if a changed line broke the file although another line is reported: a parser stops where it notices."""
    if said.code != SYNTAX or file.is_changed(said.line) or _TOO_NEW.search(said.text):
        return False
    before = File(path=file.path, content=file.before)
    return before.text is None or parses(before.text)


def _is_allowed(said: Said, file: File) -> bool:
    """True if a comment on a line of the statement allows this check; syntax errors cannot be allowed."""
    if said.code == SYNTAX:
        return False
    first, last = said.lines if said.lines[0] else (said.line, said.line)
    codes = {said.code, f"B{said.code[1:]}", f"S{said.code[1:]}"} if said.code[0] in "BS" else {said.code}
    lines = file.lines[max(0, first - 1) : min(last, first + STATEMENT_LINES_MAX)]
    return any("#" in line and allows_check(line, codes) for line in lines)


def _state(said: Said) -> State:
    if said.tool == "bandit":
        if said.severity == "HIGH" and said.confidence == "HIGH" and said.code not in _SELDOM_GRAVE:
            return State.BLOCK
        grave = said.severity != "LOW" and said.confidence != "LOW" and said.code not in _SELDOM_GRAVE
        return State.UNKNOWN if grave else State.CLEAR
    return State.BLOCK if is_broken(said.code) else State.CLEAR


def _text(said: Said, rule: Rule) -> str:
    """Return the text of the tool, except for passwords: there it contains the value, which must not be shown."""
    if said.code[1:] in ("105", "106", "107"):
        return rule.title
    return shown(said.text, 300)


def _once(hits: list[Hit]) -> list[Hit]:
    """Keep one hit for each rule and line."""
    first: dict[tuple[str, int, str], Hit] = {}
    for hit in hits:
        first.setdefault((hit.path, hit.line, hit.rule.id), hit)
    return list(first.values())
