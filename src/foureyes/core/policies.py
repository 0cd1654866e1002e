"""Policy activation: who may put a policy into force, and which one is in force."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from foureyes.core.events import PolicyActivated, SideEvent
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Who

NAME_CHARS_MAX = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivatePolicy:
    """A human puts a policy into force; with the flag, open reviews must meet it too."""

    digest: str
    name: str
    applies_in_flight: bool = False


def in_force(events: Iterable[SideEvent]) -> PolicyActivated | None:
    """The policy for new reviews: the last one that a human activated."""
    activated = [event for event in events if isinstance(event, PolicyActivated)]
    return activated[-1] if activated else None


def decide_policy(current: PolicyActivated | None, command: ActivatePolicy, actor: Who) -> tuple[SideEvent, ...]:
    """Answer the command; only a human changes the policy in force."""
    if not actor.is_human:
        raise Refusal(Code.HUMAN_ONLY, "Only a human activates a policy.", "Ask a human to activate it.")
    if not command.digest.strip():
        raise Refusal(Code.DIGEST_MISMATCH, "The policy has no digest.", "Name the digest of the policy you read.")
    if len(command.name) > NAME_CHARS_MAX:
        raise Refusal(
            Code.TOO_LONG,
            f"The policy's name has {len(command.name)} characters, more than {NAME_CHARS_MAX}.",
            "Choose a shorter name.",
        )
    if current and current.digest == command.digest and not _reaches_further(current, command):
        raise Refusal(
            Code.DUPLICATE,
            f"Policy {command.digest} is in force already.",
            "Nothing is left to do; activate another digest to change the policy.",
        )
    return (
        PolicyActivated(
            digest=command.digest,
            name=command.name,
            replaces=current.digest if current else "",
            by=actor.name,
            applies_in_flight=command.applies_in_flight,
        ),
    )


def _reaches_further(current: PolicyActivated, command: ActivatePolicy) -> bool:
    """True if the same policy now applies to open reviews too, so that activating it again is no duplicate."""
    return command.applies_in_flight and not current.applies_in_flight
