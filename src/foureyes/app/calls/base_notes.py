"""Notes on a base or target that was named and is not known: the work is judged as if it had not been sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from foureyes.app.calls.call import Caller
from foureyes.app.calls.done import Done
from foureyes.app.calls.office import Office
from foureyes.app.ports import Unavailable
from foureyes.core.model import Revision
from foureyes.core.refusals import WORD_CHARS_MAX, Refusal
from foureyes.core.values import ON_TARGET, BaseSource


class NamesBase(Protocol):
    """A form that names a base."""

    @property
    def base(self) -> str: ...

    @property
    def target(self) -> str: ...


async def with_base_notes(office: Office, caller: Caller, done: Done, form: NamesBase) -> Done:
    """Add to what was done whether the base and the target that were named are known."""
    if not (form.base or form.target) or not done.digest:
        return done
    with suppress(Refusal, Unavailable):
        revision = (await office.gate.read(done.review, caller.who)).view.review.current
        return replace(done, notes=(*done.notes, *_notes(revision, form)))
    return done


def _notes(revision: Revision, form: NamesBase) -> Iterator[str]:
    known = revision.known_base
    if form.target and known.source not in ON_TARGET:
        instead = f"with {known.name}" if known.is_known else "with nothing"
        yield (
            f"The target {form.target[:WORD_CHARS_MAX]!r} has nothing yet that this server knows; the work was "
            f"compared {instead}. If the name is right, leave `target` out until something is live there."
        )
    if form.base and not known.is_known:
        yield (
            f"The base {form.base[:WORD_CHARS_MAX]!r} is no commit or branch that this server reads, so the whole work "
            "counts as new. Name a commit that a protected branch has, or leave `base` out."
        )
    if known.source is BaseSource.REPOSITORY and not revision.before:
        yield (
            f"The base {form.base[:WORD_CHARS_MAX]!r} is known, but none of these files is the same at every protected "
            "branch that this server reads, so all of them count as new. Name the `target` that the work is for: it is "
            "compared with what is live there."
        )
