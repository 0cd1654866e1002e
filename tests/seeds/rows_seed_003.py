"""Rows of seed 003, event-driven review."""

from tests.seeds.shapes import Row

SEED_003 = (
    Row("003-01", "A milestone signal starts a review cycle."),
    Row("003-02", "A blocker signal starts a review cycle."),
    Row("003-03", "A request_review signal starts a review cycle."),
    Row("003-04", "A person starts a cycle by button or /review."),
    Row("003-05", "No signal from any agent for 15 minutes starts a cycle."),
    Row("003-06", "review_request schema: reviewer, targets, context summaries, focus_areas, max_words 200."),
    Row("003-07", "review_result schema: reviewer, timestamp, payload with verdict, summary and issues."),
    Row("003-08", "Rule 1: any blocker stops, pauses the session and asks a human at once."),
    Row("003-09", "Rule 2: two or more concerns pause the session and ask the agents to clarify."),
    Row("003-10", "Rule 3: exactly one concern is logged, the session goes on flagged."),
    Row("003-11", "Rule 4: all approved, the session goes on and its 15-minute timer starts again."),
    Row("003-12", "The same results in any order give the same action; the rules are tried 1, 2, 3, 4."),
    Row("003-13", "Flagged concerns are on the issues list and never lost."),
    Row("003-14", "Reviews come from events; the silence fallback is the only timer that starts one."),
)
