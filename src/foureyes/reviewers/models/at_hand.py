"""Which models are at hand, and what is missing for those that are not? Nothing is loaded and nobody is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.util import find_spec

from foureyes.app.reviewers import Missing
from foureyes.policy.policy import Model
from foureyes.reviewers.models.endpoints import ENDPOINT, PROVIDERS, Endpoint, Provider, key_in, wrong_url
from foureyes.reviewers.models.reviewer import ModelReviewer

INSTALL = "pip install 'foureyes[models]'"


def at_hand(environ: Mapping[str, str]) -> tuple[tuple[ModelReviewer, ...], tuple[Missing, ...]]:
    """A reviewer for each provider whose key or address is set, and what keeps the others of them away."""
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
    """One reviewer for a role of the policy: the first of its models that is at hand, the others behind it."""
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
    """Whether somebody set it up: by its key, or an own endpoint by its address."""
    if provider.name == ENDPOINT:
        return bool(environ.get(provider.url, "").strip())
    return bool(key_in(provider, environ))


def _endpoint(provider: Provider, name: str, environ: Mapping[str, str]) -> Endpoint | Missing:
    called = f"{provider.name}:{name}" if name else provider.name
    url, key = environ.get(provider.url, "").strip(), key_in(provider, environ)
    if provider.name == ENDPOINT and not url:
        return Missing(name=called, why=f"{provider.url} is not set", next_step=f"export {provider.url}=http://…/v1")
    if not name:
        return Missing(name=called, why=f"{provider.model} is not set", next_step=f"export {provider.model}=NAME")
    if not key and provider.name != ENDPOINT:
        return Missing(name=called, why=f"{provider.keys[0]} is not set", next_step=f"export {provider.keys[0]}=…")
    wrong = wrong_url(url) if url else ""
    if wrong:
        return Missing(name=called, why=f"{provider.url} {wrong}", next_step=f"export {provider.url}=https://…")
    if not (_is_there("pydantic_ai") and _is_there(provider.module)):
        return Missing(name=called, why="what speaks to models is not installed", next_step=INSTALL)
    return Endpoint(provider=provider, name=name, key=key, url=url)


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
