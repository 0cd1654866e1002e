"""One process that writes to a review others write to as well, and prints every key it was answered, with the reply."""

import asyncio
import sys

from foureyes.app.ports import Conflict
from foureyes.store.pg_connecting import Limits
from foureyes.store.postgres import PostgresStore
from tests.postgres.commands import command

CALLERS = 2


async def race(url: str, name: str, commands: int) -> None:
    store = PostgresStore.open(url, Limits(writers=CALLERS, readers=1), durable=False)
    async with store, asyncio.TaskGroup() as group:
        for caller in range(CALLERS):
            group.create_task(_caller(store, f"{name}-{caller}", commands // CALLERS))


async def _caller(store: PostgresStore, name: str, commands: int) -> None:
    turn = 0
    while turn < commands:
        key = f"{name}-{turn}"
        try:
            reply = await store.write(lambda tx: command(tx, "shared", key))  # noqa: B023 - awaited in this turn
        except Conflict:
            continue
        print(key, reply, flush=True)
        turn += 1


if __name__ == "__main__":
    asyncio.run(race(sys.argv[1], sys.argv[2], int(sys.argv[3])))
