"""Turns what a seed's caller sends into files, and gives it back as it was sent."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from foureyes.app.asks import Reply, kept_reply
from foureyes.app.calls.call import Caller
from foureyes.app.calls.files import FileSent, work_sent
from foureyes.app.calls.office import Office
from foureyes.app.calls.seed_words import spelled_alike
from foureyes.app.calls.waiting import SECONDS_MAX
from foureyes.app.work import PLAIN_MODE, Work
from foureyes.codec.shapes import canonical
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.values import Pairs, WorkPart

JSON_TYPE = "application/json"
#: Prefix of context values that are more than text, so that they are returned as they were.
MARK = "json:"


def files_of(artifacts: Mapping[str, object]) -> tuple[FileSent, ...]:
    """Each artifact as a file of its name: text as it is, anything else as JSON."""
    return tuple(_file(name, value) for name, value in artifacts.items())


def artifacts_of(parts: Iterable[WorkPart], files: Mapping[str, bytes]) -> dict[str, object]:
    """The artifacts that these files were; what is no text is not shown here, `read_work` gives it."""
    return {one.name: _artifact(one, files[one.name]) for one in parts if one.name in files}


def is_shown_whole(parts: Iterable[WorkPart], files: Mapping[str, bytes]) -> bool:
    """Whether artifacts show every byte of a work: all of it is text in plain files, and nothing is removed."""
    return all(one.mode == PLAIN_MODE and one.name in files and _is_text(files[one.name]) for one in parts)


def pairs_of(context: Mapping[str, object]) -> Pairs:
    """A context with any keys, as the core keeps one."""
    return tuple((name, _kept(value)) for name, value in context.items())


def context_of(pairs: Pairs) -> dict[str, object]:
    """A context as it was sent."""
    return {name: _read(text.removeprefix(MARK), text) if text.startswith(MARK) else text for name, text in pairs}


async def work_of(office: Office, files: tuple[FileSent, ...]) -> Work:
    """The work that these files are."""
    return await office.store.read(lambda reading: work_sent(reading, files))


@contextmanager
def waiting(office: Office, caller: Caller, seconds: int) -> Iterator[None]:
    """Hold one of the caller's waits while a call takes so long; whether there is one is known before it is done."""
    if not 0 <= seconds <= SECONDS_MAX:
        raise refuse(Code.BAD_NUMBER, what="The time to wait", value=seconds, low=0, high=SECONDS_MAX, field="wait")
    if not seconds:
        yield
        return
    with office.quotas.holding(caller.who, "waits"):
        yield


async def answered_before(office: Office, caller: Caller, key: str) -> Reply | None:
    """What this key was answered with already, so that nothing is done again; raises what it was refused with."""
    if not key:
        return None
    known = await office.store.read(lambda reading: reading.known("", caller.who.name, key))
    before = kept_reply(known.reply) if known.reply else None
    if isinstance(before, Refusal):
        raise before
    return before


def check_is(caller: Caller, name: str) -> None:
    """An agent in the arguments is the caller, by name or by a role the caller was enrolled with; else refused."""
    roles = caller.account.roles
    if not any(spelled_alike(name, one) for one in (caller.account.who.name, *roles)):
        caller.named(name)


def _file(name: str, value: object) -> FileSent:
    if isinstance(value, str):
        return FileSent(path=name, text=value)
    return FileSent(path=name, text=_spelled(value), media_type=JSON_TYPE)


def _artifact(part: WorkPart, content: bytes) -> object:
    text = content.decode("utf-8", "replace")
    if part.media_type != JSON_TYPE:
        return text
    value = _read(text, text)
    # If parsing would hide a duplicate name or an unusual spelling of a number, the text is shown.
    return value if _is_spelled(value, text) else text


def _is_spelled(value: object, text: str) -> bool:
    """Whether a JSON value says all that its text does."""
    try:
        return _spelled(value) == text
    except (ValueError, RecursionError):
        return False


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _read(text: str, otherwise: str) -> object:
    """What this is in JSON; whoever came through another door may have written anything there."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return otherwise


def _kept(value: object) -> str:
    if isinstance(value, str) and not value.startswith(MARK):
        return value
    return MARK + _spelled(value)


def _spelled(value: object) -> str:
    return canonical([value]).decode()[1:-1]
