"""DSSE envelopes for checkpoints and receipts: signs a payload together with its type, and verifies signatures."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable
from typing import Any

from foureyes.app.keys import PublicKey, Signer
from foureyes.codec import Json

ENVELOPE_FIELDS = {"payloadType", "payload", "signatures"}
SIGNATURES_MAX = 4


class BadEnvelope(ValueError):  # noqa: N818 - what is wrong with it is told in words
    """Not a signed envelope, or not one of this sort, or not signed by that key."""


def sealed(kind: str, payload: bytes, *signers: Signer) -> Json:
    """Sign a payload of this type."""
    message = _message(kind, payload)
    return {
        "payloadType": kind,
        "payload": base64.b64encode(payload).decode(),
        "signatures": [
            {"keyid": one.public.id, "sig": base64.b64encode(one.sign(message)).decode()} for one in signers
        ],
    }


def unsealed(kind: str, envelope: Any) -> bytes:
    """Return the payload of an envelope of this type, without checking the signature."""
    if type(envelope) is not dict or envelope.keys() != ENVELOPE_FIELDS:
        raise BadEnvelope("it is not a signed envelope")
    if envelope["payloadType"] != kind:
        raise BadEnvelope(f"it holds {envelope['payloadType']!r}, not {kind!r}")
    return _bytes(envelope["payload"])


def check_signature(envelope: Json, key: PublicKey) -> None:
    """Refuse an envelope that this key has not signed."""
    message = _message(envelope["payloadType"], _bytes(envelope["payload"]))
    if not any(key.signed(one, message) for one in _signatures_of(envelope, key.id)):
        raise BadEnvelope(f"key {key.id} has not signed this")


def signer_of(envelope: Json, keys: Iterable[PublicKey]) -> PublicKey:
    """Return which of these keys signed it; raises BadEnvelope if none did."""
    for key in keys:
        try:
            check_signature(envelope, key)
        except BadEnvelope:
            continue
        return key
    raise BadEnvelope("none of the known keys has signed this")


def read_json(text: str | bytes) -> Any:
    """Parse JSON strictly: duplicate names are refused, because they could be read in two ways."""

    def once(pairs: list[tuple[str, Any]]) -> Json:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise BadEnvelope("a name is given twice")
        return found

    try:
        return json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise error if isinstance(error, BadEnvelope) else BadEnvelope("it is not JSON") from None


def _message(kind: str, payload: bytes) -> bytes:
    """Return the signed message: type and payload, each prefixed with its length so that they cannot be confused."""
    name = kind.encode()
    return b"DSSEv1 %d %b %d %b" % (len(name), name, len(payload), payload)


def _signatures_of(envelope: Json, key: str) -> list[bytes]:
    found = envelope["signatures"]
    if type(found) is not list or not 0 < len(found) <= SIGNATURES_MAX:
        raise BadEnvelope("it is not signed")
    if any(type(one) is not dict or one.keys() != {"keyid", "sig"} for one in found):
        raise BadEnvelope("a signature has exactly the fields keyid and sig")
    return [_bytes(one["sig"]) for one in found if one["keyid"] == key]


def _bytes(text: Any) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, TypeError, ValueError):
        raise BadEnvelope("it is not written in base64") from None
