"""Find the ports that a cloud firewall rule opens to the whole world."""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.reviewers.critics.critic import Hit, Rule
from foureyes.reviewers.critics.exposure.cloud import Check, Resource
from foureyes.reviewers.critics.exposure.rules import HARDEN, REACHABLE, hit, note, rule
from foureyes.reviewers.critics.exposure.tree import Node

LAST_PORT = 65_535
#: AWS allows forty rules in a network ACL.
_ACL_RULES_MAX = 200
WORLD = frozenset({"0.0.0.0/0", "::/0", "0000:0000:0000:0000:0000:0000:0000:0000/0", "*", "internet", "any", "0.0.0.0"})  # noqa: S104 - looked for
_NAMES = {
    20: "ftp-data", 21: "ftp", 22: "ssh", 23: "telnet", 80: "http", 135: "rpc", 445: "smb", 1433: "mssql",
    1521: "oracle", 2375: "docker", 2379: "etcd", 3306: "mysql", 3389: "rdp", 5432: "postgresql", 5601: "kibana",
    5900: "vnc", 5984: "couchdb", 5985: "winrm", 6379: "redis", 9042: "cassandra", 9200: "elasticsearch",
    10250: "kubelet", 11211: "memcached", 15672: "rabbitmq", 27017: "mongodb",
}  # fmt: skip
PORTS: dict[int, Rule] = {
    number: rule(
        f"network.open-{name}",
        f"Port {number} ({name}) is open to the whole world",
        REACHABLE,
        "Allow only the addresses that need it.",
        "minor" if number == 80 else "important",  # noqa: PLR2004 - the web's own port
    )
    for number, name in _NAMES.items()
}
ALL = rule(
    "network.open-all",
    "Every port is open to the whole world",
    REACHABLE,
    "Allow only the ports and addresses that are needed.",
    "important",
)
EGRESS = rule("network.egress-all", "Everything may be sent to the whole world", HARDEN, "Name what it has to reach.")
UDP = rule(
    "network.open-udp",
    "UDP is open to the whole world",
    REACHABLE,
    "Allow only the addresses that need it.",
    "important",
)
NO_DESCRIPTION = rule(
    "network.no-description", "A firewall rule does not say what it is for", HARDEN, "Add a description."
)
RULES: tuple[Rule, ...] = (*PORTS.values(), ALL, EGRESS, UDP, NO_DESCRIPTION)


def is_world(*nodes: Node | None) -> bool:
    """True if one of these address lists contains everybody."""
    return any(one.text.lower() in WORLD for node in nodes if node is not None for one in node.items)


def opened(place: tuple[str, int], first: float, last: float, *, every: bool = False) -> Iterator[Hit]:
    """Yield the hits of a port range that is open to the world."""
    path, line = place
    if every or ((first <= 0 or first == 1) and last >= LAST_PORT):
        yield hit(ALL, path, line)
        return
    for number, found in PORTS.items():
        if first <= number <= last:
            yield hit(found, path, line)


_SOURCES = (
    "cidr_blocks", "ipv6_cidr_blocks", "cidr_ipv4", "cidr_ipv6", "security_groups", "self", "prefix_list_ids",
        "prefix_list_id",
    "source_security_group_id", "referenced_security_group_id",
)  # fmt: skip


def _aws_rule(resource: Resource, block: Node) -> Iterator[Hit]:
    world = is_world(*(block.get(key) for key in ("cidr_blocks", "ipv6_cidr_blocks", "cidr_ipv4", "cidr_ipv6")))
    if not world:
        if not any((node := block.get(key)) is not None and not node.empty and not node.no for key in _SOURCES):
            yield note(ALL, resource.path, block.line, "A rule does not say from where it lets traffic in.")
        return
    protocol = block.get("protocol") or block.get("ip_protocol")
    said = protocol.text.lower() if protocol is not None else ""
    first, last = block.get("from_port"), block.get("to_port")
    low, high = (one.number if one is not None else None for one in (first, last))
    line = _world_line(block)
    if said in ("-1", "all"):
        yield from opened((resource.path, line), 0, LAST_PORT, every=True)
    elif said in ("tcp", "udp", "6", "17", "") and low is not None and high is not None:
        yield from opened((resource.path, line), low, high, every=low == 0 and high == 0)


