"""Write the rules of a review as JSON that keeps its meaning under every later version of the program.

A review is judged by the rules it was opened under. They are kept as data, not as the file they came from: a later
version of this program may read the file differently or ship other defaults, and an open review must not notice.
"""

from __future__ import annotations

from dataclasses import replace

from foureyes.codec.shapes import Json, register, shape, tagged
from foureyes.core import gates
from foureyes.core.rules import Gate, Rules

GATES: tuple[type, ...] = (
    gates.Agreement,
    gates.Certainty,
    gates.ConfidenceGap,
    gates.Consistency,
    gates.Coverage,
    gates.Evidence,
    gates.Independence,
    gates.Majority,
    gates.Quorum,
    gates.Resolved,
    gates.Standards,
    gates.Tally,
    gates.Unanimous,
    gates.Unknown,
)
register(Gate, tagged(GATES))


def rules_body(rules: Rules) -> Json:
    """Encode rules without their digest, which is computed from this body."""
    body: Json = shape(Rules)[0](replace(rules, digest=""))
    del body["digest"]
    return body
