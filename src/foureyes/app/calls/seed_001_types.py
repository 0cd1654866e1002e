"""The types of work that seed 001's calls take: the document's own, and those the policy has its peers judge."""

from __future__ import annotations

from foureyes.app.calls import seed_words as words
from foureyes.app.calls.office import Office
from foureyes.app.ports import Quick, Reading
from foureyes.core.kinds import canonical_kind

_OF_DOCUMENT = (*words.REVIEW_TYPES, *words.EXEMPT_TYPES)


async def known_types(office: Office, named: str) -> tuple[str, ...]:
    """Every type that the calls take. The policy is looked up only for a type that the document does not have."""
    if canonical_kind(named) in _OF_DOCUMENT:
        return _OF_DOCUMENT

    def look(reading: Reading) -> tuple[str, ...]:
        rules = office.gate.policies.current(reading).policy.rules
        of_policy = (canonical_kind(one.kind) for one in rules.kinds if words.PEER in one.protocols)
        return tuple(dict.fromkeys((*_OF_DOCUMENT, *of_policy)))

    return await office.store.read(Quick(look))
