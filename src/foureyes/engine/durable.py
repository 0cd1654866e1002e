"""The engine for many processes: runs are DBOS workflows on PostgreSQL, and each paid call is recorded.

The inbox stays the source of truth: a workflow begins what it asks for, and what it no longer asks for is cancelled.
Each worker has a queue of its own, because each hosts its own reviewers; the dispatcher chooses the worker. Programs
cost nothing and take a moment: they run where they are dispatched.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Any

from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, EnqueueOptions, WorkflowStatus, error

from foureyes.app.gate import new_key
from foureyes.app.workers import Worker
from foureyes.core.values import Failure, WhoKind
from foureyes.engine.local import LocalEngine, Way
from foureyes.engine.port import MINDS_MAX, Run
from foureyes.engine.steps import LEASE, Ended, Steps
from foureyes.engine.tables import quieted
from foureyes.engine.workers import Workers

#: A fixed version: by default DBOS takes a hash of the program, and every new version would orphan the runs under way.
VERSION = "1"
NAME = "foureyes"
WORKFLOW = "run"
#: How often a worker polls its queue.
POLL_SECONDS = 0.25
CONNECTIONS = 5
#: Runs here are compared with the tables of DBOS at most this often.
COMPARE_SECONDS = 1.0
#: A run that was taken from the queue but is not under way at this many looks lost its seat, or was lost itself.
ASTRAY_LOOKS_MAX = 5
#: A run whose worker died this often fails without an answer: it may be what kills the workers.
DEATHS_MAX = 3
#: The most runs under way that are looked at.
RUNS_MAX = 1_000
#: How long a worker that shuts down lets its runs go on.
DRAIN_SECONDS = 7.0
_ACTIVE = ["ENQUEUED", "PENDING"]
_ENDED = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]
_DEATHS = "deaths"
log = logging.getLogger("foureyes.engine")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Flow:
    """A workflow that has not ended."""

    run: Run
    usd_micro: int
    key: str
    #: The worker in whose queue it is, or that carries it out.
    worker: str
    begun: bool
    deaths: int


class DurableEngine:
    """Hands runs over to workers, and carries out those that are handed to this process."""

    def __init__(
        self,
        url: str,
        workers: Workers,
        *,
        own: Steps,
        all_: Steps,
        ended: Callable[[], None] = lambda: None,
        lease: timedelta = LEASE,
    ) -> None:
        """Be the worker of that name: `own` has the reviewers of this process, `all_` knows those of all workers."""
        self._url, self._workers, self._own, self._all = url, workers, own, all_
        self._local = LocalEngine(own, ended=ended, lease=lease)
        #: Runs that were not wanted at the last look; a reviewer that has just handed in needs a moment to record it.
        self._unwanted: set[str] = set()
        #: Runs that have begun here by the tables of DBOS but are not under way, and at how many looks.
        self._astray: Counter[str] = Counter()
        self._compared = 0.0
        self._is_open = False
        #: Runs that were given to a worker and had not begun at the last look.
        self.queued = 0

    async def start(self) -> None:
        """Begin to serve the queue of this worker."""
        quieted()
        config: DBOSConfig = {
            "name": NAME,
            "system_database_url": self._url,
            "application_version": VERSION,
            "executor_id": self._workers.name,
            "serializer": DBOSPortableJSONSerializer(),
            "run_migrations": False,
            "sys_db_pool_size": CONNECTIONS,
            "enable_otlp": False,
            "log_level": "ERROR",
        }
        DBOS(config=config)
        DBOS.listen_queues([_queue(self._workers.name)])

        @DBOS.workflow(name=WORKFLOW)
        async def run(order: dict[str, Any]) -> None:
            await self._carried_out(order)

        self._is_open = True
        DBOS.launch()
        await DBOS.register_queue_async(
            _queue(self._workers.name), polling_interval_sec=POLL_SECONDS, on_conflict="always_update"
        )

    async def hand_over(self, run: Run) -> bool:
        """Start the run here or give it to a worker; False if the seat has a run under way, or no worker is free."""
        flows = await self._flows()
        same = [one for one in flows if one.run.place == run.place]
        orphan = next((one for one in same if one.run == run and not self._lives(one)), None)
        if orphan is not None:
            return await self._taken_up(orphan, flows)
        if same or any(one.place == run.place for one in await self._local.under_way()):
            return False
        if self._is_program(run):
            return await self._local.hand_over(run)
        worker = self._free(run.reviewer, flows)
        if worker is None:
            return False
        self._keep_promises(flows)
        order = {
            "review": run.review,
            "seat": run.seat,
            "revision": run.revision,
            "reviewer": run.reviewer,
            "attempt": run.attempt,
            "usd_micro": await self._all.purse(run),
            "key": new_key(),
        }
        return await self._enqueued(run, worker, order)

    async def has_room(self, run: Run) -> bool:
        """True if a worker that hosts the reviewer is free."""
        return self._is_program(run) or self._free(run.reviewer, await self._flows()) is not None

    async def heartbeat(self) -> None:
        """Renew the seats of runs here; end runs that were cancelled, taken up elsewhere, or lost their seat."""
        await self._local.heartbeat()
        now = self._own.watch()
        if now - self._compared < COMPARE_SECONDS:
            return
        self._compared = now
        going = await self._local.under_way()
        found = await DBOS.list_workflows_async(
            status=["PENDING"], name=WORKFLOW, executor_id=self._workers.name, limit=RUNS_MAX, load_output=False
        )
        ours = {one.workflow_id for one in found}
        # A program is started here without the tables; but a command may have been given to the one worker that hosts
        # it.
        for one in {one.id for one in going if not self._is_program(one)} - ours:
            await self._local.cancel(one)
        self._astray = Counter({one: self._astray[one] + 1 for one in ours - {one.id for one in going}})
        if gone := [one for one, looks in self._astray.items() if looks >= ASTRAY_LOOKS_MAX]:
            await DBOS.cancel_workflows_async(gone)

    async def take_up(self) -> None:
        """Give runs of dead workers to others, and delete the workflows that have ended.

        A run that is taken up goes on from the last recorded call.
        """
        flows = await self._flows()
        for one in flows:
            if self._lives(one):
                continue
            if one.deaths >= DEATHS_MAX:
                await self._given_up(one)
            else:
                await self._taken_up(one, flows)
        over = await DBOS.list_workflows_async(
            status=_ENDED, name=WORKFLOW, limit=RUNS_MAX, load_input=False, load_output=False
        )
        if over:
            # The answers are in the log; nobody else is to read them here.
            await DBOS.delete_workflows_async([one.workflow_id for one in over])

    async def cancel(self, run: str) -> None:
        """Cancel a run here, or on its worker: there only at the second look, because it may just have handed in."""
        here = any(one.id == run for one in await self._local.under_way())
        elsewhere = not here and any(one.run.id == run and one.begun for one in await self._flows())
        if elsewhere and run not in self._unwanted:
            self._unwanted.add(run)
            return
        self._unwanted.discard(run)
        await DBOS.cancel_workflows_async([run])
        await self._local.cancel(run)

    async def here(self) -> int:
        """Return how many runs this process carries out."""
        return len(await self._local.under_way())

    async def under_way(self) -> tuple[Run, ...]:
        """Return every run that was handed over and has not ended, on any worker."""
        if not self._is_open:
            return ()
        flows = await self._flows()
        found = {one.id: one for one in await self._local.under_way()} | {one.run.id: one.run for one in flows}
        self._unwanted &= found.keys()
        self._keep_promises(flows)
        return tuple(found.values())

    async def drain(self) -> None:
        """Accept no more runs, and let those under way go on for DRAIN_SECONDS."""
        await self._workers.leave()
        await DBOS.delete_queue_async(_queue(self._workers.name))
        await self._local.finish(DRAIN_SECONDS)

    async def close(self) -> None:
        """Give the runs under way here back, so that other workers go on at once; the seats stay held."""
        if not self._is_open:
            return
        self._is_open = False
        await self._workers.leave()
        mine = [one for one in await self._flows() if one.worker == self._workers.name]
        await self._local.close()
        await self._workers.look()
        for one in mine:
            other = self._free(one.run.reviewer, mine, without=self._workers.name)
            await DBOS.resume_workflows_async(
                [one.run.id], queue_name=_queue(other.name if other else self._workers.name)
            )
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1) as apart:
            # Its threads may wait for our loop meanwhile, and they set a default executor on the loop.
            await loop.run_in_executor(apart, partial(DBOS.destroy, destroy_registry=True))
        loop.set_default_executor(ThreadPoolExecutor())

    async def _carried_out(self, order: dict[str, Any]) -> None:
        run = _run(order)

        async def once(name: str, call: Callable[[], Awaitable[str]]) -> str:
            async def made() -> str:
                return await call()

            return await DBOS.run_step_async({"name": name}, made)

        async def hands_in(offer: Callable[[], Awaitable[None]]) -> None:
            async def handed_in() -> str:
                await offer()
                return "done"

            await DBOS.run_step_async({"name": "hand in"}, handed_in)

        way = Way(once=once, purse=order["usd_micro"], key=order["key"], hands_in=hands_in)
        await self._local.carry(run, way)

    async def _enqueued(self, run: Run, worker: Worker, order: dict[str, Any]) -> bool:
        options: EnqueueOptions = {
            "workflow_name": WORKFLOW,
            "queue_name": _queue(worker.name),
            "workflow_id": run.id,
            "workflow_id_reuse_policy": "reject",
        }
        try:
            await DBOS.enqueue_workflow_with_options_async(options, order)
        except error.DBOSWorkflowIDInUseError:
            status = await DBOS.get_workflow_status_async(run.id)
            if status is not None and status.status not in _ENDED:
                return False  # another dispatcher was quicker, a moment ago
            # A workflow with this id has ended: its seat is asked again, so it gave no answer.
            await DBOS.delete_workflows_async([run.id])
            await DBOS.enqueue_workflow_with_options_async(options, order)
        return True

    async def _flows(self) -> list[_Flow]:
        found = await DBOS.list_workflows_async(status=_ACTIVE, name=WORKFLOW, limit=RUNS_MAX, load_output=False)
        flows = [_flow(one) for one in found]
        self.queued = sum(not one.begun for one in flows)
        return flows

    async def _taken_up(self, flow: _Flow, flows: list[_Flow]) -> bool:
        worker = self._free(flow.run.reviewer, flows)
        if worker is None:
            return False
        log.warning(
            "taken up", extra={"fields": {"review": flow.run.review, "seat": flow.run.seat, "was": flow.worker}}
        )
        deaths = flow.deaths + flow.begun
        await DBOS.update_workflow_attributes_async(flow.run.id, {_DEATHS: deaths})
        await DBOS.resume_workflows_async([flow.run.id], queue_name=_queue(worker.name))
        flows[flows.index(flow)] = replace(flow, worker=worker.name, begun=False, deaths=deaths)
        return True

    async def _given_up(self, flow: _Flow) -> None:
        """Report a run whose workers died as a failure, which is counted like every other."""
        text = f"{flow.run.reviewer} was lost with its worker {flow.deaths} times"
        await DBOS.cancel_workflows_async([flow.run.id])
        await self._all.hand_in(flow.run, Ended(failure=Failure.CRASHED, text=text), flow.key)

    def _keep_promises(self, flows: list[_Flow]) -> None:
        """Rebuild the promised money from the runs under way: what ended runs were promised is free again."""
        self._all.promised.clear()
        self._all.promised.update({one.run.id: one.usd_micro for one in flows if self._sends(one.run)})

    def _free(self, reviewer: str, flows: list[_Flow], without: str = "") -> Worker | None:
        """Return the least busy worker that hosts this reviewer, or None."""
        load = Counter(one.worker for one in flows)
        able = [one for one in self._workers.alive() if one.hosts(reviewer) and one.name != without]
        free = [one for one in able if load[one.name] < MINDS_MAX]
        return min(free, key=lambda one: (load[one.name], one.name), default=None)

    def _lives(self, flow: _Flow) -> bool:
        return any(one.name == flow.worker for one in self._workers.alive())

    def _is_program(self, run: Run) -> bool:
        reviewer = self._own.hosted.named(run.reviewer)
        return reviewer is not None and reviewer.who.kind is WhoKind.PROGRAM

    def _sends(self, run: Run) -> bool:
        reviewer = self._all.hosted.named(run.reviewer)
        return reviewer is not None and bool(reviewer.sends)


def _queue(worker: str) -> str:
    return f"worker/{worker}"


def _run(order: dict[str, Any]) -> Run:
    return Run(
        review=order["review"],
        seat=order["seat"],
        revision=order["revision"],
        reviewer=order["reviewer"],
        attempt=order["attempt"],
    )


def _flow(status: WorkflowStatus) -> _Flow:
    assert status.input is not None  # noqa: S101 - it was asked for
    order = status.input["args"][0]
    begun = status.status == "PENDING"
    queue = (status.queue_name or "").removeprefix("worker/")
    return _Flow(
        run=_run(order),
        usd_micro=order["usd_micro"],
        key=order["key"],
        worker=(status.executor_id or "") if begun else queue,
        begun=begun,
        deaths=(status.attributes or {}).get(_DEATHS, 0),
    )
