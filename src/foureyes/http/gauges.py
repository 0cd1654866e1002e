"""Metrics about reviews, workers and notifications in the text format of Prometheus.

Only totals: no metric names a review or an author.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from foureyes.app.outbox import Outbox
from foureyes.app.pulse import Around, Pulse, age_seconds

Values = Iterable[tuple[str, int]]
_TOLD = (
    ("waiting", "What is still to be told there.", "gauge"),
    ("sent_total", "What was told there.", "counter"),
    ("failed_total", "Attempts that failed.", "counter"),
    ("given_up_total", "What was never told there.", "counter"),
)
_PENDING = (
    ("requests", "Requests for a report, a new version or a ruling that wait for their answer."),
    ("held", "Those that are somebody's, and not for whoever comes."),
    ("queued", "Those of somebody who has enough at hand."),
    ("overdue", "Those whose due time is over."),
)


def text_of(pulse: Pulse, around: Around, now: datetime) -> str:
    """All metrics, in the text format of Prometheus."""
    lines = list[str]()
    for name, says in _PENDING:
        lines += labelled(f"foureyes_pending_{name}", says, "kind", ((p.kind, getattr(p, name)) for p in pulse.pending))
    lines += labelled(
        "foureyes_leases",
        "Seats that a reviewer is at work on, and those whose reviewer gave no sign of life in time.",
        "state",
        (("held", pulse.leased), ("lapsed", pulse.lapsed)),
    )
    lines += [*_at_work(pulse, around), *_outbox(pulse)]
    lines += gauge("foureyes_spool_bytes", "What waits in files for the database.", around.spool_bytes)
    if around.checkpoint is not None:
        says = "How long ago the log was last signed, in seconds."
        lines += gauge("foureyes_checkpoint_age_seconds", says, age_seconds(around.checkpoint, now))
    lines += gauge("foureyes_hooks_off", "Places where somebody has hooks stop nothing.", len(pulse.off))
    return "\n".join(lines) + "\n"


def gauge(name: str, says: str, value: int) -> list[str]:
    """The lines of one gauge."""
    return [f"# HELP {name} {says}", f"# TYPE {name} gauge", f"{name} {value}"]


def labelled(name: str, says: str, label: str, values: Values, kind: str = "gauge") -> list[str]:
    """The lines of one metric with a value per label."""
    found = [f'{name}{{{label}="{_quoted(word)}"}} {value}' for word, value in values]
    return [f"# HELP {name} {says}", f"# TYPE {name} {kind}", *found]


def _at_work(pulse: Pulse, around: Around) -> list[str]:
    workers = pulse.workers
    lines = gauge("foureyes_workers", "Workers that live.", len(workers))
    hosts = ((one.name, len(one.offers)) for one in workers)
    lines += labelled("foureyes_worker_reviewers", "Reviewers that a worker hosts.", "worker", hosts)
    runs = ((one.name, one.runs) for one in workers)
    lines += labelled("foureyes_worker_runs", "Runs under way in a worker.", "worker", runs)
    queued = sum(one.queued for one in workers)
    lines += gauge("foureyes_runs_queued", "Runs that were given to a worker and have not begun.", queued)
    if around.runs is not None:
        lines += gauge("foureyes_runs", "Runs under way in this server.", around.runs)
    return lines


def _outbox(pulse: Pulse) -> list[str]:
    """Metrics of notifications by target; a target's name does not show its address."""
    found: Outbox = pulse.outbox
    lines = gauge("foureyes_outbox_waiting", "What is still to be told.", found.waiting)
    by_type = ((one.type, one.waiting) for one in pulse.types)
    lines += labelled("foureyes_outbox_rows", "What is still to be told, by type.", "type", by_type)
    ages = ((one.type, one.oldest_seconds) for one in pulse.types)
    lines += labelled("foureyes_outbox_oldest_seconds", "For how long the oldest of a type waits.", "type", ages)
    for name, says, kind in _TOLD:
        values = ((one.target, getattr(one, name.removesuffix("_total"))) for one in found.targets)
        lines += labelled(f"foureyes_notify_{name}", says, "target", values, kind)
    return lines


def _quoted(word: str) -> str:
    return word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
