"""The rows of the outbox: an event to be told, a letter about one, or a person's digest; and the writing of letters."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from foureyes.app.accounts import account
from foureyes.app.policies import Policies
from foureyes.app.ports import Damaged, Reading
from foureyes.app.rows import DIGESTS, OutboxRow
from foureyes.app.shelf import dated, read_review, read_until
from foureyes.core.independence import normal
from foureyes.core.model import ReportRequest, Review
from foureyes.core.values import THREAD, Who, WhoKind
from foureyes.core.views import View, view
from foureyes.notify.channels import Message
from foureyes.notify.desk import PROGRAM, Target
from foureyes.notify.notices import Notice, On, Party, Told, notices
from foureyes.notify.texts import path_of, text_of, title_of
from foureyes.notify.wording import line

LETTER, DIGEST = "letter", "digest"
#: A notification that could not be delivered for this long is given up: it stays in the record, and on the pages.
LIFE = timedelta(days=3)
DIGEST_LINES_MAX = 50
_ID_CHARS = 32
_REVIEW = "review/"
_WORD = re.compile(r"(?<!^)(?=[A-Z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """What a row of the outbox says of a letter: to whom, as which party, about which type of event."""

    target: str
    party: str
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A written letter: what is sent, and the notice it came from, if it is one for a party."""

    message: Message
    notice: Notice | None = None
    about: Review | None = None


@dataclass(slots=True, kw_only=True)
class Sorted:
    """What an event becomes: rows of letters, and lines of digests by target and key."""

    letters: list[OutboxRow] = field(default_factory=list)
    digests: list[tuple[str, str, str]] = field(default_factory=list)
    about: Review | None = None


def addressed(row: OutboxRow) -> Letter | None:
    """Return the letter that a row is; None if it is an event."""
    return addressed_type(row.type)


def addressed_type(type_: str) -> Letter | None:
    """Return the letter that a row of this type is; None if it is an event."""
    kind, *rest = type_.split(" ")
    if kind == LETTER and len(rest) == 3:  # noqa: PLR2004 - target, party, event
        return Letter(target=rest[0], party=rest[1], about=rest[2])
    return Letter(target=rest[0], party=DIGEST, about="") if kind == DIGEST and len(rest) == 1 else None


def letter_row(row: OutboxRow, target: Target, party: str) -> OutboxRow:
    """Return the row of a letter about an event, to a target as this party."""
    kind = f"{LETTER} {target.name} {party} {row.type}"
    return OutboxRow(stream=row.stream, version=row.version, type=kind, at=row.at)


def id_of(row: OutboxRow) -> str:
    """Return the id of a letter, the same however often it is sent."""
    text = "\n".join((row.stream, str(row.version), row.type, row.at))
    return f"msg_{hashlib.sha256(text.encode()).hexdigest()[:_ID_CHARS]}"


