"""Table-driven rules for cloud resources: rows of (resource, attribute, value), and how a resource is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from foureyes.reviewers.critics.critic import Hit, Rule
from foureyes.reviewers.critics.exposure.rules import hit, note, rule
from foureyes.reviewers.critics.exposure.tree import Node

_NAME_MAX = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """One resource of a Terraform or CloudFormation file, with Terraform's names."""

    path: str
    kind: str
    name: str
    body: Node

    @property
    def line(self) -> int:
        return self.body.line

    @property
    def called(self) -> str:
        """Return the name people use for it: kind and name, as in Terraform."""
        return f"{self.kind}.{self.name}"[:_NAME_MAX]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One attribute of some kinds of resource, and the value it must have."""

    rule: Rule
    kinds: tuple[str, ...]
    #: Alternative paths of the attribute; the first that is present counts.
    paths: tuple[str, ...]
    well: Callable[[Node], bool]
    #: True if a missing attribute is acceptable.
    silent: bool
    #: The wanted value, as the row was written.
    want: str


_TLS = {"1.2": 2, "1.3": 3, "TLS1_2": 2, "TLS1_3": 3, "TLS_1_2": 2, "TLS_1_3": 3, "TLSV1.2": 2, "TLSV1.3": 3,
        "TLS12": 2, "TLS13": 3, "TLS1.2": 2, "TLS1.3": 3, "TLSV1.2_2018": 2, "TLSV1.2_2019": 2, "TLSV1.2_2021": 2,
        "TLSENFORCEMENTDISABLED": 0}  # fmt: skip


def row(name: str, kinds: str, want: str, title: str, *, why: str, severity: str = "minor") -> Row:
    """Return a row from a short form of the wanted value.

    `path = true` must be true; `path =? true` may also be missing; `path = a|b` must be one of these; `path != a|b`
    must be none of these, or missing; `path !=! a` must be none of these and not missing; `path set`; `path absent`;
    `path >= 30`; `path tls`. Several paths separated by `/` are alternative names of the same attribute.
    """
    paths, operator, value = (want + "  ").split(" ", 2)
    value = value.strip()
    well, silent = _wanted(operator, value)
    fix = f"Set {paths.split('/')[0]} {_told(operator, value)}."
    return Row(
        rule=rule(name, title, why, fix, severity),
        kinds=tuple(kinds.split()),
        paths=tuple(paths.split("/")),
        well=well,
        silent=silent,
        want=f"{operator} {value}".strip(),
    )


def _told(operator: str, value: str) -> str:
    words = {"set": "to what you mean", "absent": "to nothing", "tls": "to TLS 1.2 or newer"}
    if operator in words:
        return words[operator]
    ways = value.replace("|", " or ")
    return f"to anything but {ways}" if operator.startswith("!=") else f"to {'at least ' * (operator[0] == '>')}{ways}"


def _wanted(operator: str, value: str) -> tuple[Callable[[Node], bool], bool]:  # noqa: PLR0911 - one line for each form
    words = frozenset(value.lower().split("|"))
    if operator in ("=", "=?"):
        if value in ("true", "false"):
            good = value == "true"
            return (lambda node: node.opaque or (node.yes if good else node.no)), operator == "=?"
        return (lambda node: node.opaque or _texts(node) <= words), operator == "=?"
    if operator in ("!=", "!=!"):
        return (lambda node: not _texts(node) & words), operator == "!="
    if operator == ">=":
        return (lambda node: node.opaque or (node.number or 0) >= float(value)), False
    if operator == "tls":
        return (lambda node: node.opaque or _new_tls(node.text)), value == "?"
    if operator == "set":
        return (lambda node: not node.empty and node.value is not False), False
    return (lambda node: node.empty), True


def _new_tls(text: str) -> bool:
    found = _TLS.get(text.upper())
    return found is None or found > 1 if text.upper() not in _OLD_TLS else False


_OLD_TLS = frozenset({"1.0", "1.1", "TLS1_0", "TLS1_1", "TLS_1_0", "TLS_1_1", "TLSV1", "TLSV1.1", "TLSV1_2016", "SSLV3",
                      "TLSV1.1_2016", "TLS10", "TLS11", "TLS1.0", "TLS1.1", "TLSENFORCEMENTDISABLED", "DISABLED",
                      "TLS 1.0", "TLS 1.1"})  # fmt: skip


def _texts(node: Node) -> set[str]:
    return {one.text.lower() for one in node.items}


#: A check that cannot be written as a row.
Check = Callable[[Resource], Iterator[Hit]]


class Book:
    """Rows and checks by the kind of resource."""

    def __init__(self, rows: Iterable[Row], checks: Iterable[tuple[str, Check]], rules: Iterable[Rule]) -> None:
        self.rows = tuple(rows)
        self._rows: dict[str, list[Row]] = {}
        self._checks: dict[str, list[Check]] = {}
        found: list[Rule] = list(rules)
        for one in self.rows:
            found.append(one.rule)
            for kind in one.kinds:
                self._rows.setdefault(kind, []).append(one)
        for kinds, check in checks:
            for kind in kinds.split():
                self._checks.setdefault(kind, []).append(check)
        self.rules = tuple(dict.fromkeys(found))

    def judge(self, resource: Resource, *, silence: bool = True) -> Iterator[Hit]:
        """Yield the hits of a resource; without `silence`, missing attributes are not reported."""
        rows = self._rows.get(resource.kind, ())
        for one in rows:
            yield from _held(one, resource, silence=silence)
        for check in self._checks.get(resource.kind, ()):
            yield from check(resource)
        paths = {path for one in rows for path in one.paths}
        for check in self._checks.get(resource.kind.partition("_")[0] + "_*", ()):
            if not paths & _PUBLIC_SWITCHES:
                yield from check(resource)


#: The names clouds use for the attribute that opens a service to the internet.
_PUBLIC_SWITCHES = frozenset({"public_network_access_enabled", "publicly_accessible", "public_network_enabled"})


def _held(one: Row, resource: Resource, *, silence: bool) -> Iterator[Hit]:
    for path in one.paths:
        found = [node for node in resource.body.every(path) if node.value is not None]
        if not found:
            continue
        if not all(map(one.well, found)):
            text = f"{one.rule.title}: {path} of {resource.called}."
            yield hit(one.rule, resource.path, resource.body.at_line(path), text)
        return
    if silence and not one.silent:
        text = f"{one.rule.title}: {resource.called} does not say {one.paths[0]}."
        yield note(one.rule, resource.path, resource.line, text)
