"""Nothing is sent to a private address, however it is written, and no outside server can delay the delivery."""

from __future__ import annotations

import ipaddress
import socket
import ssl
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from foureyes.notify.outside import ANSWER_BYTES_MAX, BODY_BYTES_MAX, NotSent, Outside, is_public
from tests.app.house import played
from tests.notify.receiving import HANGS, LOOPBACK, receiving, way_out

PRIVATE = [
    "127.0.0.1",
    "127.8.9.10",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",  # the metadata of clouds
    "100.100.100.200",  # another cloud's
    "100.64.0.1",
    "0.0.0.0",  # noqa: S104 - nothing listens there
    "192.0.0.192",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fc00::1",
    "fd00:ec2::254",
    "fec0::1",  # once a site's own
    "feff::1",
    "4000::1",  # unassigned
    "e000::1",
    "100::1",
    "192.88.99.1",
    "203.0.113.9",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "2002:7f00:1::",  # 6to4 of 127.0.0.1
    "2001:0:4136:e378:8000:63bf:80ff:fffe",  # Teredo of 127.0.0.1
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "2001:db8::1",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_no_private_address_is_reached_whatever_its_name_is(address: str) -> None:
    @played
    async def story() -> None:
        assert not is_public(ipaddress.ip_address(address))

        async def resolves(_host: str, _port: int) -> list[str]:
            return [address]

        with pytest.raises(NotSent, match="not public"):
            await Outside(resolve=resolves).post("https://hooks.example/x", b"{}", {})

    story()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"])
def test_loopback_is_not_reached(host: str) -> None:
    @played
    async def story() -> None:
        async with receiving() as other:
            with pytest.raises(NotSent, match="not public"):
                await Outside().post(f"https://{host}:{other.port}/x", b"{}", {})
            assert other.got == []

    story()


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "0177.0.0.1", "127.1"])
def test_no_strange_spelling_of_loopback_is_reached(host: str) -> None:
    """As the C library reads them; what counts is what they mean, not how they are written."""

    @played
    async def story() -> None:
        async def resolves(name: str, _port: int) -> list[str]:
            return [socket.inet_ntoa(socket.inet_aton(name))]

        with pytest.raises(NotSent, match="not public"):
            await Outside(resolve=resolves).post(f"https://{host}/x", b"{}", {})

    story()


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34", "64:ff9b::808:808"])
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@played
async def test_one_private_address_among_public_ones_refuses_the_name() -> None:
    async def resolves(_host: str, _port: int) -> list[str]:
        return ["93.184.216.34", "10.0.0.1"]

    with pytest.raises(NotSent, match="not public"):
        await Outside(resolve=resolves).post("https://hooks.example/x", b"{}", {})


@played
async def test_the_connection_goes_to_the_address_that_was_looked_at() -> None:
    """A name that means something else when it is asked for again gains nothing: it is asked for once."""
    asked: list[str] = []

    async def resolves(host: str, _port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]

    async with receiving() as other:
        out = Outside(allowed=LOOPBACK, resolve=resolves)
        await out.post(f"http://rebinds.example:{other.port}/x", b"{}", {})
        assert [one.headers["host"] for one in other.got] == [f"rebinds.example:{other.port}"]
    assert asked == ["rebinds.example"]


