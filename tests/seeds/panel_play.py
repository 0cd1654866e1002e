"""Play a panel: two models, the spec pass before the quality pass, and the reports of each."""

from foureyes.core import commands, protocols
from foureyes.core.assess import assess
from foureyes.core.judgement import Judgement
from foureyes.core.values import Place, Who
from tests.cast import HAIKU, SONNET, Play, finding, rules_with

MODELS = {"A": HAIKU, "B": SONNET}
SHARED = Place(path="auth.py", start=10, end=12)
#: Findings unique to a model: other files and words for each stage and model.
ALONE = {
    ("spec", "A"): "Pagination ignores deleted rows",
    ("spec", "B"): "Webhook retries forever without backoff",
    ("quality", "A"): "Unbounded cache grows until memory ends",
    ("quality", "B"): "Translation strings concatenated in view",
}
PASSES = ("clean", "minor")
FAILS = ("agreed critical", "agreed important", "own critical", "own important")


def panel(**fields: object) -> Play:
    """A play of a task that a panel with these settings judges."""
    play = Play(rules_with(protocols.panel(**fields)))  # type: ignore[arg-type]
    play.open("task")
    return play


def drafts(stage: str, model: str, said: str) -> tuple[commands.Draft, ...]:
    """The findings of a kind of report."""
    if said == "clean":
        return ()
    severity = said.rsplit(" ", maxsplit=1)[-1]
    if said.startswith("agreed"):
        return (finding("Password hashed with MD5", severity, category="security", place=SHARED),)
    return (finding(ALONE[stage, model], severity, place=Place(path=f"{stage}_{model}.py", start=5, end=5)),)


def hand_in(play: Play, stage: str, model: str, said: str, **fields: object) -> None:
    """Submit one model's report on a stage of the current revision; a pass settles earlier findings."""
    who = MODELS[model]
    verdict = "approve" if said in PASSES else "concerns"
    play.report(
        who,
        **{
            "stage": stage,
            "verdict": verdict,
            "summary": f"{said}, round {play.review.revision}",
            "findings": drafts(stage, model, said),
            "settled": settled(play, stage, who) if verdict == "approve" else (),
            **fields,
        },
    )


def settled(play: Play, stage: str, who: Who) -> tuple[commands.Settlement, ...]:
    """Settlements that resolve every important finding of this model in this stage."""
    own = [one for one in play.review.findings_of(stage) if one.raiser == who.name and not one.is_settled]
    return tuple(commands.Settlement(finding=one.id, resolved=True, note="gone") for one in own if one.severity > 1)


def both(play: Play, stage: str, a: str, b: str) -> None:
    """Both models report on a stage, A first."""
    hand_in(play, stage, "A", a)
    hand_in(play, stage, "B", b)


def judged(play: Play) -> Judgement:
    """The judgement of the agreement gate of the last stage that was judged."""
    last = assess(play.rules, play.review).stages[-1]
    return next(one.judgement for one in last.gates if one.gate == "Agreement")


def decision(play: Play) -> str:
    """The result, in the seed's words."""
    if play.review.outcome is not None:
        return "AUTO_APPROVE" if play.review.outcome == "cleared" else play.review.outcome
    if play.review.ruling() is not None:
        return "PRESENT_TO_HUMAN"
    owed = play.review.revision_request()
    return "AUTO_REJECT_TO_IMPLEMENTER" if owed and not owed.answers else "waiting"
