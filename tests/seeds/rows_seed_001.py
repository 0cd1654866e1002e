"""Rows of seed 001, agent peer review, up to its tools."""

from tests.seeds.shapes import Row

SEED_001 = (
    Row("001-01", "The reviewer is never the author."),
    Row("001-02", "request_review returns at once with id, reviewer, pending and estimated_completion."),
    Row(
        "001-03",
        "Shown goals: under 30 min on average, 90 % without a human, all required work reviewed, 70 % fewer bugs.",
        area="dashboard",
    ),
    Row("001-04", "fix_typo, update_formatting, add_comment, update_readme need no review, and the reason is given."),
    Row("001-05", "Every request, decision, skip and override is a row with who, when and why."),
    Row(
        "001-06", "Statuses: pending, in_progress, pending_re_review, approved, changes_requested, rejected, escalated."
    ),
    Row(
        "001-07",
        "The stored review has type, parties, artifacts, questions, checklist, confidence 0-100, times, "
        "revision_count from 0.",
    ),
    Row("001-08", "Each re-review keeps its number, what was asked for and what was changed."),
    Row("001-09", "One metrics row per date, type, author and reviewer, with counts and averages."),
    Row("001-10", "One track record per kind of work and author."),
    Row(
        "001-11",
        "The author's basic checks (syntax_valid, has_metadata, has_export) come before the request.",
    ),
    Row("001-12", "With reviews switched off nothing needs one, and the reason says so; the default is on."),
    Row(
        "001-13",
        "These need review: create_core, create_app, architecture_decision, major_refactor, breaking_change, "
        "security_change, database_migration, api_endpoint_change.",
    ),
    Row("001-14", "Aggressive autonomy skips review, except for security_change and breaking_change."),
    Row("001-15", "A learned skip needs a pattern, confidence of at least 0.9 and at least 10 successes."),
    Row(
        "001-16",
        "Reviewer, backup, escalation: architect optimizer/auditor/human; core_developer auditor/tester/architect; "
        "app_developer architect/core_developer/human; optimizer architect/auditor/human; tester "
        "core_developer/auditor/architect.",
    ),
    Row("001-17", "Each entry of the reviewer matrix carries its reasons in words."),
    Row(
        "001-18",
        "Criteria, required + optional: create_core 8+3, create_app 5+2, architecture_decision 5+2, major_refactor "
        "4+1.",
    ),
    Row("001-19", "To approve: every required criterion passed, confidence at least 80, no critical finding."),
    Row("001-20", "Changes are due with a critical finding, a failed required criterion or confidence below 60."),
    Row(
        "001-21",
        "To reject takes a named ground: fundamental flaw, would break the system, critical security risk, better "
        "to start over.",
    ),
    Row(
        "001-22",
        "Escalates: a disputed rejection, more than 3 cycles, more than 2 hours, author more than 40 surer than the "
        "reviewer.",
    ),
    Row(
        "001-23",
        "Escalates: security or breaking change below 90 sure; an architecture decision with several valid options.",
    ),
    Row("001-24", "A human has 48 hours for a ruling."),
    Row("001-25", "Limits: target 15 min, at most 30, 3 parallel and 5 queued per reviewer, default timeout 30 min."),
    Row("001-26", "Learning: 10 successes, average 0.9, 30 days back, +0.05 and -0.15, suggested after 7 days."),
    Row(
        "001-27",
        "Told: author of the outcome, reviewer of requests and revisions, human of escalation, timeout, eligible "
        "pattern.",
    ),
    Row(
        "001-28",
        "Happy path: request, notice, approval at 95, notice, merge to develop, success notice.",
        area="enforcement",
    ),
    Row(
        "001-29",
        "Reference reviewer: critical 40, moderate 60, more than 2 minor 75, each asking for changes; else approved "
        "95.",
    ),
    Row("001-30", "The author's questions are kept; a report answers each of them, pair by pair."),
    Row("001-31", "A re-review has the next number, new bytes and a note; after 3 resubmissions a human is asked."),
    Row("001-32", "A rejected author disputes with an argument, or accepts, which leaves a rejected_approach lesson."),
    Row("001-33", "The merge commit names the reviewer.", area="enforcement"),
    Row("001-34", "check_review_required answers needs_review with a reason, or with reviewer and estimated time."),
    Row("001-35", 'request_review names each bad field in "Invalid review request: …", or answers the pending review.'),
    Row(
        "001-36",
        "submit_review: unknown review and wrong reviewer refused in their sentences; else times, notice, learning.",
    ),
    Row("001-37", "get_review answers the whole review as JSON."),
    Row(
        "001-38",
        "request_re_review: revision row, pending_re_review, artifacts replaced, times cleared, reviewer told.",
    ),
    Row("001-39", "escalate_review: escalated, reason and argument kept, human informed, success answered."),
    Row("001-40", "get_review_metrics answers totals and averages by agent and by type."),
    Row("001-41", 'An unknown tool is answered "Unknown tool: X".'),
    Row("001-42", "The server can present itself as review-server 1.0.0 on stdio."),
)
