"""A small command for the faults to hit: it leaves rows in every table, so that a half-applied one can be seen.

The n-th command on a review raises its revision to n, puts n into the inbox, links two events to the chain, and keeps
its reply. `faults_in` checks the consistency afterwards.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from foureyes.app.chain import ROOT, link_of
from foureyes.app.ports import Reading, Writing
from foureyes.app.rows import (
    Answered,
    Append,
    Changes,
    DigestRow,
    Entry,
    Head,
    InboxRow,
    OutboxRow,
    ReviewRow,
    Stored,
)

AT = "2026-01-01T00:00:00.000000Z"
EVENTS = 2
HASH = "ab" * 32


def command(tx: Writing, review: str, key: str, *, asker: str = "ann") -> str:
    """Answer a key: with what was answered before, or with the number of the revision made now."""
    stream = f"review/{review}"
    known = tx.known(stream, asker, key)
    if known.reply:
        return known.reply
    assert known.version % EVENTS == 0, "somebody wrote half a command"
    number = known.version // EVENTS + 1
    tx.apply(changes(stream, (known.version, known.chain), key, number=number, asker=asker))
    return reply_to(number)


def reply_to(number: int) -> str:
    return f'{{"revision":{number}}}'


def changes(stream: str, end: tuple[int, bytes], key: str, *, number: int, asker: str = "ann") -> Changes:
    review = stream.removeprefix("review/")
    digest = f"{number:064x}"
    return Changes(
        appends=(append(stream, end, key),),
        reviews=(
            ReviewRow(
                review=review,
                kind="code",
                title="A change",
                author=asker,
                state="open",
                waits="reviewer",
                revision=number,
                digest=digest,
                opened=AT,
                updated=AT,
            ),
        ),
        digests=(DigestRow(digest=digest, review=review, cleared=False, vetoed=False),),
        inbox_gone=((review, f"request-{number - 1}"),),
        inbox=(
            InboxRow(
                review=review,
                request=f"request-{number}",
                kind="report",
                who=review,
                held=True,
                queued=False,
                revision=number,
                due=AT,
            ),
        ),
        outbox=(OutboxRow(stream=stream, version=end[0] + EVENTS, type="Happened", at=AT),),
        answered=Answered(asker=asker, key=key, body_hash=HASH, reply=reply_to(number), at=AT),
    )


def append(stream: str, end: tuple[int, bytes], key: str, count: int = EVENTS) -> Append:
    """Events after this end of a stream, linked as by the gate."""
    after, link = end
    entries = []
    for version in range(after + 1, after + count + 1):
        event = Stored(
            seq=0,
            stream=stream,
            version=version,
            type="Happened",
            schema=1,
            at=AT,
            actor="ann",
            cause=key,
            body=f'{{"version":{version}}}',
            chain=b"",
        )
        link = link_of(link, event)
        entries.append(Entry(type=event.type, schema=1, body=event.body, chain=link))
    return Append(stream=stream, after=after, at=AT, actor="ann", cause=key, entries=tuple(entries))


def faults_in(look: Reading, answers: dict[str, str], *, asker: str = "ann") -> list[str]:
    """The inconsistencies with the replies given, or within the store."""
    effects = Counter(one.cause for one in whole_log(look))
    faults = [f"{key} was answered and is lost" for key in answers if not effects[key]]
    faults += [f"{key} happened {times / EVENTS:g} times" for key, times in effects.items() if times != EVENTS]
    faults += [f"{key} happened and nobody was told" for key in effects if key not in answers]
    for key, reply in answers.items():
        if look.known("", asker, key).reply != reply:
            faults.append(f"{key} was answered {reply}, and the store says otherwise")
    for head in look.heads(limit=10_000):
        faults += _faults_in_stream(look, head)
    return faults


def whole_log(look: Reading) -> list[Stored]:
    """Every event. Not read by `tail`, which waits for open transactions, also of a dying backend."""
    events = (event for head in look.heads(limit=10_000) for event in look.events(head.stream))
    return sorted(events, key=lambda one: one.seq)


def broken_links(events: Iterable[Stored]) -> list[str]:
    """The events of one stream that are not linked to the one before."""
    link, faults = ROOT, []
    for version, event in enumerate(events, start=1):
        link = link_of(link, event)
        if (event.version, event.chain) != (version, link):
            faults.append(f"{event.stream} {event.version} is not linked to the one before")
    return faults


def _faults_in_stream(look: Reading, head: Head) -> Iterator[str]:
    events = tuple(look.events(head.stream))
    yield from broken_links(events)
    if (head.version, head.chain) != (len(events), events[-1].chain):
        yield f"{head.stream} ends otherwise than its head says"
    review = head.stream.removeprefix("review/")
    number = len(events) // EVENTS
    row = look.review(review)
    if row is None or row.revision != number or not look.digests(row.digest):
        yield f"{review} has {number} revisions, its row says {row}"
    if [one.request for one in look.inbox(review)] != [f"request-{number}"]:
        yield f"{review} waits for request-{number}, its inbox says otherwise"
