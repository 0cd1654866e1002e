"""Judge a Dockerfile: the user the image runs as, and unverified sources in its build."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from foureyes.reviewers.critics.critic import Hit, Rule
from foureyes.reviewers.critics.exposure.rules import GAIN, HARDEN, LISTEN_IN, REACHABLE, STEADY, SUPPLY, hit, rule

ROOT = rule("docker.root-user", "The image runs as root", GAIN, "End with a USER that is not root.")
ROOT_SAID = rule("docker.user-root", "The last user is root", GAIN, "End with a USER that is not root.")
LATEST = rule("docker.image-tag", "A base image has no fixed tag", SUPPLY, "Name a version or digest.")
ADD = rule("docker.add", "ADD unpacks and downloads what it is given", SUPPLY, "Use COPY.")
ADD_REMOTE = rule(
    "docker.add-remote", "A file is fetched without a check of its content", SUPPLY, "Add --checksum=sha256:…."
)
SSH = rule("docker.expose-ssh", "The image opens port 22", REACHABLE, "Remove EXPOSE 22.")
SUDO = rule("docker.sudo", "sudo is used in the making", GAIN, "Use USER instead.")
HEALTH = rule("docker.no-healthcheck", "Nobody notices when it hangs", STEADY, "Add a HEALTHCHECK.")
UPDATE = rule(
    "docker.update-alone", "Package lists are fetched in a step of their own", SUPPLY, "Install in the same RUN."
)
MAINTAINER = rule("docker.maintainer", "MAINTAINER is no longer used", HARDEN, "Use LABEL.")
WORKDIR = rule("docker.relative-workdir", "WORKDIR depends on the one before", HARDEN, "Use an absolute path.")
ALIAS = rule("docker.duplicate-stage", "Two stages have one name", SUPPLY, "Name them differently.")
CHPASSWD = rule(
    "docker.chpasswd", "A password is set in the making", GAIN, "Log in with keys, or not at all.", "important"
)
INSECURE = rule(
    "docker.insecure-download",
    "Certificates or signatures are not checked",
    LISTEN_IN,
    "Remove the option that switches the check off.",
    "important",
)
RUN_INSECURE = rule(
    "docker.run-insecure", "A step runs with all rights", GAIN, "Remove --security=insecure.", "important"
)
SETUID = rule("docker.setuid", "A program is made to run as its owner", GAIN, "Remove the setuid bit.", "important")
WORLD_WRITABLE = rule("docker.world-writable", "Everybody may write", GAIN, "Use chmod 755 or 644.")
RULES: tuple[Rule, ...] = (
    ROOT, ROOT_SAID, LATEST, ADD, ADD_REMOTE, SSH, SUDO, HEALTH, UPDATE, MAINTAINER, WORKDIR, ALIAS, CHPASSWD, INSECURE,
    RUN_INSECURE, SETUID, WORLD_WRITABLE,
)  # fmt: skip

_INSTRUCTION = re.compile(r"\s*([A-Za-z]{2,12})(?:\s+|$)")
_ESCAPE = re.compile(r"#\s*escape\s*=\s*`", re.IGNORECASE)
_HEREDOC = re.compile(r"<<-?[\"']?([A-Za-z_]\w{0,60})[\"']?")
_INSECURE = re.compile(
    r"(?:curl\b[^;&|]{0,200}?(?:\s-[a-zA-Z]{0,10}k\b|--insecure\b))|--no-check-certificate|--trusted-host|--allow-unauthenticated"
    r"|--allow-untrusted|--nogpgcheck|--no-gpg-check|--force-yes|strict-ssl\s+false|NODE_TLS_REJECT_UNAUTHORIZED\s*=?\s*[\"']?0"
    r"|PYTHONHTTPSVERIFY\s*=?\s*[\"']?0|GIT_SSL_NO_VERIFY\s*=?\s*[\"']?(?:1|true)|http\.sslVerify[ =]false|sslverify=0"
)
_LIST_UPDATE = re.compile(r"(?:apt-get|apt|yum|dnf|apk)\s(?:[\w-]{0,20}\s){0,3}update\b")
_INSTALL = re.compile(r"\b(?:install|add|upgrade|dist-upgrade)\b")
_SUDO = re.compile(r"(?:^|[;&|]\s*)sudo\s")


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction, with its continuation lines joined."""

    name: str
    rest: str
    line: int


