"""Print a script as Python source, so that it can be pasted into a test and played again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum

from foureyes.core import commands, events, lessons, live, policies, sessions, trust, values
from tests.sim import people, script, works
from tests.sim.script import Delivery
from tests.sim.works import Bytes


def source(value: object) -> str:
    """A value as Python source, without fields that have their default."""
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, datetime):
        return f"datetime.fromisoformat({value.isoformat()!r})"
    if isinstance(value, timedelta):
        return f"timedelta(seconds={value.total_seconds()})"
    if isinstance(value, tuple):
        return f"({''.join(source(one) + ', ' for one in value)})"
    if is_dataclass(value) and not isinstance(value, type):
        said = ((one.name, getattr(value, one.name), one.default) for one in fields(value))
        named = (f"{name}={source(now)}" for name, now, default in said if default is MISSING or now != default)
        given = ", ".join(named)
        return f"{type(value).__name__}({given})"
    return repr(value)


def printed(seed: int, tempers: Iterable[Enum], bytes_known: Iterable[Bytes], deliveries: Iterable[Delivery]) -> str:
    """Everything needed to play a script again in the world of a seed."""
    lines = [f"SEED = {seed}", f"TEMPERS = {source(tuple(tempers))}", "WORKS = ["]
    lines += [f"    {source(one)}," for one in bytes_known]
    lines += ["]", "SCRIPT = ["]
    lines += [f"    {source(one)}," for one in deliveries]
    return "\n".join([*lines, "]", ""])


def read(text: str) -> dict[str, object]:
    """Evaluate what `printed` wrote."""
    names: dict[str, object] = {"datetime": datetime, "timedelta": timedelta, "UTC": UTC}
    for module in (values, events, commands, lessons, live, policies, sessions, trust, people, works, script):
        names |= {name: one for name, one in vars(module).items() if isinstance(one, type)}
    exec(text, names)  # noqa: S102 - our own text, printed a moment ago or pasted by the person who runs the test
    return names
