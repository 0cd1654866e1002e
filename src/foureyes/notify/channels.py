"""The kinds of notification channel, their addresses, and the exact request each one sends.

Chats and mail get plain text; a webhook gets JSON.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import parse_qsl, urlsplit

from foureyes.notify.wording import cut
from foureyes.policy.notifying import VARIABLE

#: The message length that each service accepts, in its own units.
DISCORD_UNITS_MAX, TELEGRAM_UNITS_MAX, SLACK_UNITS_MAX, MAIL_UNITS_MAX = 2_000, 4_096, 4_000, 20_000
#: How long a secret of Standard Webhooks is.
SECRET_BYTES_MIN, SECRET_BYTES_MAX = 24, 64
SECRET_PREFIX = "whsec_"  # noqa: S105 - what a secret begins with, and none itself
#: In an address it is replaced by the thread of the task that a review is about.
TASK = "{task}"
#: The flag that tells Discord not to preview the links of a message.
_NO_PREVIEW = 4
_JSON = {"content-type": "application/json"}
_DIGITS = re.compile(r"[0-9]{1,20}")
_KEY = re.compile(r"[A-Za-z0-9_-]{1,200}")
_BOT = re.compile(r"[0-9]{1,20}:[A-Za-z0-9_-]{1,100}")
_CHAT = re.compile(r"-?[0-9]{1,20}|@[A-Za-z][A-Za-z0-9_]{3,40}")


class BadAddress(ValueError):  # noqa: N818 - what is wrong is told in words, and never the address
    """An incomplete address, or one that names an environment variable that is not set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The base URLs of the services."""

    discord: str = "https://discord.com/api/webhooks"
    telegram: str = "https://api.telegram.org/bot"
    slack: str = "https://hooks.slack.com/services"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message ready to be sent: the same however often sending is tried."""

    id: str
    title: str
    #: Safe to post; its end may be cut off, the address behind it never.
    text: str
    url: str = ""
    #: The thread of the task it is about; a task whose id is a number may be a thread itself.
    thread: str = ""
    #: The event data for a webhook.
    data: Mapping[str, object] = field(default_factory=dict)

    def fitting(self, units_max: int) -> str:
        """Return text and address, cut to this length."""
        behind = f"\n{self.url}" if self.url else ""
        return cut(self.text, units_max - len(behind)) + behind


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One request, byte for byte."""

    url: str
    body: bytes
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Discord:
    """A channel of Discord, or a thread in it."""

    id: str
    token: str = field(repr=False)
    thread: str = ""

    def post(self, message: Message, places: Places, _now: datetime) -> Post:
        """Return the request; mentions are switched off, so that text by agents notifies nobody."""
        thread = _thread_of(self.thread, message)
        query = f"?thread_id={thread}" if thread else ""
        body = {
            "content": message.fitting(DISCORD_UNITS_MAX),
            "allowed_mentions": {"parse": []},
            "flags": _NO_PREVIEW,
        }
        return Post(url=f"{places.discord}/{self.id}/{self.token}{query}", body=_spelled(body), headers=_JSON)


@dataclass(frozen=True, slots=True, kw_only=True)
class Telegram:
    """A chat that a bot of Telegram is in."""

    token: str = field(repr=False)
    chat: str
    #: A topic of the chat.
    thread: str = ""

    def post(self, message: Message, places: Places, _now: datetime) -> Post:
        """Return the request, without a parse mode, so that nothing is markup, and without a link preview."""
        body: dict[str, object] = {
            "chat_id": self.chat,
            "text": message.fitting(TELEGRAM_UNITS_MAX),
            "link_preview_options": {"is_disabled": True},
        }
        thread = _thread_of(self.thread, message)
        if thread:
            body["message_thread_id"] = int(thread)
        return Post(url=f"{places.telegram}{self.token}/sendMessage", body=_spelled(body), headers=_JSON)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slack:
    """A channel of Slack, by an incoming webhook."""

    path: str = field(repr=False)

    def post(self, message: Message, places: Places, _now: datetime) -> Post:
        """Return the request; the three characters that Slack interprets are escaped."""
        text = message.fitting(SLACK_UNITS_MAX).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        body = {"text": text, "mrkdwn": False, "unfurl_links": False, "unfurl_media": False}
        return Post(url=f"{places.slack}/{self.path}", body=_spelled(body), headers=_JSON)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hook:
    """A webhook: a CloudEvent in JSON, signed according to Standard Webhooks."""

    url: str = field(repr=False)
    secret: bytes = field(repr=False)

    def post(self, message: Message, _places: Places, now: datetime) -> Post:
        """Return the request; the id is the same for every attempt, the time in the signature is that of this one."""
        body, at = _spelled({**message.data, "id": message.id}), str(int(now.timestamp()))
        headers = {
            "content-type": "application/cloudevents+json",
            "webhook-id": message.id,
            "webhook-timestamp": at,
            "webhook-signature": signature(self.secret, message.id, at, body),
        }
        return Post(url=self.url, body=body, headers=headers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """A mailbox, as an address of the library `apprise`."""

    url: str = field(repr=False)


Channel = Discord | Telegram | Slack | Hook | Mail


def channel_of(address: str, environment: Mapping[str, str]) -> Channel:
    """Parse an address of a policy; raises BadAddress without quoting the address."""
    scheme, _, rest = filled(address, environment).partition("://")
    place, _, query = rest.partition("?")
    steps = tuple(one for one in place.split("/") if one)
    match scheme, steps:
        case "discord", (number, token) if _DIGITS.fullmatch(number) and _KEY.fullmatch(token):
            return Discord(id=number, token=token, thread=_thread(query))
        case "tgram", (token, chat) if _BOT.fullmatch(token) and _CHAT.fullmatch(chat):
            return Telegram(token=token, chat=chat, thread=_thread(query))
        case "slack", (one, two, three) if all(map(_KEY.fullmatch, (one, two, three))):
            return Slack(path=f"{one}/{two}/{three}")
        case (("mailto" | "mailtos"), _) if steps:
            return Mail(url=f"{scheme}://{rest}")
    raise BadAddress(f"an address that begins with {scheme}:// is not complete: write {_FORMS.get(scheme, 'another')}")


def hook_of(url: str, secret: str, environment: Mapping[str, str]) -> Hook:
    """Return the webhook at this address with this shared secret."""
    text, where = filled(secret, environment), filled(url, environment)
    try:
        raw = base64.b64decode(text.removeprefix(SECRET_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    if not text.startswith(SECRET_PREFIX) or not SECRET_BYTES_MIN <= len(raw) <= SECRET_BYTES_MAX:
        wanted = f"{SECRET_PREFIX} and {SECRET_BYTES_MIN}-{SECRET_BYTES_MAX} bytes in base64"
        raise BadAddress(f"the secret of a webhook must be {wanted}")
    if urlsplit(where).scheme not in ("http", "https"):
        raise BadAddress("the url of a webhook must be a web address")
    return Hook(url=where, secret=raw)


def signature(secret: bytes, name: str, at: str, body: bytes) -> str:
    """Return the Standard Webhooks signature: HMAC-SHA256 over id, time and body."""
    signed = hmac.digest(secret, f"{name}.{at}.".encode() + body, hashlib.sha256)
    return f"v1,{base64.b64encode(signed).decode()}"


def filled(text: str, environment: Mapping[str, str]) -> str:
    """Replace the names of environment variables in the text by their values."""

    def found(match: re.Match[str]) -> str:
        value = environment.get(match[1], "")
        if not value or not value.isprintable() or " " in value:
            raise BadAddress(f"{match[1]} is not set in the environment, or holds what no address can")
        return value

    return VARIABLE.sub(found, text)


_FORMS = {
    "discord": "discord://ID/TOKEN",
    "tgram": "tgram://BOT-TOKEN/CHAT",
    "slack": "slack://T…/B…/…",
    "mailto": "mailto://…",
    "mailtos": "mailtos://…",
}


def _thread(query: str) -> str:
    pairs = dict(parse_qsl(query, keep_blank_values=True))
    thread = pairs.pop("thread", "")
    if pairs or (thread and thread != TASK and not _DIGITS.fullmatch(thread)):
        raise BadAddress(f"behind an address of Discord or Telegram stands nothing or ?thread= with digits or {TASK}")
    return thread


def _thread_of(named: str, message: Message) -> str:
    """Return the thread number that an address means for a message; empty if there is none."""
    thread = message.thread if named == TASK else named
    return thread if _DIGITS.fullmatch(thread) else ""


def _spelled(body: Mapping[str, object]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
