"""Judge a Kubernetes pod: privileges, capabilities, user, mounts, images, secrets and resource limits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from foureyes.reviewers.critics.critic import Hit, Rule
from foureyes.reviewers.critics.exposure.rules import (
    CREDENTIALS,
    ESCAPE,
    GAIN,
    HARDEN,
    REACHABLE,
    STEADY,
    SUPPLY,
    hit,
    note,
    rule,
)
from foureyes.reviewers.critics.exposure.tree import Node

HIGH_USER = 10_000
_NEAR_ROOT = frozenset(
    [
        "ALL",
        "SYS_ADMIN",
        "SYS_PTRACE",
        "SYS_MODULE",
        "SYS_RAWIO",
        "DAC_READ_SEARCH",
        "DAC_OVERRIDE",
        "NET_ADMIN",
        "BPF",
        "SYS_BOOT",
        "SYS_TIME",
        "SYSLOG",
        "MAC_ADMIN",
        "MAC_OVERRIDE",
        "SETFCAP",
        "MKNOD",
        "PERFMON",
    ]
)
_SENSITIVE_HOST = re.compile(
    r"/(?:|etc|root|proc|sys|dev|boot|home|usr|lib|lib64|bin|sbin|var|var/(?:run|lib)(?:/(?:docker|kubelet|etcd|containerd)"
    r"(?:/.{0,200})?)?|run|run/containerd|host|mnt|etc/(?:kubernetes|ssh|shadow|passwd|sudoers|cron|systemd|pki)[^\n]{0,200}"
    r"|root/[^\n]{1,200}|home/[^/]{1,80}/\.(?:ssh|aws|kube|docker)[^\n]{0,200})/?"
)
_SOCKET = re.compile(
    r"/(?:docker|containerd|crio|podman|cri-dockerd)(?:/[a-z.-]{1,40})?\.sock$|^(?:/var)?/run/docker\.sock"
)

PRIVILEGED = rule("k8s.privileged", "A container is privileged", ESCAPE, "Remove privileged: true.", "critical")
ESCALATION = rule(
    "k8s.allow-privilege-escalation",
    "A process may gain more rights than its parent",
    GAIN,
    "Set securityContext.allowPrivilegeEscalation: false.",
    "important",
)
RUN_AS_ROOT = rule(
    "k8s.run-as-root", "A container runs as root", ESCAPE, "Set runAsNonRoot: true or a runAsUser above 0.", "important"
)
LOW_USER = rule(
    "k8s.low-user-id",
    "A container's user id may be one of the machine's own",
    ESCAPE,
    "Set runAsUser to 10000 or more.",
)
ADDED = rule("k8s.added-capabilities", "A container is given extra capabilities", GAIN, "Drop them all.", "important")
SYS_ADMIN = rule(
    "k8s.sys-admin", "A container is given SYS_ADMIN or all capabilities", ESCAPE, "Remove it from add.", "critical"
)
NET_RAW = rule(
    "k8s.net-raw",
    "A container keeps NET_RAW, which lets it forge packets",
    GAIN,
    "Set securityContext.capabilities.drop: [ALL].",
)
KEEPS = rule(
    "k8s.keeps-capabilities",
    "A container keeps the default capabilities",
    GAIN,
    "Set securityContext.capabilities.drop: [ALL].",
)
HOST_PID = rule("k8s.host-pid", "A pod sees the machine's processes", ESCAPE, "Remove hostPID: true.", "important")
HOST_IPC = rule("k8s.host-ipc", "A pod shares the machine's memory", ESCAPE, "Remove hostIPC: true.", "important")
HOST_NETWORK = rule(
    "k8s.host-network", "A pod uses the machine's network", ESCAPE, "Remove hostNetwork: true.", "important"
)
HOST_PORT = rule("k8s.host-port", "A port of the machine itself is opened", REACHABLE, "Use a Service instead.")
HOST_PATH = rule(
    "k8s.host-path", "A sensitive folder of the machine is mounted", ESCAPE, "Use a volume claim.", "important"
)
SOCKET = rule(
    "k8s.container-socket",
    "The container runtime's socket is mounted",
    "The socket hands out root on the machine.",
    "Remove the mount.",
    "critical",
)
TOKEN = rule(
    "k8s.service-account-token",
    "A token for the cluster is put into every container",
    CREDENTIALS,
    "Set automountServiceAccountToken: false where the cluster's API is not used.",
)
READ_ONLY = rule(
    "k8s.writable-root", "The root file system can be written", HARDEN, "Set readOnlyRootFilesystem: true."
)
NO_CONTEXT = rule("k8s.no-security-context", "No security context is set", HARDEN, "Add a securityContext.")
POD_CONTEXT = rule(
    "k8s.pod-security-context", "Neither the pod nor every container has a security context", HARDEN, "Add one."
)
SECCOMP = rule("k8s.seccomp", "System calls are not filtered", HARDEN, "Set seccompProfile.type: RuntimeDefault.")
APPARMOR = rule("k8s.apparmor-off", "AppArmor is switched off", HARDEN, "Use runtime/default.", "important")
SECRET_ENV = rule(
    "k8s.secret-in-environment",
    "A secret is handed over as an environment variable",
    "Environments end up in logs, crash reports and child processes.",
    "Mount the secret as a file.",
)
LATEST = rule("k8s.image-tag", "An image has no fixed tag", SUPPLY, "Name a version.")
DIGEST = rule("k8s.image-digest", "An image is not named by its digest", SUPPLY, "Add @sha256:… to the image.")
PULL = rule(
    "k8s.image-pull-policy",
    "An image that may have changed or is not this pod's is taken from the machine's cache",
    SUPPLY,
    "Set imagePullPolicy: Always.",
)
CPU_LIMIT = rule("k8s.cpu-limit", "No limit of processor time", STEADY, "Set resources.limits.cpu.")
CPU_REQUEST = rule("k8s.cpu-request", "No requested processor time", STEADY, "Set resources.requests.cpu.")
MEMORY_LIMIT = rule("k8s.memory-limit", "No limit of memory", STEADY, "Set resources.limits.memory.")
MEMORY_REQUEST = rule("k8s.memory-request", "No requested memory", STEADY, "Set resources.requests.memory.")
LIVENESS = rule("k8s.liveness-probe", "Nobody notices when it hangs", STEADY, "Add a livenessProbe.")
READINESS = rule("k8s.readiness-probe", "It is sent work before it is ready", STEADY, "Add a readinessProbe.")
GIT_SYNC = rule(
    "k8s.git-sync-command",
    "git-sync is told which program to run",
    "Whoever can write that file runs what he likes with git-sync's rights.",
    "Remove GITSYNC_GIT and --git.",
    "important",
)

RULES: tuple[Rule, ...] = (
    PRIVILEGED, ESCALATION, RUN_AS_ROOT, LOW_USER, ADDED, SYS_ADMIN, NET_RAW, KEEPS, HOST_PID, HOST_IPC, HOST_NETWORK,
    HOST_PORT, HOST_PATH, SOCKET, TOKEN, READ_ONLY, NO_CONTEXT, POD_CONTEXT, SECCOMP, APPARMOR, SECRET_ENV, LATEST,
        DIGEST, PULL,
    CPU_LIMIT, CPU_REQUEST, MEMORY_LIMIT, MEMORY_REQUEST, LIVENESS, READINESS, GIT_SYNC,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """A pod or pod template, with the kind and metadata of its object."""

    path: str
    kind: str
    metadata: Node | None
    spec: Node

    @property
    def containers(self) -> list[tuple[Node, bool]]:
        """Return every container, and whether it runs for the life of the pod."""
        found = []
        for key in ("containers", "initContainers", "ephemeralContainers"):
            node = self.spec.get(key)
            items = node.items if node is not None else []
            found += [(one, key == "containers") for one in items if one.map]
        return found


def judge_pod(pod: Pod) -> Iterator[Hit]:
    """Judge the pod and all its containers."""
    yield from _pod_wide(pod)
    for volume in pod.spec.every("volumes"):
        for each in volume.items:
            yield from _volume(pod, each)
    for container, lasting in pod.containers:
        yield from _rights(pod, container)
        yield from _capabilities(pod, container)
        yield from _user(pod, container)
        yield from _hygiene(pod, container, lasting=lasting)
        yield from _image(pod, container)
        yield from _environment(pod, container)


def _pod_wide(pod: Pod) -> Iterator[Hit]:
    for key, found in (("hostPID", HOST_PID), ("hostIPC", HOST_IPC), ("hostNetwork", HOST_NETWORK)):
        node = pod.spec.get(key)
        if node is not None and node.yes:
            yield hit(found, pod.path, pod.spec.at_line(key))
    token = pod.spec.get("automountServiceAccountToken")
    if token is None or not (token.no or token.opaque):
        yield hit(TOKEN, pod.path, pod.spec.at_line("automountServiceAccountToken"))
    if pod.spec.get("securityContext") is None:
        own = [one.get("securityContext") is not None for one, _ in pod.containers]
        if not all(own):
            yield hit(POD_CONTEXT, pod.path, pod.spec.line)
    yield from _profiles(pod)


def _profiles(pod: Pod) -> Iterator[Hit]:
    notes = pod.metadata.at("annotations") if pod.metadata is not None else None
    named = dict(notes.map) if notes is not None else {}
    for key, value in named.items():
        if key.startswith("container.apparmor.security.beta.kubernetes.io/") and value.text == "unconfined":
            yield hit(APPARMOR, pod.path, notes.at_line(key) if notes else value.line)
    profile = pod.spec.at("securityContext.seccompProfile.type")
    if profile is not None and profile.text in ("RuntimeDefault", "Localhost"):
        return
    if any(k.endswith("seccomp.security.alpha.kubernetes.io/pod") and v.text in _FILTERED for k, v in named.items()):
        return
    if pod.containers and all(_filtered(one) for one, _ in pod.containers):
        return
    yield hit(SECCOMP, pod.path, pod.spec.at_line("securityContext.seccompProfile.type"))


_FILTERED = frozenset({"runtime/default", "docker/default"})


def _filtered(container: Node) -> bool:
    node = container.at("securityContext.seccompProfile.type")
    return node is not None and node.text in ("RuntimeDefault", "Localhost")


def _volume(pod: Pod, volume: Node) -> Iterator[Hit]:
    place = volume.at("hostPath.path")
    if place is None or place.opaque:
        return
    line = volume.at_line("hostPath.path")
    if _SOCKET.search(place.text):
        yield hit(SOCKET, pod.path, line, evidence=place.text)
    elif _SENSITIVE_HOST.fullmatch(place.text):
        yield hit(HOST_PATH, pod.path, line, evidence=place.text)


def _rights(pod: Pod, container: Node) -> Iterator[Hit]:
    context = container.get("securityContext")
    if context is None or context.empty:
        yield hit(NO_CONTEXT, pod.path, container.line)
    if context is not None and (on := context.get("privileged")) is not None and on.yes:
        yield hit(PRIVILEGED, pod.path, context.at_line("privileged"))
    gain = context.get("allowPrivilegeEscalation") if context is not None else None
    if gain is None:
        yield note(ESCALATION, pod.path, container.line, "Nothing forbids privilege escalation, so it is allowed.")
    elif gain.yes:
        yield hit(ESCALATION, pod.path, container.at_line("securityContext.allowPrivilegeEscalation"))
    root = context.get("readOnlyRootFilesystem") if context is not None else None
    if root is None or root.no:
        yield hit(READ_ONLY, pod.path, container.at_line("securityContext.readOnlyRootFilesystem"))


def _capabilities(pod: Pod, container: Node) -> Iterator[Hit]:
    added = container.at("securityContext.capabilities.add")
    names = [one.text.upper().removeprefix("CAP_") for one in added.items] if added is not None else []
    line = container.at_line("securityContext.capabilities.add")
    if {"SYS_ADMIN", "ALL"} & set(names):
        yield hit(SYS_ADMIN, pod.path, line, evidence=", ".join(names))
    if names:
        found = hit if _NEAR_ROOT & set(names) else note
        yield found(ADDED, pod.path, line, f"Capabilities are added: {', '.join(names)[:100]}.")
    dropped = container.at("securityContext.capabilities.drop")
    gone = {one.text.upper().removeprefix("CAP_") for one in dropped.items} if dropped is not None else set()
    at = container.at_line("securityContext.capabilities.drop")
    if not gone & {"ALL", "NET_RAW"}:
        yield hit(NET_RAW, pod.path, at)
    if "ALL" not in gone:
        yield hit(KEEPS, pod.path, at)


def _said(pod: Pod, container: Node, key: str) -> tuple[Node | None, int]:
    """Return the setting of the container, or else of the pod, and its line."""
    own = container.at(f"securityContext.{key}")
    if own is not None:
        return own, container.at_line(f"securityContext.{key}")
    return pod.spec.at(f"securityContext.{key}"), pod.spec.at_line(f"securityContext.{key}")


def _user(pod: Pod, container: Node) -> Iterator[Hit]:
    users = pod.spec.get("hostUsers")
    if users is not None and users.no:
        # The pod's users are mapped to other users of the machine, so its root has no rights there.
        return
    user, user_line = _said(pod, container, "runAsUser")
    other, other_line = _said(pod, container, "runAsNonRoot")
    number = user.number if user is not None else None
    if number == 0:
        yield hit(RUN_AS_ROOT, pod.path, user_line, "A container runs as user 0.")
    elif number is None and not (user is not None and user.opaque):
        if other is not None and other.no:
            yield hit(RUN_AS_ROOT, pod.path, other_line, "A container may run as root.")
        elif other is None:
            yield note(RUN_AS_ROOT, pod.path, container.line, "Nothing says that it does not run as root.")
    if number is None or number < HIGH_USER:
        yield hit(LOW_USER, pod.path, user_line if user is not None else container.line)


def _hygiene(pod: Pod, container: Node, *, lasting: bool) -> Iterator[Hit]:
    for path, found in (
        ("resources.limits.cpu", CPU_LIMIT),
        ("resources.requests.cpu", CPU_REQUEST),
        ("resources.limits.memory", MEMORY_LIMIT),
        ("resources.requests.memory", MEMORY_REQUEST),
    ):
        if container.at(path) is None:
            yield hit(found, pod.path, container.at_line(path))
    for path, found in (("livenessProbe", LIVENESS), ("readinessProbe", READINESS)):
        if lasting and pod.kind not in ("Job", "CronJob") and container.at(path) is None:
            yield hit(found, pod.path, container.line)
    for port in container.every("ports"):
        for each in port.items:
            if (number := each.get("hostPort")) is not None and number.number:
                yield hit(HOST_PORT, pod.path, each.at_line("hostPort"))


def _image(pod: Pod, container: Node) -> Iterator[Hit]:
    node = container.get("image")
    if node is None or node.opaque or "{{" in node.text or "$" in node.text:
        return
    line = container.at_line("image")
    name, _, digest = node.text.partition("@")
    tag = name.rpartition("/")[2].partition(":")[2]
    if not digest:
        yield hit(DIGEST, pod.path, line, evidence=node.text)
        if tag in ("", "latest"):
            yield hit(LATEST, pod.path, line, evidence=node.text)
    policy = container.get("imagePullPolicy")
    if (policy is None and not digest and tag not in ("", "latest")) or (
        policy is not None and not policy.opaque and policy.text != "Always"
    ):
        yield hit(PULL, pod.path, container.at_line("imagePullPolicy"))


def _environment(pod: Pod, container: Node) -> Iterator[Hit]:
    for each in container.every("env"):
        for one in each.items:
            if one.at("valueFrom.secretKeyRef") is not None:
                yield hit(SECRET_ENV, pod.path, one.at_line("valueFrom.secretKeyRef"))
            if one.get("name") is not None and one.map["name"].text == "GITSYNC_GIT":
                yield hit(GIT_SYNC, pod.path, one.line)
    for each in container.every("envFrom"):
        for one in each.items:
            if one.get("secretRef") is not None:
                yield hit(SECRET_ENV, pod.path, one.at_line("secretRef"))
    yield from _git_sync(pod, container)


def _git_sync(pod: Pod, container: Node) -> Iterator[Hit]:
    words = [one for key in ("command", "args") if (node := container.get(key)) is not None for one in node.items]
    if any("git-sync" in (node.text if node else "") for node in (container.get("image"), container.get("name"))):
        for word in words:
            if word.text == "--git" or word.text.startswith("--git="):
                yield hit(GIT_SYNC, pod.path, word.line)
