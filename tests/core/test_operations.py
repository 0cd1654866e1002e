"""Operations on the store itself are done by a human, with a reason, and are recorded."""

from dataclasses import replace

import pytest

from foureyes.core.events import BlobPurged, KeyRotated, StoreRestored
from foureyes.core.operations import OperationCommand, PurgeBlob, RestoreStore, RotateKey, decide_operation
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import CLOCK
from tests.cast import DEV, HUGO, LINTER, REACTOR, START

DIGEST = "a1" * 32
PURGE = PurgeBlob(digest=DIGEST, reason="It holds a password.")
ROTATE = RotateKey(old="k1", new="k2", reason="Yearly.")
RESTORE = RestoreStore(checkpoint=7, taken=START, reason="The disk died.")


def refused(command: OperationCommand, who: object = HUGO) -> Code:
    with pytest.raises(Refusal) as caught:
        decide_operation(command, who)  # type: ignore[arg-type]
    assert caught.value.sentence
    assert caught.value.next_step
    return caught.value.code


def test_what_a_human_does_to_the_store_is_written_down_with_name_and_reason() -> None:
    assert decide_operation(PURGE, HUGO) == (BlobPurged(digest=DIGEST, by="hugo", reason="It holds a password."),)
    assert decide_operation(ROTATE, HUGO) == (KeyRotated(old="k1", new="k2", by="hugo", reason="Yearly."),)
    assert decide_operation(RESTORE, HUGO) == (
        StoreRestored(checkpoint=7, taken=START, by="hugo", reason="The disk died."),
    )


@pytest.mark.parametrize("who", [DEV, LINTER, REACTOR, CLOCK])
@pytest.mark.parametrize("command", [PURGE, ROTATE, RESTORE])
def test_nobody_but_a_human_does_it(command: OperationCommand, who: object) -> None:
    assert refused(command, who) is Code.HUMAN_ONLY


@pytest.mark.parametrize("command", [PURGE, ROTATE, RESTORE])
def test_it_needs_a_reason_of_some_length(command: OperationCommand) -> None:
    assert refused(replace(command, reason=" \n")) is Code.REASON_MISSING
    assert refused(replace(command, reason="x" * 2_001)) is Code.TOO_LONG
    assert decide_operation(replace(command, reason="x" * 2_000), HUGO)


@pytest.mark.parametrize("digest", ["", "d1", DIGEST.upper(), DIGEST + "0", DIGEST[:-1] + "\n", "../" + DIGEST[3:]])
def test_bytes_are_named_by_their_whole_digest(digest: str) -> None:
    assert refused(replace(PURGE, digest=digest)) is Code.DIGEST_MISMATCH


def test_a_key_is_not_rotated_to_itself_or_to_nothing() -> None:
    assert refused(replace(ROTATE, new="k1")) is Code.DUPLICATE
    assert refused(replace(ROTATE, new="")) is Code.UNKNOWN_WORD
    assert refused(replace(ROTATE, old="")) is Code.UNKNOWN_WORD
    assert refused(replace(ROTATE, new="k" * 129)) is Code.UNKNOWN_WORD


def test_a_backup_without_any_checkpoint_counts_as_the_one_before_the_first() -> None:
    assert decide_operation(replace(RESTORE, checkpoint=0), HUGO)
    assert refused(replace(RESTORE, checkpoint=-1)) is Code.BAD_NUMBER
