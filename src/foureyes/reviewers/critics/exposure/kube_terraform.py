"""Judge the Kubernetes objects of a Terraform file by converting them to manifests."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.reviewers.critics.critic import Hit, State
from foureyes.reviewers.critics.exposure.cloud import Resource
from foureyes.reviewers.critics.exposure.kubernetes import judge_kubernetes
from foureyes.reviewers.critics.exposure.tree import Node

_VERSION = re.compile(r"_v[0-9](?:beta[0-9])?$")
_KINDS = {
    "pod": "Pod", "deployment": "Deployment", "daemonset": "DaemonSet", "daemon_set": "DaemonSet", "job": "Job",
    "stateful_set": "StatefulSet", "cron_job": "CronJob", "replication_controller": "ReplicationController",
    "role": "Role", "cluster_role": "ClusterRole", "role_binding": "RoleBinding", "service": "Service",
    "cluster_role_binding": "ClusterRoleBinding", "network_policy": "NetworkPolicy",
}  # fmt: skip
#: Blocks that are repeated for each element of a list, and keys with another name in a manifest.
_MANY = {
    "container": "containers", "init_container": "initContainers", "volume": "volumes", "port": "ports", "env": "env",
    "env_from": "envFrom", "volume_mount": "volumeMounts", "rule": "rules", "subject": "subjects",
    "host_pid": "hostPID", "host_ipc": "hostIPC", "external_ips": "externalIPs",
}  # fmt: skip


def kind_of(kind: str) -> str:
    """Return the Kubernetes kind of a resource of the provider; empty if no rule judges it."""
    return _KINDS.get(_VERSION.sub("", kind.removeprefix("kubernetes_")), "") if kind.startswith("kubernetes_") else ""


def judge_kube_resource(resource: Resource) -> Iterator[Hit]:
    """Yield only the blocking hits of such a resource, because the provider fills in what it leaves out."""
    thing = _camel(resource.body)
    head = {"apiVersion": "v1", "kind": kind_of(resource.kind)}
    made = {key: Node(line=resource.line, value=value) for key, value in head.items()}
    document = Node(line=thing.line, value={**thing.map, **made}, keys=thing.keys)
    yield from (one for one in judge_kubernetes(resource.path, [document]) if one.state is State.BLOCK)


def _camel(node: Node) -> Node:
    if isinstance(node.value, dict):
        names = {key: _MANY.get(key) or re.sub(r"_([a-z0-9])", lambda met: met[1].upper(), key) for key in node.value}
        value = {names[key]: _camel(inner if key in _MANY else _single(inner)) for key, inner in node.value.items()}
        lines = {names[key]: line for key, line in node.keys.items() if key in names}
        return Node(line=node.line, value=value, keys=lines)
    if isinstance(node.value, list):
        return Node(line=node.line, value=[_camel(one) for one in node.value])
    return node


def _single(node: Node) -> Node:
    """Return a block that is written once as a mapping instead of a list with one element."""
    return node.items[0] if isinstance(node.value, list) and len(node.value) == 1 and node.value[0].map else node
