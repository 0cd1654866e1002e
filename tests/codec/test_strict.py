"""Ambiguous input is refused, with its place."""

import json

import pytest

from foureyes.codec.strict import DIGITS_MAX, STRICT, TwiceError


@pytest.mark.parametrize("text", ["NaN", '{"a": Infinity}', "[-Infinity]"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no number"):
        STRICT.decode(text)


@pytest.mark.parametrize("sign", ["", "-"])
def test_a_number_that_is_too_long_is_told_so_in_our_words(sign: str) -> None:
    """T29: Python would tell a caller how to change it."""
    with pytest.raises(ValueError, match=r"^a number has too many digits$"):
        STRICT.decode(f'{{"a": {sign}{"1" * (DIGITS_MAX + 1)}}}')
    assert STRICT.decode("1" * DIGITS_MAX) == int("1" * DIGITS_MAX)


def test_the_first_name_that_comes_again_is_found_among_many() -> None:
    """T18: looking through all for each would take hours."""
    names = [*map(str, range(200_000)), "199999", "7"]
    with pytest.raises(TwiceError, match="the field '7' is there twice") as caught:
        STRICT.decode("{" + ", ".join(f'"{one}": 1' for one in names) + "}")
    assert caught.value.name == "7"


def test_everything_else_is_read_as_json() -> None:
    value = {"a": [1, 2.5, None, True, {"b": "ü"}], "c": {"a": 1}}
    assert STRICT.decode(json.dumps(value)) == value
