"""Requests to the gate (`Ask`) and its replies (`Reply`), and how replies are stored with their idempotency keys."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from foureyes.codec import CodecError
from foureyes.codec.commands import Command, encode_command, encode_who
from foureyes.codec.shapes import spelled
from foureyes.core.refusals import Code, NextCall, Refusal, refuse
from foureyes.core.values import Who, WorkPart

KEY_CHARS_MAX = 200

_KEPT = json.JSONEncoder(separators=(",", ":"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A command, who gives it (from the credential, never from an argument), and a key that makes repeating harmless.

    `stream` names what it is about, `review/<id>`; opening a review names none, the gate mints the id. `blobs` are
    bytes of parts that the store may not have yet. `before` are the parts as they were at the base of the work, as the
    author states it: nothing is decided by that. `target` is where the work shall go; what is live there now is a base
    that the gate knows. `aliases` are other names of the bytes that the shell
    looked up itself, like `git-commit:<id>`: whoever may go live by such a name trusts it. `signed_in` is when the
    human behind the actor last proved who they are; it is no part of what is asked. `credential` is which token it came
    with, and `asked_at` is when, where nobody could look that token up then: the gate looks it up when it decides.
    `loaded` is the digest of the bytes that the program which runs the actor has loaded for this judgement; it stands
    for what a door notes when it serves them, and no door takes it from a request.
    """

    actor: Who
    key: str
    command: Command
    stream: str = ""
    blobs: Mapping[str, bytes] = field(default_factory=dict)
    before: tuple[WorkPart, ...] = ()
    target: str = ""
    aliases: tuple[str, ...] = ()
    signed_in: datetime | None = None
    credential: str = ""
    asked_at: str = ""
    loaded: str = ""

    def body_hash(self) -> str:
        """Return the hash of the request without its key: the same key with another body is an error.

        The session is left out: a key belongs to an account, and a retry may come with another token.
        """
        return self._hash({"session": ""})

    def body_hash_before(self) -> str:
        """Return the hash as earlier releases stored it, with the session, so that their replies are still found."""
        return self._hash({})

    def _hash(self, otherwise: dict[str, str]) -> str:
        try:
            body = {
                "stream": self.stream,
                "by": encode_who(self.actor) | otherwise,
                "command": encode_command(self.command),
                "before": [[one.name, one.mode, one.digest] for one in self.before],
                "aliases": self.aliases,
                **({"target": self.target} if self.target else {}),
            }
            return hashlib.sha256(spelled(body).encode()).hexdigest()
        except (CodecError, UnicodeEncodeError) as error:
            raise refuse(Code.BAD_VALUE, what=error) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the gate did: the stream and how long it is now, the events by type, the state of the review.

    This is for the program that asked, not for a blind reviewer: how long a stream is tells what others did.
    """

    stream: str
    version: int
    events: tuple[str, ...] = ()
    state: str = ""
    #: True if the key was answered before; this is the stored reply.
    repeated: bool = False

    @property
    def review(self) -> str:
        """The id of the review this is about; empty for other streams."""
        kind, _, rest = self.stream.partition("/")
        return rest if kind == "review" else ""


def reply_text(reply: Reply) -> str:
    """Encode a reply as it is stored with its key."""
    return _KEPT.encode([reply.stream, reply.version, reply.events, reply.state])


def refusal_text(refusal: Refusal) -> str:
    """Encode a refusal as it is stored with its key."""
    return _KEPT.encode({"no": [refusal.code.value, refusal.sentence, refusal.next_step], **refusal.particulars()})


def kept_reply(text: str) -> Reply | Refusal:
    """Decode the reply or refusal that was stored with a key."""
    data = json.loads(text)
    if isinstance(data, dict):
        code, sentence, next_step = data["no"]
        call = data.get("next_call")
        return Refusal(
            Code(code),
            sentence,
            next_step,
            fields=data.get("fields"),
            next_call=NextCall(call=call["call"], arguments=call["arguments"]) if call else None,
        )
    stream, version, events, state = data
    return Reply(stream=stream, version=version, events=tuple(events), state=state, repeated=True)


def check_key(key: str) -> None:
    """Refuse an idempotency key that is empty, too long or not printable."""
    if not key or len(key) > KEY_CHARS_MAX or not key.isprintable():
        raise refuse(Code.KEY_MISSING, most=KEY_CHARS_MAX)
