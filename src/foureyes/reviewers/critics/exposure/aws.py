"""Rules for AWS resources: public access, missing authentication, extra rights and plain-text connections."""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.reviewers.critics.critic import Hit, Rule
from foureyes.reviewers.critics.exposure.cloud import Check, Resource, Row, row
from foureyes.reviewers.critics.exposure.iam import document_of
from foureyes.reviewers.critics.exposure.network import is_world, opened
from foureyes.reviewers.critics.exposure.rules import (
    ANYONE,
    ESCAPE,
    GAIN,
    HARDEN,
    LISTEN_IN,
    REACHABLE,
    hit,
    note,
    rule,
)

_BLOCKED = "aws_s3_bucket_public_access_block aws_s3_account_public_access_block"
_LAUNCH = "aws_instance aws_launch_template aws_launch_configuration"

ROWS: tuple[Row, ...] = (
    # Reachable from the internet
    row("aws.rds-publicly-accessible", "aws_db_instance aws_rds_cluster_instance", "publicly_accessible =? false",
        "A database has a public address", why=REACHABLE, severity="important"),
    row("aws.redshift-publicly-accessible", "aws_redshift_cluster", "publicly_accessible = false",
        "A data warehouse has a public address", why=REACHABLE, severity="important"),
    row("aws.redshift-serverless-public", "aws_redshiftserverless_workgroup", "publicly_accessible =? false",
        "A data warehouse has a public address", why=REACHABLE, severity="important"),
    row("aws.dms-publicly-accessible", "aws_dms_replication_instance", "publicly_accessible =? false",
        "A replication instance has a public address", why=REACHABLE, severity="important"),
    row("aws.neptune-publicly-accessible", "aws_neptune_cluster_instance", "publicly_accessible =? false",
        "A graph database has a public address", why=REACHABLE, severity="important"),
    row("aws.docdb-publicly-accessible", "aws_docdb_cluster_instance", "publicly_accessible =? false",
        "A document database has a public address", why=REACHABLE, severity="important"),
    row("aws.mq-publicly-accessible", "aws_mq_broker", "publicly_accessible =? false",
        "A message broker has a public address", why=REACHABLE, severity="important"),
    row("aws.lightsail-public", "aws_lightsail_database", "publicly_accessible =? false",
        "A database has a public address", why=REACHABLE, severity="important"),
    row("aws.subnet-public-ip", "aws_subnet aws_default_subnet", "map_public_ip_on_launch =? false",
        "Every machine in a subnet gets a public address", why=REACHABLE),
    row("aws.eks-public-access", "aws_eks_cluster", "vpc_config.endpoint_public_access = false",
        "A cluster's control plane has a public address", why=REACHABLE),
    row("aws.transfer-server-public", "aws_transfer_server", "endpoint_type = VPC|VPC_ENDPOINT",
        "A file transfer server is open to the internet", why=REACHABLE),
    row("aws.sagemaker-direct-internet", "aws_sagemaker_notebook_instance", "direct_internet_access = Disabled",
        "A notebook reaches the internet by itself", why=REACHABLE),
    row("aws.sagemaker-root", "aws_sagemaker_notebook_instance", "root_access = Disabled",
        "Notebook users are root", why=GAIN),
    row("aws.sagemaker-vpc", "aws_sagemaker_notebook_instance", "subnet_id set", "A notebook is in no VPC",
        why=REACHABLE),
    row("aws.sagemaker-domain-vpc", "aws_sagemaker_domain", "app_network_access_type = VpcOnly",
        "A domain's apps reach the internet by themselves", why=REACHABLE),
    row("aws.elb-internal", "aws_lb aws_alb aws_elb", "internal = true", "A load balancer faces the internet",
        why=REACHABLE),
    row("aws.ecs-service-public-ip", "aws_ecs_service", "network_configuration.assign_public_ip =? false",
        "A service's tasks get public addresses", why=REACHABLE, severity="important"),
    row("aws.ecs-task-set-public-ip", "aws_ecs_task_set", "network_configuration.assign_public_ip =? false",
        "A service's tasks get public addresses", why=REACHABLE, severity="important"),
    row("aws.api-gateway-private-endpoint", "aws_api_gateway_rest_api", "endpoint_configuration.types = PRIVATE",
        "An API can be reached from the internet", why=REACHABLE),
    row("aws.vpc-endpoint-acceptance", "aws_vpc_endpoint_service", "acceptance_required = true",
        "Anybody may connect to an endpoint service", why=REACHABLE),
    row("aws.transit-gateway-auto-accept", "aws_ec2_transit_gateway", "auto_accept_shared_attachments =? disable",
        "A transit gateway takes every network that asks", why=REACHABLE),
    row("aws.emr-block-public-access", "aws_emr_block_public_access_configuration",
        "block_public_security_group_rules = true", "EMR clusters may be public", why=REACHABLE, severity="important"),
    row("aws.msk-public-access", "aws_msk_cluster",
        "broker_node_group_info.connectivity_info.public_access.type =? DISABLED",
        "A Kafka cluster has public addresses", why=REACHABLE, severity="important"),
    row("aws.opensearch-vpc", "aws_elasticsearch_domain aws_opensearch_domain",
        "vpc_options.subnet_ids/vpc_options set",
        "A search domain is open to the internet", why=REACHABLE),
    row("aws.lambda-vpc", "aws_lambda_function", "vpc_config set", "A function is in no VPC", why=HARDEN),
    row("aws.spot-public-ip", "aws_spot_instance_request aws_spot_fleet_request",
        "associate_public_ip_address/launch_specification.associate_public_ip_address =? false",
        "A machine gets a public address", why=REACHABLE),
    # Without authentication
    row("aws.lambda-url-auth", "aws_lambda_function_url", "authorization_type != NONE",
        "Anybody may call a function", why=ANYONE, severity="critical"),
    row("aws.api-gateway-v2-authorization", "aws_apigatewayv2_route", "authorization_type !=! NONE",
        "Anybody may call an API", why=ANYONE),
    row("aws.appsync-authorization", "aws_appsync_graphql_api", "authentication_type != API_KEY",
        "A GraphQL API asks for a shared key only", why=ANYONE),
    row("aws.s3-block-public-acls", _BLOCKED, "block_public_acls = true", "Public ACLs are let in", why=ANYONE),
    row("aws.s3-block-public-policy", _BLOCKED, "block_public_policy = true", "Public policies are let in", why=ANYONE),
    row("aws.s3-ignore-public-acls", _BLOCKED, "ignore_public_acls = true", "Public ACLs count", why=ANYONE),
    row("aws.s3-restrict-public-buckets", _BLOCKED, "restrict_public_buckets = true", "Public buckets stay open",
        why=ANYONE),
    row("aws.s3-public-read", "aws_s3_bucket aws_s3_bucket_acl aws_s3_bucket_object aws_s3_object",
        "acl != public-read|public-read-write|authenticated-read|website", "Anybody may read a bucket", why=ANYONE,
        severity="important"),
    row("aws.s3-public-write", "aws_s3_bucket aws_s3_bucket_acl aws_s3_bucket_object aws_s3_object",
        "acl != public-read-write", "Anybody may write to a bucket", why=ANYONE, severity="critical"),
    row("aws.s3-public-grant", "aws_s3_bucket_acl aws_s3_bucket",
        "access_control_policy.grant.grantee.uri/grant.uri != "
        "http://acs.amazonaws.com/groups/global/AllUsers|http://acs.amazonaws.com/groups/global/AuthenticatedUsers",
        "Everybody is given rights on a bucket", why=ANYONE, severity="important"),
    row("aws.s3-website", "aws_s3_bucket", "website absent", "A bucket is a public website", why=ANYONE),
    row("aws.ami-public", "aws_ami_launch_permission", "group != all", "Anybody may start an image", why=ANYONE,
        severity="important"),
    row("aws.ami-shared", "aws_ami_launch_permission", "account_id absent", "An image is shared", why=ANYONE),
    row("aws.rds-snapshot-public", "aws_db_snapshot aws_db_cluster_snapshot", "shared_accounts != all",
        "Anybody may copy a database", why=ANYONE, severity="critical"),
    row("aws.ssm-document-public", "aws_ssm_document", "permissions.account_ids != all",
        "Anybody may read a document", why=ANYONE, severity="important"),
    row("aws.cognito-unauthenticated", "aws_cognito_identity_pool", "allow_unauthenticated_identities =? false",
        "Guests get credentials", why=ANYONE, severity="important"),
    row("aws.ecr-public", "aws_ecrpublic_repository", "force_private set", "Anybody may pull images", why=ANYONE),
    row("aws.rds-iam-authentication", "aws_db_instance aws_rds_cluster", "iam_database_authentication_enabled = true",
        "A database knows passwords only", why=HARDEN),
    row("aws.neptune-iam-authentication", "aws_neptune_cluster", "iam_database_authentication_enabled = true",
        "A database asks for no proof", why=ANYONE),
    row("aws.elasticache-auth-token", "aws_elasticache_replication_group", "auth_token set",
        "A cache asks for no password", why=ANYONE),
    row("aws.batch-privileged", "aws_batch_job_definition", "container_properties.privileged =? false",
        "A job is privileged", why=ESCAPE, severity="important"),
    row("aws.codebuild-privileged", "aws_codebuild_project", "environment.privileged_mode =? false",
        "A build is privileged", why=ESCAPE),
    row("aws.eks-node-group-remote", "aws_eks_node_group", "remote_access.ec2_ssh_key absent",
        "Nodes take SSH", why=REACHABLE),
    row("aws.imds-v1", "aws_instance aws_launch_template aws_launch_configuration",
        "metadata_options.http_tokens = required", "A machine's credentials can be fetched through it (IMDSv1)",
            why=GAIN),
    row("aws.imds-hop-limit", "aws_launch_template aws_launch_configuration aws_instance",
        "metadata_options.http_put_response_hop_limit =? 1", "Containers can fetch the machine's credentials",
            why=GAIN),
    row("aws.mwaa-public", "aws_mwaa_environment", "webserver_access_mode =? PRIVATE_ONLY",
        "A workflow server has a public address",
        why=REACHABLE),
    row("aws.s3-access-point-public", "aws_s3_access_point",
        "public_access_block_configuration.block_public_policy =? true",
        "An access point may be made public", why=ANYONE),
    # Without encryption in transit
    row("aws.elb-listener-https", "aws_elb", "listener.lb_protocol =? https|ssl|tcp", "A listener speaks openly",
        why=LISTEN_IN),
    row("aws.cloudfront-https", "aws_cloudfront_distribution",
        "default_cache_behavior.viewer_protocol_policy = https-only|redirect-to-https", "Pages are served openly",
        why=LISTEN_IN),
    row("aws.cloudfront-tls", "aws_cloudfront_distribution", "viewer_certificate.minimum_protocol_version tls",
        "Old TLS is accepted", why=LISTEN_IN),
    row("aws.api-gateway-tls", "aws_api_gateway_domain_name", "security_policy tls", "Old TLS is accepted",
        why=LISTEN_IN),
    row("aws.opensearch-https", "aws_elasticsearch_domain aws_opensearch_domain",
        "domain_endpoint_options.enforce_https = true",
        "Searches are sent openly", why=LISTEN_IN),
    row("aws.opensearch-tls", "aws_elasticsearch_domain aws_opensearch_domain",
        "domain_endpoint_options.tls_security_policy !=! Policy-Min-TLS-1-0-2019-07", "Old TLS is accepted",
            why=LISTEN_IN),
    row("aws.opensearch-node-encryption", "aws_elasticsearch_domain aws_opensearch_domain",
        "node_to_node_encryption.enabled = true", "Nodes talk openly", why=LISTEN_IN),
    row("aws.elasticache-transit", "aws_elasticache_replication_group", "transit_encryption_enabled = true",
        "A cache is spoken to openly", why=LISTEN_IN),
    row("aws.msk-transit", "aws_msk_cluster", "encryption_info.encryption_in_transit.client_broker =? TLS",
        "Messages are sent openly", why=LISTEN_IN),
    row("aws.dms-endpoint-ssl", "aws_dms_endpoint", "ssl_mode !=! none", "Data is moved openly", why=LISTEN_IN),
    row("aws.transfer-ftp", "aws_transfer_server", "protocols != ftp", "Files are moved openly", why=LISTEN_IN),
)  # fmt: skip

