"""A human enrols, a service vouches for its own agents, and no name could be mistaken for another account's."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from foureyes.core.events import PrincipalEnrolled, PrincipalEvent, PrincipalRemoved, TokenRevoked
from foureyes.core.names import RESERVED, looks
from foureyes.core.principals import (
    ROLES_MAX,
    TOKENS_MAX,
    VOUCHED_MAX,
    Account,
    Census,
    EnrolPrincipal,
    IssueToken,
    PrincipalCommand,
    RemovePrincipal,
    RevokeToken,
    account_of,
    decide_principal,
)
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Who, WhoKind

NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)
SUE = Who(name="sue", kind=WhoKind.HUMAN, operator="acme")
OWNER = Who(name="owner", kind=WhoKind.PERSON)
DSF = Who(name="dsf", kind=WhoKind.SERVICE, operator="dsf")
ANN = Who(name="ann", kind=WhoKind.AGENT, operator="acme")
HASH = "a" * 64
ONE_HUMAN = Census(humans=1)
VOUCHING = Census(humans=1, roles=frozenset({"auditor"}))
AGENT = EnrolPrincipal(kind="agent", model_family="claude", roles=("auditor", "auditor", ""))
TOKEN = IssueToken(token="t1", hash=HASH)


def decided(
    command: PrincipalCommand,
    actor: Who = SUE,
    account: Account | None = None,
    name: str = "ann",
    census: Census = ONE_HUMAN,
) -> tuple[PrincipalEvent, ...]:
    return decide_principal(account, command, actor, name=name, census=census, now=NOW)


def refused(
    command: PrincipalCommand,
    actor: Who = SUE,
    account: Account | None = None,
    name: str = "ann",
    census: Census = ONE_HUMAN,
) -> Code:
    with pytest.raises(Refusal) as caught:
        decided(command, actor, account, name, census)
    return caught.value.code


def after(*commands: PrincipalCommand, actor: Who = SUE, name: str = "ann") -> Account:
    """An account to which these commands were given."""
    events: list[PrincipalEvent] = []
    for command in commands:
        account = account_of(events)
        events += decide_principal(account, command, actor, name=name, census=replace(VOUCHING, humans=2), now=NOW)
    found = account_of(events)
    assert found is not None
    return found


def test_a_human_enrols_an_agent_who_belongs_to_the_humans_operator_unless_another_is_named() -> None:
    (event,) = decided(AGENT)
    assert event == PrincipalEnrolled(
        name="ann",
        kind=WhoKind.AGENT,
        operator="acme",
        model_family="claude",
        provider="",
        roles=("auditor",),
        by="sue",
    )
    assert after(replace(AGENT, operator="other")).who.operator == "other"
    nobody_behind = replace(SUE, operator="")
    (event,) = decided(AGENT, nobody_behind)
    assert isinstance(event, PrincipalEnrolled)
    assert event.operator == "sue"


def test_an_agent_enrols_nobody_and_gives_no_tokens() -> None:
    account = after(AGENT)
    assert refused(AGENT, ANN) is Code.HUMAN_ONLY
    assert refused(TOKEN, ANN, account) is Code.HUMAN_ONLY
    assert refused(TOKEN, DSF, account) is Code.HUMAN_ONLY
    assert refused(RemovePrincipal(reason="x"), ANN, account) is Code.HUMAN_ONLY


def test_whoever_starts_it_names_the_first_human_and_no_second_one() -> None:
    human = EnrolPrincipal(kind="human")
    (event,) = decided(human, OWNER, name="sue", census=Census())
    assert isinstance(event, PrincipalEnrolled)
    assert event.kind is WhoKind.HUMAN
    assert refused(human, OWNER, name="bob", census=Census(humans=1)) is Code.HUMAN_ONLY
    assert refused(AGENT, OWNER, census=Census()) is Code.HUMAN_ONLY


def test_the_agents_a_service_vouches_for_are_one_party_with_it() -> None:
    account = after(replace(AGENT, operator=""), actor=DSF, name="dweller-42")
    assert account.vouched_by == "dsf"
    assert account.who.operator == "dsf"
    assert refused(replace(AGENT, operator="somebody-else"), DSF) is Code.UNKNOWN_WORD
    assert refused(EnrolPrincipal(kind="human"), DSF) is Code.HUMAN_ONLY
    assert refused(EnrolPrincipal(kind="service"), DSF) is Code.HUMAN_ONLY
    others = after(AGENT)
    assert refused(AGENT, DSF, others) is Code.HUMAN_ONLY
    assert refused(RemovePrincipal(reason="x"), DSF, others) is Code.HUMAN_ONLY
    assert decided(AGENT, DSF, account, "dweller-42", VOUCHING)
    assert decided(RemovePrincipal(reason="done"), DSF, account, "dweller-42")
    assert refused(TOKEN, SUE, account, "dweller-42") is Code.NOT_ELIGIBLE


def test_a_service_whose_agents_are_enrolled_keeps_its_operator() -> None:
    """T2: else those from before and those from after would count as two."""
    account = after(EnrolPrincipal(kind="service", operator="dsf"), name="dsf")
    census = replace(ONE_HUMAN, names=frozenset({"dsf"}), vouching=frozenset({"", "dsf"}))
    for operator in ("other", ""):
        command = EnrolPrincipal(kind="service", operator=operator)
        assert refused(command, SUE, account, "dsf", census) is Code.DUPLICATE
        assert decided(command, SUE, account, "dsf", replace(census, vouching=frozenset({""})))
    assert decided(EnrolPrincipal(kind="service", operator="dsf", roles=("auditor",)), SUE, account, "dsf", census)


def test_a_service_gives_its_agents_no_role_that_no_human_gave_it() -> None:
    """T1: roles decide who judges others' work, so a vouching service could otherwise name its own judges."""
    assert refused(AGENT, DSF, name="dweller-42") is Code.NOT_ELIGIBLE
    assert refused(replace(AGENT, roles=("auditor", "hardin")), DSF, census=VOUCHING) is Code.NOT_ELIGIBLE
    assert decided(replace(AGENT, roles=()), DSF)
    assert decided(AGENT, SUE)


