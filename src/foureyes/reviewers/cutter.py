"""Redacts secrets from what a server serves: short texts in this process, the rest in a child with a time limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from foureyes.app.children import ChildError, shared
from foureyes.app.children.pool import REQUESTS
from foureyes.app.redaction import Cleaned, Cut
from foureyes.reviewers.boundary import UNSEARCHED, Version, cleaned, redacted, secrets_of
from foureyes.reviewers.known import NOTHING_KNOWN, Known, together

#: The most bytes that are searched in this process; that takes some milliseconds.
HERE_BYTES_MAX = 16 * 1024
UNREAD = "[withheld: it was not searched for secrets in time]\n"

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretsCutter:
    """The same redaction that hosted models get, for the readers of a server."""

    #: Processor seconds for one version, or for one long text.
    seconds: float

    def text(self, text: str, path: str, known: Any) -> str:
        """Return a short text without secrets, including those known from its review."""
        return clean_text((text, path, known))

    async def long_text(self, text: str, path: str, known: Any) -> str:
        """Return a long text without secrets; one that takes too long is withheld."""
        try:
            return await shared(REQUESTS).call(clean_text, (text, path, known), seconds=self.seconds)
        except ChildError:
            return UNSEARCHED + "\n" * text.count("\n")

    async def work(self, files: Mapping[str, bytes], before: Mapping[str, tuple[str, bytes]], known: Any) -> Cleaned:
        """Return a version without secrets; if it or a version before it takes too long, nothing of it is served."""
        if known is not None:
            with suppress(ChildError):
                return await self._called(cleaned, (dict(files), dict(before), known))
        cuts = tuple(Cut(path=one, line=0, kind="unsearched") for one in files)
        unread, first = UNREAD.encode(), next(iter(files), "")
        return Cleaned(
            files=dict.fromkeys(files, unread), before=dict.fromkeys(before, unread), cuts=cuts, withheld=first
        )

    async def secrets(self, files: Mapping[str, bytes], before: Mapping[str, tuple[str, bytes]]) -> Known | None:
        """Return the secrets of a version, to find them in texts about it; None if that takes too long."""
        try:
            return await self._called(secrets_of, (dict(files), dict(before), NOTHING_KNOWN))
        except ChildError:
            return None

    def together(self, known: Iterable[Known]) -> Known:
        """Combine the secrets of several versions."""
        return together(known)

    def is_empty(self, known: Known) -> bool:
        """True if there are no secrets at all."""
        return not known.plain and not known.pieces

    async def _called(self, job: Callable[[Version], T], work: Version) -> T:
        files, before, _ = work
        size = sum(map(len, files.values())) + sum(len(one) for _, one in before.values())
        if size <= HERE_BYTES_MAX:
            return job(work)
        return await shared(REQUESTS).call(job, work, seconds=self.seconds)


def clean_text(one: tuple[str, str, Known | None]) -> str:
    """Redact a text under its path and under none: a path may mark its content as no secret."""
    text, path, known = one
    clean = redacted(text, path, known=known or NOTHING_KNOWN)[0]
    return redacted(clean, known=known or NOTHING_KNOWN)[0] if path else clean
