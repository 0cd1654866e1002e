"""Judge commands of container and cluster tools that delete data or stop running services."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.reviewers.critics.commands.model import HOLE, Call, Family, Found, each, rule, words
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.own_things import are_own
from foureyes.reviewers.critics.commands.tools.generic import Cli, cli, is_dry

CONTAINERS = rule(
    "destructive.containers",
    "Containers, volumes or images are deleted",
    "A volume's data is in no image; a pruned machine loses what nobody had started at that moment.",
    "Name one stopped container, keep volumes (`docker compose down` without `-v`), or back the volume up first.",
)
ESCAPE = rule(
    "privilege.container-escape",
    "A container gets the whole machine",
    "With --privileged, the host's root folder or the Docker socket inside, whoever is in the container is root "
    "outside.",
    "Give the one device, folder or capability it needs, read-only where possible.",
    "critical",
)
CLUSTER = rule(
    "destructive.kubernetes",
    "Something in a cluster is deleted or taken out of service",
    "Deleting a namespace, claim or release takes its data and everything below it along, for everybody who uses it.",
    "Show it first (`kubectl get`, `--dry-run=server`), change the manifest and let the deployment do it.",
)

_GLOBALS = words(
    "context host log-level config file project-name profile env-file project-directory connection url root"
)


def _docker(call: Call) -> Iterator[Found]:
    words = options(call.args, "cHlfp", _GLOBALS, stop=True).operands
    if words[:1] == ("compose",):
        words = options(words[1:], "fp", _GLOBALS, stop=True).operands
        yield from _compose(words)
        return
    if call.name.endswith("compose"):
        yield from _compose(words)
        return
    yield from _verb(words, words[1:], call)


def _compose(words: tuple[str, ...]) -> Iterator[Found]:
    opts = options(words[1:], "t", ("timeout", "rmi"))
    down = words[:1] == ("down",) and (opts.has("v") or "volumes" in opts.long or "rmi" in opts.long)
    gone = words[:1] == ("rm",) and opts.has("v", "volumes", "f", "force", "s", "stop")
    if (down or gone) and "dry-run" not in opts.long:
        yield Found(rule=CONTAINERS)


_PARTS = words(
    "system volume container image network builder buildx context secret config stack swarm node service plugin "
    "machine pod manifest vm"
)


def _verb(words: tuple[str, ...], args: tuple[str, ...], call: Call) -> Iterator[Found]:
    part = words[0] if words[:1] and words[0] in _PARTS else ""
    deed = words[1] if part and len(words) > 1 else (words[0] if words else "")
    opts = options(args)
    if deed in ("rm", "remove", "rmi", "kill") and are_own(opts.operands[1:] if part else opts.operands, call):
        return
    if (
        deed in ("prune", "rmi", "purge", "reset")
        or (deed in ("rm", "remove", "delete") and part not in ("", "container"))
        or (deed in ("rm", "remove") and opts.has("f", "force", "v", "volumes"))
        or ((part, deed) in (("swarm", "leave"), ("system", "df-reset")) and opts.has("f", "force"))
        or (deed == "kill" and any(HOLE in word for word in args))
    ):
        yield Found(rule=CONTAINERS)
    elif deed in ("run", "create", "exec"):
        yield from _run(args)


def _run(args: tuple[str, ...]) -> Iterator[Found]:
    opts = options(
        args, "vehlmpuw", ("volume", "mount", "pid", "cap-add", "name", "env", "network", "security-opt"), stop=True
    )
    mounts = [opts.values.get("v", ""), opts.long.get("volume", ""), opts.long.get("mount", "")]
    opened = [
        value
        for value in mounts
        if value.startswith(("/:", "/etc:", "/root:", "/var/run/docker.sock", "/run/docker.sock"))
        or "source=/," in value
        or "src=/," in value
    ]
    if (
        ("privileged" in opts.long and opts.long["privileged"] != "false")
        or opened
        or opts.long.get("cap-add") in ("ALL", "SYS_ADMIN")
        or opts.long.get("pid") == "host"
    ):
        yield Found(rule=ESCAPE)


_KUBECTL_LONG = words(
    "namespace context kubeconfig cluster user server token as as-group selector field-selector output filename "
    "request-timeout kubectl-flags v replicas"
)


def _kubectl(call: Call) -> Iterator[Found]:
    opts = options(call.args, "nsflokv", _KUBECTL_LONG)
    words = opts.operands
    if is_dry(call) or not words:
        return
    deed = words[0]
    if deed in ("config", "explain"):
        return
    if deed in ("delete", "drain", "evict") or (
        deed in ("replace", "apply") and (opts.long.get("force", "false") in ("", "true") or "prune" in opts.long)
    ):
        yield Found(rule=CLUSTER)
    elif deed == "scale" and opts.long.get("replicas", "1") == "0":
        yield Found(rule=CLUSTER, text="Scaling to zero stops the service.")
    elif deed in ("cordon", "taint") or (deed == "rollout" and words[1:2] == ("undo",)):
        yield Found(rule=CLUSTER, text="Running workloads are moved, stopped or put back to an older state.")
    elif (
        deed == "patch"
        and any(
            re.search(r'"finalizers":(?:null|\[\])|"replicas":0\b', word.replace(" ", "")) is not None
            for word in call.args
        )
    ) or (deed == "adm" and words[1:2] in (("drain",), ("prune",))):
        yield Found(rule=CLUSTER)
    elif deed == "debug" and words[1:2] and words[1].startswith(("node/", "no/", "nodes/")):
        yield Found(rule=ESCAPE, text="The container sees the node's whole file system and processes.")
    elif deed == "run" and ("privileged" in opts.long or '"privileged":true' in "".join(call.args).replace(" ", "")):
        yield Found(rule=ESCAPE)
    elif "cluster-admin" in " ".join(call.args) and (
        (deed == "create" and words[1:2] in (("clusterrolebinding",), ("rolebinding",)))
        or (deed == "adm" and words[1:2] == ("policy",) and words[2:3] and words[2].startswith("add-"))
    ):
        yield Found(rule=ESCAPE, text="Somebody is given the whole cluster.")


_HELM = Cli(
    rule=CLUSTER,
    takes="nf",
    long_takes=words("namespace kube-context kubeconfig set values version timeout"),
    ends=words("uninstall delete del un rollback"),
    spares=words("repo plugin registry"),
    stops=False,
)


def _helm(call: Call) -> Iterator[Found]:
    words = options(call.args, _HELM.takes, _HELM.long_takes).operands
    if words[:1] in (("repo",), ("plugin",), ("registry",)):
        return
    yield from cli(_HELM)(call)
    if words[:1] in (("upgrade",), ("install",)) and "--force" in call.args and not is_dry(call):
        yield Found(rule=CLUSTER, text="With --force, resources are deleted and made anew.")


_CLUSTER_CLI = Cli(
    rule=CLUSTER,
    takes="n",
    long_takes=("namespace", "context", "kubeconfig", "name", "profile"),
    ends=words("down reset"),
)

FAMILY = Family(
    rules=(CONTAINERS, ESCAPE, CLUSTER),
    tools={
        **each("docker podman nerdctl finch docker-compose podman-compose", _docker),
        **each(
            "buildah crictl ctr skopeo crane regctl lxc incus machinectl multipass limactl colima vagrant "
            "virsh vboxmanage govc qm pct vzdump",
            cli(
                Cli(
                    rule=CONTAINERS,
                    ends=words("undefine rmi rmp unregistervm"),
                    takes="nf",
                    long_takes=("namespace", "address"),
                )
            ),
        ),
        **each("kubectl oc kubecolor k", _kubectl),
        "helm": _helm,
        "helmfile": _helm,
        **each(
            "kind k3d minikube eksctl kops kubeadm rancher istioctl linkerd cilium kubeseal k0s rke talosctl "
            "clusterctl crossplane longhornctl",
            cli(_CLUSTER_CLI),
        ),
    },
)
