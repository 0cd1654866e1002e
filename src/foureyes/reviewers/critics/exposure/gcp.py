"""Rules for Google Cloud resources: public access, missing authentication, extra rights, encryption and logging."""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.reviewers.critics.critic import Hit, Rule
from foureyes.reviewers.critics.exposure.cloud import Check, Resource, Row, row
from foureyes.reviewers.critics.exposure.network import is_world
from foureyes.reviewers.critics.exposure.rules import (
    ANYONE,
    CREDENTIALS,
    GAIN,
    HARDEN,
    LISTEN_IN,
    OWN_KEY,
    REACHABLE,
    STEADY,
    TRACE,
    hit,
    note,
    rule,
)

_CLUSTER = "google_container_cluster"
_POOLS = "google_container_cluster google_container_node_pool"
_MACHINES = "google_compute_instance google_compute_instance_template google_compute_instance_from_template"
_SQL = "google_sql_database_instance"


def _note(name: str, kinds: str, want: str, title: str, why: str = HARDEN) -> Row:
    return row(f"gcp.{name}", kinds, want, title, why=why)


def _key(name: str, kinds: str, path: str, what: str) -> Row:
    return row(f"gcp.{name}", kinds, f"{path} set", f"{what} has no key of your own", why=OWN_KEY)


