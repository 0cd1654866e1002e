"""Judge roles, bindings, accounts and policies of a cluster, and workloads that should not be deployed."""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.reviewers.critics.critic import Hit, Rule
from foureyes.reviewers.critics.exposure.rules import (
    ANYONE,
    CREDENTIALS,
    ESCAPE,
    GAIN,
    HARDEN,
    STEADY,
    hit,
    note,
    rule,
)
from foureyes.reviewers.critics.exposure.tree import Node

WILDCARD = rule(
    "k8s.rbac-wildcard", "A role may do anything or use anything", GAIN, "Name verbs and resources.", "important"
)
ADMIN = rule("k8s.cluster-admin", "Cluster administration is handed out", GAIN, "Bind a smaller role.", "important")
ANONYMOUS = rule(
    "k8s.anonymous-binding", "A role is bound to everybody", ANYONE, "Bind it to named accounts.", "critical"
)
ESCALATE = rule("k8s.rbac-escalate", "A role may raise its own rights", GAIN, "Remove the verb escalate.", "important")
RBAC_GROUP = "rbac.authorization.k8s.io"
_OWN_GROUPS = frozenset({"*", "", "apps", "batch", "autoscaling", "extensions", "policy"})
#: API groups of measurements, which are read-only data.
_METRICS = frozenset({"metrics.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io"})
BIND = rule("k8s.rbac-bind", "A role may bind any role to itself", GAIN, "Remove the verb bind.", "important")
APPROVE = rule(
    "k8s.rbac-approve-certificates",
    "A role may approve certificates and so become anybody",
    GAIN,
    "Take certificate signing requests out of the role.",
    "important",
)
WEBHOOKS = rule(
    "k8s.rbac-webhooks",
    "A role may change what the API server asks before it admits anything",
    GAIN,
    "Take webhook configurations out of the role.",
    "important",
)
IMPERSONATE = rule("k8s.rbac-impersonate", "A role may act as others", GAIN, "Remove impersonate.", "important")
NODE_PROXY = rule(
    "k8s.rbac-node-proxy",
    "A role may speak to the machines past the API server",
    "It can run commands in every pod of a machine, and no record is kept.",
    "Take nodes/proxy out of the role.",
    "important",
)
ACCOUNT_TOKEN = rule(
    "k8s.rbac-account-token",
    "A role may draw tokens of other accounts",
    "Its holder can act as any account whose token it draws.",
    "Name the accounts with resourceNames.",
    "important",
)
EXEC = rule("k8s.rbac-exec", "A role may run commands in any pod", GAIN, "Take pods/exec out of it.")
READ_SECRETS = rule("k8s.rbac-secrets", "A role may read every secret", GAIN, "Name the secrets it needs.")
DEFAULT_BOUND = rule(
    "k8s.default-account-bound", "A role is bound to the default service account", GAIN, "Make an account of its own."
)
DEFAULT_ACCOUNT = rule(
    "k8s.default-account-token",
    "The default service account's token is put into every pod",
    CREDENTIALS,
    "Set automountServiceAccountToken: false on it.",
)
DASHBOARD = rule(
    "k8s.dashboard",
    "The Kubernetes dashboard is deployed",
    "The dashboard has been the way into whole clusters.",
    "Use kubectl, or a dashboard that asks who one is.",
    "important",
)
TILLER = rule(
    "k8s.tiller",
    "Tiller (Helm 2) is deployed",
    "Tiller does for anybody in the cluster whatever he asks.",
    "Use Helm 3.",
    "important",
)
TILLER_OPEN = rule(
    "k8s.tiller-listens",
    "Tiller listens beyond its own pod",
    TILLER.why,
    "Start it with --listen=localhost:44134, or use Helm 3.",
    "important",
)
NAMESPACE = rule("k8s.default-namespace", "It lives in the default namespace", HARDEN, "Name a namespace of its own.")
POLICY = {
    "privileged": rule(
        "k8s.psp-privileged", "A policy allows privileged pods", ESCAPE, "Set privileged: false.", "important"
    ),
    "hostPID": rule("k8s.psp-host-pid", "A policy allows hostPID", ESCAPE, "Set hostPID: false.", "important"),
    "hostIPC": rule("k8s.psp-host-ipc", "A policy allows hostIPC", ESCAPE, "Set hostIPC: false.", "important"),
    "hostNetwork": rule("k8s.psp-host-network", "A policy allows hostNetwork", ESCAPE, "Set it to false.", "important"),
}
POLICY_ESCALATION = rule(
    "k8s.psp-escalation", "A policy allows privilege escalation", GAIN, "Set allowPrivilegeEscalation: false."
)
POLICY_ROOT = rule("k8s.psp-root", "A policy allows root", ESCAPE, "Set runAsUser.rule: MustRunAsNonRoot.")
POLICY_ADDED = rule("k8s.psp-added-capabilities", "A policy allows added capabilities", GAIN, "Remove them.")
POLICY_DROP = rule("k8s.psp-drop-capabilities", "A policy does not drop all capabilities", GAIN, "Drop ALL.")
POLICY_NET_RAW = rule("k8s.psp-net-raw", "A policy does not drop NET_RAW", GAIN, "Drop ALL or NET_RAW.")
POLICY_SECCOMP = rule(
    "k8s.psp-seccomp", "A policy does not filter system calls", HARDEN, "Annotate it with runtime/default."
)
EVENT_LIMIT = rule(
    "k8s.admission-event-rate-limit", "Admission does not limit events", STEADY, "Add the EventRateLimit plugin."
)
RULES: tuple[Rule, ...] = (
    WILDCARD, ADMIN, ANONYMOUS, ESCALATE, BIND, APPROVE, WEBHOOKS, IMPERSONATE, EXEC, READ_SECRETS, DEFAULT_BOUND,
    NODE_PROXY, ACCOUNT_TOKEN,
    DEFAULT_ACCOUNT, DASHBOARD, TILLER,
    TILLER_OPEN, NAMESPACE, *POLICY.values(), POLICY_ESCALATION, POLICY_ROOT, POLICY_ADDED, POLICY_DROP, POLICY_NET_RAW,
    POLICY_SECCOMP, EVENT_LIMIT,
)  # fmt: skip

