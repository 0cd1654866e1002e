"""Which reviewers does a server host, and what starts them? Those of its policy, on the engine of one process."""

from __future__ import annotations

import os
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
from foureyes.engine.hosting import Everybody, Hosted
from foureyes.engine.local import LocalEngine
from foureyes.engine.place import Place
from foureyes.engine.steps import Hand, Steps, always_here

if TYPE_CHECKING:
    from foureyes.bootstrap.assembly import Assembly
    from foureyes.policy.policy import Policy


def hosted(assembly: Assembly, policies: Policies, given: tuple[str, ...]) -> Hosted:
    """Whom the policy in force names and this machine has; who sends work out needs a person's yes."""
    return Hosted(partial(_at_hand, assembly, given), policies, assembly.now)


def gate_of(assembly: Assembly, store: Store, default: Policy, given: tuple[str, ...]) -> tuple[Gate, Hosted]:
    """The gate of a server, which draws among those who are hosted and those who are enrolled."""
    here = hosted(assembly, Policies(default), given)
    return assembly.gate(store, default, Everybody((here, Enrolled()))), here


def dispatcher(assembly: Assembly, office: Office, here: Hosted, hand: Hand) -> tuple[Dispatcher, Place | None]:
    """What starts the hosted reviewers in this process; whatever is done here wakes it.

    Only a database server is shared by several of ours; there one of them hosts.
    """
    place = Place(office.store, assembly.now) if assembly.settings.is_postgres else None
    steps = Steps(
        gate=office.gate,
        store=office.store,
        hosted=here,
        hand=hand,
        clock=assembly.now,
        is_here=place.is_ours if place else always_here,
    )
    engine = LocalEngine(steps, ended=office.bell.ring)
    one = Dispatcher(steps=steps, engine=engine, bell=office.bell, clock=assembly.now)
    office.bell.heard_by(one.woken.set)
    return one, place


def _at_hand(assembly: Assembly, given: tuple[str, ...], policy: Policy) -> AtHand:
    from foureyes.bootstrap.reviewing import LocalDesk

    # A yes that was once said at a terminal was for one's own work: here others hand in theirs, day and night.
    options = Options(named_only=True, may_send=lambda name, _: is_given(given, name))
    return LocalDesk(assembly, os.environ).at_hand(policy, options)
