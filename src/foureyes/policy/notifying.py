"""Read who is notified, where and when; addresses hold keys, so they are not part of a policy's stored text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import time
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from foureyes.core.independence import normal
from foureyes.policy.nodes import Mapping, Node, Scalar, described
from foureyes.policy.problems import Problems
from foureyes.policy.tables import Table, listed

ADDRESS_CHARS_MAX = 1_000
ADDRESSES_MAX = 20
PEOPLE_MAX = 200
PERSON_CHARS_MAX = 200
#: The supported schemes of addresses.
SCHEMES = ("discord", "tgram", "slack", "mailto", "mailtos")
#: An environment variable in an address or secret; the server replaces it by its value at start.
VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]{0,100})\}")
_SECRET = re.compile(VARIABLE.pattern)
_ADDRESS = re.compile(r"([a-z]{1,20})://[^\s\x00-\x1f\x7f]+")
_WEBHOOK = re.compile(r"https?://[^\s\x00-\x1f\x7f]+")
_TIME = r"([01][0-9]|2[0-3]):([0-5][0-9])"
_SPAN = re.compile(f"{_TIME}-{_TIME}")
_PARTIES = ("human", "author", "reviewer", "thread")
DIGEST = time(9, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """A program that is told everything, and the secret that signs what it gets."""

    url: str
    secret: str

    def __repr__(self) -> str:
        """Show nothing, because an address may hold a key."""
        return "Webhook()"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who is told by name: where, when not, and when all the rest of the day comes as one."""

    name: str
    to: tuple[str, ...]
    #: The start and end of the quiet hours, in which nothing is sent.
    quiet: tuple[time, time] | None = None
    digest: time = DIGEST
    zone: str = "UTC"

    def __repr__(self) -> str:
        """Show the name but no address, because addresses hold keys."""
        return f"Person(name={self.name!r}, to={len(self.to)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notify:
    """Where people are told, and of what. It may hold secrets, so it is never part of a policy's text."""

    human: tuple[str, ...] = ()
    author: tuple[str, ...] = ()
    reviewer: tuple[str, ...] = ()
    #: The threads of tasks judged by critic chains.
    thread: tuple[str, ...] = ()
    webhooks: tuple[Webhook, ...] = ()
    people: tuple[Person, ...] = ()
    events: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def __repr__(self) -> str:
        """Show the number of addresses but none of them, because they hold keys."""
        counts = (f"{one}={len(getattr(self, one))}" for one in (*_PARTIES, "webhooks", "people"))
        return f"Notify({', '.join(counts)})"


def read_notify(table: Table, events: tuple[tuple[str, tuple[str, ...]], ...]) -> Notify:
    """Read the notification settings; messages about a wrong address do not show it."""
    problems = table.problems
    found = {who: _addresses(table.special(who), who, problems) for who in _PARTIES}
    return Notify(
        **found,
        webhooks=tuple(_webhooks(table.special("webhooks"), problems)),
        people=tuple(_people(table.special("people"), problems)),
        events=events,
    )


def _addresses(node: Node | None, who: str, problems: Problems) -> tuple[str, ...]:
    found: list[str] = []
    items = listed(node) if node is not None else ()
    if node is not None and len(items) > ADDRESSES_MAX:
        problems.add(node, f"{who} has {len(items)} addresses", f"write at most {ADDRESSES_MAX}")
    for index, one in enumerate(items, start=1):
        text = one.value if isinstance(one, Scalar) and isinstance(one.value, str) else ""
        known = _ADDRESS.fullmatch(text) if len(text) <= ADDRESS_CHARS_MAX else None
        if known is None:
            problems.add(one, f"address {index} of {who} is no address", "write scheme://…, such as discord://…")
        elif known[1] not in SCHEMES:
            allowed = f"write one of {', '.join(f'{each}://' for each in SCHEMES)}; programs stand under webhooks"
            problems.add(one, f"address {index} of {who} begins with a scheme that is not known", allowed)
        elif _names_well(text, one, f"address {index} of {who}", problems):
            if known[1] in ("discord", "tgram", "slack") and not VARIABLE.search(text):
                better = "better write ${NAME} there, and set NAME in the environment of the server."
                problems.note(f"Address {index} of {who} holds its key in the file: {better}")
            found.append(text)
    return tuple(dict.fromkeys(found))


