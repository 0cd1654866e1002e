"""Bugs of the doors, planted one at a time: each is found by a check that runs on every build."""

import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from foureyes.app import deciding, gate
from foureyes.app.accounts import Roll
from foureyes.app.accounts import account as account_of_name
from foureyes.app.calls import bodies as forms
from foureyes.app.calls import office
from foureyes.app.calls.call import Caller
from foureyes.app.calls.registry import CALLS
from foureyes.core.answers import anyone, author
from foureyes.core.principals import Token
from foureyes.core.refusals import Code, Refusal
from foureyes.core.views import View
from foureyes.http import bodies, calling, problems
from foureyes.http.openapi import described
from tests.app.house import played
from tests.doors import test_identity as identity
from tests.doors.drawn import Sender, corners, operations
from tests.doors.fuzz import Shooter
from tests.doors.requests import REQUESTS
from tests.doors.states import found_in
from tests.doors.test_fuzz import callers, shoot, wrong_with
from tests.doors.test_noninterference import found_in as hidden_found_in
from tests.doors.test_rights import unlike

Plant = Callable[[pytest.MonkeyPatch], None]
Find = Callable[[], Awaitable[Any]]


def a_name_is_believed(patch: pytest.MonkeyPatch) -> None:
    """S1: the named account is taken for the caller."""
    patch.setattr(Caller, "named", lambda *_: None)


def the_client_picks_the_id(patch: pytest.MonkeyPatch) -> None:
    """S2: the name of a review is what its author calls it."""
    call = CALLS["open_review"]

    async def answer(desk: Any, caller: Any, form: Any) -> Any:
        patch.setattr(desk.gate, "_world", replace(desk.gate._world, mint=lambda: form.title))
        return await call.answer(desk, caller, form)

    patch.setitem(CALLS, "open_review", replace(call, answer=answer))


def anybody_revises(patch: pytest.MonkeyPatch) -> None:
    """S3: a new version is accepted from any caller."""
    patch.setattr(author, "check_author", lambda *_: None)


def anybody_escalates(patch: pytest.MonkeyPatch) -> None:
    """S4: any caller can request a ruling, in any state."""

    def request_ruling(*_: Any) -> Iterator[Any]:
        return iter(())

    patch.setattr(anyone, "request_ruling", request_ruling)


def everybody_sees_all(patch: pytest.MonkeyPatch) -> None:
    """S5: the whole review is shown to every caller."""
    patch.setattr(gate, "view", lambda _, review, *__: View(review=review, whole=frozenset(), hides=False))


def the_gate_is_advice(patch: pytest.MonkeyPatch) -> None:
    """S9: work with a review goes live."""
    call = CALLS["gate"]

    async def answer(desk: Any, caller: Any, form: Any) -> Any:
        found = await call.answer(desk, caller, form)
        return replace(found, allowed=bool(found.review))

    patch.setitem(CALLS, "gate", replace(call, answer=answer))


def a_message_counts(patch: pytest.MonkeyPatch) -> None:
    """S15: a refusal says how many reports there are."""
    original = anyone.request_ruling

    def request_ruling(scene: Any, command: Any, actor: Any) -> Iterator[Any]:
        try:
            yield from original(scene, command, actor)
        except Refusal as refusal:
            raise Refusal(refusal.code, f"{refusal.sentence} Have {len(scene.review.reports)}.", "Wait.") from None

    patch.setattr(anyone, "request_ruling", request_ruling)


def any_page_acts(patch: pytest.MonkeyPatch) -> None:
    """Own 1: a cookie is enough."""
    patch.setattr(calling, "_check_form", lambda *_: None)


def a_token_is_a_human(patch: pytest.MonkeyPatch) -> None:
    """Own 2: what needs a human needs a credential."""
    patch.setattr(Caller, "check", lambda *_: None)


def a_token_is_for_ever(patch: pytest.MonkeyPatch) -> None:
    """Own 3: a token that was taken back opens."""
    patch.setattr(Token, "opens", lambda *_: True)


def a_service_is_anybody(patch: pytest.MonkeyPatch) -> None:
    """Own 4: whom a service names it acts for."""

    def account(_: Any, reading: Any, name: str) -> Any:
        found = account_of_name(reading, name)
        return replace(found, vouched_by="dsf") if found else None

    patch.setattr(Roll, "recall", account)


def an_old_sign_in_lifts_a_veto(patch: pytest.MonkeyPatch) -> None:
    """Own 5: an old session counts as a present human."""
    patch.setattr(deciding.Deciding, "_signed_in_anew", lambda _: True)


def what_is_refused_is_done(patch: pytest.MonkeyPatch) -> None:
    """Own 6: a note is written, then refused."""
    call = CALLS["add_note"]

    async def answer(desk: Any, caller: Any, form: Any) -> Any:
        await call.answer(desk, caller, form)
        raise Refusal(Code.TOO_LONG, "The note is too long.", "Shorten it.")

    patch.setitem(CALLS, "add_note", replace(call, answer=answer))


