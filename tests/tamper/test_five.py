"""Edits, deletions, reordering, truncation and forks of the log in the database file are found, with their place.

The forger drops the triggers first. In the second half they also recompute all links and heads; they have neither the
signing key nor the journal.
"""

from pathlib import Path

from foureyes.app.damages import LISTED_MAX, Collected
from tests.app.house import played
from tests.cast import HARDIN, SELDON
from tests.tamper.desk import desk


@played
async def test_an_untouched_log_is_sound(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        found = await it.look(deep=True)
        assert found.damages == ()
        assert found.notes == ()
        assert (found.streams, found.checkpoints, found.uncovered) == (3, 2, 0)
        assert found.last == (2, it.last().digest)


@played
async def test_an_edited_event_is_found_in_its_place(tmp_path: Path) -> None:
    """D-22: an edited record fails verification at its place."""
    async with desk(tmp_path) as it:
        it.edit("review/r1", 1, "body = replace(body, 'A piece', 'A niece')")
        assert await it.places() == {"review/r1@1": "edited"}


@played
async def test_an_edit_of_anything_an_event_says_is_found(tmp_path: Path) -> None:
    """D-22: who, when, why, what kind and which schema are linked too."""
    edits = ("actor = 'hugo'", "at = '2020-01-01T00:00:00.000000Z'", "cause = 'x'", "type = 'NoteAdded'", "schema = 99")
    for edit in edits:
        (tmp_path / edit[:2]).mkdir()
        async with desk(tmp_path / edit[:2]) as it:
            it.edit("review/r2", 2, edit)
            assert (await it.places())["review/r2@2"] == "edited"


@played
async def test_a_deleted_event_is_found_in_its_place(tmp_path: Path) -> None:
    """D-22: a deleted record fails verification at its place."""
    async with desk(tmp_path) as it:
        it.delete("review/r2", 3)
        found = await it.places()
        assert found["review/r2@3"] == "deleted"


@played
async def test_a_deleted_beginning_is_found(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        it.delete("review/r2", 1)
        it.delete("review/r2", 2)
        found = await it.look()
        assert (found.damages[0].place, found.damages[0].what) == ("review/r2@1", "deleted: 1 to 2 missing")


@played
async def test_reordered_events_are_found_in_their_places(tmp_path: Path) -> None:
    """D-22: two events that changed places, with their links or without."""
    async with desk(tmp_path) as it:
        it.edit("review/r1", 2, "version = 99")
        it.edit("review/r1", 3, "version = 2")
        it.edit("review/r1", 99, "version = 3")
        found = await it.places()
        assert (found["review/r1@2"], found["review/r1@3"]) == ("reordered", "reordered")
        assert "review/r1@4" not in found


@played
async def test_bodies_that_changed_places_are_found(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        it.tamper(
            "CREATE TABLE copy AS SELECT seq, version, stream, type, schema, body FROM log",
            "UPDATE log SET (type, schema, body) = (SELECT type, schema, body FROM copy WHERE copy.stream = log.stream "
            "AND copy.version = 5 - log.version) WHERE stream = 1 AND version IN (2, 3)",
        )
        found = await it.places()
        assert (found["review/r1@2"], found["review/r1@3"]) == ("reordered", "reordered")


@played
async def test_events_of_different_streams_that_changed_places_are_found(tmp_path: Path) -> None:
    """Each stream is whole, but the log as a whole tells another story: who came first."""
    async with desk(tmp_path) as it:
        it.tamper("UPDATE log SET seq = -seq WHERE stream IN (1, 2) AND version = 1")
        it.tamper("UPDATE log SET seq = 1 WHERE stream = 2 AND version = 1")
        it.tamper("UPDATE log SET seq = (SELECT seq - 1 FROM log WHERE stream = 2 AND version = 2) WHERE seq = -1")
        assert await it.places() == {"checkpoint 1": "reordered or rewritten"}


@played
async def test_a_truncated_stream_is_found_where_it_was_cut(tmp_path: Path) -> None:
    """D-22: a truncated record fails verification at its place, even when the heads were cut to match."""
    async with desk(tmp_path) as it:
        length = len(await it.house.log("review/r1"))
        it.delete("review/r1", length)
        it.rewrite("review/r1")
        assert (await it.places())[f"review/r1@{length}"] == "truncated"


@played
async def test_a_tail_cut_off_before_any_checkpoint_is_found_by_the_heads(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        await it.house.revise("review/r2")
        length = len(await it.house.log("review/r2"))
        it.delete("review/r2", length)
        assert (await it.places())[f"review/r2@{length}"] == "truncated"


@played
async def test_a_stream_that_is_gone_is_found(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        it.tamper("DELETE FROM log WHERE stream = 1", "DELETE FROM streams WHERE id = 1")
        assert (await it.places())["review/r1@1"] == "deleted"


@played
async def test_a_store_put_back_to_yesterday_is_found(tmp_path: Path) -> None:
    """D-22: everything behind the first checkpoint is gone, and what is left agrees with itself."""
    async with desk(tmp_path) as it:
        it.tamper("DELETE FROM log WHERE stream = 3", "DELETE FROM streams WHERE id = 3")
        before = it.signed(1)["review/r2"]
        for version in range(before + 1, len(await it.house.log("review/r2")) + 1):
            it.delete("review/r2", version)
        it.rewrite("review/r2")
        found = await it.places()
        assert found[f"review/r2@{before + 1}"] == "truncated"
        assert found["review/r3@1"] == "deleted"


@played
async def test_a_rewritten_stream_is_a_fork_even_if_every_link_agrees(tmp_path: Path) -> None:
    """D-22: the forger has no key, and checkpoint 1 saw another history."""
    async with desk(tmp_path) as it:
        it.edit("review/r1", 1, "body = replace(body, 'A piece', 'A niece')")
        it.rewrite("review/r1")
        found = await it.look()
        assert found.damages[0].place == "review/r1@1"
        assert found.damages[0].what.startswith("fork: events 1 to ")
        assert "checkpoint 1 saw others" in found.damages[0].what


@played
async def test_a_fork_begins_behind_the_last_checkpoint_that_agrees(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        agreed = it.signed(1)["review/r2"]
        it.edit("review/r2", agreed + 1, "actor = 'eve'")
        it.rewrite("review/r2")
        assert (await it.places())[f"review/r2@{agreed + 1}"] == "fork"


@played
async def test_a_deletion_renumbered_and_linked_anew_is_a_fork(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        length = len(await it.house.log("review/r1"))
        it.delete("review/r1", 2)
        for version in range(3, length + 1):
            it.edit("review/r1", version, "version = version - 1")
        it.rewrite("review/r1")
        assert (await it.places())[f"review/r1@{length}"] == "truncated"


@played
async def test_an_event_added_to_the_signed_past_is_found(tmp_path: Path) -> None:
    """A clearance that nobody gave, in a stream of its own, numbered as if it had always been there."""
    async with desk(tmp_path) as it:
        it.tamper("INSERT INTO streams (id, name, version, chain) VALUES (99, 'review/evil', 1, x'00')")
        it.tamper(
            "INSERT INTO log (seq, stream, version, type, schema, at, actor, cause, body, chain) "
            "SELECT 0, 99, 1, type, schema, at, actor, cause, body, chain FROM log WHERE seq = 1",
        )
        it.rewrite("review/evil")
        it.tamper("UPDATE log SET seq = seq + 1000 WHERE seq > 0")
        assert set(await it.places()) == {"checkpoint 1", "checkpoint 2"}


@played
async def test_a_head_that_disagrees_with_the_log_is_found(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        it.tamper("UPDATE streams SET version = 2 WHERE name = 'review/r3'")
        assert await it.places() == {"review/r3@2": "truncated"}


@played
async def test_events_torn_from_their_stream_are_found(tmp_path: Path) -> None:
    """The name of the stream leads elsewhere: its events are in the file, but nobody finds them."""
    async with desk(tmp_path) as it:
        it.tamper("UPDATE streams SET id = 77 WHERE name = 'review/r1'")
        assert (await it.places())["review/r1@1"] == "truncated"


def test_of_very_much_damage_only_so_much_is_listed_and_the_rest_counted() -> None:
    found = Collected()
    for number in range(LISTED_MAX + 7):
        found.add(f"review/r{number}@1", "edited: all of it", "Restore a backup.")
    assert (len(found.damages), found.unlisted) == (LISTED_MAX, 7)


@played
async def test_a_row_that_claims_a_clearance_is_found(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        it.tamper("UPDATE digests SET cleared = 1 WHERE review = 'r2'")
        assert await it.places() == {"review/r2": "forged"}


@played
async def test_a_row_that_hides_something_is_found_by_folding(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        it.tamper("UPDATE digests SET vetoed = 1 WHERE review = 'r1'", "UPDATE reviews SET state = 'open'")
        assert await it.places(deep=False) == {}
        assert await it.places(deep=True) == {"review/r1": "forged", "review/r3": "forged"}


@played
async def test_a_veto_that_was_taken_out_of_its_row_is_found(tmp_path: Path) -> None:
    """The gate looks there for vetoes of other reviews, so nobody may take one away."""
    async with desk(tmp_path) as it:
        stream = await it.house.open({"step.txt": b"danger\n"}, "security_step")
        await it.house.approve(stream, SELDON)
        await it.house.object_to(stream, "It is dangerous.", actor=HARDIN)
        assert (await it.house.review(stream)).vetoes
        await it.sign()
        assert (await it.look()).sound
        it.tamper("UPDATE digests SET vetoed = 0 WHERE vetoed = 1")
        assert (await it.places())[stream] == "forged"


@played
async def test_what_no_checkpoint_covers_yet_is_counted_and_said(tmp_path: Path) -> None:
    """Who can write the file can still rewrite these unnoticed; that is what the interval is for."""
    async with desk(tmp_path) as it:
        await it.house.open({"four.py": b"4\n"})
        found = await it.look()
        assert found.sound
        assert found.uncovered == len(await it.house.log("review/r4"))
        it.house.wait(hours=1)
        assert "are under no checkpoint" in (await it.look()).notes[0]
