"""Honest edits of comments, layout and prose, which must be proven."""

from tests.proofs.corpus.shapes import Edit, edit
from tests.proofs.corpus.trees import GO, JAVA, SCRIPT

PY = "import os\n\n\ndef check(user):\n    return user.may\n"
PAGE = (
    "# Title\n\nSome wrods are here, see [the page](https://good.example/) and `make`.\n\n"
    "```python\nx = 1\n```\n\n- one thing\n- another thing\n\nThere are more words: they end here.\n"
)
NOQA = "import os  # noqa: F401\n\n\n# The old words here.\ndef check(user):\n    return user.may\n"

HONEST: tuple[Edit, ...] = (
    edit("python", "a comment on a line of its own", "a.py", PY, PY.replace("def", "# Asks what the user is.\ndef")),
    edit("python", "a comment beside a line", "a.py", PY, PY.replace("may\n", "may  # as the directory says\n")),
    edit(
        "python",
        "a typo in a comment",
        "a.py",
        "# Say helo to the user.\n" + PY,
        "# Say hello to the user.\n" + PY,
        label="fix_typo",
    ),
    edit("python", "a comment goes", "a.py", "# An old remark about the past.\n" + PY, PY),
    edit(
        "python",
        "a comment of several lines",
        "a.py",
        PY,
        "# The first line of this goes on\n# in the second one,\n# and ends.\n#\n" + PY,
    ),
    edit("python", "a to-do", "a.py", PY, PY.replace("    return", "    # TODO: ask the directory first\n    return")),
    edit("python", "a comment in German", "a.py", PY, PY.replace("def", "# Prüft die Rechte des Nutzers.\ndef")),
    edit("python", "a comment in Japanese", "a.py", PY, PY.replace("def", "# これは利用者の権限を調べます。\ndef")),
    edit("python", "empty lines", "a.py", PY, PY.replace("\n\n\n", "\n\n"), label="update_formatting"),
    edit("python", "white space within a line", "a.py", "x=1\n", "x = 1\n", label="update_formatting"),
    edit(
        "python", "a call over several lines", "a.py", "f(a, b)\n", "f(\n    a,\n    b,\n)\n", label="update_formatting"
    ),
    edit("python", "other quotes", "a.py", "f('a', 'b')\n", 'f("a", "b")\n', label="update_formatting"),
    edit("python", "another indentation", "a.py", "if a:\n  b()\n", "if a:\n    b()\n", label="update_formatting"),
    edit("python", "a comment in a file with a directive elsewhere", "a.py", NOQA, NOQA.replace("old", "new")),
    edit(
        "python",
        "a comment below a usual encoding",
        "a.py",
        "# -*- coding: utf-8 -*-\n" + PY,
        "# -*- coding: utf-8 -*-\n" + PY.replace("def", "# Asks what the user is.\ndef"),
    ),
    edit("python", "a stub", "pkg/a.pyi", "x: int\n", "# How many there are.\nx: int\n"),
    edit("python", "line ends of Windows", "a.py", b"x = 1\r\n", b"# How many there are.\r\nx = 1\r\n"),
    edit(
        "python",
        "a comment beside a long string",
        "a.py",
        'x = """\n# no comment\n"""\n',
        'x = """\n# no comment\n"""  # the text as it is\n',
    ),
    edit(
        "go",
        "a comment above a function",
        "a.go",
        GO,
        GO.replace("func", "// It prints a letter, and that's that.\nfunc"),
    ),
    edit(
        "go",
        "a typo in a comment",
        "a.go",
        GO.replace("func", "// It pritns a letter.\nfunc"),
        GO.replace("func", "// It prints a letter.\nfunc"),
        label="fix_typo",
    ),
    edit("go", "indentation", "a.go", GO.replace("\t", "    "), GO, label="update_formatting"),
    edit(
        "go",
        "a comment in a file with a build constraint",
        "a.go",
        "//go:build linux\n\n" + GO,
        "//go:build linux\n\n" + GO.replace("func", "// It prints a letter.\nfunc"),
    ),
    edit(
        "java", "a comment in a class", "A.java", JAVA, JAVA.replace("    int", "    // How many there are.\n    int")
    ),
    edit("java", "indentation", "src/A.java", JAVA.replace("    ", "\t"), JAVA, label="update_formatting"),
    edit("javascript", "a comment", "a.js", SCRIPT, SCRIPT.replace("check", "// Ask the directory first.\ncheck")),
    edit("javascript", "a comment goes", "a.mjs", "// An old remark about the past.\n" + SCRIPT, SCRIPT),
    edit("typescript", "a comment", "src/a.ts", "let a: number = 1;\n", "// How many there are.\nlet a: number = 1;\n"),
    edit("markdown", "a typo", "README.md", PAGE, PAGE.replace("wrods", "words"), label="fix_typo"),
    edit("markdown", "a new paragraph", "README.md", PAGE, PAGE + "\nIt was written by two people.\n"),
    edit(
        "markdown",
        "a paragraph goes",
        "docs/guide.md",
        PAGE,
        PAGE.replace("There are more words: they end here.\n", ""),
    ),
    edit("markdown", "an item of a list", "docs/guide/a.md", PAGE, PAGE.replace("another thing", "another good thing")),
    edit("markdown", "a clause with a colon", "docs/a.markdown", PAGE, PAGE.replace("they end", "the words end")),
    edit(
        "markdown", "a package's page", "packages/a/README.md", PAGE, PAGE.replace("wrods", "words"), label="fix_typo"
    ),
    edit("markdown", "a name in capitals that people know", "docs/INSTALL.md", PAGE, PAGE.replace("wrods", "words")),
    edit(
        "rst",
        "a typo",
        "docs/a.rst",
        "Title\n=====\n\nSome wrods here.\n",
        "Title\n=====\n\nSome words here.\n",
        label="fix_typo",
    ),
    edit(
        "text",
        "a new line in the news",
        "NEWS.txt",
        "Nothing has happened yet.\n",
        "Nothing has happened yet.\n\nNow something has.\n",
    ),
)
