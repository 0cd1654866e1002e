"""Write and read commands as JSON, for the spool and to compare requests with the same idempotency key."""

from __future__ import annotations

from typing import cast, get_args

from foureyes.codec.shapes import CodecError, Json, shape, tagged
from foureyes.core.commands import ReviewCommand
from foureyes.core.enrolments import EnrolTogether
from foureyes.core.lessons import PurgeLessons, RecordLesson, RetireLesson
from foureyes.core.live import AttestBase, RecordLive
from foureyes.core.policies import ActivatePolicy
from foureyes.core.principals import PrincipalCommand
from foureyes.core.sessions import SessionCommand
from foureyes.core.trust import DisableSkip, EnableSkip
from foureyes.core.values import Who

SideCommand = (
    RecordLive
    | AttestBase
    | ActivatePolicy
    | EnableSkip
    | DisableSkip
    | RecordLesson
    | RetireLesson
    | PurgeLessons
    | SessionCommand
    | PrincipalCommand
    | EnrolTogether
)
Command = ReviewCommand | SideCommand

COMMAND_TYPES: dict[str, type] = {one.__name__: one for one in get_args(Command)}
_PUT, _TAKE = tagged(COMMAND_TYPES.values())


def encode_command(command: Command) -> Json:
    """Encode a command together with its type name."""
    try:
        return cast("Json", _PUT(command))
    except CodecError as error:
        raise CodecError(f"{type(command).__name__}{error}") from None


def decode_command(data: Json) -> Command:
    """Decode a command; anything unexpected is refused."""
    try:
        return cast("Command", _TAKE(data))
    except CodecError as error:
        raise CodecError(f"command{error}") from None


def encode_who(who: Who) -> Json:
    """Encode a Who value."""
    return cast("Json", shape(Who)[0](who))


def decode_who(data: Json) -> Who:
    """Decode a Who value."""
    return cast("Who", shape(Who)[1](data))
