"""The extra of this package that brings a module which is not installed."""

from __future__ import annotations

from foureyes.home.trouble import Trouble

#: The modules that each extra brings; `cluster` brings psycopg too.
_EXTRAS = {
    "server": ("httptools", "mcp", "starlette", "uvicorn", "uvloop"),
    "postgres": ("psycopg",),
    "cluster": ("dbos",),
    "models": ("pydantic_ai", "anthropic", "openai", "google"),
    "secrets": ("credsweeper",),
    "apprise": ("apprise",),
}


def missing(module: str | None) -> Trouble | None:
    """Return what to install for a missing module; None if no extra brings it."""
    name = (module or "").partition(".")[0]
    extra = next((extra for extra, modules in _EXTRAS.items() if name in modules), "")
    if not extra:
        return None
    how = f"In the checkout that foureyes was installed from run: pip install '.[{extra}]'"
    return Trouble(f"The package {name} is not installed; the extra `{extra}` of foureyes brings it.", how)
