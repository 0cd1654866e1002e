"""The foureyes rules that answer each check of the public catalogue, by the name of the check class."""

from __future__ import annotations

import re

from bench.configs_aws import AWS
from bench.configs_clouds import AZURE, GCP
from foureyes.reviewers.critics.exposure import CRITIC
from foureyes.reviewers.critics.exposure.rules import PREFIX

KUBERNETES: dict[str, tuple[str, ...]] = {
    "AllowPrivilegeEscalation": ("k8s.allow-privilege-escalation",),
    "AllowPrivilegeEscalationPSP": ("k8s.psp-escalation",),
    "AllowedCapabilities": ("k8s.added-capabilities",),
    "AllowedCapabilitiesPSP": ("k8s.psp-added-capabilities",),
    "AllowedCapabilitiesSysAdmin": ("k8s.sys-admin",),
    "ApiServerAdmissionControlAlwaysAdmit": ("k8s.apiserver-always-admit",),
    "ApiServerAdmissionControlEventRateLimit": ("k8s.apiserver-event-rate-limit", "k8s.admission-event-rate-limit"),
    "ApiServerAlwaysPullImagesPlugin": ("k8s.apiserver-always-pull",),
    "ApiServerAnonymousAuth": ("k8s.apiserver-anonymous-auth",),
    "ApiServerAuditLog": ("k8s.apiserver-audit-log",),
    "ApiServerAuditLogMaxAge": ("k8s.apiserver-audit-age",),
    "ApiServerAuditLogMaxBackup": ("k8s.apiserver-audit-backup",),
    "ApiServerAuditLogMaxSize": ("k8s.apiserver-audit-size",),
    "ApiServerAuthorizationModeNode": ("k8s.apiserver-node-authorization",),
    "ApiServerAuthorizationModeNotAlwaysAllow": ("k8s.apiserver-always-allow",),
    "ApiServerAuthorizationModeRBAC": ("k8s.apiserver-rbac",),
    "ApiServerBasicAuthFile": ("k8s.apiserver-basic-auth",),
    "ApiServerEncryptionProviders": ("k8s.apiserver-encryption",),
    "ApiServerEtcdCaFile": ("k8s.apiserver-etcd-ca",),
    "ApiServerEtcdCertAndKey": ("k8s.apiserver-etcd-client",),
    "ApiServerInsecureBindAddress": ("k8s.apiserver-insecure-bind",),
    "ApiServerInsecurePort": ("k8s.apiserver-insecure-port",),
    "ApiServerKubeletClientCertAndKey": ("k8s.apiserver-kubelet-client",),
    "ApiServerKubeletHttps": ("k8s.apiserver-kubelet-https",),
    "ApiServerNamespaceLifecyclePlugin": ("k8s.apiserver-namespace-lifecycle", "k8s.apiserver-namespace-lifecycle-off"),
    "ApiServerNodeRestrictionPlugin": ("k8s.apiserver-node-restriction",),
    "ApiServerPodSecurityPolicyPlugin": ("k8s.apiserver-pod-security-policy",),
    "ApiServerProfiling": ("k8s.apiserver-profiling",),
    "ApiServerRequestTimeout": ("k8s.apiserver-request-timeout",),
    "ApiServerSecurePort": ("k8s.apiserver-secure-port",),
    "ApiServerSecurityContextDenyPlugin": ("k8s.apiserver-security-context-deny",),
    "ApiServerServiceAccountKeyFile": ("k8s.apiserver-account-key",),
    "ApiServerServiceAccountLookup": ("k8s.apiserver-account-lookup",),
    "ApiServerServiceAccountPlugin": ("k8s.apiserver-service-account-plugin", "k8s.apiserver-service-account-off"),
    "ApiServerStrongCryptographicCiphers": ("k8s.apiserver-ciphers",),
    "ApiServerTlsCertAndKey": ("k8s.apiserver-tls",),
    "ApiServerTokenAuthFile": ("k8s.apiserver-token-auth",),
    "ApiServerkubeletCertificateAuthority": ("k8s.apiserver-kubelet-ca",),
    "CPULimits": ("k8s.cpu-limit",),
    "CPURequests": ("k8s.cpu-request",),
    "ContainerSecurityContext": ("k8s.no-security-context",),
    "ControllerManagerBindAddress": ("k8s.manager-bind",),
    "DangerousGitSync": ("k8s.git-sync-command",),
    "DefaultNamespace": ("k8s.default-namespace",),
    "DefaultServiceAccount": ("k8s.default-account-token",),
    "DefaultServiceAccountBinding": ("k8s.default-account-bound",),
    "DockerSocketVolume": ("k8s.container-socket",),
    "DropCapabilities": ("k8s.net-raw",),
    "DropCapabilitiesPSP": ("k8s.psp-net-raw",),
    "EtcdAutoTls": ("k8s.etcd-auto-tls",),
    "EtcdCertAndKey": ("k8s.etcd-tls",),
    "EtcdClientCertAuth": ("k8s.etcd-client-auth",),
    "EtcdPeerFiles": ("k8s.etcd-peer-tls",),
    "HostPort": ("k8s.host-port",),
    "ImageDigest": ("k8s.image-digest",),
    "ImagePullPolicyAlways": ("k8s.image-pull-policy",),
    "ImageTagFixed": ("k8s.image-tag",),
    "KubeControllerManagerBlockProfiles": ("k8s.manager-profiling",),
    "KubeControllerManagerRootCAFile": ("k8s.manager-root-ca",),
    "KubeControllerManagerRotateKubeletServerCertificate": ("k8s.manager-rotate-certificates",),
    "RotateKubeletServerCertificate": ("k8s.manager-rotate-certificates", "k8s.kubelet-rotate-server"),
    "KubeControllerManagerServiceAccountCredentials": ("k8s.manager-account-credentials",),
    "KubeControllerManagerServiceAccountPrivateKeyFile": ("k8s.manager-account-key",),
    "KubeControllerManagerTerminatedPods": ("k8s.manager-terminated-pods",),
    "KubeletAnonymousAuth": ("k8s.kubelet-anonymous-auth",),
    "KubeletAuthorizationModeNotAlwaysAllow": ("k8s.kubelet-always-allow",),
    "KubeletClientCa": ("k8s.kubelet-client-ca",),
    "KubeletCryptographicCiphers": ("k8s.kubelet-ciphers",),
    "KubeletHostnameOverride": ("k8s.kubelet-hostname",),
    "KubeletKeyFilesSetAppropriate": ("k8s.kubelet-tls",),
    "KubeletMakeIptablesUtilChains": ("k8s.kubelet-iptables",),
    "KubeletProtectKernelDefaults": ("k8s.kubelet-kernel-defaults",),
    "KubeletReadOnlyPort": ("k8s.kubelet-read-only-port",),
    "KubeletStreamingConnectionIdleTimeout": ("k8s.kubelet-idle-timeout",),
    "KubernetesDashboard": ("k8s.dashboard",),
    "KubletEventCapture": ("k8s.kubelet-events",),
    "KubletRotateCertificates": ("k8s.kubelet-rotate-certificates",),
    "KubletRotateKubeletServerCertificate": ("k8s.kubelet-rotate-server",),
    "LivenessProbe": ("k8s.liveness-probe",),
    "LivenessReadiness": ("k8s.liveness-probe", "k8s.readiness-probe"),
    "MemoryLimits": ("k8s.memory-limit",),
    "MemoryRequests": ("k8s.memory-request",),
    "MinimizeCapabilities": ("k8s.keeps-capabilities",),
    "MinimizeCapabilitiesPSP": ("k8s.psp-drop-capabilities",),
    "NginxIngressCVE202125742Alias": ("k8s.ingress-snippet-alias",),
    "NginxIngressCVE202125742AllSnippets": ("k8s.ingress-snippet",),
    "NginxIngressCVE202125742Lua": ("k8s.ingress-snippet-lua",),
    "PSP": (
        "k8s.psp-privileged", "k8s.psp-host-pid", "k8s.psp-host-ipc", "k8s.psp-host-network", "k8s.psp-escalation",
        "k8s.psp-root", "k8s.psp-added-capabilities", "k8s.psp-drop-capabilities", "k8s.psp-net-raw", "k8s.psp-seccomp",
    ),
    "PeerClientCertAuthTrue": ("k8s.etcd-peer-auth",),
    "PodSecurityContext": ("k8s.pod-security-context",),
    "PrivilegedContainers": ("k8s.privileged",),
    "PrivilegedContainersPSP": ("k8s.psp-privileged",),
    "RbacApproveCertificateSigningRequests": ("k8s.rbac-approve-certificates",),
    "RbacBindRoleBindings": ("k8s.rbac-bind",),
    "RbacControlWebhooks": ("k8s.rbac-webhooks",),
    "RbacEscalateRoles": ("k8s.rbac-escalate",),
    "ReadOnlyFilesystem": ("k8s.writable-root",),
    "ReadinessProbe": ("k8s.readiness-probe",),
    "RootContainers": ("k8s.run-as-root",),
    "RootContainersHighUID": ("k8s.low-user-id",),
    "RootContainersPSP": ("k8s.psp-root",),
    "SchedulerBindAddress": ("k8s.scheduler-bind",),
    "SchedulerProfiling": ("k8s.scheduler-profiling",),
    "Seccomp": ("k8s.seccomp",),
    "SeccompPSP": ("k8s.psp-seccomp",),
    "Secrets": ("k8s.secret-in-environment",),
    "ServiceAccountTokens": ("k8s.service-account-token",),
    "ShareHostIPC": ("k8s.host-ipc",),
    "ShareHostIPCPSP": ("k8s.psp-host-ipc",),
    "ShareHostPID": ("k8s.host-pid",),
    "ShareHostPIDPSP": ("k8s.psp-host-pid",),
    "SharedHostNetworkNamespace": ("k8s.host-network",),
    "SharedHostNetworkNamespacePSP": ("k8s.psp-host-network",),
    "Tiller": ("k8s.tiller",),
    "TillerDeploymentListener": ("k8s.tiller-listens",),
    "TillerService": ("k8s.tiller",),
    "WildcardRoles": ("k8s.rbac-wildcard",),
}  # fmt: skip

