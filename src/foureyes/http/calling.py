"""Turn an HTTP request into a call and its answer into a response.

Authentication, the CSRF check of browser sessions, query parameters, ETags and the mapping of errors to responses are
here.
"""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from foureyes.app.calls.bodies import given, schema
from foureyes.app.calls.call import Call, Caller
from foureyes.app.calls.office import Office
from foureyes.app.calls.registry import CALLS, answered_in_turn
from foureyes.app.calls.sending import BlobKept, check_digest, keep_blob
from foureyes.app.credentials import CREDENTIAL_HEADERS, Credential, credential_of
from foureyes.app.patience import KNOWN
from foureyes.app.ports import Damaged, Unavailable
from foureyes.app.pulse import Around, nothing_around
from foureyes.app.signing_in import COOKIE as SESSION_COOKIE
from foureyes.app.signing_in import form_mark
from foureyes.app.spooling import IsSpooled
from foureyes.app.turns import CAME
from foureyes.app.work import BLOB_BYTES_MAX
from foureyes.codec.shapes import spelled
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.values import Who
from foureyes.http.bodies import TooLarge, header, read_blob, read_bytes, read_json
from foureyes.http.meter import Meter
from foureyes.http.problems import problem, refused, spooled, unavailable
from foureyes.http.routes import BASE, GET, WAYS, Way

COOKIE = SESSION_COOKIE
#: The CSRF token that a browser session must send with every change.
FORM_HEADER = "x-foureyes-form"
KEY_HEADER = b"idempotency-key"
#: How many credentials are remembered with their accounts.
KNOWN_MAX = 4_096
log = logging.getLogger("foureyes.http")
_ALWAYS = ((b"cache-control", b"no-store"), (b"content-type", b"application/json"))
_CREDENTIAL_HEADERS = tuple((name, name.encode()) for name in CREDENTIAL_HEADERS)
_IS_PLAIN = re.compile(r"[A-Za-z0-9_.~:-]+=[A-Za-z0-9_.~:/-]*(?:&[A-Za-z0-9_.~:-]+=[A-Za-z0-9_.~:/-]*)*").fullmatch
_WHOLE = re.compile(r"-?[0-9]{1,18}").fullmatch

Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """The handlers of all calls over HTTP."""

    office: Office
    #: What this process knows that is not in the store.
    around: Callable[[], Awaitable[Around]] = nothing_around
    #: The account of each recent credential, by its hash: rate limits are checked before the account is looked up.
    _known: dict[str, Who] = field(default_factory=dict, init=False, repr=False)
    meter: Meter = field(init=False)

    def __post_init__(self) -> None:
        """Create the meter of requests."""
        object.__setattr__(self, "meter", Meter(self.office.quotas))

    def routes(self) -> list[Route]:
        """A route for every call."""
        # Literal segments sort before path parameters.
        ways = sorted(
            ((path, name, way) for name, way in WAYS.items() for path in way.paths),
            key=lambda one: one[0].replace("{", "~"),
        )
        return [self._route(path, CALLS[name], way) for path, name, way in ways]

    def _route(self, path: str, call: Call[Any], way: Way) -> Route:
        handler = told(partial(self._answer, call, way))
        route = Route(path, self.meter.around(call.name, handler), methods=[way.method], name=call.name)
        # No HEAD: a work that is requested with HEAD would count as read, although no body was sent.
        route.methods = {way.method}
        return route

    async def _answer(self, call: Call[Any], way: Way, request: Request) -> Response:
        caller = await self.caller(request, spools=call.spools)
        if way.streamed:
            return _rendered(request, await self._kept(call, caller, request), way)
        # Counted before the body is read, and parsed in the caller's turn: a long body takes no time from others.
        turn = self.office.quotas.asked(caller.who, self.office.clock(), request.scope.get(CAME))
        try:
            content = b"" if way.method == GET else await read_bytes(request)
            async with turn:
                sent = _query(call, request) if way.method == GET else _beside(call, way, request, read_json(content))
                found = await answered_in_turn(self.office, caller, call, _with_path(call, request, sent))
                return _rendered(request, found, way)
        except IsSpooled as waits:
            return spooled(waits)
        finally:
            turn.leave()

    async def _kept(self, call: Call[Any], caller: Caller, request: Request) -> BlobKept:
        """Store an uploaded blob; whether the caller may upload is checked before the first byte is read."""
        caller.check(call.needs)
        digest, office = request.path_params["digest"], self.office
        check_digest(digest)
        with office.quotas.holding(caller.who, "uploads"):
            turn = office.quotas.asked(caller.who, office.clock(), request.scope.get(CAME))
            try:
                _, content = await read_blob(request, BLOB_BYTES_MAX)
                async with turn:
                    return await keep_blob(office, caller, digest, content)
            finally:
                turn.leave()

    @staticmethod
    def credential(request: Request) -> Credential:
        """The credential sent with the request; raises NoCredential if there is none."""
        headers = {name: header(request.scope, spelt) for name, spelt in _CREDENTIAL_HEADERS}
        credential = credential_of(headers)
        if not credential.token:
            credential = credential_of(headers, request.cookies.get(COOKIE, ""))
            if not credential.session:
                raise NoCredential("This needs a credential.")
        return credential

    async def caller(self, request: Request, *, spools: bool = False) -> Caller:
        """Authenticate the request; raises NoCredential if there is no valid credential.

        Also checks the rate limit, and the CSRF token of browser sessions. A call that `spools` accepts a credential
        that was valid recently while the database cannot be reached.
        """
        credential, now = self.credential(request), self.office.clock()
        known = self._known.get(credential.key)
        if known is not None:
            request.scope[KNOWN] = known.name
            self.office.quotas.check_rate(known, now)
        caller = await self.office.recognised(credential, spools=spools)
        if caller is None:
            request.scope.pop(KNOWN, None)
            raise NoCredential("This credential is unknown, revoked, expired, or not valid for that agent.")
        request.scope[KNOWN] = caller.who.name
        if credential.session and request.method != GET:
            _check_form(request, credential.session)
        if known is None:
            if len(self._known) >= KNOWN_MAX:
                self._known.clear()
            self._known[credential.key] = caller.who
        return caller


