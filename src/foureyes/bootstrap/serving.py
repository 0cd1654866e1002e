"""Run a server: all doors on one office, the background tasks beside them, and the orderly shutdown."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import pwd
import re
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp

from foureyes.app.accounts import accounts, stream_of
from foureyes.app.asks import Ask
from foureyes.app.bell import Bell
from foureyes.app.calls.office import Office
from foureyes.app.checkpoints import AT_ONCE, checkpoint_if_due
from foureyes.app.following import Follower
from foureyes.app.freeing_seats import SeatFreeing
from foureyes.app.gate import new_key
from foureyes.app.moments import is_time_again
from foureyes.app.ports import Store, Unavailable
from foureyes.app.pulse import Around, nothing_around
from foureyes.app.quiet_sessions import QuietSessions
from foureyes.app.selfcheck import Bind
from foureyes.app.signing_in import new_link
from foureyes.app.spooling import Spool
from foureyes.app.tending import Deadlines, Jumps, Tending
from foureyes.app.vacancies import vacant
from foureyes.bootstrap import hosting, spool, telling
from foureyes.bootstrap.addresses import Addresses, address_of, addresses, bound_socket
from foureyes.bootstrap.around import around
from foureyes.bootstrap.bases import mirrors
from foureyes.bootstrap.fitness import check_fit
from foureyes.bootstrap.local import LocalAssembly
from foureyes.bootstrap.redacting import redaction
from foureyes.cli import browser, signing
from foureyes.cli.serving import Begun, Serving, connecting
from foureyes.core.names import is_name, ours_alike
from foureyes.core.principals import EnrolPrincipal
from foureyes.core.values import Who, WhoKind
from foureyes.home import folder
from foureyes.home.lock import locked
from foureyes.home.served_policy import keep_served_policy
from foureyes.http.app import Site, build
from foureyes.http.byte_budget import ByteBudget
from foureyes.http.forwarded import Forwarded
from foureyes.http.heads import Bounded
from foureyes.http.logs import Logged, write_to
from foureyes.http.patient import Patient
from foureyes.http.problems import problem
from foureyes.mcp.over_http import PATH, REVIEW_SERVER_PATH, Endpoint, Names
from foureyes.policy.policy import policy_text
from foureyes.web.pages import Pages, strayed
from foureyes.web.signing import FIELD
from foureyes.web.signing import PATH as SIGN_IN

if TYPE_CHECKING:
    from foureyes.bootstrap.assembly import Assembly
    from foureyes.engine.dispatching import Dispatcher
    from foureyes.engine.place import Place

#: At shutdown, clients that still send or read have this long; then their connections are closed.
HANG_UP_SECONDS = 5
#: At shutdown, running requests have this long; the rest of ten seconds is for the steps after them.
DRAIN_SECONDS = 7
TEND_SECONDS = 1.0
BACKLOG = 2048
#: Threshold of the garbage collector: the objects of a request are nearly always freed without it.
GARBAGE_OBJECTS = 25_000
log = logging.getLogger("foureyes.server")


def serve(assembly: Assembly, serving: Serving, told: Callable[[Begun], None]) -> None:
    """Serve until the process is stopped; `told` is called when the server answers."""
    import uvloop

    write_to()
    folder.make(assembly.settings.home)
    with contextlib.closing(bound_socket(serving)) as bound:
        address = address_of(serving.host, bound.getsockname()[1])
        now = assembly.now().isoformat()
        with (
            locked(assembly.settings, address, now=now, public=serving.public_url, sends=serving.yes_send),
            asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
        ):
            runner.run(_serve(assembly, serving, told, bound))


class Server(uvicorn.Server):
    """uvicorn's server, which returns when it is stopped, because more shutdown steps follow."""

    def __init__(self, config: uvicorn.Config, began: Callable[[], None], ends: Callable[[], None]) -> None:
        """Call `began` when the server answers, and `ends` when its shutdown begins."""
        super().__init__(config)
        self._began, self._ends = began, ends

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and call `began`."""
        await super().startup(sockets)
        self._began()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End waiting requests, finish running ones, and abort connections still open after `HANG_UP_SECONDS`."""
        self._ends()
        hanging_up = asyncio.get_running_loop().call_later(HANG_UP_SECONDS, self._hang_up)
        try:
            await super().shutdown(sockets)
        finally:
            hanging_up.cancel()

    def _hang_up(self) -> None:
        for one in tuple(self.server_state.connections):
            if one.transport is not None:
                one.transport.abort()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals as uvicorn does, but do not raise them again: that would end the process too early."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()
        # A second SIGTERM must not interrupt the shutdown, which is short.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


