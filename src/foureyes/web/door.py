"""Turn a browser's request into a page: session, form parsing, CSRF check, and errors shown as pages."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from foureyes.app.calls.call import Caller
from foureyes.app.calls.office import Office
from foureyes.app.calls.registry import CALLS, answered
from foureyes.app.credentials import Credential
from foureyes.app.limits import TooFast
from foureyes.app.patience import KNOWN
from foureyes.app.ports import Damaged, Unavailable
from foureyes.app.signing_in import COOKIE, form_mark
from foureyes.app.spooling import IsSpooled
from foureyes.app.turns import CAME
from foureyes.core.refusals import Code, Refusal
from foureyes.web.frame import FORM_FIELD, HEADERS, Signed, link, told
from foureyes.web.html import Html

FORM_BYTES_MAX = 64 * 1024
FIELDS_MAX = 100
_STATUS = {Code.REVIEW_MISSING: 404, Code.SIGN_IN_NEEDED: 403, Code.HUMAN_ONLY: 403}
_UNKNOWN, _UNDERSTOOD, _TOO_MANY = 401, 422, 429
LINK = "Run `foureyes humans link` where the server's data folder is: it opens the page to sign in."


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One request of a signed-in human."""

    office: Office
    request: Request
    session: str
    caller: Caller
    #: The fields of the form; empty if none was sent.
    sent: Mapping[str, str]

    async def call(self, name: str, /, **data: Any) -> Any:
        """Make a call as this human, by the same function as the other doors."""
        # Only for the page's first call: later ones were delayed by the page itself and not by the queue.
        came = self.request.scope.pop(CAME, None)
        return await answered(self.office, self.caller, CALLS[name], data, came=came)

    @property
    def signed(self) -> Signed:
        """The signed-in human, for the frame of the page."""
        return Signed(session=self.session, name=self.caller.who.name, here=self.request.url.path)

    def given(self, *names: str) -> dict[str, str]:
        """These fields of the form, as far as they were sent."""
        return {one: self.sent[one] for one in names if self.sent.get(one)}


Show = Callable[[Visit], Awaitable[Response]]


class Turned(Exception):  # noqa: N818 - an expected no, with a status of its own
    """A request that is refused: what is wrong, what to do, and the HTTP status."""

    def __init__(self, status: int, sentence: str, next_step: str) -> None:
        """Keep what the page shows."""
        super().__init__(sentence)
        self.status, self.sentence, self.next_step = status, sentence, next_step


def signed(office: Office, show: Show) -> Callable[[Request], Awaitable[Response]]:
    """The handler of a page for signed-in humans: it authenticates, checks CSRF tokens, and shows errors as pages."""

    async def answer(request: Request) -> Response:
        session, known = request.cookies.get(COOKIE, ""), None
        back = _back(request)
        try:
            caller = await _caller(office, session)
            known = Signed(session=session, name=caller.who.name)
            request.scope[KNOWN] = caller.who.name
            sent = await read_form(request) if request.method == "POST" else {}
            if request.method == "POST":
                _check_form(sent, session)
            return await show(Visit(office=office, request=request, session=session, caller=caller, sent=sent))
        except Turned as no:
            return told(
                "Sign in" if no.status == _UNKNOWN else "Not now",
                no.sentence,
                no.next_step,
                status=no.status,
                signed=known,
                back=back if known else None,
            )
        except Refusal as refusal:
            return _refused(refusal, request, known, back)
        except IsSpooled as waits:
            return told("Not done yet", waits.sentence, "Look again when it is back.", status=202, signed=known)
        except Unavailable as error:
            return told("Not now", error.sentence, error.next_step, status=status_of(error), signed=known)
        except Damaged:
            step = "Run `foureyes log verify`."
            return told("Not now", "What the store holds was altered.", step, status=503, signed=known)

    return answer


def status_of(error: Unavailable) -> int:
    """The HTTP status if the store cannot answer now, or has no room for what was sent."""
    return 507 if error.full else 503


def _refused(refusal: Refusal, request: Request, known: Signed | None, back: Html) -> Response:
    if isinstance(refusal, TooFast):
        later = told("Not now", refusal.sentence, refusal.next_step, status=_TOO_MANY, signed=known, back=back)
        later.headers["retry-after"] = str(refusal.seconds)
        return later
    status = _STATUS.get(refusal.code, _UNDERSTOOD)
    step = f"{refusal.next_step} {LINK}" if refusal.code is Code.SIGN_IN_NEEDED else refusal.next_step
    title = "Not done" if request.method == "POST" else "Nothing to show"
    return told(title, refusal.sentence, step, status=status, signed=known, back=back)


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form; refused if a field is repeated or the form is larger than any of ours."""
    pieces, size = list[bytes](), 0
    try:
        async for piece in request.stream():
            size += len(piece)
            if size > FORM_BYTES_MAX:
                raise Turned(413, f"A form has at most {FORM_BYTES_MAX} bytes.", "Send less.")
            pieces.append(piece)
        pairs = parse_qsl(
            b"".join(pieces).decode("utf-8"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=FIELDS_MAX,
        )
    except (ValueError, ClientDisconnect):
        raise Turned(400, "The form cannot be read.", "Go back, and send it again.") from None
    sent = dict(pairs)
    if len(sent) < len(pairs):
        raise Turned(400, "A field of the form is there twice.", "Go back, and send it again.")
    return {name: value.replace("\r\n", "\n") for name, value in sent.items()}


def _back(request: Request) -> Html:
    """A link back to the page with the form that was refused, or to the first page."""
    if request.method != "POST":
        return link("/", "What waits")
    review = request.path_params.get("review")
    if review:
        return link(path_to("reviews", review), "Back to the review")
    session = request.path_params.get("session")
    if session:
        return link(path_to("sessions", session), "Back to the session")
    return link("/accounts", "Back to the accounts")


def away(address: str) -> Response:
    """A redirect to another page after something was done."""
    return Response(b"", 303, {**HEADERS, "location": address})


def path_to(*names: str) -> str:
    """A path of these segments, each escaped so that it stays one segment."""
    return "".join(f"/{quote(one, safe='')}" for one in names)


async def _caller(office: Office, session: str) -> Caller:
    found = await office.recognised(Credential(session=session)) if session else None
    if found is None:
        raise Turned(401, "You are not signed in.", f"{LINK} Then open this page again.")
    return found


def _check_form(sent: Mapping[str, str], session: str) -> None:
    if not secrets.compare_digest(sent.get(FORM_FIELD, "").encode(), form_mark(session).encode()):
        raise Turned(403, "This did not come from a page of ours.", "Open the page again, and send it from there.")
