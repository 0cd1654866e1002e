"""Tests cannot reach the outside world, and can reach themselves."""

import socket
from pathlib import Path

import pytest

from tests.offline import OutsideWorldError

OUTSIDE = ("192.0.2.1", 9)  # TEST-NET-1: reserved, never routed


def test_connecting_to_an_outside_address_is_refused() -> None:
    with socket.socket() as client, pytest.raises(OutsideWorldError, match=r"192\.0\.2\.1"):
        client.connect(OUTSIDE)


def test_connecting_without_an_exception_is_refused_too() -> None:
    with socket.socket() as client, pytest.raises(OutsideWorldError):
        client.connect_ex(OUTSIDE)


def test_sending_a_datagram_outside_is_refused() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as client:
        with pytest.raises(OutsideWorldError):
            client.sendto(b"hello", OUTSIDE)
        with pytest.raises(OutsideWorldError):
            client.sendto(b"hello", 0, OUTSIDE)


def test_sending_a_message_outside_is_refused() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as client, pytest.raises(OutsideWorldError):
        client.sendmsg([b"hello"], [], 0, OUTSIDE)


def test_an_outside_ipv6_address_is_refused() -> None:
    with socket.socket(socket.AF_INET6) as client, pytest.raises(OutsideWorldError):
        client.connect(("2001:db8::1", 9))


def test_looking_up_an_outside_name_is_refused() -> None:
    with pytest.raises(OutsideWorldError, match="example"):
        socket.create_connection(("example.invalid", 80))


def test_loopback_is_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert client.getpeername() == server.getsockname()


def test_a_unix_socket_is_reached(tmp_path: Path) -> None:
    path = str(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(path)
        server.listen()
        client.connect(path)
        assert client.getpeername() == path


def test_a_datagram_reaches_loopback() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as server, socket.socket(type=socket.SOCK_DGRAM) as client:
        server.bind(("127.0.0.1", 0))
        client.sendto(b"hello", server.getsockname())
        client.connect(server.getsockname())
        client.sendmsg([b"again"])
        assert [server.recv(9), server.recv(9)] == [b"hello", b"again"]
