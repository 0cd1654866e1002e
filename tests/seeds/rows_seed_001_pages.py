"""Rows of seed 001 about pages, learning, escalation and failures."""

from tests.seeds.shapes import Row

SEED_001_PAGES = (
    Row("001-43", "Request schema: artifacts with any key, complexity low/medium/high, 8 types, 8 roles."),
    Row("001-44", "Metrics schema: as_creator, as_reviewer and by_type with their fields."),
    Row(
        "001-45",
        "Exported tree: reviews by state and date, metrics daily, weekly and patterns, README.",
        area="dashboard",
    ),
    Row(
        "001-46",
        "Page of an open review: parties, times, artifacts, questions, checklist, timeline, actions.",
        area="dashboard",
    ),
    Row(
        "001-47",
        "Page of a finished review: summary, answers, checklist, decision, next steps, three times.",
        area="dashboard",
    ),
    Row(
        "001-48",
        "Page of an escalation: both positions, stakes, options with time, risk, pros and cons, deadline.",
        area="dashboard",
    ),
    Row(
        "001-49",
        "A recommendation comes from the human's past rulings: option, confidence and why.",
        area="learning",
    ),
    Row(
        "001-50",
        "Checks under criteria: at least 5 tests, name core-xxx, file sizes, 1 integration test, 2 options with "
        "pros and cons.",
    ),
    Row("001-51", "idea_refiner is reviewed by architect, backup optimizer, then a human."),
    Row("001-52", "Roles have profiles (focus, expertise, typical feedback) that reach the reviewer."),
    Row("001-53", "A success is an approval with confidence of at least 80; every attempt is counted."),
    Row("001-54", "Eligible: 10 successes, average 0.9 and no failure in the last 30 days."),
    Row(
        "001-55",
        "A skip is suggested once per pattern, to a human, with reviews, average and minutes saved.",
        area="learning",
    ),
    Row("001-56", "Only a human enables a skip; who and when are recorded."),
    Row("001-57", 'Last review more than 7 days ago: reviewed anyway, "Pattern check: reviewing after 7 day gap".'),
    Row("001-58", 'A skip gives its reason: "Auto-skip: {n} successful reviews, {p}% avg confidence".'),
    Row("001-59", "Trust moves by +0.05 up to 1.0 and by -0.15 down to 0.0."),
    Row("001-60", "A skip goes off below trust 0.8 and a human is told: 0.82 falls to 0.67 by one failure."),
    Row("001-61", "Only author or reviewer may ask for a ruling, and must give a reason."),
    Row(
        "001-62",
        "A disagreement is logged with its context, recommended on, escalated, waits 48 h, applied and learned from.",
    ),
    Row("001-63", "No human answer in 48 h: the reviewer's position stands, a human may override later."),
    Row("001-64", "A human's ruling is final for that review and kept as an example."),
    Row(
        "001-65",
        "Targets: times, first-pass rate, revisions, confidence, coverage, skips, escalations, skip errors.",
        area="dashboard",
    ),
    Row(
        "001-66",
        "Weekly report: overview, by type, author and reviewer, patterns, escalations, trends, advice.",
        area="dashboard",
    ),
    Row(
        "001-67",
        "Quality of reviewers: accuracy, efficiency, confidence against outcome, audits of skips.",
        area="learning",
    ),
    Row("001-68", "A busy reviewer's work goes to the backup, then waits up to 15 min, then to a human."),
    Row("001-69", "An author silent for 24 h after a result: a human is asked."),
    Row("001-70", 'Author and reviewer both below 60: a human, a third reviewer and "needs research".'),
    Row("001-71", "A re-review against what the seat settled: asked once to clarify, then escalated."),
    Row("001-72", "Not started: reminded after 30 min, 15 min later given to the backup, and recorded."),
    Row("001-73", "The 4th revision is an escalation: revising does not go on for ever."),
    Row("001-74", "A policy changed under way: the review ends by its own rules and the change is noted."),
    Row("001-75", "A bug in skipped work: skip off at once, trust -0.30, 10 new successes needed, lesson kept."),
    Row("001-76", "Database down: requests are spooled, replayed on return, and none is lost."),
    Row("001-77", "After a server crash queued requests are processed and running ones resumed."),
    Row("001-78", "A reviewer silent for 60 min is replaced by the backup, who sees the draft."),
    Row("001-79", "An abandoned escalation ends as one without a human answer: the reviewer's position stands."),
    Row("001-80", "Work changed under review: a report on the old version cannot clear the new one."),
    Row("001-81", "Corrupt learning data is detected and recomputed from history; skips are off meanwhile."),
    Row("001-82", "Ten requests at once all succeed; a simulated review takes less than 30 minutes."),
    Row("001-83", "End to end: request, changes, re-review 1, approved with one revision, live, success counted."),
)