_EVERYBODY = frozenset({"system:anonymous", "system:unauthenticated"})
_ANY_ACCOUNT = frozenset({"system:authenticated", "system:serviceaccounts"})
#: Kinds that live in a namespace; for other kinds only the cluster knows.
_PLACED = frozenset(
    [
        "Pod",
        "Deployment",
        "DaemonSet",
        "StatefulSet",
        "ReplicaSet",
        "ReplicationController",
        "Job",
        "CronJob",
        "DeploymentConfig",
        "Service",
        "Secret",
        "ServiceAccount",
        "Role",
        "RoleBinding",
        "ConfigMap",
        "Ingress",
        "PersistentVolumeClaim",
        "NetworkPolicy",
    ]
)


def judge_role(path: str, thing: Node) -> Iterator[Hit]:
    """Judge a Role or ClusterRole."""
    granted = [each for rules in thing.every("rules") for each in rules.items]
    for each in granted:
        yield from _granted(path, each)
    updates = [one for one in granted if _allows(one, {"update", "patch"}, "certificatesigningrequests/approval")]
    if updates and any(_allows(one, {"approve"}, "signers") for one in granted):
        yield hit(APPROVE, path, updates[0].at_line("resources"))


def _allows(each: Node, verbs: set[str], resource: str) -> bool:
    return bool(_words(each, "verbs") & (verbs | {"*"})) and resource in _words(each, "resources")


def _words(node: Node, key: str) -> set[str]:
    found = node.get(key)
    return {one.text for one in found.items} if found is not None else set()


def _is_wide(groups: set[str]) -> bool:
    """True if the groups include a core API group; everything in the API of one extension is less."""
    return not groups or any(_is_own_group(one) for one in groups)


def _is_own_group(group: str) -> bool:
    return group in _OWN_GROUPS or (group.endswith(".k8s.io") and group not in _METRICS)


def _granted(path: str, each: Node) -> Iterator[Hit]:
    verbs, resources, groups = _words(each, "verbs"), _words(each, "resources"), _words(each, "apiGroups")
    anything = "*" in verbs
    if anything or "*" in resources or "*" in groups:
        key = "verbs" if anything else "resources" if "*" in resources else "apiGroups"
        whole = anything and "*" in resources and _is_wide(groups)
        yield (hit if whole else note)(WILDCARD, path, each.at_line(key))
    named = bool(resources & {"*", "roles", "clusterroles", "rolebindings", "clusterrolebindings"})
    rbac = named and (not groups or not groups.isdisjoint({"*", RBAC_GROUP}))
    if rbac and verbs & {"escalate", "*"} and resources & {"roles", "clusterroles", "*"}:
        yield hit(ESCALATE, path, each.at_line("verbs"))
    if rbac and verbs & {"bind", "*"}:
        yield hit(BIND, path, each.at_line("verbs"))
    hooks = {"validatingwebhookconfigurations", "mutatingwebhookconfigurations"}
    if resources & hooks and verbs & {"create", "update", "patch", "*"}:
        yield hit(WEBHOOKS, path, each.at_line("resources"))
    if "impersonate" in verbs:
        yield hit(IMPERSONATE, path, each.at_line("verbs"))
    if "nodes/proxy" in resources and verbs & {"get", "create", "*"}:
        yield hit(NODE_PROXY, path, each.at_line("resources"))
    if "serviceaccounts/token" in resources and verbs & {"create", "*"} and each.get("resourceNames") is None:
        yield hit(ACCOUNT_TOKEN, path, each.at_line("resources"))
    if "pods/exec" in resources and verbs & {"create", "get", "*"}:
        yield hit(EXEC, path, each.at_line("resources"))
    if "secrets" in resources and verbs & {"get", "list", "watch", "*"} and each.get("resourceNames") is None:
        yield hit(READ_SECRETS, path, each.at_line("resources"))


