"""The checker finds no error in an honest log, and detects each of these lies in it."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.sim.checker import Checker, Delivered, Shown, Work, parse_policy

Json = dict[str, Any]
Lie = Callable[[list[Json]], None]

POLICY = parse_policy(
    "p1",
    {
        "protocols": {
            "resolve": {
                "style": "resolve",
                "revisions_max": 10,
                "exhausted": "shelve",
                "stages": [
                    {
                        "name": "resolve",
                        "vote": "none",
                        "quorum": 2,
                        "seats": ({}, {}),
                        "blocking": "minor",
                    }
                ],
            }
        },
        "default": ("resolve",),
    },
)


def who(name: str, kind: str = "agent") -> Json:
    return {"name": name, "kind": kind, "operator": "", "model_family": "", "provider": "", "session": ""}


def at(minute: int) -> str:
    return f"2026-01-01T00:{minute:02d}:00.000000Z"


LATER = "2026-01-02T00:00:00.000000Z"


def seat(number: int) -> Json:
    return {
        "id": f"resolve.{number}",
        "stage": "resolve",
        "part": "judge",
        "scope": "",
        "model": "",
        "veto": False,
        "required": True,
        "candidates": [],
        "reviewer": None,
    }


def asked(number: int) -> tuple[str, Json]:
    body = {"request": f"resolve.{number}", "seat": seat(number), "revision": 1, "due": LATER, "limit": LATER}
    return "ReportRequested", {**body, "about": [], "queued": False, "draw": 0}


def reported(number: int, name: str) -> list[tuple[str, Json]]:
    body: Json = {"seat": f"resolve.{number}", "revision": 1, "digest": "d1", "reviewer": who(name), "verdict": None}
    body |= {
        "summary": f"what {name} has to say",
        "served": "d1",
        "blocking": [],
        "evidence": [],
        "grounds": [],
        "strengths": [],
    }
    taken = {"seat": f"resolve.{number}", "stage": "resolve", "reviewer": who(name), "lease": LATER}
    return [("SeatTaken", taken), ("ReportSubmitted", body)]


def raised(number: int, name: str) -> tuple[str, Json]:
    body: Json = {"finding": f"resolve.{number}-F1", "seat": f"resolve.{number}", "raiser": name, "revision": 1}
    body |= {"severity": "minor", "advisory": "", "suppressed_by": "", "scope": "", "place": None}
    return "FindingRaised", {**body, "text": "this is not how it works"}


def settled(name: str) -> tuple[str, Json]:
    return "FindingResolved", {"finding": "resolve.1-F1", "revision": 1, "by": name, "note": ""}


def honest() -> list[Json]:
    """One review of the style `resolve`, from its opening to the clearance, as steps."""
    opened = {
        "review": "r1",
        "kind": "story",
        "author": who("ann"),
        "contributors": [who("ann")],
        "rules": "p1",
        "context": [],
    }
    revised = {
        "number": 1,
        "digest": "d1",
        "by": who("ann"),
        "change": "content",
        "changed": [],
        "protocols": ["resolve"],
    }
    owed = {"request": "revision", "stage": "resolve", "revision": 1, "due": LATER, "findings": ["resolve.1-F1"]}
    owed |= {"answers": True, "clarify": False, "ordered_by": ""}
    confirm = asked(1)
    confirm[1]["seat"]["reviewer"], confirm[1]["about"] = who("bob"), ["resolve.1-F1"]
    cleared = {
        "digest": "d1",
        "revision": 1,
        "by": "gates",
        "level": 0,
        "flags": [],
        "single_use": False,
        "expires": None,
    }
    return [
        step("OpenReview", "ann", 1, [("ReviewOpened", opened), ("RevisionSubmitted", revised), asked(1), asked(2)]),
        step("SubmitReport", "bob", 2, [*reported(1, "bob"), raised(1, "bob"), ("RevisionRequested", owed)]),
        step("AnswerFinding", "ann", 3, [("FindingAnswered", {"finding": "resolve.1-F1", "revision": 1}), confirm]),
        step("SettleFinding", "bob", 4, [settled("bob")]),
        step("SubmitReport", "cyd", 5, [*reported(2, "cyd"), ("ReviewCleared", cleared)]),
    ]


def step(command: str, name: str, minute: int, events: list[tuple[str, Json]]) -> Json:
    judged = {"revision": 1, "served": "d1"} if command in ("SubmitReport", "SettleFinding") else {}
    return {"command": command, "principal": who(name), "at": at(minute), "events": events, **judged}


def deliver(checker: Checker, steps: list[Json]) -> set[str]:
    found, version = set[str](), 0
    for number, one in enumerate(steps):
        envelopes = []
        for kind, body in one["events"]:
            version += 1
            envelope = {"stream": "review/r1", "version": version, "at": one["at"], "key": str(number)}
            actor = one.get("actor", one["principal"])
            envelopes.append({**envelope, "actor": actor, "event": {"type": kind, "schema": 1, "body": body}})
        delivered = Delivered(
            principal=one["principal"],
            stream="review/r1",
            key=str(number),
            body=one["command"],
            command=one["command"],
            at=one["at"],
            accepted=True,
            reply="ok",
            envelopes=envelopes,
            revision=one.get("revision"),
            served=one.get("served", ""),
        )
        found |= {violation.invariant for violation in checker.step(delivered)}
    return found


def found_in(steps: list[Json]) -> set[str]:
    checker = Checker([POLICY], "p1")
    checker.know(Work(digest="d1"))
    return deliver(checker, steps)


def test_an_honest_log_breaks_nothing() -> None:
    assert found_in(honest()) == set()


def change(step: int, event: int, **fields: object) -> Lie:
    def lie(steps: list[Json]) -> None:
        steps[step]["events"][event][1].update(fields)

    return lie


def drop(step: int, event: int) -> Lie:
    def lie(steps: list[Json]) -> None:
        del steps[step]["events"][event]

    return lie


def by(step: int, name: str, kind: str = "agent") -> Lie:
    def lie(steps: list[Json]) -> None:
        steps[step]["principal"] = who(name, kind)

    return lie


def also(step: int, **fields: object) -> Lie:
    def lie(steps: list[Json]) -> None:
        steps[step].update(fields)

    return lie


LIES: dict[str, Lie] = {
    "I1: other bytes are cleared": change(4, 2, digest="d2"),
    "I2: one reviewer counts twice": change(4, 1, reviewer=who("bob")),
    "I2: a report on other bytes counts": change(4, 1, digest="d0"),
    "I2: a level nobody reached": change(4, 2, level=1),
    "I3: an answered finding is forgotten": drop(3, 0),
    "I5: a protocol is left out": change(0, 1, protocols=[]),
    "I7: cleared twice": lambda steps: steps[4]["events"].append(copy.deepcopy(steps[4]["events"][2])),
    "I8: the clock clears": by(4, "clock", "clock"),
    "I10: a policy not in force": change(0, 0, rules="p0"),
    "I13: opened in another's name": change(0, 0, author=who("eve")),
    "I13: somebody else reports": by(1, "eve"),
    "I13: the log names somebody else": also(1, actor=who("eve")),
    "I14: a reviewer answers": by(2, "bob"),
    "I14: the author reviews": change(1, 0, reviewer=who("ann")),
    "I14: a stranger settles": lambda steps: steps[3].update(principal=who("cyd"), events=[settled("cyd")]),
    "I15: two seats for one reviewer": lambda steps: steps[4].update(principal=who("bob"), events=reported(2, "bob")),
    "I16: bytes that were not served": also(1, served="d0"),
    "I16: nothing was served": also(1, served=""),
    "I16: an unread answer is confirmed": also(3, served=""),
    "I16: the record names other bytes as given": change(1, 1, served="d0"),
    "I16: a stale revision": also(3, revision=2, command="SettleFinding"),
    "I17: the author is drawn": lambda steps: steps[0]["events"][2][1]["seat"].update(reviewer=who("ann")),
    "I22: nothing is appended": also(3, events=[]),
    "I27: a revision is left out": change(0, 1, number=2),
    "Y1: nobody is asked": lambda steps: steps[0].update(events=steps[0]["events"][:2]),
    "Y1: asked too late": change(0, 2, due=at(0)),
    "Y4: a first finding is late": change(1, 2, advisory="late"),
    "P12: an unknown lesson silences": change(1, 2, suppressed_by="lesson-1"),
    "S2: a finding is misnamed": change(1, 2, finding="resolve.1-F7"),
}


@pytest.mark.parametrize("name", LIES)
def test_a_lie_in_the_log_is_noticed(name: str) -> None:
    steps = honest()
    LIES[name](steps)
    assert name.partition(":")[0] in found_in(steps)


def test_a_blind_reviewer_who_can_tell_is_noticed() -> None:
    checker = Checker([POLICY], "p1")
    assert deliver(checker, honest()[:2]) == set()
    checker.world.reviews["review/r1"].seats["resolve.2"].holder = who("cyd")
    same = Shown(stream="review/r1", viewer="cyd", text="1 open seat", elsewhere="1 open seat")
    assert checker.show(same) == []
    counted = Shown(stream="review/r1", viewer="cyd", text="1 finding", elsewhere="2 findings")
    assert [one.invariant for one in checker.show(counted)] == ["I18"]
    told = Shown(stream="review/r1", viewer="cyd", text="what bob has to say", elsewhere="what bob has to say")
    assert [one.invariant for one in checker.show(told)] == ["I18"]
    assert checker.show(Shown(stream="review/r1", viewer="ann", text=told.text, elsewhere=told.text)) == []


def test_a_log_that_folds_to_something_else_is_noticed() -> None:
    checker = Checker([POLICY], "p1")
    assert [one.invariant for one in checker.replayed("review/r1", [], "a", "b")] == ["I21"]
    assert [one.invariant for one in checker.replayed("review/r1", [{"type": "x"}], "a", "a")] == ["I19"]


def test_a_draw_the_author_steered_is_noticed() -> None:
    checker = Checker([POLICY], "p1")
    first = [{"type": "ReportRequested", "body": asked(1)[1]}]
    second = copy.deepcopy(first)
    assert checker.drawn("review/r1", first, second) == []
    second[0]["body"]["seat"]["reviewer"] = who("bob")  # type: ignore[index]
    assert [one.invariant for one in checker.drawn("review/r1", first, second)] == ["I17"]


def test_rows_that_are_not_what_the_log_says_are_noticed() -> None:
    checker = Checker([POLICY], "p1")
    assert deliver(checker, honest()[:1]) == set()
    owed = {("r1", f"resolve.{number}", "report", "anyone", False, False, LATER) for number in (1, 2)}
    assert checker.owed(owed) == []
    gone, foreign = (
        checker.owed(set()),
        checker.owed({*owed, ("r1", "revision", "revision", "ann", True, False, LATER)}),
    )
    assert [one.invariant for one in (*gone, *foreign)] == ["I21", "I21", "I21"]
    assert checker.listed("review/r1", ("open", 1, "d1")) == []
    assert [one.invariant for one in checker.listed("review/r1", ("cleared", 1, "d1"))] == ["I21"]
    assert [one.invariant for one in checker.listed("review/r1", None)] == ["I21"]
    assert checker.made_anew("metrics", "a", "a") == []
    assert [one.invariant for one in checker.made_anew("metrics", "a", "b")] == ["I21"]


def test_an_answer_that_is_not_in_the_log_and_a_deadline_nobody_passes_are_noticed() -> None:
    checker = Checker([POLICY], "p1")
    assert checker.told("review/r1", (2, ["NoteAdded"]), (2, ["NoteAdded"])) == []
    assert [one.invariant for one in checker.told("review/r1", (2, ["NoteAdded"]), (3, ["NoteAdded"]))] == ["I22"]
    assert [one.invariant for one in checker.overdue({("r1", "resolve.1", LATER)})] == ["I29"]


def test_a_hosted_reviewer_who_speaks_twice_to_one_question_is_noticed() -> None:
    checker = Checker([POLICY], "p1")
    checker.world.hosted = frozenset({"bob"})
    twice = [*honest()[:2], step("SubmitReport", "bob", 3, [reported(1, "bob")[1]])]
    assert "D3" in deliver(checker, twice)
    assert "D3" not in deliver(Checker([POLICY], "p1"), twice)