ROWS: tuple[Row, ...] = (
    _note("gke-private-nodes", _CLUSTER, "private_cluster_config.enable_private_nodes = true",
        "Nodes get public addresses", REACHABLE),
    _note("gke-private-cluster", _CLUSTER, "private_cluster_config set", "A cluster has public addresses", REACHABLE),
    _note("gke-authorized-networks", _CLUSTER, "master_authorized_networks_config set",
          "A control plane is open to the whole world", REACHABLE),
    row("gcp.gke-legacy-auth", _CLUSTER, "enable_legacy_abac =? false", "A cluster uses old rights", why=GAIN,
        severity="important"),
    row("gcp.gke-client-certificate", _CLUSTER,
        "master_auth.client_certificate_config.issue_client_certificate =? false",
        "A cluster hands out certificates", why=CREDENTIALS),
    row("gcp.gke-basic-auth", _CLUSTER, "master_auth.username absent", "A cluster takes a password", why=CREDENTIALS,
        severity="important"),
    _note("gke-network-policy", _CLUSTER, "network_policy.enabled/datapath_provider = true|ADVANCED_DATAPATH",
        "Pods can reach each other"),
    _note("gke-pod-security-policy", _CLUSTER, "pod_security_policy_config.enabled = true",
        "Pods choose their own rights", GAIN),
    _note("gke-alias-ip", _CLUSTER, "ip_allocation_policy set", "Pods have no addresses of their own"),
    _note("gke-logging", _CLUSTER, "logging_service != none", "A cluster keeps no record", TRACE),
    _note("gke-monitoring", _CLUSTER, "monitoring_service != none", "Nobody watches a cluster", TRACE),
    _note("gke-labels", _CLUSTER, "resource_labels set", "Nobody knows whose a cluster is"),
    _note("gke-release-channel", _CLUSTER, "release_channel.channel set", "Repairs do not come"),
    _note("gke-binary-authorization", _CLUSTER,
          "binary_authorization.evaluation_mode/enable_binary_authorization !=! DISABLED|false", "Any image may run"),
    _note("gke-google-groups", _CLUSTER, "authenticator_groups_config.security_group set", "Groups have no rights"),
    _note("gke-shielded-nodes", _CLUSTER, "enable_shielded_nodes =? true", "Nodes may be changed"),
    _note("gke-intranode", _CLUSTER, "enable_intranode_visibility = true", "Traffic within nodes is not seen", TRACE),
    _note("gke-secure-boot", _POOLS, "node_config.shielded_instance_config.enable_secure_boot = true",
        "Nodes may be changed"),
    _note("gke-integrity", _POOLS, "node_config.shielded_instance_config.enable_integrity_monitoring =? true",
        "Nodes may be changed"),
    _note("gke-metadata-server", _POOLS,
          "node_config.workload_metadata_config.mode/node_config.workload_metadata_config.node_metadata = "
          "GKE_METADATA|GKE_METADATA_SERVER",
          "Pods can fetch the node's credentials", GAIN),
    _note("gke-legacy-metadata", _POOLS, "node_config.metadata.disable-legacy-endpoints =? true",
        "Old endpoints tell credentials", GAIN),
    _note("gke-auto-repair", "google_container_node_pool", "management.auto_repair = true", "Broken nodes stay",
        STEADY),
    _note("gke-auto-upgrade", "google_container_node_pool", "management.auto_upgrade = true", "Repairs do not come"),
    _note("gke-cos-image", _POOLS, "node_config.image_type =? cos|cos_containerd", "Nodes run a larger system"),
    _note("gke-default-account", _POOLS, "node_config.service_account set", "Nodes use the default account", GAIN),
    row("gcp.sql-public-ip", _SQL, "settings.ip_configuration.ipv4_enabled = false", "A database has a public address",
        why=REACHABLE),
    row("gcp.sql-require-ssl", _SQL, "settings.ip_configuration.require_ssl/settings.ip_configuration.ssl_mode = "
        "true|ENCRYPTED_ONLY|TRUSTED_CLIENT_CERTIFICATE_REQUIRED", "A database is spoken to openly", why=LISTEN_IN),
    _note("sql-backup", _SQL, "settings.backup_configuration.enabled = true", "A database has no copies", STEADY),
    row("gcp.compute-serial-port", _MACHINES, "metadata.serial-port-enable =? false", "A machine has a second door",
        why=REACHABLE),
    row("gcp.compute-block-project-ssh", _MACHINES, "metadata.block-project-ssh-keys = true",
        "Every key of the project opens a machine", why=CREDENTIALS),
    row("gcp.compute-ip-forward", _MACHINES, "can_ip_forward =? false", "A machine passes traffic on", why=HARDEN),
    row("gcp.compute-os-login", _MACHINES, "metadata.enable-oslogin =? true", "OS login is switched off",
        why=CREDENTIALS),
    row("gcp.compute-project-os-login", "google_compute_project_metadata", "metadata.enable-oslogin = true",
        "OS login is not switched on", why=CREDENTIALS),
    _note("compute-shielded-vm", _MACHINES, "shielded_instance_config.enable_vtpm =? true", "A machine may be changed"),
    _note("compute-shielded", _MACHINES, "shielded_instance_config set", "A machine may be changed"),
    _key("compute-disk-cmk", "google_compute_disk", "disk_encryption_key.kms_key_self_link", "A disk"),
    _key("compute-boot-disk-cmk", _MACHINES,
        "boot_disk.kms_key_self_link/boot_disk.disk_encryption_key_raw/disk.disk_encryption_key", "A disk"),
    row("gcp.compute-tls", "google_compute_ssl_policy", "min_tls_version tls", "Old TLS is accepted", why=LISTEN_IN),
    row("gcp.compute-ssl-profile", "google_compute_ssl_policy", "profile = MODERN|RESTRICTED|CUSTOM",
        "Weak ciphers are accepted", why=LISTEN_IN),
    _note("subnetwork-private-access", "google_compute_subnetwork", "private_ip_google_access = true",
          "Machines need public addresses to reach Google", REACHABLE),
    _note("subnetwork-ipv6-private-access", "google_compute_subnetwork", "private_ipv6_google_access =? "
          "ENABLE_OUTBOUND_VM_ACCESS_TO_GOOGLE|ENABLE_BIDIRECTIONAL_ACCESS_TO_GOOGLE",
              "Machines need public addresses", REACHABLE),
    _note("subnetwork-flow-logs", "google_compute_subnetwork", "log_config set", "Traffic is not recorded", TRACE),
    _note("project-default-network", "google_project", "auto_create_network = false", "A project gets an open network",
        REACHABLE),
    row("gcp.storage-public-access-prevention", "google_storage_bucket", "public_access_prevention = enforced",
        "A bucket may be made public", why=ANYONE),
    row("gcp.storage-uniform-access", "google_storage_bucket", "uniform_bucket_level_access/bucket_policy_only = true",
        "Each file has rights of its own", why=ANYONE),
    _note("storage-logging", "google_storage_bucket", "logging.log_bucket set", "Requests are not recorded", TRACE),
    _note("storage-versioning", "google_storage_bucket", "versioning.enabled = true", "Files cannot come back", STEADY),
    _key("bigquery-cmk", "google_bigquery_dataset", "default_encryption_configuration.kms_key_name", "A dataset"),
    _key("bigquery-table-cmk", "google_bigquery_table", "encryption_configuration.kms_key_name", "A table"),
    _key("pubsub-cmk", "google_pubsub_topic", "kms_key_name", "A topic"),
    _key("artifact-registry-cmk", "google_artifact_registry_repository", "kms_key_name", "A repository"),
    _key("bigtable-cmk", "google_bigtable_instance", "cluster.kms_key_name", "A database"),
    _key("dataflow-cmk", "google_dataflow_job", "kms_key_name", "A job"),
    _key("dataproc-cmk", "google_dataproc_cluster", "cluster_config.encryption_config.kms_key_name", "A cluster"),
    _key("spanner-cmk", "google_spanner_database", "encryption_config.kms_key_name", "A database"),
    _key("vertex-dataset-cmk", "google_vertex_ai_dataset google_vertex_ai_metadata_store google_vertex_ai_featurestore",
         "encryption_spec.kms_key_name", "A dataset"),
    _note("memorystore-auth", "google_redis_instance", "auth_enabled = true", "A cache asks for no password", ANYONE),
    _note("memorystore-transit", "google_redis_instance", "transit_encryption_mode = SERVER_AUTHENTICATION",
          "A cache is spoken to openly", LISTEN_IN),
    _note("data-fusion-private", "google_data_fusion_instance", "private_instance = true", "It has a public address",
        REACHABLE),
    _note("data-fusion-logging", "google_data_fusion_instance", "enable_stackdriver_logging = true",
        "Nothing is recorded", TRACE),
    _note("data-fusion-monitoring", "google_data_fusion_instance", "enable_stackdriver_monitoring = true",
        "Nobody watches it", TRACE),
    _note("dataflow-private-job", "google_dataflow_job", "ip_configuration = WORKER_IP_PRIVATE",
        "Workers get public addresses", REACHABLE),
    row("gcp.dataproc-public-ip", "google_dataproc_cluster",
        "cluster_config.gce_cluster_config.internal_ip_only = true",
        "A cluster has public addresses", why=REACHABLE),
    _note("vertex-notebook-public-ip", "google_notebooks_instance", "no_public_ip = true",
        "A notebook has a public address", REACHABLE),
    _note("workbench-public-ip", "google_workbench_instance", "gce_setup.disable_public_ip = true",
        "A notebook has a public address", REACHABLE),
    _note("cloud-build-private-workers", "google_cloudbuild_worker_pool", "worker_config.no_external_ip = true",
          "Builds run on public addresses", REACHABLE),
    row("gcp.function-ingress", "google_cloudfunctions_function google_cloudfunctions2_function",
        "ingress_settings/service_config.ingress_settings = ALLOW_INTERNAL_AND_GCLB|ALLOW_INTERNAL_ONLY",
        "A function can be called from everywhere", why=REACHABLE),
    row("gcp.function-https", "google_cloudfunctions_function", "https_trigger_security_level =? SECURE_ALWAYS",
        "A function is called openly", why=LISTEN_IN),
    _note("dns-sec", "google_dns_managed_zone", "dnssec_config.state = on", "Names can be forged", LISTEN_IN),
    row("gcp.kms-rotation", "google_kms_crypto_key", "rotation_period set", "A key is never changed", why=CREDENTIALS),
    _note("kms-prevent-destroy", "google_kms_crypto_key", "lifecycle.prevent_destroy = true",
        "Keys can be lost for ever", STEADY),
    _note("sql-deletion-protection", "google_spanner_database google_bigquery_table google_bigtable_instance "
          "google_sql_database_instance", "deletion_protection =? true", "Data can be deleted", STEADY),
    _note("spanner-drop-protection", "google_spanner_database", "enable_drop_protection = true", "Data can be deleted",
        STEADY),
    row("gcp.alloydb-public-ip", "google_alloydb_instance", "network_config.enable_public_ip =? false",
        "A database has a public address", why=REACHABLE, severity="important"),
)  # fmt: skip