def test_a_service_vouches_for_so_many_names_and_may_use_one_again() -> None:
    """T18, I28: a human enrols as many as they like."""
    account = after(replace(AGENT, operator=""), actor=DSF, name="dweller-42")
    full, nearly = replace(VOUCHING, vouched=VOUCHED_MAX), replace(VOUCHING, vouched=VOUCHED_MAX - 1)
    assert refused(AGENT, DSF, name="one-more", census=full) is Code.LIMIT_REACHED
    assert decided(AGENT, DSF, name="one-more", census=nearly)
    assert decided(AGENT, DSF, replace(account, removed=True, removed_by="dsf"), "dweller-42", full)
    assert decided(AGENT, SUE, name="one-more", census=full)


def test_a_service_does_not_bring_back_whom_a_human_removed() -> None:
    """T24: whom it removed itself it may vouch for again."""
    account = after(replace(AGENT, operator=""), actor=DSF, name="dweller-42")
    for remover in (SUE, DSF):
        (gone,) = decided(RemovePrincipal(reason="It misbehaves."), remover, account, "dweller-42")
        assert isinstance(gone, PrincipalRemoved)
        removed = replace(account, removed=True, removed_by=gone.by)
        if remover is SUE:
            assert refused(AGENT, DSF, removed, "dweller-42", VOUCHING) is Code.HUMAN_ONLY
            assert decided(AGENT, SUE, removed, "dweller-42")
        else:
            assert decided(AGENT, DSF, removed, "dweller-42", VOUCHING)


@pytest.mark.parametrize("name", ["", "Ann", "-ann", "a" * 65, "\u0430nn", "an n", "a/b", "..", *sorted(RESERVED)])
def test_a_name_is_plain_and_not_our_own(name: str) -> None:
    """T30: a Cyrillic letter looks like ours."""
    assert refused(AGENT, name=name) is Code.UNKNOWN_WORD


