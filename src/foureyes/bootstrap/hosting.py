"""Which reviewers does a server host, and what starts them? Those of its policy, on the engine of one process."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from foureyes.app.accounts import Enrolled
from foureyes.app.bell import Bell
from foureyes.app.gate import Gate
from foureyes.app.policies import Policies
from foureyes.app.ports import Store
from foureyes.app.reviewers import AtHand
from foureyes.app.reviewing.outcome import Options
from foureyes.cli.consent import is_given
from foureyes.engine.dispatching import Dispatcher
from foureyes.engine.hosting import Everybody, Hosted
from foureyes.engine.local import LocalEngine
from foureyes.engine.steps import Hand, Steps

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


def dispatcher(
    gate: Gate, store: Store, here: Hosted, *, hand: Hand, bell: Bell, clock: Callable[[], datetime]
) -> Dispatcher:
    """What starts the hosted reviewers in this process; whatever is done here wakes it."""
    steps = Steps(gate=gate, store=store, hosted=here, hand=hand, clock=clock)

    def ended() -> None:
        bell.ring()

    one = Dispatcher(steps=steps, engine=LocalEngine(steps, ended=ended), bell=bell, clock=clock)
    bell.heard_by(one.woken.set)
    return one


def _at_hand(assembly: Assembly, given: tuple[str, ...], policy: Policy) -> AtHand:
    from foureyes.bootstrap.reviewing import LocalDesk

    # A yes that was once said at a terminal was for one's own work: here others hand in theirs, day and night.
    options = Options(named_only=True, may_send=lambda name, _: is_given(given, name))
    return LocalDesk(assembly, os.environ).at_hand(policy, options)
