"""Rows of seed 004, panels of models."""

from tests.seeds.shapes import Row

SEED_004 = (
    Row("004-01", 'max_fix_iterations is 2 by default; outside 1-5: "max_fix_iterations must be 1-5".'),
    Row(
        "004-02",
        'fix_timeout_turns is 10 by default; outside 5-30: "fix_timeout_turns must be 5-30"; exceeded: escalated.',
    ),
    Row("004-03", "A passing panel review clears the task."),
    Row("004-04", "Only minor findings: cleared with notes, not blocked."),
    Row("004-05", 'The fix message: "Fix attempt {i}/{max}: …" with file and line, to the author.'),
    Row("004-06", '"Task {N} failed review after {max} fix attempts. …"; dependent tasks do not start.'),
    Row("004-07", 'Statuses review-fix-{N} and escalated; fix iterations shown as 0, 1, "2 (max)".'),
    Row(
        "004-08",
        "Memory files: MEMORY.md index, one file per review, one per service and reviewer type.",
        area="learning",
    ),
    Row(
        "004-09",
        "A pattern keeps frequency, last seen, severity and an example with file and line.",
        area="learning",
    ),
    Row("004-10", "Free-text rules per service are read at the start.", area="learning"),
    Row("004-11", "A dismissed finding becomes a false positive: its pattern and why it is not an issue."),
    Row(
        "004-12",
        "At the start the service's memory is read: known issues first, known false positives avoided.",
        area="learning",
    ),
    Row(
        "004-13",
        "Seen again: frequency + 1 and last seen; new: a row; the index counts one review more.",
        area="learning",
    ),
    Row("004-14", "A pattern not seen for 30 days is archived.", area="learning"),
    Row("004-15", "Round 1 asks spec A, spec B, quality A and quality B together."),
    Row("004-16", "If spec fails, the quality results are discarded."),
    Row("004-17", "Later rounds ask spec first, quality only after it passes."),
    Row("004-18", "A single strategy has two seats: one spec, one quality."),
    Row("004-19", "Findings merge into four groups: agreed, A only, B only, contradictions."),
    Row("004-20", "Both pass with no finding: confidence 1.0, approved automatically."),
    Row("004-21", "Both pass with minor findings: 0.85, approved automatically with notes."),
    Row("004-22", "Both fail on an agreed critical: 0.9, rejected automatically into the fix loop."),
    Row("004-23", "One passes, one fails: 0.4, a human decides."),
    Row("004-24", "Both fail on different findings: 0.6, a human decides."),
    Row("004-25", "A critical of the stronger model alone: 0.7, a human decides."),
    Row("004-26", "Spec is judged first, then quality; agreed critical rejects, all clean approves, else a human."),
    Row("004-27", "speculative_quality, auto_approve, auto_reject are separate switches; off means a human decides."),
    Row(
        "004-28",
        "Report: strategy, confidence with label and reason, automatic decision, how to override, two tables.",
    ),
    Row("004-29", "strategy, parallel_models and single_model keep their meaning and defaults."),
    Row(
        "004-30",
        "An analytics entry has every field from date to findings with resolution and false_positive.",
        area="learning",
    ),
    Row("004-31", "Analytics are written after merge, fix loop and override; the summary each time.", area="learning"),
    Row(
        "004-32",
        "Summary: totals, decisions, average fixes, hits and misses per model, issues per service.",
        area="learning",
    ),
    Row(
        "004-33",
        "Hints: a model with many false positives, too many fixes, a service's common issues.",
        area="learning",
    ),
    Row("004-34", "The progress command shows the summary when there is data.", area="learning"),
    Row(
        "004-35",
        "A human's override teaches: approved despite findings is a false positive, rejected despite pass a common "
        "issue.",
        area="learning",
    ),
)
