"""Paths match patterns as CODEOWNERS reads them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.risk.globs import folded_path, guards, matches, normal_path


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("src", "src src/a lib/src lib/src/a", "src.txt lib/a xsrc"),
        ("/src", "src src/a/b", "lib/src srcs"),
        ("src/", "src/a lib/src/a", "src lib/src"),
        ("/src/", "src/a src/a/b", "src lib/src/a"),
        ("src/api", "src/api src/api/v1", "lib/src/api src/apis"),
        ("*", "a a/b .env", ""),
        ("*.py", "a.py x/a.py", "a.pyc a"),
        ("/*", "a", "a/b"),
        ("/s*", "src src/a", "lib/src"),
        ("/*/", "a/b a/b/c", "a"),
        ("docs/*", "docs/a", "docs docs/a/b x/docs/a"),
        ("docs/*.md", "docs/a.md", "docs/b/a.md"),
        ("a/*/c", "a/b/c a/b/c/d", "a/c a/b/b/c"),
        ("v?", "v1 x/v2/y", "v v10"),
        (r"v\?", "v?", "v1"),
        (r"a\*b", "a*b", "axb"),
        ("end\\", "end\\", "end"),
        ("**", "a a/b/c", ""),
        ("**/auth/x", "auth/x a/b/auth/x auth/x/y", "auth/b/x"),
        ("auth/**", "auth/a auth/a/b", "auth x/auth/a"),
        ("auth/**/", "auth/a auth/a/b", "auth"),
        ("a/**/b", "a/b a/x/b a/x/y/b a/b/c", "b x/a/b"),
        ("a/**/b/c*", "a/b/cd a/x/b/c", "a/b/d"),
        ("a**c", "ac abbc", "ab/c"),
        ("/app/[id]/x", "app/[id]/x", "app/i/x"),
        ("x/^y", "x/^y", "x/y"),
        ("", "", "a"),
        ("/", "", "a a/b"),
    ],
)
def test_a_pattern_matches_what_it_names_and_nothing_else(pattern: str, yes: str, no: str) -> None:
    """D-19, Y19: depth, anchors, folders, wildcards, escapes; brackets are plain."""
    assert [path for path in yes.split() if not matches(pattern, path)] == []
    assert [path for path in no.split() if matches(pattern, path)] == []


@pytest.mark.parametrize("path", ["auth/x", "./auth/x", "/auth/x", "auth//x", "a/../auth/x", "../auth/./x", "auth/x/"])
def test_no_spelling_of_a_path_walks_around_a_pattern(path: str) -> None:
    """Y19, S16, T20: the rule for a folder holds however the path is written."""
    assert normal_path(path) == "auth/x"
    assert matches("/auth/", path)


def test_a_hostile_pattern_and_path_are_compared_in_time() -> None:
    """T19: many stars against a long name would hang a backtracking matcher."""
    assert not matches("a*" * 50 + "b", "a" * 5_000)
    assert not matches("**/a/" * 30 + "b", "a/" * 2_000 + "c")


NAMES = st.text("ab*", min_size=1, max_size=3).filter(lambda name: "**" not in name)


@given(parts=st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=4), beneath=st.text("ab", min_size=1))
def test_a_plain_path_matches_itself_and_what_lies_beneath(parts: list[str], beneath: str) -> None:
    """D-19."""
    path = "/".join(parts)
    assert matches(f"/{path}", path)
    assert matches(path, f"{path}/{beneath}")
    assert matches(f"**/{path}", f"{beneath}/{path}")
    assert not matches(f"/{path}/", path)


@given(name=NAMES, text=st.text("ab", min_size=1, max_size=4))
def test_a_star_within_a_name_means_any_run_of_characters(name: str, text: str) -> None:
    """D-19: compared with a plain recursive definition."""

    def fits(pattern: str, rest: str) -> bool:
        if not pattern:
            return not rest
        if pattern[0] == "*":
            return any(fits(pattern[1:], rest[cut:]) for cut in range(len(rest) + 1))
        return bool(rest) and pattern[0] == rest[0] and fits(pattern[1:], rest[1:])

    assert matches(f"/x/{name}", f"x/{text}") == fits(name, text)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("billing/", "Billing/a"),
        ("billing/", "BILLING/a"),
        ("Billing/", "billing/a"),
        ("caf\u00e9/", "Cafe\u0301/a"),
        ("cafe\u0301/", "CAF\u00c9/a"),
        ("*.PEM", "deep/key.pem"),
        ("billing/", "bil\u200cling/a"),
        ("billing/", "billing. /a"),
        ("v?", "v."),
        ("dotted./", "dotted./a"),
        ("stra\u00dfe", "STRASSE"),
    ],
)
def test_no_spelling_of_a_name_evades_a_rule_that_demands_more(pattern: str, path: str) -> None:
    """U-11: what is one name on any disk is one name for such a rule."""
    assert guards(pattern, path)


@pytest.mark.parametrize(("pattern", "path"), [("billing/", "billings/a"), ("a", "b"), ("...", "..")])
def test_another_name_is_guarded_by_nothing(pattern: str, path: str) -> None:
    assert not guards(pattern, path)


@given(st.text(max_size=20), st.text(max_size=20))
def test_a_rule_that_demands_more_matches_at_least_what_its_pattern_does(pattern: str, path: str) -> None:
    """U-11: folding only ever adds, and folding twice is folding once."""
    assert guards(pattern, path) >= matches(pattern, path)
    assert folded_path(folded_path(path)) == folded_path(path)
