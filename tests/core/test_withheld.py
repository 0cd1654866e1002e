"""A reviewer who was not served a file of a version may object to it, but not vouch for it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from foureyes.core import commands as c
from foureyes.core.refusals import Code, Refusal
from tests.cast import ANN, AUDITOR, BOB, CHECKED, Play, finding
from tests.core.test_settle import verified, verify


def test_a_report_that_speaks_for_the_work_needs_every_file() -> None:
    """U-04: a yes, and a report without any doubt; an objection is taken."""
    play = Play()
    play.open()
    play.know(withheld="big.js")
    with pytest.raises(Refusal, match=r"You were not given big\.js") as caught:
        play.report(ANN, evidence=CHECKED)
    assert caught.value.code is Code.UNREAD
    assert "a human" in caught.value.next_step
    play.report(BOB, findings=(finding("a gap"),))
    assert [one.raiser for one in play.review.findings.values()] == ["bob"]


def test_nobody_lifts_a_finding_or_stands_by_a_report_without_every_file() -> None:
    """U-04: settling the last finding and keeping a report vouch as a report does."""
    play = Play()
    play.open()
    play.report(ANN, evidence=CHECKED)
    play.report(BOB, findings=(finding("a gap"),))
    play.revise("d2", answers=(c.Answer(finding="resolve.2-F1", text="filled"),))
    play.know(withheld="big.js")
    settles = c.SettleFinding(finding="resolve.2-F1", revision=2, resolved=True, note="ok")
    assert play.refused(BOB, settles) is Code.UNREAD
    assert play.refused(ANN, c.KeepReport(seat="resolve.1", revision=2)) is Code.UNREAD
    both = c.SubmitReport(
        revision=2,
        findings=(finding("another gap"),),
        settled=(c.Settlement(finding="resolve.2-F1", resolved=True, note="ok"),),
    )
    assert play.refused(BOB, both) is Code.UNREAD
    play.do(BOB, c.SettleFinding(finding="resolve.2-F1", revision=2, resolved=False, note="it is still there"))


def test_a_verifier_refutes_nothing_without_every_file() -> None:
    """U-04, D-11: what is confirmed holds without, for it stops the work."""
    play = verified()
    play.know(withheld="big.js")
    assert play.refused(AUDITOR, replace(verify("shaped.1-F1"), result="refuted")) is Code.UNREAD
    play.do(AUDITOR, verify("shaped.1-F1"))
