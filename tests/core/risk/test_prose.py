"""Only what no machine reads is trivial."""

import pytest

from foureyes.core.risk.prose import is_document, says_nothing_to_machines


def trivial(path: str, added: str = "", removed: str = "") -> bool:
    return says_nothing_to_machines(path, added.splitlines(), removed.splitlines())


@pytest.mark.parametrize("path", ["README.md", "docs/a.rst", "README", "LICENSE.txt", "CHANGELOG", "doc/guide.adoc"])
def test_these_files_are_read_by_people_only(path: str) -> None:
    """001-04, S8."""
    assert is_document(path)
    assert trivial(path, "It works now.", "It worsk now.")


@pytest.mark.parametrize(
    "path",
    [
        "requirements.txt",
        "CMakeLists.txt",
        "robots.txt",
        "page.mdx",
        "prompts/review.md",
        "skills/x/SKILL.md",
        "a.html",
        "templates/mail.md",
        ".claude/commands/review.md",
        "readme.py",
        "tests/fixtures/a.md",
    ],
)
def test_text_that_machines_obey_is_no_document(path: str) -> None:
    """S8, T15: dependencies, build files, prompts and templates are programs, whatever their ending."""
    assert not is_document(path)
    assert not trivial(path, "word")


@pytest.mark.parametrize(
    "line",
    ["<script>x</script>", "<!-- hidden -->", "{% include x %}", "{{ x }}", "[x](javascript:y)", ".. raw:: html"],
)
def test_active_or_hidden_markup_is_not_prose(line: str) -> None:
    """S8, T15, T21: added or removed."""
    assert not trivial("README.md", line)
    assert not trivial("README.md", "word", line)


@pytest.mark.parametrize(
    ("path", "comment"),
    [("a.py", "# why"), ("a.py", "    # why"), ("a.ts", "// why"), ("a.sql", "-- why"), ("a.yaml", "# why")],
)
def test_a_line_that_is_a_comment_is_trivial(path: str, comment: str) -> None:
    """001-04: add_comment, in the language's own sign."""
    assert trivial(path, comment)
    assert trivial(path, comment, comment + " not")


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.c", "#include <x.h>"),
        ("a.py", "// no comment here"),
        ("a.py", "x = 1  # why"),
        ("a.txt", "# why"),
        ("Makefile", "# why"),
        ("a.py", "#!/bin/sh"),
        ("a.py", "# noqa: S101"),
        ("a.py", "# nosec"),
        ("a.py", "# type: ignore[x]"),
        ("a.py", "# -*- coding: latin-1 -*-"),
        ("a.py", "# pragma: no cover"),
        ("a.js", "// eslint-disable-next-line"),
        ("a.ts", "// @ts-ignore"),
        ("a.go", "//go:build linux"),
        ("a.go", "// +build linux"),
        ("a.ts", '/// <reference path="x" />'),
        ("a.c", "// the next line is a comment too \\"),
    ],
)
def test_what_looks_like_a_comment_but_is_obeyed_is_not_trivial(path: str, line: str) -> None:
    """S8: directives, other languages' signs, code beside a comment, a comment that swallows the next line."""
    assert not trivial(path, line)
    assert not trivial(path, "", line)


def test_blank_lines_and_white_space_at_the_end_are_trivial() -> None:
    """001-04: update_formatting."""
    assert trivial("a.py", "\n\n")
    assert trivial("a.py", "x = 1", "x = 1   ")
    assert trivial("a.py", "# why\nx = 1\n\n", "x = 1 ")


def test_indentation_is_trivial_only_where_it_means_nothing() -> None:
    """S8: in Python it is the program."""
    assert trivial("a.java", "    check();", "check();")
    assert not trivial("a.py", "    check()", "check()")
    assert not trivial("a.yaml", "  key: x", "key: x")


def test_white_space_that_means_something_is_not_trivial() -> None:
    """S8: within a line, behind a backslash; and a changed order is a change."""
    assert not trivial("a.py", "x = 'a b'", "x = 'a  b'")
    assert not trivial("a.sh", "cmd \\", "cmd \\ ")
    assert not trivial("a.py", "b()\na()", "a()\nb()")
    assert not trivial("a.py", "check()")
    assert not trivial("a.py", "", "check()")


def test_a_change_without_lines_is_not_trivial() -> None:
    """S8: none of none is not every line."""
    assert not trivial("README.md")
    assert not trivial("a.py")