def test_whoever_chose_a_name_that_is_none_is_told_how_names_are_spelled() -> None:
    with pytest.raises(Refusal, match="'Ann' is no name here") as caught:
        decided(AGENT, SUE, name="Ann")
    assert caught.value.next_step == "Choose one of 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or digit."


@pytest.mark.parametrize(
    ("name", "ours"), [("securlty", "security"), ("f0rmat", "format"), ("pyth0n", "python"), ("system", "system")]
)
def test_a_name_that_looks_like_one_of_ours_is_refused_in_words(name: str, ours: str) -> None:
    """T30: a reader of a report must not mistake it for that of a built-in program."""
    with pytest.raises(Refusal, match=f"^unknown_word: {name} (is|looks like {ours},) a name that foureyes itself"):
        decided(AGENT, SUE, name=name)


@pytest.mark.parametrize("name", ["audit0r", "aud1tor", "audltor"])
def test_a_name_that_looks_like_a_taken_one_is_refused(name: str) -> None:
    assert refused(AGENT, name=name, census=Census(names=frozenset({"auditor"}))) is Code.DUPLICATE
    assert looks("modern") == looks("modem")


ALIKE = ["\u0430nn", "Ann", "\uff41nn", "an\u0578", "\u0391NN", "ann\ufe0f", "\u3164ann"]


@pytest.mark.parametrize("operator", ALIKE)
def test_an_operator_who_looks_like_one_that_is_there_is_refused_with_the_way_out(operator: str) -> None:
    """T30, T2: who is one party would count as two, and could be its own reviewer."""
    census = replace(ONE_HUMAN, operators=frozenset({"ann", "acme"}))
    with pytest.raises(Refusal, match="looks like 'ann', who is enrolled") as caught:
        decided(replace(AGENT, operator=operator), census=census)
    assert caught.value.code is Code.DUPLICATE
    assert "Write 'ann'" in caught.value.next_step
    for other in ("ann", "anne", "acme", "\u0410\u043d\u043d\u0430"):
        assert decided(replace(AGENT, operator=other), census=census)


@pytest.mark.parametrize("operator", ["ann ", " ann", " "])
def test_an_operator_has_no_blank_at_its_ends(operator: str) -> None:
    """T30: nobody sees it."""
    assert refused(replace(AGENT, operator=operator)) is Code.BAD_VALUE
    assert decided(replace(AGENT, operator="Ann and Bob"))


def test_whoever_was_enrolled_under_such_an_operator_keeps_it() -> None:
    """T30: a log from before is read as it is, and what else is known of them can be changed."""
    old = replace(after(AGENT), who=replace(ANN, operator="\u0430cme "))
    census = replace(ONE_HUMAN, operators=frozenset({"acme", "dsf "}))
    assert decided(replace(AGENT, operator="\u0430cme "), SUE, old, census=census)
    assert decided(replace(AGENT, roles=()), replace(DSF, operator="dsf "), census=census)
    assert refused(replace(AGENT, operator="\u0430cme"), SUE, old, census=census) is Code.DUPLICATE


def test_a_second_enrolment_changes_the_roles_and_keeps_the_tokens_but_never_the_kind() -> None:
    account = after(AGENT, TOKEN, replace(AGENT, roles=("tester",)))
    assert account.roles == ("tester",)
    assert [one.id for one in account.tokens] == ["t1"]
    assert refused(EnrolPrincipal(kind="human"), SUE, account) is Code.DUPLICATE
    assert refused(EnrolPrincipal(kind="clock"), SUE) is Code.UNKNOWN_WORD


