"""The crash tests find the bugs they exist for."""

from functools import partial

import pytest

from tests.crash.checking import Checker, fresh_store, wrong_alone, wrong_together
from tests.crash.hunting import hunt
from tests.crash.nursery import Nursery
from tests.crash.one_file import wrong_file
from tests.crash.planting import BUGS, DIES, PLANTED_HOLES
from tests.crash.spooled import wrong_spool
from tests.crash.stages import PLANTED, PLAYS

pytestmark = pytest.mark.timeout(300)

WANTED = 400
CHECKERS: dict[str, Checker] = {"reviews": wrong_alone, "together": wrong_together, "spool": wrong_spool}
EIO = "fdatasync:error=EIO:when=3"
NO_ROOM = "pwrite64:error=ENOSPC:when=80+"
#: The play that shows each bug, and the disk failure it needs.
SHOWN = {
    "a_failed_commit_is_tried_again": ("reviews", EIO),
    "a_failed_sync_of_the_spool_is_tried_again": ("spool", "fsync:error=EIO:when=9"),
    "a_group_lets_go_one_by_one": ("together", ""),
    "acknowledged_before_the_commit": ("together", ""),
    "an_error_is_taken_for_a_yes": ("reviews", EIO),
    "memory_takes_what_the_disk_refuses": ("reviews", NO_ROOM),
    "spooled_before_it_is_written": ("spool", ""),
    "the_cursor_is_rewritten_in_place": ("spool", ""),
    "the_cursor_moves_before_the_effect": ("spool", ""),
    "the_disk_is_never_synced": ("reviews", ""),
    "the_disk_is_synced_now_and_then": ("together", ""),
    "the_inbox_is_kept_in_a_second_transaction": ("reviews", ""),
    "the_journal_is_believed_after_a_failed_sync": ("reviews", "fdatasync:error=EIO:when=6..7"),
    "the_journals_name_is_left_to_sqlite": ("reviews", "fdatasync:error=EIO:when=2"),
    "the_mark_goes_with_the_record": ("spool", ""),
    "the_reply_is_kept_in_a_second_transaction": ("reviews", ""),
    "the_spool_is_not_synced": ("spool", ""),
    "the_spools_folder_is_not_synced": ("spool", ""),
}


def test_every_planted_bug_is_hunted() -> None:
    assert PLANTED
    assert {*SHOWN, DIES} == set(BUGS)
    assert set(PLANTED_HOLES.values()) <= {*SHOWN, *PLAYS}


@pytest.mark.parametrize("bug", SHOWN)
def test_a_planted_bug_is_found(nursery: Nursery, bug: str) -> None:
    """S12 among others: what is acknowledged before it is safe is missed on some disk."""
    play, trouble = SHOWN[bug]
    # With the tables made beforehand, the first syncs are those of the first commit, in any thread.
    before = {} if play == "spool" else fresh_store()
    inject = (trouble,) if trouble else ()
    assert hunt(nursery, play, CHECKERS[play], wanted=WANTED, bugs=(bug,), inject=inject, before=before, enough=1).found


@pytest.mark.parametrize("trouble", sorted({(play, trouble) for play, trouble in SHOWN.values() if trouble}))
def test_the_same_trouble_finds_nothing_without_the_bug(nursery: Nursery, trouble: tuple[str, str]) -> None:
    play, inject = trouble
    before = {} if play == "spool" else fresh_store()
    assert hunt(nursery, play, CHECKERS[play], wanted=60, inject=(inject,), before=before).found == ()


def test_what_comes_after_a_process_whose_sync_failed_does_not_believe_the_kernel(nursery: Nursery) -> None:
    """F5: it would checkpoint a journal whose end is in memory only, and a power cut would tear the file."""
    bugs = ("the_journal_is_believed_after_a_failed_sync",)
    trouble = partial(hunt, nursery, "reviews", wrong_alone, before=fresh_store(), dies=True, wanted=WANTED)
    # Which commands share a commit varies, so not every failed sync leaves a journal that could be believed.
    injected = [(f"fdatasync:error=EIO:when={turn}",) for turn in (6, 5, 7, 6, 8)]
    assert any(trouble(inject=inject, bugs=bugs, enough=1).found for inject in injected)
    assert trouble(inject=injected[0]).found == ()


def test_one_file_rewritten_by_many_loses_what_it_acknowledged(nursery: Nursery) -> None:
    """S23: and the same file, kept as it must be, does not."""
    assert hunt(nursery, "one file, hastily", wrong_file, wanted=WANTED, enough=1).found
    assert hunt(nursery, "one file, carefully", wrong_file, wanted=WANTED).found == ()
