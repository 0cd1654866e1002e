"""What a caller needs to repair a refused call, as data: the argument, what it may be, and the next call.

The core says what is wrong. Here it is said in terms of the call that was made: which of its arguments, which ids the
caller may name instead, what to add. All of it comes from the call itself and from what the caller may see.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from foureyes.app.calls.call import Call, Caller
from foureyes.app.calls.office import Office
from foureyes.app.calls.repair_codes import BY_CODE, IDS_MAX, REVIEW_FIELDS, Made, another_key
from foureyes.app.calls.repair_places import is_there, place_of
from foureyes.app.calls.repair_seeds import in_their_words, review_of
from foureyes.app.limits import TooFast
from foureyes.app.ports import Unavailable
from foureyes.app.rows import FIRST, Listing
from foureyes.app.session_mates import sessions_of
from foureyes.core.model import Review
from foureyes.core.refusals import Code, Fact, NextCall, Refusal

#: The call that tells what another would do; its `form` holds the other's arguments.
PREVIEW = "preview"
#: The calls whose `protocols` name styles.
_TAKING_STYLES = ("open_review", "open_reviews")


async def add_repair(office: Office, caller: Caller, call: Call[Any], sent: object, refusal: Refusal) -> Refusal:
    """Say in a refusal how this call is repaired; what it says already stays."""
    if isinstance(refusal, TooFast) or type(sent) is not dict:
        return refusal
    with suppress(Refusal, Unavailable):
        if call.name == PREVIEW and _is_about_inner(sent, refusal):
            await _repair_inner(office, caller, sent, refusal)
        else:
            await _repair(office, caller, call.name, sent, refusal)
        key = sent.get("key")
        if isinstance(key, str) and key and key.isprintable():
            # A refusal is kept for its key: the repaired call is another request, and needs another one.
            refusal.fields = {"new_key": another_key(key), **refusal.fields}
    return refusal


def _is_about_inner(sent: Mapping[str, Any], refusal: Refusal) -> bool:
    """True if a preview was refused for the call it is about, and not for an argument of its own."""
    first = str(refusal.fields.get("field", "")).partition(".")[0]
    inner = sent.get("form")
    return isinstance(inner, dict) and (first in inner or first not in (*sent, "call"))


async def _repair_inner(office: Office, caller: Caller, sent: Mapping[str, Any], refusal: Refusal) -> None:
    """Repair the call that a preview is about, in terms of the preview's own arguments."""
    inner = sent["form"]
    await _repair(office, caller, str(sent.get("call", "")), inner, refusal)
    fields = dict(refusal.fields)
    add, remove = fields.pop("add", None), fields.pop("remove", None)
    form = {**inner, **(add if isinstance(add, Mapping) else {})}
    left = {name: value for name, value in form.items() if not isinstance(remove, list) or name not in remove}
    if fields.get("field"):
        fields["field"] = f"form.{fields['field']}"
    refusal.fields = {**fields, **({"add": {"form": left}} if left != inner else {})}


async def _repair(office: Office, caller: Caller, name: str, sent: Mapping[str, Any], refusal: Refusal) -> None:
    """Add to a refusal which argument is wrong, what it may be, what to add or leave out, and the next call."""
    fields, step = dict(refusal.fields), refusal.next_call
    if fields.get("field") == "session":
        known = await _known_sessions(office, caller)
        # If the session is right, something else is missing.
        fields = {} if sent.get("session") in known else {**fields, "allowed": known}
    elif refusal.code is Code.REVIEW_MISSING or refusal.sentence.startswith("Review not found"):
        field = next((one for one in REVIEW_FIELDS if one in sent), "after[]" if "after" in sent else REVIEW_FIELDS[0])
        fields |= {"field": field, "allowed": await _known_reviews(office, caller)}
        step = step or NextCall(call="inbox")
    elif refusal.code in BY_CODE:
        seen = await _seen(office, caller, sent)
        made = Made(
            name=name,
            who=caller.who.name,
            sent=sent,
            review=seen,
            reviews=await _known_reviews(office, caller) if fields.get("field") in REVIEW_FIELDS else (),
        )
        more, found = BY_CODE[refusal.code](made, refusal)
        fields, step = {**fields, **more}, step or found
    if name not in _TAKING_STYLES and str(fields.get("field", "")).startswith("protocols["):
        # The policy in force lacks the style of this call: no argument of it is wrong.
        fields = {one: value for one, value in fields.items() if one not in ("field", "allowed")}
        refusal.next_step = "This call needs a policy with that style: ask a human to activate one, or use open_review."
    field = place_of(sent, fields)
    if field and fields.get("remove") == [fields.get("field")] and not is_there(sent, str(fields.get("field"))):
        fields["remove"] = [field]
    refusal.fields, refusal.next_call = {**fields, **({"field": field} if field else {})}, step
    in_their_words(name, sent, refusal)


async def _seen(office: Office, caller: Caller, sent: Mapping[str, Any]) -> Review | None:
    named = next((sent[one] for one in REVIEW_FIELDS if isinstance(sent.get(one), str)), "") or review_of(sent)
    with suppress(Refusal):
        return (await office.gate.read(named, caller.who)).view.review if named else None
    return None


async def _known_sessions(office: Office, caller: Caller) -> list[Fact]:
    """Sessions that the caller signalled in lately, and those of the reviews that wait for them."""
    name = caller.who.name
    found: list[Fact] = [*await office.store.read(lambda reading: sessions_of(reading, name))]
    for review in await _known_reviews(office, caller):
        with suppress(Refusal):
            found.append((await office.gate.read(str(review), caller.who)).view.review.origin.session)
    known: list[Fact] = [one for one in dict.fromkeys(map(str, found)) if one]
    return known[:IDS_MAX]


async def _known_reviews(office: Office, caller: Caller) -> list[Fact]:
    """Reviews in which the caller has something to do, and their own that are open."""
    name = caller.who.name
    waiting = await office.store.read(lambda reading: reading.inbox(name, IDS_MAX, FIRST))
    mine = await office.store.read(lambda reading: reading.reviews(Listing(state="open", author=name, limit=IDS_MAX)))
    found: list[Fact] = list(dict.fromkeys([*(one.review for one in waiting), *(one.review for one in mine)]))
    return found[:IDS_MAX]
