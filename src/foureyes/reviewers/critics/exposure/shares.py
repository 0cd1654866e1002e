"""Judge what a machine shares with others: folders over NFS, and its container runtime."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.reviewers.critics.critic import Hit, Rule
from foureyes.reviewers.critics.exposure.jsons import read_json
from foureyes.reviewers.critics.exposure.rules import ANYONE, GAIN, LISTEN_IN, REACHABLE, hit, rule

ROOT_SQUASH = rule(
    "nfs.no-root-squash",
    "Root of another machine is root in a shared folder",
    GAIN,
    "Remove no_root_squash.",
    "important",
)
WORLD_WRITE = rule("nfs.world-writable", "Everybody may write to a shared folder", ANYONE, "Name hosts.", "important")
WORLD_READ = rule("nfs.world-readable", "Everybody may read a shared folder", REACHABLE, "Name hosts.")
DOCKER_TCP = rule(
    "docker.open-api",
    "The container runtime listens to the network and asks nobody who he is",
    "Whoever reaches it is root on the machine.",
    "Listen on the Unix socket only, or set tlsverify.",
    "critical",
)
DOCKER_REGISTRY = rule(
    "docker.insecure-registry", "Images are fetched openly", LISTEN_IN, "Remove it from insecure-registries."
)
RULES: tuple[Rule, ...] = (ROOT_SQUASH, WORLD_WRITE, WORLD_READ, DOCKER_TCP, DOCKER_REGISTRY)

_CLIENT = re.compile(r"(?P<who>[^\s()]{0,255})(?:\((?P<options>[^()]{0,500})\))?")
_LINE_MAX = 2_000
_EVERYBODY = frozenset({"*", "", "0.0.0.0/0", "::/0", "*.*.*.*"})
_LOCAL = ("tcp://127.", "tcp://localhost", "tcp://[::1]")


def judge_exports(path: str, text: str) -> Iterator[Hit]:
    """Yield the hits of /etc/exports."""
    for number, line in enumerate(text.split("\n"), 1):
        folder, _, clients = line[:_LINE_MAX].split("#", 1)[0].strip().partition(" ")
        if not folder.startswith(("/", '"')):
            continue
        for client in clients.split() or [""]:
            found = _CLIENT.fullmatch(client)
            options = set((found["options"] or "").split(",")) if found else set()
            if "no_root_squash" in options:
                yield hit(ROOT_SQUASH, path, number)
            if found and found["who"] in _EVERYBODY:
                yield hit(WORLD_WRITE if "rw" in options else WORLD_READ, path, number)


def judge_daemon(path: str, text: str) -> Iterator[Hit]:
    """Yield the hits of Docker's daemon.json."""
    document = read_json(text)
    tls = document.get("tlsverify")
    proven = tls is not None and tls.yes
    hosts = document.get("hosts")
    for one in hosts.items if hosts is not None else []:
        if one.text.startswith("tcp://") and not one.text.startswith(_LOCAL) and not proven:
            yield hit(DOCKER_TCP, path, one.line, evidence=one.text)
    registries = document.get("insecure-registries")
    for one in registries.items if registries is not None else []:
        yield hit(DOCKER_REGISTRY, path, one.line, evidence=one.text)
