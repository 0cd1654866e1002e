"""A running server signs grown streams every minute, and reads key and journal only then."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from foureyes.app.checkpoints import last_line
from foureyes.app.keys import PRIVATE, KeyTrouble
from foureyes.bootstrap.assembly import Assembly
from foureyes.bootstrap.serving import Signing
from tests.app.house import House, played
from tests.cli.desk import Desk

MINUTE = timedelta(minutes=1)


class Watched(Assembly):
    """A server whose clock stands still until it is moved."""

    moment = datetime(2026, 11, 1, 9, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment


def test_a_server_signs_when_a_minute_is_over_and_again_at_once_when_it_could_not(tmp_path: Path) -> None:
    """D-22: a clock that was set back puts nothing off, and a key that is gone is asked for again."""

    @played
    async def story() -> None:
        assembly = Watched(Desk(home=tmp_path / "home").assembly({}).settings)
        keys, book = Path(assembly.settings.keys), Path(assembly.settings.checkpoints)

        def number() -> int:
            last = last_line(book)
            return last.checkpoint.number if last else 0

        def only_key() -> Path:
            (key,) = keys.glob(f"*{PRIVATE}")
            return key

        async with assembly.new_store() as store:
            signing, house = Signing(assembly, store), House(store=store, now=assembly.now())
            await house.open()
            await signing.if_due()
            assert number() == 1
            await house.open(title="another")
            key = only_key()
            away = key.rename(tmp_path / "away")
            assembly.moment += MINUTE / 2
            await signing.if_due()
            assert number() == 1, "it is not time, and nobody asks for the key"
            assembly.moment += MINUTE / 2
            for _ in range(2):
                with pytest.raises(KeyTrouble):
                    await signing.if_due()
            away.rename(key)
            await signing.if_due()
            assert number() == 2
            await house.open(title="a third")
            assembly.moment -= MINUTE
            await signing.if_due()
            assert number() == 3
            await house.open(title="a fourth")
            await signing.at_once()
            assert number() == 4

    story()
