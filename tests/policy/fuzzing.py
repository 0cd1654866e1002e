"""Mutate a valid policy by bytes, by lines and by values; every mutation follows from its seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from foureyes.policy.load import shipped_text
from tests.policy.documents import ESCALATION, ONCE

FULL = b"""\
version: 1
name: full
enabled: true
mode: {default: enforce, docs: watch}
reviewers:
  auditor: {command: codex}
  hardin: [{program: security}, {model: anthropic:claude-sonnet-4-5}]
kinds:
  story: resolve
  create_core: peer
  security_change: [peer, {chain: security}]
  task: panel
  default: solo
paths: {"migrations/**": database_migration, "auth/**": [security_change, task]}
risks: {high: {chain: security}, low: solo}
ignore: ["docs/**", "*.lock"]
budget: {review_usd: 1.5, day_usd: null}
humans: {leads: [ann, bob]}
targets: {production: 2}
clearance: {expires_hours: 24, single_use: [trade]}
resolve: {min_reviewers: 2, blind: true, ruling: {needs: 2, group: leads}, times: {human_hours: null}}
peer:
  review_required: {actions: [create_core], skip_if: [{action_type: fix_typo}, {has_auto_skip_pattern: true}]}
  reviewer_matrix: {dev: {primary: auditor, backup: tester, escalate: human, reasons: [good]}}
  criteria: {task: {required: [{works: "It works"}], optional: {fast: {description: "Fast", checks: ["At least 5"]}}}}
  escalation: {auto_escalate_to_human: [{review_cycles: ">3"}, {time_exceeded: ">2 hours"}], human_timeout: 48}
chains:
  own: {layers: [{agent: ann, scope: format}, {agent: hardin, scope: security, veto: true}], max_retries: 1}
  steps: [{step: 1, name: deploy, agent: hardin, critic_chain: own, can_veto: true}]
session: {silence_minutes: 15, reviewers: 2}
panel: {strategy: single, single_model: opus, auto_approve: true, auto_approve_single: true}
solo: {programs: [program], agents: [agent, other], quorum: 2, coverage: 100}
notify: {human: ["discord://webhook/token"]}
"""

NAMES = ("solo.yaml", "team.yaml", "peer.yaml", "panel.yaml", "chains.yaml", "config/critic-chains.json")
SEEDS: tuple[tuple[str, bytes], ...] = (
    ("foureyes.yaml", FULL),
    *((name, shipped_text(name)) for name in NAMES),
    ("escalation.yaml", ESCALATION.encode()),
    ("matrix.yaml", ONCE.encode()),
)

VALUES = (
    b"0", b"-1", b"1", b"2", b"true", b"True", b"false", b"null", b"~", b"", b"[]", b"{}", b"[[]]", b"{a: b}", b"''",
    b"1.0", b"0.5", b"-0.0", b"1e3", b".nan", b".inf", b"NaN", b"0x10", b"0o7", b"1:30", b"99999999999999999999",
    b"yes", b"off", b"&a b", b"*a", b"!!int 1", b"<<", b"default", b"human", b"solo", b"[solo, solo]",
    b"{chain: own}", b"{file: ../x.yaml}", b"{file: x.json}", b"'>0'", b"'<100'", b"\xff", b"\x00", b'"\\ud800"',
    b"**", b"x" * 9_000, b"[" * 60, b"{a: " * 60, b"|", b">", b"%", b"@", b"`", b"---", b"...", b"\t", b"\r\n", b"#",
)  # fmt: skip

Spoil = Callable[[random.Random, bytes], bytes]


def spoilt(seed: int, rounds_max: int = 4) -> tuple[str, bytes]:
    """A valid file after one mutation, often, or after several."""
    rng = random.Random(seed)
    name, text = rng.choice(SEEDS)
    for _ in range(min(rounds_max, rng.choice((1, 1, 1, 2, 4)))):
        text = rng.choice(SPOILS)(rng, text)
    return name, text


def _flip(rng: random.Random, text: bytes) -> bytes:
    at = rng.randrange(len(text) or 1)
    return text[:at] + bytes([rng.randrange(256)]) + text[at + 1 :]


def _cut(rng: random.Random, text: bytes) -> bytes:
    start = rng.randrange(len(text) or 1)
    return text[:start] + text[start + rng.randint(1, 40) :]


def _insert(rng: random.Random, text: bytes) -> bytes:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(VALUES) + text[at:]


def _value(rng: random.Random, text: bytes) -> bytes:
    """Replace the value after a colon, up to the next delimiter or the end of the line."""
    colons = [at for at in range(len(text)) if text[at : at + 1] == b":"]
    if not colons:
        return text
    start = rng.choice(colons) + 1
    end = next((at for at in range(start, len(text)) if text[at : at + 1] in {b"\n", b",", b"}", b"]"}), len(text))
    return text[:start] + b" " + rng.choice(VALUES) + text[end:]


def _line(rng: random.Random, text: bytes) -> bytes:
    lines = text.split(b"\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[other])
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case _:
            lines[at] = b" " * rng.randrange(9) + lines[at].lstrip()
    return b"\n".join(lines)


def _splice(rng: random.Random, text: bytes) -> bytes:
    _, other = rng.choice(SEEDS)
    return text[: rng.randrange(len(text) + 1)] + other[rng.randrange(len(other)) :]


SPOILS: tuple[Spoil, ...] = (_flip, _cut, _insert, _value, _value, _value, _line, _splice)


def seeds(count: int, first: int = 0) -> Iterator[int]:
    """The seeds of a campaign."""
    yield from range(first, first + count)