def steps_of(text: str) -> list[Step]:
    """Return the instructions of a Dockerfile."""
    found: list[Step] = []
    lines = text.split("\n")
    mark = "`" if _ESCAPE.match(lines[0]) else "\\"
    at = 0
    while at < len(lines):
        start = at
        parts = [lines[at].strip("\r")]
        at += 1
        match = _INSTRUCTION.match(parts[0])
        if match is None or parts[0].lstrip().startswith("#"):
            continue
        while parts[-1].rstrip().endswith(mark) and at < len(lines):
            parts[-1] = parts[-1].rstrip()[:-1]
            while at < len(lines) and lines[at].lstrip().startswith("#"):
                at += 1
            parts.append(lines[at].strip("\r") if at < len(lines) else "")
            at += 1
        at, body = _heredoc(lines, at, parts[-1], match[1].upper())
        rest = (" ".join(parts)[match.end() :] + body).strip()
        found.append(Step(match[1].upper(), rest, start + 1))
    return found


def _heredoc(lines: list[str], at: int, last: str, name: str) -> tuple[int, str]:
    mark = _HEREDOC.search(last) if name in ("RUN", "COPY", "ADD") else None
    if mark is None:
        return at, ""
    start = at
    while at < len(lines) and lines[at].strip() != mark[1]:
        at += 1
    body = "\n" + "\n".join(lines[start:at]) if name == "RUN" else ""
    return at + 1, body


def judge_dockerfile(path: str, text: str) -> Iterator[Hit]:
    """Yield the hits of a Dockerfile."""
    steps = steps_of(text)
    if not any(one.name == "FROM" for one in steps):
        return
    yield from _bases(path, steps)
    for one in steps:
        yield from _step(path, one)
    last = max(number for number, one in enumerate(steps) if one.name == "FROM")
    final = steps[last:]
    users = [one for one in final if one.name == "USER"]
    if users and users[-1].rest.partition(":")[0].strip().strip("\"'") in ("root", "0"):
        yield hit(ROOT_SAID, path, users[-1].line)
    elif not users and not _is_scratch(final[0]):
        yield hit(ROOT, path, final[0].line)
    if not any(one.name == "HEALTHCHECK" for one in final):
        yield hit(HEALTH, path, final[0].line)


def _is_scratch(step: Step) -> bool:
    return step.rest.split(" ")[0] == "scratch" or "nonroot" in step.rest


def _bases(path: str, steps: list[Step]) -> Iterator[Hit]:
    stages: set[str] = set()
    for one in steps:
        if one.name != "FROM":
            continue
        words = [word for word in one.rest.split() if not word.startswith("--")]
        image = words[0] if words else ""
        name = image.rpartition("/")[2]
        known = image.lower() in stages or image == "scratch" or "$" in image or "@" in image
        if image and not known and name.partition(":")[2] in ("", "latest"):
            yield hit(LATEST, path, one.line, evidence=image)
        if len(words) > 2 and words[1].lower() == "as":  # noqa: PLR2004 - image, as, name
            if words[2].lower() in stages:
                yield hit(ALIAS, path, one.line)
            stages.add(words[2].lower())


def _step(path: str, one: Step) -> Iterator[Hit]:
    if one.name == "ADD":
        yield hit(ADD, path, one.line)
        if re.search(r"\bhttps?://", one.rest) and "--checksum=" not in one.rest:
            yield hit(ADD_REMOTE, path, one.line)
    elif one.name == "EXPOSE" and {word.partition("/")[0] for word in one.rest.split()} & {"22"}:
        yield hit(SSH, path, one.line)
    elif one.name == "MAINTAINER":
        yield hit(MAINTAINER, path, one.line)
    elif one.name == "WORKDIR" and not re.match(r"[\"']?(?:/|\$|[A-Za-z]:|%)", one.rest):
        yield hit(WORKDIR, path, one.line)
    elif one.name == "RUN":
        yield from _run(path, one)
    if one.name in ("RUN", "ENV") and _INSECURE.search(one.rest[:20_000]):
        yield hit(INSECURE, path, one.line)


def _run(path: str, one: Step) -> Iterator[Hit]:
    rest = one.rest[:20_000]
    if _SUDO.search(rest):
        yield hit(SUDO, path, one.line)
    if "--security=insecure" in rest:
        yield hit(RUN_INSECURE, path, one.line)
    if "chpasswd" in rest:
        yield hit(CHPASSWD, path, one.line)
    if re.search(r"\bchmod\s+(?:-\w+\s+)?(?:u?\+[rwx]{0,3}s|[46]\d{3})\b", rest):
        yield hit(SETUID, path, one.line)
    if re.search(r"\bchmod\s+(?:-\w+\s+)?0?777\b", rest):
        yield hit(WORLD_WRITABLE, path, one.line)
    if _LIST_UPDATE.search(rest) and not _INSTALL.search(rest):
        yield hit(UPDATE, path, one.line)