def _webhooks(node: Node | None, problems: Problems) -> Iterator[Webhook]:
    items = listed(node) if node is not None else ()
    if node is not None and len(items) > ADDRESSES_MAX:
        problems.add(node, f"webhooks has {len(items)} entries", f"write at most {ADDRESSES_MAX}")
    for index, one in enumerate(items, start=1):
        if not isinstance(one, Mapping):
            problems.add(one, f"webhook {index} is no webhook", "write {url: https://…, secret: ${NAME}}")
            continue
        table = Table(one, "webhook", problems)
        url, secret = _kept_back(table.special("url")), _kept_back(table.special("secret"))
        if not _WEBHOOK.fullmatch(url):
            problems.add(table.at("url"), f"the url of webhook {index} is no web address", "write https://…")
        if not _SECRET.fullmatch(secret):
            allowed = "write ${NAME}, and set NAME to whsec_… in the environment of the server"
            problems.add(table.at("secret"), f"the secret of webhook {index} must come from the environment", allowed)
        if _names_well(url, one, f"the url of webhook {index}", problems):
            yield Webhook(url=url, secret=secret)


def _kept_back(node: Node | None) -> str:
    """A text that may hold a key; empty if it is not a text, without showing it in a message."""
    text = node.value if isinstance(node, Scalar) and isinstance(node.value, str) else ""
    return text if len(text) <= ADDRESS_CHARS_MAX else ""


def _people(node: Node | None, problems: Problems) -> Iterator[Person]:
    if node is None:
        return
    if not isinstance(node, Mapping) or len(node.entries) > PEOPLE_MAX:
        problems.add(node, f"people is {described(node)}", f"write at most {PEOPLE_MAX} names and where each is told")
        return
    seen: set[str] = set()
    for entry in node.entries:
        name = normal(entry.key)
        if not name or len(entry.key) > PERSON_CHARS_MAX or name in seen:
            problems.add(entry, f"{entry.key[:64]!r} is no name of a person here", "name everybody once")
        seen.add(name)
        table = Table(entry.node, "person", problems)
        to = _addresses(table.special("to"), entry.key[:64], problems)
        if not to:
            problems.add(entry, f"nothing says where {entry.key[:64]} is told", "write to: [scheme://…]")
        person = Person(
            name=entry.key, to=to, quiet=_quiet(table), digest=_time(table, "digest") or DIGEST, zone=_zone(table)
        )
        if person.quiet and within(person.digest, *person.quiet):
            problems.add(entry, f"the digest of {entry.key[:64]} lies in the quiet hours", "choose another time")
        yield person


def within(moment: time, begin: time, end: time) -> bool:
    """True if a time of day lies in a span, which may go past midnight."""
    return begin <= moment < end if begin < end else moment >= begin or moment < end


def _quiet(table: Table) -> tuple[time, time] | None:
    text = table.text("quiet")
    found = _SPAN.fullmatch(text)
    if found and found[0][:5] != found[0][6:]:
        return time(int(found[1]), int(found[2])), time(int(found[3]), int(found[4]))
    if table.has("quiet"):
        table.problems.add(table.at("quiet"), "quiet must be two times of day", "write 22:00-07:00")
    return None


def _time(table: Table, name: str) -> time | None:
    found = re.fullmatch(_TIME, table.text(name))
    if found:
        return time(int(found[1]), int(found[2]))
    if table.has(name):
        table.problems.add(table.at(name), f"{name} must be a time of day", "write 09:00")
    return None


def _zone(table: Table) -> str:
    name = table.text("zone")
    if not table.has("zone"):
        return "UTC"
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        table.problems.add(table.at("zone"), "zone is no time zone that is known here", "write Europe/Berlin, or UTC")
        return "UTC"
    return name


def _names_well(text: str, node: Node, what: str, problems: Problems) -> bool:
    """True if every ${…} in a text is a well-formed variable."""
    if "${" in VARIABLE.sub("", text):
        problems.add(node, f"{what} has a ${{ that names nothing", "write ${NAME}")
        return False
    return True
