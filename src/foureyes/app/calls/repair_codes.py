"""How to repair a refused call, by refusal code: what to change in the call, and what to call next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from foureyes.app.calls.done import WAIT_SECONDS
from foureyes.app.calls.repair_places import EXAMPLES, place_of
from foureyes.app.calls.repair_seeds import AGAINST, ITEMS, answers_said, evidence_said
from foureyes.app.calls.seed_words import BETWEEN, EXEMPT_TYPES, REVIEW_TYPES, VERDICT_OF
from foureyes.core.evidence import WHOLE_WORK
from foureyes.core.grounds import NAMED_GROUNDS
from foureyes.core.model import Review
from foureyes.core.refusals import Code, Fact, NextCall, Refusal
from foureyes.core.values import Severity, Standing, Verdict, Verification

#: Most ids offered.
IDS_MAX = 10
#: Fields in which calls take the id of a review.
REVIEW_FIELDS = ("review", "reviewId", "review_id", "content_id")
_SHOWS = "<what happens, where, and how it shows>"
_UNSETTLED = frozenset((Standing.OPEN, Standing.ANSWERED))
#: The argument that takes a reason, by the call that requires one.
_REASONS = {
    "settle_finding": "note",
    "revise": "note",
    "add_note": "text",
    "report_escape": "text",
    "clarify": "text",
}
Fields = dict[str, Fact]


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A call that was refused: by whom, what they sent, and the review it is about as they see it."""

    name: str
    who: str
    sent: Mapping[str, Any]
    review: Review | None
    #: Ids that the caller may name, if one is missing.
    reviews: Sequence[Fact] = ()

    @property
    def id(self) -> str:
        return self.review.id if self.review else ""

    def takes(self, field: str) -> bool:
        return field in self.sent

    def seats(self) -> list[str]:
        """The seats that the caller holds there."""
        found = self.review.seats.values() if self.review else ()
        return [one.id for one in found if one.reviewer is not None and one.reviewer.name == self.who]

    def findings(self) -> list[str]:
        """The findings that the caller may speak to: an author to those that are open, a reviewer to their own."""
        if self.review is None:
            return []
        is_author, mine = self.review.author.name == self.who, self.seats()
        wanted = frozenset((Standing.OPEN,)) if is_author else _UNSETTLED
        found = (one for one in self.review.findings.values() if one.standing in wanted)
        return [one.id for one in found if is_author or one.seat in mine][:IDS_MAX]

    def to_verify(self) -> list[str]:
        """The findings that the caller is asked to confirm or refute."""
        asked = [self.review.report_request(one) for one in self.seats()] if self.review else []
        return [finding for one in asked if one is not None for finding in one.about][:IDS_MAX]


def another_key(key: str) -> str:
    """A key that was not used with this one's request: the same, with the next number."""
    begin, dot, number = key.rpartition(".")
    if dot and number.isascii() and number.isdigit() and len(number) < len(str(IDS_MAX**6)):
        return f"{begin}.{int(number) + 1}"
    return f"{key[:190]}.2"


def _stale(made: Made, _: Refusal) -> tuple[Fields, NextCall | None]:
    if "revision_number" in made.sent:
        return {"remove": ["revision_number"]}, None
    if made.review is None:
        return {"remove": ["revision"]}, NextCall(call="read_work")
    fields: Fields = {"field": "revision", "allowed": [made.review.revision]}
    return {**fields, "repeat": True}, NextCall(call="read_work", arguments={"review": made.id})


def _unread(_: Made, __: Refusal) -> tuple[Fields, NextCall | None]:
    return {"repeat": True}, None


