"""Output fits the width of the terminal, with any script."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from foureyes.app.plain import marked
from foureyes.cli.fitting import WIDTH_MAX, WIDTH_MIN, cut, cut_left, terminal_width, width_of, wrapped
from tests.cli.test_plain import CORPUS

TEXTS = st.text(alphabet=st.characters(), max_size=300)


@given(TEXTS, st.integers(min_value=2, max_value=130))
def test_cut_and_wrapped_text_fits_and_wrapping_loses_no_letter(text: str, width: int) -> None:
    clean = marked(text)
    assert width_of(cut(clean, width)) <= width
    assert width_of(cut_left(clean, width)) <= width
    lines = list(wrapped(clean, width))
    assert all(width_of(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(clean.split())


@given(TEXTS)
def test_a_marked_text_hides_nothing_and_acts_on_nothing(text: str) -> None:
    shown = marked(text)
    assert all(one.isprintable() or not one.isascii() for one in shown)
    assert not any(ord(one) < 32 or 0x7F <= ord(one) < 0xA0 for one in shown)
    assert not any(unicodedata.category(one) in ("Cf", "Zl", "Zp") for one in shown)
    assert marked(shown) == shown
    shown.encode()


def test_what_hides_is_shown_by_its_number() -> None:
    """T31, and trojan source: a reader sees what a compiler sees."""
    assert marked("a\u202eb\u2066c\x1b[2J\x00\x7f\t|") == "a<U+202E>b<U+2066>c␛[2J␀␡    |"
    assert marked("\U000e0041\u200b\u3164\u2800") == "<U+E0041><U+200B><U+3164><U+2800>"
    assert marked("x" * 10, 5) == "xxxx…"
    assert marked("Grüße, 世界") == "Grüße, 世界"
    for text, _ in CORPUS.values():
        assert "\x1b" not in marked(text)


def test_a_wide_letter_takes_two_columns_and_an_accent_none() -> None:
    assert (width_of("世界"), width_of("e\u0301"), width_of("abc")) == (4, 1, 3)
    assert cut("世界世界", 5) == "世界…"
    assert cut_left("src/deep/file.py:14", 12) == "…/file.py:14"


def test_the_width_stays_within_what_an_eye_follows() -> None:
    assert WIDTH_MIN <= terminal_width() <= WIDTH_MAX
