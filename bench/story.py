"""One lifecycle, the unit of work of these benchmarks, played through the shipped gate.

Open (2 KiB of work), a report with three findings, a revision that answers them, an approving report, the gate's yes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from foureyes.app.asks import Ask, Reply
from foureyes.app.gate import Gate, new_key
from foureyes.app.ports import Reading, Store
from foureyes.app.work import Work, work_of
from foureyes.core import commands as c
from foureyes.core.facts import Principal
from foureyes.core.values import Evidence, Place, Who
from foureyes.policy import load_text
from foureyes.store.memory import MemoryStore
from foureyes.store.postgres import PostgresStore
from foureyes.store.sqlite_store import SqliteStore

WORK_BYTES = 2048
LINES = "def transfer(a, b, amount):\n    a.balance -= amount\n    b.balance += amount\n" * 28
FOUND = (
    ("major", "No check that amount is positive. " * 4),
    ("major", "Two writes without a transaction. " * 4),
    ("minor", "The name does not say what unit amount is in. " * 3),
)
#: Evidence of the reviewer for the fixed version.
CHECKED = Evidence(what="transfer.py", why="the amount is checked and both writes are one transaction")
TARGET = "production"
AUTHOR = Who(name="dev", operator="acme", model_family="claude", session="s-dev")
REVIEWER = Who(name="codex", operator="bolt", model_family="gpt", session="s-codex")
FILE = b"""version: 1
reviewers: {agent: [{command: codex}]}
kinds: {default: solo}
solo: {programs: [], agents: [agent], quorum: 1, max_revisions: 2, coverage: 100}
"""
POLICY = load_text("foureyes.yaml", FILE, lambda _: b"").policy
#: The ids that the gate gives the findings of the first report.
FINDINGS = tuple(f"solo.1-F{number}" for number in range(1, len(FOUND) + 1))


class Pool:
    """A pool of one reviewer."""

    def pool(self, _: Reading) -> tuple[Principal, ...]:
        """The reviewers that may be asked."""
        return (Principal(who=REVIEWER, roles=frozenset({"agent"})),)


def gate_on(store: Store) -> Gate:
    """The gate as a program embeds it."""
    return Gate(store, Pool(), policy=POLICY)


def text(number: int, revision: int) -> bytes:
    """Two KiB of new text: a finding in one such text does not match another."""
    lines = LINES.replace("amount", f"amount{number}")
    return f"# {number}.{revision}\n{lines}".encode()[:WORK_BYTES]


def work(number: int, revision: int) -> Work:
    """The work that consists of this text."""
    return work_of({"transfer.py": text(number, revision)})


def opening(number: int, again: int = 0) -> Ask:
    """Request that opens a review; `again` makes it a new review of the same bytes."""
    new = work(number, 1)
    if again:
        contents = {one.name: new.blobs[one.digest] for one in new.parts}
        new = work_of({**contents, "more.txt": f"{again}\n".encode()})
    command = c.OpenReview(review="", kind="code", title="Transfer", digest=new.digest, parts=new.parts)
    return Ask(actor=AUTHOR, key=new_key(), command=command, blobs=new.blobs)


def objecting(stream: str, judged: Work, line: int = 0) -> Ask:
    """Report with three findings on bytes that were served, about the whole file or at a line."""
    place = Place(path="transfer.py", start=line, end=line) if line else None
    drafts = tuple(
        c.Draft(severity=severity, text=text, category="bug", evidence="Seen in transfer()", place=place)
        for severity, text in FOUND
    )
    command = c.SubmitReport(revision=1, verdict="reject", findings=drafts)
    return Ask(actor=REVIEWER, key=new_key(), command=command, stream=stream, loaded=judged.digest)


def revising(stream: str, new: Work) -> Ask:
    """Revision whose new bytes answer all three findings."""
    answers = tuple(c.Answer(finding=one, text="Done as you say.") for one in FINDINGS)
    command = c.SubmitRevision(digest=new.digest, parts=new.parts, answers=answers)
    return Ask(actor=AUTHOR, key=new_key(), command=command, stream=stream, blobs=new.blobs)


def approving(stream: str, judged: Work) -> Ask:
    """Approving report on these bytes, with its evidence."""
    settled = tuple(c.Settlement(finding=one, resolved=True) for one in FINDINGS)
    command = c.SubmitReport(revision=2, verdict="approve", evidence=(CHECKED,), settled=settled)
    return Ask(actor=REVIEWER, key=new_key(), command=command, stream=stream, loaded=judged.digest)


async def lifecycle(gate: Gate, number: int) -> Reply:
    """Play a lifecycle; a gate that says no stops the measurement."""
    stream = (await gate.handle(opening(number))).stream
    await gate.handle(objecting(stream, work(number, 1)))
    new = work(number, 2)
    await gate.handle(revising(stream, new))
    reply = await gate.handle(approving(stream, new))
    answer = await gate.may_go_live(new.digest, TARGET)
    assert answer.allowed, f"the gate said {answer.state} for {stream}: {answer.reason}"
    return reply


async def several(gate: Gate, number: int) -> str:
    """Return the digest of bytes that were in five reviews, of which the last cleared them."""
    judged = work(number, 1)
    for _ in range(4):
        stream = (await gate.handle(opening(number))).stream
        withdrawal = c.WithdrawReview(reason="Once more.")
        await gate.handle(Ask(actor=AUTHOR, key=new_key(), command=withdrawal, stream=stream))
    stream = (await gate.handle(opening(number))).stream
    approval = c.SubmitReport(revision=1, verdict="approve", evidence=(CHECKED,))
    ask = Ask(actor=REVIEWER, key=new_key(), command=approval, stream=stream, loaded=judged.digest)
    await gate.handle(ask)
    return judged.digest


@asynccontextmanager
async def opened(place: str) -> AsyncIterator[Store]:
    """Open a store by its place: `memory`, a PostgreSQL URL, or the path of a file."""
    store: Store
    if place == "memory":
        store = MemoryStore()
    elif "host=" in place or place.startswith("postgresql:"):
        store = PostgresStore.open(place)
    else:
        store = SqliteStore.open(Path(place))
    try:
        yield store
    finally:
        await store.close()
