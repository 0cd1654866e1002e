"""Judge CloudFormation templates by translating their resources to Terraform's names; both share one set of rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from foureyes.reviewers.critics.critic import Hit
from foureyes.reviewers.critics.exposure.cloud import Resource
from foureyes.reviewers.critics.exposure.terraform import book
from foureyes.reviewers.critics.exposure.tree import DEPTH_MAX, Node, UnreadableError

#: Types whose Terraform name does not follow from `AWS::Service::Thing`.
_KINDS = {
    "AWS::EC2::SecurityGroupIngress": "aws_vpc_security_group_ingress_rule",
    "AWS::EC2::SecurityGroupEgress": "aws_vpc_security_group_egress_rule",
    "AWS::EC2::NetworkAclEntry": "aws_network_acl_rule",
    "AWS::EC2::Volume": "aws_ebs_volume",
    "AWS::RDS::DBInstance": "aws_db_instance",
    "AWS::RDS::DBCluster": "aws_rds_cluster",
    "AWS::IAM::ManagedPolicy": "aws_iam_policy",
    "AWS::IAM::Policy": "aws_iam_policy",
    "AWS::SQS::QueuePolicy": "aws_sqs_queue_policy",
    "AWS::SNS::TopicPolicy": "aws_sns_topic_policy",
    "AWS::Lambda::Url": "aws_lambda_function_url",
    "AWS::Serverless::Function": "aws_lambda_function",
    "AWS::ApiGateway::Method": "aws_api_gateway_method",
    "AWS::ApiGateway::RestApi": "aws_api_gateway_rest_api",
    "AWS::ApiGateway::Stage": "aws_api_gateway_stage",
    "AWS::ApiGatewayV2::Route": "aws_apigatewayv2_route",
    "AWS::ElasticLoadBalancingV2::LoadBalancer": "aws_lb",
    "AWS::ElasticLoadBalancingV2::Listener": "aws_lb_listener",
    "AWS::ElasticLoadBalancing::LoadBalancer": "aws_elb",
    "AWS::Elasticsearch::Domain": "aws_elasticsearch_domain",
    "AWS::OpenSearchService::Domain": "aws_opensearch_domain",
    "AWS::DocDB::DBCluster": "aws_docdb_cluster",
    "AWS::Neptune::DBCluster": "aws_neptune_cluster",
    "AWS::Neptune::DBInstance": "aws_neptune_cluster_instance",
    "AWS::AmazonMQ::Broker": "aws_mq_broker",
    "AWS::Logs::LogGroup": "aws_cloudwatch_log_group",
    "AWS::CloudTrail::Trail": "aws_cloudtrail",
    "AWS::EFS::FileSystem": "aws_efs_file_system",
    "AWS::SecretsManager::Secret": "aws_secretsmanager_secret",
    "AWS::ElastiCache::ReplicationGroup": "aws_elasticache_replication_group",
    "AWS::AutoScaling::LaunchConfiguration": "aws_launch_configuration",
    "AWS::Cognito::IdentityPool": "aws_cognito_identity_pool",
    "AWS::SageMaker::NotebookInstance": "aws_sagemaker_notebook_instance",
    "AWS::CodeBuild::Project": "aws_codebuild_project",
    "AWS::WorkSpaces::Workspace": "aws_workspaces_workspace",
    "AWS::Kinesis::Stream": "aws_kinesis_stream",
    "AWS::KMS::Key": "aws_kms_key",
    "AWS::ECS::Service": "aws_ecs_service",
    "AWS::EKS::Cluster": "aws_eks_cluster",
    "AWS::DMS::ReplicationInstance": "aws_dms_replication_instance",
    "AWS::CloudFront::Distribution": "aws_cloudfront_distribution",
}
#: Properties with another name in Terraform, by their name in snake case.
_PROPERTIES: dict[str, dict[str, str]] = {
    "aws_security_group": {
        "security_group_ingress": "ingress",
        "security_group_egress": "egress",
        "group_description": "description",
    },
    "aws_sqs_queue_policy": {"policy_document": "policy"},
    "aws_sns_topic_policy": {"policy_document": "policy"},
    "aws_s3_bucket_policy": {"policy_document": "policy"},
    "aws_iam_policy": {"policy_document": "policy"},
    "aws_kms_key": {"key_policy": "policy"},
    "aws_iam_role": {"assume_role_policy_document": "assume_role_policy"},
    "aws_lambda_function_url": {"auth_type": "authorization_type"},
    "aws_api_gateway_method": {"authorization_type": "authorization"},
    "aws_eks_cluster": {"resources_vpc_config": "vpc_config"},
    "aws_neptune_cluster": {"iam_auth_enabled": "iam_database_authentication_enabled"},
    "aws_rds_cluster": {"enable_iam_database_authentication": "iam_database_authentication_enabled"},
    "aws_db_instance": {
        "enable_iam_database_authentication": "iam_database_authentication_enabled",
        "multi_a_z": "multi_az",
    },
    "aws_cognito_identity_pool": {},
}
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ALIASES = {"cidr_ip": "cidr_ipv4", "cidr_ipv6": "cidr_ipv6"}


def judge_cloudformation(path: str, documents: list[Node]) -> Iterator[Hit]:
    """Yield the hits of every resource."""
    for document in documents:
        resources = document.get("Resources")
        for name, one in resources.map.items() if resources is not None else []:
            kind, properties = one.get("Type"), one.get("Properties")
            if kind is None or not kind.text.startswith("AWS::"):
                continue
            line = resources.keys.get(name, one.line) if resources is not None else one.line
            known = kind_of(kind.text)
            body = _body(known, properties, line)
            # Not every property has a counterpart in Terraform, so missing ones are not reported for a template.
            yield from book().judge(Resource(path=path, kind=known, name=name, body=body), silence=False)
            yield from _parts(path, name, known, body)


def kind_of(kind: str) -> str:
    """Return the Terraform kind of a CloudFormation type."""
    if kind in _KINDS:
        return _KINDS[kind]
    _, service, *rest = kind.split("::")
    thing = _snake("".join(rest))
    return f"aws_{thing}" if service == "EC2" else f"aws_{service.lower()}_{thing}"


def _snake(word: str) -> str:
    return _WORD.sub("_", word).lower()


def _body(kind: str, properties: Node | None, line: int) -> Node:
    if properties is None:
        return Node(line=line, value={})
    said = _renamed(properties, _snake, 1)
    words = _PROPERTIES.get(kind, {})
    value = {words.get(key, key): node for key, node in said.map.items()}
    keys = {words.get(key, key): number for key, number in said.keys.items()}
    if kind in ("aws_instance", "aws_launch_template"):
        inner = value.get("launch_template_data")
        value.update(inner.map if inner is not None else {})
    if kind == "aws_s3_bucket" and (acl := value.get("access_control")) is not None:
        value["acl"] = Node(line=acl.line, value=_snake(acl.text).replace("_", "-"), opaque=acl.opaque)
        keys["acl"] = keys.get("access_control", acl.line)
    return Node(line=line, value=value, keys=keys)


def _renamed(node: Node, rename: Callable[[str], str], depth: int) -> Node:
    """Return a copy with renamed keys; policy documents keep theirs, and functions of CloudFormation stay opaque."""
    if depth > DEPTH_MAX:
        raise UnreadableError(f"is nested more than {DEPTH_MAX} deep")
    if isinstance(node.value, list):
        return Node(line=node.line, value=[_renamed(one, rename, depth + 1) for one in node.value])
    if not isinstance(node.value, dict):
        return node
    if len(node.value) == 1 and next(iter(node.value)).startswith(("Fn::", "Ref")):
        return Node(line=node.line, value="${" + next(iter(node.value)) + "}", opaque=True)
    value, keys = {}, {}
    for key, inner in node.value.items():
        name = _ALIASES.get(_snake(key), _snake(key))
        value[name] = inner if name.endswith(("policy_document", "key_policy")) else _renamed(inner, rename, depth + 1)
        keys[name] = node.keys.get(key, inner.line)
    return Node(line=node.line, value=value, keys=keys)


def _parts(path: str, name: str, kind: str, body: Node) -> Iterator[Hit]:
    """Judge parts that are separate resources in Terraform: a bucket's public access block, a role's policies."""
    block = body.get("public_access_block_configuration")
    if kind == "aws_s3_bucket" and block is not None:
        yield from book().judge(Resource(path=path, kind="aws_s3_bucket_public_access_block", name=name, body=block))
    policies = body.get("policies")
    for one in policies.items if policies is not None and kind.startswith("aws_iam_") else []:
        document = one.get("policy_document")
        if document is not None:
            inner = Node(line=one.line, value={"policy": document})
            yield from book().judge(Resource(path=path, kind="aws_iam_role_policy", name=name, body=inner))