class NoCredential(Exception):  # noqa: N818 - an expected no, with a status of its own
    """The request has no valid credential."""


def told(handler: Handler) -> Handler:
    """Wrap a handler so that every expected exception becomes a problem document instead of a server error."""

    async def answer(request: Request) -> Response:
        try:
            return await handler(request)
        except Refusal as refusal:
            return refused(refusal)
        except NoCredential as error:
            step = "Send a token of an enrolled account as `Authorization: Bearer …`, or sign in."
            return problem(401, "credential_needed", str(error), step, {"www-authenticate": 'Bearer realm="foureyes"'})
        except TooLarge as error:
            return problem(413, "too_large", f"A body here has at most {error.most} {error.what}.", error.next_step)
        except Unavailable as error:
            return unavailable(error)
        except Damaged as error:
            log.error("damaged: %s", error)  # noqa: TRY400 - what was altered is told, where in the program is not
            return problem(503, "damaged", "What the store holds was altered.", "Run `foureyes log verify`.")

    return answer


_OURS = (
    f"Use the page you signed in on, or send the `form` that `GET {BASE}/me` gives this session as `X-Foureyes-Form`."
)


def _check_form(request: Request, session: str) -> None:
    if not secrets.compare_digest(request.headers.get(FORM_HEADER, "").encode(), form_mark(session).encode()):
        raise Refusal(Code.SIGN_IN_NEEDED, "The form token is missing or wrong.", _OURS)


def _beside(call: Call[Any], way: Way, request: Request, sent: dict[str, Any]) -> dict[str, Any]:
    """The body together with the query parameters that the call allows; any other query parameter is refused."""
    found = _query(call, request)
    if not found:
        return sent
    strange = next((name for name in found if name not in way.query or name in sent), "")
    if strange:
        raise Refusal(Code.BAD_VALUE, f"{strange[:80]!r} is not a query parameter of this call.", "Leave it out.")
    return {**sent, **found}


def _query(call: Call[Any], request: Request) -> dict[str, Any]:
    """The query parameters; integers and booleans are converted where the call's form has them."""
    found, query = dict[str, Any](), request.scope["query_string"]
    if not query:
        return found
    properties = schema(cast("Any", call.form))["properties"]
    for name, text in _pairs(query.decode("latin-1")):
        if name in found:
            raise Refusal(Code.BAD_VALUE, f"{name[:80]!r} is there twice.", "Say each once.")
        kind = properties.get(name, {}).get("type")
        found[name] = _typed(kind, text)
    return found


def _pairs(query: str) -> list[tuple[str, str]]:
    """The names and values of a query string; one without escapes is split without the slower general parser."""
    if _IS_PLAIN(query):
        return [(name, value) for one in query.split("&") for name, _, value in (one.partition("="),)]
    return parse_qsl(query, keep_blank_values=True)


def _typed(kind: str | None, text: str) -> object:
    if kind == "integer" and _WHOLE(text):
        return int(text)
    return {"true": True, "false": False}.get(text, text) if kind == "boolean" else text


def _with_path(call: Call[Any], request: Request, sent: dict[str, Any]) -> dict[str, Any]:
    """Add the path parameters and the idempotency key; a field that the body repeats must have the same value."""
    named: dict[str, str] = request.path_params
    for name, value in named.items():
        if name in sent and sent[name] != value:
            raise Refusal(
                Code.BAD_VALUE, f"The address and the body name another {name}.", "Name it once, in the address."
            )
    if call.changes and call.keyed and (key := header(request.scope, KEY_HEADER)):
        if sent.get("key", key) != key:
            raise refuse(Code.KEY_REUSED, key=key[:80])
        sent = {**sent, "key": key}
    return {**sent, **named}


def _rendered(request: Request, found: object, way: Way) -> Response:
    body = spelled(given(found)).encode()
    # The ETag is a hash of exactly what is sent, so it reveals nothing that the answer does not.
    mark = hashlib.sha256(body).hexdigest()[:32] if way.marked else getattr(found, "mark", "")
    if not mark:
        return Answer(body, way.status)
    headers = {"cache-control": "private, no-cache", "etag": f'"{mark}"'}
    if _has(header(request.scope, b"if-none-match"), mark):
        return Response(b"", 304, headers)
    return Response(body, way.status, headers, media_type="application/json")


def _has(said: str, mark: str) -> bool:
    """True if If-None-Match contains this mark, weak or not, or `*`."""
    marks = [one.strip().removeprefix("W/") for one in said.split(",")]
    return f'"{mark}"' in marks or marks == ["*"]


class Answer(Response):
    """A JSON response that is not cached. Its headers are constant, so Starlette need not compute them."""

    def __init__(self, body: bytes, status: int) -> None:  # the base class would compute them
        """Set body and headers."""
        self.status_code, self.body, self.background = status, body, None
        self.raw_headers = [*_ALWAYS, (b"content-length", str(len(body)).encode())]
