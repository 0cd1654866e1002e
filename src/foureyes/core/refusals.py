"""Refusals: a stable code word, one sentence and the next step, also as data for programs that repair a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

#: A value that every door can serialise: plain data, never an object of the program.
Fact = str | int | bool | None | Sequence["Fact"] | Mapping[str, "Fact"]
#: Maximum number of values listed in a refusal.
ALLOWED_MAX = 50
#: Maximum length of an unknown word repeated in a refusal.
WORD_CHARS_MAX = 80


class Code(StrEnum):
    """Every reason for a no; doors map these, tests and clients may rely on them."""

    ALREADY_ASKED = "already_asked"
    ALREADY_OPEN = "already_open"
    ANSWERS_MISMATCH = "answers_mismatch"
    AUTHOR_MAY_NOT = "author_may_not"
    BAD_NUMBER = "bad_number"
    BAD_PATH = "bad_path"
    BAD_VALUE = "bad_value"
    CHECKLIST_INCOMPLETE = "checklist_incomplete"
    CONFIDENCE_TOO_LOW = "confidence_too_low"
    DIGEST_MISMATCH = "digest_mismatch"
    DUPLICATE = "duplicate"
    EMPTY_GROUP = "empty_group"
    EVIDENCE_MISSING = "evidence_missing"
    GROUND_MISSING = "ground_missing"
    HUMAN_ONLY = "human_only"
    IDENTITY_MISMATCH = "identity_mismatch"
    SIGN_IN_NEEDED = "sign_in_needed"
    KEY_MISSING = "key_missing"
    KEY_REUSED = "key_reused"
    LEASE_ENDED = "lease_ended"
    LIMIT_REACHED = "limit_reached"
    NOT_DUE = "not_due"
    NOT_ELIGIBLE = "not_eligible"
    NOT_ENDED = "not_ended"
    NOT_INVOLVED = "not_involved"
    NOT_IN_GROUP = "not_in_group"
    NOT_OPEN = "not_open"
    NOT_YET = "not_yet"
    NOT_THE_AUTHOR = "not_the_author"
    NOT_THE_CLOCK = "not_the_clock"
    NOT_THE_HOLDER = "not_the_holder"
    NO_FREE_SEAT = "no_free_seat"
    NO_VERDICTS_HERE = "no_verdicts_here"
    NOTHING_TO_KEEP = "nothing_to_keep"
    ONE_PARTY = "one_party"
    OBJECTED = "objected"
    OWN_FINDING_BLOCKS = "own_finding_blocks"
    PARTS_MISSING = "parts_missing"
    REASON_MISSING = "reason_missing"
    REPORT_FIRST = "report_first"
    REVIEW_ENDED = "review_ended"
    REVIEW_MISSING = "review_missing"
    RULING_NEEDED = "ruling_needed"
    RULING_PENDING = "ruling_pending"
    SAME_DIGEST = "same_digest"
    SEAT_TAKEN = "seat_taken"
    SETTLED = "settled"
    STALE = "stale"
    TOO_LONG = "too_long"
    TOO_MANY = "too_many"
    UNKNOWN_DIGEST = "unknown_digest"
    UNKNOWN_FINDING = "unknown_finding"
    UNKNOWN_OPTION = "unknown_option"
    UNKNOWN_PLACE = "unknown_place"
    UNKNOWN_REQUEST = "unknown_request"
    UNKNOWN_SEAT = "unknown_seat"
    UNKNOWN_STAGE = "unknown_stage"
    UNKNOWN_WORD = "unknown_word"
    UNREAD = "unread"
    VERDICT_MISSING = "verdict_missing"
    UNDER_REVIEW = "under_review"
    VETOED = "vetoed"
    VETO_STANDS = "veto_stands"


@dataclass(frozen=True, slots=True, kw_only=True)
class NextCall:
    """The call that repairs a refused one: its name in the registry of calls, and its arguments."""

    call: str
    arguments: Mapping[str, Fact] = field(default_factory=dict)


class Refusal(Exception):  # noqa: N818 - a refusal is an expected answer, not an error
    """An expected no: what is wrong, and what to do next. State and log stay as they are.

    `fields` are the particulars as data. Five of them mean the same in every refusal: `field` is the argument that is
    wrong (`findings[0].place.path`), `allowed` the values it may have, `add` arguments to add to the same call (a text
    in angle brackets stands for the caller's own words), `remove` arguments to leave out, and `repeat` that the same
    call goes through after the next call. `next_call` is the call to make first or instead.
    Neither may tell what the sentence would not: a refusal reaches people who do not see the whole review.
    """

    def __init__(
        self,
        code: Code,
        sentence: str,
        next_step: str,
        *,
        fields: Mapping[str, Fact] | None = None,
        next_call: NextCall | None = None,
    ) -> None:
        """Keep the parts that a door shows."""
        super().__init__(f"{code.value}: {sentence} {next_step}")
        self.code = code
        self.sentence = sentence
        self.next_step = next_step
        self.fields: Mapping[str, Fact] = fields or {}
        self.next_call = next_call

    def particulars(self) -> dict[str, Fact]:
        """`fields` and `next_call` as plain data, for a door; empty where there are none."""
        found: dict[str, Fact] = {"fields": dict(self.fields)} if self.fields else {}
        if self.next_call is not None:
            found["next_call"] = {"call": self.next_call.call, "arguments": dict(self.next_call.arguments)}
        return found


def refuse(code: Code, *, next_call: NextCall | None = None, **words: object) -> Refusal:
    """The refusal of this code with the given words, filled into its sentence and attached as fields.

    A list is joined in the sentence and stays a list in the fields. Words that the sentence does not use are fields
    only: `refuse(Code.UNKNOWN_WORD, what="The verdict", word=word, allowed=list(Verdict), field="verdict")`.
    """
    sentence, step = _TEXTS[code]
    # `allowed` as a text is a description, not a list of words to choose from.
    facts = {
        "expected" if name == "allowed" and isinstance(word, str) else name: plain_fact(word)
        for name, word in words.items()
    }
    shown = {name: _in_sentence(word) for name, word in words.items()}
    return Refusal(code, sentence.format(**shown), step.format(**shown), fields=facts, next_call=next_call)


def unknown_word(what: str, word: str, allowed: Sequence[str], field: str) -> Refusal:
    """The refusal of an unknown word: it lists the known ones, or says to leave it out if there are none."""
    said = word[:WORD_CHARS_MAX]
    if allowed:
        return refuse(Code.UNKNOWN_WORD, what=what, word=said, allowed=tuple(allowed), field=field)
    return Refusal(
        Code.UNKNOWN_WORD,
        f"{what} is {said!r}, and the policy here has none.",
        f"Leave `{field}` out.",
        fields={"what": what, "word": said, "field": field, "remove": [field]},
    )


def plain_fact(word: object) -> Fact:
    """A value as plain data: enumerations by their word, other objects by their text."""
    match word:
        case IntEnum():
            return word.name.lower()
        case StrEnum():
            return word.value
        case None | bool() | int() | str():
            return word
        case Mapping():
            return {str(name): plain_fact(value) for name, value in word.items()}
        case list() | tuple():
            return [plain_fact(value) for value in word[:ALLOWED_MAX]]
    return str(word)


def _in_sentence(word: object) -> object:
    return ", ".join(str(plain_fact(value)) for value in word) if isinstance(word, list | tuple) else word


_TEXTS: dict[Code, tuple[str, str]] = {
    Code.ALREADY_ASKED: (
        "{name} has asked for a decision on this version already.",
        "Look at what was decided, or wait.",
    ),
    Code.ALREADY_OPEN: ("Review {review} exists already.", "Submit a revision to it, or open another review."),
    Code.ANSWERS_MISMATCH: (
        "The author asked {wanted} questions and got {got} answers.",
        "Answer each question, in order.",
    ),
    Code.AUTHOR_MAY_NOT: ("{name} had a hand in this work.", "Somebody else must do this."),
    Code.BAD_NUMBER: (
        "{what} is {value!r}, which is not a whole number from {low} to {high}.",
        "Send a number in that range.",
    ),
    Code.BAD_PATH: (
        "{path!r} is no path inside the work.",
        "Use a relative path with / between folders and without . or .. in it.",
    ),
    Code.BAD_VALUE: ("The request cannot be written down: {what}.", "Send plain text, whole numbers and times in UTC."),
    Code.CHECKLIST_INCOMPLETE: (
        "An approval needs every required criterion; not passed: {names}.",
        "Fill in the checklist, or ask for changes.",
    ),
    Code.CONFIDENCE_TOO_LOW: (
        "An approval needs a confidence of at least {least}, this has {value}.",
        "Ask for changes, or for a human's decision.",
    ),
    Code.DIGEST_MISMATCH: (
        "You named {named}, but the current version is {digest}.",
        "Look at the current version first.",
    ),
    Code.DUPLICATE: ("{what} has been done already.", "Nothing needs to be done."),
    Code.EMPTY_GROUP: ("Nobody is in the group {group}, so nobody can open this.", "Have a person added to the group."),
    Code.EVIDENCE_MISSING: (
        "{what} needs evidence.",
        "Say in at least three different words what was checked and why it holds.",
    ),
    Code.GROUND_MISSING: (
        "{verdict} needs a ground: {allowed}.",
        "Raise a finding that blocks, name a ground, or approve.",
    ),
    Code.HUMAN_ONLY: ("Only a human may {what}.", "Ask a person to do it."),
    Code.IDENTITY_MISMATCH: (
        "The request names {name!r}, but the credential is {holder}'s.",
        "Leave the name out, or use that account's own credential.",
    ),
    Code.SIGN_IN_NEEDED: (
        "{what} waits for a signed-in human: a terminal proves nobody.",
        "Mend it, or sign in and decide there.",
    ),
    Code.KEY_MISSING: (
        "The idempotency key must have 1 to {most} printable characters.",
        "Send a new random key with each new request, and the same one when you repeat it.",
    ),
    Code.KEY_REUSED: ("The key {key!r} came with another request before.", "Send a new key with a new request."),
    Code.LEASE_ENDED: ("Your time on seat {seat} has run out.", "Take the seat again if it is free."),
    Code.LIMIT_REACHED: (
        "There are {most} {what} already, and no more are taken.",
        "Open another review, or ask a human.",
    ),
    Code.NOT_DUE: ("{request} is due at {due}, not before.", "Come back then."),
    Code.NOT_ELIGIBLE: (
        "{name} may not hold seat {seat}.",
        "Somebody independent of the work with the right role must.",
    ),
    Code.NOT_ENDED: ("The review has not ended as {outcome}.", "Look at the review again."),
    Code.NOT_INVOLVED: ("{name} is neither author nor reviewer here.", "The author, a reviewer or a human may ask."),
    Code.NOT_IN_GROUP: ("{name} is not in the group {group}.", "Ask somebody of that group."),
    Code.NOT_OPEN: (
        "Finding {finding} is {standing}.",
        "Answer findings that are open; confirm those that are answered.",
    ),
    Code.NOT_YET: (
        "{stage} judges after {before}, which has not passed this version.",
        "Wait until you are asked for a report on this version.",
    ),
    Code.NOT_THE_AUTHOR: ("Only {author} can do this.", "Ask the author."),
    Code.NOT_THE_CLOCK: ("Deadlines are passed by the server.", "Nothing needs to be done."),
    Code.NOT_THE_HOLDER: ("Only {holder} can review this.", "Take a free seat, or leave it to them."),
    Code.NO_FREE_SEAT: (
        "No seat of {stage} is free for {name}.",
        "Wait with `inbox` until one is yours.",
    ),
    Code.NO_VERDICTS_HERE: ("This review has findings, not verdicts.", "Send the report without a verdict."),
    Code.NOTHING_TO_KEEP: ("Seat {seat} has no earlier approval to keep.", "Submit a report on this version."),
    Code.ONE_PARTY: (
        "{name} may not judge this work: {why}.",
        "Ask a reviewer of another party{how}.",
    ),
    Code.OBJECTED: ("{stands}.", "{way_out}."),
    Code.OWN_FINDING_BLOCKS: (
        "You approve, but your own findings are unsettled: {findings}.",
        "Settle them in the same report, or do not approve.",
    ),
    Code.PARTS_MISSING: ("The work has no parts.", "Send each file with its path, its mode and its digest."),
    Code.REASON_MISSING: ("{what} needs a reason.", "Say why, in a sentence."),
    Code.REPORT_FIRST: ("You have not handed in your own report.", "Hand it in first; then ask for a decision."),
    Code.REVIEW_ENDED: (
        "The review has ended: {outcome}.",
        "Submit a new version where that is possible, or ask a human.",
    ),
    Code.REVIEW_MISSING: ("There is no such review.", "Take its id from `inbox`."),
    Code.RULING_NEEDED: ("{needs} people must decide this together.", "Ask for a decision and give your ruling there."),
    Code.RULING_PENDING: ("A human is deciding: {request}.", "Wait for the decision."),
    Code.SAME_DIGEST: (
        "These bytes are the current version or were cleared.",
        "Change the work, or answer the findings.",
    ),
    Code.SEAT_TAKEN: ("Seat {seat} is held by {holder}.", "Take another seat, or wait until it is free."),
    Code.SETTLED: ("Finding {finding} is settled: {standing}.", "Raise a new finding if there is a new issue."),
    Code.STALE: ("You judged {named}, the current version is {current}.", "Read the current version and judge that."),
    Code.TOO_LONG: ("{what} has {size} characters, at most {most} are taken.", "Shorten it, or put it into the work."),
    Code.TOO_MANY: ("{what}: {size}, at most {most} are taken.", "Send the ones that matter most."),
    Code.UNKNOWN_DIGEST: (
        "The bytes of {what} ({digest}) are not here.",
        "Send them along with the request.",
    ),
    Code.UNKNOWN_FINDING: ("There is no finding {finding} here.", "Look at the list of findings."),
    Code.UNKNOWN_OPTION: ("{option} is not one of {options}.", "Choose one of these."),
    Code.UNKNOWN_PLACE: ("{path} is not in this version.", "Name a file and lines that are there."),
    Code.UNKNOWN_REQUEST: ("Nothing is pending under {request}.", "Look at what is pending."),
    Code.UNKNOWN_SEAT: ("There is no seat {seat} here.", "Look at the seats of the review."),
    Code.UNKNOWN_STAGE: ("There is no stage {stage} here.", "Look at the stages of the review."),
    Code.UNKNOWN_WORD: ("{what} is {word!r}, which is not one of {allowed}.", "Use one of these words."),
    Code.UNREAD: (
        "You were not given this version of the work, so you cannot judge it.",
        "Call read_work for this review, read what it gives you, and send this again.",
    ),
    Code.UNDER_REVIEW: (
        "Exactly these bytes are under review already (review {review}), and you do not see yet what was said of them.",
        "Report there if you are asked to, or wait until that review has ended.",
    ),
    Code.VERDICT_MISSING: ("This report needs a verdict: approve, concerns or reject.", "Send it with one."),
    Code.VETOED: (
        "A veto stands on exactly these bytes (review {review}).",
        "Change the work, or ask a human to lift the veto there.",
    ),
    Code.VETO_STANDS: ("The veto on these bytes stands until a human lifts it.", "The author must change the work."),
}
