"""Outcomes of rounds that a user may meet: fixed values, so that all renderings can be compared."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from foureyes.app.reviewers import Unread
from foureyes.app.reviewing.outcome import (
    Agreement,
    Command,
    Dismissed,
    Found,
    Independence,
    Looked,
    LookedKind,
    LookedState,
    NotLooked,
    Outcome,
    Settled,
    Waiting,
)
from foureyes.core.values import Severity, Verification

AT = datetime(2026, 11, 16, 14, 0, tzinfo=UTC)
DIGEST = "sha256:4be1c09d7a7b44f1e0a4b3b36b1e4c4f1b8f4f6f2a5d7d8e9f0a1b2c3d4e5f60"
CRITICS = ("format", "security", "injection", "factual", "python")
#: Text that an attacker may put into a file name, a line of code or a sentence.
HOSTILE = (
    "\udcff\x1b[2J\x1b]52;c;eA==\x07\u202e\u2066evil\u2069\r\n"
    "@everyone <img src=x onerror=alert(1)> `x` [a](http://e) |"
)


def program(name: str, state: LookedState = LookedState.FOUND_NOTHING) -> Looked:
    return Looked(reviewer=name, kind=LookedKind.PROGRAM, state=state, seconds=0.1)


PIPE = Found(
    ids=("solo.1-F1", "solo.2-F1"),
    severity=Severity.CRITICAL,
    text="What a server sends is run as it comes.",
    category="security",
    rule="security.destructive.pipe-to-shell",
    path="deploy.sh",
    line=14,
    end=14,
    quote="curl -s https://get.example/install.sh | sudo sh",
    why="A program from the net gets your rights before anybody has read it.",
    suggestion="Download it, compare its hash with the published one, then run it.",
    raised_by=("security", "Claude Code"),
    agreement=Agreement.AGREED,
    verification=Verification.CONFIRMED,
    blocking=True,
    fingerprint="9f2c1a",
)
KEY = Found(
    ids=("solo.1-F2",),
    severity=Severity.IMPORTANT,
    text="An access key stands in the code.",
    category="security",
    rule="security.credentials.aws",
    path="app/settings.py",
    line=3,
    quote='AWS_KEY = "AKIA••••••••••••••••"',
    why="Whoever can read the repository can use it, for as long as it lives.",
    suggestion="Revoke it, and read it from the environment.",
    raised_by=("security",),
    blocking=True,
    fingerprint="77aa01",
    cause="credentials",
)
NOTE = Found(
    ids=("solo.2-F3",),
    severity=Severity.MINOR,
    text="The name says nothing.",
    path="app/main.py",
    line=9,
    raised_by=("Claude Code",),
    why_not_blocking="below what blocks",
    fingerprint="0b0b0b",
)
CLAUDE = Looked(
    reviewer="Claude Code",
    kind=LookedKind.AGENT,
    state=LookedState.HAS_FINDINGS,
    summary="The installer is the risk here.",
    seconds=41.3,
    usd_micro=123_000,
    tokens=18_400,
    looked_at="4 files",
    findings=2,
)
CODEX = Looked(
    reviewer="Codex",
    kind=LookedKind.AGENT,
    state=LookedState.INCONCLUSIVE,
    reason="over its limit",
    until=AT,
    seconds=2.0,
)
GEMINI = NotLooked(who="Gemini CLI", why="not installed", next_step="npm install -g @google/gemini-cli")
BLOCKED = Outcome(
    review="r7",
    revision=1,
    revisions_max=3,
    digest=DIGEST,
    title="Install the agent on every host",
    kind="code",
    gate="2 findings are open",
    waits=(Waiting(who="the author", what="a new version"),),
    found=(
        NOTE,
        KEY,
        PIPE,
        *(replace(KEY, ids=(f"solo.1-F{n + 10}",), path=f"app/region_{n}.py", line=n) for n in range(1, 13)),
    ),
    older=14,
    looked=(
        *(program(name) for name in CRITICS if name != "security"),
        program("security", LookedState.HAS_FINDINGS),
        CLAUDE,
        CODEX,
    ),
    not_looked=(GEMINI,),
    unread=(Unread(path="logo.png", why="binary"),),
    ignored=("docs/**",),
    independence=Independence(level=1, words="another session of the author's model"),
    usd_micro=123_000,
    tokens=18_400,
    seconds=43.1,
    files=4,
    lines=62,
    policy_from="built in",
)
CLEAN = Outcome(
    review="r8",
    digest=DIGEST,
    title="Say hello",
    kind="code",
    looked=tuple(program(name) for name in CRITICS),
    not_looked=(NotLooked(who="Claude Code", why="not installed"), NotLooked(who="Codex", why="not installed")),
    seconds=0.4,
    files=1,
    lines=20,
    policy_from="built in",
)
LATER = replace(
    BLOCKED,
    revision=2,
    found=(replace(KEY, is_new=False, verification=Verification.PLAUSIBLE), NOTE),
    older=0,
    settled=(Settled(id="solo.1-F1", text=PIPE.text, path="deploy.sh", line=14, how="fixed"),),
    dismissed=(
        Dismissed(found=replace(NOTE, ids=("solo.2-F9",)), by="eve", because="the name is the domain's", at=AT),
    ),
    notes=("Rule python.assert was retired by eve.",),
)
CLEARED = replace(CLEAN, state="cleared", looked=(*CLEAN.looked, replace(CLAUDE, state=LookedState.FOUND_NOTHING)))
REVIEWED = replace(CLEARED, state="open", gate="two more reviewers are needed")
PENDING = replace(
    REVIEWED,
    pending=True,
    gate="the reviewers disagree",
    waits=(Waiting(who="a person", what="a ruling", how="foureyes why r8"),),
)
NOBODY = replace(CLEAN, looked=(CODEX,), not_looked=())
UNCLEAR = replace(CLEAN, unclear="the command cannot be read: it is built while it runs", kind="command", files=0)
STOPPED = replace(BLOCKED, interrupted=True)
REJECTED = replace(CLEAN, state="rejected", gate="eve rejected it")
MANY = replace(
    BLOCKED,
    found=tuple(
        replace(PIPE, ids=(f"solo.1-F{n}",), path=f"hosts/h{n}.sh", line=n + 1, cause="", blocking=n % 2 == 0)
        for n in range(1000)
    ),
)
EVIL = replace(
    BLOCKED,
    title=HOSTILE,
    gate=HOSTILE,
    found=(
        replace(PIPE, text=HOSTILE, path=HOSTILE, quote=HOSTILE, why=HOSTILE, suggestion=HOSTILE, evidence=HOSTILE * 2),
        replace(KEY, rule=HOSTILE, ids=(HOSTILE,), raised_by=(HOSTILE,), category=HOSTILE, cause=""),
    ),
    looked=(replace(CLAUDE, reviewer=HOSTILE, summary=HOSTILE), replace(CODEX, reason=HOSTILE)),
    not_looked=(NotLooked(who=HOSTILE, why=HOSTILE, next_step=HOSTILE),),
    unread=(Unread(path=HOSTILE, why=HOSTILE),),
    ignored=(HOSTILE,),
    independence=Independence(level=1, words=HOSTILE),
    policy=HOSTILE,
    policy_from=HOSTILE,
    notes=(HOSTILE,),
    settled=(Settled(id=HOSTILE, text=HOSTILE, path=HOSTILE, how=HOSTILE),),
    dismissed=(Dismissed(found=replace(NOTE, text=HOSTILE, path=HOSTILE), by=HOSTILE, because=HOSTILE),),
    next=(Command(line=HOSTILE, does=HOSTILE),),
)
LONG = replace(
    BLOCKED,
    title="word " * 500,
    found=(
        replace(PIPE, path="deep/" * 100 + "a.sh", quote="x" * 1_000_000, text="long " * 5000, evidence="y" * 10_000),
    ),
)
REPORT = """## Review result: Say \\*hello\\*, round 1

**Strategy:** Speculative parallel (4 reviewers; spec and quality at once)
**Confidence: High (0.85)** — both found nothing grave
**Decision:** a person decides (to have it decided by itself: `auto_approve: true`)

### Spec findings

| Group | Count | Severity | What follows |
|---|---|---|---|
| Agreed | 0 | — | — |
"""
PANEL = replace(PENDING, report=REPORT)
HELD = replace(PENDING, held_up="a human is deciding about the version before")
NOTHING = Outcome(review="", digest="", title="Uncommitted changes on main", kind="code", nothing=True)
EVERY = {
    "nothing": NOTHING,
    "held-up": HELD,
    "panel": PANEL,
    "blocked": BLOCKED,
    "clean": CLEAN,
    "later": LATER,
    "cleared": CLEARED,
    "reviewed": REVIEWED,
    "pending": PENDING,
    "nobody": NOBODY,
    "unclear": UNCLEAR,
    "stopped": STOPPED,
    "rejected": REJECTED,
    "many": MANY,
    "evil": EVIL,
    "long": LONG,
}
