"""How are the rules of a review written down, so that they stay what they were under every later version?

A review is judged by the rules it was opened under. They are kept as data, not as the file they came from: a later
version of this program may read the file differently or ship other defaults, and an open review must not notice.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

from foureyes.codec.shapes import CodecError, Json, canonical, register, shape, tagged
from foureyes.core import gates
from foureyes.core.rules import Gate, Rules

SCHEMA = 1

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


def encode_rules(rules: Rules) -> Json:
    """Write rules down by themselves."""
    return {"schema": SCHEMA, "rules": rules_body(rules)}


def decode_rules(text: bytes) -> Rules:
    """Read rules back, with the digest of exactly these bytes."""
    data = json.loads(text)
    if type(data) is not dict or data.keys() != {"schema", "rules"} or type(data["rules"]) is not dict:
        raise CodecError("rules have exactly the fields schema and rules")
    if data["schema"] != SCHEMA:
        raise CodecError(f"rules of schema {data['schema']!r}; this program reads {SCHEMA}")
    digest = hashlib.sha256(text).hexdigest()
    rules = shape(Rules)[1](data["rules"] | {"digest": digest})
    if not isinstance(rules, Rules):
        raise CodecError("these are no rules")
    return rules


def rules_text(rules: Rules) -> bytes:
    """The one spelling of these rules."""
    return canonical(encode_rules(rules))


def sealed(rules: Rules) -> Rules:
    """The same rules, bearing the digest of what they say."""
    return replace(rules, digest=hashlib.sha256(rules_text(rules)).hexdigest())