def _value(made: Made, refusal: Refusal) -> tuple[Fields, NextCall | None]:
    """An argument that is missing, as what it may be; one of another shape, as an example."""
    place = str(refusal.fields.get("field", ""))
    name = place.rpartition(".")[2]
    add = refusal.fields.get("add")
    if not place or (made.name, place) in (("report", "evidence"), ("send_file", "base64")):
        return _shape(made, place)
    if not isinstance(add, Mapping):
        return {}, None
    if "missing" not in refusal.fields or "." in place or len(add) > 1:
        is_whole = "missing" in refusal.fields and "." not in place
        more = {one: EXAMPLES[one] for one in add if is_whole and one in EXAMPLES}
        return {"add": {one: more.get(one, _with_known(made, value, one)) for one, value in add.items()}}, None
    if name in REVIEW_FIELDS:
        return {"allowed": list(made.reviews), "add": {name: made.reviews[0] if made.reviews else "<id>"}}, None
    allowed = list(_known(made, name))
    example = allowed[0] if allowed else EXAMPLES.get(name, add.get(name, f"<{name}>"))
    return {"add": {name: example}, **({"allowed": allowed} if allowed else {})}, None


def _known(made: Made, name: str) -> Sequence[Fact]:
    """What a field of this name may be, as far as the call and what the caller sees tell it."""
    known: dict[str, Sequence[Fact]] = {
        "review": made.reviews,
        "revision": [made.review.revision] if made.review else [],
        "seat": made.seats(),
        "finding": made.findings(),
        "verdict": [one.value for one in Verdict],
        "severity": [one.name.lower() for one in reversed(Severity)],
        "result": [one.value for one in Verification],
        "status": [one.upper() for one in VERDICT_OF],
        "what": [WHOLE_WORK],
        "action": [*REVIEW_TYPES, *EXEMPT_TYPES],
    }
    return known.get(name, ())


def _with_known(made: Made, example: Fact, name: str) -> Fact:
    """An example with what is known in place of its placeholders."""
    if isinstance(example, Mapping):
        # A blocking finding needs evidence, too.
        more: Fields = {"evidence": _SHOWS} if name == "findings" else {}
        return {field: _with_known(made, one, field) for field, one in {**more, **example}.items()}
    if isinstance(example, list | tuple):
        return [_with_known(made, one, name) for one in example]
    known = _known(made, name)
    return known[0] if known and example == f"<{name}>" else example


def _shape(made: Made, place: str) -> tuple[Fields, NextCall | None]:
    if made.name == "report" and place == "evidence":
        evidence: Fact = [{"what": WHOLE_WORK, "why": "<what you checked and why it holds>"}]
        return {"add": {"evidence": evidence}}, None
    if made.name == "send_file":
        return {"remove": ["base64"], "add": {"text": "<the text of the file>"}}, None
    return {}, None


def _evidence(made: Made, refusal: Refusal) -> tuple[Fields, NextCall | None]:
    about_finding = "finding" in refusal.sentence.lower() and "without findings" not in refusal.sentence
    if made.name == "report" and about_finding:
        return {"field": "findings[].evidence", "allowed": [_SHOWS]}, None
    if made.name == "report":
        return {}, None  # the core gives an example that names something in the work
    said = evidence_said(made.name, made.sent)
    return said or {"add": {"evidence": "<what was checked, and why it holds>"}}, None


def _own_finding(made: Made, refusal: Refusal) -> tuple[Fields, NextCall | None]:
    found = refusal.fields.get("findings")
    ids = found.split(", ") if isinstance(found, str) else list(found) if isinstance(found, list | tuple) else []
    if made.review is None or not made.review.findings.keys() >= set(ids):
        # A report cannot settle what it raises itself.
        field, words = AGAINST.get(made.name, ("verdict", (Verdict.CONCERNS.value, Verdict.REJECT.value)))
        return {"field": field, "allowed": list(words)}, None
    settled: list[Fact] = [{"finding": one, "resolved": True, "note": "<why it is resolved>"} for one in ids]
    if made.name == "report":
        return {"add": {"settled": settled}}, None
    report: Fields = {"review": made.id, "revision": made.review.revision, "verdict": "approve", "settled": settled}
    return {}, NextCall(call="report", arguments=report)


def _author(made: Made, _: Refusal) -> tuple[Fields, NextCall | None]:
    return {}, NextCall(call="read_review", arguments={"review": made.id, "wait": WAIT_SECONDS})


