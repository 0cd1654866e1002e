"""The messages of seed 004 before each fix and after the last reach implementers and humans."""

from __future__ import annotations

from foureyes.http.routes import BASE
from tests.app.house import played
from tests.http.test_seed_004 import MD5, begun, say
from tests.notify.post_office import DISCORD, SLACK, post_office


@played
async def test_each_fix_is_told_to_the_implementer_and_the_last_failure_to_a_human() -> None:
    """004-05, 004-06: the seed's two messages."""
    web, dev, models, review = await begun(auto_reject=True)
    async with post_office(web, author=(SLACK,), human=(DISCORD,)) as office:
        for number in range(3):
            for who in models.values():
                await say(web, who, review, "spec", MD5)
            await office.delivery.once()
            if number < 2:
                files = [{"path": "auth.py", "text": f"md5 {number}\n" * 20}]
                await web.done(f"{BASE}/reviews/{review}/revisions", dev, files=files)
        issue = "Password hashed with MD5 (auth.py:10)"
        told = [one["text"].split("\n")[2] for one in office.got("/slack")]
        assert told == [f"Fix attempt {number}/2: {issue}" for number in (1, 2)]
        (asked,) = office.got("/discord")
        failed = f"Task 2 failed review after 2 fix attempts. Remaining issues: {issue}"
        assert asked["content"].split("\n")[2] == failed
