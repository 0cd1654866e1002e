"""The page behind a decision link: it shows the question, and its button decides once, without signing in.

The holder of the link counts as the human it was sent to, for this one question and nothing else. A veto is never
lifted this way: that takes a human who has just signed in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from foureyes.app import links
from foureyes.app.accounts import hash_of
from foureyes.app.calls.call import Caller
from foureyes.app.calls.office import Office
from foureyes.app.calls.registry import CALLS, answered
from foureyes.app.calls.shown import ReviewShown, RulingShown
from foureyes.app.ports import Damaged, Unavailable
from foureyes.core.refusals import Refusal
from foureyes.web.deciding import choices, demanded, question
from foureyes.web.door import LINK, Turned, path_to, read_form, status_of
from foureyes.web.frame import hidden, link, page, told
from foureyes.web.html import element, when
from foureyes.web.signing import FIELD, SECRET_CHARS_MAX

PATH = "/decide"
TITLE = "Decide"
OVER = "This link was used already, is over, or is none of ours."
DONE = "This question is answered, or was withdrawn."
VETO = "A veto stands here, and no link lifts one."
_ID_CHARS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class ByLink:
    """The page behind a decision link."""

    office: Office

    async def ask(self, request: Request) -> Response:
        """Show the question. A program that follows links decides nothing and does not use the link up."""
        try:
            return await self._shown(request.query_params.get(FIELD, ""))
        except Turned as no:
            return told(TITLE, no.sentence, no.next_step, status=no.status)
        except Refusal as refusal:
            return told(TITLE, refusal.sentence, refusal.next_step, status=422)
        except (Unavailable, Damaged) as error:
            return told(TITLE, str(error), "Look again when it is back.", status=503)

    async def decide(self, request: Request) -> Response:
        """Decide in the name of the human the link was sent to, by the same call that every door makes."""
        try:
            sent = await read_form(request)
            return await self._decided(sent.get(FIELD, ""), sent)
        except Turned as no:
            return told(TITLE, no.sentence, no.next_step, status=no.status)
        except Refusal as refusal:
            return told("Not done", refusal.sentence, refusal.next_step, status=422)
        except Unavailable as error:
            return told("Not now", str(error), "Look again when it is back.", status=status_of(error))
        except Damaged as error:
            return told("Not now", str(error), "Look again when it is back.", status=503)

    async def _shown(self, secret: str) -> Response:
        found = await self._link(secret)
        one, asked = await self._asked(found, secret)
        now = self.office.clock()
        fields = (hidden(FIELD, secret), *choices(asked), element("button", "Decide", type="submit"))
        return page(
            TITLE,
            element("p", f"You decide as {found.human}. It works once, until ", when(found.ends, now), "."),
            element(
                "section",
                element("h2", one.title),
                element("p", f"{one.kind} by {one.author.name}, version {one.revision}", class_="soft"),
                *question(asked),
                element("form", *fields, method="post", action=PATH, class_="act"),
                class_="card asked",
            ),
            element("p", "Signed in, you see all of it: ", link(path_to("reviews", one.review), "the review"), "."),
        )

    async def _decided(self, secret: str, sent: Mapping[str, str]) -> Response:
        found = await self._link(secret)
        await self._asked(found, secret)
        caller = await self._caller(found, secret)
        data: dict[str, object] = {"review": found.review, "request": found.request}
        data |= {name: sent.get(name, "") for name in ("option", "reason")}
        if demands := demanded(sent.get("demands", "")):
            data["demands"] = demands
        now = self.office.clock()
        if await self.office.store.write(lambda tx: links.taken(tx, secret, now)) is None:
            raise Turned(401, OVER, LINK)
        try:
            await answered(self.office, caller, CALLS["rule"], data)
        except (Refusal, Unavailable):
            # If the decision was made after all, the question is answered, and the link can no longer decide it.
            await self.office.store.write(lambda tx: links.give_back(tx, secret))
            raise
        return told("Decided", f"Your decision is in the record, under the name {found.human}.", "", status=200)

    async def _link(self, secret: str) -> links.Link:
        if not secret or len(secret) > SECRET_CHARS_MAX:
            raise Turned(401, OVER, LINK)
        now = self.office.clock()
        found = await self.office.store.read(lambda reading: links.link_of(reading, secret, now))
        if found is None or found.used:
            raise Turned(401, OVER, LINK)
        return found

    async def _asked(self, found: links.Link, secret: str) -> tuple[ReviewShown, RulingShown]:
        """The question as this human may see it; refused if it is answered already, or if a veto stands."""
        caller = await self._caller(found, secret)
        one: ReviewShown = (await answered(self.office, caller, CALLS["read_review"], {"review": found.review})).review
        ruling = (await self.office.gate.read(found.review, caller.who)).view.review.ruling()
        if one.ruling is None or ruling is None or one.ruling.request != found.request:
            raise Turned(409, DONE, "There is nothing left to decide here.")
        if ruling.veto or one.vetoed:
            raise Turned(403, VETO, f"{LINK} Then look at the version, and decide.")
        return one, one.ruling

    async def _caller(self, found: links.Link, secret: str) -> Caller:
        human = await self.office.store.read(lambda reading: links.human(reading, found.human))
        if human is None:
            raise Turned(401, OVER, LINK)
        # Not as a fresh sign-in, which would allow more than a link may. The record keeps which link it was.
        name = f"link-{hash_of(secret)[:_ID_CHARS]}"
        return Caller(account=human, signed_in=found.made - links.LIFE, credential=name)
