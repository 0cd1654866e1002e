"""Read the lists of the peer document: the matrix, the criteria, and the skip rules."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core.gates import Criteria
from foureyes.core.kinds import canonical_kind
from foureyes.core.peer_data import CRITERIA, DEFAULT_CRITERIA, MATRIX
from foureyes.core.rules import MatrixRow, SkipRule
from foureyes.policy.nodes import Entry, Mapping, Node, Scalar, Sequence, described
from foureyes.policy.problems import Problems
from foureyes.policy.tables import NAME, NAME_FORM, Table, listed

ENTRIES_MAX = 200
SENTENCE_CHARS_MAX = 500
#: Keys by which a file that contains only a matrix is recognised.
_LONG_ROW = frozenset({"primary_reviewer", "backup_reviewer"})
ESCALATE_WHEN = (
    "escalate_when is in words that no program can judge: reviewers are given it, and whoever finds one true asks "
    "for a human."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Skips:
    """What may go without reviewers, and the numbers a learned record must reach for it."""

    rules: tuple[SkipRule, ...] = ()
    confidence_percent: int = 0
    successes: int = 0


def read_matrix(node: Node | None, problems: Problems) -> tuple[MatrixRow, ...]:
    """Read the matrix: the rows of the document, and the shipped rows of roles it does not name."""
    rows: dict[str, MatrixRow] = {}
    for entry in _entries(node, "reviewer_matrix", problems) if node is not None else ():
        table = Table(entry.node, "matrix row", problems)
        primary, backup = (table.name(_either(table, one, f"{one}_reviewer")) for one in ("primary", "backup"))
        escalate = table.name(_either(table, "escalate", "escalate_to"))
        reasons = sentences(table.special(_either(table, "reasons", "rationale")), problems)
        reasons += sentences(table.special("backup_rationale"), problems)
        if table.has("rationale") or table.has("backup_rationale"):
            # Line breaks in long texts come from the editor and have no meaning.
            reasons = tuple(" ".join(one.split()) for one in reasons)
        escalate_when = sentences(table.special("escalate_when"), problems)
        if escalate_when:
            problems.note(ESCALATE_WHEN)
        creator = entry.key.replace("-", "_").lower()
        if not NAME.fullmatch(entry.key) or not primary or not backup:
            problems.add(entry, f"{entry.key[:64]} has no primary and backup", "write primary: role and backup: role")
        elif creator in rows:
            problems.add(entry, f"the role {entry.key} stands here twice", "- and _ are the same in a role")
        elif "human" in (primary, backup):
            problems.add(entry, "human is no reviewing role here", "write escalate: human")
        else:
            rows[creator] = MatrixRow(
                creator=entry.key,
                primary=primary,
                backup=backup,
                escalate=escalate,
                reasons=reasons,
                escalate_when=escalate_when,
            )
    shipped = {one.creator: one for one in MATRIX}
    return tuple((shipped | rows).values())


def rows_alone(root: Mapping) -> Mapping | None:
    """The peer document for a file that contains only matrix rows, or None if it does not."""
    rows = [one.node for one in root.entries if isinstance(one.node, Mapping)]
    if not any(entry.key in _LONG_ROW for row in rows for entry in row.entries):
        return None
    matrix = Entry(key="reviewer_matrix", line=root.line, node=root)
    return Mapping(entries=(matrix,), file=root.file, line=root.line)


def _either(table: Table, name: str, other: str) -> str:
    """The one of two names for a key that the document uses."""
    if table.has(name) and table.has(other):
        table.problems.add(table.at(other), f"{name} and {other} are the same key", "write one of them")
    return other if table.has(other) else name


def read_criteria(node: Node | None, problems: Problems) -> tuple[tuple[Criteria, ...], Criteria]:
    """The criteria of each kind, and those of every other kind; a kind left out keeps the shipped ones."""
    found = {one.kind: one for one in CRITERIA}
    default = DEFAULT_CRITERIA
    for entry in _entries(node, "criteria", problems) if node is not None else ():
        table = Table(entry.node, "criteria set", problems)
        kind = canonical_kind(entry.key)
        required, checks = _criteria(table.special("required"), problems)
        optional, more = _criteria(table.special("optional"), problems)
        if not required:
            problems.add(entry, f"{entry.key[:64]} has no required criteria", "write at least one")
            continue
        one = Criteria(kind=kind, required=required, optional=optional, checks=(*checks, *more))
        if kind == DEFAULT_CRITERIA.kind:
            default = one
        else:
            found[kind] = one
    return tuple(found.values()), default


def read_skips(node: Node | None, problems: Problems) -> Skips:
    """The skip rules of the document; the core also checks the bytes."""
    trivial: list[str] = []
    rules: list[SkipRule] = []
    confidence = successes = 0
    for item in listed(node) if node is not None else ():
        table = Table(item, "skip_if", problems)
        named = [one for one in ("autonomy_level", "action_type", "has_auto_skip_pattern") if table.has(one)]
        if len(named) != 1:
            allowed = "write exactly one of autonomy_level, action_type, has_auto_skip_pattern"
            problems.add(item, "an entry of skip_if names one reason", allowed)
            continue
        spared = table.names("except_for")
        if named == ["autonomy_level"]:
            rules.append(SkipRule(name="autonomy", autonomy=table.name("autonomy_level"), except_for=spared))
        elif named == ["action_type"]:
            trivial.append(canonical_kind(table.name("action_type")))
        elif table.flag("has_auto_skip_pattern"):
            rules.append(SkipRule(name="learned", learned=True, except_for=spared))
            confidence = max(confidence, table.percent("min_confidence"))
            successes = max(successes, table.number("min_successes"))
        else:
            problems.add(table.at(named[0]), "has_auto_skip_pattern must be true", "leave the entry out instead")
    first = (SkipRule(name="trivial", kinds=tuple(dict.fromkeys(trivial))),) if any(trivial) else ()
    return Skips(rules=(*first, *rules), confidence_percent=confidence, successes=successes)


def sentences(node: Node | None, problems: Problems) -> tuple[str, ...]:
    """A list of sentences, in the author's own words."""
    found: list[str] = []
    for one in listed(node) if node is not None else ():
        if isinstance(one, Scalar) and isinstance(one.value, str) and 0 < len(one.value) <= SENTENCE_CHARS_MAX:
            found.append(one.value)
        else:
            problems.add(one, f"{described(one)} is no sentence", f"text of at most {SENTENCE_CHARS_MAX} characters")
    return tuple(found[:ENTRIES_MAX])


