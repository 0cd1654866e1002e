"""The critic judges the files it supports, reports what it could not read, and neither crashes nor hangs."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.app.reviewers import Change, File
from foureyes.reviewers.critics.critic import State
from foureyes.reviewers.critics.exposure import CRITIC
from foureyes.reviewers.critics.exposure.critic import BYTES_MAX, HITS_MAX
from tests.critics.exposure.looking import look, met, named

PATHS = (
    "main.tf", "main.tf.json", "Dockerfile", "docker-compose.yml", ".github/workflows/a.yml", ".gitlab-ci.yml",
        "sudoers",
    "a.service", "sshd_config", "nginx.conf", "httpd.conf", "Caddyfile", "haproxy.cfg", "redis.conf", "mongod.conf",
    "pg_hba.conf", "postgresql.conf", ".npmrc", "pip.conf", "a.yaml", "a.json", "a.template", "action.yml",
)  # fmt: skip
SEEDS = (
    "", "apiVersion: v1\nkind: Pod\n", "AWSTemplateFormatVersion: x\nResources:\n  A:\n    Type: AWS::S3::Bucket\n",
    '{"planned_values": ', '{"apiVersion": "v1", "kind": "List", "items": ', "services:\n  a:\n    image: x\n",
    "resource aws_security_group x ", "on: push\njobs:\n  a:\n    steps:\n", "FROM x\nRUN ",
)  # fmt: skip
DEEP = ("[" * 20_000, "{" * 20_000, "- " * 20_000, '{"a":' * 20_000, "a {\n" * 20_000, "a = [" * 20_000, '"${' * 20_000,
        "x: &a [*a, *a]\n" * 5_000, "\\\n" * 20_000, "${{ " * 20_000, "<<E\n" * 20_000, "((" * 20_000)  # fmt: skip


def test_it_is_a_critic_of_security() -> None:
    assert (CRITIC.name, CRITIC.scope) == ("exposure", "security")


def test_other_files_are_not_looked_at() -> None:
    for path, text in (("a.py", "privileged: true"), ("notes.yaml", "privileged: true\n"), ("x.json", "{}")):
        found = look(path, text)
        assert (found.hits, found.unread, found.looked_at) == ((), (), "")


def test_it_says_what_it_looked_at() -> None:
    files = [File(path=path, content=b"FROM scratch\n") for path in ("Dockerfile", "x/Dockerfile")]
    files.append(File(path="gone.tf", mode="000000", content=None))
    files.append(File(path="link.tf", mode="120000", content=b"/etc/passwd"))
    found = CRITIC.look(Change(title="", kind="code", files=tuple(files)))
    assert found.looked_at == "2 Dockerfile files"
    assert found.unread == ()


@pytest.mark.parametrize(
    ("path", "content", "why"),
    [
        ("main.tf", b'resource "x" {', "is not valid HCL"),
        ("main.tf", b"\x89PNG\0\0\n\xff", "is not text in UTF-8"),
        ("a.yaml", b"apiVersion: v1\nkind: Pod\nspec: [", "is not valid YAML"),
        ("templates/a.yaml", b"apiVersion: v1\nkind: Pod\nspec:\n{{- if .x }}\n  a: b\n{{- end }}\n", "is a template"),
        ("a.json", b'{"apiVersion": "v1", "kind": ', "is not one JSON value"),
        ("Dockerfile", b"#" * (BYTES_MAX + 1), "is larger than 2 MiB"),
    ],
)
def test_what_cannot_be_read_is_said_and_neither_blocks_nor_passes_silently(
    path: str, content: bytes, why: str
) -> None:
    found = look(path, content)
    assert found.hits == ()
    assert [(one.path, why in one.why) for one in found.unread] == [(path, True)]


def test_a_file_with_very_many_hits_is_cut_and_that_is_said() -> None:
    found = look("Dockerfile", "FROM x:1\n" + "ADD a b\n" * (HITS_MAX + 5))
    assert len(found.hits) == HITS_MAX
    assert "more" in found.unread[0].why


def test_a_plan_is_read_with_its_modules() -> None:
    """002-05: what `terraform show -json` prints is judged like the files it came from."""
    text = """{"planned_values": {"root_module": {"child_modules": [{"resources": [
      {"type": "aws_db_instance", "name": "one", "values": {
        "publicly_accessible": true}}]}]}}}"""
    assert (3, "aws.rds-publicly-accessible") in named(look("plan.json", text).hits)


def test_terraform_in_json_is_read() -> None:
    text = '{"resource": {"aws_db_instance": {"one": {\n"publicly_accessible": true}}}}'
    assert (2, "aws.rds-publicly-accessible") in named(look("main.tf.json", text).hits)


def test_cloudformation_is_judged_by_the_same_book() -> None:
    """002-05: YAML with its own tags, and JSON."""
    text = """AWSTemplateFormatVersion: 2010-09-09