OPEN_LISTENER = rule(
    "aws.lb-listener-https", "A load balancer listens without TLS", LISTEN_IN, "Use HTTPS or redirect to it."
)
OLD_LISTENER = rule(
    "aws.lb-listener-tls", "A load balancer accepts old TLS", LISTEN_IN, "Choose a TLS 1.2 or 1.3 policy."
)
PUBLIC_CIDR = rule(
    "aws.eks-public-access-cidr",
    "A cluster's control plane is open to the whole world",
    REACHABLE,
    "Set vpc_config.public_access_cidrs to your own addresses.",
    "important",
)
PUBLIC_IP = rule(
    "aws.ec2-public-ip", "A machine gets a public address", REACHABLE, "Set associate_public_ip_address to false."
)
API_OPEN = rule(
    "aws.api-gateway-authorization",
    "Anybody may call a method of an API",
    ANYONE,
    "Set authorization, or api_key_required to true.",
    "important",
)
TASK_PRIVILEGED = rule(
    "aws.ecs-privileged", "A task's container is privileged", ESCAPE, "Set privileged to false.", "important"
)
TASK_HOST = rule(
    "aws.ecs-host-namespace", "A task shares the machine's processes", ESCAPE, "Remove pid_mode.", "important"
)
TASK_WRITABLE = rule(
    "aws.ecs-writable-root", "A task's root file system can be written", HARDEN, "Set readonlyRootFilesystem to true."
)
DEFAULT_GROUP = rule(
    "aws.default-security-group",
    "The default security group lets traffic through",
    REACHABLE,
    "Leave it without rules.",
)
PUBLIC_SWITCH = rule(
    "aws.publicly-accessible", "It has a public address", REACHABLE, "Set publicly_accessible to false.", "important"
)
RULES: tuple[Rule, ...] = (
    PUBLIC_SWITCH, OPEN_LISTENER, OLD_LISTENER, PUBLIC_CIDR, PUBLIC_IP, API_OPEN, TASK_PRIVILEGED, TASK_HOST,
        TASK_WRITABLE, DEFAULT_GROUP,
)  # fmt: skip
_OLD_POLICY = ("TLS-1-0", "TLS-1-1", "2016-08", "2015-05", "FS-2018-06", "FS-1-1")


