"""Judge configurations of package managers: disabled certificate checks, plain HTTP and extra indexes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.reviewers.critics.critic import Hit, Rule
from foureyes.reviewers.critics.exposure.rules import LISTEN_IN, hit, rule

TRUSTED = rule(
    "packages.trusted-host", "A host is trusted without a certificate", LISTEN_IN, "Remove trusted-host.", "important"
)
NO_TLS = rule(
    "packages.strict-ssl-off", "Certificates are not checked", LISTEN_IN, "Remove strict-ssl=false.", "important"
)
OPEN_INDEX = rule("packages.open-index", "Packages are fetched without TLS", LISTEN_IN, "Use https.", "important")
EXTRA_INDEX = rule(
    "packages.extra-index",
    "Packages may come from either of two places",
    "Whoever publishes the same name with a higher version in the public place wins.",
    "Use one index, or pin with hashes.",
)
RULES: tuple[Rule, ...] = (TRUSTED, NO_TLS, OPEN_INDEX, EXTRA_INDEX)
_INDEX = re.compile(
    r"^\s*(?:--)?(?:extra-)?(?:index-url|registry|npmRegistryServer|find-links|@[\w.-]{1,80}:registry)[\s=:\"']{1,5}http://(?!localhost|127\.)"
)


def judge_packages(path: str, text: str) -> Iterator[Hit]:
    """Yield the hits of a package manager's configuration."""
    for number, line in enumerate(text.split("\n"), 1):
        said = line[:2000].strip()
        if not said or said[0] in "#;":
            continue
        if re.match(r"(?:--)?trusted-host[\s=]", said):
            yield hit(TRUSTED, path, number)
        if re.match(r"[\"']?(?:strict-ssl|enableStrictSsl|cafile)[\"']?[\s=:]{1,5}[\"']?(?:false|null)\b", said):
            yield hit(NO_TLS, path, number)
        if _INDEX.match(said):
            yield hit(OPEN_INDEX, path, number)
        if re.match(r"(?:--)?extra-index-url[\s=]", said):
            yield hit(EXTRA_INDEX, path, number)
