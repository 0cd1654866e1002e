"""Check that a Kubernetes control plane is started with the flags of the CIS benchmark."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from foureyes.reviewers.critics.critic import Hit, Rule
from foureyes.reviewers.critics.exposure.rules import (
    ANYONE,
    CREDENTIALS,
    GAIN,
    HARDEN,
    LISTEN_IN,
    STEADY,
    TRACE,
    hit,
    rule,
)
from foureyes.reviewers.critics.exposure.tree import Node

#: Takes the value of a flag, or None if it is missing; returns True if that is acceptable.
Wanted = Callable[[str | None], bool]
_STRONG = re.compile(
    r"TLS_(?:ECDHE_(?:ECDSA|RSA)_WITH_(?:AES_(?:128|256)_GCM_SHA(?:256|384)|CHACHA20_POLY1305(?:_SHA256)?)"
    r"|RSA_WITH_AES_(?:128|256)_GCM_SHA(?:256|384)|AES_\d{3}_GCM_SHA\d{3}|CHACHA20_POLY1305_SHA256)"
)
_DURATION = re.compile(r"(?:\d{1,9}(?:\.\d{1,9})?(?:ns|us|µs|ms|s|m|h)){1,6}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """One or more flags of a program, and a check of their values."""

    rule: Rule
    program: str
    names: tuple[str, ...]
    well: Wanted


def _is(value: str) -> Wanted:
    return lambda said: said is not None and said.lower() == value


def _is_not(value: str) -> Wanted:
    return lambda said: said is None or said.lower() != value


def _absent(said: str | None) -> bool:
    return said is None


def _given(said: str | None) -> bool:
    return bool(said)


def _has(word: str) -> Wanted:
    return lambda said: said is not None and word.lower() in said.lower().split(",")


def _has_not(word: str) -> Wanted:
    return lambda said: said is None or word.lower() not in said.lower().split(",")


def _at_least(number: int) -> Wanted:
    return lambda said: said is not None and said.isdecimal() and int(said[:9]) >= number


def _strong(said: str | None) -> bool:
    return said is not None and all(_STRONG.fullmatch(one.strip()) for one in said.split(","))


def _not_weak(said: str | None) -> bool:
    return said is None or _strong(said)


def _duration(said: str | None) -> bool:
    return said is None or said == "0" or bool(_DURATION.fullmatch(said))


def _key_file(said: str | None) -> bool:
    return said is None or said.endswith((".pem", ".key", ".pub", ".crt"))


def _keeps(word: str) -> Wanted:
    """Return a check for a plugin that is on by default: only a list without it is wrong."""
    return lambda said: said is None or _has(word)(said)


def _modest(said: str | None) -> bool:
    return said is None or (said.isdecimal() and int(said[:9]) <= _EVENTS_MAX)


def _gate_on(said: str | None) -> bool:
    return said is None or "rotatekubeletservercertificate=false" not in said.lower()


def _gate_set(said: str | None) -> bool:
    return said is not None and "rotatekubeletservercertificate=true" in said.lower()


_EVENTS_MAX = 5
API, MANAGER, SCHEDULER, ETCD, KUBELET = (
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "etcd",
    "kubelet",
)
_CALLED = {"apiserver": API, "manager": MANAGER, "scheduler": SCHEDULER, "etcd": ETCD, "kubelet": KUBELET}
_WORST = frozenset({"anonymous-auth", "authorization-mode", "insecure-bind-address", "insecure-port", "read-only-port",
                    "basic-auth-file", "token-auth-file", "client-cert-auth", "auto-tls", "peer-auto-tls"})  # fmt: skip


def _flag(name: str, flags: str, well: Wanted, why: str, title: str) -> Flag:
    names = tuple(flags.split())
    program = _CALLED[name.partition("-")[0]]
    severity = "important" if _WORST & set(names) and why in (ANYONE, CREDENTIALS) else "minor"
    fix = f"Set {' and '.join('--' + one for one in names)} of {program} as the CIS benchmark says."
    return Flag(rule=rule(f"k8s.{name}", title, why, fix, severity), program=program, names=names, well=well)


_PLUGINS = "enable-admission-plugins"
FLAGS: tuple[Flag, ...] = (
    _flag("apiserver-anonymous-auth", "anonymous-auth", _is("false"), ANYONE, "The API server answers anybody"),
    _flag("apiserver-basic-auth", "basic-auth-file", _absent, CREDENTIALS, "The API server takes passwords"),
    _flag("apiserver-token-auth", "token-auth-file", _absent, CREDENTIALS, "The API server takes fixed tokens"),
    _flag("apiserver-kubelet-https", "kubelet-https", _is_not("false"), LISTEN_IN, "Kubelets are asked openly"),
    _flag("apiserver-kubelet-client", "kubelet-client-certificate kubelet-client-key", _given, GAIN,
          "The API server does not prove itself to kubelets"),
    _flag("apiserver-kubelet-ca", "kubelet-certificate-authority", _given, LISTEN_IN,
          "The API server does not check kubelets"),
    _flag("apiserver-always-allow", "authorization-mode", _has_not("AlwaysAllow"), ANYONE,
          "Everything is allowed to everybody"),
    _flag("apiserver-node-authorization", "authorization-mode", _has("Node"), GAIN, "Nodes may read everything"),
    _flag("apiserver-rbac", "authorization-mode", _has("RBAC"), GAIN, "Roles are not used"),
    _flag("apiserver-always-admit", _PLUGINS, _has_not("AlwaysAdmit"), GAIN, "Every request is let in unchecked"),
    _flag("apiserver-event-rate-limit", _PLUGINS, _has("EventRateLimit"), STEADY, "Events are not limited"),
    _flag("apiserver-always-pull", _PLUGINS, _has("AlwaysPullImages"), HARDEN, "Images in the cache are shared"),
    _flag("apiserver-pod-security-policy", _PLUGINS, _has("PodSecurityPolicy"), GAIN, "No pod security policy"),
    _flag("apiserver-node-restriction", _PLUGINS, _has("NodeRestriction"), GAIN, "Nodes may change each other"),
    _flag("apiserver-security-context-deny", _PLUGINS,
          lambda said: _has("SecurityContextDeny")(said) or _has("PodSecurityPolicy")(said), GAIN,
          "Pods choose their own rights"),
    _flag("apiserver-service-account-plugin", _PLUGINS, _keeps("ServiceAccount"), GAIN,
          "Service accounts are not set"),
    _flag("apiserver-service-account-off", "disable-admission-plugins", _has_not("ServiceAccount"), GAIN,
          "Service accounts are switched off"),
    _flag("apiserver-namespace-lifecycle", _PLUGINS, _keeps("NamespaceLifecycle"), HARDEN,
          "Namespaces that go are not watched"),
    _flag("apiserver-namespace-lifecycle-off", "disable-admission-plugins", _has_not("NamespaceLifecycle"), HARDEN,
          "Namespaces that go are not watched"),
    _flag("apiserver-insecure-bind", "insecure-bind-address", _absent, ANYONE, "The API server has an open door"),
    _flag("apiserver-insecure-port", "insecure-port", _is("0"), HARDEN, "The API server may have an open port"),
    _flag("apiserver-secure-port", "secure-port", _is_not("0"), LISTEN_IN, "The API server has no secure port"),
    _flag("apiserver-profiling", "profiling", _is("false"), HARDEN, "Profiling is on"),
    _flag("apiserver-audit-log", "audit-log-path", _given, TRACE, "Requests are not recorded"),
    _flag("apiserver-audit-age", "audit-log-maxage", _at_least(30), TRACE, "Records are kept under 30 days"),
    _flag("apiserver-audit-backup", "audit-log-maxbackup", _at_least(10), TRACE, "Under 10 records are kept"),
    _flag("apiserver-audit-size", "audit-log-maxsize", _at_least(100), TRACE, "Records are cut at under 100 MB"),
    _flag("apiserver-request-timeout", "request-timeout", _duration, STEADY, "The request timeout is no duration"),
    _flag("apiserver-account-lookup", "service-account-lookup", _is_not("false"), CREDENTIALS,
          "Tokens of deleted accounts still work"),
    _flag("apiserver-account-key", "service-account-key-file",
          _key_file, CREDENTIALS, "Tokens are checked with the TLS key"),
    _flag("apiserver-etcd-client", "etcd-certfile etcd-keyfile", _given, GAIN, "etcd cannot know the API server"),
    _flag("apiserver-etcd-ca", "etcd-cafile", _given, LISTEN_IN, "The API server does not check etcd"),
    _flag("apiserver-tls", "tls-cert-file tls-private-key-file", _given, LISTEN_IN, "No TLS certificate is given"),
    _flag("apiserver-client-ca", "client-ca-file", _given, GAIN, "Clients' certificates are not checked"),
    _flag("apiserver-ciphers", "tls-cipher-suites", _strong, LISTEN_IN, "Weak ciphers are accepted"),
    _flag("apiserver-encryption", "encryption-provider-config", _given, GAIN, "Secrets lie open in etcd"),
    _flag("manager-terminated-pods", "terminated-pod-gc-threshold", _at_least(1), STEADY, "Dead pods pile up"),
    _flag("manager-profiling", "profiling", _is("false"), HARDEN, "Profiling is on"),
    _flag("manager-account-credentials", "use-service-account-credentials", _is("true"), GAIN,
          "All controllers share one account"),
    _flag("manager-account-key", "service-account-private-key-file", _key_file, CREDENTIALS,
          "Tokens are not signed with a key file"),
    _flag("manager-root-ca", "root-ca-file", _key_file, LISTEN_IN, "Pods cannot check the API server"),
    _flag("manager-rotate-certificates", "feature-gates", _gate_set, CREDENTIALS,
        "Certificates are not renewed"),
    _flag("manager-bind", "bind-address", _is("127.0.0.1"), HARDEN, "The controller manager listens outside"),
    _flag("scheduler-profiling", "profiling", _is("false"), HARDEN, "Profiling is on"),
    _flag("scheduler-bind", "bind-address", _is("127.0.0.1"), HARDEN, "The scheduler listens outside"),
    _flag("etcd-tls", "cert-file key-file", _given, LISTEN_IN, "etcd is spoken to openly"),
    _flag("etcd-client-auth", "client-cert-auth", _is("true"), ANYONE, "etcd answers anybody"),
    _flag("etcd-auto-tls", "auto-tls", _is_not("true"), LISTEN_IN, "etcd trusts certificates of its own making"),
    _flag("etcd-peer-tls", "peer-cert-file peer-key-file", _given, LISTEN_IN, "etcd's members speak openly"),
    _flag("etcd-peer-auth", "peer-client-cert-auth", _is("true"), GAIN, "Anybody can become a member of etcd"),
    _flag("etcd-peer-auto-tls", "peer-auto-tls", _is_not("true"), LISTEN_IN, "etcd trusts any member"),
    _flag("kubelet-anonymous-auth", "anonymous-auth", _is("false"), ANYONE, "The kubelet answers anybody"),
    _flag("kubelet-always-allow", "authorization-mode", _has_not("AlwaysAllow"), ANYONE,
          "The kubelet allows everything"),
    _flag("kubelet-client-ca", "client-ca-file", _given, GAIN, "The kubelet does not check clients"),
    _flag("kubelet-read-only-port", "read-only-port", _is("0"), HARDEN, "The kubelet tells anybody its state"),
    _flag("kubelet-idle-timeout", "streaming-connection-idle-timeout", _is_not("0"), STEADY,
          "Idle connections stay for ever"),
    _flag("kubelet-kernel-defaults", "protect-kernel-defaults", _is("true"), HARDEN,
          "Kernel settings may be changed"),
    _flag("kubelet-iptables", "make-iptables-util-chains", _is("true"), HARDEN, "Packet filters may drift"),
    _flag("kubelet-hostname", "hostname-override", _absent, HARDEN, "A node can pass as another"),
    _flag("kubelet-events", "event-qps", _modest, STEADY, "Events are not limited"),
    _flag("kubelet-tls", "tls-cert-file tls-private-key-file", _given, LISTEN_IN,
        "The kubelet has no certificate"),
    _flag("kubelet-rotate-certificates", "rotate-certificates", _is_not("false"), CREDENTIALS,
          "Certificates are not renewed"),
    _flag("kubelet-rotate-server", "feature-gates", _gate_on, CREDENTIALS, "Certificates are not renewed"),
    _flag("kubelet-ciphers", "tls-cipher-suites", _not_weak, LISTEN_IN, "Weak ciphers are accepted"),
)  # fmt: skip
RULES: tuple[Rule, ...] = tuple(one.rule for one in FLAGS)
_PROGRAMS = frozenset({API, MANAGER, SCHEDULER, ETCD, KUBELET})


def judge_control(path: str, container: Node) -> Iterator[Hit]:
    """Judge the flags of a container that runs a part of the control plane."""
    words = [one for key in ("command", "args") if (node := container.get(key)) is not None for one in node.items]
    programs = {one.text.rpartition("/")[2] for one in words[:3]} & _PROGRAMS
    if not programs:
        return
    said, lines = _said(words)
    for flag in FLAGS:
        if flag.program in programs and not all(flag.well(said.get(name)) for name in flag.names):
            line = next((lines[name] for name in flag.names if name in lines), container.at_line("command"))
            yield hit(flag.rule, path, line)


def _said(words: list[Node]) -> tuple[dict[str, str], dict[str, int]]:
    said: dict[str, str] = {}
    lines: dict[str, int] = {}
    for position, word in enumerate(words):
        for line in word.text.split() if " --" in word.text else [word.text]:
            if not line.startswith("--"):
                continue
            name, equals, value = line[2:].partition("=")
            after = words[position + 1].text if position + 1 < len(words) else ""
            if not equals:
                value = "true" if not after or after.startswith("-") else after
            said.setdefault(name, value.strip("\"'"))
            lines.setdefault(name, word.line)
    return said, lines
