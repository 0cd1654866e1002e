"""Every store gives the same answers about reviews, digests, inboxes, trust and bytes."""

from __future__ import annotations

import itertools

import pytest

from foureyes.app.rows import Blob, Changes, Counts, DigestRow, Listing, Pending, ReviewRow
from tests.stores.making import GIT_TREE, A, B, Box, C, at, owed, record, review

BLOB_BYTES_MAX = 20 * 1024 * 1024


def names(rows: tuple[ReviewRow, ...]) -> list[str]:
    return [one.review for one in rows]


def test_a_review_comes_back_as_it_was_and_the_later_row_replaces_it(box: Box) -> None:
    assert box.read(lambda look: look.review("one")) is None
    box.put(reviews=(review("one"), review("two", digest="")))
    assert box.read(lambda look: look.review("one")) == review("one")
    changed = review("one", title="👀", state="cleared", waits="", revision=2, digest=B, updated=at(5))
    box.put(reviews=(changed,))
    assert box.read(lambda look: look.review("one")) == changed
    assert names(box.read(lambda look: look.reviews(Listing()))) == ["two", "one"]
    assert box.read(lambda look: look.review("two")) == review("two", digest="")


def test_a_command_on_a_review_does_not_move_it_in_the_list(box: Box) -> None:
    """So that a page can be turned while others work, and no index must be written at every command."""
    box.put(reviews=(review("old", opened=at(1)), review("new", opened=at(2))))
    box.put(reviews=(review("old", opened=at(1), updated=at(9)),))
    assert names(box.read(lambda look: look.reviews(Listing()))) == ["new", "old"]


