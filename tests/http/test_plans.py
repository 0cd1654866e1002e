"""Plans, commands and documents are reviewed before there is code, line by line, and findings reach the agent."""

from typing import Any

import pytest

from foureyes.http.routes import BASE
from tests.app.house import played
from tests.http.five import Five, house
from tests.mcp.desk import ERAS, Desk, tool

PLAN = "# Plan\n\n1. Add the column.\n2. Fill it.\n3. Drop the old one.\n"
BETTER = "# Plan\n\n1. Add the column.\n2. Fill it, a thousand rows at a time.\n3. Keep the old one for a week.\n"
CHECKED = [{"what": "each step of the plan", "why": "it can be undone until the last one"}]
LOST: dict[str, Any] = {
    "severity": "important",
    "text": "Nothing can be undone after this step.",
    "place": {"path": "plan.md", "start": 5},
    "evidence": "Step 3 drops the column that a rollback needs.",
    "suggestion": "Keep it for a week.",
}
HINT: dict[str, Any] = {
    "severity": "minor",
    "text": "Say who watches the locks meanwhile.",
    "place": {"path": "plan.md", "start": 4, "end": 4},
    "suggestion": "Name the person on call.",
}
WORKS = (("plan", "plan.md"), ("command", "deploy.sh"), ("document", "letter.txt"))


def here(path: str, finding: dict[str, Any]) -> dict[str, Any]:
    """A finding on the same line of another file."""
    return finding | {"place": finding["place"] | {"path": path}}


@pytest.mark.parametrize(("kind", "path"), WORKS)
def test_a_plan_is_judged_by_its_lines_and_its_notes_come_with_the_approval(kind: str, path: str) -> None:
    """D-13: what a reviewer and a human wrote beside an approval is with the agent, each at its line."""

    @played
    async def story() -> None:
        web = Five(house=house())
        dev, codex, sue = await web.role("dev", "author"), await web.role("codex", "agent"), await web.human()
        body = {"kind": kind, "title": "Rename the column", "files": [{"path": path, "text": PLAN}]}
        review = (await web.done(f"{BASE}/reviews", dev, **body))["review"]
        path_of = f"{BASE}/reviews/{review}"
        await web.done(f"{path_of}/reports", codex, revision=1, verdict="concerns", findings=[here(path, LOST)])
        (found,) = (await web.found(path_of, dev))["review"]["findings"]
        assert (found["place"]["path"], found["place"]["start"], found["suggestion"]) == (path, 5, LOST["suggestion"])
        answers = [{"finding": found["finding"], "text": "Kept for a week."}]
        await web.done(f"{path_of}/revisions", dev, files=[{"path": path, "text": BETTER}], answers=answers)
        await web.done(f"{path_of}/notes", sue, text="Do it on Sunday.")
        approval = {"verdict": "approve", "summary": "Go, slowly.", "evidence": CHECKED, "findings": [here(path, HINT)]}
        settled = [{"finding": found["finding"], "resolved": True}]
        await web.done(f"{path_of}/reports", codex, revision=2, **approval, settled=settled)
        seen = (await web.found(path_of, dev))["review"]
        assert seen["state"] == "cleared"
        hint = seen["findings"][1]
        assert (hint["text"], hint["place"]["start"], hint["suggestion"]) == (HINT["text"], 4, HINT["suggestion"])
        assert seen["reports"][-1]["summary"] == "Go, slowly."
        assert seen["notes"] == [{"by": "sue", "text": "Do it on Sunday."}]

    story()


@pytest.mark.parametrize("era", ERAS)
def test_an_agent_that_waits_for_the_approval_of_its_plan_gets_the_notes_with_it(era: str) -> None:
    """D-13: over MCP, in the answer itself."""

    @played
    async def story() -> None:
        desk = Desk()
        dev, codex = await desk.agent("dev"), await desk.agent("codex")
        async with desk.near(dev, era) as author, desk.near(codex, era) as reviewer:
            body = {"kind": "plan", "title": "Rename the column", "files": [{"path": "plan.md", "text": BETTER}]}
            review = (await tool(author, "open_review", **body))["review"]
            await tool(reviewer, "add_note", review=review, text="Tell the team first.")
            said = {"verdict": "approve", "evidence": CHECKED, "findings": [HINT]}
            await tool(reviewer, "report", review=review, revision=1, **said)
            seen = (await tool(author, "read_review", review=review, wait=1))["review"]
            assert seen["state"] == "cleared"
            assert [(one["text"], one["place"]["start"]) for one in seen["findings"]] == [(HINT["text"], 4)]
            assert seen["notes"] == [{"by": "codex", "text": "Tell the team first."}]

    story()
