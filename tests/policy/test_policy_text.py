"""A policy has one canonical text, which is stored, hashed and read back; nothing below the floor is read."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from foureyes.codec.shapes import CodecError, canonical
from foureyes.core.rules import KindRule
from foureyes.policy import SHIPPED, Target, policy_text, read_policy, shipped
from foureyes.policy.binding import PROGRAMS
from foureyes.policy.policy import LIFTS, SCHEMA, sealed_policy

GOLDEN = Path(__file__).parent / "golden" / "team-1.json"
GOLDEN_DIGEST = "60bbb59adb980fa356e05f464fc5cb60cae6d45f8ce9d310006c6f28c04177f2"
SOLO = replace(shipped("solo").policy, targets=(Target(name="live", level=2),))
SOLO = sealed_policy(SOLO)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_policy_comes_back_as_it_was_written(name: str) -> None:
    policy = shipped(name).policy
    assert read_policy(policy_text(policy)) == policy


def test_the_digest_is_that_of_everything_the_policy_says() -> None:
    assert sealed_policy(SOLO) == SOLO
    changed = [
        replace(SOLO, name="other"),
        replace(SOLO, ignore=("docs/**",)),
        replace(SOLO, reviewers=()),
        replace(SOLO, rules=replace(SOLO.rules, enabled=False)),
    ]
    assert len({sealed_policy(one).digest for one in (SOLO, *changed)}) == 5


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (b'"schema":5', b'"schema":6', "schema 6"),
        (b'"schema":5', b'"schema":true', "schema True"),
        (b'"is":"Coverage"', b'"is":"Wishes"', "'Wishes' is not one of"),
        (b'"is":"Program"', b'"is":"Spell"', "'Spell' is not one of"),
        (b'"reviewers":1', b'"reviewers":0', "at least 1 reviewer"),
        (b'"reviewers":1', b'"reviewers":true', "whole number"),
        (b'"schema":5}', b'"schema":5 }', "one spelling"),
        (b'"name":"solo"', b'"name":"solo","name":"solo"', "one spelling"),
        (b'"default":["solo"]', b'"default":[]', "needs a default"),
        (b'"rules":{', b'"rules":{"digest":"0",', "one spelling|no digest"),
        (b'"default":["solo"]', b'"default":["solo"],"digest":"0"', "no digest"),
        (b'"enabled":true', b'"enabled":1', "true or false"),
        (b'"level":2', b'"level":2.0', "whole number"),
        (b'"default":["solo"]', b'"default":["nothing"]', "which nobody defined"),
    ],
)
def test_another_text_is_refused(old: bytes, new: bytes, says: str) -> None:
    text = policy_text(SOLO)
    assert old in text
    with pytest.raises(CodecError, match=says):
        read_policy(text.replace(old, new, 1))


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[]", b"1", b'{"schema":1}', b"\xff", b"[" * 100_000, b"NaN", b'"\\ud800"', b"[" * 900 + b"]" * 900],
)
def test_what_is_no_policy_is_refused(text: bytes) -> None:
    with pytest.raises(CodecError):
        read_policy(text)


def test_a_stored_policy_without_a_style_for_a_kind_is_refused() -> None:
    empty = replace(SOLO, rules=replace(SOLO.rules, kinds=(KindRule(kind="deploy", protocols=()),)))
    with pytest.raises(CodecError, match="deploy is judged by nothing"):
        read_policy(policy_text(empty))


def test_a_policy_stored_by_the_first_version_is_still_what_it_was() -> None:
    """001-74: a change of shape needs a new schema and a step that lifts what is stored, else open reviews are lost."""
    text = GOLDEN.read_bytes()
    policy = read_policy(text)
    assert policy.digest == hashlib.sha256(text).hexdigest() == GOLDEN_DIGEST
    assert policy.rules.protocols_for("security_change") == ("peer", "security")
    assert [len(one.stages) for one in policy.rules.protocols] == [1, 1, 1, 2, 1, 1, 2, 2, 3, 3, 2, 3]


def test_an_older_text_is_lifted_and_keeps_its_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    text = policy_text(SOLO)
    monkeypatch.setattr("foureyes.policy.policy.SCHEMA", SCHEMA + 1)
    monkeypatch.setitem(LIFTS, SCHEMA, lambda body: body | {"name": f"{body['name']}, lifted"})
    lifted = read_policy(text)
    assert (lifted.name, lifted.digest) == ("solo, lifted", SOLO.digest)


def test_a_policy_of_schema_3_keeps_its_digest_and_gives_each_bound_program_its_seat() -> None:
    """U-07: reviews under a stored policy keep the numbers of their seats; seats of programs are the programs'."""
    body = json.loads(policy_text(SOLO))
    for stage in next(one for one in body["policy"]["rules"]["protocols"] if one["name"] == "solo")["stages"]:
        stage["seats"] = [one | {"program": "", "beside": False} for one in stage["seats"] if not one["beside"]]
        stage["seats_max"] -= len(PROGRAMS)
    text = canonical(body | {"schema": 3})
    policy = read_policy(text)
    assert policy.digest == hashlib.sha256(text).hexdigest()
    assert policy.rules.protocols == SOLO.rules.protocols
    solo = next(one for one in policy.rules.protocols if one.name == "solo")
    assert [one.program for one in solo.stages[0].seats[: len(PROGRAMS)]] == list(PROGRAMS)
