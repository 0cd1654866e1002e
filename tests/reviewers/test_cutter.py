"""A version is served without the secrets of earlier versions, or not at all."""

import asyncio

from foureyes.reviewers.cutter import SecretsCutter
from foureyes.reviewers.known import NOTHING_KNOWN

CUTTER = SecretsCutter(seconds=5)
FILES = {"notes.md": b"Log in with tR4-marble-Quokka-77 until Friday.\n"}


def test_nothing_is_served_while_the_secrets_of_an_earlier_version_are_not_known() -> None:
    """U-51: this version may quote what only that one shows to be a secret."""
    clean = asyncio.run(CUTTER.work(FILES, {}, None))
    assert (clean.withheld, clean.known) == ("notes.md", None)
    assert b"Quokka" not in clean.files["notes.md"]


def test_secrets_of_an_earlier_version_are_cut_from_this_one() -> None:
    """U-51: and without one it is served as it is."""
    known = asyncio.run(CUTTER.secrets({"settings.py": b'password = "tR4-marble-Quokka-77"\n'}, {}))
    clean = asyncio.run(CUTTER.work(FILES, {}, known))
    assert (clean.withheld, b"Quokka" in clean.files["notes.md"]) == ("", False)
    assert asyncio.run(CUTTER.work(FILES, {}, NOTHING_KNOWN)).files == FILES