async def _serve(assembly: Assembly, serving: Serving, told: Callable[[Begun], None], bound: socket.socket) -> None:
    port = bound.getsockname()[1]
    named = addresses(serving, port)
    async with assembly.new_store() as store, AsyncExitStack() as stack:
        await _check(assembly, store, serving)
        await LocalAssembly(assembly).leave(store)
        kept = stack.enter_context(spool.kept(assembly.settings))
        inside = _made(assembly, store, serving, kept, named.public)
        office, dispatcher = inside.office, inside.dispatcher
        human = await _first_human(office)
        endpoint = Endpoint(office, Names(hosts=named.hosts, origins=named.origins), problem)
        app = application(office, named, endpoint, partial(around, assembly, dispatcher.engine))
        app = Forwarded(app) if serving.behind_proxy else app
        began = asyncio.Event()
        server = Server(listening(app), began.set, office.bell.close)
        saying = asyncio.create_task(_say(assembly, office, named, human=human, began=began, told=told))
        beside = [
            saying,
            *(asyncio.create_task(_tend(one, began)) for one in inside.tendings),
            asyncio.create_task(_run(dispatcher, began)),
        ]
        try:
            await server.serve([bound])
        finally:
            for one in beside:
                one.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
            await dispatcher.engine.close()
            if inside.place is not None:
                await Tending((("reviewers", inside.place.leave),)).once()
            await Tending((("checkpoint", Signing(assembly, store).at_once),)).once()
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(assembly.settings.home, browser.PAGE))
            log.info("ended")


def listening(app: ASGIApp) -> uvicorn.Config:
    """The configuration of uvicorn."""
    return uvicorn.Config(
        app,
        loop="uvloop",
        http=Bounded,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=DRAIN_SECONDS,
        backlog=BACKLOG,
    )


async def _tend(tending: Tending, began: asyncio.Event) -> None:
    await began.wait()
    await asyncio.sleep(TEND_SECONDS)
    await tending.forever(partial(asyncio.sleep, TEND_SECONDS))


async def _run(dispatcher: Dispatcher, began: asyncio.Event) -> None:
    await began.wait()
    # Separate from the other tasks: a slow reviewer must not delay deadlines.
    await Tending((("reviewers", dispatcher.once),)).forever(dispatcher.pause)


def application(
    office: Office,
    named: Addresses,
    endpoint: Endpoint,
    around: Callable[[], Awaitable[Around]] = nothing_around,
) -> ASGIApp:
    """All doors of a server as one application."""
    pages = Pages(office=office, connect=partial(connecting, named.public), tls_hosts=named.tls_hosts)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with endpoint.serving():
            yield

    tools = [Route(path, endpoint) for path in (PATH, REVIEW_SERVER_PATH)]
    site = Site(hosts=named.hosts, origins=named.origins)
    site_built = build(office, site, [*tools, *pages.routes()], lifespan, strayed, around=around)
    return Patient(Logged(ByteBudget(site_built)))


async def _check(assembly: Assembly, store: Store, serving: Serving) -> None:
    """Refuse to serve from a store that was altered, or where others could listen."""
    signing.signer(assembly, make=True)
    if (read := mirrors(assembly.settings)) is not None:
        await asyncio.to_thread(read.check)
    public = urlsplit(serving.public_url).netloc
    bind = Bind(host=serving.host or "0.0.0.0", proxy=serving.behind_proxy, hosts=(public,) if public else ())  # noqa: S104 - named to the check
    await check_fit(assembly, store, "server", bind)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Inside:
    """What is behind the doors of a server."""

    office: Office
    dispatcher: Dispatcher
    #: The lease for hosting reviewers, if other processes share the store.
    place: Place | None
    #: The background tasks, which run independently of each other.
    tendings: tuple[Tending, ...]


