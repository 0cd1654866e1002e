"""Read which work is judged how, by kind, path and risk, and which work is only watched or not read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from foureyes.core.kinds import canonical_kind
from foureyes.core.risk import matches
from foureyes.core.rules import KindRule, PathRule, RiskRule, Style
from foureyes.core.values import RiskLevel
from foureyes.policy.nodes import Entry, Mapping, Node, Scalar, described, short
from foureyes.policy.policy import KindMode, Mode
from foureyes.policy.problems import Problems
from foureyes.policy.tables import listed

ENTRIES_MAX = 500
PATTERN_CHARS_MAX = 300
KIND_CHARS_MAX = 100
STYLES = tuple(one.value for one in Style if one is not Style.CHAIN)
#: A pattern that matches both of these matches everything.
_ANYWHERE = ("x", "y/z.q")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kinds:
    """How each kind is judged, and every other kind."""

    rules: tuple[KindRule, ...] = ()
    default: tuple[str, ...] = ()


def read_kinds(node: Node | None, chains: Iterable[str], problems: Problems) -> Kinds:
    """The styles for each kind; `default` is for every other kind."""
    known = tuple(chains)
    found: dict[str, tuple[str, ...]] = {}
    for entry in _entries(node, "kinds", problems):
        kind = kind_of(entry.key, entry, problems)
        if kind in found:
            problems.add(entry, f"the kind {kind} stands here twice", "spellings of one kind are one kind")
        found[kind] = _styles(entry.node, known, problems)
    default = found.pop("default", ())
    return Kinds(rules=tuple(KindRule(kind=kind, protocols=many) for kind, many in found.items()), default=default)


def read_risks(node: Node | None, chains: Iterable[str], problems: Problems) -> tuple[RiskRule, ...]:
    """The styles that work at or above a risk must pass too."""
    known, levels = tuple(chains), {one.name.lower(): one for one in RiskLevel}
    rules: list[RiskRule] = []
    for entry in _entries(node, "risks", problems):
        if entry.key in levels:
            rules.append(RiskRule(level=levels[entry.key], protocols=_styles(entry.node, known, problems)))
        else:
            problems.add(entry, f"{entry.key[:40]!r} is no risk", f"write {', '.join(levels)}")
    return tuple(rules)


def read_paths(node: Node | None, problems: Problems) -> tuple[PathRule, ...]:
    """The kinds that work gets from the paths it touches."""
    rules: list[PathRule] = []
    for entry in _entries(node, "paths", problems):
        pattern = _pattern(entry.key, entry, problems)
        for one in listed(entry.node):
            value = one.value if isinstance(one, Scalar) and isinstance(one.value, str) else ""
            kind = kind_of(value, one, problems)
            rules.append(PathRule(pattern=pattern, kind=kind))
    return tuple(rules)


def read_ignore(node: Node | None, problems: Problems) -> tuple[str, ...]:
    """The paths that are not read; a pattern for everything is refused, because it would disable the gate."""
    found: list[str] = []
    for one in listed(node) if node is not None else ():
        text = one.value if isinstance(one, Scalar) and isinstance(one.value, str) else ""
        pattern = _pattern(text, one, problems)
        if all(matches(pattern, path) for path in _ANYWHERE):
            problems.add(one, f"{pattern} ignores everything", "name the paths that nobody needs to read")
        found.append(pattern)
    if len(found) > ENTRIES_MAX and node is not None:
        problems.add(node, f"ignore has more than {ENTRIES_MAX} patterns", "name folders instead of files")
    return tuple(dict.fromkeys(found))


def read_mode(node: Node | None, problems: Problems) -> tuple[Mode, tuple[KindMode, ...]]:
    """The mode for all kinds, enforce or watch, and the kinds that have another one."""
    if node is None:
        return Mode.ENFORCE, ()
    if not isinstance(node, Mapping):
        return _mode(node, problems), ()
    found = {kind_of(one.key, one, problems): _mode(one.node, problems) for one in node.entries}
    default = found.pop("default", Mode.ENFORCE)
    return default, tuple(KindMode(kind=kind, mode=mode) for kind, mode in found.items())


def kind_of(text: str, at: Node | Entry, problems: Problems) -> str:
    """The canonical spelling of a kind."""
    kind = canonical_kind(text)
    if not kind or len(kind) > KIND_CHARS_MAX or not kind.isprintable():
        problems.add(at, f"{short(text)!r} is no kind of work", f"a word of at most {KIND_CHARS_MAX} characters")
    return kind


def _mode(node: Node, problems: Problems) -> Mode:
    value = node.value if isinstance(node, Scalar) else None
    if value in tuple(Mode):
        return Mode(str(value))
    problems.add(node, f"mode is {described(node)}", "write watch or enforce")
    return Mode.ENFORCE


def _styles(node: Node, chains: tuple[str, ...], problems: Problems) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(one for item in listed(node) if (one := _style(item, chains, problems))))
    if not listed(node):
        problems.add(node, "no style stands here", f"name at least one of {', '.join(STYLES)}, {{chain: name}}")
    return found


def _style(node: Node, chains: tuple[str, ...], problems: Problems) -> str:
    value = node.value if isinstance(node, Scalar) else None
    if isinstance(value, str) and value in STYLES:
        return value
    if isinstance(node, Mapping) and [one.key for one in node.entries] == ["chain"]:
        named = node.entries[0].node
        if isinstance(named, Scalar) and named.value in chains:
            return str(named.value)
        problems.add(named, f"the chain {described(named)} is not defined", f"the chains are {', '.join(chains)}")
        return ""
    hint = f"write {{chain: {value}}}" if value in chains else f"write {', '.join(STYLES)} or {{chain: name}}"
    problems.add(node, f"{described(node)} is no style", hint)
    return ""


def _pattern(text: str, at: Node | Entry, problems: Problems) -> str:
    plain = text.strip()
    wrong = not plain or len(plain) > PATTERN_CHARS_MAX or plain.startswith("!") or not plain.isprintable()
    if wrong or not plain.strip("/"):
        problems.add(at, f"{short(text)!r} is no pattern", "write one as in CODEOWNERS, such as docs/** or *.lock")
    return plain


def _entries(node: Node | None, what: str, problems: Problems) -> Iterator[Entry]:
    if node is None:
        return
    if not isinstance(node, Mapping) or len(node.entries) > ENTRIES_MAX:
        problems.add(
            node, f"{what} is {described(node)}", f"write at most {ENTRIES_MAX} names and what belongs to each"
        )
        return
    yield from node.entries
