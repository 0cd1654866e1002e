"""Judge AWS policies: who may do what, and who may assume which role."""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.reviewers.critics.critic import Hit, Rule
from foureyes.reviewers.critics.exposure.cloud import Check, Resource
from foureyes.reviewers.critics.exposure.jsons import read_json
from foureyes.reviewers.critics.exposure.rules import ANYONE, GAIN, hit, rule
from foureyes.reviewers.critics.exposure.tree import Node, UnreadableError

ADMIN = rule(
    "aws.iam-admin", "A policy allows everything on everything", GAIN, "Name actions and resources.", "important"
)
STAR_ACTION = rule("aws.iam-star-action", "A policy allows every action", GAIN, "Name the actions.", "important")
STAR_RESOURCE = rule("aws.iam-star-resource", "A policy holds for every resource", GAIN, "Name the resources.")
PASS_ROLE = rule(
    "aws.iam-escalation",
    "A policy lets its holder hand itself more rights",
    GAIN,
    "Limit these actions to named roles.",
)
ASSUME_ANY = rule(
    "aws.iam-assume-role-any", "Anybody may take on a role", ANYONE, "Name who may, with a condition.", "critical"
)
ASSUME_ACCOUNT = rule(
    "aws.iam-assume-role-account", "A whole account may take on a role", GAIN, "Name the roles that may."
)
PRINCIPAL = rule(
    "aws.policy-any-principal", "A policy lets anybody in", ANYONE, "Name who may, or add a condition.", "important"
)
USER_POLICY = rule("aws.iam-policy-on-user", "A policy is put on a user", GAIN, "Put it on a group or role.")
NO_PRINCIPAL = rule("aws.policy-not-principal", "A policy lets in all but some", GAIN, "Name who may instead.")
GITHUB = rule(
    "aws.github-oidc-trust",
    "Any repository on GitHub may take on a role",
    ANYONE,
    "Add a condition on token.actions.githubusercontent.com:sub with your repository.",
    "critical",
)
RULES: tuple[Rule, ...] = (
    ADMIN, STAR_ACTION, STAR_RESOURCE, PASS_ROLE, ASSUME_ANY, ASSUME_ACCOUNT, PRINCIPAL, USER_POLICY, NO_PRINCIPAL,
        GITHUB,
)  # fmt: skip

_ESCALATE = frozenset(
    [
        "iam:passrole",
        "iam:createpolicyversion",
        "iam:setdefaultpolicyversion",
        "iam:createaccesskey",
        "iam:createloginprofile",
        "iam:updateloginprofile",
        "iam:attachuserpolicy",
        "iam:attachgrouppolicy",
        "iam:attachrolepolicy",
        "iam:putuserpolicy",
        "iam:putgrouppolicy",
        "iam:putrolepolicy",
        "iam:addusertogroup",
        "iam:updateassumerolepolicy",
        "iam:*",
        "lambda:updatefunctioncode",
        "sts:assumerole",
    ]
)
_GUARDS = ("aws:principalorgid", "aws:sourceaccount", "aws:sourcearn", "aws:sourcevpce", "aws:sourcevpc",
    "aws:sourceip",
           "aws:principalarn", "aws:principalaccount", "aws:sourceowner", "kms:calleraccount", "kms:viaservice",
           "s3:dataaccesspointaccount")  # fmt: skip
_TEXT_MAX = 200_000


def document_of(node: Node | None) -> Node | None:
    """Return the policy document in a text, heredoc or object; None if only the platform can resolve it."""
    if node is None or isinstance(node.value, (dict, list)):
        return node
    text = node.text
    if len(text) > _TEXT_MAX or text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        # The text of a heredoc begins on the line after its mark.
        return read_json(text, node.line + ("\n" in text))
    except UnreadableError:
        return None


def _words(node: Node | None) -> list[str]:
    return [one.text.lower() for one in node.items] if node is not None else []


