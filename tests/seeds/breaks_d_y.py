"""The edits that disable the rules beyond the seeds, and those of the later decisions Y."""

from tests.seeds.shapes import Break

DRAFTS = "core/drafts.py"
HUMAN = "core/answers/human.py"


def _one(file: str, old: str, new: str) -> tuple[Break, ...]:
    return (Break(file=file, old=old, new=new),)


BREAKS_D_Y: dict[str, tuple[Break, ...]] = {
    "D-01": _one(
        DRAFTS, "if stage.options.late_is_advisory and is_late(review, seat, actor, draft.place):", "if False:"
    ),
    "D-02": _one("core/answers/author.py", "or change not in stage.options.keeps or", "or"),
    "D-03": _one(
        "core/evolve/reports.py",
        "failures=put(review.failures, key, review.failures.get(key, 0) + 1),",
        "failures=review.failures, resubmissions=review.resubmissions + 1,",
    ),
    "D-05": _one("core/independence.py", "return bool(one) and bool(other) and", "return"),
    "D-08": _one("core/explain.py", "judged = judge_stage(review, stage)", "judged = judge_stage(review, stages[0])"),
    "D-10": _one(
        "core/lessons.py",
        "return known == (fingerprint, dismissal_key(context_hash))",
        "return suppression.fingerprint == fingerprint",
    ),
    "D-11": _one("core/model.py", " or self.verification is Verification.REFUTED", ""),
    "D-15": _one("core/claims.py", "unread = command.coverage < _coverage_needed(stage)", "unread = False"),
    "D-17": _one("core/gates/evidence.py", "        if owes:\n", "        if not seats:\n"),
    "D-20": _one(DRAFTS, "elif known and _is_repeat(", "elif known and not known.text and _is_repeat("),
    "D-22": (
        Break(
            file="app/verify_stream.py",
            old="if self.link is not None and link_of(self.link, one) != one.chain:",
            new="if False:",
        ),
        Break(file="app/verify_stream.py", old="            if mark.chain == one.chain:", new="            if True:"),
    ),
    "D-23": _one(
        "core/gates/agreement.py",
        "owes = missing(review, stage)",
        "owes = () if review.reports_in(stage.name) else missing(review, stage)",
    ),
    "D-24": _one(HUMAN, "wanted = {normal(vote.by): vote.option", "wanted = {vote.by: vote.option"),
    "Y13": _one("core/scene.py", "min(caps, default=0)", "max(caps, default=0)"),
    "Y14": _one("core/gates/agreement.py", "if not self.final:", "if self.stages == () and not self.final:"),
    "Y15": _one(
        "core/claims.py",
        "own = scene.review.blocking_of(seat.id, stage.options.blocking)",
        "own = [one for one in scene.review.findings.values() if one.blocks(stage.options.blocking)]",
    ),
    "Y16": _one(
        "core/gates/majority.py",
        "if 2 * (len(self.chain) - len(lost)) > len(self.chain):",
        "if len(self.chain) > len(lost):",
    ),
    "Y17": _one("core/answers/seats.py", "seat.reviewer.name != actor.name:", "actor.name in ():"),
    "Y18": _one("core/answers/author.py", "if stage is None or seat.veto or", "if stage is None or"),
    "Y19": _one(
        "core/answers/author.py",
        "protocols=(*review.protocols, *(one for one in required if one not in review.protocols)),",
        "protocols=required,",
    ),
    "Y20": _one("core/decide.py", "stricter=policy.applies_in_flight)", "stricter=False)"),
    "Y21": _one("core/answers/author.py", "if command.digest in facts.vetoes:", "if not command.digest:"),
    "Y22": _one("core/sessions.py", "bool(session.paused_by) or reviews_waiting", "bool(session.paused_by)"),
    "Y23": (
        Break(file="app/work.py", old='"mode": one.mode, ', new=""),
        Break(file="app/deciding.py", old='GIT_TREE + tree if tree else ""', new='"" if tree else ""'),
    ),
    "Y24": _one(
        "core/settle.py",
        "_level(scene, reviewers, _needed(assessment)) if",
        "_level(scene, reviewers, 1) if",
    ),
    "Y25": _one("core/live.py", "if uses and clearance.single_use:", "if uses and clearance.single_use is None:"),
}
