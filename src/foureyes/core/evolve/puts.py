"""How does a frozen review get a changed copy? Small helpers for mappings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from foureyes.core.model import Finding, Request, Review

K = TypeVar("K")
V = TypeVar("V")


def put(mapping: Mapping[K, V], key: K, value: V) -> dict[K, V]:
    return {**mapping, key: value}


def without(mapping: Mapping[str, V], key: str) -> Mapping[str, V]:
    return {one: value for one, value in mapping.items() if one != key} if key in mapping else mapping


def with_request(review: Review, request: Request) -> Review:
    return replace(review, requests=put(review.requests, request.id, request))


def with_finding(review: Review, finding: Finding) -> Review:
    return replace(review, findings=put(review.findings, finding.id, finding))
