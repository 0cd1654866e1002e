"""Build a policy from the nodes of a file, in the current form or in one of the older forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import PurePosixPath

from foureyes.core.assign import same_role
from foureyes.core.chains import CHAINS
from foureyes.core.kinds import canonical_kind
from foureyes.core.peer_data import REQUIRED_KINDS, TRIVIAL_KINDS
from foureyes.core.rules import Budget, KindRule, Rules
from foureyes.policy import styles
from foureyes.policy.binding import PROGRAMS, bind
from foureyes.policy.chains import Chains, inlined, read_chains
from foureyes.policy.choices import Kinds, read_ignore, read_kinds, read_mode, read_paths, read_risks
from foureyes.policy.floor import floor_problems
from foureyes.policy.nodes import Entry, Mapping, Node, PolicyErrors, Scalar, described
from foureyes.policy.notifying import Notify, read_notify
from foureyes.policy.peer import Peer, read_peer
from foureyes.policy.peer_lists import rows_alone
from foureyes.policy.people import read_humans, read_reviewers, read_services, read_targets
from foureyes.policy.policy import EachRun, Policy, sealed_policy
from foureyes.policy.problems import Problems
from foureyes.policy.schema import SECTIONS
from foureyes.policy.tables import Table

#: Returns the root node of a file that a policy names, or raises PolicyErrors.
Open = Callable[[str], Node]

NAME_CHARS_MAX = 100
MICRO = 1_000_000
MINUTE_SECONDS = 60
_PEER_KEYS = frozenset(one.name for one in SECTIONS["peer"])
_CHAINS_KEYS = frozenset(one.name for one in SECTIONS["chains file"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A policy that was read, where people are told, and what its reader should know though nothing is wrong."""

    policy: Policy
    notify: Notify = Notify()
    notes: tuple[str, ...] = ()


def build(name: str, root: Node, opened: Open, problems: Problems) -> Loaded:
    """Turn the root of a file into a policy, or raise PolicyErrors with all problems."""
    table = Table(as_file(root, problems), "file", problems)
    policy, notify = _Sections(table, opened).policy(name)
    problems.raise_if_any()
    for one in floor_problems(policy.rules):
        problems.add(root, one, "every work needs at least one reviewer who had no hand in it")
    problems.raise_if_any()
    for one in _notes(policy):
        problems.note(one)
    return Loaded(policy=sealed_policy(policy), notify=notify, notes=tuple(problems.notes))


