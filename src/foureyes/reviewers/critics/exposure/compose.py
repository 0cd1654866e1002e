"""Judge the services of a compose file: privileges, mounts, published ports and disabled authentication."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.reviewers.critics.critic import Hit, Rule
from foureyes.reviewers.critics.exposure.rules import ANYONE, ESCAPE, GAIN, HARDEN, SUPPLY, hit, note, rule
from foureyes.reviewers.critics.exposure.tree import Node

PRIVILEGED = rule("compose.privileged", "A service is privileged", ESCAPE, "Remove privileged: true.", "critical")
CAPABILITY = rule(
    "compose.capabilities", "A service is given near-root capabilities", ESCAPE, "Remove cap_add.", "important"
)
SOCKET = rule(
    "compose.container-socket",
    "The container runtime's socket is mounted",
    "The socket hands out root on the machine.",
    "Remove the mount.",
    "critical",
)
HOST_PATH = rule(
    "compose.host-path", "A sensitive folder of the machine is mounted", ESCAPE, "Use a volume.", "important"
)
HOST = {
    "network_mode": rule(
        "compose.host-network", "A service uses the machine's network", ESCAPE, "Use a network.", "important"
    ),
    "pid": rule("compose.host-pid", "A service sees the machine's processes", ESCAPE, "Remove pid: host.", "important"),
    "ipc": rule("compose.host-ipc", "A service shares the machine's memory", ESCAPE, "Remove ipc: host.", "important"),
    "userns_mode": rule("compose.host-users", "A service has the machine's users", ESCAPE, "Remove it.", "important"),
    "cgroup": rule(
        "compose.host-cgroup",
        "A service sees the machine's control groups",
        ESCAPE,
        "Remove cgroup: host.",
        "important",
    ),
    "uts": rule("compose.host-uts", "A service can rename the machine", GAIN, "Remove uts: host."),
}
UNCONFINED = rule(
    "compose.unconfined",
    "A service runs without seccomp or AppArmor",
    ESCAPE,
    "Remove it from security_opt.",
    "important",
)
DEVICE = rule(
    "compose.raw-device",
    "A disk or the memory of the machine is handed to a service",
    ESCAPE,
    "Remove the device.",
    "important",
)
ROOT = rule("compose.root-user", "A service runs as root", GAIN, "Name another user.")
NO_AUTH = rule(
    "compose.no-authentication",
    "A service is told to ask nobody who he is",
    ANYONE,
    "Set a password or token.",
    "important",
)
OPEN_PORT = rule(
    "compose.published-database",
    "A database or admin port is published on every address",
    ANYONE,
    'Publish it on 127.0.0.1 only ("127.0.0.1:6379:6379"), or not at all.',
    "important",
)
LATEST = rule("compose.image-tag", "An image has no fixed tag", SUPPLY, "Name a version or digest.")
NEW_PRIVILEGES = rule(
    "compose.new-privileges",
    "A process may gain more rights than its parent",
    HARDEN,
    "Add security_opt: [no-new-privileges:true].",
)
RULES: tuple[Rule, ...] = (
    PRIVILEGED, CAPABILITY, SOCKET, HOST_PATH, *HOST.values(), UNCONFINED, ROOT, NO_AUTH, OPEN_PORT, LATEST,
        NEW_PRIVILEGES, DEVICE,
)  # fmt: skip

NEAR_ROOT = frozenset(
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
        "MKNOD",
        "SYS_BOOT",
        "SETFCAP",
    ]
)
_SOCKETS = ("docker.sock", "containerd.sock", "podman.sock", "crio.sock")
#: The folder that describes development containers.
_DEV_CONTAINERS = ".devcontainer"
_DEV_ENVIRONMENTS = frozenset({"compose-dev.yaml", "compose-dev.yml"})
#: The build stage that Docker Dev Environments build.
_DEV_STAGE = "dev-envs"
_SENSITIVE = frozenset(
    {"/", "/etc", "/root", "/proc", "/sys", "/dev", "/boot", "/var/run", "/run", "/var/lib/docker", "/home"}
)
#: Folders with a user's own keys.
_KEYS = re.compile(r"(?:^|/)(?:\.ssh|\.aws|\.kube|\.gnupg|\.docker|\.azure|\.config/gcloud)(?:/[^/]{1,80})?/?$|^/root/")
#: A disk or the memory of the machine.
_RAW_DEVICE = re.compile(r"/dev/(?:k?mem|port|sd[a-z]|nvme\d|vd[a-z]|xvd[a-z]|mapper/|dm-|disk)")
#: Ports of databases and administration services.
ADMIN_PORTS = frozenset({
    22, 2375, 2379, 3306, 3389, 5432, 5601, 5672, 5984, 6379, 8086, 9000, 9042, 9200, 9300, 10250, 11211, 15672, 27017,
        1433, 1521,
    7474, 7687, 8500, 2181, 9092, 5900, 8161,
})  # fmt: skip
#: Ports of services that require no authentication by default.
_ASKS_NOBODY = frozenset({2375, 2379, 6379, 9200, 9300, 11211, 27017, 2181, 8500, 5601})
_PASSWORD = re.compile(r"passw|requirepass|auth(?!_method)|aclfile|token", re.IGNORECASE)
_PORT = re.compile(
    r"(?:(?P<host>\[[0-9a-fA-F:]{2,39}\]|[\d.]{7,15}):)?(?:(?P<out>[\d-]{1,11}):)?(?P<inner>[\d-]{1,11})(?:/\w{3,4})?"
)
_LOOPBACK = ("127.", "[::1]", "::1", "localhost")
_OPEN_SETTINGS = {
    "allow_empty_password": "yes", "mysql_allow_empty_password": "yes", "mariadb_allow_empty_root_password": "yes",
    "postgres_host_auth_method": "trust", "xpack.security.enabled": "false", "me_config_basicauth": "false",
    "gf_auth_anonymous_enabled": "true", "neo4j_auth": "none", "allow_anonymous": "true",
        "couchdb_require_valid_user": "false",
    "redis_protected_mode": "no", "plugins.security.disabled": "true", "rabbitmq_allow_guest": "true",
}  # fmt: skip


def judge_compose(path: str, documents: list[Node]) -> Iterator[Hit]:
    """Yield the hits of every service."""
    for document in documents:
        services = document.get("services")
        for service in services.map.values() if services is not None else []:
            if service.map:
                yield from _rights(path, service)
                yield from _mounts(path, service)
                yield from _ports(path, service)
                yield from _settings(path, service)


def _rights(path: str, service: Node) -> Iterator[Hit]:
    privileged = service.get("privileged")
    if privileged is not None and privileged.yes:
        yield hit(PRIVILEGED, path, service.at_line("privileged"))
    added = service.get("cap_add")
    names = {one.text.upper().removeprefix("CAP_") for one in added.items} if added is not None else set()
    if names & NEAR_ROOT:
        yield hit(CAPABILITY, path, service.at_line("cap_add"), evidence=", ".join(sorted(names & NEAR_ROOT)))
    for key, found in HOST.items():
        if (node := service.get(key)) is not None and node.text == "host":
            yield hit(found, path, service.at_line(key))
    options = service.get("security_opt")
    said = [one.text.replace("=", ":").lower() for one in options.items] if options is not None else []
    if any(one in ("seccomp:unconfined", "apparmor:unconfined", "label:disable") for one in said):
        yield hit(UNCONFINED, path, service.at_line("security_opt"))
    if not any(one.startswith("no-new-privileges") and not one.endswith("false") for one in said):
        yield hit(NEW_PRIVILEGES, path, service.at_line("security_opt"))
    user = service.get("user")
    if user is not None and user.text.partition(":")[0] in ("root", "0"):
        yield hit(ROOT, path, service.at_line("user"))
    image = service.get("image")
    if image is not None and "$" not in image.text and "@" not in image.text:
        tag = image.text.rpartition("/")[2].partition(":")[2]
        if tag in ("", "latest"):
            yield hit(LATEST, path, service.at_line("image"), evidence=image.text)


def _mounts(path: str, service: Node) -> Iterator[Hit]:
    volumes = service.get("volumes")
    for one in volumes.items if volumes is not None else []:
        source = one.get("source")
        place = source.text if source is not None else one.text.partition(":")[0] if ":" in one.text else ""
        if place.endswith(_SOCKETS):
            yield (note if is_workshop(path, service) else hit)(SOCKET, path, one.line)
        elif (place.rstrip("/") or place) in _SENSITIVE or _KEYS.search(place):
            yield hit(HOST_PATH, path, one.line, evidence=one.text)
    devices = service.get("devices")
    for one in devices.items if devices is not None else []:
        if _RAW_DEVICE.match(one.text):
            yield hit(DEVICE, path, one.line, evidence=one.text)


def is_workshop(path: str, service: Node) -> bool:
    """True if a service is a developer's own container, on a machine whose Docker daemon is the developer's already.

    Only developer tools start what is in `.devcontainer` (Dev Container Specification) and in `compose-dev.yaml`
    (Docker Dev Environments). The latter was `.docker/docker-compose.yaml` before Docker Desktop 4.13. Other projects
    keep deployments under that name, so it counts only for a service that is built as a development environment.
    """
    *folders, name = path.split("/")
    if _DEV_CONTAINERS in folders or name in _DEV_ENVIRONMENTS:
        return True
    build = service.get("build")
    stage = build.get("target") if build is not None else None
    return folders[-1:] == [".docker"] and stage is not None and stage.text == _DEV_STAGE


def _ports(path: str, service: Node) -> Iterator[Hit]:
    ports = service.get("ports")
    for one in ports.items if ports is not None else []:
        inner, host = one.get("target"), one.get("host_ip")
        if one.map:
            number = int(inner.number or 0) if inner is not None else 0
            local = host is not None and host.text.startswith(_LOOPBACK)
        else:
            found = _PORT.fullmatch(one.text.strip())
            number = int(found["inner"].partition("-")[0] or 0) if found else 0
            local = bool(found and (found["host"] or "").startswith(_LOOPBACK))
        if number in ADMIN_PORTS and not local:
            asks = number not in _ASKS_NOBODY or _has_password(service)
            yield (note if asks else hit)(OPEN_PORT, path, one.line)


def _has_password(service: Node) -> bool:
    """True if the settings or the command of the service contain something like a required password."""
    nodes = [service.get(key) for key in ("environment", "command", "env_file", "entrypoint", "secrets")]
    said = [one.text for node in nodes if node is not None for one in node.scalars()]
    keys = [key for node in nodes if node is not None for key in node.map]
    return bool(service.get("env_file")) or any(_PASSWORD.search(text[:500]) for text in (*said, *keys))


def _settings(path: str, service: Node) -> Iterator[Hit]:
    node = service.get("environment")
    if node is None:
        return
    pairs = [(key, value.text, node.keys.get(key, value.line)) for key, value in node.map.items()]
    if not node.map:
        pairs = [(*one.text.partition("=")[::2], one.line) for one in node.items]
    for key, value, line in pairs:
        want = _OPEN_SETTINGS.get(key.lower())
        said = value.lower().strip("\"'")
        if want is not None and (said == want or (want == "yes" and said in ("true", "1", "yes"))):
            yield hit(NO_AUTH, path, line, f"{key} lets anybody in.")
