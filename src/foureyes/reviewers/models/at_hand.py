"""Finds the models that are configured, and what others lack; loads no library and calls no provider."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.util import find_spec

from foureyes.app.reviewers import Missing
from foureyes.policy.policy import Model
from foureyes.reviewers.models.endpoints import (
    CONTEXT,
    CONTEXT_MIN,
    ENDPOINT,
    PROVIDERS,
    Endpoint,
    Provider,
    key_in,
    wrong_url,
)
from foureyes.reviewers.models.reviewer import ModelReviewer

NOT_INSTALLED = "what speaks to models is not installed"
CONTEXT_DIGITS_MAX = 9
INSTALL = "pip install 'foureyes[models]'"


def at_hand(environ: Mapping[str, str]) -> tuple[tuple[ModelReviewer, ...], tuple[Missing, ...]]:
    """Return a reviewer for each provider whose key or address is set, and what the other ones lack."""
    reviewers: list[ModelReviewer] = []
    missing: list[Missing] = []
    for provider in PROVIDERS.values():
        if not _is_meant(provider, environ):
            continue
        name = environ.get(provider.model, "").strip() or provider.default
        found = _endpoint(provider, name, environ)
        if isinstance(found, Endpoint):
            reviewers.append(ModelReviewer(name=found.id, endpoints=(found,)))
        else:
            missing.append(found)
    return tuple(reviewers), tuple(missing)


def for_role(
    role: str, models: Iterable[Model], environ: Mapping[str, str]
) -> tuple[ModelReviewer | None, tuple[Missing, ...]]:
    """Return one reviewer for a role of the policy: its first available model, with the others behind it."""
    endpoints: list[Endpoint] = []
    missing: list[Missing] = []
    for model in models:
        provider = PROVIDERS.get(model.provider)
        found = _endpoint(provider, model.name, environ) if provider else _unknown(model)
        if isinstance(found, Endpoint):
            endpoints.append(found)
        else:
            missing.append(found)
    name = f"{role} ({endpoints[0].id})" if endpoints else role
    return (ModelReviewer(name=name, endpoints=tuple(endpoints)) if endpoints else None), tuple(missing)


def _is_meant(provider: Provider, environ: Mapping[str, str]) -> bool:
    """True if the provider is configured: by its key, or an own endpoint by its address."""
    if provider.name == ENDPOINT:
        return bool(environ.get(provider.url, "").strip())
    return bool(key_in(provider, environ))


def _endpoint(provider: Provider, name: str, environ: Mapping[str, str]) -> Endpoint | Missing:
    url, key = environ.get(provider.url, "").strip(), key_in(provider, environ)
    context = environ.get(CONTEXT, "").strip() if provider.name == ENDPOINT else ""
    lacks = _lacks(provider, name, url=url, key=key, context=context)
    if lacks:
        return Missing(name=f"{provider.name}:{name}" if name else provider.name, why=lacks[0], next_step=lacks[1])
    return Endpoint(provider=provider, name=name, key=key, url=url, context=int(context or 0))


def _lacks(provider: Provider, name: str, *, url: str, key: str, context: str) -> tuple[str, str] | None:
    """Return what a model lacks, and what to do about it."""
    is_own = provider.name == ENDPOINT
    wrong = wrong_url(url) if url else ""
    checks = (
        (is_own and not url, f"{provider.url} is not set", f"export {provider.url}=http://…/v1"),
        (not name, f"{provider.model} is not set", f"export {provider.model}=NAME"),
        (not is_own and not key, f"{provider.keys[0]} is not set", f"export {provider.keys[0]}=…"),
        (bool(wrong), f"{provider.url} {wrong}", f"export {provider.url}=https://…"),
        (
            bool(context) and not _is_context(context),
            f"{CONTEXT} is no number of tokens from {CONTEXT_MIN:,} on",
            f"export {CONTEXT}=32768",
        ),
        (not (_is_there("pydantic_ai") and _is_there(provider.module)), NOT_INSTALLED, INSTALL),
    )
    return next(((why, step) for is_lacking, why, step in checks if is_lacking), None)


def _is_context(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= CONTEXT_DIGITS_MAX and int(text) >= CONTEXT_MIN


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _unknown(model: Model) -> Missing:
    known = ", ".join(PROVIDERS)
    return Missing(
        name=f"{model.provider}:{model.name}",
        why=f"nobody knows a provider called {model.provider}",
        next_step=f"name one of {known} in the policy",
    )