def _seat(made: Made, refusal: Refusal) -> tuple[Fields, NextCall | None]:
    if made.review is not None and made.review.author.name == made.who:
        return _author(made, refusal)
    mine = made.seats()
    if made.name == "verify_finding" and made.to_verify():
        return {"field": "finding", "allowed": list(made.to_verify())}, None
    if not made.takes("seat"):
        return _inbox(made, refusal)
    fields: Fields = {"field": "seat", "allowed": list(mine)} if mine else {"remove": ["seat"]}
    if made.name in ("report", "take_seat") or mine:
        return fields, None
    return fields, NextCall(call="take_seat", arguments={"review": made.id})


def _finding(made: Made, _: Refusal) -> tuple[Fields, NextCall | None]:
    if made.name == "verify_finding" and made.to_verify():
        return {"field": "finding", "allowed": list(made.to_verify())}, None
    if made.name in ITEMS:
        items: list[Fact] = [f"{made.id}{BETWEEN}{one}" for one in made.findings()]
        return {"field": ITEMS[made.name], "allowed": items}, NextCall(call="read_review")
    where = {"report": "settled[].finding", "revise": "answers[].finding"}.get(made.name, "finding")
    return {"field": where, "allowed": list(made.findings())}, NextCall(
        call="read_review", arguments={"review": made.id}
    )


def _answers(made: Made, _: Refusal) -> tuple[Fields, NextCall | None]:
    return answers_said(made.name, made.sent, made.review.questions if made.review else ()), None


def _look(made: Made, _: Refusal) -> tuple[Fields, NextCall | None]:
    return {}, NextCall(call="read_review", arguments={"review": made.id}) if made.id else NextCall(call="inbox")


def _ended(_: Made, refusal: Refusal) -> tuple[Fields, NextCall | None]:
    return {}, NextCall(call="list_reviews", arguments={"state": str(refusal.fields.get("outcome", ""))})


def _inbox(_: Made, __: Refusal) -> tuple[Fields, NextCall | None]:
    return {}, NextCall(call="inbox")


def _key(made: Made, _: Refusal) -> tuple[Fields, NextCall | None]:
    return {"field": "key", "allowed": [another_key(str(made.sent.get("key", "")))]}, None


def _size(made: Made, refusal: Refusal) -> tuple[Fields, NextCall | None]:
    what = str(refusal.fields.get("what", "")).lower()
    return ({"field": what} if made.takes(what) else {}), None


def _number(made: Made, refusal: Refusal) -> tuple[Fields, NextCall | None]:
    if made.takes("reviews") and not made.sent["reviews"]:
        return {"add": {"reviews": EXAMPLES["reviews"]}}, None
    named = str(refusal.fields.get("field") or refusal.fields.get("what", ""))
    return ({"field": named} if made.takes(named) else {}), None


def _parts(made: Made, _: Refusal) -> tuple[Fields, NextCall | None]:
    if made.name == "send_file":
        return {"remove": ["base64", "pieces"], "add": {"text": "<the text of the file>"}}, None
    if made.name == "validate":
        return {"add": {"output": "<output>"}}, None
    if made.takes("artifacts"):
        return {"add": {"artifacts": EXAMPLES["artifacts"]}}, None
    return {"add": {"files": EXAMPLES["files"]}}, None


def _bytes(made: Made, refusal: Refusal) -> tuple[Fields, NextCall | None]:
    """Bytes that are named by a digest and are not here: the file with its text instead."""
    place = place_of(made.sent, refusal.fields)
    if not place.startswith("files"):
        return {}, NextCall(call="send_file", arguments={"text": "<the text of the file>"})
    path = refusal.fields.get("what", "<path>")
    return {"field": place.partition(".")[0], "allowed": [{"path": path, "text": "<the whole text>"}]}, None


def _path(_: Made, refusal: Refusal) -> tuple[Fields, NextCall | None]:
    parts = str(refusal.fields.get("path", "")).replace("\\", "/").split("/")
    inside = "/".join(one for one in parts if one not in ("", ".", ".."))
    return ({"field": "path", "allowed": [inside]} if inside else {}), None