def test_a_token_is_good_until_it_is_over_or_taken_back() -> None:
    ends = NOW + timedelta(hours=1)
    token = after(AGENT, replace(TOKEN, scopes=("read", "read"), expires=ends)).tokens[0]
    assert token.scopes == ("read",)
    assert token.opens(NOW)
    assert not token.opens(ends)
    assert after(AGENT, TOKEN).tokens[0].scopes == ("read", "author", "review", "signal")
    gone = after(AGENT, TOKEN, replace(TOKEN, token="t2"), RevokeToken(token="t1", reason="lost"))
    assert [one.opens(NOW) for one in gone.tokens] == [False, True]
    assert refused(RevokeToken(token="t1", reason="again"), SUE, gone) is Code.DUPLICATE
    assert refused(RevokeToken(token="t9", reason="x"), SUE, gone) is Code.UNKNOWN_WORD
    assert refused(RevokeToken(token="t2", reason=" "), SUE, gone) is Code.REASON_MISSING
    assert isinstance(decided(RevokeToken(token="t2", reason="x"), SUE, gone)[0], TokenRevoked)


def test_a_token_that_says_too_much_is_refused() -> None:
    account = after(AGENT)
    assert refused(replace(TOKEN, scopes=("publish",)), SUE, account) is Code.UNKNOWN_WORD
    assert refused(replace(TOKEN, hash="secret"), SUE, account) is Code.BAD_VALUE
    assert refused(replace(TOKEN, token="T 1"), SUE, account) is Code.BAD_VALUE
    assert refused(replace(TOKEN, expires=NOW), SUE, account) is Code.BAD_NUMBER
    assert refused(TOKEN, SUE, after(AGENT, TOKEN)) is Code.DUPLICATE


def test_so_many_tokens_open_something_at_a_time_and_one_that_ended_makes_room() -> None:
    first = [replace(TOKEN, token=f"t{number}") for number in range(TOKENS_MAX)]
    more = replace(TOKEN, token="more")
    assert refused(more, SUE, after(AGENT, *first)) is Code.LIMIT_REACHED
    assert after(AGENT, *first, RevokeToken(token="t0", reason="old"), more).tokens[-1].opens(NOW)


def test_a_human_has_no_token_because_humans_sign_in() -> None:
    human = after(EnrolPrincipal(kind="human"), name="bob")
    assert refused(TOKEN, SUE, human, "bob") is Code.HUMAN_ONLY


def test_who_is_removed_has_no_tokens_left_and_may_be_enrolled_anew() -> None:
    account = after(AGENT, TOKEN, RemovePrincipal(reason="left"))
    assert account.removed
    assert not account.tokens[0].opens(NOW)
    assert refused(TOKEN, SUE, account) is Code.UNKNOWN_WORD
    assert refused(RemovePrincipal(reason="x"), SUE, None) is Code.UNKNOWN_WORD
    assert refused(RemovePrincipal(reason=""), SUE, after(AGENT)) is Code.REASON_MISSING
    assert refused(RemovePrincipal(reason="x" * 2_001), SUE, after(AGENT)) is Code.TOO_LONG
    again = after(AGENT, TOKEN, RemovePrincipal(reason="left"), AGENT)
    assert not again.removed
    assert not again.tokens[0].opens(NOW)


def test_the_last_human_stays() -> None:
    human = after(EnrolPrincipal(kind="human"), name="sue")
    assert refused(RemovePrincipal(reason="x"), SUE, human, "sue", Census(humans=1)) is Code.EMPTY_GROUP
    assert decided(RemovePrincipal(reason="x"), SUE, human, "sue", Census(humans=2))


def test_words_without_end_are_refused() -> None:
    assert refused(replace(AGENT, operator="x" * 201)) is Code.TOO_LONG
    assert refused(replace(AGENT, provider="a\nb")) is Code.TOO_LONG
    roles = tuple(f"r{number}" for number in range(ROLES_MAX + 1))
    assert refused(replace(AGENT, roles=roles)) is Code.TOO_MANY


def test_an_account_begins_with_its_enrolment() -> None:
    assert account_of(()) is None
    with pytest.raises(ValueError, match="begins with its enrolment"):
        account_of((TokenRevoked(name="ann", token="t1", by="sue", reason="x"),))
