"""Python code that looks like comments or layout."""

from tests.proofs.corpus.shapes import Edit, added, edit

BASE = "import os\n\n\ndef check(user):\n    return user.may\n"
LONG = 'TEXT = """\nfirst\nlast\n"""\n'

PYTHON: tuple[Edit, ...] = (
    added(
        "python",
        "utf_7 in an encoding comment turns the next comment into code",
        "a.py",
        BASE,
        '# encoding: utf_7\n# tidy +AAo-import os+AAo-os.system("id")\n',
    ),
    added(
        "python", "an encoding declared in a sentence", "a.py", BASE, "# We all like the encoding: utf_7 for this.\n"
    ),
    added("python", "an encoding with an equals sign", "a.py", BASE, "# vim: set fileencoding=utf_7 :\n"),
    edit(
        "python",
        "an encoding that moves up into the second line",
        "a.py",
        "# One line that goes.\n# Another line here.\n# coding: utf_7\n# +AAo-import os\n" + BASE,
        "# Another line here.\n# coding: utf_7\n# +AAo-import os\n" + BASE,
    ),
    added("python", "unicode_escape as encoding", "a.py", BASE, "# coding: unicode_escape\n# \\u000aos.system('id')\n"),
    edit("python", "a comment line within a string", "a.py", LONG, LONG.replace("last", "# a line of the text\nlast")),
    edit("python", "an empty line within a string", "a.py", LONG, LONG.replace("last", "\nlast")),
    edit("python", "white space at the end of a line of a string", "a.py", LONG, LONG.replace("last", "last  ")),
    edit(
        "python", "indentation decides which block it is", "a.py", "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n"
    ),
    edit("python", "a line is commented out", "a.py", "check()\nrun()\n", "# check() was here before.\nrun()\n"),
    edit("python", "a comment becomes code", "a.py", "x = 1\n# x = 2\n", "x = 1\nx = 2\n"),
    edit(
        "python",
        "a docstring that a framework reads",
        "a.py",
        'def a():\n    """GET /a"""\n',
        'def a():\n    """GET /b"""\n',
    ),
    edit(
        "python",
        "a doctest",
        "a.py",
        'def a():\n    """\n    >>> 1\n    1\n    """\n',
        'def a():\n    """\n    >>> 1\n    2\n    """\n',
    ),
    edit("python", "a type comment", "a.py", "x = []\n", "x = []  # type: list[int]\n"),
    edit("python", "a linter is told to look away", "a.py", "x = eval(a)\n", "x = eval(a)  # noqa\n"),
    edit("python", "a scanner is told to look away", "a.py", "x = eval(a)\n", "x = eval(a)  # nosec\n"),
    edit("python", "a line leaves the coverage", "a.py", "x = 1\n", "x = 1  # pragma: no cover\n"),
    edit("python", "a formatter is switched off", "a.py", "x = 1\n", "# fmt: off\nx = 1\n"),
    edit(
        "python", "pylint in a long sentence", "a.py", "x = 1\n", "# From here on please pylint: disable=all\nx = 1\n"
    ),
    edit("python", "mypy for the whole file", "a.py", "x = 1\n", "# mypy: ignore-errors\nx = 1\n"),
    edit("python", "a directive in words only", "a.py", "x = 1\n", "x = 1  # sourcery skip hoist if please\n"),
    edit(
        "python",
        "dependencies of a script",
        "a.py",
        "import x\n",
        '# /// script\n# dependencies = ["evil"]\n# ///\nimport x\n',
    ),
    edit(
        "python",
        "a directive that goes",
        "a.py",
        "x = 1  # type: ignore[assignment]\n",
        "x = 1\n",
    ),
    edit(
        "python",
        "a directive that meets another line when a call is folded",
        "a.py",
        "f(\n    a,\n    b,  # noqa\n)\n",
        "f(a, b)  # noqa\n",
    ),
    edit("python", "a shebang", "a.py", "x = 1\n", "#!/usr/bin/env -S sh -c 'id'\nx = 1\n"),
    edit(
        "python",
        "a shebang that is no longer first",
        "a.py",
        "#!/bin/python\nx = 1\n",
        "# Hello to you all.\n#!/bin/python\nx = 1\n",
    ),
    edit(
        "python",
        "a form feed resets the indentation",
        "a.py",
        "if a:\n    b()\n",
        "if a:\n    b()\n\x0c# A comment here.\n",
    ),
    edit("python", "a carriage return ends a comment", "a.py", b"x = 1\n", b"# A comment here.\rimport os\nx = 1\n"),
    edit("python", "other line ends throughout", "a.py", b"#!/bin/python\nx = 1\n", b"#!/bin/python\r\nx = 1\r\n"),
    edit("python", "a null byte", "a.py", b"x = 1\n", b"# A comment \0here.\nx = 1\n"),
    edit("python", "a byte order mark", "a.py", b"x = 1\n", b"\xef\xbb\xbfx = 1\n"),
    edit("python", "bytes that are no UTF-8", "a.py", b"x = 1\n", b"# caf\xe9 is open now.\nx = 1\n"),
    edit(
        "python",
        "text that runs the other way",
        "a.py",
        "x = 1\n",
        "# Only admins may \u202e do this\u2066 here.\nx = 1\n",
    ),
    edit("python", "characters without a width", "a.py", "x = 1\n", "# A com\u200bment is here.\nx = 1\n"),
    edit("python", "a line separator in a comment", "a.py", "x = 1\n", "# A comment\u2028import os\nx = 1\n"),
    edit("python", "a next line character", "a.py", "x = 1\n", "# A comment\x85import os\nx = 1\n"),
    edit("python", "a number spelled otherwise", "a.py", "x = 0o10\n", "x = 8\n"),
    edit("python", "a string spelled in escapes", "a.py", "f('eval')\n", "f('\\x65val')\n"),
    edit("python", "a name in wide letters", "a.py", "eval(x)\n", "\uff45val(x)\n"),
    edit("python", "a tuple instead of a value", "a.py", "x = (1)\n", "x = (1,)\n"),
    edit("python", "one is not true", "a.py", "x = 1\n", "x = True\n"),
    edit("python", "a backslash joins two lines", "a.py", "x = 1\n+2\n", "x = 1 \\\n+2\n"),
    edit(
        "python",
        "a program that reads its own lines",
        "a.py",
        "import sys\nif sys._getframe().f_lineno == 3:\n    run()\n",
        "# One line more here.\nimport sys\nif sys._getframe().f_lineno == 3:\n    run()\n",
    ),
    edit(
        "python",
        "a scheduler that looks for words in the file",
        "a.py",
        "x = 1\n",
        "# This is an airflow dag now.\nx = 1\n",
    ),
    edit("python", "both are broken", "a.py", "def (:\n", "# A comment here.\ndef (:\n"),
    edit("python", "deep nesting", "a.py", "x = " + "(" * 5_000 + ")" * 5_000 + "\n", "# It is deep.\nx = 1\n"),
    edit("python", "a file of test data", "tests/fixtures/a.py", "x = 1\n", "# A comment is here.\nx = 1\n"),
    edit("python", "the settings of a tool", ".github/scripts/a.py", "x = 1\n", "# A comment is here.\nx = 1\n"),
    edit("python", "a template of a program", "{{name}}/a.py", "x = 1\n", "# A comment is here.\nx = 1\n"),
    edit("python", "an empty file", "a.py", "", "# A comment is here.\n"),
)
