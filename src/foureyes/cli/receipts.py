"""The `receipt` command: who let exactly these bytes through, signed, and the check of such a receipt."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import click

from foureyes.app.envelopes import BadEnvelope
from foureyes.app.ports import Store
from foureyes.app.receipts import Receipt, check_receipt, read_receipt
from foureyes.app.receipts import receipt as receipt_of
from foureyes.cli import signing
from foureyes.cli.answer import Answer, Line
from foureyes.cli.parts import Parts
from foureyes.cli.program import answering
from foureyes.core.operations import is_digest
from foureyes.core.refusals import Refusal
from foureyes.home.trouble import Trouble


@click.command()
@click.argument("digest", default="")
@click.option("--check", "file", type=click.Path(exists=True, dir_okay=False), help="Check the receipt in this file.")
@click.option("--key", default="", metavar="FILE", help="The public key to trust, for --check.")
@click.option("--output", type=click.Path(dir_okay=False), help="Write the signed receipt to this new file.")
@answering
def receipt(parts: Parts, digest: str, file: str | None, key: str, output: str | None) -> Answer:
    """Show who let exactly these bytes through, and why.

    DIGEST names the bytes; the name of a review stands for those of its current version.

    With --output the signed receipt goes into a file; anybody with the public key can check it there with --check.
    """
    if bool(digest) == bool(file):
        raise click.UsageError("Name a digest, or a receipt with --check.")
    trusted = signing.trusted_key(parts, key)
    envelope = _read(file) if file else asyncio.run(_made(parts, digest))
    try:
        found = check_receipt(envelope, (trusted,))
    except BadEnvelope as error:
        raise Trouble(
            f"This receipt is not valid: {error}.", "Ask for it where the bytes were cleared.", blocked=True
        ) from None
    if output:
        _write(Path(output), envelope)
    lines = asyncio.run(parts.scrub(_lines(found)))
    return Answer(lines=lines, data={"receipt": envelope, "digest": found.digest, "review": found.review})


async def _made(parts: Parts, digest: str) -> Any:
    async with parts.store() as store:
        digest = digest if is_digest(digest) else await _digest_of(parts, store, digest)
        last, key = signing.book_end(parts), signing.signer(parts)
        return await store.read(lambda reading: receipt_of(reading, digest, key, last, now=parts.now()))


async def _digest_of(parts: Parts, store: Store, review: str) -> str:
    try:
        return (await parts.gate(store).read(review, parts.human())).view.review.digest
    except Refusal:
        sentence = f"{review[:80]!r} is neither a digest nor a review here."
        step = "Name the digest of the bytes, 64 hexadecimal digits, or a review that `foureyes status` names."
        raise Trouble(sentence, step, usage=True) from None


def _read(file: str) -> Any:
    try:
        return read_receipt(Path(file).read_bytes())
    except BadEnvelope as error:
        raise Trouble(
            f"{file} is no receipt: {error}.", "Name a file that `foureyes receipt` wrote.", blocked=True
        ) from None


def _write(path: Path, envelope: Any) -> None:
    try:
        with path.open("x", encoding="utf-8") as file:
            json.dump(envelope, file)
    except FileExistsError:
        raise Trouble(f"{path} is there already.", "Name a new file.", usage=True) from None


def _lines(found: Receipt) -> tuple[Line, ...]:
    expires = f", until {found.expires.isoformat()}" if found.expires else ""
    once = ", for one use" if found.single_use else ""
    return (
        Line(
            f"{found.digest} was cleared by {found.cleared_by} at {found.cleared_at.isoformat()}{expires}{once}.",
            "good",
        ),
        Line(f"{found.title} ({found.kind}), by {found.author.name}; review {found.review}, version {found.revision}"),
        *(Line(f"  {one.stage}: {one.reviewer.name}: {one.verdict or 'reported'}") for one in found.reports),
        *(Line(f"  flag: {one}", "care") for one in found.flags),
        Line(f"Level of independence {found.level}; rules {found.rules}"),
        Line(f"Event {found.version} of the review, behind checkpoint {found.checkpoint or 'none'}"),
    )
