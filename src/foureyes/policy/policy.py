"""The Policy value: frozen, with every default filled in, and its one canonical text.

The text is stored, and the digest is computed from it. A later version of this program may read the file differently
or ship other defaults; what an open review is judged by does not change.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum

from foureyes.codec.rules import rules_body
from foureyes.codec.shapes import CodecError, Json, canonical, register, shape, tagged
from foureyes.core.kinds import canonical_kind
from foureyes.core.risk import guards, is_guarded, matches
from foureyes.core.rules import Rules
from foureyes.policy.binding import PROGRAMS, Binding, bind, with_escalate_when, with_parties, without_length
from foureyes.policy.floor import floor_problems

SCHEMA = 5

#: Upgrades of a stored policy's body from this schema to the next; they must not change its meaning.
LIFTS: dict[int, Callable[[Json], Json]] = {
    1: lambda body: body | {"each_run": {"usd_micro": 0, "seconds": 300, "tokens": 400_000}},
    2: lambda body: body | {"rules": with_parties(body["rules"])},
    3: lambda body: body | {"rules": without_length(body["rules"])},
    4: lambda body: body | {"rules": with_escalate_when(body["rules"])},
}
#: Policies up to this schema were stored without bound seats; their seats are bound when they are read.
UNBOUND_SCHEMA_MAX = 3


class Mode(StrEnum):
    """Whether a policy stops work, or only says what it would have stopped."""

    WATCH = "watch"
    ENFORCE = "enforce"


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A critic that is a program of ours."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """An agent on this machine, by the name of its command."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model of a provider."""

    provider: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A command of the project itself, like its tests: what it says is evidence."""

    argv: tuple[str, ...]

    @property
    def line(self) -> str:
        """The command line, quoted for a shell."""
        return shlex.join(self.argv)


Holder = Program | Command | Model | Run
register(Holder, tagged((Program, Command, Model, Run)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """Who holds a role, in the order in which they are asked."""

    name: str
    holders: tuple[Holder, ...]

    @property
    def binding(self) -> Binding:
        """The binding of this role to programs; a command of the project is named after its role."""
        names = {one: one.name if isinstance(one, Program) else self.name for one in self.holders}
        programs = tuple(dict.fromkeys(name for one, name in names.items() if isinstance(one, Program | Run)))
        return Binding(role=self.name, programs=programs, minds=any(isinstance(one, Command | Model) for one in names))


@dataclass(frozen=True, slots=True, kw_only=True)
class KindMode:
    """How one kind of work is treated where it differs from the rest."""

    kind: str
    mode: Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Which level of independence it takes to go live in one place."""

    name: str
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EachRun:
    """What one run of one reviewer may take; money in millionths of a dollar, 0 means no limit but those of all."""

    usd_micro: int = 0
    seconds: int = 300
    tokens: int = 400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Everything a policy binds: the rules, and what the shell around them must keep to."""

    name: str
    rules: Rules
    reviewers: tuple[Role, ...] = ()
    ignore: tuple[str, ...] = ()
    mode: Mode = Mode.ENFORCE
    modes: tuple[KindMode, ...] = ()
    session_silence: timedelta = timedelta(minutes=15)
    targets: tuple[Target, ...] = ()
    each_run: EachRun = EachRun()

    @property
    def digest(self) -> str:
        """The digest of the policy's canonical text; its rules carry the same digest."""
        return self.rules.digest

    def mode_for(self, kind: str) -> Mode:
        """The mode for work of this kind: enforce or watch."""
        wanted = canonical_kind(kind)
        return next((one.mode for one in self.modes if one.kind == wanted), self.mode)

    def mode_of(self, kinds: Iterable[str]) -> Mode:
        """The mode for work of all these kinds: enforce if one of them is enforced, whatever the author's label."""
        modes = {self.mode_for(kind) for kind in kinds}
        return Mode.WATCH if modes == {Mode.WATCH} else Mode.ENFORCE

    def ignores(self, path: str) -> bool:
        """True if a path is not read.

        Files that control building, reviewing or guarding are always read, and so is what `paths` sends to a veto.
        """
        ignored = not is_guarded(path) and any(matches(pattern, path) for pattern in self.ignore)
        return ignored and not self._is_sent_to_a_veto(path)

    def _is_sent_to_a_veto(self, path: str) -> bool:
        kinds = {rule.kind for rule in self.rules.paths if guards(rule.pattern, path)}
        names = {name for kind in kinds for name in self.rules.protocols_for(kind)}
        return any(stage.has_veto for name in names if (found := self.rules.protocol(name)) for stage in found.stages)

    def level_for(self, target: str) -> int:
        """The minimum level of independence for going live on a target; 0 if no targets are listed.

        A name that is not listed, or none, demands the highest level, so that misspelling a name does not avoid it.
        """
        wanted = same_target(target)
        listed = [one.level for one in self.targets if same_target(one.name) == wanted]
        return max(listed or (one.level for one in self.targets), default=0)


def same_target(name: str) -> str:
    """Normalise a target's name; case and Unicode form do not distinguish targets."""
    return unicodedata.normalize("NFKC", name).casefold().strip()


def sealed_policy(policy: Policy) -> Policy:
    """The policy with the digest of its canonical text set in its rules."""
    digest = hashlib.sha256(policy_text(policy)).hexdigest()
    return replace(policy, rules=replace(policy.rules, digest=digest))


def policy_text(policy: Policy) -> bytes:
    """The canonical text of a policy, which is stored, compared and hashed."""
    body = shape(Policy)[0](policy)
    body["rules"] = rules_body(policy.rules)
    return canonical({"schema": SCHEMA, "policy": body})


def read_policy(text: bytes) -> Policy:
    """Read a policy from its canonical text, with the digest of exactly these bytes; anything else is refused."""
    try:
        data = json.loads(text)
        same = canonical(data) == text
    except (ValueError, RecursionError) as error:
        raise CodecError(f"this is no policy: {error}") from None
    if type(data) is not dict or data.keys() != {"schema", "policy"} or type(data["policy"]) is not dict:
        raise CodecError("a policy has exactly the fields schema and policy")
    schema = data["schema"]
    if type(schema) is not int or not 1 <= schema <= SCHEMA:
        raise CodecError(f"a policy of schema {schema!r}; this program reads up to {SCHEMA}")
    if not same:
        raise CodecError("this is not the one spelling of a policy")
    body = _lifted(data["policy"], schema)
    if type(body.get("rules")) is not dict or "digest" in body["rules"]:
        raise CodecError("the rules of a policy have fields, and no digest among them")
    body["rules"]["digest"] = hashlib.sha256(text).hexdigest()
    try:
        policy: Policy = shape(Policy)[1](body)
    except CodecError:
        raise
    except ValueError as error:
        raise CodecError(f"what no policy may say: {error}") from None
    if schema <= UNBOUND_SCHEMA_MAX:
        policy = replace(policy, rules=bind(policy.rules, tuple(one.binding for one in policy.reviewers), PROGRAMS))
    problems = floor_problems(policy.rules)
    if problems:
        raise CodecError(f"a policy below the floor: {problems[0]}")
    return policy


def _lifted(body: Json, schema: int) -> Json:
    """Upgrade the body of an older policy to the current schema; a malformed body is refused."""
    try:
        for one in range(schema, SCHEMA):
            body = LIFTS[one](body)
    except (KeyError, TypeError, AttributeError) as error:
        raise CodecError(f"a policy of schema {schema} has other fields: {error!r}") from None
    return body
