"""Keep tests from talking to the outside world."""

import ipaddress
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

GUARDED = ("connect", "connect_ex", "sendto", "sendmsg")


class OutsideWorldError(RuntimeError):
    """A test used the network. Not an OSError, so that code which handles a dead network does not handle this."""


@contextmanager
def no_outside_world() -> Iterator[None]:
    """Let sockets reach loopback and Unix addresses only, and look up no name but localhost."""
    kept = {name: getattr(socket.socket, name) for name in GUARDED}
    lookup = socket.getaddrinfo
    for name, method in kept.items():
        setattr(socket.socket, name, _guarded(name, method))
    socket.getaddrinfo = _guarded_lookup(lookup)
    try:
        yield
    finally:
        socket.getaddrinfo = lookup
        for name, method in kept.items():
            setattr(socket.socket, name, method)


def _guarded(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(self: socket.socket, *args: Any) -> Any:
        address = _address_in(name, args)
        if address is not None and self.family != socket.AF_UNIX and not _is_loopback(address):
            raise OutsideWorldError(f"A test may reach loopback and Unix sockets only, not {address!r} ({name}).")
        return method(self, *args)

    return guarded


def _guarded_lookup(lookup: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(host: str | bytes | None, *args: Any, **options: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name and name != "localhost" and not _is_numeric(name):
            raise OutsideWorldError(f"A test may look up no name but localhost, not {name!r}.")
        return lookup(host, *args, **options)

    return guarded


def _address_in(name: str, args: tuple[Any, ...]) -> Any:
    """Find the destination; a connected socket's sendmsg has none."""
    match name, args:
        case "sendmsg", (_, _, _, address):
            return address
        case "sendmsg", _:
            return None
        case "sendto", (_, *_, address):
            return address
        case _, (address, *_):
            return address
    return None


def _is_loopback(address: Any) -> bool:
    match address:
        case (str(host), *_):
            return host == "localhost" or (_is_numeric(host) and ipaddress.ip_address(host).is_loopback)
    return False


def _is_numeric(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
