"""The persistent stores behave like the memory store for any sequence of operations."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foureyes.app.ports import Conflict, Reading, Writing
from foureyes.app.rows import Changes, DigestRow, Listing, OutboxRow
from foureyes.store.memory import MemoryStore
from tests.conftest import EFFORT
from tests.stores.conftest import lending
from tests.stores.making import GIT_TREE, A, B, Box, answered, append, at, owed, record, review

EXAMPLES = {"test": 20, "all": 200}[EFFORT]
STREAMS = ("review/1", "review/2", "target/prod")
REVIEWS = ("one", "two", "three")
WHO = ("ann", "bob", "")
PROJECTIONS = ("metrics", "costs")
KEYS = ("a", "a/1", "b")

Act = Callable[[Writing], object]

minutes = st.integers(0, 9).map(at)
small = st.integers(0, 3)
names = st.sampled_from(REVIEWS)
appends = st.builds(
    lambda stream, after, count: append(stream, after, *("{}",) * count), st.sampled_from(STREAMS), small, small
)
review_rows = st.builds(
    lambda name, state, author, kind, opened: review(name, state=state, author=author, kind=kind, opened=opened),
    names,
    st.sampled_from(("open", "cleared")),
    st.sampled_from(WHO[:2]),
    st.sampled_from(("code", "prose")),
    minutes,
)
digest_rows = st.builds(
    DigestRow, digest=st.sampled_from((A, B)), review=names, cleared=st.booleans(), vetoed=st.booleans()
)
inbox_rows = st.builds(
    lambda who, request, name, held, queued, due: owed(who, request, review=name, held=held, queued=queued, due=due),
    st.sampled_from(WHO),
    st.sampled_from(("r1", "r2")),
    names,
    st.booleans(),
    st.booleans(),
    minutes | st.just(""),
)
changes = st.builds(
    Changes,
    appends=st.lists(appends, max_size=2, unique_by=lambda one: one.stream).map(tuple),
    reviews=st.lists(review_rows, max_size=2).map(tuple),
    digests=st.lists(digest_rows, max_size=2).map(tuple),
    inbox_gone=st.lists(st.tuples(names, st.sampled_from(("r1", "r2"))), max_size=2).map(tuple),
    inbox=st.lists(inbox_rows, max_size=2).map(tuple),
    outbox=st.lists(
        st.builds(OutboxRow, stream=st.sampled_from(STREAMS), version=small, type=st.just("Noted"), at=minutes),
        max_size=2,
    ).map(tuple),
    trust=st.lists(st.builds(record, st.just("code"), st.sampled_from(WHO), st.sampled_from("{}")), max_size=1).map(
        tuple
    ),
    aliases=st.lists(st.tuples(st.sampled_from((GIT_TREE, "tag")), st.sampled_from((A, B))), max_size=1).map(tuple),
    blobs=st.dictionaries(st.sampled_from((A, B)), st.just(b"bytes"), max_size=2),
    answered=st.none() | st.builds(answered, st.sampled_from(KEYS), st.sampled_from(WHO)),
)
acts: st.SearchStrategy[Act] = st.one_of(
    changes.map(lambda one: lambda tx: tx.apply(one)),
    st.tuples(
        st.sampled_from(PROJECTIONS), st.dictionaries(st.sampled_from(KEYS), st.none() | st.just("x")), small
    ).map(lambda one: lambda tx: tx.follow(one[0], one[1], (0, one[2]))),
    st.sampled_from(PROJECTIONS).map(lambda one: lambda tx: tx.clear(one)),
    st.lists(
        st.builds(record, st.just("code"), st.sampled_from(WHO)), max_size=2, unique_by=lambda one: one.author
    ).map(lambda rows: lambda tx: tx.set_trust(rows)),
    st.sampled_from((A, B)).map(lambda one: lambda tx: tx.purge(one, "gone")),
    st.tuples(minutes, minutes, small).map(lambda one: lambda tx: claimed(tx, *one)),
    st.tuples(minutes, minutes).map(lambda one: lambda tx: arrived(tx, *one)),
    st.tuples(minutes, minutes, minutes).map(lambda one: lambda tx: put_off(tx, *one)),
)
#: Some works raise at the end, and must leave no changes.
works = st.tuples(st.lists(acts, min_size=1, max_size=3), st.booleans())


class Undone(Exception):  # noqa: N818 - expected
    """The error that a work raises here."""


def claimed(tx: Writing, now: str, until: str, limit: int) -> object:
    # The numbers of parcels differ between stores.
    return [(one.row, one.attempts) for one in tx.claim("me", now, until, limit)]


def arrived(tx: Writing, now: str, until: str) -> object:
    parcels = tx.claim("me", now, until, 1)
    tx.delivered([one.id for one in parcels])
    return [one.row for one in parcels]


def put_off(tx: Writing, now: str, until: str, later: str) -> object:
    parcels = tx.claim("me", now, until, 2)
    for one in parcels:
        tx.postponed(one.id, later)
    return [one.row for one in parcels]


def done(box: Box, work: tuple[list[Act], bool]) -> object:
    def run(tx: Writing) -> object:
        results = [one(tx) for one in work[0]]
        if work[1]:
            raise Undone
        return results, seen(tx)

    try:
        return box.write(run)
    except (Conflict, Undone) as error:
        return type(error)


def seen(look: Reading) -> list[Any]:
    """Everything in the store, without the numbers that differ between stores."""
    listings = [Listing(state=state, author=who, limit=2) for state in ("", "open") for who in ("", "ann")]
    return [
        [look.known(stream, who, key) for stream in STREAMS for who in WHO for key in (*KEYS, "")],
        [[astuple(replace(one, seq=0, tx=0)) for one in look.events(stream, 1)] for stream in STREAMS],
        look.heads("review/1"),
        [look.review(name) for name in REVIEWS],
        [look.reviews(listing) for listing in listings],
        look.reviews(Listing(before=(at(5), "two"))),
        [look.digests(name) for name in (A, B, GIT_TREE, "tag")],
        [look.inbox(who, 3) for who in WHO],
        look.due(at(5)),
        {name: count for name, count in look.counts(WHO).items() if any(astuple(count))},
        list(look.trusts()),
        [look.blob(digest) for digest in (A, B)],
        [(look.cursor(one), look.rows(one), look.rows(one, "a", "a", 1), look.row(one, "b")) for one in PROJECTIONS],
    ]


def followed(look: Reading) -> list[Any]:
    """The log as its readers see it when no transaction is open."""
    return sorted((one.stream, one.version) for one in look.tail((0, 0)))


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(story=st.lists(works, min_size=1, max_size=12))
def test_a_store_that_lasts_does_what_the_one_in_memory_does(
    kind: str, request: pytest.FixtureRequest, story: list[tuple[list[Act], bool]]
) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        asyncio.Runner() as runner,
        lending(kind, request, Path(folder)) as box,
    ):
        model = Box(store=MemoryStore(), runner=runner)
        for work in story:
            assert done(box, work) == done(model, work)
        assert box.read(seen) == model.read(seen)
        assert box.read(followed) == model.read(followed)