def _world_line(block: Node) -> int:
    for key in ("cidr_blocks", "ipv6_cidr_blocks", "cidr_ipv4", "cidr_ipv6", "cidr_block", "ipv6_cidr_block"):
        node = block.get(key)
        if is_world(node):
            return block.at_line(key)
    return block.line


def aws_group(resource: Resource) -> Iterator[Hit]:
    """Judge a security group with its inline rules."""
    for key in ("ingress", "egress"):
        blocks = resource.body.get(key)
        for block in blocks.items if blocks is not None else []:
            if key == "ingress":
                yield from _aws_rule(resource, block)
            else:
                yield from _egress(resource, block)
            if block.map and block.get("description") is None:
                yield hit(NO_DESCRIPTION, resource.path, block.line)
    if resource.body.get("description") is None:
        yield hit(NO_DESCRIPTION, resource.path, resource.line)


def aws_rule(resource: Resource) -> Iterator[Hit]:
    """Judge a security group rule that is a resource of its own."""
    kind = resource.body.get("type")
    if resource.kind.endswith("ingress_rule") or (kind is not None and kind.text == "ingress"):
        yield from _aws_rule(resource, resource.body)
    else:
        yield from _egress(resource, resource.body)
    if resource.body.get("description") is None:
        yield hit(NO_DESCRIPTION, resource.path, resource.line)


def _egress(resource: Resource, block: Node) -> Iterator[Hit]:
    world = is_world(*(block.get(key) for key in ("cidr_blocks", "ipv6_cidr_blocks", "cidr_ipv4", "cidr_ipv6")))
    protocol = block.get("protocol") or block.get("ip_protocol")
    if world and (protocol is None or protocol.text in ("-1", "all")):
        yield hit(EGRESS, resource.path, _world_line(block))


def aws_acl(resource: Resource) -> Iterator[Hit]:
    """Judge a network ACL: rules apply in numeric order, so an earlier deny closes what a later allow opens."""
    blocks = resource.body.get("ingress")
    listed = blocks.items if blocks is not None else []
    closed: list[tuple[float, float]] = []
    for block in sorted(listed, key=_order)[:_ACL_RULES_MAX]:
        action = block.get("action") or block.get("rule_action")
        world = is_world(block.get("cidr_block"), block.get("ipv6_cidr_block"))
        first, last = _stretch_of(block)
        if action is not None and action.text.lower() == "deny" and world:
            closed.append((first, last))
        elif not any(low <= first and last <= high for low, high in closed):
            yield from _still_open(_acl_rule(resource, block), closed)


def _still_open(hits: Iterator[Hit], closed: list[tuple[float, float]]) -> Iterator[Hit]:
    """Drop hits that earlier rules close; if a part of "all ports" is closed, name the remaining ports one by one."""
    for one in hits:
        if one.rule is ALL and closed:
            yield from (
                hit(found, one.path, one.line) for number, found in PORTS.items() if not _within(number, closed)
            )
        elif not any(found is one.rule and _within(number, closed) for number, found in PORTS.items()):
            yield one


def _within(number: int, stretches: list[tuple[float, float]]) -> bool:
    return any(low <= number <= high for low, high in stretches)


def _order(block: Node) -> float:
    number = block.get("rule_no") or block.get("rule_number")
    return (number.number if number is not None else None) or 0


def _stretch_of(block: Node) -> tuple[float, float]:
    protocol = block.get("protocol")
    if protocol is not None and protocol.text in ("-1", "all"):
        return 0, LAST_PORT
    low, high = (node.number if (node := block.get(key)) is not None else None for key in ("from_port", "to_port"))
    return low or 0, high or 0