def judge_binding(path: str, thing: Node) -> Iterator[Hit]:
    """Judge a RoleBinding or ClusterRoleBinding."""
    role = thing.at("roleRef.name")
    if role is not None and role.text == "cluster-admin":
        yield hit(ADMIN, path, thing.at_line("roleRef.name"))
    for subjects in thing.every("subjects"):
        for each in subjects.items:
            name, kind = (each.get("name"), each.get("kind"))
            if name is None:
                continue
            if name.text in _EVERYBODY:
                yield hit(ANONYMOUS, path, each.at_line("name"))
            elif name.text in _ANY_ACCOUNT:
                yield note(ANONYMOUS, path, each.at_line("name"), "A role is bound to every account.")
            if name.text == "default" and kind is not None and kind.text == "ServiceAccount":
                yield hit(DEFAULT_BOUND, path, each.at_line("name"))


def judge_account(path: str, thing: Node) -> Iterator[Hit]:
    """Judge a ServiceAccount."""
    name, token = thing.at("metadata.name"), thing.get("automountServiceAccountToken")
    if name is not None and name.text == "default" and (token is None or token.yes):
        yield hit(DEFAULT_ACCOUNT, path, thing.at_line("automountServiceAccountToken"))


def judge_policy(path: str, thing: Node) -> Iterator[Hit]:
    """Judge a PodSecurityPolicy."""
    spec = thing.get("spec")
    if spec is None:
        return
    for key, found in POLICY.items():
        if (node := spec.get(key)) is not None and node.yes:
            yield hit(found, path, spec.at_line(key))
    gain = spec.get("allowPrivilegeEscalation")
    if gain is None or gain.yes:
        yield hit(POLICY_ESCALATION, path, spec.at_line("allowPrivilegeEscalation"))
    user = spec.at("runAsUser.rule")
    minimum = spec.at("runAsUser.ranges.min")
    if user is None or user.text == "RunAsAny" or (minimum is not None and minimum.number == 0):
        yield hit(POLICY_ROOT, path, spec.at_line("runAsUser.rule"))
    added = spec.get("allowedCapabilities")
    if added is not None and not added.empty:
        yield hit(POLICY_ADDED, path, spec.at_line("allowedCapabilities"))
    gone = _words(spec, "requiredDropCapabilities")
    if not gone:
        yield hit(POLICY_DROP, path, spec.at_line("requiredDropCapabilities"))
    if not gone & {"ALL", "NET_RAW"}:
        yield hit(POLICY_NET_RAW, path, spec.at_line("requiredDropCapabilities"))
    notes = thing.at("metadata.annotations")
    profiles = [v.text for k, v in (notes.map if notes is not None else {}).items() if "seccomp" in k]
    if not any("runtime/default" in one or "docker/default" in one for one in profiles):
        yield hit(POLICY_SECCOMP, path, thing.at_line("metadata.annotations"))


def judge_anything(path: str, thing: Node, kind: str) -> Iterator[Hit]:
    """Judge what applies to every kind: its namespace, and whether it is a workload that should not be deployed."""
    space, name = thing.at("metadata.namespace"), thing.at("metadata.name")
    # The cluster itself creates this account and this service in every namespace.
    given = name is not None and (kind, name.text) in (("ServiceAccount", "default"), ("Service", "kubernetes"))
    if (
        kind in _PLACED
        and thing.get("metadata") is not None
        and not given
        and (space is None or space.text == "default")
    ):
        yield hit(NAMESPACE, path, thing.at_line("metadata.namespace"))
    labels = [thing.at("metadata.labels"), thing.at("spec.template.metadata.labels"), thing.at("spec.selector")]
    said = {(k, v.text) for one in labels if one is not None for k, v in one.map.items()}
    images = [one.text for one in thing.every("spec.template.spec.containers.image")]
    images += [one.text for one in thing.every("spec.containers.image")]
    images += [one.text for one in thing.every("spec.jobTemplate.spec.template.spec.containers.image")]
    if _dashboard(said, images):
        yield hit(DASHBOARD, path, thing.line)
    named = name.text if name is not None else ""
    if ("name", "tiller") in said or named == "tiller-deploy" or any("/tiller" in one for one in images):
        yield hit(TILLER, path, thing.line)
        yield from _listens(path, thing)


def _dashboard(said: set[tuple[str, str]], images: list[str]) -> bool:
    keys = {"app", "k8s-app", "app.kubernetes.io/name"}
    return any(key in keys and value == "kubernetes-dashboard" for key, value in said) or any(
        "kubernetes-dashboard" in one or "kubernetesui/dashboard" in one for one in images
    )


def _listens(path: str, thing: Node) -> Iterator[Hit]:
    for holder in ("spec.template.spec.containers", "spec.containers"):
        for containers in thing.every(holder):
            for one in containers.items:
                words = [w.text for key in ("command", "args") for n in one.every(key) for w in n.items]
                local = any("listen" in w and ("localhost" in w or "127.0.0.1" in w) for w in words)
                if not local:
                    yield hit(TILLER_OPEN, path, one.line)


def judge_admission(path: str, thing: Node) -> Iterator[Hit]:
    """Judge an AdmissionConfiguration."""
    if not any(one.text == "EventRateLimit" for one in thing.every("plugins.name")):
        yield hit(EVENT_LIMIT, path, thing.at_line("plugins"))
