"""Reader of the file that enrols several accounts in one act: strict YAML, with the line of each problem."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from difflib import get_close_matches

from foureyes.app.calls.about_accounts import NewAccount
from foureyes.core.enrolments import ENROLMENTS_MAX
from foureyes.core.names import ALLOWED, is_name
from foureyes.core.principals import ROLES_MAX, SCOPES, TEXT_CHARS_MAX, TOKEN_DAYS_MAX
from foureyes.core.refusals import Refusal
from foureyes.core.values import WhoKind
from foureyes.policy.nodes import Mapping, Node, PolicyErrors, Scalar, described, short
from foureyes.policy.problems import Problems
from foureyes.policy.tables import listed
from foureyes.policy.yaml_text import read_yaml

#: The file is sent in the URL of a page, so it must be short.
FILE_BYTES_MAX = 16 * 1024
_KEYS = ("name", "kind", "roles", "family", "provider", "operator", "scopes", "days")
_LISTS = ("roles", "scopes")
_FORM = "write `agents:` and under it one line for each, such as `- {name: bot-1, roles: [agent], operator: ann}`"


class AgentsErrors(PolicyErrors):
    """A file of accounts that is not taken, with everything that is wrong in it."""

    sentence = "Nobody is enrolled by this file."


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One account of the file, and the line where it begins."""

    line: int
    name: str
    kind: str
    roles: tuple[str, ...]
    family: str
    provider: str
    operator: str
    scopes: tuple[str, ...]
    days: int | None

    def account(self, now: datetime) -> NewAccount:
        """Return the account in the form of the call."""
        return NewAccount(
            name=self.name,
            kind=self.kind,
            roles=self.roles,
            model_family=self.family,
            provider=self.provider,
            operator=self.operator,
            scopes=self.scopes,
            expires=now + timedelta(days=self.days) if self.days else None,
        )


def read_agents(file: str, text: str) -> tuple[Line, ...]:
    """Return the accounts of a file; raises AgentsErrors with everything that is wrong in it."""
    try:
        return _read(file, text)
    except PolicyErrors as error:
        raise AgentsErrors(error.problems) from None


def _read(file: str, text: str) -> tuple[Line, ...]:
    problems = Problems()
    if len(text.encode()) > FILE_BYTES_MAX:
        problems.add(_nowhere(file), f"the file has more than {FILE_BYTES_MAX} bytes", "enrol some of them first")
        problems.raise_if_any()
    root = read_yaml(file, text, problems)
    found = tuple(_lines(root, problems))
    seen: dict[str, int] = {}
    for one in found:
        if one.name in seen:
            wrong = f"{one.name} stands on line {seen[one.name]} too"
            problems.add(Scalar(value=one.name, file=file, line=one.line), wrong, "name each account once")
        seen.setdefault(one.name, one.line)
    problems.raise_if_any()
    return found


def at_line(file: str, lines: tuple[Line, ...], refusal: Refusal) -> str:
    """Return a refusal of the gate with the file and line it is about."""
    entry = refusal.fields.get("entry")
    if not isinstance(entry, int) or not 0 <= entry < len(lines):
        return refusal.sentence
    return f"{file}:{lines[entry].line}: {refusal.sentence}"


def _lines(root: Node, problems: Problems) -> Iterator[Line]:
    node = root.get("agents") if isinstance(root, Mapping) else root
    for one in root.entries if isinstance(root, Mapping) else ():
        if one.key not in ("agents", "defaults"):
            problems.add(one, f"unknown key {short(one.key)!r}", "the keys here are agents, defaults", file=root.file)
    items = listed(node) if node is not None and not _is_nothing(node) else ()
    if not 1 <= len(items) <= ENROLMENTS_MAX:
        problems.add(node or root, f"the file names {len(items)} accounts", f"1 to {ENROLMENTS_MAX}: {_FORM}")
        return
    before = root.get("defaults") if isinstance(root, Mapping) else None
    defaults = _fields(before, problems) if before is not None else {}
    if "name" in defaults:
        problems.add(before or root, "defaults have a name", "each account has its own")
    for item in items:
        if isinstance(item, Scalar):
            yield _line(item, {"name": item}, defaults, problems)
        else:
            yield _line(item, _fields(item, problems), defaults, problems)


def _fields(node: Node, problems: Problems) -> dict[str, Node]:
    if not isinstance(node, Mapping):
        problems.add(node, f"an account is {described(node)}", _FORM)
        return {}
    for one in node.entries:
        if one.key not in _KEYS:
            near = get_close_matches(one.key, _KEYS, n=1)
            allowed = f"did you mean {near[0]}?" if near else f"the keys here are {', '.join(_KEYS)}"
            problems.add(one, f"unknown key {short(one.key)!r}", allowed, file=node.file)
    return {one.key: one.node for one in node.entries}


def _line(at: Node, own: dict[str, Node], defaults: dict[str, Node], problems: Problems) -> Line:
    given = {**defaults, **own}
    words = {key: _word(given.get(key), key, problems) for key in _KEYS if key not in (*_LISTS, "days")}
    lists = {key: tuple(_word(one, key, problems) for one in _items(given.get(key))) for key in _LISTS}
    name, kind = words["name"], words["kind"] or "agent"
    if not is_name(name):
        problems.add(own.get("name", at), f"{short(name)!r} is no name here", f"choose one of {ALLOWED}")
    allowed = next((scopes for one, scopes in SCOPES.items() if one == kind), ())
    if not allowed:
        what = f"the kind is {short(kind)!r}"
        problems.add(given.get("kind", at), what, f"write one of {', '.join(SCOPES)}; a human is enrolled on the page")
    strange = next((one for one in lists["scopes"] if allowed and one not in allowed), "")
    if strange:
        what = f"the token of a kind {kind} is never for {short(strange)}"
        problems.add(given.get("scopes", at), what, f"name some of {', '.join(allowed)}")
    if len(lists["roles"]) > ROLES_MAX:
        problems.add(given["roles"], f"{len(lists['roles'])} roles", f"at most {ROLES_MAX}")
    return Line(
        line=at.line,
        name=name,
        kind=kind,
        roles=lists["roles"] or (("agent",) if kind == WhoKind.AGENT else ()),
        family=words["family"],
        provider=words["provider"],
        operator=words["operator"],
        scopes=lists["scopes"],
        days=_days(given.get("days"), problems),
    )


def _word(node: Node | None, key: str, problems: Problems) -> str:
    if node is None or _is_nothing(node):
        return ""
    text = node.value if isinstance(node, Scalar) else None
    if isinstance(text, str) and len(text) <= TEXT_CHARS_MAX and text.isprintable():
        return text
    problems.add(node, f"{key} is {described(node)}", f"write a text of at most {TEXT_CHARS_MAX} characters")
    return ""


def _items(node: Node | None) -> tuple[Node, ...]:
    return () if node is None or _is_nothing(node) else listed(node)


def _days(node: Node | None, problems: Problems) -> int | None:
    if node is None or _is_nothing(node):
        return None
    days = node.value if isinstance(node, Scalar) else None
    if type(days) is int and 1 <= days <= TOKEN_DAYS_MAX:
        return days
    problems.add(node, f"days is {described(node)}", f"write a whole number from 1 to {TOKEN_DAYS_MAX}")
    return None


def _is_nothing(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is None


def _nowhere(file: str) -> Scalar:
    return Scalar(value=None, file=file, line=1)
