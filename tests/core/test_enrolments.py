"""Several accounts are enrolled in one act: all of them, or none."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from foureyes.core.enrolments import ENROLMENTS_MAX, EnrolTogether, Newcomer, decide_together
from foureyes.core.events import PrincipalEnrolled, TokenIssued
from foureyes.core.principals import VOUCHED_MAX, Census, EnrolPrincipal, IssueToken, account_after
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Who, WhoKind

NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)
SUE = Who(name="sue", kind=WhoKind.HUMAN, operator="acme")
DSF = Who(name="dsf", kind=WhoKind.SERVICE, operator="dsf")
CENSUS = Census(names=frozenset({"sue"}), humans=1, operators=frozenset({"acme"}), roles=frozenset({"agent"}))
AGENT = EnrolPrincipal(kind="agent", roles=("agent",))


def named(*names: str, account: EnrolPrincipal = AGENT, tokens: bool = False) -> EnrolTogether:
    return EnrolTogether(
        newcomers=tuple(
            Newcomer(name=one, account=account, token=IssueToken(token=f"t{at}", hash=f"{at:064x}") if tokens else None)
            for at, one in enumerate(names)
        )
    )


def refused(command: EnrolTogether, actor: Who = SUE, census: Census = CENSUS) -> Refusal:
    with pytest.raises(Refusal) as caught:
        decide_together({}, command, actor, census=census, now=NOW)
    return caught.value


def test_each_account_of_a_human_gets_its_token() -> None:
    found = decide_together({}, named("ann", "bob", tokens=True), SUE, census=CENSUS, now=NOW)
    assert [name for name, _ in found] == ["ann", "bob"]
    assert all([type(one) for one in events] == [PrincipalEnrolled, TokenIssued] for _, events in found)


def test_the_refusal_names_the_entry_and_keeps_its_code() -> None:
    for second, code in (("human", Code.UNKNOWN_WORD), ("0wen", Code.DUPLICATE), ("owen", Code.DUPLICATE)):
        refusal = refused(named("owen", second))
        assert (refusal.code, refusal.fields["entry"], refusal.fields["field"]) == (code, 1, "accounts[1]")
        assert "Nobody was enrolled" in refusal.sentence
    kind = replace(AGENT, kind="robot")
    assert refused(named("ann", account=kind)).fields["field"] == "accounts[0].kind"


def test_an_operator_that_looks_like_one_of_the_same_list_is_refused() -> None:
    first = Newcomer(name="ann", account=replace(AGENT, operator="Reactor"))
    other = Newcomer(name="bob", account=replace(AGENT, operator="reactor"))
    assert refused(EnrolTogether(newcomers=(first, other))).code is Code.DUPLICATE


def test_a_service_cannot_get_past_the_most_it_may_vouch_for_with_a_list() -> None:
    census = replace(CENSUS, vouched=VOUCHED_MAX - 1)
    assert len(decide_together({}, named("ann"), DSF, census=census, now=NOW)) == 1
    assert refused(named("ann", "bob"), DSF, census).code is Code.LIMIT_REACHED


def test_whoever_is_enrolled_gets_no_second_token_by_a_list() -> None:
    (_, events), *_ = decide_together({}, named("ann", tokens=True), SUE, census=CENSUS, now=NOW)
    known = {"ann": account_after(None, events)}
    with pytest.raises(Refusal) as caught:
        decide_together(known, named("ann", tokens=True), SUE, census=CENSUS, now=NOW)
    assert caught.value.code is Code.DUPLICATE
    assert decide_together(known, named("ann"), SUE, census=CENSUS, now=NOW)


def test_a_list_has_at_least_one_account_and_not_too_many() -> None:
    for count in (0, ENROLMENTS_MAX + 1):
        assert refused(named(*(f"a{number}" for number in range(count)))).code is Code.BAD_NUMBER
