"""Rules for Azure resources: public access, missing authentication, extra rights, encryption and logging."""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.reviewers.critics.critic import Hit, Rule
from foureyes.reviewers.critics.exposure.cloud import Check, Resource, Row, row
from foureyes.reviewers.critics.exposure.rules import (
    ANYONE,
    AT_REST,
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

_APPS = "azurerm_app_service azurerm_linux_web_app azurerm_windows_web_app"
_FUNCTIONS = "azurerm_function_app azurerm_linux_function_app azurerm_windows_function_app"
_SLOTS = (
    "azurerm_app_service_slot azurerm_linux_web_app_slot azurerm_windows_web_app_slot azurerm_function_app_slot "
    "azurerm_linux_function_app_slot azurerm_windows_function_app_slot"
)
_SQL = "azurerm_mssql_server azurerm_sql_server"


def _private(name: str, kinds: str, what: str, path: str = "public_network_access_enabled") -> Row:
    """Return a row for a service that is reachable from the internet unless this attribute is false."""
    return row(f"azure.{name}", kinds, f"{path} = false", f"{what} can be reached from the internet", why=REACHABLE)


def _key(name: str, kinds: str, want: str, what: str) -> Row:
    return row(f"azure.{name}", kinds, want, f"{what} has no key of your own", why=OWN_KEY)


def _note(name: str, kinds: str, want: str, title: str, why: str = HARDEN) -> Row:
    return row(f"azure.{name}", kinds, want, title, why=why)


ROWS: tuple[Row, ...] = (
    _private("acr-public-network", "azurerm_container_registry", "A container registry"),
    _private("cosmos-db-public-network", "azurerm_cosmosdb_account", "A database"),
    _private("service-bus-public-network", "azurerm_servicebus_namespace", "A service bus"),
    _private("event-hub-public-network", "azurerm_eventhub_namespace", "An event hub"),
    _private("event-grid-domain-public-network", "azurerm_eventgrid_domain", "An event grid"),
    _private("event-grid-topic-public-network", "azurerm_eventgrid_topic", "An event grid"),
    _private("iot-hub-public-network", "azurerm_iothub azurerm_iothub_dps", "An IoT hub"),
    _private("search-public-network", "azurerm_search_service", "A search service"),
    _private("mssql-public-network", _SQL, "A database server"),
    _private("mysql-public-network", "azurerm_mysql_server azurerm_mysql_flexible_server", "A database server"),
    _private("postgresql-public-network", "azurerm_postgresql_server", "A database server"),
    _private("postgresql-flexible-public-network", "azurerm_postgresql_flexible_server", "A database server"),
    _private("mariadb-public-network", "azurerm_mariadb_server", "A database server"),
    _private("redis-public-network", "azurerm_redis_cache azurerm_managed_redis", "A cache"),
    _private("synapse-public-network", "azurerm_synapse_workspace", "A workspace"),
    _private("data-factory-public-network", "azurerm_data_factory", "A data factory", "public_network_enabled"),
    _private("cognitive-public-network", "azurerm_cognitive_account azurerm_ai_services", "A cognitive service",
             "public_network_access_enabled/public_network_access"),
    _private("machine-learning-public-network", "azurerm_machine_learning_workspace", "A workspace"),
    _private("databricks-public-network", "azurerm_databricks_workspace", "A workspace"),
    _private("kusto-public-network", "azurerm_kusto_cluster", "A data explorer"),
    _private("batch-public-network", "azurerm_batch_account", "A batch account"),
    _private("automation-public-network", "azurerm_automation_account", "An automation account"),
    _private("app-service-public-network", _APPS, "An app"),
    _private("function-app-public-network", _FUNCTIONS, "A function"),
    _private("slot-public-network", _SLOTS, "A slot"),
    _private("storage-public-network", "azurerm_storage_account", "A storage account"),
    _private("signalr-public-network", "azurerm_signalr_service azurerm_web_pubsub", "A messaging service"),
    _note("file-sync-public-network", "azurerm_storage_sync", "incoming_traffic_policy = AllowVirtualNetworksOnly",
          "A file sync can be reached from the internet", REACHABLE),
    _private("log-analytics-ingestion", "azurerm_log_analytics_workspace azurerm_application_insights", "A log",
             "internet_ingestion_enabled"),
    _private("log-analytics-query", "azurerm_log_analytics_workspace azurerm_application_insights", "A log",
             "internet_query_enabled"),
    _private("managed-disk-public-network", "azurerm_managed_disk azurerm_snapshot", "A disk"),
    _private("purview-public-network", "azurerm_purview_account", "A catalogue", "public_network_enabled"),
    _private("digital-twins-public-network", "azurerm_healthcare_service azurerm_healthcare_workspace", "A service"),
    _private("recovery-vault-public-network", "azurerm_recovery_services_vault", "A backup vault"),
    _private("api-management-public", "azurerm_api_management", "An API gateway"),
    _private("grafana-public-network", "azurerm_dashboard_grafana", "A dashboard"),
    _private("container-app-public", "azurerm_container_app_environment", "A container app"),
    _note("api-management-vnet", "azurerm_api_management", "virtual_network_configuration set",
        "An API gateway is in no network", REACHABLE),
    _note("aks-private-cluster", "azurerm_kubernetes_cluster", "private_cluster_enabled = true",
        "A control plane has a public address", REACHABLE),
    _note("aks-node-public-ip", "azurerm_kubernetes_cluster azurerm_kubernetes_cluster_node_pool",
          "default_node_pool.enable_node_public_ip/default_node_pool.node_public_ip_enabled/enable_node_public_ip/"
          "node_public_ip_enabled =? false",
          "Nodes get public addresses", REACHABLE),
    _note("container-group-vnet", "azurerm_container_group", "ip_address_type/network_profile_id !=! public",
        "A container has a public address", REACHABLE),
    _note("databricks-no-public-ip", "azurerm_databricks_workspace", "custom_parameters.no_public_ip = true",
        "Nodes get public addresses", REACHABLE),
    _note("machine-learning-node-public-ip",
        "azurerm_machine_learning_compute_cluster azurerm_machine_learning_compute_instance",
          "node_public_ip_enabled = false", "Nodes get public addresses", REACHABLE),
    _note("synapse-firewall", "azurerm_synapse_workspace", "managed_virtual_network_enabled = true",
        "A workspace is in no network", REACHABLE),
    _note("network-interface-forwarding", "azurerm_network_interface",
        "enable_ip_forwarding/ip_forwarding_enabled =? false", "A machine passes traffic on"),
    _note("network-interface-public-ip", "azurerm_network_interface", "ip_configuration.public_ip_address_id absent",
        "A machine has a public address", REACHABLE),
    _note("vm-scale-set-public-ip", "azurerm_linux_virtual_machine_scale_set azurerm_windows_virtual_machine_scale_set",
          "network_interface.ip_configuration.public_ip_address absent", "Machines have public addresses", REACHABLE),
    row("azure.storage-blob-public", "azurerm_storage_container",
        "container_access_type/properties.publicAccess =? private",
        "Anybody may read a container", why=ANYONE, severity="important"),
    row("azure.storage-account-public-blobs", "azurerm_storage_account",
        "allow_nested_items_to_be_public/allow_blob_public_access = false", "Containers may be made public",
            why=ANYONE),
    row("azure.storage-network-rules", "azurerm_storage_account", "network_rules.default_action =? Deny",
        "A storage account can be reached from everywhere", why=REACHABLE),
    row("azure.storage-account-network-rules", "azurerm_storage_account_network_rules", "default_action = Deny",
        "A storage account can be reached from everywhere", why=REACHABLE),
    row("azure.app-service-authentication", _APPS + " " + _FUNCTIONS,
        "auth_settings.enabled/auth_settings_v2.auth_enabled = true", "An app asks nobody who he is", why=ANYONE),
    row("azure.ftps", _APPS + " " + _FUNCTIONS, "site_config.ftps_state != AllAllowed", "Files are moved openly",
        why=LISTEN_IN),
    row("azure.remote-debugging", _APPS + " " + _FUNCTIONS + " " + _SLOTS,
        "site_config.remote_debugging_enabled =? false", "Debuggers may connect", why=GAIN, severity="important"),
    row("azure.cors-everybody", _APPS + " " + _FUNCTIONS + " " + _SLOTS, "site_config.cors.allowed_origins != *",
        "Every website may use it in its visitors' name", why=ANYONE, severity="important"),
    row("azure.app-service-https", _APPS + " " + _FUNCTIONS + " " + _SLOTS, "https_only = true",
        "Pages are served openly", why=LISTEN_IN),
    row("azure.app-service-tls", _APPS + " " + _FUNCTIONS + " " + _SLOTS,
        "site_config.min_tls_version/site_config.minimum_tls_version tls ?", "Old TLS is accepted", why=LISTEN_IN),
    _note("client-certificate", _APPS + " " + _FUNCTIONS, "client_cert_enabled/client_certificate_enabled = true",
        "Clients' certificates are not asked for"),
    _note("app-service-identity", _APPS, "identity set", "An app has no identity of its own", CREDENTIALS),
    _note("app-service-http2", _APPS, "site_config.http2_enabled = true", "Old HTTP is spoken"),
    _note("app-service-logging", _APPS, "logs.http_logs set", "Requests are not recorded", TRACE),
    _note("app-service-detailed-errors", _APPS,
        "logs.detailed_error_messages_enabled/logs.detailed_error_messages = true", "Errors are not recorded", TRACE),
    _note("app-service-failed-requests", _APPS,
        "logs.failed_request_tracing_enabled/logs.failed_request_tracing = true", "Failures are not recorded", TRACE),
    row("azure.acr-admin", "azurerm_container_registry", "admin_enabled =? false", "A registry has a shared password",
        why=CREDENTIALS),
    row("azure.aks-rbac", "azurerm_kubernetes_cluster",
        "role_based_access_control_enabled/role_based_access_control.enabled =? true", "A cluster knows no roles",
            why=GAIN, severity="important"),
    row("azure.aks-local-admin", "azurerm_kubernetes_cluster", "local_account_disabled = true",
        "A cluster has a shared password", why=CREDENTIALS),
    row("azure.aks-authorized-ips", "azurerm_kubernetes_cluster",
        "api_server_authorized_ip_ranges/api_server_access_profile.authorized_ip_ranges/private_cluster_enabled set",
        "A control plane is open to the whole world", why=REACHABLE),
    row("azure.aks-dashboard", "azurerm_kubernetes_cluster", "addon_profile.kube_dashboard.enabled =? false",
        "The Kubernetes dashboard is deployed", why=REACHABLE, severity="important"),
    _note("aks-network-policy", "azurerm_kubernetes_cluster", "network_profile.network_policy set",
        "Pods can reach each other"),
    _note("aks-logging", "azurerm_kubernetes_cluster",
        "addon_profile.oms_agent.enabled/oms_agent.log_analytics_workspace_id set", "A cluster keeps no record", TRACE),
    _note("aks-azure-policy", "azurerm_kubernetes_cluster",
        "azure_policy_enabled/addon_profile.azure_policy.enabled = true", "No policy holds in a cluster"),
    _key("aks-disk-encryption", "azurerm_kubernetes_cluster", "disk_encryption_set_id set", "A cluster's disk"),
    row("azure.linux-password", "azurerm_linux_virtual_machine azurerm_linux_virtual_machine_scale_set",
        "disable_password_authentication =? true", "A machine takes passwords", why=CREDENTIALS),
    row("azure.vm-linux-password", "azurerm_virtual_machine",
        "os_profile_linux_config.disable_password_authentication =? true",
        "A machine takes passwords", why=CREDENTIALS),
    _note("vm-extensions", "azurerm_linux_virtual_machine azurerm_windows_virtual_machine",
        "allow_extension_operations = false", "Extensions may be put in", GAIN),
    _note("vm-host-encryption", "azurerm_linux_virtual_machine_scale_set azurerm_windows_virtual_machine_scale_set "
          "azurerm_linux_virtual_machine azurerm_windows_virtual_machine", "encryption_at_host_enabled = true",
              "Disks are not encrypted", AT_REST),
    row("azure.storage-https", "azurerm_storage_account",
        "enable_https_traffic_only/https_traffic_only_enabled =? true",
        "Files are moved openly", why=LISTEN_IN, severity="important"),
    row("azure.storage-tls", "azurerm_storage_account", "min_tls_version tls ?", "Old TLS is accepted", why=LISTEN_IN),
    row("azure.storage-shared-key", "azurerm_storage_account", "shared_access_key_enabled = false",
        "A storage account takes a shared key", why=CREDENTIALS),
    _note("storage-local-users", "azurerm_storage_account", "local_user_enabled =? false", "Local users may log in",
        CREDENTIALS),
    _note("storage-queue-logging", "azurerm_storage_account", "queue_properties.logging set",
        "Requests are not recorded", TRACE),
    row("azure.mssql-tls", _SQL, "minimum_tls_version tls ?", "Old TLS is accepted", why=LISTEN_IN),
    row("azure.mysql-tls", "azurerm_mysql_server azurerm_postgresql_server", "ssl_minimal_tls_version_enforced tls",
        "Old TLS is accepted", why=LISTEN_IN),
    row("azure.database-ssl", "azurerm_mysql_server azurerm_postgresql_server azurerm_mariadb_server",
        "ssl_enforcement_enabled = true",
        "A database is spoken to openly", why=LISTEN_IN),
    row("azure.redis-ssl", "azurerm_redis_cache", "enable_non_ssl_port/non_ssl_port_enabled =? false",
        "A cache is spoken to openly", why=LISTEN_IN, severity="important"),
    row("azure.redis-tls", "azurerm_redis_cache", "minimum_tls_version tls", "Old TLS is accepted", why=LISTEN_IN),
    row("azure.service-bus-tls", "azurerm_servicebus_namespace azurerm_eventhub_namespace",
        "minimum_tls_version tls ?", "Old TLS is accepted", why=LISTEN_IN),
    row("azure.service-bus-local-auth", "azurerm_servicebus_namespace", "local_auth_enabled = false",
        "A service bus takes shared keys", why=CREDENTIALS),
    row("azure.cosmos-db-local-auth", "azurerm_cosmosdb_account", "local_authentication_disabled = true",
        "A database takes shared keys", why=CREDENTIALS),
    row("azure.event-grid-local-auth",
        "azurerm_eventgrid_domain azurerm_eventgrid_topic azurerm_cognitive_account azurerm_app_configuration",
        "local_auth_enabled = false", "It takes shared keys", why=CREDENTIALS),
    row("azure.application-gateway-tls", "azurerm_application_gateway", "ssl_policy.min_protocol_version tls ?",
        "Old TLS is accepted", why=LISTEN_IN),
    _note("application-gateway-waf", "azurerm_application_gateway", "waf_configuration.enabled = true",
        "No web firewall stands before it"),
    _note("front-door-waf", "azurerm_frontdoor", "frontend_endpoint.web_application_firewall_policy_link_id set",
        "No web firewall stands before it"),
    _note("firewall-policy", "azurerm_firewall", "firewall_policy_id set", "A firewall has no policy", REACHABLE),
    row("azure.firewall-threat-intelligence", "azurerm_firewall", "threat_intel_mode = Deny",
        "Known bad addresses are let through", why=REACHABLE),
    row("azure.firewall-policy-threat-intelligence", "azurerm_firewall_policy", "threat_intelligence_mode = Deny",
        "Known bad addresses are let through", why=REACHABLE),
    _note("firewall-policy-intrusion", "azurerm_firewall_policy", "intrusion_detection.mode = Deny",
        "Attacks are let through", REACHABLE),
    _note("key-vault-purge-protection", "azurerm_key_vault", "purge_protection_enabled = true",
        "Keys can be lost for ever", STEADY),
    _note("key-vault-soft-delete", "azurerm_key_vault", "soft_delete_enabled =? true", "Keys can be lost for ever",
        STEADY),
    _note("key-vault-network-rules", "azurerm_key_vault", "network_acls.default_action = Deny",
        "A key vault can be reached from everywhere", REACHABLE),
    _note("key-expiration", "azurerm_key_vault_key azurerm_key_vault_secret", "expiration_date set",
        "A key or secret never ends", CREDENTIALS),
    _note("secret-content-type", "azurerm_key_vault_secret", "content_type set", "Nobody knows what a secret is for"),
    _note("managed-disk-encryption", "azurerm_managed_disk", "encryption_settings.enabled =? true",
        "A disk is not encrypted", AT_REST),
    _key("managed-disk-cmk", "azurerm_managed_disk", "disk_encryption_set_id set", "A disk"),
    _key("acr-cmk", "azurerm_container_registry", "encryption.key_vault_key_id set", "A registry"),
    _key("cosmos-db-cmk", "azurerm_cosmosdb_account", "key_vault_key_id set", "A database"),
    _key("service-bus-cmk", "azurerm_servicebus_namespace", "customer_managed_key.key_vault_key_id set",
        "A service bus"),
    _key("data-factory-cmk", "azurerm_data_factory", "customer_managed_key_id set", "A data factory"),
    _key("app-configuration-cmk", "azurerm_app_configuration", "encryption.key_vault_key_identifier set",
        "A configuration"),
    _note("app-configuration-purge", "azurerm_app_configuration", "purge_protection_enabled = true",
        "Data can be lost for ever", STEADY),
    _note("app-configuration-sku", "azurerm_app_configuration", "sku = standard|premium", "It has no private endpoint",
        REACHABLE),
    _note("service-bus-double-encryption", "azurerm_servicebus_namespace",
        "customer_managed_key.infrastructure_encryption_enabled = true", "It is encrypted once", AT_REST),
    _note("postgresql-log", "azurerm_postgresql_configuration", "value != off", "A database keeps no record", TRACE),
    _note("threat-detection", "azurerm_postgresql_server azurerm_mysql_server",
        "threat_detection_policy.enabled = true", "Attacks are not noticed", TRACE),
    _note("geo-backup", "azurerm_postgresql_server azurerm_mysql_server azurerm_mariadb_server",
        "geo_redundant_backup_enabled = true", "A database stands in one place", STEADY),
    _note("infrastructure-encryption", "azurerm_postgresql_server azurerm_mysql_server",
        "infrastructure_encryption_enabled = true", "It is encrypted once", AT_REST),
    row("azure.custom-role-wildcard", "azurerm_role_definition", "permissions.actions != *", "A role may do anything",
        why=GAIN, severity="important"),
    row("azure.role-owner", "azurerm_role_assignment", "role_definition_name != Owner|User Access Administrator",
        "Somebody may do anything and let others do it", why=GAIN, severity="important"),
    _note("batch-encryption", "azurerm_batch_account", "encryption set", "A batch account has no key of your own",
        OWN_KEY),
    _note("automation-encrypted",
        "azurerm_automation_variable_bool azurerm_automation_variable_string azurerm_automation_variable_int "
          "azurerm_automation_variable_datetime", "encrypted = true", "A variable is not encrypted", AT_REST),
    _note("service-fabric", "azurerm_service_fabric_cluster", "azure_active_directory.tenant_id set",
        "A cluster asks nobody who he is", ANYONE),
    _note("data-lake-encryption", "azurerm_data_lake_store", "encryption_state =? Enabled", "A store is not encrypted",
        AT_REST),
    _note("api-management-tls", "azurerm_api_management",
        "security.enable_backend_ssl30/security.backend_ssl30_enabled =? false", "Old TLS is accepted", LISTEN_IN),
    _note("search-sla", "azurerm_search_service", "replica_count >= 3", "A search stands on few machines", STEADY),
    _note("flow-log-retention", "azurerm_network_watcher_flow_log", "retention_policy.days >= 90",
        "Records are kept under 90 days", TRACE),
    _note("security-contact", "azurerm_security_center_contact", "phone set", "Nobody can be called"),
    _note("defender", "azurerm_security_center_subscription_pricing", "tier = Standard", "Attacks are not noticed",
        TRACE),
)  # fmt: skip

ANONYMOUS_PULL = rule(
    "azure.acr-anonymous-pull", "Anybody may pull images", ANYONE, "Set anonymous_pull_enabled to false.", "important"
)
VAULT = rule(
    "azure.key-vault-public-network",
    "A key vault can be reached from the internet",
    REACHABLE,
    "Set public_network_access_enabled to false, or allow only your own addresses.",
)
APP_CONFIGURATION = rule(
    "azure.app-configuration-public-network",
    "A configuration store can be reached from the internet",
    REACHABLE,
    "Set public_network_access to Disabled.",
)
SQL_FIREWALL = rule(
    "azure.sql-firewall-open",
    "A database's firewall lets in the whole world",
    REACHABLE,
    "Allow only your own addresses.",
    "important",
)
VAULT_ACL = rule(
    "azure.search-allowed-ips", "Everybody's address is allowed", REACHABLE, "Name your own addresses.", "important"
)
SQL_AZURE = rule(
    "azure.sql-firewall-azure",
    "A database's firewall lets in every customer of Azure",
    REACHABLE,
    "Use a private endpoint.",
)
_ZERO = ("0.0.0.0", "0.0.0.0/0")  # noqa: S104 - looked for, not listened on
PUBLIC_SWITCH = rule(
    "azure.public-network",
    "It can be reached from the internet",
    REACHABLE,
    "Set public_network_access_enabled to false.",
)
RULES: tuple[Rule, ...] = (PUBLIC_SWITCH, SQL_AZURE, ANONYMOUS_PULL, VAULT, APP_CONFIGURATION, SQL_FIREWALL, VAULT_ACL)


def _pull(resource: Resource) -> Iterator[Hit]:
    on, tier = resource.body.get("anonymous_pull_enabled"), resource.body.get("sku")
    if on is not None and on.yes and tier is not None and tier.text.lower() in ("standard", "premium"):
        yield hit(ANONYMOUS_PULL, resource.path, resource.body.at_line("anonymous_pull_enabled"))


def _vault(resource: Resource) -> Iterator[Hit]:
    body = resource.body
    public = body.get("public_network_access_enabled")
    if public is not None and (public.no or public.opaque):
        return
    named = [body.at(f"network_acls.{key}") for key in ("ip_rules", "virtual_network_subnet_ids")]
    if any(one is not None and not one.empty for one in named):
        # Whether other addresses are denied is checked by azure.key-vault-network-rules.
        return
    if public is None:
        yield note(VAULT, resource.path, resource.line)
    else:
        yield hit(VAULT, resource.path, body.at_line("public_network_access_enabled"))


def _configuration(resource: Resource) -> Iterator[Hit]:
    public = resource.body.get("public_network_access")
    if public is None or public.text.lower() == "enabled":
        yield hit(APP_CONFIGURATION, resource.path, resource.body.at_line("public_network_access"))


def _switch(resource: Resource) -> Iterator[Hit]:
    public = resource.body.get("public_network_access_enabled")
    if public is not None and public.yes and resource.kind != "azurerm_key_vault":
        yield hit(PUBLIC_SWITCH, resource.path, resource.body.at_line("public_network_access_enabled"))


def _firewall(resource: Resource) -> Iterator[Hit]:
    first, last = (resource.body.get(key) for key in ("start_ip_address", "end_ip_address"))
    start, end = (one.text if one is not None else "" for one in (first, last))
    if start in _ZERO and end in _ZERO:
        yield hit(SQL_AZURE, resource.path, resource.body.at_line("start_ip_address"))
    elif start in _ZERO and end == "255.255.255.255":
        yield hit(SQL_FIREWALL, resource.path, resource.body.at_line("start_ip_address"))


def _addresses(resource: Resource) -> Iterator[Hit]:
    for path in (
        "allowed_ips",
        "network_rule_set.ip_rule.ip_range",
        "ip_range_filter",
        "network_acls.ip_rules",
        "ip_rules",
    ):
        for node in resource.body.every(path):
            if any(part.strip() in ("0.0.0.0/0", "0.0.0.0", "*") for one in node.items for part in one.text.split(",")):  # noqa: S104 - looked for
                yield hit(VAULT_ACL, resource.path, resource.body.at_line(path))


_FIREWALLS = (
    "azurerm_sql_firewall_rule azurerm_mssql_firewall_rule azurerm_postgresql_firewall_rule "
    "azurerm_mysql_firewall_rule azurerm_mariadb_firewall_rule azurerm_redis_firewall_rule "
    "azurerm_postgresql_flexible_server_firewall_rule azurerm_mysql_flexible_server_firewall_rule "
    "azurerm_synapse_firewall_rule"
)
_ADDRESSED = (
    "azurerm_search_service azurerm_cosmosdb_account azurerm_key_vault azurerm_storage_account "
    "azurerm_container_registry azurerm_storage_account_network_rules"
)
CHECKS: tuple[tuple[str, Check], ...] = (
    ("azurerm_container_registry", _pull),
    ("azurerm_key_vault", _vault),
    ("azurerm_*", _switch),
    ("azurerm_app_configuration", _configuration),
    (_FIREWALLS, _firewall),
    (_ADDRESSED, _addresses),
)
