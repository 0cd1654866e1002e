"""Read the holders of roles, the groups of humans, the targets, and the services."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from foureyes.core.independence import LEVELS, normal
from foureyes.core.names import is_name
from foureyes.core.rules import Humans
from foureyes.policy.nodes import Entry, Mapping, Node, Scalar, described
from foureyes.policy.policy import Command, Holder, Model, Program, Role, Run, Target, same_target
from foureyes.policy.problems import Problems
from foureyes.policy.tables import NAME, NAME_FORM, Table, listed, name_of

#: The agents this program can run; a policy cannot name any other command.
COMMANDS = ("claude", "codex", "gemini")
ENTRIES_MAX = 200
LEVEL_MAX = len(LEVELS) - 1
_MODEL = re.compile(r"([A-Za-z0-9][A-Za-z0-9_-]{0,40}):([A-Za-z0-9][A-Za-z0-9_./:@-]{0,120})")
_PERSON_CHARS_MAX = 200
_HOLDER = "write {program: name}, {command: claude, codex or gemini}, {model: provider:name} or {run: make test}"
RUN_CHARS_MAX = 1_000
RUN_WORDS_MAX = 50


def read_reviewers(node: Node | None, problems: Problems) -> tuple[Role, ...]:
    """The roles and their holders."""
    roles: dict[str, Role] = {}
    for entry in _entries(node, "reviewers", problems):
        same = entry.key.replace("-", "_").lower()
        if not NAME.fullmatch(entry.key) or same == "human" or same in roles:
            wrong = f"{entry.key[:64]!r} is no name for a role here"
            problems.add(entry, wrong, f"a name is {NAME_FORM}, each once, and not human")
            continue
        holders = tuple(one for item in listed(entry.node) if (one := _holder(item, problems)))
        if not holders:
            problems.add(entry, f"nobody holds the role {entry.key}", _HOLDER)
        if sum(isinstance(one, Run) for one in holders) > 1:
            wrong = f"the role {entry.key} runs more than one command, and a seat hears one"
            problems.add(entry, wrong, "give each command a role of its own, or name one command that runs them all")
        roles[same] = Role(name=entry.key, holders=tuple(dict.fromkeys(holders)))
    return tuple(roles.values())


def read_humans(node: Node | None, problems: Problems) -> tuple[Humans, ...]:
    """The groups of people; spellings of one name are one person, and an empty group lets nothing pass."""
    groups: list[Humans] = []
    for entry in _entries(node, "humans", problems):
        if not NAME.fullmatch(entry.key):
            problems.add(entry, f"{entry.key[:64]!r} is no name for a group", f"a name is {NAME_FORM}")
        people = [_person(item, problems) for item in listed(entry.node)]
        if len({normal(one) for one in people}) != len(people):
            problems.add(entry, f"the group {entry.key[:64]} names the same person twice", "name everybody once")
        if not people:
            problems.note(f"The group {entry.key[:64]} is empty: it can let nothing pass.")
        groups.append(Humans(name=entry.key, members=frozenset(people)))
    return tuple(groups)


def read_targets(node: Node | None, problems: Problems) -> tuple[Target, ...]:
    """The level of independence that each target demands."""
    targets: list[Target] = []
    for entry in _entries(node, "targets", problems):
        value = entry.node.value if isinstance(entry.node, Scalar) else None
        if NAME.fullmatch(entry.key) and type(value) is int and 1 <= value <= LEVEL_MAX:
            if same_target(entry.key) in {same_target(one.name) for one in targets}:
                problems.add(entry, f"the target {entry.key} stands here twice", "case makes no other name")
            targets.append(Target(name=entry.key, level=value))
        elif not NAME.fullmatch(entry.key):
            problems.add(entry, f"{entry.key[:64]!a} is no name for a target", f"a name is {NAME_FORM}")
        else:
            allowed = "1 other session, 2 other model family, 3 other operator"
            problems.add(entry, f"the target {entry.key[:64]} must have a level 1-{LEVEL_MAX}", allowed)
    return tuple(targets)


def read_services(node: Node | None, problems: Problems) -> frozenset[str]:
    """The services whose agents may review each other's work."""
    names: set[str] = set()
    for entry in _entries(node, "services", problems):
        if not is_name(entry.key):
            problems.add(entry, f"{entry.key[:64]!r} is no name of an account", "write the service's own name")
        if Table(entry.node, "service", problems).flag("agents_review_each_other"):
            names.add(entry.key)
            problems.note(
                f"The agents of {entry.key[:64]} may review each other's work: one token then makes and clears it, "
                "at level 1, marked `one operator`."
            )
    return frozenset(names)


def _holder(node: Node, problems: Problems) -> Holder | None:
    if not isinstance(node, Mapping) or len(node.entries) != 1:
        problems.add(node, f"{described(node)} is nobody who can hold a role", _HOLDER)
        return None
    entry = node.entries[0]
    value = entry.node.value if isinstance(entry.node, Scalar) and isinstance(entry.node.value, str) else ""
    model = _MODEL.fullmatch(value)
    match entry.key:
        case "program" if NAME.fullmatch(value):
            return Program(name=value)
        case "command" if value in COMMANDS:
            return Command(name=value)
        case "model" if model:
            return Model(provider=model[1], name=model[2])
        case "run" if argv := _argv(value):
            return Run(argv=argv)
        case _:
            problems.add(entry, f"{entry.key[:40]}: {described(entry.node)} is nobody who can hold a role", _HOLDER)
            return None


def _argv(text: str) -> tuple[str, ...]:
    """The words of a command, which runs without a shell."""
    if len(text) > RUN_CHARS_MAX or not text.isprintable():
        return ()
    try:
        words = tuple(shlex.split(text))
    except ValueError:
        return ()
    return words if len(words) <= RUN_WORDS_MAX and all(words) else ()


def _person(node: Node, problems: Problems) -> str:
    if isinstance(node, Scalar) and isinstance(node.value, str):
        name = node.value.strip()
        if normal(name) and len(name) <= _PERSON_CHARS_MAX:
            return name
    return name_of(node, problems, "a person")


def _entries(node: Node | None, what: str, problems: Problems) -> Iterator[Entry]:
    if node is None:
        return
    if not isinstance(node, Mapping) or len(node.entries) > ENTRIES_MAX:
        problems.add(
            node, f"{what} is {described(node)}", f"write at most {ENTRIES_MAX} names and what belongs to each"
        )
        return
    yield from node.entries
