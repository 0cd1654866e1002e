"""A record of the results of a reviewer's calls, which can let the reviewer die in one of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field


class Died(BaseException):
    """The process is gone."""


@dataclass
class Notebook:
    """The recorded results in order; a second reviewer with the same notebook continues from there."""

    written: list[tuple[str, str]] = field(default_factory=list)
    #: Dies instead of making the call of this number.
    dies_at: int = 0
    _at: int = 0

    def again(self) -> Notebook:
        """A notebook with the same records, for the next reviewer."""
        return Notebook(self.written)

    async def once(self, name: str, call: Callable[[], Awaitable[str]]) -> str:
        """Make a call, or give what it came to before."""
        self._at += 1
        if self._at <= len(self.written):
            known, text = self.written[self._at - 1]
            assert known == name
            return text
        if self._at == self.dies_at:
            raise Died
        text = await call()
        self.written.append((name, text))
        return text
