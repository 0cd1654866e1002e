"""Every refusal is text an agent can act on, and internal errors reveal nothing."""

import re
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from foureyes.app.ports import Damaged, Unavailable
from foureyes.core.refusals import Code
from foureyes.mcp.told import CODE, words_of
from foureyes.mcp.tools import TOOLS
from tests.app.house import played
from tests.calls.test_calls import CHECKED, HELLO
from tests.mcp.desk import ERAS, MODERN, Desk, no, text_of, tool

WRONG: tuple[dict[str, Any], ...] = (
    {"unknown_field": 1},
    {"review": 7, "files": "x", "digest": [], "session": {}, "key": None},
    {"review": "../../etc", "digest": "x", "revision": -1, "limit": -5, "session": "../x"},
    {"review": "r1", "revision": True, "verdict": "maybe", "findings": [{}], "wait": 10_000},
)


@pytest.mark.parametrize("era", ERAS)
def test_whatever_is_sent_is_answered_or_refused_in_words(era: str) -> None:
    @played
    async def story() -> None:
        desk = Desk()
        async with desk.near(await desk.agent("dev"), era) as client:
            for name in TOOLS:
                for body in WRONG:
                    result = await client.call_tool(name, body)
                    if not result.is_error:
                        continue
                    sentence, step, code = re.split(r"\n(?=Next: |Code: )", text_of(result))
                    code = code.partition("\n")[0]
                    assert sentence
                    assert step.startswith("Next: ")
                    assert len(step) > len("Next: ")
                    assert code.removeprefix("Code: ") in set(Code), name
                    assert result.meta is not None
                    assert result.meta[CODE] == code.removeprefix("Code: ")

    story()


@played
async def test_a_no_of_the_gate_is_told_with_its_code_and_the_way_out() -> None:
    desk = Desk()
    dev, codex = await desk.agent("dev"), await desk.agent("codex")
    async with desk.near(dev, MODERN) as author, desk.near(codex, MODERN) as reviewer:
        review = (await tool(author, "open_review", kind="script", title="x", files=HELLO))["review"]
        report = {"review": review, "revision": 1, "verdict": "approve", "evidence": CHECKED}
        assert "Code: author_may_not" in await no(author, "report", **report)
        assert "Code: stale" in await no(reviewer, "report", **{**report, "revision": 2})
        assert "Code: not_the_author" in await no(reviewer, "withdraw", review=review, reason="Mine now.")
        assert "Code: review_missing" in await no(author, "read_review", review="nothing")


@pytest.mark.parametrize("era", ERAS)
def test_what_fails_here_is_told_to_nobody(era: str, caplog: pytest.LogCaptureFixture) -> None:
    """T32: no word of what went wrong, where, or with what."""

    @played
    async def story() -> None:
        desk = Desk()
        secret = "postgresql://u:hunter2@db/x"
        async with desk.near(await desk.agent("dev"), era) as client:
            real = desk.office.store.read

            async def broken(work: Any) -> Any:
                if "look_up" in getattr(getattr(work, "__code__", None), "co_names", ()):
                    return await real(work)
                raise RuntimeError(secret)

            object.__setattr__(desk.office.store, "read", broken)
            said = await no(client, "inbox")
            assert said.startswith("Something went wrong here.")
            with pytest.raises(MCPError) as caught:
                await client.list_resources()
            assert secret not in said + str(caught.value)

    story()
    assert "hunter2" in caplog.text


def test_a_store_that_is_away_or_altered_is_told_as_such() -> None:
    assert words_of(Unavailable("Away.", "Come back.")) == ("unavailable", "Away.", "Come back.")
    damaged = words_of(Damaged("event 7 of review/x"))
    assert damaged is not None
    assert damaged[0] == "damaged"
    assert "review/x" not in "".join(damaged)
    assert words_of(ValueError("x")) is None
