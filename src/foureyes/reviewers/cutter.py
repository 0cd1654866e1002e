"""Take secrets out of what a server serves: what is short here, the rest in a child process that is cut off in time."""

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

#: Bytes that are searched in this process: some milliseconds.
HERE_BYTES_MAX = 16 * 1024
UNREAD = "[withheld: it was not searched for secrets in time]\n"

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretsCutter:
    """The redaction that hosted models get, for whoever is served."""

    #: Processor seconds for one version, or for one long text.
    seconds: float

    def text(self, text: str, path: str, known: Any) -> str:
        """A short text without secrets, those that are known of its review too."""
        return clean_text((text, path, known))

    async def long_text(self, text: str, path: str, known: Any) -> str:
        """The same for a long one; one that takes too long is withheld."""
        try:
            return await shared(REQUESTS).call(clean_text, (text, path, known), seconds=self.seconds)
        except ChildError:
            return UNSEARCHED + "\n" * text.count("\n")

    async def work(self, files: Mapping[str, bytes], before: Mapping[str, tuple[str, bytes]], known: Any) -> Cleaned:
        """A version without secrets; where that or a version before it takes too long, nothing of it is served."""
        if known is not None:
            with suppress(ChildError):
                return await self._called(cleaned, (dict(files), dict(before), known))
        cuts = tuple(Cut(path=one, line=0, kind="unsearched") for one in files)
        unread, first = UNREAD.encode(), next(iter(files), "")
        return Cleaned(
            files=dict.fromkeys(files, unread), before=dict.fromkeys(before, unread), cuts=cuts, withheld=first
        )

    async def secrets(self, files: Mapping[str, bytes], before: Mapping[str, tuple[str, bytes]]) -> Known | None:
        """The secrets of a version, to be found again in what is said of it; None where it takes too long."""
        try:
            return await self._called(secrets_of, (dict(files), dict(before), NOTHING_KNOWN))
        except ChildError:
            return None

    def together(self, known: Iterable[Known]) -> Known:
        """The secrets of several versions as those of one."""
        return together(known)

    def is_empty(self, known: Known) -> bool:
        """True if these are no secrets at all."""
        return not known.plain and not known.pieces

    async def _called(self, job: Callable[[Version], T], work: Version) -> T:
        files, before, _ = work
        size = sum(map(len, files.values())) + sum(len(one) for _, one in before.values())
        if size <= HERE_BYTES_MAX:
            return job(work)
        return await shared(REQUESTS).call(job, work, seconds=self.seconds)


def clean_text(one: tuple[str, str, Known | None]) -> str:
    """A text without secrets, by its path and by none: a path may say that what it holds is no secret."""
    text, path, known = one
    clean = redacted(text, path, known=known or NOTHING_KNOWN)[0]
    return redacted(clean, known=known or NOTHING_KNOWN)[0] if path else clean