def told_of(reading: Reading, policies: Policies, row: OutboxRow, about: str = "") -> Told:
    """Read from the log what happened."""
    kind = about or row.type
    if not row.version:
        return Told(type=kind)
    last = tuple(one for one in reading.events(row.stream, row.version - 1) if one.version == row.version)
    if not last:
        raise Damaged(f"{row.stream} has no event {row.version}.")
    ((event, _),) = dated(last)
    if not row.stream.startswith(_REVIEW):
        return Told(type=kind, event=event)
    review = read_until(reading, row.stream, row.version).review
    return Told(
        type=kind,
        event=event,
        review=review,
        rules=policies.rules(reading, review.rules),
        stricter=policies.stricter(reading, review.stricter),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """Writes letters from one snapshot of the store."""

    policies: Policies
    on: On
    public: str

    def letter(self, reading: Reading, row: OutboxRow, letter: Letter, *, named: bool) -> Written | None:
        """Write the letter; None if it is no longer of use. A channel is told of a requested report in any case.

        Only the reviewer who owes a report may learn whether it is still owed: from a channel, others would.
        """
        told = told_of(reading, self.policies, row, letter.about)
        if letter.party == PROGRAM:
            return Written(message=self._event(row, letter, told), about=told.review)
        found = next((one for one in notices(told, self.on) if one.party == letter.party), None)
        if found is None:
            return None
        matters = found.request and (named or found.party is not Party.REVIEWER)
        if matters and not _is_pending(reading, row.stream, found):
            return None
        message = Message(
            id=id_of(row),
            title=title_of(told, found),
            text=text_of(told, found),
            url="" if found.party is Party.THREAD else f"{self.public}{path_of(told)}",
            thread=_thread(told.review) if told.review else "",
        )
        return Written(message=message, notice=found, about=told.review)

    def hides(self, reading: Reading, row: OutboxRow, person: str) -> bool:
        """True if this human reviews the work and may not see yet what others said.

        Until then they are told nothing of it.
        """
        seen = self.seen(reading, row, person)
        return seen is not None and seen[0].hides

    def seen(self, reading: Reading, row: OutboxRow, person: str) -> tuple[View, Who] | None:
        """Return what a person may see of the review that a row is about; None if it is about no review."""
        if not row.stream.startswith(_REVIEW) or not row.version:
            return None
        review = read_review(reading, row.stream, reading.known(row.stream, "", "")).review
        # A policy may spell a name differently than the account does.
        sitting = (one.reviewer.name for one in review.seats.values() if one.reviewer)
        person = next((one for one in sitting if normal(one) == normal(person)), person)
        rules = self.policies.rules(reading, review.rules)
        stricter = self.policies.stricter(reading, review.stricter)
        enrolled = account(reading, person)
        who = enrolled.who if enrolled else Who(name=person, kind=WhoKind.HUMAN)
        return view(rules, review, who, stricter), who

    def digest(self, reading: Reading, row: OutboxRow, target: str) -> tuple[Message | None, Mapping[str, None]]:
        """Return all that waits for a person's digest as one message, and the rows it came from."""
        rows = reading.rows(DIGESTS, prefix=f"{target}/", limit=10 * DIGEST_LINES_MAX)
        if not rows:
            return None, {}
        head = f"{len(rows)} {'thing' if len(rows) == 1 else 'things'} to know, and none to decide:"
        lines = [f"- {body}" for _, body in rows[:DIGEST_LINES_MAX]]
        more = [f"- and {len(rows) - len(lines)} more"] if len(rows) > len(lines) else []
        text = "\n".join((head, *lines, *more))
        message = Message(id=id_of(row), title=head.rstrip(":"), text=text, url=f"{self.public}/")
        return message, {key: None for key, _ in rows}

    def _event(self, row: OutboxRow, letter: Letter, told: Told) -> Message:
        """Return a CloudEvent for a webhook, with the sentence that people are told, if there is one.

        Nothing in it says who reviews, or what a reviewer said.
        """
        word = _WORD.sub("_", letter.about).lower()
        data: dict[str, object] = {"stream": row.stream, "version": row.version, "event": letter.about}
        if told.review:
            data |= _shown(told.review)
        notice = next(iter(notices(told, self.on)), None)
        if notice is not None:
            data["sentence"] = title_of(told, notice)
        event = {
            "specversion": "1.0",
            "source": self.public,
            "type": f"foureyes.{word}",
            "subject": row.stream,
            "time": row.at,
            "datacontenttype": "application/json",
            "data": data,
        }
        return Message(id=id_of(row), title=word, text="", data=event)


def _thread(review: Review) -> str:
    """Return the thread that was named with the task; else the task itself, which may be a thread's number."""
    return dict(review.context).get(THREAD, "") or review.origin.task


def many(rows: Sequence[OutboxRow], titles: Sequence[str], public: str) -> Message:
    """Combine many questions in one message, with a link to the page that lists them."""
    digest = hashlib.sha256("\n".join(map(id_of, rows)).encode()).hexdigest()[:_ID_CHARS]
    head = f"{len(titles)} decisions are asked for:"
    text = "\n".join((head, *(f"- {one}" for one in titles)))
    return Message(id=f"msg_{digest}", title=head.rstrip(":"), text=text, url=f"{public}/")


def digest_line(told: Told, notice: Notice, public: str) -> str:
    """Return the digest's line for one notice."""
    return line(f"{title_of(told, notice)}") + (f" {public}{path_of(told)}" if told.review else "")


def _shown(review: Review) -> dict[str, object]:
    return {
        "review": review.id,
        "kind": review.kind,
        "title": line(review.title),
        "author": review.author.name,
        "state": review.outcome.value if review.outcome else "open",
        "revision": review.revision,
        "digest": review.digest,
        "task": review.origin.task,
        "step": review.origin.step,
        "session": review.origin.session,
    }


def _is_pending(reading: Reading, stream: str, notice: Notice) -> bool:
    """True if the same is still asked of the same: nobody is told of a request that is done."""
    review = read_review(reading, stream, reading.known(stream, "", "")).review
    request = review.requests.get(notice.request)
    if not isinstance(request, ReportRequest):
        return request is not None
    holder = review.seats[request.seat].reviewer
    return holder is None or holder.name in notice.names
