"""U-20: which seats nobody can hold, and what fills them."""

from dataclasses import replace

from foureyes.core import protocols
from foureyes.core.assign import OTHER_FAMILY
from foureyes.core.chains import RESEARCH
from foureyes.core.facts import Principal
from foureyes.core.rules import KindRule, Protocol, RiskRule, Rules, SeatRule, Stage
from foureyes.core.vacancies import how_to_fill, vacancies, vacancies_of
from foureyes.core.values import RiskLevel, Who, WhoKind


def rules(*styles: Protocol, default: str = "") -> Rules:
    kinds = tuple(KindRule(kind=one.name, protocols=(one.name,)) for one in styles)
    return Rules(digest="x", protocols=styles, kinds=kinds, default=(default or styles[0].name,))


def somebody(name: str, *roles: str, kind: WhoKind = WhoKind.AGENT, hosted: bool = False) -> Principal:
    return Principal(who=Who(name=name, kind=kind), roles=frozenset(roles), hosted=hosted)


def missing(found: Rules, *pool: Principal) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    return [(one.roles, one.protocols) for one in vacancies(found, pool)]


def test_a_role_that_nobody_holds_is_vacant_until_somebody_available_holds_it() -> None:
    """U-20: a removed or silent account holds nothing."""
    found = rules(RESEARCH)
    assert missing(found) == [(("seldon",), ("research",)), (("gaal",), ("research",))]
    seldon, gaal = somebody("a", "Seldon"), somebody("b", "gaal")
    assert missing(found, seldon, gaal) == []
    assert missing(found, seldon, replace(gaal, available=False)) == [(("gaal",), ("research",))]
    assert missing(found, seldon, somebody("s", "gaal", kind=WhoKind.SERVICE)) == [(("gaal",), ("research",))]


def test_a_bound_program_is_missed_and_a_seat_beside_it_is_not() -> None:
    """U-20: the seat of a program passes to nobody else."""
    layer = SeatRule(roles=("hardin",), program="security")
    stage = replace(RESEARCH.stages[0], seats=(layer, replace(layer, program="", beside=True)))
    found = rules(replace(RESEARCH, stages=(stage,)))
    assert missing(found, somebody("hardin", "hardin")) == [(("hardin",), ("research",))]
    program = somebody("security", "hardin", kind=WhoKind.PROGRAM, hosted=True)
    assert missing(found, program) == []


def test_open_seats_need_as_many_minds_beside_an_author_and_programs_are_none() -> None:
    """U-20: feedback takes two reviewers, and an author is no reviewer of the own work."""
    found = rules(protocols.resolve())
    program = somebody("format", kind=WhoKind.PROGRAM, hosted=True)
    two = somebody("a"), somebody("b")
    assert missing(found, program, *two) == [((), ("resolve",))]
    assert missing(found, *two, somebody("c")) == []
    assert vacancies_of(found, ("resolve", "gone"), two) == ()
    assert [one.roles for one in vacancies_of(found, ("resolve",), two[:1])] == [()]
    (vacancy,) = vacancies(found, ())
    assert vacancy.in_words() == (
        "Nobody can be a reviewer in resolve. Enrol 2 more reviewers who had no hand in the work, with "
        "`foureyes agents add NAME`. Until then such work waits; a human is asked after 24 hours."
    )


def test_a_human_and_a_hosted_agent_are_offered_no_open_seat_but_count_once_they_came() -> None:
    """U-20: only agents with an account are offered content that is open to anybody."""
    found = rules(protocols.resolve())
    agents = somebody("author"), somebody("a")
    root, claude = somebody("root", kind=WhoKind.HUMAN), somebody("claude", hosted=True)
    (vacancy,) = vacancies(found, (*agents, root, claude))
    assert (vacancy.roles, vacancy.missing) == ((), 1)
    (vacancy,) = vacancies_of(found, ("resolve",), (agents[1], root, claude))
    assert vacancy.missing == 1
    assert vacancies_of(found, ("resolve",), (agents[1], root), ("root",)) == ()


def test_a_role_is_asked_of_a_human_at_once() -> None:
    """U-20: the sentence says what happens until the seat can be held."""
    (first, *_) = vacancies(rules(RESEARCH), ())
    assert first.in_words().endswith("`--yes-send claude`. Until then a human is asked instead.")


def test_of_the_matrix_only_the_rows_of_authors_there_are_count() -> None:
    """U-20: nobody is missed for a role that nobody writes in."""
    found = rules(protocols.peer())
    assert missing(found) == []
    assert missing(found, somebody("dev", "core-developer")) == [(("auditor", "tester"), ("peer",))]
    assert missing(found, somebody("dev", "core-developer"), somebody("t", "tester")) == []


def test_what_risk_demands_counts_too_and_an_unknown_style_asks_for_nobody() -> None:
    """U-20: each role once, with everything that asks for it."""
    solo = protocols.solo(programs=())
    found = replace(rules(solo, RESEARCH, default="gone"), risks=(RiskRule(level=RiskLevel.HIGH, protocols=("solo",)),))
    assert missing(found, somebody("a", "seldon", "gaal")) == [(("agent",), ("solo",))]


def test_the_sentence_names_the_roles_and_the_line() -> None:
    """U-20: what to do is said in the words of the policy."""
    assert how_to_fill(((), OTHER_FAMILY)).startswith("Enrol one more reviewer of another model family")
    assert how_to_fill((("a", "b"), ("c",), ("c",))) == (
        "Enrol agents with the roles a or b, c, or write `reviewers: {a: {command: claude}, c: {command: claude}}` in "
        "the policy and start the server with `--yes-send claude`"
    )


def test_a_session_may_need_fewer_reviewers_than_it_asks() -> None:
    """U-20: the others are asked where there are any."""
    (stage,) = protocols.session(reviewers=3, roles=("reviewer", "agent"), at_least=1).stages
    assert isinstance(stage, Stage)
    assert [one.beside for one in stage.seats] == [False, True, True]
    assert missing(rules(protocols.session(reviewers=2, at_least=1)), somebody("r", "reviewer")) == []
