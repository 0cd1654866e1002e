"""Files that contain only secrets are recognised by name and content; encrypted ones and templates pass."""

import random

import pytest

from foureyes.reviewers.critics.critic import State
from foureyes.reviewers.critics.secrets import CRITIC
from foureyes.reviewers.critics.secrets.find import spans
from foureyes.reviewers.critics.secrets.keyfiles import is_sealed, whole_secret
from tests.critics.secrets.planted import drawn, one_of_each
from tests.critics.works import look, rules_of

CHANCE = random.Random(11)
LONG = drawn(CHANCE, 40)
SHORT = "kz" + "wqhvtx"
KEY = one_of_each(12)["private-key"]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        (".env", f"A=1\nDB={SHORT}\n"),
        ("app/.env.production", f"export DB={SHORT}\n"),
        ("deploy/prod.env", f"DB={SHORT}\n"),
        ("id_rsa", KEY),
        ("certs/server.key", KEY),
        ("server.pem", KEY),
        ("store.p12", "\0\1\2"),
        (".netrc", f"machine host login me password {SHORT}\n"),
        (".pgpass", f"host:5432:db:me:{SHORT}\n"),
        (".htpasswd", "me:$apr1$" + LONG[:30] + "\n"),
        ("kubeconfig", f"users:\n- user:\n    token: {LONG}\n"),
        ("home/.kube/config", f"users:\n- user:\n    token: {LONG}\n"),
        (".aws/credentials", f"aws_secret_access_key = {LONG}\n"),
        (".docker/config.json", '{"auths": {"host": {"auth": "' + LONG + '"}}}'),
        ("credentials.json", '{"client_secret": "' + LONG + '"}'),
        ("terraform.tfstate", '{"password": "' + SHORT + '"}'),
    ],
)
def test_a_file_of_secrets_is_known_and_blocks(path: str, content: str) -> None:
    """Row 002-05: no unencrypted secrets."""
    assert whole_secret(path, content.encode())
    assert look(CRITIC, path, content).state is State.BLOCK


@pytest.mark.parametrize(
    ("path", "content"),
    [
        (".env", ""),
        (".env", "# nothing\nA=\nB=\n"),
        (".env.example", "A=1\n"),
        ("config/.env.template", "A=1\n"),
        ("ca.pem", "-----BEGIN CERTIFICATE-----\nabc\n"),
        ("public.key", "-----BEGIN PUBLIC KEY-----\nabc\n"),
        ("credentials", "#!/bin/sh\necho hello\n"),
        (".env", "$ANSIBLE_VAULT;1.1;AES256\n3132\n"),
        ("prod.env", f"DB=ENC[AES256_GCM,data:{LONG},iv:x,tag:y,type:str]\n"),
        ("environment.py", "A=1\n"),
        ("monkey", f"token={LONG}\n"),
    ],
)
def test_an_empty_encrypted_or_public_one_and_a_template_are_fine(path: str, content: str) -> None:
    assert whole_secret(path, content.encode()) == ""


def test_sealed_files_are_known_by_their_first_bytes() -> None:
    assert is_sealed(b"$ANSIBLE_VAULT;1.1;AES256\n")
    assert is_sealed(b"\0GITCRYPT\0")
    assert not is_sealed(b"password: x # see $ANSIBLE_VAULT;1.1\n")


def secret(kind: str, block: str, *, value: str) -> str:
    return f"apiVersion: v1\nkind: {kind}\nmetadata:\n  name: db\n{block}:\n  user: {value}\n  other: |\n    text\n"


@pytest.mark.parametrize("block", ["data", "stringData"])
def test_a_kubernetes_secret_with_plain_data_blocks(block: str) -> None:
    """Row 002-05: no unencrypted secrets."""
    judged = look(CRITIC, "secret.yml", "---\n" + secret("Secret", block, value=SHORT))
    (hit,) = [one for one in judged.hits if one.rule.id == "security.secrets.kubernetes-secret"]
    assert (hit.line, hit.state) == (7, State.BLOCK)


def test_a_config_map_an_empty_and_an_encrypted_secret_are_fine() -> None:
    sealed = f"ENC[AES256_GCM,data:{LONG},type:str]"
    for text in (
        secret("ConfigMap", "data", value=SHORT),
        secret("Secret", "data", value='""'),
        secret("Secret", "data", value="${FROM_ELSEWHERE}"),
        secret("Secret", "data", value=sealed) + "sops:\n  version: 3\n",
        secret("SealedSecret", "data", value="AgB" + LONG),
    ):
        assert "security.secrets.kubernetes-secret" not in rules_of(look(CRITIC, "secret.yml", text))


def test_a_kubeconfig_is_known_by_its_content_alone() -> None:
    text = f"kind: Config\nclusters: []\nusers:\n- name: me\n  user:\n    client-key-data: {LONG}\n"
    assert LONG in [text[one.start : one.end] for one in spans(text, "cluster.yml")]


def test_a_putty_key_is_a_private_key() -> None:
    body = "\n".join(drawn(CHANCE, 64) for _ in range(3))
    text = f"PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 3\n{body}\nPrivate-MAC: 0\n"
    assert "security.secrets.private-key" in [one.rule for one in spans(text, "a.ppk")]
    assert "security.secrets.private-key" not in [one.rule for one in spans(text.replace(": none", ": aes256-cbc"))]


def test_what_detect_secrets_knows_is_found_too() -> None:
    text = f'cloudant_password = "{drawn(CHANCE, 64, "0123456789abcdef")}"\n'
    line = f'softlayer_api_key: "{drawn(CHANCE, 64, "0123456789abcdef")}"\n'
    password = f'x = "AP6{drawn(CHANCE, 30)}"\n'
    for one in (text, line, password):
        assert spans(one, "a.py"), one
    assert spans(password, "a.py")[0].rule == "security.secrets.other"
