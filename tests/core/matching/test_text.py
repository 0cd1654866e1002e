"""Words carry what a finding says, not their case, endings or punctuation."""

from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.matching.text import likeness, similarity, terms_of, words_of


def test_words_lose_case_punctuation_and_free_numbers() -> None:
    """D-20: what two runs of one reviewer vary in."""
    assert words_of("Line 42: `Uses` SHA1, twice!") == ("line", "uses", "sha1", "twice")
    assert words_of("\uff37ide") == ("wide",)


def test_stop_words_and_single_letters_say_nothing() -> None:
    """P7."""
    assert terms_of("This is a bug in the x") == frozenset()
    assert similarity("this is a", "this is a") == 0
    assert similarity("null pointer", "this is") == 0


def test_compound_names_count_as_themselves_and_by_their_parts() -> None:
    """P7: camelCase and snake_case name the same parts."""
    assert terms_of("canManage") == {"=canmanage", "manage"}
    assert terms_of("user_store getHTTPClient") == {
        "=user_store",
        "user",
        "store",
        "=gethttpclient",
        "get",
        "http",
        "client",
    }


def test_endings_do_not_make_another_word() -> None:
    """P7: light stemming, and short words stay whole."""
    assert similarity("validates passwords", "validated password") == 100
    assert terms_of("bus does") == {"bus"}


def test_likeness_is_the_cosine_in_whole_percent() -> None:
    """P7: the same on every machine."""
    assert likeness(frozenset("abcd"), frozenset("ab")) == 70
    assert likeness(frozenset("ab"), frozenset("cd")) == 0


@given(a=st.text(max_size=60), b=st.text(max_size=60))
def test_similarity_has_no_direction_and_stays_within_its_bounds(a: str, b: str) -> None:
    """P7: and a text that says anything is wholly like itself."""
    assert similarity(a, b) == similarity(b, a)
    assert 0 <= similarity(a, b) <= 100
    assert similarity(a, a) == (100 if terms_of(a) else 0)
