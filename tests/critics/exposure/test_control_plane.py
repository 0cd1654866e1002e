"""The flags of the control plane are checked against the CIS benchmark."""

import pytest

from foureyes.reviewers.critics.exposure.kube_control import FLAGS
from foureyes.reviewers.critics.exposure.rules import PREFIX
from tests.critics.exposure.looking import look, named

GOOD = {
    "kube-apiserver": (
        "--anonymous-auth=false --authorization-mode=Node,RBAC --profiling=false --insecure-port=0 --secure-port=6443 "
        "--kubelet-client-certificate=c.pem --kubelet-client-key=k.pem --kubelet-certificate-authority=ca.pem "
        "--enable-admission-plugins=EventRateLimit,AlwaysPullImages,PodSecurityPolicy,NodeRestriction,"
        "ServiceAccount,NamespaceLifecycle --audit-log-path=/a --audit-log-maxage=30 --audit-log-maxbackup=10 "
        "--audit-log-maxsize=100 --service-account-key-file=s.pem --etcd-certfile=c.pem --etcd-keyfile=k.pem "
        "--etcd-cafile=ca.pem --tls-cert-file=c.pem --tls-private-key-file=k.pem --client-ca-file=ca.pem "
        "--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 --encryption-provider-config=/e "
        "--request-timeout=300s"
    ),
    "kube-controller-manager": (
        "--terminated-pod-gc-threshold=10 --profiling=false --use-service-account-credentials=true "
        "--service-account-private-key-file=k.pem --root-ca-file=ca.pem --bind-address=127.0.0.1 "
        "--feature-gates=RotateKubeletServerCertificate=true"
    ),
    "kube-scheduler": "--profiling=false --bind-address=127.0.0.1",
    "etcd": (
        "--cert-file=c.pem --key-file=k.pem --client-cert-auth=true --peer-cert-file=c.pem --peer-key-file=k.pem "
        "--peer-client-cert-auth=true"
    ),
    "kubelet": (
        "--anonymous-auth=false --authorization-mode=Webhook --client-ca-file=ca.pem --read-only-port=0 "
        "--protect-kernel-defaults=true --make-iptables-util-chains=true --tls-cert-file=c.pem "
        "--tls-private-key-file=k.pem"
    ),
}
#: Words that are wrong only when they are written.
WRONG = {
    "kube-apiserver": (
        "--basic-auth-file=/b --token-auth-file=/t --kubelet-https=false --authorization-mode=AlwaysAllow "
        "--insecure-bind-address=0.0.0.0 --secure-port=0 --service-account-lookup=false --request-timeout=soon "
        "--service-account-key-file=key.txt --enable-admission-plugins=AlwaysAdmit "
        "--disable-admission-plugins=ServiceAccount,NamespaceLifecycle"
    ),
    "kube-controller-manager": "--service-account-private-key-file=key.txt --root-ca-file=ca.txt",
    "kube-scheduler": "",
    "etcd": "--auto-tls=true --peer-auto-tls=true",
    "kubelet": (
        "--authorization-mode=AlwaysAllow --streaming-connection-idle-timeout=0 --hostname-override=x --event-qps=99 "
        "--rotate-certificates=false --feature-gates=RotateKubeletServerCertificate=false "
        "--tls-cipher-suites=TLS_RSA_WITH_RC4_128_SHA"
    ),
}
HEAD = """apiVersion: v1
kind: Pod
metadata: {name: part, namespace: kube-system}
spec:
  containers:
    - name: part
      command:
"""


def pod(program: str, flags: str) -> str:
    return HEAD + "".join(f"        - {word}\n" for word in (program, *flags.split()))


def flagged(program: str, flags: str) -> set[str]:
    ours = {one.rule.id.removeprefix(PREFIX) for one in FLAGS}
    return {rule for _, rule in named(look("pod.yaml", pod(program, flags)).hits)} & ours


@pytest.mark.parametrize("program", GOOD)
def test_a_hardened_control_plane_is_left_alone(program: str) -> None:
    """002-05."""
    assert flagged(program, GOOD[program]) == set()


@pytest.mark.parametrize("program", GOOD)
def test_every_flag_is_missed_or_met(program: str) -> None:
    """002-05: without any flag or with all the wrong ones, every rule of the program speaks."""
    expected = {one.rule.id.removeprefix(PREFIX) for one in FLAGS if one.program == program}
    assert flagged(program, "") | flagged(program, WRONG[program]) == expected


def test_a_wrong_flag_is_named_on_its_line_and_a_missing_one_at_the_command() -> None:
    hits = named(look("pod.yaml", pod("kubelet", "--v=2 --anonymous-auth=true")).hits)
    assert (10, "k8s.kubelet-anonymous-auth") in hits
    assert (7, "k8s.kubelet-read-only-port") in hits


def test_a_flag_and_its_value_may_be_two_words() -> None:
    assert "k8s.etcd-client-auth" not in flagged("etcd", "--client-cert-auth true")
    assert "k8s.etcd-client-auth" not in flagged("etcd", "--client-cert-auth --name x")


def test_other_programs_are_not_held_to_it() -> None:
    assert flagged("shop", "--anonymous-auth=true") == set()
