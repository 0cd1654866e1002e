"""The HTTP reference equals the registry; it must be regenerated when a call is added."""

import json

from foureyes.app.calls.registry import CALLS
from foureyes.http.routes import OTHERS
from tools import http_reference


def test_the_page_and_the_description_are_what_the_registry_says() -> None:
    """`python -m tools.http_reference` regenerates them."""
    assert http_reference.PAGE.read_text(encoding="utf-8") == http_reference.page()
    assert http_reference.DESCRIPTION.read_text(encoding="utf-8") == http_reference.description()


def test_the_description_has_every_call_and_each_of_its_references_leads_somewhere() -> None:
    found = json.loads(http_reference.description())
    named = [one["operationId"] for path in found["paths"].values() for one in path.values()]
    assert len(set(named)) == len(named)
    assert {*CALLS, *OTHERS} <= set(named)
    text = http_reference.description()
    for name in {one.split('"')[0] for one in text.split('"#/components/schemas/')[1:]}:
        assert name in found["components"]["schemas"]
    page = http_reference.page()
    assert all(f"### {name}\n" in page for name in CALLS)
