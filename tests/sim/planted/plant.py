"""Plant a bug: replace one function of the core by a broken one, wherever it is used."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from tests.sim.people import Temper

#: A function of the core, or its replacement, which gets the original as its first argument.
Function = Callable[..., Any]

#: Modules that use the core under its own names: itself, and the simulated shell around it.
PATCHED = ("foureyes.core", "tests.sim.world", "tests.sim.run", "tests.sim.beside", "tests.sim.books")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bug:
    """One broken function, its source, and the invariant that must notice it."""

    name: str
    what: str
    source: str
    invariant: str
    where: str
    broken: Function
    seed: int
    tempers: tuple[Temper, ...]

    @contextmanager
    def planted(self) -> Iterator[None]:
        """The core with this bug in it."""
        module, _, path = self.where.partition(":")
        owner_name, _, attribute = path.rpartition(".")
        home = importlib.import_module(module)
        if owner_name:
            owner = getattr(home, owner_name)
            places: list[tuple[Any, str]] = [(owner, attribute)]
            original = vars(owner)[attribute]
        else:
            original = vars(home)[attribute]
            places = [(one, name) for one in _modules() for name, value in vars(one).items() if value is original]
        replaced = _replaced(original, self.broken)
        try:
            for place, name in places:
                setattr(place, name, replaced)
            yield
        finally:
            for place, name in places:
                setattr(place, name, original)


def _modules() -> list[ModuleType]:
    return [one for name, one in sorted(sys.modules.items()) if name.startswith(PATCHED) and one is not None]


def _replaced(original: Any, broken: Function) -> Any:
    if isinstance(original, property):
        return property(functools.partial(broken, original.fget))

    @functools.wraps(original)
    def stands_in(*given: Any, **named: Any) -> Any:
        return broken(original, *given, **named)

    return stands_in


def bug(
    where: str, *, source: str, found_by: str, seed: int = 1, tempers: tuple[Temper, ...] = ()
) -> Callable[[Function], Bug]:
    """Make a bug of a broken function, whose name and docstring become the bug's."""

    def made(broken: Function) -> Bug:
        return Bug(
            name=broken.__name__.replace("_", " "),
            what=(broken.__doc__ or "").strip(),
            source=source,
            invariant=found_by,
            where=where,
            broken=broken,
            seed=seed,
            tempers=tempers,
        )

    return made


def bugs_in(*modules: ModuleType) -> tuple[Bug, ...]:
    """Every bug the modules define, in order."""
    return tuple(value for one in modules for value in vars(one).values() if isinstance(value, Bug))
