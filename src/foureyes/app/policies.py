"""Which policy is in force, and which rules does a digest name?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from foureyes.app.ports import Damaged, Reading
from foureyes.app.shelf import Dated, read_events
from foureyes.app.work import blob_digest
from foureyes.codec import CodecError
from foureyes.core.events import PolicyActivated, SideEvent
from foureyes.core.policies import in_force
from foureyes.core.rules import Rules
from foureyes.policy.policy import Policy, read_policy

if TYPE_CHECKING:
    from foureyes.core.facts import PolicyInForce

POLICY_STREAM = "policy"


@dataclass(frozen=True, slots=True, kw_only=True)
class InForce:
    """The policy new reviews get, and what put it there; none while only the default is."""

    policy: Policy
    activated: PolicyActivated | None = None
    #: The last policy that was put into force for open reviews too, with its time: a later one that is not leaves it.
    in_flight: tuple[Policy, str] | None = None

    def binding(self, opened: str) -> Policy | None:
        """The policy that binds a review opened at this time beside its own."""
        if self.in_flight is None or opened > self.in_flight[1]:
            return None
        return self.in_flight[0]

    def fact(self, opened: str) -> PolicyInForce | None:
        """What the core is told of it when it decides about a review opened at this time."""
        from foureyes.core.facts import PolicyInForce  # noqa: PLC0415 - who only judges needs no facts

        bound = self.binding(opened)
        if bound:
            return PolicyInForce(digest=bound.digest, applies_in_flight=True, rules=bound.rules)
        if self.activated is None:
            return None
        return PolicyInForce(digest=self.policy.digest, rules=self.policy.rules)


class Policies:
    """Policies by digest; what one digest names never changes, so each is read once."""

    def __init__(self, default: Policy) -> None:
        """The default is what holds until a human activates another."""
        self.default = default
        self._read: dict[str, Policy] = {default.digest: default}
        self._in_force: tuple[int, bytes, InForce] | None = None

    def named(self, reading: Reading, digest: str) -> Policy:
        """The policy of this digest; raises Damaged where its text is gone or altered."""
        found = self._read.get(digest)
        if found is None:
            found = self._read[digest] = self._stored(reading, digest)
        return found

    def rules(self, reading: Reading, digest: str) -> Rules:
        """The rules of this digest."""
        return self.named(reading, digest).rules

    def stricter(self, reading: Reading, digest: str) -> Rules | None:
        """The rules that bind a review beside its own, if any."""
        return self.rules(reading, digest) if digest else None

    def current(self, reading: Reading) -> InForce:
        """The policy in force as this transaction sees it."""
        known = reading.known(POLICY_STREAM, "", "")
        if not known.version:
            return InForce(policy=self.default)
        if self._in_force is None or self._in_force[:2] != (known.version, known.chain):
            past = read_events(reading, POLICY_STREAM, known)
            self._in_force = (known.version, known.chain, self._found(reading, past))
        return self._in_force[2]

    def _found(self, reading: Reading, past: tuple[Dated, ...]) -> InForce:
        activated = in_force(cast("list[SideEvent]", [event for event, _ in past]))
        if activated is None:
            return InForce(policy=self.default)
        binding = [(one, at) for one, at in past if isinstance(one, PolicyActivated) and one.applies_in_flight]
        return InForce(
            policy=self.named(reading, activated.digest),
            activated=activated,
            in_flight=(self.named(reading, binding[-1][0].digest), binding[-1][1]) if binding else None,
        )

    def _stored(self, reading: Reading, digest: str) -> Policy:
        blob = reading.blob(digest)
        if blob is None or blob.content is None or blob_digest(blob.content) != digest:
            raise Damaged(f"The text of policy {digest} is gone or altered.")
        try:
            return read_policy(blob.content)
        except CodecError as error:
            raise Damaged(f"Policy {digest} cannot be read: {error}") from error