class _Sections:
    """Reads the sections of one file, each once."""

    def __init__(self, table: Table, opened: Open) -> None:
        self._table = table
        self._problems = table.problems
        self._opened = opened

    def policy(self, name: str) -> tuple[Policy, Notify]:
        table, problems = self._table, self._problems
        mode, modes = read_mode(table.special("mode"), problems)
        peer, session = read_peer(self._named("peer", "peer"), problems), table.part("session")
        reviewers = read_reviewers(table.special("reviewers"), problems)
        policy = Policy(
            name=table.name("name") or PurePosixPath(name).stem[:NAME_CHARS_MAX],
            rules=bind(self._rules(peer, session), tuple(one.binding for one in reviewers), PROGRAMS),
            reviewers=reviewers,
            ignore=read_ignore(table.special("ignore"), problems),
            mode=mode,
            modes=modes,
            session_silence=timedelta(minutes=session.number("silence_minutes")),
            targets=read_targets(table.special("targets"), problems),
            each_run=_each_run(table.part("budget")),
        )
        self._check_rulings(policy.rules)
        return policy, read_notify(table.part("notify"), peer.notifications)

    def _rules(self, peer: Peer, session: Table) -> Rules:
        table, problems = self._table, self._problems
        chains = self._chains()
        names = tuple(one.name for one in chains.chains)
        kinds = read_kinds(table.special("kinds"), names, problems)
        clearance = table.part("clearance")
        expires = clearance.limit("expires_hours")
        return Rules(
            digest="",
            protocols=(
                styles.resolve(table.part("resolve")),
                peer.protocol,
                styles.session(session),
                styles.panel(self._panel()),
                styles.solo(table.part("solo")),
                *chains.chains,
            ),
            kinds=_kinds(kinds, chains, peer),
            default=kinds.default or ("solo",),
            paths=read_paths(table.special("paths"), problems),
            risks=read_risks(table.special("risks"), names, problems),
            skips=peer.skips,
            enabled=table.flag("enabled"),
            learning=peer.learning,
            groups=read_humans(table.special("humans"), problems),
            budget=_budget(table.part("budget")),
            limits=peer.limits,
            services=read_services(table.special("services"), problems),
            single_use_kinds=frozenset(map(canonical_kind, clearance.names("single_use"))),
            clearance_expires=None if expires is None else timedelta(hours=expires),
        )

    def _chains(self) -> Chains:
        """The shipped chains and those of the file, which replace shipped ones of the same name."""
        node = self._table.special("chains")
        if node is None:
            return Chains(chains=CHAINS)
        named = self._follow(node)
        if named is None:
            return Chains(chains=CHAINS)
        found = read_chains(named if named is node else inlined(named, self._problems), self._problems, CHAINS)
        by_name = {one.name: one for one in (*CHAINS, *found.chains)}
        return Chains(chains=tuple(by_name.values()), steps=found.steps)

    def _panel(self) -> Table:
        table = self._table
        if table.has("panel") and table.has("review"):
            self._problems.add(table.at("review"), "panel and review are the same section", "write one of them")
        key = "review" if table.has("review") else "panel"
        node, given = self._named(key, "panel"), table.special(key)
        inside = node.get("review") if isinstance(node, Mapping) and node is not given else None
        if inside and isinstance(node, Mapping):
            _note_others(node, self._problems)
        return Table(inside or node, "panel", self._problems)

    def _named(self, key: str, section: str) -> Node:
        """The node under a key, or the root of the file it names."""
        node = self._table.special(key)
        found = None if node is None else self._follow(node)
        if found is None:
            return Scalar(value=None, file=self._table.node.file, line=self._table.node.line)
        inside = found.get("enabled") if section == "peer" and isinstance(found, Mapping) else None
        if isinstance(inside, Scalar) and inside.value is False:
            wrong = "peer.enabled: false would switch off nothing but look as if it did"
            self._problems.add(inside, wrong, "write `enabled: false` at the top of the policy to leave reviewers out")
        if section == "peer" and found is not node and isinstance(found, Mapping):
            return _as_peer(found) or found
        return found

    def _follow(self, node: Node) -> Node | None:
        """The node of a section, or the root of the file it names; None if that file could not be read."""
        if not isinstance(node, Mapping) or node.get("file") is None:
            return node
        name = node.get("file")
        if len(node.entries) > 1 or not isinstance(name, Scalar) or not isinstance(name.value, str):
            self._problems.add(node, "a section is a file or keys, not both", "write {file: path} alone")
            return None
        try:
            return self._opened(name.value)
        except PolicyErrors as error:
            self._problems.extend(error.problems)
        except (OSError, ValueError) as error:
            self._problems.add(
                name, f"the file {name.value!r} cannot be read: {error}", "write a path beside the policy"
            )
        return None

    def _check_rulings(self, rules: Rules) -> None:
        for node, group, needs in self._problems.rulings:
            if group and all(one.name != group for one in rules.groups):
                known = ", ".join(one.name for one in rules.groups) or "none"
                self._problems.add(node, f"the group {group} is not defined", f"the groups of `humans` are: {known}")
            elif group and 0 < len(rules.group(group)) < needs:
                size = len(rules.group(group))
                self._problems.add(node, f"{needs} of a group of {size} can never agree", "ask for fewer, or name more")


def as_file(root: Node, problems: Problems) -> Node:
    """Normalise the root of a policy file; older forms are recognised by their keys and become a section."""
    if not isinstance(root, Mapping):
        problems.add(root, f"a policy is {described(root)}", "write keys and values, beginning with `version: 1`")
        return Mapping(entries=(), file=root.file, line=root.line)
    keys = {one.key for one in root.entries}
    if "version" in keys:
        return root
    if "review" in keys:
        _note_others(root, problems)
        return _wrapped(root, [one for one in root.entries if one.key == "review"], "panel")
    if "chains" in keys and keys <= _CHAINS_KEYS:
        inside = inlined(root, problems)
        return _wrapped(root, [Entry(key="chains", line=root.line, node=inside)], {"chain": "default"})
    rest = Mapping(entries=tuple(one for one in root.entries if one.key != "enabled"), file=root.file, line=root.line)
    if peer := _as_peer(rest):
        enabled = [one for one in root.entries if one.key == "enabled"]
        return _wrapped(root, [*enabled, Entry(key="peer", line=root.line, node=peer)], "peer")
    problems.add(root, "version is missing", "write `version: 1` in the first line")
    return root


