"""How a call is made over HTTP: its method, its path and the status of its answer."""

from __future__ import annotations

from dataclasses import dataclass

GET, POST, PUT = "GET", "POST", "PUT"
BASE = "/api/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """Method, path and status of one call; names in braces are fields of its form."""

    method: str
    #: Below the base, unless `absolute`.
    path: str
    #: The answer when all went well.
    status: int = 200
    #: Whether the path is outside the base path, such as one that a seed specifies.
    absolute: bool = False
    #: Other absolute paths of the same call.
    also: tuple[str, ...] = ()
    #: Fields that may be query parameters although the others are in the body.
    query: tuple[str, ...] = ()
    #: Whether the body is raw bytes, read piece by piece.
    streamed: bool = False
    #: Whether the answer has an ETag over its bytes, so that an unchanged answer is not sent again.
    marked: bool = False

    @property
    def paths(self) -> tuple[str, ...]:
        """Every absolute path of the call."""
        return (self.path if self.absolute else BASE + self.path, *self.also)
