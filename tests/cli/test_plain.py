"""Untrusted text is shown as text: it cannot affect the terminal, its clipboard, or the reading order."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.app.plain import plain
from foureyes.cli.answer import Answer, Line, print_line, show
from tests.cli.desk import Desk

#: Hostile titles, reasons and file names, with what is left of them.
CORPUS = {
    "colour": ("\x1b[31mred\x1b[0m", "[31mred[0m"),
    "clear the screen": ("\x1b[2J\x1b[Hgone", "[2J[Hgone"),
    "window title": ("\x1b]0;owned\x07", "]0;owned"),
    "clipboard, OSC 52": ("\x1b]52;c;cm0gLXJmIC8=\x07", "]52;c;cm0gLXJmIC8="),
    "clipboard, ended by ST": ("\x1b]52;c;eA==\x1b\\", "]52;c;eA==\\"),
    "link, OSC 8": ("\x1b]8;;http://evil\x1b\\here\x1b]8;;\x1b\\", "]8;;http://evil\\here]8;;\\"),
    "OSC in one byte": ("\x9d52;c;eA==\x9c", "52;c;eA=="),
    "CSI in one byte": ("\x9b31mred", "31mred"),
    "device string": ("\x1bP+q544e\x1b\\", "P+q544e\\"),
    "sixel": ("\x90q#0;2\x9c", "q#0;2"),
    "application command": ("\x1b_Gf=100\x1b\\", "_Gf=100\\"),
    "bell and backspace": ("approve\x08\x08\x08\x07d", "approved"),
    "carriage return": ("rejected\rcleared ", "rejected cleared "),
    "new line": ("one\ntwo\r\nthree", "one two  three"),
    "line separators": ("one\u2028two\u2029three\x85four", "one two three four"),
    "right to left override": ("user\u202etxt.exe", "usertxt.exe"),
    "isolates": ("a\u2066b\u2067c\u2068d\u2069e", "abcde"),
    "marks": ("a\u200eb\u200fc\u061cd", "abcd"),
    "zero width": ("pass\u200bword\u2060\ufeff", "password"),
    "soft hyphen": ("ap\u00adproved", "approved"),
    "tags": ("ok\U000e0041\U000e0042", "ok"),
    "interlinear": ("a\ufff9b\ufffac\ufffbd", "abcd"),
    "nothing and delete": ("a\x00b\x7fc", "abc"),
    "half a character": ("a\ud800b", "a\ufffdb"),
    "every C0": ("".join(map(chr, range(32))), " " * 5),
    "every C1": ("".join(map(chr, range(0x80, 0xA0))), " "),
    "stays: accents and other scripts": ("Grüße, 世界, שלום", "Grüße, 世界, שלום"),
    "stays: joined emoji and letters": ("👩\u200d💻 \u0645\u06cc\u200c\u062e", "👩\u200d💻 \u0645\u06cc\u200c\u062e"),
}


@pytest.mark.parametrize("name", CORPUS)
def test_hostile_text_loses_its_power_and_keeps_its_letters(name: str) -> None:
    """T31: control sequences, clipboard, direction and hidden characters."""
    text, wanted = CORPUS[name]
    assert plain(text) == wanted


@given(st.text(alphabet=st.characters(), max_size=200))
def test_nothing_that_acts_is_left_of_any_text(text: str) -> None:
    left = plain(text)
    left.encode("utf-8")
    assert all(one.isprintable() or one in " \u200c\u200d" or not one.isascii() for one in left)
    assert not any(ord(one) < 32 or 0x7F <= ord(one) < 0xA0 or 0x2066 <= ord(one) <= 0x2069 for one in left)
    assert plain(left) == left


def test_a_sequence_that_begins_in_one_field_swallows_nothing_of_the_next() -> None:
    title, reason = "fine \x1b]0;", "x\x07"
    assert "rejected" in plain(f"{title}: rejected: {reason}")


def test_long_text_is_cut() -> None:
    assert plain("x" * 5000) == "x" * 1999 + "…"
    assert len(plain("\u202e" * 100_000 + "x")) <= 2000


def test_every_line_goes_through_it(capsys: pytest.CaptureFixture[str]) -> None:
    text = "".join(text for text, _ in CORPUS.values())
    show(Answer(lines=(Line(text),)), as_json=False)
    show(Answer(data={"text": text}), as_json=True)
    said = capsys.readouterr().out
    assert set(said) & {chr(one) for one in (*range(9), *range(11, 32), *range(0x7F, 0xA0))} == set()
    assert "\u202e" not in said
    assert json.loads(said[said.index("{") :])["text"] == text


def test_a_hostile_title_reaches_no_terminal(desk: Desk) -> None:
    """T31, through a whole command."""
    ran = desk.run("why", "r2")
    assert "Second ]0;evil try (script)" in ran.out
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({"TERM": "xterm"}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colours_are_for_terminals_whose_owner_wants_them(
    environment: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        print_line(Line("fine", "good"), stream)
    assert ("\x1b[32m" in terminal.getvalue()) is coloured
    assert pipe.getvalue() == "fine\n"


def test_a_terminal_that_cannot_show_a_letter_shows_something_else() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    print_line(Line("Grüße"), stream)
    stream.seek(0)
    assert stream.read() == "Gr??e\n"
