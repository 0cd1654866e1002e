"""Read critic chains and the workflow steps that use them; the chain alone decides who has a veto."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from foureyes.core import protocols
from foureyes.core.chains import SCOPES
from foureyes.core.kinds import canonical_kind
from foureyes.core.rules import Exhausted, KindRule, Protocol, SeatRule, Style
from foureyes.policy.nodes import Entry, Mapping, Node, Scalar, Sequence, described
from foureyes.policy.problems import Problems
from foureyes.policy.styles import times, with_common
from foureyes.policy.tables import NAME, NAME_FORM, Table

CHAINS_MAX = 100
LAYERS_MAX = 20
STEPS_MAX = 500

#: Names a chain cannot have, because they have another meaning where chains are named.
RESERVED = frozenset({*(one.value for one in Style), "file", "steps", "chains", "description"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Chains:
    """The chains of a document, and which kind of work each workflow step makes."""

    chains: tuple[Protocol, ...] = ()
    steps: tuple[KindRule, ...] = ()


def inlined(node: Node, problems: Problems) -> Node:
    """A separate chains document, `chains` by name plus `steps`, in the form of the policy file's section."""
    table = Table(node, "chains file", problems)
    chains, steps = table.special("chains"), table.special("steps")
    if not isinstance(chains, Mapping):
        problems.add(chains or node, "no chains stand here", 'write {"chains": {"name": {"layers": […]}}}')
        return Mapping(entries=(), file=node.file, line=node.line)
    beside = (Entry(key="steps", line=steps.line, node=steps),) if steps else ()
    return Mapping(entries=(*chains.entries, *beside), file=chains.file, line=chains.line)


def read_chains(node: Node, problems: Problems, known: Iterable[Protocol] = ()) -> Chains:
    """Read the section of a policy file: chains by name, with `steps` beside them."""
    if not isinstance(node, Mapping):
        problems.add(node, f"chains are {described(node)}", "write name: its keys, or {file: …}")
        return Chains()
    chains = _chains([one for one in node.entries if one.key != "steps"], problems)
    return Chains(chains=chains, steps=_steps(node.get("steps"), (*chains, *known), problems))


def step_problem(chain: Protocol | None, agent: str, *, can_veto: bool) -> str:
    """Why a workflow step contradicts the chain it names; empty if it does not. Also used for steps at run time."""
    if chain is None:
        return "critic_chain names a chain that nobody defined"
    vetoes = {role for stage in chain.stages for seat in stage.seats if seat.veto for role in seat.roles}
    if can_veto and agent not in vetoes:
        return f"can_veto is true, but {agent or 'nobody'} has no veto in the chain {chain.name}"
    if not can_veto and agent in vetoes:
        return f"can_veto is false, but {agent} has a veto in the chain {chain.name}"
    return ""


def _chains(entries: Iterable[Entry], problems: Problems) -> tuple[Protocol, ...]:
    listed = tuple(entries)
    if len(listed) > CHAINS_MAX:
        problems.add(listed[CHAINS_MAX], f"more than {CHAINS_MAX} chains", "split the file")
    found = (_chain(one, problems) for one in listed[:CHAINS_MAX])
    return tuple(one for one in found if one is not None)


def _chain(entry: Entry, problems: Problems) -> Protocol | None:
    if not NAME.fullmatch(entry.key):
        problems.add(entry, f"{entry.key[:64]!r} is no name for a chain", f"a name is {NAME_FORM}")
        return None
    if entry.key in RESERVED:
        problems.add(entry, f"a chain cannot be called {entry.key}", "that name is taken by something else")
        return None
    table = Table(entry.node, "chain", problems)
    layers = _layers(table, entry)
    unanimous, retries = table.flag("require_unanimous"), table.number("max_retries")
    exhausted = Exhausted(table.choice("on_final_reject"))
    if not layers:
        return None
    built = protocols.chain(entry.key, layers, unanimous=unanimous, retries_max=retries, exhausted=exhausted)
    return with_common(built, table, times(table.part("times")))


def _layers(table: Table, entry: Entry) -> tuple[SeatRule, ...]:
    node, problems = table.special("layers"), table.problems
    if not isinstance(node, Sequence) or not 1 <= len(node.items) <= LAYERS_MAX:
        problems.add(node or entry, f"the chain {entry.key} has no layers", f"write a list of 1 to {LAYERS_MAX} layers")
        return ()
    layers: list[SeatRule] = []
    for item in node.items:
        layer = Table(item, "layer", problems)
        agent, scope, veto = layer.name("agent"), layer.name("scope"), layer.flag("veto")
        if not agent or not scope:
            problems.add(item, "a layer has an agent and a scope", "write {agent: …, scope: …}")
        elif scope not in SCOPES:
            problems.add(item, f"{scope} is not a scope", f"use one of {', '.join(sorted(SCOPES))}")
        elif any(one.scope == scope for one in layers):
            problems.add(item, f"two layers judge {scope}", "each layer has a scope of its own")
        else:
            layers.append(SeatRule(roles=(agent,), scope=scope, veto=veto))
    return tuple(layers)


def _steps(node: Node | None, chains: tuple[Protocol, ...], problems: Problems) -> tuple[KindRule, ...]:
    if node is None:
        return ()
    if not isinstance(node, Sequence) or len(node.items) > STEPS_MAX:
        problems.add(node, f"steps are {described(node)}", f"write a list of at most {STEPS_MAX} steps")
        return ()
    rules: dict[str, KindRule] = {}
    for item in node.items:
        rule = _step(item, chains, problems)
        if rule and rules.setdefault(rule.kind, rule) != rule:
            problems.add(item, f"the step {rule.kind} names another chain than before", "a step has one chain")
    return tuple(rules.values())


def _step(node: Node, chains: tuple[Protocol, ...], problems: Problems) -> KindRule | None:
    table = Table(node, "step", problems)
    name, agent, wanted = table.name("name"), table.name("agent"), table.name("critic_chain")
    if not name or not wanted:
        problems.add(node, "a step has a name and a critic_chain", "write {name: …, critic_chain: …}")
        return None
    chain = next((one for one in chains if one.name == wanted), None)
    wrong = step_problem(chain, agent, can_veto=table.flag("can_veto"))
    if wrong and (chain is None or table.has("can_veto")):
        known = ", ".join(dict.fromkeys(one.name for one in chains))
        allowed = "the chain is the authority" if chain else f"the chains are {known}"
        problems.add(_at(table, "can_veto" if chain else "critic_chain"), wrong, allowed)
        return None
    return KindRule(kind=canonical_kind(name), protocols=(wanted,))


def _at(table: Table, name: str) -> Node:
    node = table.at(name)
    return node if isinstance(node, Scalar) else table.node