def _cluster(resource: Resource) -> Iterator[Hit]:
    body = resource.body
    public = body.at("vpc_config.endpoint_public_access")
    if public is not None and (public.no or public.opaque):
        return
    ranges = body.at("vpc_config.public_access_cidrs")
    if is_world(ranges):
        yield hit(PUBLIC_CIDR, resource.path, body.at_line("vpc_config.public_access_cidrs"))
    elif ranges is None or ranges.empty:
        yield note(PUBLIC_CIDR, resource.path, body.at_line("vpc_config"))


def _machine(resource: Resource) -> Iterator[Hit]:
    for path in ("associate_public_ip_address", "network_interfaces.associate_public_ip_address"):
        if any(one.yes for one in resource.body.every(path)):
            yield hit(PUBLIC_IP, resource.path, resource.body.at_line(path))


def _method(resource: Resource) -> Iterator[Hit]:
    body = resource.body
    how, verb, key = body.get("authorization"), body.get("http_method"), body.get("api_key_required")
    if (verb is not None and verb.text == "OPTIONS") or (key is not None and key.yes):
        return
    if how is None or how.text.upper() == "NONE":
        yield hit(API_OPEN, resource.path, body.at_line("authorization"))


def _listener(resource: Resource) -> Iterator[Hit]:
    body = resource.body
    protocol, policy = body.get("protocol"), body.get("ssl_policy")
    redirect = body.at("default_action.redirect.protocol")
    action = body.at("default_action.type")
    said = protocol.text.upper() if protocol is not None else ""
    redirects = action is not None and action.text == "redirect" and redirect is not None and redirect.text == "HTTPS"
    if said == "HTTP" and not redirects:
        yield hit(OPEN_LISTENER, resource.path, body.at_line("protocol"))
    old = policy is None or any(one in policy.text for one in _OLD_POLICY)
    if said in ("HTTPS", "TLS") and (old and not (policy is not None and policy.opaque)):
        yield hit(OLD_LISTENER, resource.path, body.at_line("ssl_policy"))
    elif said == "HTTP" and not redirects:
        yield hit(OLD_LISTENER, resource.path, body.at_line("protocol"))


