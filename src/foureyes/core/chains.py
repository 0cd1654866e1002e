"""The seven shipped critic chains, each with its layers, vetoes and action on exhaustion."""

from __future__ import annotations

from foureyes.core.protocols import chain
from foureyes.core.rules import Exhausted, Protocol, SeatRule


def _layer(critic: str, scope: str, *, veto: bool = False) -> SeatRule:
    return SeatRule(roles=(critic,), scope=scope, veto=veto)


SELDON = _layer("seldon", "format")
HARDIN = _layer("hardin", "security", veto=True)
GAAL = _layer("gaal", "factual", veto=True)
DANEEL = _layer("daneel", "operational")
MALLOW = _layer("mallow", "financial")
MAGNIFICO = _layer("magnifico", "creative")
AMARYL = _layer("amaryl", "quantitative")

#: The scopes of the shipped critics; a policy may add layers of its own.
SCOPES = frozenset(one.scope for one in (SELDON, HARDIN, GAAL, DANEEL, MALLOW, MAGNIFICO, AMARYL))

DEFAULT = chain("default", (SELDON,), unanimous=False, retries_max=3, exhausted=Exhausted.RETURN_ERROR)
SECURITY = chain("security", (SELDON, HARDIN), unanimous=True, retries_max=2, exhausted=Exhausted.ESCALATE)
RESEARCH = chain("research", (SELDON, GAAL), unanimous=True, retries_max=3, exhausted=Exhausted.ESCALATE)
INFRASTRUCTURE = chain(
    "infrastructure", (SELDON, HARDIN, DANEEL), unanimous=True, retries_max=2, exhausted=Exhausted.ESCALATE
)
FINANCIAL = chain("financial", (SELDON, MALLOW, GAAL), unanimous=True, retries_max=1, exhausted=Exhausted.ESCALATE)
CONTENT = chain("content", (MAGNIFICO, GAAL), unanimous=True, retries_max=3, exhausted=Exhausted.RETURN_TO_AUTHOR)
TRADING = chain("trading", (SELDON, HARDIN, AMARYL), unanimous=True, retries_max=1, exhausted=Exhausted.ESCALATE)

CHAINS: tuple[Protocol, ...] = (DEFAULT, SECURITY, RESEARCH, INFRASTRUCTURE, FINANCIAL, CONTENT, TRADING)