def a_status_nobody_described(patch: pytest.MonkeyPatch) -> None:
    """Own 7: an answer no client expects."""
    patch.setitem(problems.STATUS, Code.NOT_THE_AUTHOR, 418)


def a_sentence_tells(patch: pytest.MonkeyPatch) -> None:
    """Own 8: a refusal is sent unchanged from the core."""

    async def as_it_is(*given: Any) -> Any:
        return given[-1]

    patch.setattr(office, "told_blindly", as_it_is)


def an_answer_is_otherwise(patch: pytest.MonkeyPatch) -> None:
    """Own 9: an answer is not as the description says."""

    def given(found: object) -> Any:
        said = forms.given(found)
        return {**said, "review": 1} if "review" in said else said

    patch.setattr(calling, "given", given)


def a_word_is_taken_for_a_number(patch: pytest.MonkeyPatch) -> None:
    """Own 10: a query parameter that is not a number crashes the door."""
    patch.setattr(calling, "_WHOLE", re.compile(r"-?\w+").fullmatch)


def depth_breaks(patch: pytest.MonkeyPatch) -> None:
    """Own 11: a body that is nested too deep breaks the door."""
    patch.setattr(bodies, "RecursionError", KeyError, raising=False)


def a_letter_breaks(patch: pytest.MonkeyPatch) -> None:
    """Own 12: a body that is no text breaks the door."""
    patch.setattr(bodies, "UnicodeDecodeError", KeyError, raising=False)
    patch.setattr(bodies, "ValueError", KeyError, raising=False)


async def broken() -> list[str]:
    """What some requests of our own find: wrong in ways that no description knows."""
    made, facts = await found_in("open")
    world = made.copy()
    usual = {name: good(facts) for name, good in REQUESTS.items() if name in ("add_note", "withdraw")}
    shooter = Shooter(described=described(), facts=facts, callers=callers(world), random=Random("planted"), usual=usual)
    shooter.operations = [one for one in shooter.operations if one[2]["operationId"] in usual]
    found = list[str]()
    for _ in range(1500):
        shot, before = shooter.shot(), world.acts
        found += wrong_with(shot, await shoot(world, shot), world.acts - before)
    return found


async def unlike_the_description() -> list[str]:
    """What schemathesis finds at the limits of some forms."""
    sender = Sender(*await found_in("open"))
    for operation in operations():
        if operation.definition.raw["operationId"] in ("add_note", "read_review", "inbox", "list_reviews"):
            for case in corners(operation):
                await sender.send(case)
    return sender.wrong


async def shown() -> list[str]:
    """What the reviewer learns who has not reported."""
    return await hidden_found_in("story", "ann", 90, "planted")


def rights_of(call: str) -> Find:
    """Cells of one call that are not as the table says."""

    async def found() -> list[str]:
        return await unlike(call)

    return found


async def forged() -> list[str]:
    """What a page that is not ours can do."""
    return await identity.forged((await found_in("open"))[0])


BUGS: list[tuple[Plant, Find]] = [
    (a_name_is_believed, identity.believed),
    (the_client_picks_the_id, identity.ids_chosen),
    (anybody_revises, rights_of("revise")),
    (anybody_escalates, rights_of("escalate")),
    (everybody_sees_all, shown),
    (the_gate_is_advice, identity.opened_without_clearance),
    (a_message_counts, shown),
    (any_page_acts, forged),
    (a_token_is_a_human, rights_of("override")),
    (a_token_is_for_ever, rights_of("me")),
    (a_service_is_anybody, identity.vouched_falsely),
    (an_old_sign_in_lifts_a_veto, rights_of("override")),
    (what_is_refused_is_done, broken),
    (a_status_nobody_described, broken),
    (a_sentence_tells, shown),
    (what_is_refused_is_done, unlike_the_description),
    (an_answer_is_otherwise, unlike_the_description),
    (a_word_is_taken_for_a_number, unlike_the_description),
    (depth_breaks, broken),
    (a_letter_breaks, broken),
]


@pytest.mark.parametrize(("plant", "find"), BUGS, ids=[f"{plant.__name__}-{find.__name__}" for plant, find in BUGS])
def test_a_planted_bug_is_found(plant: Plant, find: Find, monkeypatch: pytest.MonkeyPatch) -> None:
    """S1, S2, S3, S4, S5, S9, S15 and twelve of our own: with the bug the check fails, and without it passes."""

    @played
    async def story() -> None:
        await found_in("vetoed")
        described()  # as it is without the bug, whichever test comes first
        plant(monkeypatch)
        assert await find()

    story()


def test_without_a_bug_the_requests_find_nothing() -> None:
    """What the planted ones are compared with."""

    @played
    async def story() -> None:
        assert await broken() == []
        assert await unlike_the_description() == []

    story()
