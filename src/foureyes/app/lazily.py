"""Mappings and sequences that are loaded on first use: most commands need few facts, and each costs a query."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar, overload

V = TypeVar("V")


class LazyMapping(Mapping[str, V]):
    """A mapping that is looked up as a whole when it is first used."""

    __slots__ = ("_load", "_values")

    def __init__(self, load: Callable[[], Mapping[str, V]]) -> None:
        """Keep the loader; nothing is loaded yet."""
        self._load = load
        self._values: Mapping[str, V] | None = None

    def _get(self) -> Mapping[str, V]:
        if self._values is None:
            self._values = self._load()
        return self._values

    def __getitem__(self, key: str) -> V:
        return self._get()[key]

    def __contains__(self, key: object) -> bool:
        return key in self._get()

    def __iter__(self) -> Iterator[str]:
        return iter(self._get())

    def __len__(self) -> int:
        return len(self._get())


class LazySequence(Sequence[V]):
    """A sequence that is looked up when it is first used."""

    __slots__ = ("_load", "_values")

    def __init__(self, load: Callable[[], Sequence[V]]) -> None:
        """Keep the loader; nothing is loaded yet."""
        self._load = load
        self._values: Sequence[V] | None = None

    def _get(self) -> Sequence[V]:
        if self._values is None:
            self._values = self._load()
        return self._values

    @overload
    def __getitem__(self, index: int) -> V: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[V]: ...
    def __getitem__(self, index: int | slice) -> V | Sequence[V]:
        return self._get()[index]

    def __iter__(self) -> Iterator[V]:
        return iter(self._get())

    def __len__(self) -> int:
        return len(self._get())
