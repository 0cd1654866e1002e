"""The policy in force, and the policies and rules by digest, read from the store once and cached."""

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
    #: The last policy activated for open reviews too, with its time; later ones activated only for new reviews keep it.
    in_flight: tuple[Policy, str] | None = None
    #: The digests in force before that one, and those since, itself included.
    before: frozenset[str] = frozenset()
    since: frozenset[str] = frozenset()

    def binding(self, rules: str, opened: str) -> Policy | None:
        """Return the policy that also binds a review opened at this time under the policy with this digest.

        The digest tells whether the review was already open then, independently of the clock. The times decide only if
        that policy was in force both before and since.
        """
        if self.in_flight is None:
            return None
        is_newer = rules in self.since and (rules not in self.before or opened > self.in_flight[1])
        return None if is_newer else self.in_flight[0]

    def fact(self, rules: str, opened: str) -> PolicyInForce | None:
        """Return the fact about it for a decision on a review opened at this time, under this policy."""
        from foureyes.core.facts import PolicyInForce  # noqa: PLC0415 - who only judges needs no facts

        bound = self.binding(rules, opened)
        if bound:
            return PolicyInForce(digest=bound.digest, applies_in_flight=True, rules=bound.rules)
        if self.activated is None:
            return None
        return PolicyInForce(digest=self.policy.digest, rules=self.policy.rules)


class Policies:
    """Policies by digest; what one digest names never changes, so each is read once."""

    def __init__(self, default: Policy) -> None:
        """Use this default until a human activates another policy."""
        self.default = default
        self._read: dict[str, Policy] = {default.digest: default}
        self._unless_activated = InForce(policy=default)
        self._in_force: tuple[int, bytes, InForce] | None = None

    def named(self, reading: Reading, digest: str) -> Policy:
        """Return the policy of this digest; raises Damaged if its text is gone or altered."""
        found = self._read.get(digest)
        if found is None:
            found = self._read[digest] = self._stored(reading, digest)
        return found

    def rules(self, reading: Reading, digest: str) -> Rules:
        """Return the rules of this digest."""
        return self.named(reading, digest).rules

    def stricter(self, reading: Reading, digest: str) -> Rules | None:
        """Return the rules that also bind a review, if any."""
        return self.rules(reading, digest) if digest else None

    def current(self, reading: Reading) -> InForce:
        """Return the policy in force as this transaction sees it."""
        known = reading.known(POLICY_STREAM, "", "")
        if not known.version:
            return self._unless_activated
        if self._in_force is None or self._in_force[:2] != (known.version, known.chain):
            past = read_events(reading, POLICY_STREAM, known)
            self._in_force = (known.version, known.chain, self._found(reading, past))
        return self._in_force[2]

    def _found(self, reading: Reading, past: tuple[Dated, ...]) -> InForce:
        activated = in_force(cast("list[SideEvent]", [event for event, _ in past]))
        if activated is None:
            return self._unless_activated
        policy = self.named(reading, activated.digest)
        every = [(one, at) for one, at in past if isinstance(one, PolicyActivated)]
        last = max((number for number, (one, _) in enumerate(every) if one.applies_in_flight), default=None)
        if last is None:
            return InForce(policy=policy, activated=activated)
        digests, (bound, at) = [one.digest for one, _ in every], every[last]
        return InForce(
            policy=policy,
            activated=activated,
            in_flight=(self.named(reading, bound.digest), at),
            before=frozenset((self.default.digest, *digests[:last])),
            since=frozenset(digests[last:]),
        )

    def _stored(self, reading: Reading, digest: str) -> Policy:
        blob = reading.blob(digest)
        if blob is None or blob.content is None or blob_digest(blob.content) != digest:
            raise Damaged(f"The text of policy {digest} is gone or altered.")
        try:
            return read_policy(blob.content)
        except CodecError as error:
            raise Damaged(f"Policy {digest} cannot be read: {error}") from error
