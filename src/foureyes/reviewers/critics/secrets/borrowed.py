"""Find credentials without a fixed prefix with the plugins of detect-secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from foureyes.reviewers.critics.secrets import rules
from foureyes.reviewers.critics.secrets.found import Found, TooMany
from foureyes.reviewers.critics.secrets.values import is_dummy

if TYPE_CHECKING:
    from detect_secrets.plugins.base import RegexBasedDetector

#: The library takes a fifth of a second to load, so it is used only for lines that contain one of these.
_NEEDLES = ("cloudant", "softlayer", "bluemix", "ibm", "cos_", "cos-", "sl_api", "sl-api")
_HINTS = re.compile(r"cloudant|softlayer|bluemix|ibm[_-]?(?:cloud|iam|cos)|cos[_-]hmac|sl[_-]api")
_ARTIFACTORY = re.compile(r"[\s=:\"]AP[0-9A-F][A-Za-z0-9]{8}")
#: Its patterns are not bounded, so long lines are cut before they are passed to it.
_LINE_MAX = 1_000
_LINES_MAX = 400


def borrowed(text: str) -> Iterator[Found]:
    """Yield what detect-secrets finds in the lines that have a hint; raise TooMany."""
    start_of_done, done = 0, -1
    asked = 0
    for hint in _hints(text):
        if start_of_done <= hint.start() and hint.end() <= done:
            continue
        start = text.rfind("\n", 0, hint.start() + 1) + 1
        stop = text.find("\n", hint.end())
        done = len(text) if stop < 0 else stop
        if done - start > _LINE_MAX:
            start, done = max(start, hint.start() - 200), min(done, hint.end() + 600)
        start_of_done = start
        asked += 1
        if asked > _LINES_MAX:
            raise TooMany("lines for detect-secrets")
        yield from _line(text[start:done], start)


def _hints(text: str) -> Iterator[re.Match[str]]:
    if "AP" in text:
        yield from _ARTIFACTORY.finditer(text)
    lowered = text.lower()
    if len(lowered) == len(text) and any(needle in lowered for needle in _NEEDLES):
        yield from _HINTS.finditer(lowered)


def _line(line: str, offset: int) -> Iterator[Found]:
    from detect_secrets.filters.heuristic import (  # noqa: PLC0415 - see _HINTS
        is_likely_id_string,
        is_sequential_string,
        is_templated_secret,
    )

    for plugin in _plugins():
        for value in plugin.analyze_string(line):
            secret = value.strip(" \t\"'=:")
            at = line.find(secret)
            if at < 0 or not secret or is_dummy(secret):
                continue
            if is_sequential_string(secret) or is_templated_secret(secret) or is_likely_id_string(secret, line):
                continue
            yield Found(start=offset + at, end=offset + at + len(secret), rule=rules.OTHER, score=0.7)


@cache
def _plugins() -> tuple[RegexBasedDetector, ...]:
    from detect_secrets.plugins.artifactory import ArtifactoryDetector  # noqa: PLC0415 - see _HINTS
    from detect_secrets.plugins.cloudant import CloudantDetector  # noqa: PLC0415 - likewise
    from detect_secrets.plugins.ibm_cloud_iam import IbmCloudIamDetector  # noqa: PLC0415 - likewise
    from detect_secrets.plugins.ibm_cos_hmac import IbmCosHmacDetector  # noqa: PLC0415 - likewise
    from detect_secrets.plugins.softlayer import SoftlayerDetector  # noqa: PLC0415 - likewise

    return (
        ArtifactoryDetector(),
        CloudantDetector(),
        IbmCloudIamDetector(),
        IbmCosHmacDetector(),
        SoftlayerDetector(),
    )
