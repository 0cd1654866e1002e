"""What answers `foureyes mcp` on stdio, and `/mcp` beside the API: the running server, or the store itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from foureyes.home.lock import running
from foureyes.home.trouble import Trouble

if TYPE_CHECKING:
    from foureyes.app.calls.office import Office
    from foureyes.app.credentials import Credential
    from foureyes.app.ports import Store
    from foureyes.bootstrap.assembly import Assembly
    from foureyes.cli.parts import Speaking
    from foureyes.mcp.over_http import Endpoint

HTTP = ("http://", "https://")


def endpoint(office: Office, hosts: frozenset[str], origins: frozenset[str]) -> Endpoint:
    """The endpoint at `over_http.PATH`; its `serving` encloses the application's lifespan. Imports no SDK yet."""
    from foureyes.http.problems import problem
    from foureyes.mcp.over_http import Endpoint, Names

    return Endpoint(office, Names(hosts=hosts, origins=origins), problem)


def office_on(assembly: Assembly, store: Store) -> Office:
    """The calls on a store; its enrolled accounts may be asked to review."""
    from foureyes.app.accounts import Enrolled
    from foureyes.app.calls.office import Office
    from foureyes.bootstrap.redacting import redaction

    gate = assembly.gate(store, directory=Enrolled(assembly.now))
    return Office(gate=gate, store=store, clock=assembly.now, redaction=redaction(assembly))


async def speak(assembly: Assembly, how: Speaking) -> None:
    """Speak MCP on stdin and stdout in the name of one token, until stdin ends."""
    from foureyes.app.credentials import Credential

    credential = Credential(token=how.token, agent=how.agent)
    found = _server(assembly, how)
    if found is None:
        await _embedded(assembly, how, credential)
    else:
        await _bridged(found, how, credential)


async def _bridged(address: Callable[[], str], how: Speaking, credential: Credential) -> None:
    from foureyes.mcp.far import Far, client
    from foureyes.mcp.listing import Which
    from foureyes.mcp.over_http import PATH, REVIEW_SERVER_PATH
    from foureyes.mcp.over_stdio import speak as on_stdio
    from foureyes.mcp.server import FACES, build

    face = FACES[how.name]
    path = REVIEW_SERVER_PATH if face.bare else PATH
    async with client() as web:
        await on_stdio(build(Far(web, address, credential, path=path, which=Which(how.tools)), face))


async def _embedded(assembly: Assembly, how: Speaking, credential: Credential) -> None:
    from foureyes.mcp.listing import Which
    from foureyes.mcp.near import Near, always, by_credential
    from foureyes.mcp.tools import OWN, SEVEN

    async with assembly.store(write=True) as store:
        office = office_on(assembly, store)
        who = by_credential(office, credential)
        await who(None)  # report an invalid token now, not at the first request
        from foureyes.mcp.over_stdio import speak as on_stdio
        from foureyes.mcp.server import FACES, build

        face = FACES[how.name]
        offered, beside = (SEVEN, None) if face.bare else (OWN, SEVEN)
        near = Near(office, who, offered, always(Which(how.tools)), beside=beside)
        await on_stdio(build(near, face))


def _server(assembly: Assembly, how: Speaking) -> Callable[[], str] | None:
    """Looks up the server's address for each request; None if none runs here and none is named."""
    if how.server:
        if not how.server.startswith(HTTP):
            raise Trouble(f"{how.server[:200]} is no address.", "Name it as in http://127.0.0.1:8004.", usage=True)
        return lambda: how.server.rstrip("/")
    home = assembly.settings.home
    found = running(home)
    if found is None:
        return None
    if not found.address.startswith(HTTP):
        raise Trouble(f"{found.in_words()} is at work in this data folder.", "Wait until it is done.", blocked=True)
    last = found.address

    def address() -> str:
        nonlocal last
        now = running(home)
        last = now.address if now and now.address.startswith(HTTP) else last
        return last.rstrip("/")

    return address
