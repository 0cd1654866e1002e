"""The page for those who come from other review systems names the calls that are there, and all of them."""

import re

from foureyes.http.routes import OTHERS
from foureyes.http.seed_routes import SEED_WAYS
from tests.shape import ROOT

PAGE = (ROOT / "docs" / "howto" / "keep-your-calls.md").read_text(encoding="utf-8")
SESSIONS, PEER = "/api/v1/sessions/{}", "/api/v1/peer/"


def plain(path: str) -> str:
    """A path without the names of what stands in it."""
    return re.sub(r"\{\w+\}", "{}", path)


def test_every_path_on_the_page_is_served_and_every_seeds_path_is_on_it() -> None:
    ways = (*SEED_WAYS.values(), OTHERS["old_validation"])
    served = {(way.method, plain(path)) for way in ways for path in way.paths}
    told = {(method, plain(path)) for method, path in re.findall(r"`(GET|POST) (/[^`?]*)`", PAGE)}
    told |= {("POST", path) for path in re.findall(r"`(/\w+)`", PAGE)}
    below = {(method, path.removeprefix(SESSIONS)) for method, path in served if path.startswith(SESSIONS)}
    assert told <= served | below
    named = {(method, path) for method, path in served if path.startswith(PEER) and f"`{path[len(PEER) :]}`" in PAGE}
    silent = {one for one in served - named - told if not one[1].startswith(SESSIONS)}
    assert silent <= {("GET", "/seldon/validate/{}")}
    assert {path for method, path in below if (method, path) not in told} <= {""}