def _task(resource: Resource) -> Iterator[Hit]:
    body = resource.body
    for key in ("pid_mode", "ipc_mode"):
        mode = body.get(key)
        if mode is not None and mode.text == "host":
            yield hit(TASK_HOST, resource.path, body.at_line(key))
    definitions = body.get("container_definitions")
    document = document_of(definitions)
    for one in document.items if document is not None else []:
        privileged, fixed = one.get("privileged"), one.get("readonlyRootFilesystem")
        if privileged is not None and privileged.yes:
            yield hit(TASK_PRIVILEGED, resource.path, one.at_line("privileged"))
        if one.map and (fixed is None or fixed.no):
            yield hit(TASK_WRITABLE, resource.path, one.at_line("readonlyRootFilesystem"))


def _default_group(resource: Resource) -> Iterator[Hit]:
    for key in ("ingress", "egress"):
        node = resource.body.get(key)
        if node is not None and not node.empty:
            yield hit(DEFAULT_GROUP, resource.path, resource.body.at_line(key))


def _switch(resource: Resource) -> Iterator[Hit]:
    for path in ("publicly_accessible", "vpc_config.publicly_accessible"):
        if any(one.yes for one in resource.body.every(path)):
            yield hit(PUBLIC_SWITCH, resource.path, resource.body.at_line(path))


def _ports_of_lightsail(resource: Resource) -> Iterator[Hit]:
    for listed in resource.body.every("port_info"):
        for block in listed.items:
            first, last = block.get("from_port"), block.get("to_port")
            if is_world(block.get("cidrs")) and first is not None and last is not None:
                yield from opened((resource.path, block.line), first.number or 0, last.number or 0)


CHECKS: tuple[tuple[str, Check], ...] = (
    ("aws_*", _switch),
    ("aws_lightsail_instance_public_ports", _ports_of_lightsail),
    ("aws_eks_cluster", _cluster),
    (_LAUNCH, _machine),
    ("aws_api_gateway_method", _method),
    ("aws_lb_listener aws_alb_listener", _listener),
    ("aws_ecs_task_definition", _task),
    ("aws_default_security_group", _default_group),
)
