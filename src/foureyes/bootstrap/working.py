"""Run a worker: the reviewers of its machine, the durable engine, and the orderly shutdown. One worker dispatches."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import signal
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from foureyes.app.accounts import Enrolled
from foureyes.app.bell import Bell
from foureyes.app.moments import is_time_again
from foureyes.app.policies import Policies
from foureyes.app.ports import Store
from foureyes.app.tending import Tending
from foureyes.bootstrap import hosting
from foureyes.bootstrap.fitness import check_fit
from foureyes.cli.serving import AtWork
from foureyes.engine.dispatching import Dispatcher
from foureyes.engine.durable import DurableEngine
from foureyes.engine.hosting import Everybody, Hosted
from foureyes.engine.place import Place
from foureyes.engine.port import MINDS_MAX
from foureyes.engine.steps import Steps
from foureyes.engine.tables import migrate
from foureyes.engine.workers import Crew, Workers, offers_of
from foureyes.home import folder
from foureyes.http.logs import write_to

if TYPE_CHECKING:
    from foureyes.bootstrap.assembly import Assembly

#: How often the dispatching worker checks for new events.
LISTEN_SECONDS = 0.2
#: How often a worker signs on and renews the seats of its runs, and the runs of dead workers are taken up.
TEND = timedelta(seconds=1)
log = logging.getLogger("foureyes.worker")


def work(assembly: Assembly, yes_send: tuple[str, ...], told: Callable[[AtWork], None]) -> None:
    """Carry out runs until the process is stopped; `told` is called when the worker is ready."""
    write_to()
    folder.make(assembly.settings.home)
    asyncio.run(_work(assembly, yes_send, told))


async def _work(assembly: Assembly, yes_send: tuple[str, ...], told: Callable[[AtWork], None]) -> None:
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    async with assembly.new_store() as store:
        await check_fit(assembly, store, "worker")
        await asyncio.to_thread(migrate, assembly.settings.database)
        one = made(assembly, store, hosting.hosted(assembly, Policies(assembly.policy()), yes_send))
        await one.begin()
        told(AtWork(name=one.workers.name, reviewers=tuple(one.own_names())))
        log.info("started", extra={"fields": {"worker": one.workers.name}})
        beside = [asyncio.create_task(one.listen()), asyncio.create_task(one.forever())]
        try:
            await ended.wait()
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
            await one.end()
            log.info("ended")


@dataclass(slots=True, kw_only=True)
class OneWorker:
    """A worker; one of all workers dispatches runs to all of them."""

    store: Store
    own: Hosted
    workers: Workers
    engine: DurableEngine
    dispatcher: Dispatcher
    place: Place
    bell: Bell
    clock: Callable[[], datetime]
    _dispatches: bool = False
    _tended: datetime | None = None

    def own_names(self) -> list[str]:
        """The names of the reviewers that this worker hosts."""
        mine = [one for one in self.workers.alive() if one.name == self.workers.name]
        return sorted(one.who.name for worker in mine for one in worker.offers)

    async def begin(self) -> None:
        """Sign on, and start the engine."""
        await self._sign()
        await self.engine.start()

    async def forever(self) -> None:
        """Work until cancelled."""
        await Tending((("runs", self.once),)).forever(self.dispatcher.pause)

    async def once(self) -> None:
        """Look after this worker's runs; the worker that holds the lease also dispatches for all."""
        now = self.clock()
        if is_time_again(self._tended, now, TEND):
            self._tended = now
            await self._sign()
            self._dispatches = await self.place.is_ours()
            if self._dispatches:
                await self.engine.take_up()
            await self.engine.heartbeat()
        if self._dispatches:
            await self.dispatcher.once()

    async def listen(self) -> None:
        """Wake the dispatcher when something was written."""
        async with self.bell.listening(self.store) as listener:
            while True:
                await listener.woken.wait()
                listener.take()
                if self._dispatches:
                    self.dispatcher.woken.set()

    async def end(self) -> None:
        """Let runs finish, and give back those that do not finish in time."""
        works = (("queue", self.engine.drain), ("runs", self.engine.close), ("place", self.place.leave))
        await Tending(works).once()

    async def _sign(self) -> None:
        pool = await self.own.follow(self.store)
        people = await self.store.read(pool.pool)
        # Only the dispatching worker has read the queue already; the others would have to read it just for this.
        queued = self.engine.queued if self._dispatches else 0
        offers = offers_of(pool, people, self.own.resting())
        await self.workers.sign(offers, runs=await self.engine.here(), queued=queued)
        await self.workers.look()


def made(assembly: Assembly, store: Store, own: Hosted) -> OneWorker:
    """Build a worker that hosts these reviewers."""
    workers = Workers(store, assembly.now, f"{os.uname().nodename}-{os.getpid()}-{secrets.token_hex(3)}")
    crew = Crew(workers)
    gate = assembly.gate(store, directory=Everybody((crew, Enrolled(assembly.now))))
    bell = Bell(LISTEN_SECONDS)
    mine = Steps(gate=gate, store=store, hosted=own, hand=gate.handle, clock=assembly.now)
    everybodys = Steps(gate=gate, store=store, hosted=crew, hand=gate.handle, clock=assembly.now)
    engine = DurableEngine(assembly.settings.database, workers, own=mine, all_=everybodys, ended=bell.ring)
    dispatcher = Dispatcher(
        steps=everybodys,
        engine=engine,
        bell=bell,
        clock=assembly.now,
        minds_max=lambda: MINDS_MAX * len(workers.alive()),
    )
    bell.heard_by(dispatcher.woken.set)
    return OneWorker(
        store=store,
        own=own,
        workers=workers,
        engine=engine,
        dispatcher=dispatcher,
        place=Place(store, assembly.now),
        bell=bell,
        clock=assembly.now,
    )
