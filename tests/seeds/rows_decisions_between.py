"""Rows of the decisions inside seeds 003 and 004, between the seeds, and about the model."""

from tests.seeds.shapes import Row

DECISIONS_BETWEEN = (
    Row("O1", "No results are no decision; after the timeout the session is paused."),
    Row("O2", "A blocker acts at once; the other rules wait for all or their timeout, and missing is not approved."),
    Row("O3", "The latest verdict of a reviewer counts."),
    Row("O4", "Running on with one concern is for the session; going live needs the concern resolved."),
    Row("O5", "Silence is per session: any agent's signal and a continue reset it; a paused session has none."),
    Row("O6", "A summary over 200 words is accepted and flagged over_limit; issues are never cut."),
    Row("O7", "A reviewer among the targets is refused."),
    Row("O8", "A clarification leads to a new review; a second pause on the same content goes to a human."),
    Row("P1", "auto_approve and auto_reject are off by default."),
    Row("P2", "Each fix attempt is reviewed again; escalated when the review after the last one fails."),
    Row("P3", "A critical of B alone goes to a human, or to the fix loop where policy says so."),
    Row("P4", "Cases outside the table have confidence 0.5 and a human decides."),
    Row("P5", "One minor finding beside two passes is 0.85, not 1.0."),
    Row("P6", "Merged: fails if either fails, passes only if both pass."),
    Row("P7", "Agreed: same file, lines within 3, and same category or similar text, with the reason kept."),
    Row(
        "P8",
        'Contradiction: a finding against "checked, holds" there, opposite fixes, or severities two levels apart.',
    ),
    Row("P9", "Analytics are appended events; the JSON file is an export.", area="learning"),
    Row("P10", "One model alone never approves automatically unless policy allows single approval."),
    Row(
        "P11",
        "Archived from 30 days on, common issues only; false positives are checked anew when their code changed.",
    ),
    Row(
        "P12",
        "A false positive silences important and minor findings, listed as suppressed; never critical or veto scope.",
    ),
    Row("P13", "Turns are reported with the revision; without them the wall clock caps."),
    Row("P14", "Model A and B are the order of the list; B is the stronger."),
    Row(
        "X1",
        "Findings are the truth: approving beside an own blocking one, or asking for changes without any, is refused.",
    ),
    Row("X2", "The quorum is policy, 2 by default, 1 in peer."),
    Row("X3", "The blocking severity is minor in resolve, important elsewhere, and important from round 2."),
    Row("X4", "high, major, moderate, medium become important; low and nit minor; the original word is kept."),
    Row("X5", "One counter of resubmissions per work; of several caps the lowest holds."),
    Row("X6", "Parallel reviewers are blind; a successor sees only the draft; a later layer knows only passed."),
    Row("X7", "No timeout lifts a veto."),
    Row("X8", "Skip and automatic approval are off by default; each bypass records rule, pattern and the human."),
    Row("X9", "The database is the truth; files are exports that can be imported once.", area="learning"),
    Row("X10", "The scenario's confidence decides; a self-reported one may only close or escalate."),
    Row("X11", "A review is open with a turn, cleared, or closed with an outcome; other status words are views."),
    Row("Y1", "Whoever is waited for is named: an open review always has a request with addressee and due time."),
    Row("Y2", "A revision request lapses when its cause is gone; a human's only by a human or a new revision."),
    Row("Y3", "A failed reviewer is asked twice more, then the next, then a human; out of budget a human at once."),
    Row(
        "Y4",
        "Late (place unchanged since that seat's last report) is advisory; never late: first report, veto seat, "
        "program, critical, no place. The round-2 floor spares older findings.",
    ),
    Row(
        "Y5",
        "A finding equal to a settled one is a repeat while its place is unchanged, raised when it changed; equal "
        "to an own answered one reopens that.",
    ),
    Row(
        "Y6",
        "A skip is recorded per revision with rule, pattern and the human who enabled it; a label skips only where "
        "the risk of the bytes allows; never a veto stage; a review without stages never clears.",
    ),
    Row("Y7", "With one concern the session runs and the work waits; a concern without issue becomes a finding."),
    Row(
        "Y8",
        "A rejection is disputed once; shelved or returned work revised; a human may reopen; new bytes need new "
        "clearance.",
    ),
    Row("Y9", "Tie-break seats once per revision, never on a veto stage; counsel counts in no gate."),
    Row(
        "Y10",
        "Rulings pass a step, waive, demand a revision, retry, reject or shelve; opening needs all M of N humans, "
        "closing acts at once, an empty group opens nothing, the author never counts.",
    ),
    Row("Y11", "A human's silence keeps shut, returns or rejects; revise by clock and silence again shelves."),
    Row(
        "Y12",
        "Caps: resubmissions with new bytes count, clarifications do not (a second on the same bytes escalates); "
        "resolve 10 then shelved, session 10 then human; a non-critical finding reopened 3 times goes to a human; 3 "
        "reports per seat and revision.",
    ),
    Row("Y13", "Styles behind each other keep their own options with their stages; the lowest cap holds."),
    Row("Y14", "With automatic approval off a human is asked once, at the last stage."),
    Row("Y15", "Approval is checked against the own seat's findings only; concerns and reject need a ground."),
    Row("Y16", "An outvoted layer passes with a flag while a majority can still approve; its findings are advisory."),
    Row("Y17", "A finding belongs to its seat; an independent successor settles it, else a human."),
    Row("Y18", "Policy may keep a report when what the seat saw is unchanged; never of a veto seat."),
    Row("Y19", "Policy computes the style from the bytes and it only grows; kind, label or chain may only add."),
    Row("Y20", "Reviews under way keep their rules; a policy applied in flight makes both necessary."),
    Row("Y21", "The same bytes are refused everywhere while a veto on them stands."),
    Row("Y22", "A session is paused while a review of it waits for clarification or ruling or a human paused it."),
    Row(
        "Y23",
        "The digest is SHA-256 of the canonical manifest; git tree, base and commit are its aliases.",
    ),
    Row(
        "Y24",
        "Independence compares session, family, provider, operator; unknown is not distinct; the level reached (1 "
        "session, 2 family, 3 operator) is in the clearance; the floor is 1 reviewer who is no contributor.",
    ),
    Row("Y25", "Going live and its refusal are recorded; a clearance may be single-use and expire."),
)
