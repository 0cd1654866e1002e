"""A private key that others can read is not used, and signatures of other keys are refused."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from foureyes.app.envelopes import BadEnvelope, check_signature, read_json, sealed, signer_of, unsealed
from foureyes.app.keys import KeyTrouble, PublicKey, check_keys, forget, new_key, public_key, signer_in

KIND = "application/vnd.foureyes.test"


def private_file(folder: Path) -> Path:
    (found,) = folder.glob("*.key")
    return found


def test_a_new_key_is_for_its_owner_and_its_public_half_for_everybody(tmp_path: Path) -> None:
    signer = new_key(tmp_path / "keys")
    assert (tmp_path / "keys").stat().st_mode & 0o777 == 0o700
    assert private_file(tmp_path / "keys").stat().st_mode & 0o777 == 0o600
    assert private_file(tmp_path / "keys").read_bytes().startswith(b"-----BEGIN PRIVATE KEY-----")
    public = public_key(tmp_path / "keys" / f"{signer.public.id}.pub")
    assert public == signer.public == signer_in(tmp_path / "keys").public
    assert signer_in(tmp_path / "keys", public.id).public == public
    assert public.signed(signer.sign(b"text"), b"text")
    assert not public.signed(signer.sign(b"text"), b"other")
    assert PublicKey.of(public.text) == public
    assert "sign" not in repr(signer).partition("public")[0].removeprefix("Signer")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o602])
def test_a_key_that_others_may_read_or_write_is_refused(tmp_path: Path, mode: int) -> None:
    """At the start, and whenever something is to be signed."""
    new_key(tmp_path / "keys")
    check_keys(tmp_path / "keys")
    private_file(tmp_path / "keys").chmod(mode)
    for act in (check_keys, signer_in):
        with pytest.raises(KeyTrouble, match="open to others") as caught:
            act(tmp_path / "keys")
        assert "chmod 600" in caught.value.next_step


def test_a_folder_that_others_may_enter_is_refused(tmp_path: Path) -> None:
    new_key(tmp_path / "keys")
    (tmp_path / "keys").chmod(0o755)
    for act in (check_keys, signer_in, new_key):
        with pytest.raises(KeyTrouble, match="open to others"):
            act(tmp_path / "keys")


def test_a_link_in_place_of_a_key_is_refused(tmp_path: Path) -> None:
    new_key(tmp_path / "keys")
    file = private_file(tmp_path / "keys")
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(KeyTrouble, match="is a link"):
        signer_in(tmp_path / "keys")
    with pytest.raises(KeyTrouble, match="is a link"):
        check_keys(tmp_path / "keys")


def test_what_is_no_file_is_refused_and_nobody_waits_for_it(tmp_path: Path) -> None:
    new_key(tmp_path / "keys")
    file = private_file(tmp_path / "keys")
    file.unlink()
    os.mkfifo(file, 0o600)
    with pytest.raises(KeyTrouble, match="is not a file"):
        signer_in(tmp_path / "keys")


@pytest.mark.parametrize("text", [b"", b"nonsense", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
def test_a_file_that_holds_no_key_is_refused(tmp_path: Path, text: bytes) -> None:
    signer = new_key(tmp_path / "keys")
    private_file(tmp_path / "keys").write_bytes(text)
    with pytest.raises(KeyTrouble, match="no Ed25519 private key"):
        signer_in(tmp_path / "keys")
    public = tmp_path / "keys" / f"{signer.public.id}.pub"
    public.write_bytes(text)
    with pytest.raises(KeyTrouble, match="no public key"):
        public_key(public)


def test_a_key_of_another_sort_is_refused(tmp_path: Path) -> None:
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - one test's need
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 - likewise

    new_key(tmp_path / "keys")
    other = ec.generate_private_key(ec.SECP256R1())
    private_file(tmp_path / "keys").write_bytes(
        other.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    with pytest.raises(KeyTrouble, match="no Ed25519 private key"):
        signer_in(tmp_path / "keys")
    shown = other.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "other.pub").write_bytes(shown)
    with pytest.raises(KeyTrouble, match="not an Ed25519 key"):
        public_key(tmp_path / "other.pub")


def test_without_a_key_or_with_several_somebody_must_say_which(tmp_path: Path) -> None:
    with pytest.raises(KeyTrouble, match="no folder"):
        signer_in(tmp_path / "keys")
    first, second = new_key(tmp_path / "keys"), new_key(tmp_path / "keys")
    with pytest.raises(KeyTrouble, match="2 signing keys"):
        signer_in(tmp_path / "keys")
    assert signer_in(tmp_path / "keys", second.public.id).public == second.public
    forget(tmp_path / "keys", first.public.id)
    assert signer_in(tmp_path / "keys").public == second.public
    assert public_key(tmp_path / "keys" / f"{first.public.id}.pub") == first.public
    forget(tmp_path / "keys", second.public.id)
    with pytest.raises(KeyTrouble, match="no signing key"):
        signer_in(tmp_path / "keys")
    with pytest.raises(KeyTrouble, match="is not there"):
        signer_in(tmp_path / "keys", "gone")
    with pytest.raises(KeyTrouble, match="cannot be read"):
        public_key(tmp_path / "gone.pub")


@pytest.mark.parametrize("text", ["", "AAAA", "no key", "é"])
def test_a_word_that_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(KeyTrouble, match="no public key"):
        PublicKey.of(text)


def test_an_envelope_holds_for_its_kind_its_bytes_and_its_signers_only(tmp_path: Path) -> None:
    one, other = new_key(tmp_path / "one"), new_key(tmp_path / "other")
    envelope = sealed(KIND, b"payload", one)
    assert unsealed(KIND, envelope) == b"payload"
    check_signature(envelope, one.public)
    assert signer_of(envelope, [other.public, one.public]) == one.public
    with pytest.raises(BadEnvelope, match="none of the known keys"):
        signer_of(envelope, [other.public])
    with pytest.raises(BadEnvelope, match="has not signed"):
        check_signature(envelope, other.public)
    for changed in ({"payloadType": KIND + "2"}, {"payload": "b3RoZXI="}):
        with pytest.raises(BadEnvelope, match="has not signed"):
            check_signature({**envelope, **changed}, one.public)
    with pytest.raises(BadEnvelope, match="it holds"):
        unsealed(KIND + "2", envelope)
    # A signature of the other key under the first key's id is invalid.
    lent = [{"keyid": one.public.id, "sig": sealed(KIND, b"payload", other)["signatures"][0]["sig"]}]
    with pytest.raises(BadEnvelope, match="has not signed"):
        check_signature({**envelope, "signatures": lent}, one.public)
    wrongs: tuple[Any, ...] = ([], "x", [{}], [{"keyid": one.public.id, "sig": 1}], envelope["signatures"] * 5)
    for wrong in wrongs:
        with pytest.raises(BadEnvelope):
            check_signature({**envelope, "signatures": wrong}, one.public)


@pytest.mark.parametrize(
    "wrong", [None, 1, [], {}, {"payload": ""}, {"payloadType": KIND, "payload": "!", "signatures": []}]
)
def test_what_is_no_envelope_is_refused(wrong: object) -> None:
    with pytest.raises(BadEnvelope):
        unsealed(KIND, wrong)


@pytest.mark.parametrize("text", ['{"a":1,"a":2}', "{", "[" * 100_000, b"\xff", '{"a":{"b":1,"b":1}}'])
def test_json_that_could_be_read_in_two_ways_is_not_read(text: str | bytes) -> None:
    with pytest.raises(BadEnvelope):
        read_json(text)


def test_what_is_signed_is_what_the_standard_says() -> None:
    """DSSE: kind and payload, each behind its length."""
    from foureyes.app.envelopes import _message  # noqa: PLC0415 - the bytes others sign too

    assert _message("http://example.com/HelloWorld", b"hello world") == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )


def test_keys_and_books_cost_nothing_until_somebody_signs() -> None:
    code = "import sys, foureyes.app.checkpoints, foureyes.app.receipts; print('cryptography' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