PUBLIC_MEMBER = rule(
    "gcp.public-member", "Everybody is given a role", ANYONE, "Name who may: a user, group or account.", "important"
)
PUBLIC_CONTROL = rule(
    "gcp.gke-public-control-plane",
    "A control plane is open to the whole world",
    REACHABLE,
    "Name your networks.",
    "important",
)
SQL_WORLD = rule(
    "gcp.sql-publicly-accessible",
    "A database lets the whole world in",
    REACHABLE,
    "Allow only your own addresses.",
    "important",
)
SQL_SERVER_IP = rule("gcp.sql-no-public-ip", "A database has a public address", REACHABLE, "Set ipv4_enabled to false.")
EXTERNAL_IP = rule("gcp.compute-external-ip", "A machine has a public address", REACHABLE, "Remove access_config.")
DATASET = rule(
    "gcp.bigquery-public-dataset", "Everybody may read a dataset", ANYONE, "Name who may read it.", "important"
)
DEFAULT_ACCOUNT = rule(
    "gcp.compute-default-account", "A machine uses the default account", GAIN, "Make one of its own."
)
FULL_ACCESS = rule(
    "gcp.compute-full-access",
    "The default account may use every service",
    GAIN,
    "Name the scopes it needs.",
    "important",
)
BASIC_ROLE = rule("gcp.basic-role", "A basic role is given out: owner, editor or viewer", GAIN, "Give a smaller role.")
IMPERSONATE = rule(
    "gcp.impersonation-role",
    "An account may act as every account of the project",
    GAIN,
    "Give it on one account.",
    "important",
)
DEFAULT_MEMBER = rule("gcp.default-account-member", "The default account is given a role", GAIN, "Make one of its own.")
FLAGS = {
    "local_infile": ("off", rule("gcp.mysql-local-infile", "Clients may read the server's files", GAIN,
        "Set it to off.")),
    "cross db ownership chaining": ("off", rule("gcp.sqlserver-cross-db", "Rights reach into other databases", GAIN,
        "Set it to off.")),
    "contained database authentication": ("off", rule("gcp.sqlserver-contained", "Databases have users of their own",
        GAIN, "Set it to off.")),
    "log_checkpoints": ("on", rule("gcp.postgresql-log-checkpoints", "Checkpoints are not recorded", TRACE,
        "Set it to on.")),
    "log_connections": ("on", rule("gcp.postgresql-log-connections", "Connections are not recorded", TRACE,
        "Set it to on.")),
    "log_disconnections": ("on", rule("gcp.postgresql-log-disconnections", "Ends are not recorded", TRACE,
        "Set it to on.")),
    "log_lock_waits": ("on", rule("gcp.postgresql-log-locks", "Waits are not recorded", TRACE, "Set it to on.")),
    "log_temp_files": ("0", rule("gcp.postgresql-log-temp", "Temporary files are not recorded", TRACE, "Set it to 0.")),
    "log_min_duration_statement": ("-1", rule("gcp.postgresql-log-duration", "Statements land in the log", TRACE,
        "Set it to -1.")),
    "cloudsql.enable_pgaudit": ("on", rule("gcp.postgresql-pgaudit", "Nothing is audited", TRACE, "Set it to on.")),
    "log_hostname": ("on", rule("gcp.postgresql-log-hostname", "Hosts are not recorded", TRACE, "Set it to on.")),
}  # fmt: skip
RULES: tuple[Rule, ...] = (
    PUBLIC_MEMBER, PUBLIC_CONTROL, SQL_WORLD, SQL_SERVER_IP, EXTERNAL_IP, DATASET, DEFAULT_ACCOUNT, FULL_ACCESS,
        BASIC_ROLE,
    IMPERSONATE, DEFAULT_MEMBER, *(one for _, one in FLAGS.values()),
)  # fmt: skip
_EVERYBODY = frozenset({"allusers", "allauthenticatedusers"})
_BASIC = frozenset({"roles/owner", "roles/editor", "roles/viewer"})
_ACTING = frozenset({
    "roles/iam.serviceaccounttokencreator", "roles/iam.serviceaccountuser", "roles/owner", "roles/editor",
    "roles/iam.securityadmin", "roles/iam.serviceaccountadmin", "roles/iam.serviceaccountkeyadmin",
    "roles/iam.workloadidentityuser", "roles/dataproc.editor", "roles/dataproc.admin", "roles/dataflow.developer",
    "roles/resourcemanager.folderadmin", "roles/resourcemanager.folderiamadmin",
        "roles/resourcemanager.projectiamadmin",
    "roles/resourcemanager.organizationadmin", "roles/cloudasset.viewer", "roles/cloudasset.owner",
    "roles/serverless.serviceagent", "roles/dataproc.serviceagent",
})  # fmt: skip
_GRANT = ("_iam_member", "_iam_binding", "_iam_policy")


