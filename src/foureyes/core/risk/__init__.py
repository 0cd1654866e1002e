"""Assess the risk of a change from its bytes and paths, and the protocols the work must meet for it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from foureyes.core.kinds import canonical_kind
from foureyes.core.risk.globs import guards, matches, normal_path
from foureyes.core.risk.instruction_files import instructs_agents
from foureyes.core.rules import Rules
from foureyes.core.values import Risk, RiskLevel

__all__ = ["FileChange", "guards", "is_guarded", "matches", "protocols_for", "risk_of"]

LINES_MAX = 1_000
FILES_MAX = 100
LINE_CHARS_MAX = 2_000
REASONS_MAX = 20

#: Files that control building, publishing, reviewing or guarding; `instruction_files` lists those for agents.
HIGH_PATHS: tuple[tuple[str, str], ...] = tuple(
    (pattern, why)
    for why, patterns in (
        (
            "policy",
            "foureyes.y*ml .foureyes/ codeowners critic-chains.json review-policy.y*ml .gitattributes .gitmodules",
        ),
        ("hooks", "/hooks/ git-hooks/ .githooks/ .husky/ .pre-commit-config.yaml lefthook.y*ml"),
        ("build pipeline", ".github/workflows/ .github/actions/ .gitlab-ci.yml .gitlab/ .circleci/ .buildkite/ .ci/"),
        ("build pipeline", "jenkinsfile* .travis.yml azure-pipelines.y*ml bitbucket-pipelines.yml .drone.yml"),
        ("deployment", "dockerfile* *.dockerfile docker-compose*.y*ml compose.y*ml procfile *.service nginx.conf"),
        ("deployment", "*.tf *.tfvars deploy/ deployment/ deployments/ helm/ k8s/ kubernetes/ terraform/ ansible/"),
        ("migration", "migrations/ migrate/ alembic/ flyway/ liquibase/ schema.sql"),
        ("secrets", ".env .env.* *.pem *.key *.p12 *.pfx *.jks *.keystore .npmrc .pypirc .netrc id_rsa* id_ed25519*"),
    )
    for pattern in patterns.split()
)

#: Words in a path that mark sensitive code.
_WORDS: dict[str, str] = {
    word: why
    for why, words in (
        (
            "authentication",
            "auth authn authz authentication authorization login logout oauth oidc saml sso jwt mfa totp",
        ),
        (
            "secrets",
            "password passwords passwd credential credentials secret secrets token tokens apikey vault keyring",
        ),
        (
            "cryptography",
            "crypto cryptography cipher ciphers encryption decrypt encrypt tls ssl certificate certificates",
        ),
        ("permissions", "permission permissions rbac acl acls iam sudo sudoers privilege privileges"),
        ("security", "security sandbox csrf xss cors firewall"),
        ("migration", "migration migrations"),
    )
    for word in words.split()
}

#: Patterns that are dangerous in any file, on case-folded text: required substrings of a word, pattern, reason.
#: A part of the pattern after "…" must match later in the line; splitting keeps each match linear in the line.
_LINES: tuple[tuple[tuple[str, ...], tuple[re.Pattern[str], ...], str], ...] = tuple(
    (tuple(words.split(",")), tuple(map(re.compile, pattern.split("…"))), why)
    for words, pattern, why in (
        ("private", r"-----begin [a-z ]*private key", "a private key"),
        (
            "password,passwd,secret,apikey,api_key,accesstoken,access_token",
            r"\b(password|passwd|secret|api_?key|access_?token)\b['\"]?\s*[:=]",
            "a secret",
        ),
        ("rm", r"\brm\s+-[a-z]*r", "destruction"),
        (
            "drop,truncate,delete",
            r"\bdrop\s+(table|database|schema)\b|\btruncate\s+table\b|\bdelete\s+from\b",
            "destruction",
        ),
        (
            "eval,exec,system,popen,subprocess,child_process,shell",
            r"\b(eval|exec|execfile|system|popen)\s*\(|\bsubprocess\b|\bchild_process\b|shell\s*=\s*true",
            "running commands",
        ),
        (
            "pickle,marshal,yaml,unserialize",
            r"\b(pickle|marshal)\.loads?\b|\byaml\.load\b|\bunserialize\s*\(",
            "reading untrusted objects",
        ),
        (
            "sudo,setuid,chmod,privileged",
            r"\bsudo\b|\bsetuid\b|\bchmod\s+\S*7|privileged\s*:\s*true",
            "privileges",
        ),
        ("grant", r"\bgrant\s+\w…\bto\b", "privileges"),
        (
            "verify,rejectunauthorized,check_hostname",
            r"verify\s*=\s*false|insecureskipverify|rejectunauthorized|check_hostname",
            "certificate checks",
        ),
        (
            "hashlib,hmac,bcrypt,argon2,scrypt,md5,sha1,aes,rsa",
            r"\b(hashlib|hmac|bcrypt|argon2|scrypt|md5|sha1|aes|rsa)\b",
            "cryptography",
        ),
        ("curl", r"curl\b…\|\s*(ba|z)?sh\b", "exposure to the network"),
        ("0.0.0.0", r"0\.0\.0\.0", "exposure to the network"),  # noqa: S104 - looked for, not listened on
    )
)

_LINK_MODES = frozenset({"120000", "160000"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One contiguous change in one file: the lines that came and went, without any around them.

    A file with several changes comes several times; otherwise a line moved elsewhere would look like white space.
    """

    path: str
    mode: str = ""
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    binary: bool = False


