"""The command line's HTTP client: make one call at a running server, by the API's own route for it."""

from __future__ import annotations

import base64
import binascii
import http.client
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

from foureyes.app.credentials import AGENT_HEADER
from foureyes.app.ports import Unavailable
from foureyes.cli.parts import Asking, Heard
from foureyes.home.lock import server
from foureyes.home.token import AGENT_VARIABLE
from foureyes.home.trouble import Trouble
from foureyes.http.routes import GET, WAYS

if TYPE_CHECKING:
    from foureyes.bootstrap.assembly import Assembly

#: Longer than any call may wait.
ANSWER_SECONDS_MAX = 60
ANSWER_BYTES_MAX = 64 * 1024 * 1024
_NAMED = re.compile(r"\{(\w+)\}")
_START = "Start it with `foureyes up`, then ask again with the same key."


def ask(assembly: Assembly, asking: Asking) -> Heard:
    """Make the call at the named server, or at the one that runs here; without proxies and redirects."""
    address = (asking.server or server(assembly.settings.home).address).rstrip("/")
    connection, before = _connected(address)
    method, path, body = request_of(asking.call, asking.data)
    headers = {"authorization": f"Bearer {asking.token}", "content-type": "application/json"}
    if asking.agent:
        headers[AGENT_HEADER] = asking.agent
    try:
        connection.request(method, before + path, body, headers)
        reply = connection.getresponse()
        return _heard(reply.status, reply.read(ANSWER_BYTES_MAX))
    except (OSError, http.client.HTTPException) as error:
        raise Unavailable(f"The server at {address} does not answer ({type(error).__name__}).", _START) from None
    except ValueError:  # from the agent's name in a header: the token was checked before
        raise Trouble("The name of the agent is none.", f"Correct {AGENT_VARIABLE}.", usage=True) from None
    finally:
        connection.close()


def request_of(call: str, data: Mapping[str, Any]) -> tuple[str, str, bytes | None]:
    """Method, path and body of the request that makes a call."""
    way = WAYS[call]
    named = set(_NAMED.findall(way.path))
    path = _NAMED.sub(lambda found: _in_path(found[1], data), way.paths[0])
    rest = {name: one for name, one in data.items() if name not in named}
    if way.streamed:
        return way.method, path, _decoded(str(rest.get("base64", "")))
    try:
        if way.method != GET:
            return way.method, path, json.dumps(rest, ensure_ascii=False).encode()
        query = urlencode({name: _typed(one) for name, one in rest.items()})
    except UnicodeEncodeError:
        raise Trouble("Something in this is not UTF-8.", "Type it again.", usage=True) from None
    return way.method, f"{path}?{query}" if query else path, None


def _in_path(name: str, data: Mapping[str, Any]) -> str:
    try:
        found = quote(str(data[name]), safe="")
    except UnicodeEncodeError:
        found = ""
    if not found:
        raise Trouble(f"The {name} is no name.", "Name it as you were told it.", usage=True)
    return found


def _typed(one: object) -> str:
    return json.dumps(one) if isinstance(one, bool) else str(one)


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Trouble("The bytes are no valid base64.", "Encode them anew.", usage=True) from None


def _connected(address: str) -> tuple[http.client.HTTPConnection, str]:
    """A connection that the first request opens, and the path of the server's address as a prefix."""
    kinds: dict[str, type[http.client.HTTPConnection]] = {
        "http": http.client.HTTPConnection,
        "https": http.client.HTTPSConnection,
    }
    try:
        parts = urlsplit(address)
        return kinds[parts.scheme](parts.hostname or "", parts.port, timeout=ANSWER_SECONDS_MAX), parts.path
    except (KeyError, ValueError, http.client.InvalidURL):
        raise Trouble(f"{address[:200]} is no address.", "Name it as in http://127.0.0.1:8004.", usage=True) from None


def _heard(status: int, body: bytes) -> Heard:
    try:
        found = json.loads(body)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise Unavailable(f"The server answered with {status} and no JSON.", "Look at the server's log.")
    return Heard(status=status, data=found)