def test_a_list_is_newest_first_and_comes_in_pages_without_gaps_or_repeats(box: Box) -> None:
    """Some reviews were opened at the same moment; then their names decide."""
    rows = tuple(review(f"r{number:02}", opened=at(number // 3)) for number in range(20))
    box.put(reviews=rows)
    wanted = names(tuple(sorted(rows, key=lambda one: (one.opened, one.review), reverse=True)))
    seen: list[str] = []
    before: tuple[str, str] | None = None
    for _ in range(10):
        listing = Listing(before=before, limit=3)
        page = box.read(lambda look, listing=listing: look.reviews(listing))  # type: ignore[misc]
        if not page:
            break
        seen += names(page)
        before = (page[-1].opened, page[-1].review)
    assert seen == wanted


def test_a_list_keeps_to_its_filters_in_every_combination(box: Box) -> None:
    choices = list(itertools.product(("open", "cleared", "rejected"), ("ann", "bob"), ("code", "prose")))
    rows = tuple(
        review(f"{number:02}", state=state, author=author, kind=kind, opened=at(number % 5))
        for number, (state, author, kind) in enumerate(choices * 2)
    )
    box.put(reviews=rows)
    for state, author, kind in itertools.product(
        ("", "open", "cleared", "none"), ("", "ann", "carl"), ("", "code", "x")
    ):
        for before in (None, (at(3), "10")):
            listing = Listing(state=state, author=author, kind=kind, before=before)
            wanted = [
                one
                for one in rows
                if state in ("", one.state)
                and author in ("", one.author)
                and kind in ("", one.kind)
                and (before is None or (one.opened, one.review) < before)
            ]
            wanted.sort(key=lambda one: (one.opened, one.review), reverse=True)
            found = box.read(lambda look, listing=listing: look.reviews(listing))  # type: ignore[misc]
            assert found == tuple(wanted), listing


def test_digests_are_found_by_their_name_and_by_their_aliases(box: Box) -> None:
    one = DigestRow(digest=A, review="one", cleared=True, vetoed=False)
    two = DigestRow(digest=A, review="two", cleared=False, vetoed=True)
    other = DigestRow(digest=B, review="one", cleared=False, vetoed=False)
    box.put(digests=(two, one, other), aliases=((GIT_TREE, A), (GIT_TREE, A), ("tag", B)))
    assert box.read(lambda look: look.digests(A)) == (one, two)
    assert box.read(lambda look: look.digests(GIT_TREE)) == (one, two)
    assert box.read(lambda look: look.digests("tag")) == (other,)
    assert box.read(lambda look: look.digests(C)) == ()
    assert box.read(lambda look: look.digests(A.upper())) == ()
    box.put(aliases=((GIT_TREE, B),))
    assert box.read(lambda look: look.digests(GIT_TREE)) == (one, other, two)
    gone = DigestRow(digest=A, review="one", cleared=False, vetoed=False)
    box.put(digests=(gone,))
    assert box.read(lambda look: look.digests(A)) == (gone, two)


def test_an_inbox_shows_the_most_urgent_first_and_what_has_no_due_time_last(box: Box) -> None:
    never, later, soon = owed("bob", "r1", due=""), owed("bob", "r2", due=at(20)), owed("bob", "r3", due=at(5))
    box.put(inbox=(never, later, soon, owed("carl", "r2")))
    assert box.read(lambda look: look.inbox("bob")) == (soon, later, never)
    assert box.read(lambda look: look.inbox("bob", 1)) == (soon,)
    assert box.read(lambda look: look.inbox("dora")) == ()


def test_an_inbox_goes_on_behind_what_was_seen_of_it(box: Box) -> None:
    rows = (
        *(owed("bob", f"r{number}", due=at(5)) for number in range(3)),
        *(owed("bob", f"r{number}", review="review-2", due=due) for number, due in enumerate((at(5), at(9), "", ""))),
    )
    box.put(inbox=(*reversed(rows), owed("carl", "r9", due=at(6))))
    pages = box.read(lambda look: [look.inbox("bob", 2, one.urgency) for one in rows])
    assert pages == [rows[count : count + 2] for count in range(1, len(rows) + 1)]


def test_whether_a_report_is_owed_is_known_without_reading_it(box: Box) -> None:
    box.put(inbox=(owed("bob", "r1"), owed("role:critic", "r2", held=False), owed("carl", "r3", kind="ruling")))
    asked = (("bob",), ("dora", "role:critic"), ("carl",), ("dora",), ("role:crit",), ())
    assert box.read(lambda look: [look.owes_report(one) for one in asked]) == [True, True, False, False, False, False]


def test_an_inbox_row_comes_back_whole(box: Box) -> None:
    row = owed("", "r1", kind="ruling", held=False, queued=True, revision=3, due=at(1), lease=at(2))
    box.put(inbox=(row,))
    assert box.read(lambda look: look.inbox("")) == (row,)


def test_a_request_leaves_every_inbox_before_it_comes_anew(box: Box) -> None:
    box.put(inbox=(owed("bob", "r1"), owed("carl", "r1"), owed("bob", "r2")))
    box.put(inbox_gone=(("review-1", "r1"), ("review-1", "never")), inbox=(owed("dora", "r1"),))
    assert box.read(lambda look: [one.request for one in look.inbox("bob")]) == ["r2"]
    assert box.read(lambda look: look.inbox("carl")) == ()
    assert box.read(lambda look: look.inbox("dora")) == (owed("dora", "r1"),)
    box.put(inbox=(owed("dora", "r1", queued=True),))
    assert box.read(lambda look: look.inbox("dora")) == (owed("dora", "r1", queued=True),)


def test_what_is_due_comes_once_each_and_the_longest_first(box: Box) -> None:
    box.put(
        inbox=(
            owed("bob", "r1", due=at(7)),
            owed("carl", "r1", due=at(3)),
            owed("bob", "r2", due=at(5)),
            owed("bob", "r3", due=at(9)),
            owed("bob", "r4", due=""),
            owed("bob", "r1", review="other", due=at(5)),
        )
    )
    assert box.read(lambda look: look.due(at(2))) == ()
    assert box.read(lambda look: look.due(at(5))) == (("review-1", "r1"), ("other", "r1"), ("review-1", "r2"))
    assert box.read(lambda look: look.due(at(59), 2)) == (("review-1", "r1"), ("other", "r1"))
    assert ("review-1", "r4") not in box.read(lambda look: look.due(at(59)))


def test_a_reviewers_load_is_the_reports_that_are_theirs(box: Box) -> None:
    box.put(
        inbox=(
            owed("bob", "r1"),
            owed("bob", "r2"),
            owed("bob", "r3", queued=True),
            owed("bob", "r4", held=False),
            owed("bob", "r5", kind="revision"),
            owed("carl", "r3", queued=True),
            owed("dora", "r4", held=False),
        )
    )
    counts = box.read(lambda look: look.counts(["bob", "carl", "dora", "emil"]))
    assert counts["bob"] == Counts(active=2, queued=1)
    assert counts["carl"] == Counts(active=0, queued=1)
    assert counts.get("dora", Counts()) == counts.get("emil", Counts()) == Counts()
    assert box.read(lambda look: look.counts([])) == {}


def test_track_records_come_back_byte_for_byte_and_can_all_be_replaced(box: Box) -> None:
    damaged = record("code", "bob", '{"successes":99,}', checksum="not its sum")
    box.put(trust=(record("prose", "ann"), damaged, record("code", "ann", "{ }")))
    assert box.read(lambda look: look.trust("code", "bob")) == damaged
    assert box.read(lambda look: look.trust("code", "carl")) is None
    box.put(trust=(record("code", "bob", "{}"),))
    wanted = [("code", "ann"), ("code", "bob"), ("prose", "ann")]
    assert box.read(lambda look: [(one.kind, one.author) for one in look.trusts()]) == wanted
    box.write(lambda tx: tx.set_trust([record("code", "carl")]))
    assert box.read(lambda look: list(look.trusts())) == [record("code", "carl")]


@pytest.mark.parametrize("content", [b"", b"\0", bytes(range(256)) * 9, b"x" * 3_000_000])
def test_bytes_come_back_as_they_were(box: Box, content: bytes) -> None:
    box.put(blobs={A: content})
    assert box.read(lambda look: look.blob(A)) == Blob(digest=A, size=len(content), content=content)
    assert box.read(lambda look: look.blob(B)) is None


def test_the_same_bytes_again_change_nothing(box: Box) -> None:
    box.put(blobs={A: b"one"})
    box.put(blobs={A: b"one", B: b"two"})
    assert box.read(lambda look: look.blob(A)) == Blob(digest=A, size=3, content=b"one")


def test_a_purge_removes_the_bytes_and_leaves_a_tombstone_for_ever(box: Box) -> None:
    box.put(blobs={A: b"secret", B: b"kept"})
    assert box.write(lambda tx: tx.purge(A, "a token was in it")) is True
    tombstone = Blob(digest=A, size=6, content=None, purged="a token was in it")
    assert box.read(lambda look: look.blob(A)) == tombstone
    assert box.write(lambda tx: tx.purge(C, "never there")) is False
    box.put(blobs={A: b"secret"})
    assert box.read(lambda look: look.blob(A)) == tombstone
    assert box.read(lambda look: look.blob(B)) == Blob(digest=B, size=4, content=b"kept")


def test_a_blob_has_at_most_20_mebibytes(box: Box) -> None:
    box.put(blobs={A: bytes(BLOB_BYTES_MAX)})
    with pytest.raises(ValueError, match=r"."):
        box.put(blobs={B: bytes(BLOB_BYTES_MAX + 1)}, reviews=(review("one"),))
    found = box.read(lambda look: look.blob(A))
    assert found is not None
    assert found.size == BLOB_BYTES_MAX
    assert box.read(lambda look: look.blob(B)) is None
    assert box.read(lambda look: look.review("one")) is None


def test_no_change_is_no_change(box: Box) -> None:
    box.write(lambda tx: tx.apply(Changes()))
    assert box.read(lambda look: look.tail((0, 0))) == ()


def test_what_is_pending_is_counted_by_kind_each_request_once(box: Box) -> None:
    """However many may give an answer, it is one answer that is owed."""
    assert box.read(lambda look: look.pending(at(10))) == ()
    rows = (
        owed("ann", "r1", lease=at(12)),
        owed("bob", "r2", lease=at(10), due=at(20)),
        owed("ann", "r3", queued=True, due=at(11)),
        owed("role:auditor", "r4", held=False, due=""),
        owed("role:tester", "r4", held=False, due=""),
        owed("dev", "v1", kind="revision", due=at(9)),
        owed("group:leads", "h1", kind="ruling", held=False, due=at(30)),
    )
    box.put(inbox=(*rows, owed("ann", "r1", review="review-2", due=at(11))))
    assert box.read(lambda look: look.pending(at(10))) == (
        Pending(kind="report", requests=5, held=4, queued=1, overdue=1, leased=1, lapsed=1),
        Pending(kind="revision", requests=1, held=1, overdue=1),
        Pending(kind="ruling", requests=1),
    )
    box.put(inbox_gone=(("review-1", "r4"), ("review-1", "h1"), ("review-1", "v1")))
    (left,) = box.read(lambda look: look.pending(at(11)))
    assert left == Pending(kind="report", requests=4, held=4, queued=1, overdue=3, leased=1, lapsed=1)


def test_rows_under_many_names_come_at_once_and_no_others(box: Box) -> None:
    """By whole names: one that only begins alike is another."""
    keys = ("a/1", "a/2", "ab/1", "b/x/1", "b", "c/1", "ä/1")
    box.put(along={("some", key): key.upper() for key in keys})
    box.put(along={("other", "a/9"): ""})

    def under(*names: str, limit: int = 100) -> list[str]:
        return [key for key, _ in box.read(lambda look: look.rows_under("some", names, limit))]

    assert under("a", "b", "b") == ["a/1", "a/2", "b/x/1"]
    assert under("b/x", "ä", "nobody") == ["b/x/1", "ä/1"]
    assert under("a", "ab", "c", limit=3) == ["a/1", "a/2", "ab/1"]
    assert under() == []