def _pick(statement: Node, *keys: str) -> Node | None:
    return next((found for key in keys if (found := statement.get(key)) is not None), None)


def _statements(document: Node | None) -> Iterator[Node]:
    found = _pick(document, "Statement", "statement") if document is not None else None
    for one in found.items if found is not None else []:
        effect = _pick(one, "Effect", "effect")
        if effect is None or effect.text.lower() == "allow":
            yield one


def _rights(resource: Resource) -> Iterator[Hit]:
    """Judge a policy that says what its holder may do."""
    own = resource.body if resource.kind.startswith("data.") else None
    document = own or document_of(_pick(resource.body, "policy", "inline_policy", "policy_document"))
    for one in _statements(document):
        actions = _words(_pick(one, "Action", "actions", "action"))
        resources = _words(_pick(one, "Resource", "resources", "resource"))
        line = one.line
        everything = "*" in actions or "*:*" in actions
        anywhere = "*" in resources
        guarded = _pick(one, "Condition", "condition") is not None
        if everything and anywhere:
            yield hit(ADMIN, resource.path, line)
        elif everything:
            yield hit(STAR_ACTION, resource.path, line)
        elif anywhere and not guarded and not all(_reads(each) for each in actions):
            yield hit(STAR_RESOURCE, resource.path, line)
        if anywhere and not guarded and _ESCALATE & set(actions):
            yield hit(PASS_ROLE, resource.path, line)
        if own is not None and _github(one) and not _names_repository(one):
            yield hit(GITHUB, resource.path, line)
    yield from _principals(resource, document)


def _reads(action: str) -> bool:
    verb = action.partition(":")[2]
    return verb.startswith(("describe", "list", "get", "put")) and action.split(":", maxsplit=1)[0] in (
        "ec2", "logs", "cloudwatch", "elasticloadbalancing", "autoscaling", "xray", "sts", "ecr",
    )  # fmt: skip


def _anybody(node: Node | None) -> bool:
    """True if the principal is everybody: `*`, `{AWS: *}` or a block with `*` among its identifiers."""
    if node is None:
        return False
    for one in node.items:
        if one.text == "*":
            return True
        kind = one.get("type")
        if kind is not None and kind.text not in ("AWS", "*"):
            continue
        values = [one.get(key) for key in ("AWS", "*", "identifiers")]
        if any(
            each.text in ("*", "arn:aws:iam::*:root") for value in values if value is not None for each in value.items
        ):
            return True
    return False


def _guarded(statement: Node) -> bool:
    condition = _pick(statement, "Condition", "condition")
    if condition is None:
        return False
    keys = [key.lower() for one in condition.items for inner in one.map.values() for key in inner.map]
    keys += [node.text.lower() for one in condition.items if (node := one.get("variable")) is not None]
    return any(key.startswith(_GUARDS) for key in keys)


def _principals(resource: Resource, document: Node | None) -> Iterator[Hit]:
    for one in _statements(document):
        if _anybody(_pick(one, "Principal", "principals", "principal")) and not _guarded(one):
            yield hit(PRINCIPAL, resource.path, one.line)
        if _pick(one, "NotPrincipal", "not_principals") is not None:
            yield hit(NO_PRINCIPAL, resource.path, one.line)


def _open_to(resource: Resource) -> Iterator[Hit]:
    """Judge a policy on a resource that says who may use it."""
    for key in ("policy", "access_policies", "access_policy", "resource_policy"):
        yield from _principals(resource, document_of(resource.body.get(key)))
    who = resource.body.get("principal")
    arn = resource.body.get("source_arn") or resource.body.get("source_account") or resource.body.get("condition")
    if who is not None and who.text == "*" and arn is None:
        yield hit(PRINCIPAL, resource.path, resource.body.at_line("principal"))


