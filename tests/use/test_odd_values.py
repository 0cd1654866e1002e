"""Values that no text or percentage can hold are refused with a problem document, at both doors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.use.served import DOORS, Served, served

HALF = "half \ud83d of a character"


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("odd-values"), "server") as found:
        found.account("dev", "core_developer")
        found.account("aud", "auditor")
        yield found


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="server")
def test_half_a_character_is_refused(up: Served, door: str) -> None:
    """U-42: the refusal names the field and repeats nothing that would be refused again."""
    dev = up.callers["dev"].at(door)
    no = dev.call("open_review", kind="script", title=HALF, files=[{"path": "a.py", "text": "x = 1\n"}])
    assert not no.is_ok
    assert "half" in no.text.lower(), no.text
    misfit = dev.call("open_review", kind="script", title="A title", files=[HALF], note=HALF)
    assert not misfit.is_ok
    assert "files" in misfit.text or "half" in misfit.text.lower(), misfit.text


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("confidence", [-1.7976931348623157e308, 1.7976931348623157e308, 1e7])
@pytest.mark.door("http", "mcp", policy="server")
def test_a_confidence_beyond_all_measure_is_refused(up: Served, door: str, confidence: float) -> None:
    """001-36: the confidence of a report is a percentage, in whichever form it is sent."""
    dev, aud = up.callers["dev"].at(door), up.callers["aud"].at(door)
    work = {"type": "create_core", "title": "A core", "artifacts": {"code": f"x = {confidence!r}  # {door}\n"}}
    review = dev.call("request_review", **work)["id"]
    assert aud.call("get_review", reviewId=review).is_ok
    feedback = {"overall": "Read all of it.", "concerns": []}
    no = aud.call("submit_review", reviewId=review, status="APPROVED", confidence=confidence, feedback=feedback)
    assert no.code == "bad_value", no.text
    assert "confidence" in no.text
