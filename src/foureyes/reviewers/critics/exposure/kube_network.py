"""Judge what can be reached in a cluster: its services, ingresses and network policies."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.reviewers.critics.critic import Hit, Rule
from foureyes.reviewers.critics.exposure.network import PORTS, is_world
from foureyes.reviewers.critics.exposure.rules import HARDEN, LISTEN_IN, REACHABLE, hit, rule
from foureyes.reviewers.critics.exposure.tree import Node

NODE_PORT = rule("k8s.node-port", "A service is opened on every machine", REACHABLE, "Use ClusterIP and an Ingress.")
BALANCER = rule(
    "k8s.load-balancer", "A service is opened to the world", REACHABLE, "Limit it with loadBalancerSourceRanges."
)
EXTERNAL_IP = rule(
    "k8s.external-ips",
    "A service takes over outside addresses",
    "It can catch traffic meant for others (CVE-2020-8554).",
    "Remove externalIPs.",
    "important",
)
NO_TLS = rule("k8s.ingress-without-tls", "An Ingress serves without TLS", LISTEN_IN, "Add spec.tls.")
SNIPPET = rule(
    "k8s.ingress-snippet",
    "An Ingress brings its own server configuration",
    "Such snippets can read the controller's token and with it every secret (CVE-2021-25742).",
    "Remove the snippet annotations.",
)
SNIPPET_LUA = rule(
    "k8s.ingress-snippet-lua", "An Ingress snippet runs Lua", SNIPPET.why, "Remove the Lua code.", "critical"
)
SNIPPET_ALIAS = rule(
    "k8s.ingress-snippet-alias", "An Ingress snippet serves files", SNIPPET.why, "Remove alias and root.", "critical"
)
ADMIN_PORT = rule(
    "k8s.public-database",
    "A database or admin port is opened to the world",
    REACHABLE,
    "Use ClusterIP, an internal load balancer or loadBalancerSourceRanges.",
    "important",
)
POLICY_OPEN = rule(
    "k8s.network-policy-open",
    "A network policy lets everybody in",
    HARDEN,
    "Name who may, with podSelector, namespaceSelector or ipBlock.",
)
RULES: tuple[Rule, ...] = (
    NODE_PORT, BALANCER, EXTERNAL_IP, NO_TLS, SNIPPET, SNIPPET_LUA, SNIPPET_ALIAS, ADMIN_PORT, POLICY_OPEN,
)  # fmt: skip

_SNIPPET_MAX = 20_000
_SERVES_FILES = re.compile(r"\b(?:alias|root)\s{1,20}/")


def judge_service(path: str, thing: Node) -> Iterator[Hit]:
    """Judge a Service."""
    kind = thing.at("spec.type")
    if kind is not None and kind.text == "NodePort":
        yield hit(NODE_PORT, path, thing.at_line("spec.type"))
    inside = any("internal" in key for key in (thing.at("metadata.annotations") or thing).map)
    ranges = thing.at("spec.loadBalancerSourceRanges")
    anybody = ranges is None or ranges.empty or is_world(ranges)
    if kind is not None and kind.text == "LoadBalancer" and not inside and anybody:
        yield hit(BALANCER, path, thing.at_line("spec.type"))
        for ports in thing.every("spec.ports"):
            for one in ports.items:
                number = one.get("port")
                if number is not None and number.number in PORTS and PORTS[int(number.number)].severity != "minor":
                    yield hit(ADMIN_PORT, path, one.at_line("port"), evidence=f"port {number.text}")
    outside = thing.at("spec.externalIPs")
    if outside is not None and not outside.empty:
        yield hit(EXTERNAL_IP, path, thing.at_line("spec.externalIPs"))


def judge_ingress(path: str, thing: Node) -> Iterator[Hit]:
    """Judge an Ingress."""
    if thing.get("spec") is not None and thing.at("spec.tls") is None:
        yield hit(NO_TLS, path, thing.at_line("spec"))
    notes = thing.at("metadata.annotations")
    for key, value in (notes.map if notes is not None else {}).items():
        if not key.endswith("-snippet"):
            continue
        line = notes.at_line(key) if notes is not None and "." not in key else value.line
        yield hit(SNIPPET, path, line)
        if "lua" in value.text.lower():
            yield hit(SNIPPET_LUA, path, line)
        if _SERVES_FILES.search(value.text[:_SNIPPET_MAX]):
            yield hit(SNIPPET_ALIAS, path, line)


def judge_network_policy(path: str, thing: Node) -> Iterator[Hit]:
    """Judge a NetworkPolicy: a rule without `from`, or for the whole world, lets everybody in."""
    for rules in thing.every("spec.ingress"):
        for one in rules.items:
            if not one.map.get("from", Node(line=one.line, value=None)).items:
                yield hit(POLICY_OPEN, path, one.line)
            for block in one.every("from.ipBlock.cidr"):
                if is_world(block):
                    yield hit(POLICY_OPEN, path, block.line)