def _role(resource: Resource) -> Iterator[Hit]:
    document = document_of(resource.body.get("assume_role_policy"))
    for one in _statements(document):
        who = _pick(one, "Principal", "principals")
        if _anybody(who) and not _guarded(one):
            yield hit(ASSUME_ANY, resource.path, one.line)
        accounts = [
            each for key in ("AWS",) for value in (who.every(key) if who is not None else ()) for each in value.items
        ]
        if any(each.text.endswith(":root") for each in accounts):
            yield hit(ASSUME_ACCOUNT, resource.path, one.line)
        if _github(one) and not _names_repository(one):
            yield hit(GITHUB, resource.path, one.line)


def _github(statement: Node) -> bool:
    who = _pick(statement, "Principal", "principals")
    return who is not None and any("token.actions.githubusercontent.com" in one.text for one in who.scalars())


def _names_repository(statement: Node) -> bool:
    condition = _pick(statement, "Condition", "condition")
    if condition is None:
        return False
    for one in condition.items:
        for inner in one.map.values():
            for key, value in inner.map.items():
                if key.lower().endswith(":sub"):
                    return all(_repository(each.text) for each in value.items)
        variable, values = one.get("variable"), one.get("values")
        if variable is not None and variable.text.lower().endswith(":sub") and values is not None:
            return all(_repository(each.text) for each in values.items)
    return False


def _repository(text: str) -> bool:
    return not text.startswith("*") and text not in ("repo:*", "repo:*/*", "")


def _attached(resource: Resource) -> Iterator[Hit]:
    """Judge the attachment of an AWS-managed policy that allows everything."""
    for key in ("policy_arn", "managed_policy_arns"):
        node = resource.body.get(key)
        for one in node.items if node is not None else []:
            if one.text.endswith((":policy/AdministratorAccess", ":policy/IAMFullAccess")):
                yield hit(ADMIN, resource.path, resource.body.at_line(key), evidence=one.text)


def _on_user(resource: Resource) -> Iterator[Hit]:
    yield hit(USER_POLICY, resource.path, resource.line)


_HELD = (
    "aws_iam_policy aws_iam_role_policy aws_iam_user_policy aws_iam_group_policy "
    "aws_ssoadmin_permission_set_inline_policy data.aws_iam_policy_document"
)
_ON_RESOURCE = (
    "aws_s3_bucket aws_s3_bucket_policy aws_sqs_queue aws_sqs_queue_policy aws_sns_topic aws_sns_topic_policy "
    "aws_kms_key aws_ecr_repository_policy aws_ecrpublic_repository_policy aws_secretsmanager_secret_policy "
    "aws_secretsmanager_secret "
    "aws_glacier_vault aws_lambda_permission aws_elasticsearch_domain aws_opensearch_domain "
    "aws_elasticsearch_domain_policy aws_opensearch_domain_policy aws_efs_file_system_policy aws_backup_vault_policy "
    "aws_cloudwatch_event_bus_policy aws_api_gateway_rest_api aws_api_gateway_rest_api_policy aws_glue_resource_policy "
    "aws_codeartifact_domain_permissions_policy aws_codeartifact_repository_permissions_policy aws_kms_key_policy "
    "aws_s3_access_point aws_s3control_access_point_policy aws_media_store_container_policy "
    "aws_cloudwatch_log_resource_policy aws_acmpca_policy aws_kinesis_resource_policy aws_dynamodb_resource_policy "
    "aws_msk_cluster_policy aws_cloudwatch_event_permission"
)
_ATTACHMENTS = (
    "aws_iam_user_policy_attachment aws_iam_group_policy_attachment aws_iam_role_policy_attachment "
    "aws_iam_policy_attachment aws_iam_role aws_ssoadmin_managed_policy_attachment"
)
CHECKS: tuple[tuple[str, Check], ...] = (
    (_HELD, _rights),
    (_ON_RESOURCE, _open_to),
    ("aws_iam_role", _role),
    ("aws_iam_user_policy aws_iam_user_policy_attachment", _on_user),
    (_ATTACHMENTS, _attached),
)
