"""No account can be enrolled under a name that this machine already uses."""

from foureyes.bootstrap.serving import human_name
from foureyes.core.names import RESERVED, is_name
from foureyes.reviewers.at_hand import CRITICS


def test_our_programs_names_are_their_own() -> None:
    """S1: an account called like a program would hold its seats."""
    assert set(CRITICS) <= RESERVED


def test_whoever_starts_the_first_server_gets_a_name_that_an_account_may_bear() -> None:
    names = {
        "ann": "ann",
        "Ann.Smith": "ann-smith",
        "DOMAIN\\ann": "domain-ann",
        "_www": "www",
        "ünal": "nal",
        "human": "owner",
        "漢字": "owner",
        "x" * 90: "x" * 64,
        "": "owner",
    }
    assert {user: human_name(user) for user in names} == names
    assert all(is_name(one) and one not in RESERVED for one in names.values())
