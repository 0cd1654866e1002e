"""The response time reveals nothing about a guessed secret: no guess is nearer than another."""

from __future__ import annotations

import ast
import hashlib
import secrets
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import foureyes
from foureyes.app.accounts import new_token, stream_of
from foureyes.app.credentials import Acquaintances, Credential, look_up
from foureyes.app.ports import Reading, Writing
from foureyes.app.rows import LINKS, SIGN_INS, START, TOKENS
from foureyes.app.signing_in import human_of, new_link, redeemed
from foureyes.core.principals import EnrolPrincipal, IssueToken
from foureyes.core.values import Who, WhoKind
from tests.app.house import House, played

SUE = Who(name="sue", kind=WhoKind.HUMAN, operator="acme")
SOURCES = sorted(Path(foureyes.__file__).parent.rglob("*.py"))
#: Values that must be compared in constant time.
HASHED = frozenset({"hash_of", "form_mark"})
KEPT = frozenset({"hash", "secret"})


class Watched:
    """A read of the store that records its lookups."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self.asked = list[tuple[object, ...]]()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def ask(*given: object) -> object:
            self.asked.append((name, *given))
            return getattr(self._reading, name)(*given)

        return ask


def guesses(secret: str) -> tuple[str, ...]:
    """Guesses wrong in the last character, in the first, after the public part, in length, and everywhere."""
    other = "A" if secret[-1] != "A" else "B"
    head, _, _ = secret.rpartition("_")
    return (secret[:-1] + other, other + secret[1:], head + "_" + "x" * 43, secret[:-1], secret + other, "x")


async def _enrolled(house: House) -> tuple[str, str, str]:
    """The secrets of an agent's token, of a link and of a session."""
    made = new_token()
    await house.do(SUE, EnrolPrincipal(kind="agent"), stream_of("ann"))
    await house.do(SUE, IssueToken(token=made.id, hash=made.hash), stream_of("ann"))
    await house.do(SUE, EnrolPrincipal(kind="human"), stream_of("hana"))

    def links(tx: Writing) -> tuple[str, str]:
        link, used = new_link(tx, "hana", house.now), new_link(tx, "hana", house.now)
        assert link
        assert used
        session = redeemed(tx, used, house.now)
        assert session
        return link, session

    return made.secret, *(await house.store.write(links))


def _by_token(reading: Reading, secret: str, now: datetime) -> object:
    return look_up(reading, Credential(token=secret), now)


def _by_token_of_one_met(reading: Reading, secret: str, now: datetime) -> object:
    return Acquaintances().again(reading, Credential(token=secret), now)


def _by_session(reading: Reading, secret: str, now: datetime) -> object:
    return look_up(reading, Credential(session=secret), now)


WAYS = {
    "token": (0, TOKENS, _by_token),
    "token_again": (0, TOKENS, _by_token_of_one_met),
    "link": (1, LINKS, human_of),
    "session": (2, SIGN_INS, _by_session),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_wrong_secret_asks_the_store_for_one_row_by_its_hash_and_for_nothing_else(way: str) -> None:
    """T14: one path for all of them, and what is looked for has nothing in common with what is there."""
    at, table, find = WAYS[way]

    @played
    async def story() -> None:
        house = House()
        secret = (await _enrolled(house))[at]

        def tried(reading: Reading) -> None:
            for guess in guesses(secret):
                watched = Watched(reading)
                assert find(watched, guess, house.now) is None
                assert watched.asked == [("row", table, hashlib.sha256(guess.encode()).hexdigest())]

        await house.store.read(tried)

    story()


@played
async def test_what_is_known_of_a_token_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """T14: also where a row of the store points to an account that never had this token."""
    house = House()
    right, _, _ = await _enrolled(house)
    planted = new_token()
    await house.store.write(lambda tx: tx.follow(TOKENS, {planted.hash: "ann"}, START))
    compared = list[tuple[str, str]]()
    plain = secrets.compare_digest

    def watching(one: str, other: str) -> bool:
        compared.append((one, other))
        return plain(one, other)

    monkeypatch.setattr(secrets, "compare_digest", watching)
    issued = hashlib.sha256(right.encode()).hexdigest()
    for secret, opens in ((right, True), (planted.secret, False)):
        compared.clear()
        found = await house.store.read(partial(_by_token, secret=secret, now=house.now))
        assert bool(found) is opens
        assert compared == [(issued, hashlib.sha256(secret.encode()).hexdigest())]


def test_nothing_made_of_a_secret_is_compared_in_another_way() -> None:
    """T14: `==` ends at the first difference; it stands beside no hash of a secret, nor beside a hash that is kept."""
    found = [f"{path}:{line}" for path in SOURCES for line in _compared(path.read_text(encoding="utf-8"))]
    assert found == []
    assert _compared("if hash_of(a) == b: pass") == [1]
    assert _compared("ok = one.hash != known") == [1]
    assert _compared("ok = compare_digest(one.hash, known)") == []


def _compared(source: str) -> list[int]:
    if not any(word in source for word in (*HASHED, *(f".{one}" for one in KEPT))):
        return []  # read by its letters first: taking all of it apart takes long
    nodes = (one for one in ast.walk(ast.parse(source)) if isinstance(one, ast.Compare))
    return [one.lineno for one in nodes if any(map(_is_secret, (one.left, *one.comparators)))]


def _is_secret(node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in HASHED
    return isinstance(node, ast.Attribute) and node.attr in KEPT
