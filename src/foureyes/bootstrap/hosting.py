"""The reviewers that a server hosts, as its policy names them, and the dispatcher that starts them.

On a shared database workers host them first.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from foureyes.app.accounts import Enrolled
from foureyes.app.calls.office import Office
from foureyes.app.gate import Gate
from foureyes.app.policies import Policies
from foureyes.app.ports import Store
from foureyes.app.reviewers import AtHand
from foureyes.app.reviewing.outcome import Options
from foureyes.cli.consent import is_given
from foureyes.engine.dispatching import Dispatcher
from foureyes.engine.hosting import Everybody, Hosted, Hosting
from foureyes.engine.local import LocalEngine
from foureyes.engine.place import Place
from foureyes.engine.steps import Hand, Steps, always_here
from foureyes.engine.workers import Crew, Workers

if TYPE_CHECKING:
    from foureyes.bootstrap.assembly import Assembly
    from foureyes.policy.policy import Policy


def hosted(assembly: Assembly, policies: Policies, given: tuple[str, ...]) -> Hosted:
    """The reviewers that the policy in force names and this machine has; one that sends work out needs consent."""
    return Hosted(partial(_at_hand, assembly, given), policies, assembly.now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Here:
    """The reviewers hosted for a server; on a shared database, by its workers first."""

    hosting: Hosting
    workers: Workers | None = None


def gate_of(
    assembly: Assembly, store: Store, default: Policy, given: tuple[str, ...], *, tells: bool
) -> tuple[Gate, Here]:
    """The gate of a server, which assigns hosted reviewers and enrolled accounts."""
    own = hosted(assembly, Policies(default), given)
    here = Here(hosting=own)
    if assembly.settings.is_postgres:
        workers = Workers(store, assembly.now)
        here = Here(hosting=Crew(workers, own), workers=workers)
    return assembly.gate(store, default, Everybody((here.hosting, Enrolled(assembly.now))), tells=tells), here


def dispatcher(assembly: Assembly, office: Office, here: Here, hand: Hand) -> tuple[Dispatcher, Place | None]:
    """The dispatcher that starts hosted reviewers in this process; changes made here wake it.

    Only a PostgreSQL database is shared by several servers. There, one of them hosts reviewers, and none does while
    there are workers.
    """
    place = Place(office.store, assembly.now) if here.workers else None
    steps = Steps(
        gate=office.gate,
        store=office.store,
        hosted=here.hosting,
        hand=hand,
        clock=assembly.now,
        is_here=partial(_is_here, here.workers, place) if here.workers and place else always_here,
    )
    engine = LocalEngine(steps, ended=office.bell.ring)
    one = Dispatcher(steps=steps, engine=engine, bell=office.bell, clock=assembly.now)
    office.bell.heard_by(one.woken.set)
    return one, place


async def _is_here(workers: Workers, place: Place) -> bool:
    if await workers.look():
        await place.leave()
        return False
    return await place.is_ours()


def _at_hand(assembly: Assembly, given: tuple[str, ...], policy: Policy) -> AtHand:
    from foureyes.bootstrap.reviewing import LocalDesk

    # Consent that was given at a terminal was for that person's own work; a server gets the work of others.
    options = Options(named_only=True, may_send=lambda name, _: is_given(given, name))
    return LocalDesk(assembly, os.environ).at_hand(policy, options)
