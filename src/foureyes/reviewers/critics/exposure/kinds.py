"""Detect the kind of a configuration file by its path and a few words, before it is parsed."""

from __future__ import annotations

import re

_YAML = (".yaml", ".yml")
_JSON = (".json", ".template")
#: Names that are sufficient on their own, as patterns for the path in lower case.
_BY_PATH: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile("|".join(patterns)))
    for kind, *patterns in (
        ("terraform", r"\.(?:tf|tofu)(?:\.json)?$"),
        ("dockerfile", r"(?:^|/)(?:docker|container)file(?:\.[\w.-]{1,80})?$", r"\.(?:docker|container)file$"),
        ("compose", r"(?:^|/)(?:docker-|podman-)?compose[\w.-]{0,80}\.ya?ml$"),
        ("github", r"(?:^|/)\.github/workflows/[^/]{1,200}\.ya?ml$", r"(?:^|/)action\.ya?ml$"),
        ("gitlab", r"(?:^|/)[\w.-]{0,80}\.?gitlab-ci[\w.-]{0,80}\.ya?ml$"),
        ("sudoers", r"(?:^|/)sudoers$", r"(?:^|/)sudoers\.d/[^/]{1,200}$", r"\.sudoers$"),
        ("systemd", r"\.(?:service|socket)$", r"\.service\.d/[^/]{1,200}\.conf$"),
        ("exports", r"(?:^|/)etc/exports$", r"(?:^|/)exports\.d/[^/]{1,200}$", r"^exports$"),
        ("daemon", r"(?:^|/)docker/daemon\.json$", r"^daemon\.json$"),
        ("sshd", r"(?:^|/)sshd_config$", r"(?:^|/)sshd_config\.d/[^/]{1,200}\.conf$"),
        (
            "nginx",
            r"nginx[\w.-]{0,80}\.conf$",
            r"(?:^|/)nginx/.{0,200}\.conf$",
            r"/sites-(?:available|enabled)/[^/]{1,200}$",
        ),
        ("apache", r"(?:^|/)(?:httpd|apache2?)(?:[\w.-]{0,80}|/.{0,200})\.conf$", r"(?:^|/)\.htaccess$"),
        ("caddy", r"(?:^|/)caddyfile$", r"\.caddyfile$"),
        ("haproxy", r"haproxy[\w.-]{0,80}\.cfg$"),
        ("redis", r"(?:redis|valkey|keydb)[\w.-]{0,80}\.conf$", r"(?:^|/)redis/[^/]{1,80}\.conf$"),
        ("mongo", r"(?:^|/)mongo[ds]?[\w.-]{0,80}\.(?:conf|ya?ml)$"),
        ("postgres", r"(?:^|/)pg_hba[\w.-]{0,80}\.conf$", r"(?:^|/)postgresql[\w.-]{0,80}\.conf$"),
        (
            "packages",
            r"(?:^|/)(?:\.npmrc|\.yarnrc|\.yarnrc\.yml|pip\.(?:conf|ini))$",
            r"requirements[\w.-]{0,80}\.txt$",
        ),
    )
)
_CLOUDFORMATION = re.compile(r"AWSTemplateFormatVersion|[\"']?Type[\"']?\s{0,20}:\s{0,20}[\"']?AWS::")
_KUBERNETES = re.compile(r"""^[ \t\-{]{0,20}["']?apiVersion["']?[ \t]{0,20}:""", re.MULTILINE)
_KUBERNETES_JSON = re.compile(r"""["']apiVersion["']\s{0,20}:""")
_KIND = re.compile(r"""["']?kind["']?[ \t]{0,20}:""")
_COMPOSE = re.compile(r"^services:", re.MULTILINE)
_COMPOSE_PART = re.compile(r"^ {2,8}(?:image|build|ports|privileged):", re.MULTILINE)


def kind_of(path: str, text: str) -> str:
    """Return the kind of configuration; empty if no rule judges this kind of file."""
    small = path.lower()
    for kind, pattern in _BY_PATH:
        if pattern.search(small):
            return kind
    if small.endswith(_YAML):
        return _of_yaml(text)
    if small.endswith(_JSON):
        return _of_json(text)
    return ""


def _of_yaml(text: str) -> str:
    if "apiVersion" in text and _KUBERNETES.search(text) and _KIND.search(text):
        return "kubernetes"
    if "AWS::" in text and _CLOUDFORMATION.search(text):
        return "cloudformation"
    if "services:" in text and _COMPOSE.search(text) and _COMPOSE_PART.search(text):
        return "compose"
    return ""


def _of_json(text: str) -> str:
    if "apiVersion" in text and _KUBERNETES_JSON.search(text) and _KIND.search(text):
        return "kubernetes"
    if "AWS::" in text and _CLOUDFORMATION.search(text):
        return "cloudformation"
    if '"planned_values"' in text or ('"resource_changes"' in text and '"terraform_version"' in text):
        return "plan"
    return ""