Pairs = tuple[tuple[str, str], ...]
Checks = tuple[tuple[str, tuple[str, ...]], ...]


def _criteria(node: Node | None, problems: Problems) -> tuple[Pairs, Checks]:
    """Read criteria from a list of `name: meaning`, or from `name: {description, checks}`."""
    found: dict[str, str] = {}
    checks: dict[str, tuple[str, ...]] = {}
    for entry in _criterion_entries(node, problems):
        if not NAME.fullmatch(entry.key) or entry.key in found:
            again = f"the criterion {entry.key[:64]} stands here twice"
            wrong = again if entry.key in found else f"{entry.key[:64]!r} is no name for a criterion"
            problems.add(entry, wrong, f"a name is {NAME_FORM}, each once")
            continue
        if isinstance(entry.node, Mapping):
            table = Table(entry.node, "criterion", problems)
            found[entry.key] = table.text("description")
            checks[entry.key] = sentences(table.special("checks"), problems)
        else:
            found[entry.key] = " ".join(sentences(entry.node, problems))
    return tuple(found.items()), tuple((name, many) for name, many in checks.items() if many)


def _criterion_entries(node: Node | None, problems: Problems) -> list[Entry]:
    if node is None:
        return []
    found: list[Entry] = []
    for one in node.items if isinstance(node, Sequence) else (node,):
        if isinstance(one, Mapping):
            found.extend(one.entries)
        else:
            problems.add(one, f"{described(one)} is no criterion", "write name: what it means")
    return found[:ENTRIES_MAX]


def _entries(node: Node, what: str, problems: Problems) -> tuple[Entry, ...]:
    if isinstance(node, Mapping) and len(node.entries) <= ENTRIES_MAX:
        return node.entries
    problems.add(node, f"{what} is {described(node)}", f"write at most {ENTRIES_MAX} names and what belongs to each")
    return ()
