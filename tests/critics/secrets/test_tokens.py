"""Credentials of providers are found by their shape."""

import random
import string

import pytest

from foureyes.reviewers.critics.secrets.find import find, spans
from foureyes.reviewers.critics.secrets.rules import ALL, PROVIDERS
from foureyes.reviewers.critics.secrets.tokens import SHAPES, tokens
from tests.critics.secrets import planted


@pytest.mark.parametrize("kind", planted.PROVIDERS)
def test_a_credential_of_each_kind_is_found_exactly_where_it_stands(kind: str) -> None:
    """Row 002-05: no credentials."""
    value = planted.one_of_each(1)[kind]
    text = f"first line\nurl = ({value})\nlast line\n"
    (span,) = spans(text, "main.py")
    assert text[span.start : span.end] == value
    assert span.rule == f"security.secrets.{kind}"


@pytest.mark.parametrize("kind", planted.PROVIDERS)
@pytest.mark.parametrize("around", ["{}", '"{}"', "'{}',", "Bearer {}", "x={}&y=1", "<a>{}</a>", "`{}`", "\t{}\r\n"])
def test_a_credential_is_found_whatever_stands_around_it(kind: str, around: str) -> None:
    value = planted.one_of_each(2)[kind]
    text = around.format(value)
    covered = "".join(text[one.start : one.end] for one in spans(text))
    assert value in covered


def test_every_provider_has_a_shape_and_every_rule_says_why_and_what_to_do() -> None:
    assert {shape.rule.id for shape in SHAPES} >= {rule.id for rule in PROVIDERS.values()}
    assert all(rule.why and rule.fix and rule.title for rule in ALL)
    assert len({rule.id for rule in ALL}) == len(ALL)
    assert all(rule.severity == "critical" for rule in PROVIDERS.values())


def test_every_shape_has_a_limit_to_each_of_its_repetitions() -> None:
    for shape in SHAPES:
        pattern = shape.pattern.pattern
        assert not any(
            pattern[at - 1] != "\\" and pattern[at] in "*+" and _outside(pattern, at) for at in range(1, len(pattern))
        )
        assert ",}" not in pattern


def _outside(pattern: str, at: int) -> bool:
    """Whether this character stands outside of [ ]."""
    return pattern.rfind("[", 0, at) <= pattern.rfind("]", 0, at)


def test_a_right_checksum_makes_sure_and_a_wrong_one_does_not_hide() -> None:
    right = planted.one_of_each(3)["github-token"]
    wrong = right[:-1] + ("a" if right[-1] != "a" else "b")
    assert [one.score for one in tokens(right)] == [1.0]
    assert [one.score for one in tokens(wrong)] == [0.9]


@pytest.mark.parametrize(
    "text",
    [
        "AK" + "IA" + "IOSFODNN7EXAMPLE",
        "gh" + "p_" + "x" * 36,
        "sk" + "-" + "1234567890" * 4,
        "sk" + "_live_" + "0" * 24,
        "xo" + "xb-your-token-here",
        "gl" + "pat-" + "x" * 20,
        "pk" + "_live_" + "Zq8v1Lm4Tn7Rb2Kc5Xw9Jd3F",  # a publishable key is made to be seen
        "AKIAs and ghp_ are prefixes; so is sk-ant-",
    ],
)
def test_a_manual_s_example_is_no_credential(text: str) -> None:
    assert spans(text) == ()


def test_a_name_that_only_contains_a_prefix_is_no_credential() -> None:
    assert spans("task-manager-" + string.ascii_lowercase + " desk-" + string.ascii_lowercase) == ()


def test_a_public_key_and_a_certificate_are_no_private_key() -> None:
    body = planted.drawn(random.Random(4), 64)
    for kind in ("PUBLIC KEY", "CERTIFICATE", "ENCRYPTED PRIVATE" + " KEY"):
        assert spans(f"-----BEGIN {kind}-----\n{body}\n{body}\n-----END {kind}-----\n") == ()


def test_a_line_about_private_keys_is_no_private_key() -> None:
    assert spans('if line == "-----BEGIN RSA PRIVATE' + ' KEY-----":\n    return "key"\n') == ()


@pytest.mark.parametrize("gap", ["\\n", "\n", "\r\n", "%0A", '",\n    "'])
def test_a_private_key_is_found_in_every_writing(gap: str) -> None:
    key = planted.one_of_each(5)["private-key"]
    text = "key = " + key.replace("\n", gap) + "\n"
    (found,) = find(text, "key.json").found
    assert found.rule.id == "security.secrets.private-key"
    assert key.split("\n")[3] in text[found.start : found.end]


def test_a_credential_behind_base64_or_hex_is_found() -> None:
    import base64  # noqa: PLC0415 - only here

    token = planted.one_of_each(6)["github-token"]
    for hidden in (base64.b64encode(token.encode()).decode(), token.encode().hex(), "%20key%3D" + token):
        text = f"x: {hidden}\n"
        covered = "".join(text[one.start : one.end] for one in spans(text))
        assert hidden.strip("%20") in covered or token in covered