Resources:
  Group:
    Type: AWS::EC2::SecurityGroup
    Properties:
      GroupDescription: x
      SecurityGroupIngress:
        - {IpProtocol: tcp, FromPort: 22, ToPort: 22, Description: x,
           CidrIp: 0.0.0.0/0}
  Base:
    Type: AWS::RDS::DBInstance
    Properties:
      PubliclyAccessible: true
      StorageEncrypted: !Ref Encrypted
  Files:
    Type: AWS::S3::Bucket
    Properties:
      AccessControl: PublicReadWrite
      PublicAccessBlockConfiguration:
        BlockPublicAcls: false
  Role:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Statement:
          - {Effect: Allow, Principal: "*", Action: "sts:AssumeRole"}
      Policies:
        - PolicyName: x
          PolicyDocument:
            Statement: [{Effect: Allow, Action: "*", Resource: "*"}]
"""
    hits = named(look("stack.yaml", text).hits)
    assert {
        (9, "network.open-ssh"), (13, "aws.rds-publicly-accessible"), (18, "aws.s3-public-write"),
        (20, "aws.s3-block-public-acls"), (26, "aws.iam-assume-role-any"), (30, "aws.iam-admin"),
    } <= hits  # fmt: skip
    assert met("stack.yaml", text.replace("true", "!Ref Open").replace("0.0.0.0/0", "10.0.0.0/8")).isdisjoint(
        {"network.open-ssh", "aws.rds-publicly-accessible"}
    )


def test_every_kind_of_workload_is_found() -> None:
    """002-05: pods hide in templates, cron jobs, lists and OpenShift's own kinds."""
    spec = "{containers: [{name: a, securityContext: {privileged: true}}]}"
    template = f"{{template: {{spec: {spec}}}}}"
    cron = f"{{jobTemplate: {{spec: {template}}}}}"
    for kind in [
        "Deployment",
        "DaemonSet",
        "StatefulSet",
        "ReplicaSet",
        "ReplicationController",
        "Job",
        "DeploymentConfig",
    ]:
        assert "k8s.privileged" in met("a.yaml", f"apiVersion: v1\nkind: {kind}\nspec: {template}\n"), kind
    assert "k8s.privileged" in met("a.yaml", f"apiVersion: v1\nkind: CronJob\nspec: {cron}\n")
    pod = f"{{apiVersion: v1, kind: Pod, spec: {spec}}}"
    assert "k8s.privileged" in met("a.yaml", f"apiVersion: v1\nkind: List\nitems: [{pod}]\n")
    assert "k8s.privileged" in met("a.yaml", f"apiVersion: v1\nkind: ConfigMap\n---\n{pod}\n")


