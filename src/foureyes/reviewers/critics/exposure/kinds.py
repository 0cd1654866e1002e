"""Which configuration is in a file? Told from its path and a few words, before anything is parsed."""

from __future__ import annotations

import re

_YAML = (".yaml", ".yml")
_JSON = (".json", ".template")
#: Names that say it all, as the end of a path in small letters.
_BY_PATH: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("terraform", re.compile(r"\.(?:tf|tofu)(?:\.json)?$")),
    ("dockerfile", re.compile(r"(?:^|/)(?:dockerfile|containerfile)(?:\.[\w.-]{1,80})?$|\.(?:dockerfile|containerfile)$")),
    ("compose", re.compile(r"(?:^|/)(?:docker-|podman-)?compose[\w.-]{0,80}\.ya?ml$")),
    ("github", re.compile(r"(?:^|/)\.github/workflows/[^/]{1,200}\.ya?ml$|(?:^|/)action\.ya?ml$")),
    ("gitlab", re.compile(r"(?:^|/)[\w.-]{0,80}\.?gitlab-ci[\w.-]{0,80}\.ya?ml$")),
    ("sudoers", re.compile(r"(?:^|/)sudoers$|(?:^|/)sudoers\.d/[^/]{1,200}$|\.sudoers$")),
    ("systemd", re.compile(r"\.(?:service|socket)$|\.service\.d/[^/]{1,200}\.conf$")),
    ("sshd", re.compile(r"(?:^|/)sshd_config$|(?:^|/)sshd_config\.d/[^/]{1,200}\.conf$")),
    ("nginx", re.compile(r"nginx[\w.-]{0,80}\.conf$|(?:^|/)nginx/.{0,200}\.conf$|/sites-(?:available|enabled)/[^/]{1,200}$")),
    ("apache", re.compile(r"(?:^|/)(?:httpd|apache2?)[\w.-]{0,80}\.conf$|(?:^|/)(?:apache2?|httpd)/.{0,200}\.conf$|(?:^|/)\.htaccess$")),
    ("caddy", re.compile(r"(?:^|/)caddyfile$|\.caddyfile$")),
    ("haproxy", re.compile(r"haproxy[\w.-]{0,80}\.cfg$")),
    ("redis", re.compile(r"(?:redis|valkey|keydb)[\w.-]{0,80}\.conf$|(?:^|/)redis/[^/]{1,80}\.conf$")),
    ("mongo", re.compile(r"(?:^|/)mongo[ds]?[\w.-]{0,80}\.(?:conf|ya?ml)$")),
    ("postgres", re.compile(r"(?:^|/)pg_hba[\w.-]{0,80}\.conf$|(?:^|/)postgresql[\w.-]{0,80}\.conf$")),
    ("packages", re.compile(r"(?:^|/)(?:\.npmrc|\.yarnrc|\.yarnrc\.yml|pip\.(?:conf|ini)|\.?requirements[\w.-]{0,80}\.txt)$")),
)  # fmt: skip
_CLOUDFORMATION = re.compile(r"AWSTemplateFormatVersion|[\"']?Type[\"']?\s{0,20}:\s{0,20}[\"']?AWS::")
_KUBERNETES = re.compile(r"""^[ \t\-{]{0,20}["']?apiVersion["']?[ \t]{0,20}:""", re.MULTILINE)
_KUBERNETES_JSON = re.compile(r"""["']apiVersion["']\s{0,20}:""")
_KIND = re.compile(r"""["']?kind["']?[ \t]{0,20}:""")
_COMPOSE = re.compile(r"^services:", re.MULTILINE)
_COMPOSE_PART = re.compile(r"^ {2,8}(?:image|build|ports|privileged):", re.MULTILINE)


def kind_of(path: str, text: str) -> str:
    """The kind of configuration; empty where it is none we judge."""
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
