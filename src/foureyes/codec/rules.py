"""How are the rules of a review written down, so that they stay what they were under every later version?

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
    """Write rules down without their digest, which is that of what they are written in."""
    body: Json = shape(Rules)[0](replace(rules, digest=""))
    del body["digest"]
    return body
