"""Judge the arguments of Terraform modules; the code of a module is elsewhere, but its arguments are telling."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.reviewers.critics.critic import Hit, Rule
from foureyes.reviewers.critics.exposure.network import LAST_PORT, PORTS, is_world, opened
from foureyes.reviewers.critics.exposure.rules import ANYONE, GAIN, REACHABLE, hit, note, rule
from foureyes.reviewers.critics.exposure.tree import Node

PUBLIC = rule(
    "module.public",
    "A module is told to be reachable by everybody",
    REACHABLE,
    "Say false, or name who may reach it.",
    "important",
)
ACL = rule("module.public-acl", "A module is told to let everybody read", ANYONE, "Say private.", "important")
ADMIN = rule("module.admin", "A module is told to hand out everything", GAIN, "Name a smaller policy.", "important")
RULES: tuple[Rule, ...] = (PUBLIC, ACL, ADMIN)

#: The switch that gives a database or machine a public address.
_OPEN_SWITCH = re.compile(r"(?:^|_)publicly_accessible$")
_NOTED_SWITCH = re.compile(
    r"(?:^|_)(?:public_network_access_enabled|associate_public_ip_address|map_public_ip_on_launch|assign_public_ip"
    r"|endpoint_public_access|enable_public_ip)$"
)
#: Lists of addresses that may reach something; those of firewalls are judged by their ports.
_WHO = re.compile(r"(?:public_access_cidrs|authorized_(?:networks|ip_ranges)|allowed_(?:cidrs?|cidr_blocks|ips?)"
                  r"|access_cidrs|ssh_cidrs?|ssh_allowed_cidrs?|admin_cidrs?)$")  # fmt: skip
_PUBLIC_ACLS = frozenset({"public-read", "public-read-write", "publicread", "publicreadwrite"})
_ADMIN = re.compile(r":policy/(?:AdministratorAccess|IAMFullAccess)$")


def judge_module(path: str, body: Node) -> Iterator[Hit]:
    """Yield the hits of the arguments of a module."""
    for key, node in body.map.items():
        line = body.keys.get(key, node.line)
        if _OPEN_SWITCH.search(key) and node.yes:
            yield hit(PUBLIC, path, line, f"{PUBLIC.title}: {key}.")
        elif _NOTED_SWITCH.search(key) and node.yes:
            yield note(PUBLIC, path, line, f"{PUBLIC.title}: {key}.")
        elif _WHO.search(key) and is_world(node):
            yield hit(PUBLIC, path, line, f"{PUBLIC.title}: {key}.")
        elif (key == "acl" or key.endswith("_acl")) and node.text.lower() in _PUBLIC_ACLS:
            yield hit(ACL, path, line)
        elif any(_ADMIN.search(one.text) for one in node.scalars()):
            yield hit(ADMIN, path, line)
    yield from _firewall(path, body)


def _firewall(path: str, body: Node) -> Iterator[Hit]:
    """Judge the arguments of security group modules: rules by name, and rules with ports."""
    if is_world(body.get("ingress_cidr_blocks"), body.get("ingress_ipv6_cidr_blocks")):
        names = body.get("ingress_rules")
        for one in names.items if names is not None else []:
            if one.text == "all-all":
                yield from opened((path, one.line), 0, LAST_PORT, every=True)
            yield from (hit(found, path, one.line) for found in PORTS.values() if _is_called(one.text, found))
    for key in ("ingress_with_cidr_blocks", "ingress_with_ipv6_cidr_blocks"):
        listed = body.get(key)
        for one in listed.items if listed is not None else []:
            who = [one.get("cidr_blocks"), one.get("ipv6_cidr_blocks")]
            first, last = (node.number if (node := one.get(name)) is not None else None for name in _ENDS)
            if is_world(*who) and first is not None and last is not None:
                yield from opened((path, one.line), first, last)


_ENDS = ("from_port", "to_port")


def _is_called(text: str, found: Rule) -> bool:
    return text.rpartition("-")[0] == found.id.rpartition("open-")[2]