def _grant(resource: Resource) -> Iterator[Hit]:
    body = resource.body
    if not resource.kind.endswith(_GRANT):
        return
    members = [one for key in ("member", "members") if (node := body.get(key)) is not None for one in node.items]
    role = body.get("role")
    key = "member" if body.get("member") is not None else "members"
    if any(one.text.lower() in _EVERYBODY for one in members):
        yield hit(PUBLIC_MEMBER, resource.path, body.at_line(key))
    if not resource.kind.startswith(("google_project", "google_folder", "google_organization")):
        return
    said = role.text.lower() if role is not None else ""
    if said in _BASIC:
        yield hit(BASIC_ROLE, resource.path, body.at_line("role"))
    if said in _ACTING:
        yield hit(IMPERSONATE, resource.path, body.at_line("role"))
    if any(
        "-compute@developer.gserviceaccount.com" in one.text or "@appspot.gserviceaccount.com" in one.text
        for one in members
    ):
        yield hit(DEFAULT_MEMBER, resource.path, body.at_line(key))


def _entities(resource: Resource) -> Iterator[Hit]:
    """Judge the older access lists of buckets and datasets."""
    for path in ("access.special_group", "access.iam_member", "entity", "role_entity", "predefined_acl", "default_acl"):
        for node in resource.body.every(path):
            said = {one.text.lower().rpartition(":")[2] for one in node.items}
            if said & (_EVERYBODY | {"publicread", "publicreadwrite", "publicauthenticatedread"}):
                yield hit(DATASET, resource.path, resource.body.at_line(path))
    blocks = resource.body.get("access")
    who = {"user_by_email", "group_by_email", "domain", "special_group", "view", "iam_member", "routine", "dataset"}
    for block in blocks.items if blocks is not None else []:
        if block.map and not who & set(block.map):
            yield hit(DATASET, resource.path, block.line)