def _made(assembly: Assembly, store: Store, serving: Serving, kept: Spool | None, public: str) -> _Inside:
    desk = telling.desk(assembly)
    tells = telling.tells(assembly, desk)
    policy = assembly.policy()
    keep_served_policy(assembly.settings.home, policy_text(policy))
    gate, here = hosting.gate_of(assembly, store, policy, serving.yes_send, tells=tells)
    bell = Bell()
    spooling = spool.before(gate, kept, store, bell, assembly.now)
    office = Office(
        gate=gate, store=store, clock=assembly.now, bell=bell, spool=spooling, redaction=redaction(assembly)
    )
    hand = spooling.handle_now if spooling else gate.handle
    dispatcher, place = hosting.dispatcher(assembly, office, here, hand)
    deadlines = Deadlines(store=store, gate=gate, clock=assembly.now).passed
    silences = QuietSessions(store=store, gate=gate, clock=assembly.now).noticed
    freeing = SeatFreeing(store=store, gate=gate).once
    in_order = spool.in_order(spooling, deadlines) if spooling else deadlines

    async def passed() -> None:
        await dispatcher.looked.wait()
        await in_order()

    works = (
        ("projections", Follower(store).catch_up),
        ("checkpoint", Signing(assembly, store).if_due),
        ("clock", Jumps(clock=assembly.now).noticed),
        ("deadlines", passed),
        ("removed accounts", spool.in_order(spooling, freeing) if spooling else freeing),
        ("silences", spool.in_order(spooling, silences) if spooling else silences),
    )
    told = telling.delivery(assembly, store, gate, desk, public).once
    # Separate from the other tasks: a slow recipient must not delay deadlines.
    tendings = Tending(works), Tending((("notifications", told),))
    return _Inside(office=office, dispatcher=dispatcher, place=place, tendings=tendings)


@dataclass(slots=True)
class Signing:
    """Signs checkpoints of a server's log while it grows."""

    assembly: Assembly
    store: Store
    _looked: datetime | None = None

    async def if_due(self) -> None:
        """Sign if a checkpoint may be due. This is called every second, so the files are read only then."""
        now, every = self.assembly.now(), timedelta(seconds=self.assembly.settings.checkpoint_seconds)
        if is_time_again(self._looked, now, every):
            await self._signed(every)
            self._looked = now

    async def at_once(self) -> None:
        """Sign what was added to the log, whenever the last checkpoint was."""
        await self._signed(AT_ONCE)

    async def _signed(self, every: timedelta) -> None:
        signer = signing.signer(self.assembly, make=True)
        folder = Path(self.assembly.settings.checkpoints)
        await checkpoint_if_due(self.store, folder, signer, self.assembly.now(), every)


async def _first_human(office: Office) -> str:
    """Enrol the user who starts the first server; later starts enrol nobody."""
    known = await office.store.read(accounts)
    if any(one.who.is_human for one in known):
        return ""
    name = human_name(pwd.getpwuid(os.getuid()).pw_name)
    person = Who(name="owner", kind=WhoKind.PERSON)
    command = EnrolPrincipal(kind=WhoKind.HUMAN.value, operator=name)
    await office.gate.handle(Ask(actor=person, key=new_key(), command=command, stream=stream_of(name)))
    return name


def human_name(user: str) -> str:
    """The user's name at the operating system, changed into a valid account name."""
    name = re.sub(r"[^a-z0-9_-]+", "-", user.lower()).strip("-_")[:64]
    return name if is_name(name) and not ours_alike(name) else "owner"


async def _say(
    assembly: Assembly,
    office: Office,
    named: Addresses,
    *,
    human: str,
    began: asyncio.Event,
    told: Callable[[Begun], None],
) -> None:
    """Report that the server answers; for a newly enrolled human, open the sign-in page."""
    await began.wait()
    opened = bool(human) and await _opened(assembly, office, f"{named.local}{SIGN_IN}?{FIELD}=", human)
    seats = await office.store.read(partial(vacant, policies=office.gate.policies, directory=office.gate))
    told(Begun(address=named.local, public=named.public, first_human=human, opened=opened, vacant=seats))
    for one in seats:
        log.warning("a seat that nobody can hold: %s", one.in_words())
    # Objects made for the start live as long as the process: keep the collector from scanning them again.
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE_OBJECTS, 20, 20)
    gc.enable()
    log.info("started", extra={"fields": {"address": named.local, "public": named.public}})


async def _opened(assembly: Assembly, office: Office, address: str, human: str) -> bool:
    """Open the sign-in page; False if that fails: the server goes on, and a link can be made later."""
    path = Path(assembly.settings.home, browser.PAGE)
    try:
        secret = await office.store.write(lambda tx: new_link(tx, human, assembly.now()))
        browser.leading(f"{address}{secret}", path)
        return await asyncio.to_thread(assembly.console.opens, path.as_uri())
    except (Unavailable, OSError) as error:
        log.warning("the page to sign in was not opened: %s", error)
        return False
