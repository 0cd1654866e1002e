"""U-56: a notification has the sentence and the next step of the review that every other surface shows."""

from __future__ import annotations

from foureyes.http.routes import BASE
from tests.app.house import played
from tests.http.test_seed_001 import CHANGES, GOOD, WORK, asked
from tests.notify.post_office import DISCORD, SLACK, post_office


@played
async def test_the_author_is_sent_the_sentence_that_every_surface_says() -> None:
    """U-56, U-23: changes with the concern in them, and the clearance."""
    web, dev, auditor, review = await asked()
    async with post_office(web, author=(SLACK,)) as office:
        for said in (CHANGES, GOOD):
            await web.tool("get_review", auditor, reviewId=review)
            assert (await web.tool("submit_review", auditor, reviewId=review, **said)).status == 200
            await office.delivery.once()
            found = (await web.found(f"{BASE}/reviews/{review}", dev))["review"]["situation"]
            text = office.got("/slack")[-1]["text"]
            assert found["sentence"] in text
            assert f"Next: {found['next_step']}" in text
            if said is CHANGES:
                assert CHANGES["feedback"]["concerns"][0] in text
                code = {"artifacts": WORK["artifacts"] | {"code": "export const valid = 2\n"}}
                again = await web.tool("request_re_review", dev, reviewId=review, changes_made="Fixed.", **code)
                assert again.data["success"]


@played
async def test_a_human_is_sent_the_question_that_every_surface_says() -> None:
    """U-56: the words of an escalation."""
    web, dev, _, review = await asked()
    async with post_office(web, human=(DISCORD,)) as office:
        await web.tool("escalate_review", dev, reviewId=review, reason="Two of us see it differently")
        await office.delivery.once()
        (sent,) = office.got("/discord")
        found = (await web.found(f"{BASE}/reviews/{review}", dev))["review"]["situation"]
        assert "A human must decide: " in sent["content"]
        assert "Two of us see it differently" in sent["content"]
        assert "Two of us see it differently" in found["sentence"]
