"""Judge the Kubernetes objects of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from foureyes.reviewers.critics.critic import Hit, Rule
from foureyes.reviewers.critics.exposure import kube_control, kube_network, kube_objects, kube_pods
from foureyes.reviewers.critics.exposure.kube_pods import Pod
from foureyes.reviewers.critics.exposure.tree import Node

RULES: tuple[Rule, ...] = (*kube_pods.RULES, *kube_control.RULES, *kube_objects.RULES, *kube_network.RULES)

#: Where each kind describes its pod: the paths of its metadata and spec. Other kinds use `_TEMPLATE`.
_PODS = {
    "Pod": ("", "spec"),
    "PodTemplate": ("template.metadata", "template.spec"),
    "CronJob": ("spec.jobTemplate.spec.template.metadata", "spec.jobTemplate.spec.template.spec"),
}
_TEMPLATE = ("spec.template.metadata", "spec.template.spec")
_CONTAINERS = frozenset({"containers", "initContainers"})
_LIST_DEPTH_MAX = 3

_Judge = Callable[[str, Node], Iterator[Hit]]
_OTHERS: dict[str, _Judge] = {
    "Role": kube_objects.judge_role,
    "ClusterRole": kube_objects.judge_role,
    "RoleBinding": kube_objects.judge_binding,
    "ClusterRoleBinding": kube_objects.judge_binding,
    "ServiceAccount": kube_objects.judge_account,
    "Service": kube_network.judge_service,
    "Ingress": kube_network.judge_ingress,
    "NetworkPolicy": kube_network.judge_network_policy,
    "PodSecurityPolicy": kube_objects.judge_policy,
    "AdmissionConfiguration": kube_objects.judge_admission,
}


def is_kubernetes(document: Node) -> bool:
    """True if the document names its kind and API version."""
    return document.get("kind") is not None and document.get("apiVersion") is not None


def judge_kubernetes(path: str, documents: list[Node]) -> Iterator[Hit]:
    """Yield the hits of every object of a file."""
    for document in documents:
        if is_kubernetes(document):
            yield from _object(path, document, 1)


def _object(path: str, thing: Node, depth: int) -> Iterator[Hit]:
    kind_node = thing.get("kind")
    kind = kind_node.text if kind_node is not None else ""
    inside = thing.get("items") if kind.endswith("List") or kind == "Template" else None
    inside = inside or (thing.get("objects") if kind == "Template" else None)
    if inside is not None and depth < _LIST_DEPTH_MAX:
        for one in inside.items:
            yield from _object(path, one, depth + 1)
        return
    yield from kube_objects.judge_anything(path, thing, kind)
    if kind in _OTHERS:
        yield from _OTHERS[kind](path, thing)
    pod = _pod(path, thing, kind)
    if pod is not None:
        yield from kube_pods.judge_pod(pod)
        for container, _ in pod.containers:
            yield from kube_control.judge_control(path, container)


def _pod(path: str, thing: Node, kind: str) -> Pod | None:
    where, what = _PODS.get(kind, _TEMPLATE)
    spec = thing.at(what)
    if spec is None or not isinstance(spec.value, dict) or not _CONTAINERS & set(spec.map):
        return None
    metadata = thing.at(where) if where else thing.get("metadata")
    return Pod(path=path, kind=kind, metadata=metadata, spec=spec)
