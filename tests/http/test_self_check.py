"""An author's own basic checks run before the request: work that fails them reaches no reviewer."""

import asyncio
from typing import Any

import pytest

from foureyes.app.calls.files import FileSent
from foureyes.app.calls.seed_001_basics import CRITERIA, PARSED_CHARS_MAX, check_basics
from foureyes.core.refusals import Refusal
from foureyes.http.routes import BASE
from tests.app.house import played
from tests.http.five import Five
from tests.http.test_seed_001 import WORK

ALL = ["syntax_valid", "has_metadata", "has_export"]
METADATA = 'export const metadata = {name: "a", version: "1", description: "b", tags: ["c"]}\n'
GOOD = {"code": METADATA + "export const valid = (text) => /[({]+/.test(text) // not )\n", "tests": "test(() => 1)\n"}


@played
async def test_a_request_whose_own_checks_fail_is_told_everything_and_opens_nothing() -> None:
    """001-11: mended and sent again it is a request like any other; without criteria nothing is checked."""
    web = Five()
    dev = await web.role("core-developer")
    for name in ("auditor", "tester"):
        await web.role(name)
    bad: dict[str, Any] = WORK | {"artifacts": {"code": "const valid = (1\n"}, "self_check": ALL}
    answer = await web.tool("request_review", dev, **bad)
    assert (answer.status, answer.data["code"]) == (422, "bad_value")
    for issue in (*ALL, "line 1 that is never closed", "no metadata", "no file exports"):
        assert issue in answer.data["title"], issue
    assert (await web.found(f"{BASE}/reviews", dev))["reviews"] == []
    unknown = await web.tool("request_review", dev, **WORK | {"self_check": ["looks_nice"]})
    assert unknown.data["code"] == "unknown_word"
    made = await web.tool("request_review", dev, **WORK | {"artifacts": GOOD, "self_check": ALL})
    assert (made.status, made.data["reviewer"]) == (201, "auditor")
    assert len((await web.found(f"{BASE}/reviews", dev))["reviews"]) == 1


FILES: tuple[tuple[str, dict[str, str], str], ...] = (
    ("syntax_valid", {"a.py": "def f(:\n"}, "a.py is not valid Python (line 1)"),
    ("syntax_valid", {"a.py": "def f(): return ')'\n"}, ""),
    ("syntax_valid", {"a.json": "{"}, "a.json is not valid JSON"),
    ("syntax_valid", {"a.ts": "f(`)${'}'}`, '(', /[)]/) /* ( */\n"}, ""),
    ("syntax_valid", {"a.ts": "f(\n]\n"}, "a.ts has a ] on line 2 that closes nothing"),
    ("syntax_valid", {"code": "print('it (')\n"}, ""),
    ("syntax_valid", {"docs": "It's :-)\n"}, ""),
    ("syntax_valid", {"a.py": "x" * (PARSED_CHARS_MAX + 1)}, "are more than the"),
    ("has_metadata", {"metadata.json": '{"name": 1, "version": 1, "description": 1, "tags": []}'}, ""),
    ("has_metadata", {"code": "const metadata = {name: 'a'}"}, "does not say version, description, tags"),
    ("has_metadata", {"docs": METADATA}, "there is no metadata"),
    ("has_export", {"a.py": "def f():\n    pass\n"}, ""),
    ("has_export", {"a.js": "module.exports = {}\n"}, ""),
    ("has_export", {"a.py": "_x = 1\n"}, "no file exports anything"),
    ("has_export", {"docs": "export it\n"}, "no file exports anything"),
)


@pytest.mark.parametrize(("criterion", "files", "issue"), FILES)
def test_each_check_says_what_is_to_be_mended(criterion: str, files: dict[str, str], issue: str) -> None:
    """001-11."""
    found = [*CRITERIA[criterion](tuple(FileSent(path=path, text=text) for path, text in files.items()))]
    assert issue in found[0] if issue else not found, found


@pytest.mark.parametrize("text", ["/*", "=/[", "'", "`", "(", "\\", "{'", " " * 50 + "(/"])
def test_no_text_is_searched_again_and_again(text: str) -> None:
    """T19: a text that would take minutes with quadratic search ends within the test's time limit."""
    hostile = (text * PARSED_CHARS_MAX)[:PARSED_CHARS_MAX]
    with pytest.raises(Refusal):
        asyncio.run(check_basics(ALL, (FileSent(path="a.ts", text=hostile),)))