def _as_peer(root: Mapping) -> Mapping | None:
    """The document of the peer style, if this is one: a whole document, or only the rows of its matrix."""
    known = any(one.key in _PEER_KEYS and one.key != "enabled" for one in root.entries)
    return root if known else rows_alone(root)


def _note_others(root: Mapping, problems: Problems) -> None:
    """Note the keys that are not read, since a project's file also has keys of other programs."""
    others = sorted(one.key for one in root.entries if one.key != "review")
    if others:
        problems.note(f"Not read, because only `review` is ours in such a file: {', '.join(others)[:300]}.")


def _wrapped(root: Mapping, entries: list[Entry], default: str | dict[str, str]) -> Mapping:
    """An older form as a section of the current form, with its style as the default for other kinds."""

    def scalar(value: str | int) -> Scalar:
        return Scalar(value=value, file=root.file, line=root.line)

    def mapping(pairs: dict[str, Node]) -> Mapping:
        entries = tuple(Entry(key=key, line=root.line, node=node) for key, node in pairs.items())
        return Mapping(entries=entries, file=root.file, line=root.line)

    style: Node = (
        scalar(default) if isinstance(default, str) else mapping({key: scalar(one) for key, one in default.items()})
    )
    added = mapping({"version": scalar(1), "kinds": mapping({"default": style})})
    return Mapping(entries=(*added.entries, *entries), file=root.file, line=root.line)


def _kinds(kinds: Kinds, chains: Chains, peer: Peer) -> tuple[KindRule, ...]:
    """The rules of the file for each kind, plus those of workflow steps and the peer document; nothing is removed."""
    found = {one.kind: one.protocols for one in kinds.rules}
    for rule in (*chains.steps, *(KindRule(kind=kind, protocols=("peer",)) for kind in peer.kinds)):
        found[rule.kind] = tuple(dict.fromkeys((*found.get(rule.kind, ()), *rule.protocols)))
    return tuple(KindRule(kind=kind, protocols=many) for kind, many in found.items())


def _budget(table: Table) -> Budget:
    review, day = table.amount("review_usd"), table.amount("day_usd")
    return Budget(
        review_usd_micro=0 if review is None else int(review * MICRO),
        day_usd_micro=0 if day is None else int(day * MICRO),
    )


def _each_run(table: Table) -> EachRun:
    usd = table.amount("reviewer_usd")
    return EachRun(
        usd_micro=0 if usd is None else int(usd * MICRO),
        seconds=table.number("reviewer_minutes") * MINUTE_SECONDS,
        tokens=table.number("reviewer_tokens"),
    )


def _notes(policy: Policy) -> Iterator[str]:
    rules = policy.rules
    if not rules.enabled:
        yield "Reviews are switched off: only vetoes, high risk and the kinds that are never skipped stop work."
    listed = {one.kind for one in rules.kinds} | set(REQUIRED_KINDS) | set(TRIVIAL_KINDS)
    for rule in rules.paths:
        if rule.kind not in listed:
            yield f"The kind {rule.kind} of {rule.pattern} is not under `kinds`: it is judged as every other kind."
    # The shipped programs run where a role asks for them, whether the file names them or not.
    held = {same_role(one) for one in (*PROGRAMS, *(each.name for each in policy.reviewers))}
    missing = [one for one in dict.fromkeys(_roles(rules)) if same_role(one) not in held]
    if missing:
        lines = ", ".join(f"{one}: {{command: claude}}" for one in missing)
        yield (
            f"Nobody in this file holds {', '.join(missing)}: enrol agents with these roles, or write "
            f"`reviewers: {{{lines}}}`. Until then a human is asked instead."
        )


def _roles(rules: Rules) -> Iterator[str]:
    """The roles that the demanded protocols can send work to, including those of the matrix."""
    named = (
        *rules.default,
        *(name for one in rules.kinds for name in one.protocols),
        *(name for one in rules.risks for name in one.protocols),
    )
    for name in dict.fromkeys(named):
        protocol = rules.protocol(name)
        for stage in protocol.stages if protocol else ():
            yield from (role for seat in stage.seats for role in seat.roles)
            yield from (role for row in stage.options.matrix for role in (row.primary, row.backup))