def aws_acl_rule(resource: Resource) -> Iterator[Hit]:
    """Judge a network ACL rule that is a resource of its own."""
    egress = resource.body.get("egress")
    if egress is None or not egress.yes:
        yield from _acl_rule(resource, resource.body)


def _acl_rule(resource: Resource, block: Node) -> Iterator[Hit]:
    action = block.get("action") or block.get("rule_action")
    if action is None or action.text.lower() != "allow":
        return
    if not is_world(block.get("cidr_block"), block.get("ipv6_cidr_block")):
        return
    protocol = block.get("protocol")
    every = protocol is not None and protocol.text in ("-1", "all")
    low, high = (node.number if (node := block.get(key)) is not None else None for key in ("from_port", "to_port"))
    if every or (low is not None and high is not None):
        yield from opened((resource.path, _world_line(block)), low or 0, high or 0, every=every)


def gcp_firewall(resource: Resource) -> Iterator[Hit]:
    """Judge a Google Cloud firewall rule: its allow blocks and source ranges."""
    body = resource.body
    direction, off = body.get("direction"), body.get("disabled")
    if (direction is not None and direction.text.upper() == "EGRESS") or (off is not None and off.yes):
        return
    if not is_world(body.get("source_ranges")):
        return
    allow = body.get("allow")
    for block in allow.items if allow is not None else []:
        protocol = block.get("protocol")
        said = protocol.text.lower() if protocol is not None else ""
        ports = block.get("ports")
        place = (resource.path, body.at_line("source_ranges"))
        if said == "all" or (said in ("tcp", "udp") and (ports is None or ports.empty)):
            yield from opened(place, 0, LAST_PORT, every=True)
        elif said in ("tcp", "6", "udp", "17"):
            for one in ports.items if ports is not None else []:
                yield from _stretch(place, one.text)


def _stretch(place: tuple[str, int], text: str) -> Iterator[Hit]:
    low, _, high = text.strip().partition("-")
    if text.strip() == "*":
        yield from opened(place, 0, LAST_PORT, every=True)
    elif low.strip().isdecimal() and (high.strip().isdecimal() or not high):
        yield from opened(place, int(low[:6]), int((high or low).strip()[:6]))


def azure_group(resource: Resource) -> Iterator[Hit]:
    """Judge a network security group with its inline rules."""
    rules = resource.body.get("security_rule")
    for block in rules.items if rules is not None else []:
        yield from _azure_rule(resource, block)


def azure_rule(resource: Resource) -> Iterator[Hit]:
    """Judge a rule of a network security group that is a resource of its own."""
    yield from _azure_rule(resource, resource.body)


def _azure_rule(resource: Resource, block: Node) -> Iterator[Hit]:
    def said(key: str) -> str:
        node = block.get(key)
        return node.text.lower() if node is not None else ""

    if said("access") not in ("allow", "") or said("direction") not in ("inbound", ""):
        return
    source = [block.get("source_address_prefix"), block.get("source_address_prefixes")]
    world = any(
        one.text.lower() in WORLD or one.text.endswith("/0")
        for node in source
        if node is not None
        for one in node.items
    )
    if not world:
        return
    line = block.at_line("source_address_prefix")
    if said("protocol") == "udp":
        yield hit(UDP, resource.path, line)
    if said("protocol") not in ("tcp", "*", ""):
        return
    ports = [block.get("destination_port_range"), block.get("destination_port_ranges")]
    for node in ports:
        for one in node.items if node is not None else []:
            for part in one.text.split(","):
                yield from _stretch((resource.path, line), part)


CHECKS: tuple[tuple[str, Check], ...] = (
    ("aws_security_group aws_default_security_group", aws_group),
    ("aws_security_group_rule aws_vpc_security_group_ingress_rule aws_vpc_security_group_egress_rule", aws_rule),
    ("aws_network_acl aws_default_network_acl", aws_acl),
    ("aws_network_acl_rule", aws_acl_rule),
    ("google_compute_firewall", gcp_firewall),
    ("azurerm_network_security_group", azure_group),
    ("azurerm_network_security_rule", azure_rule),
)