def test_an_earlier_denial_closes_what_a_later_rule_opens() -> None:
    world = 'cidr_block = "0.0.0.0/0"'
    deny = f'ingress {{\n rule_no = 1\n action = "deny"\n protocol = "-1"\n {world}\n}}\n'
    ports = "from_port = 22\n to_port = 22"
    allow = f'ingress {{\n rule_no = 2\n action = "allow"\n protocol = "tcp"\n {ports}\n {world}\n}}\n'
    assert "network.open-ssh" in met("a.tf", f'resource "aws_network_acl" "a" {{\n{allow}}}\n')
    assert "network.open-ssh" not in met("a.tf", f'resource "aws_network_acl" "a" {{\n{allow}{deny}}}\n')
    part = deny.replace('"-1"', '"tcp"').replace("rule_no", f"{ports}\n rule_no")
    everything = allow.replace('"tcp"', '"-1"')
    rest = met("a.tf", f'resource "aws_network_acl" "a" {{\n{everything}{part}}}\n')
    assert "network.open-rdp" in rest
    assert rest.isdisjoint({"network.open-ssh", "network.open-all"})


def test_what_a_change_takes_away_is_found_at_the_change() -> None:
    """002-05: a protection that is removed leaves no line of its own, and is missed all the same."""
    head = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: b}\nspec:\n  containers:\n    - name: a\n"
    head += "      image: a:1\n      securityContext:\n"
    kept = "        allowPrivilegeEscalation: false\n"
    before = head + "        runAsNonRoot: true\n" + kept
    file = File(path="a.yaml", content=(head + kept).encode(), before=before.encode(), changed=((9, 9),))
    hits = CRITIC.look(Change(title="", kind="code", files=(file,))).hits
    reached = {one.rule.id.rpartition(".")[2] for one in hits if file.is_changed(one.line, one.end)}
    assert "run-as-root" in reached
    assert "cpu-limit" not in reached


@given(st.sampled_from(PATHS), st.sampled_from(SEEDS), st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_no_file_breaks_the_critic(path: str, seed: str, rest: bytes) -> None:
    found = look(path, seed.encode() + rest)
    for one in found.hits:
        assert 1 <= one.line <= (seed.encode() + rest).count(b"\n") + 1
        assert one.state in (State.CLEAR, State.BLOCK)


@given(st.sampled_from(PATHS), st.data())
def test_no_shape_breaks_the_critic(path: str, data: st.DataObject) -> None:
    """What is a list where a mapping belongs, or a number where a text does, is passed over."""
    words = st.sampled_from(
        [
            "apiVersion",
            "kind",
            "spec",
            "containers",
            "securityContext",
            "env",
            "rules",
            "subjects",
            "metadata",
            "annotations",
            "items",
            "jobs",
            "steps",
            "on",
            "run",
            "services",
            "ports",
            "volumes",
            "Resources",
            "Type",
            "Properties",
            "resource",
            "template",
            "command",
        ]
    )
    leaf = (
        st.none()
        | st.booleans()
        | st.integers(-9, 99999)
        | st.sampled_from(["Pod", "List", "AWS::S3::Bucket", "*", "x"])
    )
    shape = st.recursive(leaf, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=5))
    value = data.draw(st.dictionaries(words, shape, max_size=6))
    import json  # noqa: PLC0415 - only this test writes JSON

    text = json.dumps({"apiVersion": "v1", "kind": "Pod", **value} if data.draw(st.booleans()) else value)
    look(path, text)


@pytest.mark.parametrize("path", PATHS)
def test_nothing_takes_long(path: str) -> None:
    """Nested, unclosed and repeated without end: half a second each on a busy machine, and no crash."""
    for deep in DEEP:
        for seed in ("", "apiVersion: v1\nkind: Pod\n"):
            start = time.process_time()
            look(path, seed + deep)
            assert time.process_time() - start < 2, (deep[:8], path)


def test_a_very_long_line_is_refused_or_read_in_time() -> None:
    start = time.process_time()
    for path in PATHS:
        look(path, "a" * (10 * 1024 * 1024))
        look(path, "apiVersion: v1\nkind: " + "[" * (BYTES_MAX - 100))
    assert time.process_time() - start < 2 * len(PATHS)
