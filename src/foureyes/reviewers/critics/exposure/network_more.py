"""Find the ports that the firewalls of smaller clouds open to the whole world."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from foureyes.reviewers.critics.critic import Hit
from foureyes.reviewers.critics.exposure.cloud import Check, Resource
from foureyes.reviewers.critics.exposure.network import LAST_PORT, is_world, opened
from foureyes.reviewers.critics.exposure.tree import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A provider's names for the parts of a rule; `block` is empty if the resource itself is the rule."""

    kinds: str
    block: str
    sources: tuple[str, ...]
    #: One attribute with a port range, or the attributes of the first and the last port.
    ports: tuple[str, ...]
    #: The attribute for the direction, and its value for incoming traffic.
    direction: tuple[str, str] = ("", "")


_WORDS = (
    Words(kinds="digitalocean_firewall", block="inbound_rule", sources=("source_addresses",), ports=("port_range",)),
    Words(
        kinds="hcloud_firewall", block="rule", sources=("source_ips",), ports=("port",), direction=("direction", "in")
    ),
    Words(kinds="linode_firewall", block="inbound", sources=("ipv4", "ipv6"), ports=("ports",)),
    Words(
        kinds="openstack_networking_secgroup_rule_v2",
        block="",
        sources=("remote_ip_prefix",),
        ports=("port_range_min", "port_range_max"),
        direction=("direction", "ingress"),
    ),
    Words(
        kinds="alicloud_security_group_rule",
        block="",
        sources=("cidr_ip", "ipv6_cidr_ip"),
        ports=("port_range",),
        direction=("type", "ingress"),
    ),
    Words(kinds="scaleway_instance_security_group", block="inbound_rule", sources=("ip_range",), ports=("port",)),
)


def _check(words: Words) -> Check:
    def judge(resource: Resource) -> Iterator[Hit]:
        blocks = resource.body.get(words.block) if words.block else resource.body
        for block in blocks.items if blocks is not None else []:
            yield from _rule(resource, block, words)

    return judge


def _rule(resource: Resource, block: Node, words: Words) -> Iterator[Hit]:
    key, wanted = words.direction
    said = block.get(key) if key else None
    action = block.get("action") or block.get("policy")
    if said is not None and said.text.lower() != wanted:
        return
    if action is not None and action.text.lower() in ("drop", "reject", "deny"):
        return
    if not is_world(*(block.get(one) for one in words.sources)):
        return
    place = (resource.path, next(block.at_line(one) for one in words.sources if is_world(block.get(one))))
    ends = [node.text for one in words.ports if (node := block.get(one)) is not None]
    for part in ["-".join(ends)] if len(words.ports) > 1 else ends[0].split(",") if ends else []:
        low, _, high = part.strip().replace("/", "-").replace(":", "-").partition("-")
        if part.strip() in ("all", "any", "-1/-1", "0-0"):
            yield from opened(place, 0, LAST_PORT, every=True)
        elif low.isdecimal() and (high.isdecimal() or not high):
            yield from opened(place, int(low[:6]), int((high or low)[:6]))


CHECKS: tuple[tuple[str, Check], ...] = tuple((one.kinds, _check(one)) for one in _WORDS)