@played
async def test_what_is_sent_arrives_byte_for_byte() -> None:
    async with receiving() as other:
        await way_out().post(f"{other.url}/a/b?c=d", b'{"x":1}', {"content-type": "application/json"})
        (got,) = other.got
        assert (got.path, got.body, got.headers["content-type"]) == ("/a/b?c=d", b'{"x":1}', "application/json")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\n\r\n", "302: redirects are not followed"),
        (b"HTTP/1.1 500 No\r\n\r\n", "it answered 500"),
        (b"HTTP/1.1 404 No\r\n\r\n", "it answered 404"),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "not HTTP"),
        (b"HTTP/1.1 200 OK\r\n", "it hung up before it answered"),
        (b"HTTP/1.1 200 OK\r\nx: " + b"x" * 2 * ANSWER_BYTES_MAX, "its answer has more than"),
        (HANGS, "no answer within"),
    ],
)
def test_whatever_the_other_side_does_it_is_a_plain_no(answer: bytes, why: str) -> None:
    """A target that redirects, fails, lies, floods or hangs."""

    @played
    async def story() -> None:
        async with receiving(answer) as other:
            with pytest.raises(NotSent, match=why):
                await way_out(seconds_max=1.0 if answer == HANGS else 30.0).post(other.url, b"{}", {})
            assert len(other.got) == 1

    story()


@played
async def test_who_asks_for_patience_is_left_alone_that_long() -> None:
    async with receiving(b"HTTP/1.1 429 Slow\r\nRetry-After: 37\r\n\r\n") as other:
        with pytest.raises(NotSent) as caught:
            await way_out().post(other.url, b"{}", {})
        assert caught.value.wait_seconds == 37


@pytest.mark.parametrize(
    "url",
    [
        "ftp://hooks.example/",
        "https://user:key@hooks.example/",
        "https://hooks.example:99999/",
        "https://hooks.example:0/",
        "https:///x",
        "https://hooks.example/a b",
        "https://hooks.example/\r\nx: y",
        "https://[::1/",
        f"https://hooks.example/{'x' * 2000}",
        "hooks.example",
    ],
)
def test_what_is_no_plain_web_address_is_not_tried(url: str) -> None:
    @played
    async def story() -> None:
        with pytest.raises(NotSent, match="address"):
            await way_out().post(url, b"{}", {})

    story()


@played
async def test_without_encryption_only_what_the_operator_allowed_is_reached() -> None:
    async def resolves(_host: str, _port: int) -> list[str]:
        return ["93.184.216.34"]

    with pytest.raises(NotSent, match="not encrypted"):
        await Outside(resolve=resolves).post("http://hooks.example/", b"{}", {})


@played
async def test_too_much_and_what_is_no_header_are_never_sent() -> None:
    async with receiving() as other:
        with pytest.raises(NotSent, match="more than"):
            await way_out().post(other.url, b"x" * (BODY_BYTES_MAX + 1), {})
        with pytest.raises(NotSent, match="header"):
            await way_out().post(other.url, b"", {"x": "a\r\nb: c"})
        assert other.got == []


@played
async def test_nobody_there_is_said_without_the_address() -> None:
    async with receiving() as other:
        url = f"{other.url}/secret-key"
    with pytest.raises(NotSent) as caught:
        await way_out().post(url, b"{}", {})
    assert "secret" not in str(caught.value)


def trusted(folder: Path, name: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's context with a certificate for this name, and a caller's that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = folder / "server.pem"
    file.write_bytes(secret + pem)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(file)
    return server, ssl.create_default_context(cadata=pem.decode())


def test_the_certificate_must_be_that_of_the_name_though_the_address_was_looked_up_before(tmp_path: Path) -> None:
    @played
    async def story() -> None:
        async def resolves(_host: str, _port: int) -> list[str]:
            return ["127.0.0.1"]

        theirs, ours = trusted(tmp_path, "hooks.example")
        async with receiving(tls=theirs) as other:
            for host, context, says in (
                ("hooks.example", lambda: ours, ""),
                ("other.example", lambda: ours, "certificate"),
                ("hooks.example", ssl.create_default_context, "certificate"),
            ):
                out = Outside(allowed=LOOPBACK, resolve=resolves, context=context)
                with pytest.raises(NotSent, match=says) if says else nullcontext():
                    await out.post(f"https://{host}:{other.port}/x", b"{}", {})
            assert [one.headers["host"] for one in other.got] == [f"hooks.example:{other.port}"]

    story()
