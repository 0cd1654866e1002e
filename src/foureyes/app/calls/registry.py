"""Which calls are there? Every door enumerates this, and nothing else can be asked."""

from __future__ import annotations

from typing import Any

from foureyes.app.calls import about_accounts, about_reviews, looking
from foureyes.app.calls.bodies import taken
from foureyes.app.calls.call import Call, Caller
from foureyes.app.calls.office import Office

CALLS: dict[str, Call[Any]] = {
    one.name: one for one in (*about_reviews.calls(), *looking.calls(), *about_accounts.calls())
}


async def answered(office: Office, caller: Caller, call: Call[Any], data: object) -> Any:
    """Let a caller make a call: what they hold is checked, what they sent is read, then it is done."""
    caller.check(call.needs)
    return await call.answer(office, caller, taken(call.form, data))
