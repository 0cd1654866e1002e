"""The registry of all calls, which every door enumerates, and the function that makes one for a caller."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from foureyes.app.calls import (
    about_accounts,
    about_reviews,
    attesting,
    governing,
    inbox,
    looking,
    measures,
    records,
    seeds,
    sending,
    trying,
    waiting,
)
from foureyes.app.calls.bodies import taken
from foureyes.app.calls.call import Call, Caller
from foureyes.app.calls.office import Office
from foureyes.app.calls.repairs import add_repair
from foureyes.core.refusals import Refusal

_THEMES = (
    about_reviews,
    looking,
    inbox,
    about_accounts,
    waiting,
    seeds,
    governing,
    attesting,
    measures,
    records,
    sending,
    trying,
)

CALLS: dict[str, Call[Any]] = {one.name: one for theme in _THEMES for one in theme.calls()}


async def answered(office: Office, caller: Caller, call: Call[Any], data: object, *, came: float | None = None) -> Any:
    """Let a caller make a call: what they hold is checked, what they sent is read, then it is done in their turn.

    It `came` then, where that is known.
    """
    try:
        caller, form = _let_in(office, caller, call, data)
        async with office.quotas.asked(caller.who, office.clock(), came):
            return await _answered(office, caller, call, form)
    except Refusal as refusal:
        raise await _refused(office, caller, call, data, refusal) from None


async def answered_in_turn(office: Office, caller: Caller, call: Call[Any], data: object) -> Any:
    """The same for somebody whose turn it is already."""
    try:
        caller, form = _let_in(office, caller, call, data)
        return await _answered(office, caller, call, form)
    except Refusal as refusal:
        raise await _refused(office, caller, call, data, refusal) from None


async def _answered(office: Office, caller: Caller, call: Call[Any], form: Any) -> Any:
    """The answer, without secrets for everybody but a human who is signed in."""
    found = await call.answer(office, caller, form)
    return found if call.cuts else await office.served(caller, form, found)


async def _refused(office: Office, caller: Caller, call: Call[Any], data: object, refusal: Refusal) -> Refusal:
    return await office.refused(caller, data, await add_repair(office, caller, call, data, refusal))


def _let_in(office: Office, caller: Caller, call: Call[Any], data: object) -> tuple[Caller, Any]:
    if caller.remembered and not call.spools:
        raise office.unavailable()
    caller.check(call.needs)
    form = _read(call, data)
    if call.spools and office.spool is not None:
        caller = replace(caller, may_wait=caller.signed_in is None)
    return caller, form


def _read(call: Call[Any], data: object) -> Any:
    try:
        return taken(call.form, data)
    except Refusal as refusal:
        if not call.misread:
            raise
        what = refusal.sentence.partition(": ")[2].rstrip(".")
        raise Refusal(refusal.code, f"{call.misread}: {what}", refusal.next_step, fields=refusal.fields) from None