_PORTS = {
    "20": "ftp-data", "21": "ftp", "22": "ssh", "23": "telnet", "80": "http", "445": "smb", "1433": "mssql",
        "3306": "mysql",
    "3389": "rdp", "5432": "postgresql", "5900": "vnc", "6379": "redis", "9200": "elasticsearch", "27017": "mongodb",
}  # fmt: skip
_PORT = re.compile(r"Unrestricted(?:Ingress|Access)?(\d+)$")
_PUBLIC = re.compile(r"Public|Private|Exposed|Internet|NetworkAccess")
#: Words in an unlisted check name that mean public access, and the words of the rules that answer it.
_PUBLIC_WORDS = ("public", "private", "open-all", "any-principal", "internet")
_CLOUDS = {"aws": AWS, "azure": AZURE, "gcp": GCP}


def rules_of(source: str, check: str) -> tuple[str, ...]:
    """Our rules for a check of a source; none where it is not in scope."""
    if source.endswith("k8s"):
        return KUBERNETES.get(check, ())
    cloud = source.rpartition("-")[2]
    listed = _CLOUDS.get(cloud, {})
    if check in listed:
        return listed[check]
    if found := _PORT.search(check):
        return (f"network.open-{_PORTS[found[1]]}", "network.open-all") if found[1] in _PORTS else ()
    if _PUBLIC.search(check):
        return _about_public(cloud)
    return ()


def _about_public(cloud: str) -> tuple[str, ...]:
    """Return every rule of a cloud about public access: any of them may answer a check name that is not listed."""
    names = [one.id.removeprefix(PREFIX) for one in CRITIC.rules]
    return tuple(
        one for one in names if one.startswith((f"{cloud}.", "network.")) and any(word in one for word in _PUBLIC_WORDS)
    )
