"""The record is complete: invariants I21 to I23."""

from __future__ import annotations

from collections.abc import Iterator

from tests.sim.checker.shapes import Delivered, Json
from tests.sim.checker.world import World

Texts = Iterator[str]


def i21_state_is_the_fold_of_the_log(kept: str, folded: str) -> Texts:
    """The state kept step by step equals the one folded from the decoded log."""
    if kept != folded:
        at = next((i for i, (a, b) in enumerate(zip(kept, folded, strict=False)) if a != b), -1)
        yield f"kept …{kept[max(0, at - 40) : at + 40]}…, folded …{folded[max(0, at - 40) : at + 40]}…"


def s2_a_review_is_opened_once(world: World, stream: str) -> Texts:
    """A review is not overwritten by another one of the same name."""
    if stream in world.reviews:
        yield f"{stream} was opened again"


def i22_versions_have_no_gap(world: World, envelope: Json) -> Texts:
    expected = world.versions.get(envelope["stream"], 0) + 1
    if envelope["version"] != expected:
        yield f"{envelope['stream']} goes from version {expected - 1} to {envelope['version']}"


def i22_one_append_per_acknowledged_command(world: World, step: Delivered) -> Texts:
    """The same key and body give the same reply, the same key and another body an error."""
    known = world.replies.get((step.principal["name"], step.key))
    if known is None:
        if step.accepted and not step.envelopes:
            yield f"{step.command} was acknowledged and nothing was appended"
        if any(one["key"] != step.key for one in step.envelopes):
            yield f"{step.command} was appended under another key"
        return
    body, reply = known
    if step.envelopes:
        yield f"{step.command} under the known key {step.key} was appended again"
    if body == step.body and reply != step.reply:
        yield f"{step.command} was answered {reply!r}, then {step.reply!r}"
    if body != step.body and step.accepted:
        yield f"key {step.key} was taken for two different commands"


def i23_a_refusal_changes_nothing(step: Delivered) -> Texts:
    if not step.accepted and (step.envelopes or step.log_before != step.log_after or not step.same_state):
        yield f"{step.command} was refused ({step.reply}) and left a trace"
