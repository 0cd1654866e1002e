"""U-43: a review whose agents and models all failed is inconclusive, and says so."""

from pathlib import Path

import pytest

from tests.use.laptop import listening, repository, review

pytestmark = pytest.mark.door("command", policy="solo")

MODEL = "anthropic:claude-sonnet-5-5"


def test_a_review_whose_models_all_failed_ends_with_4(tmp_path: Path) -> None:
    """U-43: a script cannot take it for cleared, and the headline names who failed."""
    work = repository(tmp_path / "work")
    with listening() as endpoint:
        keys = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": endpoint.url}
        ran = review(work, "--yes-send", MODEL, **keys)
    assert endpoint.came, ran.stdout + ran.stderr
    assert ran.returncode == 4, ran.stdout
    headline = " ".join(ran.stdout.split())
    assert "every agent and model that was asked failed" in headline
    assert MODEL in headline


def test_a_review_that_asked_no_model_ends_as_before(tmp_path: Path) -> None:
    """U-43: programs alone are no failure, and no approval either."""
    ran = review(repository(tmp_path / "work"))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "this is not an approval" in " ".join(ran.stdout.split())
