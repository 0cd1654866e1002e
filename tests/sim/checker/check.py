"""Find the invariants that a step breaks: every event is checked before it is applied, every review after its step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tests.sim.checker import actors, blindness, bounds, findings, going_live, objections, parties, record, stored
from tests.sim.checker.fold import apply
from tests.sim.checker.model import Review
from tests.sim.checker.shapes import Delivered, Json, Policy, Shown, Violation, Work
from tests.sim.checker.world import Activated, World

EventCheck = Callable[[World, Review, Json, Delivered], Iterator[str]]
StepCheck = Callable[[World, Review, Delivered], Iterator[str]]

#: The checks of an event, by its type, with the review as it was before.
ON_EVENT: dict[str, tuple[EventCheck, ...]] = {
    "ReviewOpened": (going_live.i10_the_policy_in_force_governs, actors.i13_the_author_is_who_asked),
    "RevisionSubmitted": (
        going_live.i4_vetoed_bytes_enter_nowhere,
        objections.u03_objected_bytes_enter_nowhere,
        going_live.i5_required_protocols_are_named,
        going_live.t38_no_base_is_the_authors_word,
        actors.i14_only_the_owner_revises,
        bounds.i27_the_server_counts_revisions,
        bounds.y10_no_revision_while_a_ruling_is_pending,
        bounds.y12_clarifications_are_asked_for,
    ),
    "ReportRequested": (
        going_live.i5_seats_keep_their_veto,
        actors.i17_nobody_with_a_hand_in_it_is_drawn,
        bounds.i28_nobody_is_overloaded,
        bounds.y1_requests_have_their_own_names,
        parties.t42_no_party_judges_itself,
    ),
    "RevisionRequested": (bounds.y1_requests_have_their_own_names,),
    "RulingRequested": (bounds.y1_requests_have_their_own_names,),
    "SeatTaken": (actors.i14_seats_go_to_other_eyes, parties.t42_no_party_judges_itself),
    "SeatRenewed": (actors.i14_only_the_holder_stays_or_leaves,),
    "SeatLeft": (actors.i14_only_the_holder_stays_or_leaves,),
    "ReportSubmitted": (
        going_live.i9_only_known_words_are_reports,
        actors.i14_only_the_eligible_report,
        parties.t42_no_party_judges_itself,
        actors.i15_one_voice_per_stage,
        actors.i16_a_report_names_these_bytes,
        bounds.i27_reports_and_failures_are_capped,
        findings.y15_approval_beside_an_own_blocking_finding,
        findings.u04_an_approval_says_what_was_checked,
    ),
    "ReportKept": (going_live.i9_only_a_real_report_is_kept,),
    "FindingRaised": (
        findings.s2_findings_count_per_seat,
        findings.u06_places_exist,
        findings.y4_advisory_only_for_a_reason,
        findings.p12_suppressed_only_by_a_human,
    ),
    "FindingAnswered": (actors.i14_only_the_owner_answers, findings.a1_only_an_unsettled_finding_is_answered),
    "FindingResolved": (actors.i14_only_the_holder_settles,),
    "FindingReopened": (actors.i14_only_the_holder_settles,),
    "FindingVerified": (actors.i14_only_a_verifying_seat_verifies,),
    "FindingWaived": (actors.i14_only_a_human_waives,),
    "StageOverridden": (going_live.i6_only_a_human_lifts_a_veto, actors.y10_nobody_overrides_for_themselves),
    "StagesSkipped": (going_live.i11_a_skip_has_its_human_and_no_veto,),
    "RulingGiven": (
        going_live.i8_a_clock_only_keeps_shut,
        actors.i13_rulings_name_who_ruled,
        actors.y10_opening_needs_enough_people,
    ),
    "RequestLapsed": (bounds.y2_an_order_lapses_only_by_a_human,),
    "DeadlinePassed": (bounds.i29_deadlines_pass_once_and_not_early,),
    "ReviewCleared": (
        *going_live.CLEARED,
        parties.t42_a_claimed_family_lifts_no_level,
        objections.u03_no_text_is_shed,
    ),
    "ReviewClosed": (actors.i14_only_the_owner_withdraws,),
}
#: The checks of a review after a step.
AFTER_STEP: tuple[StepCheck, ...] = (
    bounds.y1_somebody_owes_an_answer,
    bounds.i26_no_review_waits_on_a_dead_lease,
    bounds.i28_a_review_stays_small,
)


class Checker:
    """Watches a simulated world and never looks inside the program."""

    def __init__(self, policies: Iterable[Policy], in_force: str, hostile: frozenset[str] = frozenset()) -> None:
        first = Activated(in_force, at="", applies_in_flight=False)
        self.world = World(policies={one.digest: one for one in policies}, activated=[first], hostile=hostile)

    def know(self, work: Work) -> None:
        """Learn the truth about some bytes."""
        self.world.works[work.digest] = work

    def step(self, step: Delivered) -> list[Violation]:
        """Check one delivered command."""
        world, found, stream = self.world, list[Violation](), step.stream
        review = world.reviews.get(stream)
        if review is not None and step.accepted:
            _add(found, stream, actors.i16_judging_names_the_current_revision, review, step)
            _add(found, stream, stored.d3_the_hosted_speak_when_asked, world, review, step)
        _add(found, stream, record.i22_one_append_per_acknowledged_command, world, step)
        _add(found, stream, record.i23_a_refusal_changes_nothing, step)
        world.replies.setdefault((step.principal["name"], step.key), (step.body, step.reply))
        if not step.accepted and not step.envelopes:
            return found
        _add(found, stream, actors.i14_only_humans_use_human_commands, step)
        _add(found, stream, bounds.i28_a_command_writes_little, step)
        for envelope in step.envelopes:
            try:
                self._event(envelope, step, found)
            except (KeyError, StopIteration) as error:
                text = f"{envelope['event']['type']} makes no sense here: {error!r}"
                found.append(Violation(invariant="I21", review=envelope["stream"], text=text))
        review = world.reviews.get(stream)
        if review is not None and step.envelopes:
            world.weigh(review)
            for check in AFTER_STEP:
                _add(found, stream, check, world, review, step)
        return found

    def _event(self, envelope: Json, step: Delivered, found: list[Violation]) -> None:
        world, stream, event = self.world, envelope["stream"], envelope["event"]
        kind, body = event["type"], event["body"]
        _add(found, stream, record.i22_versions_have_no_gap, world, envelope)
        world.versions[stream] = envelope["version"]
        world.prints[stream] = blindness.print_of(world.prints.get(stream, b""), event)
        _add(found, stream, actors.i13_events_name_who_asked, kind, body, envelope["actor"], step)
        if kind == "ReviewOpened":
            _add(found, stream, record.s2_a_review_is_opened_once, world, stream)
            world.reviews[stream] = Review(stream)
        review = world.reviews.get(stream)
        if review is not None:
            _add(found, stream, actors.y8_nothing_happens_after_the_end, review, kind, body)
            for check in ON_EVENT.get(kind, ()):
                _add(found, stream, check, world, review, body, step)
            world.apply(stream, kind, body, envelope["actor"], step.at)
            apply(review, kind, body)
            return
        if kind == "WentLive":
            live = world.reviews.get(f"review/{body['review']}", Review(stream))
            _add(found, live.id, going_live.i7_published_only_as_cleared, world, live, body, step)
            _add(found, live.id, objections.u03_objected_bytes_do_not_go_live, world, live, body, step)
        world.apply(stream, kind, body, envelope["actor"], step.at)

    def show(self, shown: Shown) -> list[Violation]:
        """Check what a viewer was shown."""
        found = list[Violation]()
        review = self.world.reviews[shown.stream]
        _add(found, shown.stream, blindness.i18_hidden_reports_change_nothing, self.world, review, shown)
        _add(found, shown.stream, blindness.i18_no_foreign_word_is_shown, self.world, review, shown)
        return found

    def drawn(self, stream: str, first: list[Json], second: list[Json]) -> list[Violation]:
        """Check two draws that differ only in the author's words."""
        found = list[Violation]()
        _add(found, stream, actors.i17_the_author_cannot_steer_the_draw, first, second)
        return found

    def owed(self, rows: set[stored.Owed]) -> list[Violation]:
        """Check the inbox rows of the store: what is owed, by whom and until when."""
        found = list[Violation]()
        _add(found, "inbox", stored.i21_the_inbox_is_what_the_events_say, self.world, rows)
        return found

    def listed(self, stream: str, row: stored.Listed | None) -> list[Violation]:
        """Check the row of a review in the list."""
        found = list[Violation]()
        _add(found, stream, stored.i21_the_list_is_what_the_events_say, self.world, stream, row)
        return found

    def made_anew(self, name: str, kept: str, anew: str) -> list[Violation]:
        """Check projected rows against those of a replay."""
        found = list[Violation]()
        _add(found, name, stored.i21_a_replay_gives_the_same, kept, anew)
        return found

    def told(self, stream: str, told: tuple[int, list[str]], written: tuple[int, list[str]]) -> list[Violation]:
        """Check an answer against the log: the length of the stream then, and its events."""
        found = list[Violation]()
        _add(found, stream, stored.i22_what_was_told_is_in_the_log, told, written)
        return found

    def overdue(self, left: Iterable[tuple[str, str, str]]) -> list[Violation]:
        """Check for requests that were due before the last undisturbed run of the clock."""
        found = list[Violation]()
        for review, request, due in left:
            _add(found, f"review/{review}", stored.i29_what_is_due_passes, request, due)
        return found

    def replayed(self, stream: str, events: list[Json], kept: str, folded: str) -> list[Violation]:
        """Check a log folded again from its beginning."""
        found = list[Violation]()
        _add(found, stream, blindness.i19_what_was_stored_stays, self.world, stream, events)
        _add(found, stream, record.i21_state_is_the_fold_of_the_log, kept, folded)
        return found


def _add(found: list[Violation], stream: str, check: Callable[..., Iterator[str]], *given: object) -> None:
    """Run one invariant; its number is the first word of its name."""
    for text in check(*given):
        number = check.__name__.partition("_")[0].upper()
        found.append(Violation(invariant=number, review=stream, text=text))