def _control_plane(resource: Resource) -> Iterator[Hit]:
    blocks = list(resource.body.every("master_authorized_networks_config.cidr_blocks.cidr_block"))
    if is_world(*blocks):
        line = resource.body.at_line("master_authorized_networks_config.cidr_blocks.cidr_block")
        yield hit(PUBLIC_CONTROL, resource.path, line)


def _database(resource: Resource) -> Iterator[Hit]:
    body = resource.body
    path = "settings.ip_configuration.authorized_networks.value"
    if is_world(*body.every(path)):
        yield hit(SQL_WORLD, resource.path, body.at_line(path))
    public = body.at("settings.ip_configuration.ipv4_enabled")
    if public is None or public.yes:
        yield (note if public is None else hit)(
            SQL_SERVER_IP, resource.path, body.at_line("settings.ip_configuration.ipv4_enabled")
        )
    version = body.get("database_version")
    yield from _flags(resource, version.text if version is not None else "")


def _flags(resource: Resource, version: str) -> Iterator[Hit]:
    said: dict[str, tuple[str, int]] = {}
    for blocks in resource.body.every("settings.database_flags"):
        for one in blocks.items:
            key, setting = one.get("name"), one.get("value")
            if key is not None and setting is not None:
                said[key.text] = (setting.text.lower(), one.at_line("value"))
    for name, (want, found) in FLAGS.items():
        engine = "MYSQL" if name == "local_infile" else "SQLSERVER" if " " in name else "POSTGRES"
        value, line = said.get(name, ("", resource.line))
        missing = not value and want == "on"
        if version.startswith(engine) and (missing or (value and value != want)):
            yield hit(found, resource.path, line)


def _machine(resource: Resource) -> Iterator[Hit]:
    body = resource.body
    if any(True for _ in body.every("network_interface.access_config")) or any(
        True for _ in body.every("network_interface.ipv6_access_config")
    ):
        yield hit(EXTERNAL_IP, resource.path, body.at_line("network_interface.access_config"))
    if "from_template" in resource.kind and body.get("service_account") is None:
        return
    name = resource.body.get("name")
    if name is not None and name.text.startswith("gke-"):
        return
    account, scopes = body.at("service_account.email"), list(body.every("service_account.scopes"))
    default = account is None or "-compute@developer.gserviceaccount.com" in account.text
    if default:
        yield hit(DEFAULT_ACCOUNT, resource.path, body.at_line("service_account.email"))
    if default and any("cloud-platform" in one.text for node in scopes for one in node.items):
        yield hit(FULL_ACCESS, resource.path, body.at_line("service_account.scopes"))


_ENTITIES = (
    "google_bigquery_dataset google_bigquery_dataset_access google_storage_bucket_acl "
    "google_storage_default_object_acl google_storage_bucket_access_control "
    "google_storage_object_acl google_storage_default_object_access_control"
)
CHECKS: tuple[tuple[str, Check], ...] = (
    ("google_*", _grant),
    (_ENTITIES, _entities),
    (_CLUSTER, _control_plane),
    (_SQL, _database),
    (_MACHINES, _machine),
)
