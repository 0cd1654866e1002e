"""A new user finds the next step on each page, also while there is no data."""

from __future__ import annotations

from foureyes.http.routes import BASE
from tests.app.house import played
from tests.web.browser import Site
from tests.web.test_pages import concerned, opened


@played
async def test_the_first_page_leads_to_where_an_agent_is_enrolled_until_there_is_a_review() -> None:
    site = Site()
    human = await site.browser()
    page = await human.open("/")
    assert "There is none yet" in page.text
    assert "Enrol an agent" in page.text
    await opened(site)
    assert "Enrol an agent" not in (await human.open("/")).text
    assert "There is none." in (await human.open("/?state=rejected")).text


@played
async def test_a_review_that_is_not_there_is_nothing_to_show_and_leads_back() -> None:
    site = Site()
    page = await (await site.browser()).open("/reviews/none")
    assert page.status == 404
    assert "Nothing to show" in page.text
    assert "Not done" not in page.text
    assert "Take its id from inbox" in page.text
    main = page.elements[page.elements.index(("h1", {})) :]
    assert ("a", {"href": "/"}) in main


@played
async def test_the_record_says_in_words_who_asked_whom_and_who_decided_what() -> None:
    site = Site()
    human = await site.browser()
    dev, review = await opened(site)
    await concerned(site, review)
    await site.post(f"{BASE}/reviews/{review}/escalations", dev, reason="We cannot agree.", argument="It is fine.")
    record = (await human.open(f"/reviews/{review}/record")).text
    for words in ("asks for a review", "asks codex for a report in solo", "decides: concerns", "for a ruling"):
        assert words in record, (words, record)


@played
async def test_a_file_has_as_many_lines_on_the_page_as_it_has() -> None:
    site = Site()
    human = await site.browser()
    _, review = await opened(site, files=[{"path": "two.txt", "text": "one\n\n"}, {"path": "none.txt", "text": ""}])
    work = (await human.open(f"/reviews/{review}/work")).text
    assert "    1  one\n    2  " in work
    assert "    3" not in work
