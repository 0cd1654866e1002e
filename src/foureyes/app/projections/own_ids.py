"""Finds reviews by an id or task of the caller's own: the newest of each author under that name.

Rows: `own/<id>/<author>`, for the reference and for the task a review was opened with; and
`task/<task>/<author>/<step>/<kind>`, for the newest run of one step of a task.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from foureyes.app.ports import Reading
from foureyes.app.projections.projection import Changed, Happened, Projection, Read, key, slot_of, types
from foureyes.core.events import ReviewOpened

#: Most authors looked at under one name.
AUTHORS_MAX = 100


def changes(one: Happened, _: Read) -> Changed:
    """Write the rows of a review that was opened."""
    if not isinstance(one.event, ReviewOpened):
        return
    origin, author = one.event.origin, one.event.author.name
    for name in dict.fromkeys((origin.ref, origin.task)):
        if name:
            yield key("own", name, author), {"review": one.review.id, "author": author, "trigger": one.event.trigger}
    if origin.task:
        yield key("task", origin.task, author, origin.step, one.event.kind), {"review": one.review.id}


OWN_IDS = Projection(name="own_ids", version=2, takes=types(ReviewOpened), changes=changes)


def reviews_named(reading: Reading, name: str) -> Iterator[tuple[str, str, str]]:
    """Yield the review, its author and its trigger, for each author with a review under this name."""
    for _, body in reading.rows(slot_of(reading, OWN_IDS.name), f"{key('own', name)}/", limit=AUTHORS_MAX):
        row = json.loads(body)
        yield row["review"], row["author"], row["trigger"]


def newest_run(reading: Reading, task: str, author: str, step: str, kind: str) -> str:
    """Return the author's newest review of this step of a task, judged as this kind; empty if there is none."""
    name = key("task", task, author, step, kind)
    rows = reading.rows(slot_of(reading, OWN_IDS.name), name, limit=1)
    return next((str(json.loads(body)["review"]) for found, body in rows if found == name), "")
