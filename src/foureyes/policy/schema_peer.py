"""The keys of the peer style's document, with the names its users know."""

from __future__ import annotations

from decimal import Decimal

from foureyes.policy.shapes import Amount, Choice, Flag, Key, Limit, Name, Names, Number, Part, Shape, Special, Text

ONE = Decimal("1.0")
CREATOR_EVENTS = ("review_approved", "review_changes_requested", "review_rejected")
REVIEWER_EVENTS = ("review_requested", "creator_revised")
HUMAN_EVENTS = ("review_escalated", "review_timeout", "pattern_eligible_for_skip")
PARTIES = ("creator", "reviewer")
FACTS = ("session", "model_family", "provider", "operator")


def _key(name: str, shape: Shape, says: str) -> Key:
    return Key(name=name, shape=shape, says=says)


def _share(default: str) -> Amount:
    return Amount(low=Decimal(0), high=Decimal(1), default=Decimal(default))


PEER_SECTIONS: dict[str, tuple[Key, ...]] = {
    "peer": (
        _key("enabled", Flag(default=True), "In a file of its own: whether reviews are demanded at all."),
        _key("default_timeout_minutes", Number(low=1, high=10_080, default=30), "Not begun: reminded after this."),
        _key("async_reviews", Flag(default=True), "Always true: authors never wait in a call."),
        _key("review_required", Part(section="review_required"), "What must be reviewed, and what may go without."),
        _key("reviewer_matrix", Special(form="creator: primary, backup, escalate, reasons"), "Who reviews whose work."),
        _key("criteria", Special(form="kind: required and optional criteria"), "What a reviewer must and may check."),
        _key("standards", Part(section="standards"), "What an approval takes."),
        _key("escalation", Part(section="escalation"), "When a human is asked."),
        _key(
            "auto_escalate",
            Special(form="a list of the keys of `condition`"),
            "Another form of `escalation.auto_escalate_to_human`: what asks a human, as short formulas.",
        ),
        _key("manual_escalate", Part(section="manual_escalate"), "Who else may ask for a human."),
        _key(
            "human_response_timeout",
            Special(form="`48_hours`", given="48_hours"),
            "Another form of `escalation.human_timeout`.",
        ),
        _key(
            "timeout_action",
            Choice(words=("conservative_default",), default="conservative_default"),
            "Always this: where no human answers nothing is cleared.",
        ),
        _key("performance", Part(section="performance"), "How fast, and how much at once."),
        _key("learning", Part(section="learning"), "The numbers behind the fast lane."),
        _key("notifications", Part(section="notifications"), "Who is told of what."),
        _key("independence", Names(among=FACTS), "In what a reviewer must differ from the author."),
        _key(
            "keeps",
            Names(among=("rebase",)),
            "`rebase`: a report still counts after the same change was made on another known base.",
        ),
        _key("times", Part(section="peer times"), "The times that have no key of their own above."),
        _key("later_severity", Choice(words=("minor", "important"), default=""), "As in the other styles."),
        _key("late_findings", Choice(words=("listed", "blocking"), default=""), "As in the other styles."),
        _key("ruling", Part(section="ruling"), "How many humans, and whose, it takes to let something pass."),
        _key(
            "coverage", Number(low=0, high=100, default=0), "How much of the work, in percent, every report must cover."
        ),
    ),
    "peer times": (
        _key("unassigned_minutes", Number(low=1, high=10_080, default=15), "Nobody free: a human is asked after this."),
        _key(
            "reassign_minutes",
            Number(low=1, high=10_080, default=15),
            "Reminded and still not begun: given to the backup.",
        ),
        _key(
            "silent_minutes",
            Number(low=1, high=10_080, default=60),
            "Begun, then no sign of life: given to the backup.",
        ),
        _key("author_hours", Number(low=1, high=8_760, default=24), "The author is silent: a human is asked."),
    ),
    "review_required": (
        _key("actions", Names(count_max=200), "Kinds of work that must be reviewed in this style."),
        _key(
            "skip_if",
            Special(form="a list of the keys of `skip_if`"),
            "What may go without, where a program proves it harmless.",
        ),
    ),
    "skip_if": (
        _key("autonomy_level", Name(), "An author's autonomy label."),
        _key("except_for", Names(), "Kinds the label does not help."),
        _key("action_type", Name(), "A kind of work."),
        _key("has_auto_skip_pattern", Flag(default=False), "A track record a human has enabled."),
        _key("min_confidence", _share("0.9"), "The record's mean confidence."),
        _key("min_successes", Number(low=1, high=1_000, default=10), "The record's successes."),
    ),
    "matrix row": (
        _key("primary", Name(), "The role asked first."),
        _key("backup", Name(), "The role asked when the first is busy or gone."),
        _key("escalate", Name(default="human"), "The role that breaks a tie, or `human`."),
        _key("reasons", Special(form="a list of sentences"), "Why these."),
        _key("primary_reviewer", Name(), "Another name of `primary`."),
        _key("backup_reviewer", Name(), "Another name of `backup`."),
        _key("escalate_to", Name(default="human"), "Another name of `escalate`."),
        _key(
            "rationale",
            Special(form="a text, or a list of them"),
            "Another name of `reasons`, or of the first of them.",
        ),
        _key(
            "backup_rationale",
            Special(form="a text, or a list of them"),
            "Why the backup; a `rationale` right behind `backup_reviewer` is taken for it.",
        ),
        _key(
            "escalate_when",
            Special(form="a list of sentences"),
            "In words that no program judges: reviewers are given them, and whoever finds one true asks for a human.",
        ),
    ),
    "criteria set": (
        _key("required", Special(form="name: what it means; or name: {description, checks}"), "What must hold."),
        _key("optional", Special(form="name: what it means; or name: {description, checks}"), "What may."),
    ),
    "criterion": (
        _key("description", Text(), "What it means."),
        _key("checks", Special(form="a list of sentences"), "What to look at."),
    ),
    "standards": (
        _key(
            "mode",
            Choice(words=("strict", "advisory"), default="strict"),
            "Whether a failed criterion stops an approval, or is only noted.",
        ),
        _key(
            "second_opinion",
            Flag(default=False),
            "Whether the backup is asked too when a reviewer is merely not sure enough.",
        ),
        _key("approve", Part(section="approve"), "What an approval takes."),
        _key("request_changes", Part(section="request_changes"), "When work goes back."),
        _key("reject", Part(section="reject"), "On which grounds work is rejected."),
    ),
    "approve": (
        _key(
            "min_checklist_pass_rate", Amount(low=ONE, high=ONE, default=ONE), "Always 1.0: every required criterion."
        ),
        _key("min_confidence", Number(low=0, high=100, default=80), "How sure a reviewer must be."),
        _key("max_critical_concerns", Number(low=0, high=0, default=0), "Always 0: a critical finding stops the work."),
    ),
    "request_changes": (
        _key(
            "conditions",
            Special(form='critical_concerns: ">0", checklist_pass_rate: "<1.0", confidence: "<60"'),
            "When work goes back.",
        ),
    ),
    "reject": (
        _key(
            "conditions",
            Special(form="fundamental_flaw, would_break_system, security_risk, better_to_start_over"),
            "The grounds; all of them always hold.",
        ),
    ),
    "escalation": (
        _key(
            "auto_escalate_to_human",
            Special(form="a list of the keys of `trigger`"),
            "What asks a human; what is not listed keeps its number.",
        ),
        _key(
            "human_timeout",
            Limit(low=1, high=8_760, default=48),
            "Hours; then the work goes back to the author, nothing is cleared. `null` only reminds.",
        ),
    ),
    "trigger": (
        _key(
            "reviewer_status",
            Choice(words=("reject",), default="reject"),
            "With `and_creator_disagrees`: a disputed rejection.",
        ),
        _key("and_creator_disagrees", Flag(default=True), "Always true."),
        _key("review_cycles", Special(form='">3"'), "More new versions than this."),
        _key("time_exceeded", Special(form='">2 hours"'), "A review takes longer than this."),
        _key("confidence_gap", Special(form='">40"'), "The author is surer than the reviewer by more than this."),
        _key("review_type", Names(), "With `reviewer_confidence` or `multiple_valid_options`: kinds of work."),
        _key("reviewer_confidence", Special(form='"<90"'), "The reviewer is less sure than this."),
        _key("both_confidence", Special(form='"<60"'), "Author and reviewer are both less sure than this."),
        _key("multiple_valid_options", Flag(default=True), "The reviewer sees several valid ways."),
    ),
    "condition": (
        _key("condition", Text(), "One of the formulas above, each once."),
        _key("and", Text(), "What must hold too, where the formula wants it."),
        _key("reason", Text(), "For readers of the file; who is asked gets the program's own words."),
    ),
    "manual_escalate": (
        _key(
            "allowed_by",
            Names(among=PARTIES, default=PARTIES, count_min=len(PARTIES), count_max=len(PARTIES)),
            "Always both; a human may, too.",
        ),
        _key("requires_reason", Flag(default=True), "Always true."),
    ),
    "performance": (
        _key("target_review_time_minutes", Number(low=1, high=10_080, default=15), "What is shown as in time."),
        _key("max_review_time_minutes", Number(low=1, high=10_080, default=30), "What is shown as late."),
        _key("parallel_reviews_max", Number(low=1, high=100, default=3), "Reviews one reviewer has at once."),
        _key("review_queue_max", Number(low=0, high=1_000, default=5), "Reviews that wait for one reviewer."),
    ),
    "learning": (
        _key("auto_skip_eligibility", Part(section="auto_skip_eligibility"), "When a record is good enough."),
        _key("pattern_confidence_increase_per_success", _share("0.05"), "What a success adds to trust."),
        _key("pattern_confidence_decrease_per_failure", _share("0.15"), "What a failure takes."),
        _key("pattern_confidence_decrease_per_escape", _share("0.3"), "What a defect found later takes."),
        _key("min_pattern_confidence", _share("0.8"), "Below this trust the fast lane ends."),
        _key("suggest_skip_after_eligible_days", Number(low=0, high=365, default=7), "Days until a human is asked."),
        _key(
            "fresh_for_days",
            Number(low=1, high=365, default=7),
            "Days after the last review until the next one is looked at anyway.",
        ),
        _key("enabled_for_days", Number(low=1, high=365, default=30), "Days until a human must say it again."),
        _key("audit_percent", Number(low=1, high=100, default=10), "How many skipped works are reviewed all the same."),
    ),
    "auto_skip_eligibility": (
        _key("min_successful_reviews", Number(low=1, high=1_000, default=10), "Successes in a row."),
        _key("min_confidence_avg", _share("0.9"), "Their mean confidence."),
        _key("lookback_period_days", Number(low=1, high=3_650, default=30), "How far back is looked."),
    ),
    "notifications": (
        _key("notify_creator_on", Names(among=CREATOR_EVENTS, default=CREATOR_EVENTS), "What authors are told."),
        _key("notify_reviewer_on", Names(among=REVIEWER_EVENTS, default=REVIEWER_EVENTS), "What reviewers are told."),
        _key("notify_human_on", Names(among=HUMAN_EVENTS, default=HUMAN_EVENTS), "What humans are told."),
    ),
}
