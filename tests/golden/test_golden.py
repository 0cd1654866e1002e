"""Logs of earlier versions give the same links, states and signatures for ever."""

import json
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import pytest

from foureyes.app.keys import PublicKey
from foureyes.app.receipts import check_receipt, read_receipt
from foureyes.app.verify import verify
from foureyes.codec import EVENT_TYPES
from foureyes.codec.upcasts import current_schema
from foureyes.core.rules import Style
from tests.app.house import played
from tests.golden import log as golden
from tests.golden import write
from tests.golden.log import Golden, versions
from tests.golden.states import SINCE, dump, newer_than, state_hash

ALL = pytest.mark.parametrize("version", versions(), ids=lambda one: one.name)


@ALL
def test_a_golden_log_folds_to_its_recorded_states(version: Golden) -> None:
    """I24: every stream of every earlier version comes to the state that its version had."""
    assert golden.hashes(version.events(), newer_than(version.name)) == version.states()


@ALL
def test_the_links_of_a_golden_log_are_still_computed_the_same_way(version: Golden) -> None:
    """I20: a log that could no longer be verified would be worth nothing."""
    assert golden.broken_links(version.events()) == []


@ALL
def test_the_checkpoint_and_the_receipt_of_an_earlier_version_are_still_good(version: Golden) -> None:
    @played
    async def play() -> None:
        key = PublicKey.of((version.folder / golden.KEY).read_text(encoding="utf-8").strip())
        store = await write.filled(version.events())
        found = await verify(store, version.folder, key, deep=True)
        assert found.damages == ()
        assert found.uncovered == 0
        check_receipt(read_receipt((version.folder / golden.RECEIPT).read_bytes()), [key])

    play()


def test_every_event_that_can_be_written_is_in_some_golden_log() -> None:
    """Whoever adds an event, or gives one a new schema, writes the next golden log."""
    seen = {(one.type, one.schema) for version in versions() for one in version.events()}
    newest = {(name, current_schema(name)) for name in EVENT_TYPES}
    assert newest - seen == set()


def test_every_style_is_in_some_golden_log() -> None:
    bodies = (
        json.loads(one.body) for version in versions() for one in version.events() if one.type == "RevisionSubmitted"
    )
    styles = {style for body in bodies for style in body["protocols"]}
    assert {one.value for one in Style} - {"chain"} <= styles
    assert {"default", "security", "content", "research", "trading", "infrastructure"} <= styles


def test_a_field_an_earlier_version_did_not_have_is_in_the_states_of_a_later_one() -> None:
    """What is left out of one comparison is in another, so that no field is compared with nothing."""
    for since, names in SINCE.items():
        later = [one for one in versions() if int(one.name) > int(since)]
        states = [state for one in later for state in golden.folded(one.events()).values()]
        for name in names:
            assert any(state_hash(one) != state_hash(one, frozenset({name})) for one in states), name


def test_a_version_is_never_written_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(golden, "HERE", tmp_path)
    (tmp_path / "1").mkdir()
    with pytest.raises(FileExistsError):
        write.main("1")


def test_a_state_has_one_spelling_and_what_changes_it_changes_the_hash() -> None:
    before = Thing()
    assert dump(before) == {}
    for changed in (Thing(number=1), Thing(names=frozenset({"a"})), Thing(by={"a": 1}), Thing(at=datetime.min)):  # noqa: DTZ901
        assert state_hash(changed) != state_hash(before)
    assert state_hash(Thing(names=frozenset({"a", "b"}))) == state_hash(Thing(names=frozenset({"b", "a"})))
    assert state_hash(Thing(by={"a": 1, "b": 2})) != state_hash(Thing(by={"b": 2, "a": 1}))
    assert state_hash(Thing(number=1), frozenset({"Thing.number"})) == state_hash(before)
    assert state_hash([Thing(number=1, at=datetime.min)], frozenset({"Thing.number"})) != state_hash([before])  # noqa: DTZ901
    with pytest.raises(TypeError):
        dump(object())


@dataclass(frozen=True)
class Thing:
    """A state as small as can be."""

    number: int = 0
    names: frozenset[str] = frozenset()
    by: dict[str, int] = field(default_factory=dict)
    at: datetime | None = None
