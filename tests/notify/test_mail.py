"""A mailbox gets plain text unchanged, by the library of an extra."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from email import message_from_string

import pytest

from foureyes.notify import mail
from foureyes.notify.channels import BadAddress, Mail, Message
from foureyes.notify.mail import HANGS, MISSING, Mailer, mailbox
from foureyes.notify.outside import NotSent, Outside
from tests.app.house import played
from tests.notify.receiving import way_out

#: Modules that the library loads, and some Pythons warn about.
pytestmark = pytest.mark.filterwarnings("ignore:'(imghdr|sndhdr|audioop)' is deprecated:DeprecationWarning")
TEXT = "A decision is asked for: ü\n  indented <b>x</b>\n\n- one"


@asynccontextmanager
async def mail_server(*, hangs: bool = False, refuses: bool = False) -> AsyncIterator[tuple[int, list[str]]]:
    """A minimal SMTP server; its port and the received mails."""
    took: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if hangs:
                await reader.read()
            else:
                await _spoken(reader, writer, took, refuses=refuses)
        finally:
            writer.transport.abort()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1], took
    finally:
        server.close()


async def _spoken(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, took: list[str], *, refuses: bool
) -> None:
    writer.write(b"220 here\r\n")
    while line := await reader.readline():
        word = line[:4].upper()
        if word == b"DATA":
            writer.write(b"354 go on\r\n")
            content = await reader.readuntil(b"\r\n.\r\n")
            took.append(content[:-5].decode())
        writer.write(b"250 here\r\n" if word == b"EHLO" else b"550 no\r\n" if refuses else b"250 ok\r\n")
        await writer.drain()
        if word == b"QUIT":
            return


def box(port: int) -> Mail:
    return Mail(url=f"mailto://127.0.0.1:{port}?from=gate@example.com&to=ann@example.com")


@played
async def test_a_mail_arrives_as_plain_text_with_its_id() -> None:
    async with mail_server() as (port, took):
        message = Message(id="msg_1", title="A decision is asked for", text=TEXT, url="https://gate.example/x")
        await Mailer(out=way_out()).send(box(port), message)
    (one,) = map(message_from_string, took)
    assert (one["To"], one["From"], one["Subject"]) == (
        "ann@example.com",
        "gate@example.com",
        "A decision is asked for",
    )
    assert (one.get_content_type(), one["X-Foureyes-Id"]) == ("text/plain", "msg_1")
    body = one.get_payload(decode=True)
    assert isinstance(body, bytes)
    assert body.decode().replace("\r\n", "\n").rstrip("\n") == f"{TEXT}\nhttps://gate.example/x"


@pytest.mark.parametrize("trouble", ["hangs", "refuses"])
def test_a_mail_server_that_hangs_or_refuses_is_a_plain_no(trouble: str) -> None:
    @played
    async def story() -> None:
        async with mail_server(**{trouble: True}) as (port, _):
            mailer = Mailer(out=way_out(), seconds_max=1.0 if trouble == "hangs" else 30.0)
            with pytest.raises(NotSent, match="no answer within|did not take it"):  # noqa: RUF043 - either of them
                await mailer.send(box(port), Message(id="m", title="t", text="x"))

    story()


@played
async def test_a_mailbox_whose_server_hangs_holds_one_thread_however_often_it_is_tried() -> None:
    async with mail_server(hangs=True) as (hung, _), mail_server() as (well, took):
        mailer, message = Mailer(out=way_out(), seconds_max=1.0), Message(id="m", title="t", text="x")
        mailbox(box(well))  # loading the library is slow, and is not the server's time
        with pytest.raises(NotSent, match="no answer within"):
            await mailer.send(box(hung), message)
        for _ in range(8):
            with pytest.raises(NotSent, match=HANGS):
                await mailer.send(box(hung), message)
        await replace(mailer, seconds_max=30.0).send(box(well), message)
        assert len(took) == 1


@played
async def test_two_mails_to_one_mailbox_at_once_both_arrive() -> None:
    async with mail_server() as (port, took):
        mailer = Mailer(out=way_out())
        await asyncio.gather(*(mailer.send(box(port), Message(id=one, title="t", text="x")) for one in "ab"))
    assert len(took) == 2


@played
async def test_a_private_mail_server_is_not_reached_unless_it_was_allowed() -> None:
    async with mail_server() as (port, took):
        with pytest.raises(NotSent, match="not public"):
            await Mailer(out=Outside()).send(box(port), Message(id="m", title="t", text="x"))
    assert took == []


@played
async def test_what_is_no_mailbox_is_said_without_the_address() -> None:
    with pytest.raises(NotSent, match="not complete") as caught:
        await Mailer(out=way_out()).send(Mail(url="mailto://secret"), Message(id="m", title="t", text="x"))
    assert "secret" not in str(caught.value)


def test_without_the_extra_it_says_which_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr(mail, "import_module", missing)
    with pytest.raises(BadAddress) as caught:
        mailbox(box(25))
    assert str(caught.value) == MISSING
