"""How a call is made over HTTP: its method, its path and the status of its answer."""

from __future__ import annotations

from dataclasses import dataclass

GET, POST, PUT = "GET", "POST", "PUT"
BASE = "/api/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How one call is made: names in braces are fields of its form."""

    method: str
    #: Below the base, unless `absolute`.
    path: str
    #: The answer when all went well.
    status: int = 200
    #: Whether the path is a seed's own, which stands beside ours as it is.
    absolute: bool = False
    #: Other absolute paths by which the same is asked.
    also: tuple[str, ...] = ()
    #: Fields that stand behind the question mark though the rest is in a body.
    query: tuple[str, ...] = ()
    #: Whether bare bytes come as the body, piece by piece.
    streamed: bool = False
    #: Whether the answer bears a mark of exactly what it says, so that it need not be sent twice.
    marked: bool = False

    @property
    def paths(self) -> tuple[str, ...]:
        """Every whole path."""
        return (self.path if self.absolute else BASE + self.path, *self.also)