def _identity(made: Made, refusal: Refusal) -> tuple[Fields, NextCall | None]:
    field = place_of(made.sent, {"name": refusal.fields.get("name")})
    return ({"field": field, "remove": [field]} if field else {}), None


def _request(made: Made, _: Refusal) -> tuple[Fields, NextCall | None]:
    return ({}, None) if made.takes("session") else _look(made, _)


def _ground(_: Made, __: Refusal) -> tuple[Fields, NextCall | None]:
    # Only the reviewer knows which ground or finding applies: none is suggested.
    return {"field": "grounds", "known_grounds": list(NAMED_GROUNDS)}, None


def _same_bytes(made: Made, _: Refusal) -> tuple[Fields, NextCall | None]:
    if made.takes("artifacts"):
        return {"add": {"artifacts": {"code": "<the changed text>"}}}, None
    answers = made.sent.get("answers") if not made.sent.get("files") else None
    if isinstance(answers, list) and answers and isinstance(answers[0], dict):
        return {}, NextCall(call="answer_finding", arguments={"review": made.id, **answers[0]})
    return {"add": {"files": [{"path": "<path>", "text": "<the changed text>"}]}}, None


def _reason(made: Made, refusal: Refusal) -> tuple[Fields, NextCall | None]:
    if refusal.fields.get("allowed"):
        return {}, None  # it is one of known words, not a reason of the caller's own
    if made.name != "report":
        return {"add": {_REASONS.get(made.name, "reason"): "<why>"}}, None
    settled = made.sent.get("settled")
    given = [one for one in settled if isinstance(one, dict)] if isinstance(settled, list) else []
    notes: list[Fact] = [{**one, "note": one.get("note") or "<why>"} for one in given]
    return {"add": {"settled": notes}}, None


def _verdict(_: Made, __: Refusal) -> tuple[Fields, NextCall | None]:
    return {"field": "verdict", "allowed": [one.value for one in Verdict]}, None


def _no_verdict(_: Made, __: Refusal) -> tuple[Fields, NextCall | None]:
    return {"remove": ["verdict"]}, None


def _stage(_: Made, __: Refusal) -> tuple[Fields, NextCall | None]:
    return {"remove": ["stage"]}, None


BY_CODE: Mapping[Code, Callable[[Made, Refusal], tuple[Fields, NextCall | None]]] = {
    Code.STALE: _stale,
    Code.ANSWERS_MISMATCH: _answers,
    Code.EVIDENCE_MISSING: _evidence,
    Code.OWN_FINDING_BLOCKS: _own_finding,
    Code.AUTHOR_MAY_NOT: _author,
    **dict.fromkeys((Code.UNKNOWN_SEAT, Code.NOT_THE_HOLDER, Code.SEAT_TAKEN, Code.LEASE_ENDED), _seat),
    **dict.fromkeys((Code.UNKNOWN_FINDING, Code.NOT_OPEN, Code.SETTLED), _finding),
    **dict.fromkeys((Code.DUPLICATE, Code.ALREADY_ASKED, Code.REVIEW_ENDED, Code.NOT_THE_AUTHOR), _look),
    **dict.fromkeys((Code.NO_FREE_SEAT, Code.NOT_ELIGIBLE, Code.NOT_INVOLVED), _inbox),
    **dict.fromkeys((Code.TOO_LONG, Code.TOO_MANY), _size),
    Code.KEY_REUSED: _key,
    Code.SAME_DIGEST: _same_bytes,
    Code.REASON_MISSING: _reason,
    Code.UNREAD: _unread,
    Code.BAD_VALUE: _value,
    Code.BAD_NUMBER: _number,
    Code.BAD_PATH: _path,
    Code.PARTS_MISSING: _parts,
    Code.UNKNOWN_DIGEST: _bytes,
    Code.UNKNOWN_REQUEST: _request,
    Code.IDENTITY_MISMATCH: _identity,
    Code.NOT_ENDED: _ended,
    Code.GROUND_MISSING: _ground,
    Code.VERDICT_MISSING: _verdict,
    Code.NO_VERDICTS_HERE: _no_verdict,
    Code.UNKNOWN_STAGE: _stage,
}