def risk_of(changes: Iterable[FileChange], *, proof: str = "") -> Risk:
    """Assess the risk of the bytes themselves, independent of the caller's label.

    It is low only with a program's proof, and high for dangerous content despite one.
    """
    listed = tuple(changes)
    reasons = tuple(dict.fromkeys((*_size(listed), *(why for change in listed for why in _reasons(change)))))
    if reasons:
        return Risk(level=RiskLevel.HIGH, reasons=reasons[:REASONS_MAX])
    if listed and proof:
        return Risk(level=RiskLevel.LOW, trivial=True, reasons=(proof,))
    return Risk(level=RiskLevel.MEDIUM)


def is_guarded(path: str) -> bool:
    """True if the file controls how work is built, reviewed or guarded, or instructs agents."""
    return instructs_agents(path) or any(guards(pattern, path) for pattern, _ in HIGH_PATHS)


def kinds_for(rules: Rules, kind: str, paths: Iterable[str]) -> tuple[str, ...]:
    """The kind the author named plus the kinds of the touched paths; naming one removes none."""
    touched = tuple(paths)
    by_path = (rule.kind for rule in rules.paths if any(guards(rule.pattern, path) for path in touched))
    return tuple(dict.fromkeys(map(canonical_kind, (kind, *by_path))))


def protocols_for(
    rules: Rules, kind: str, paths: Iterable[str], risk: Risk, asked: Iterable[str] = ()
) -> tuple[str, ...]:
    """All protocols the work must meet, in order. The caller may add some; unknown names stay and fail closed later."""
    by_risk = (name for rule in rules.risks if rule.level <= risk.level for name in rule.protocols)
    by_kind = (name for one in kinds_for(rules, kind, paths) for name in rules.protocols_for(one))
    return tuple(dict.fromkeys((*by_kind, *by_risk, *asked)))


def _size(changes: tuple[FileChange, ...]) -> Iterable[str]:
    lines = sum(len(change.added) + len(change.removed) for change in changes)
    files = len({normal_path(change.path) for change in changes})
    if lines > LINES_MAX:
        yield f"{lines} lines changed, more than {LINES_MAX}"
    if files > FILES_MAX:
        yield f"{files} files changed, more than {FILES_MAX}"


def _reasons(change: FileChange) -> Iterable[str]:
    path = normal_path(change.path)
    if change.binary:
        yield f"{path}: binary"
    if change.mode in _LINK_MODES:
        yield f"{path}: a link or submodule"
    yield from (f"{path}: {why}" for why in _path_reasons(path))
    yield from (f"{path}: {why}" for why in _line_reasons((*change.added, *change.removed)))


def _line_reasons(lines: tuple[str, ...]) -> Iterable[str]:
    """Reasons from the lines; a pattern runs only if its required substring, which is cheap to find, occurs."""
    readable = lines
    if max(map(len, lines), default=0) > LINE_CHARS_MAX:
        readable = tuple(line for line in lines if len(line) <= LINE_CHARS_MAX)
        yield "a line too long to read"
    # Search each distinct word once, because most words repeat.
    said = " ".join(set("\n".join(readable).casefold().split()))
    for words, patterns, why in _LINES:
        if any(map(said.__contains__, words)) and any(_holds(line.casefold(), patterns) for line in readable):
            yield why


def _holds(line: str, patterns: tuple[re.Pattern[str], ...]) -> bool:
    """True if the line matches these patterns, one after the other."""
    at = 0
    for pattern in patterns:
        found = pattern.search(line, at)
        if found is None:
            return False
        at = found.end()
    return True


@lru_cache(maxsize=4096)
def _path_reasons(path: str) -> tuple[str, ...]:
    by_pattern = [why for pattern, why in HIGH_PATHS if guards(pattern, path)]
    if instructs_agents(path):
        by_pattern.append("instructions to agents")
    by_word = [_WORDS[word] for word in _words(path) if word in _WORDS]
    return (*by_pattern, *by_word)


def _words(path: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", path)
    return [word.lower() for word in re.findall(r"[A-Za-z]+", spaced)]
