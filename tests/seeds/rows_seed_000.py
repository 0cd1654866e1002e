"""Rows of seed 000, feedback-first critical review."""

from tests.seeds.shapes import Row

SEED_000 = (
    Row("000-01", "Submitted work is in review at once and never counts as live before the gate clears it."),
    Row("000-02", "The resolve style has no verdicts: a report is a set of findings, and a verdict in it is refused."),
    Row("000-03", "One report may raise many findings; each has its own id, standing and history."),
    Row("000-04", "A report without findings is refused unless it states what was checked and why it holds up."),
    Row("000-05", "The author's answer, a revision or a rebuttal, moves a finding from open to answered."),
    Row("000-06", "Only the author may answer a finding; anyone else is refused."),
    Row("000-07", "Only the reviewer who raised a finding may confirm it as resolved or say it is not."),
    Row("000-08", "Unresolved opens the finding again, counts one cycle more and keeps the earlier answers."),
    Row("000-09", "Resolving stores when and with which note; both are empty before."),
    Row("000-10", 'Fewer than 2 reviewers: shut, with the sentence "Need 2 reviewers, have {n}", for every kind.'),
    Row("000-11", 'Any open or answered finding: shut, with the sentence "{n} feedback items unresolved".'),
    Row("000-12", 'Enough reviewers and nothing unresolved: open, "All feedback resolved by all reviewers".'),
    Row("000-13", "The missing reviewers are reported before the unresolved findings."),
    Row("000-14", "A reviewer cannot read others' findings on a work until the own report is in."),
    Row("000-15", "Categories: causal_gap, scientific_issue, actor_vagueness, timeline, internal_consistency, other."),
    Row("000-16", "Severities are critical, important, minor, and in the resolve style each of them gates."),
    Row("000-17", "A finding is open, answered (addressed), resolved or disputed; no other moves than the flow's."),
    Row("000-18", "proposal, aspect, dweller_proposal and story pass the same gate; stories not after the fact."),
    Row("000-19", "A reviewer who has reported may raise new findings after a revision."),
    Row("000-20", "The resolve style has no reject; the author may withdraw, which ends the review."),
    Row("000-21", "A critical finding still unresolved after 3 answers shelves the work."),
    Row("000-22", "The paths /review/… and /feedback/… exist."),
    Row(
        "000-23",
        "Moving in from the old tables: work under validation is moved, old endpoints are deprecated.",
    ),
    Row("000-24", "Reputation and dispute trials are out of scope: a track record changes nothing in this gate."),
)
