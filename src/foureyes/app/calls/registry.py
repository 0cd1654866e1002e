"""Which calls are there? Every door enumerates this, and nothing else can be asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from foureyes.app.calls import (
    about_accounts,
    about_reviews,
    governing,
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
from foureyes.core.refusals import Refusal

_THEMES = (about_reviews, looking, about_accounts, waiting, seeds, governing, measures, records, sending, trying)

CALLS: dict[str, Call[Any]] = {one.name: one for theme in _THEMES for one in theme.calls()}


async def answered(office: Office, caller: Caller, call: Call[Any], data: object, *, came: float | None = None) -> Any:
    """Let a caller make a call: what they hold is checked, what they sent is read, then it is done in their turn.

    It `came` then, where that is known.
    """
    caller, form = _let_in(office, caller, call, data)
    async with office.quotas.asked(caller.who, office.clock(), came):
        return await call.answer(office, caller, form)


async def answered_in_turn(office: Office, caller: Caller, call: Call[Any], data: object) -> Any:
    """The same for somebody whose turn it is already."""
    caller, form = _let_in(office, caller, call, data)
    return await call.answer(office, caller, form)


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
        raise Refusal(refusal.code, f"{call.misread}: {what}", refusal.next_step) from None
