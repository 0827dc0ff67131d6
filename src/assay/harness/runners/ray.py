"""The Ray runner: the same workers as actors of a Ray cluster, one processor each."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

from assay.core import InfrastructureFailed, InvalidInput
from assay.core.checks import demand_whole
from assay.core.notices import show_notices
from assay.harness.execute import Examiner, Job
from assay.harness.plan import Cell
from assay.harness.process.cores import claim_core, fills_machine
from assay.harness.process.memory import limit_worker
from assay.harness.runners.dispatch import dispatch
from assay.harness.runners.protocol import Lost
from assay.harness.runners.ray_cluster import cluster, import_ray, living_nodes
from assay.harness.runners.shipping import (
    pack_metric,
    pack_problem,
    pack_subject,
    with_metric,
    with_subject,
)
from assay.harness.runners.worker import Broken, finish_safely
from assay.harness.store.stored_answer import Finished
from assay.intake.archives import unpack
from assay.sandbox.lockdown.lockdown import SINGLE_THREAD

__all__ = ["RayRunner"]

# Ray would kill a subject server before it could end what its subject had started
_OWN_CHILDREN: Final = {"RAY_kill_child_processes_on_worker_exit": "0"}
_POLL: Final = 1.0  # seconds; between two looks a Ctrl-C is noticed
_LOOK: Final = 2.0  # seconds between two looks at the nodes
_GRACE: Final = 5.0  # seconds in which Ray itself may tell that a node is lost
_START: Final = 90.0  # seconds in which an actor starts when there is room for it
_FOLDERS_KEPT: Final = 4  # unpacked problems of a worker; more than an examiner keeps in memory
_PARCELS_KEPT: Final = 4  # problems in the object store, for each worker


class _Actor:
    """Lives in a Ray worker process; examines cells there, and starts subjects below itself."""

    def __init__(self, scratch: str | None, own_core: bool = False, hidden: Sequence[Path] = ()) -> None:
        show_notices()
        limit_worker()
        self._own = Path(tempfile.mkdtemp(prefix="assay-ray-", dir=scratch))
        self._core = claim_core() if own_core else None  # held for as long as the actor lives
        self._examiner = Examiner(self._own, cores=self._core.before if self._core else (), hidden=[self._own, *hidden])
        self._unpacked: OrderedDict[str, Path] = OrderedDict()  # problems, the one used last at the end

    def ready(self) -> tuple[int, str]:
        """The process id and the node, once the actor is there."""
        return os.getpid(), str(import_ray().get_runtime_context().get_node_id())

    def finish(self, job: Job, parcels: dict[str, Any]) -> Finished | Broken:
        """As a local worker does; parcels are references to what has to be fetched and unpacked once."""
        try:
            cell = self._settle(job.cell, parcels)
        except (OSError, InvalidInput) as error:
            return Broken(f"its files could not be unpacked: {error}")
        return finish_safely(self._examiner, replace(job, cell=cell))

    def _settle(self, cell: Cell, parcels: dict[str, Any]) -> Cell:
        if "problem" in parcels:
            name = f"problem-{cell.problem_digest}"
            cell = replace(cell, folder=str(self._fetch(name, parcels["problem"])))
            self._unpacked[name] = self._own / name
            self._unpacked.move_to_end(name)
            while len(self._unpacked) > _FOLDERS_KEPT:
                shutil.rmtree(self._unpacked.popitem(last=False)[1], ignore_errors=True)
        if "subject" in parcels:
            cell = with_subject(cell, self._fetch(f"subject-{cell.subject.digest}", parcels["subject"]))
        for ref in cell.metrics:
            if ref.digest in parcels:
                cell = with_metric(cell, ref, self._fetch(f"metric-{ref.digest}", parcels[ref.digest]))
        return cell

    def _fetch(self, name: str, reference: Any) -> Path:
        target = self._own / name
        return target if target.is_dir() else unpack(import_ray().get(reference), target)

    def close(self) -> None:
        """End the subjects' servers and remove the folder."""
        self._examiner.close()
        shutil.rmtree(self._own, ignore_errors=True)


class _Worker:
    """The driver's view of one actor."""

    def __init__(self, actor: Any, pool: _Pool) -> None:
        self._actor = actor
        self._pool = pool
        self._ready = actor.ready.remote()
        self._place: tuple[int, str] | None = None
        self.began = time.monotonic()
        self.result: Any = None
        self.stranded = ""  # why nothing will come of its job, once that is known
        self._closed: Any = None  # what tells that it has tidied up, once it was asked to shut down

    def process_id(self) -> int:
        return int(import_ray().get(self._ready)[0])

    def node(self) -> str | None:
        """The node it runs on; None while it waits for one."""
        if self._place is None and import_ray().wait([self._ready], timeout=0)[0]:
            from ray.exceptions import RayError

            try:
                self._place = import_ray().get(self._ready)
            except RayError:  # it died before it began; its job says so too
                return None
        return None if self._place is None else self._place[1]

    def submit(self, job: Job) -> None:
        self.result = self._actor.finish.remote(job, self._pool.parcels(job.cell))

    def collect(self) -> Finished | Broken:
        from ray.exceptions import RayError

        if self.stranded:
            self.end(patience=0)
            return Broken(self.stranded, worker_gone=True)
        try:
            result = import_ray().get(self.result)
        except RayError as error:
            node = self.node()
            self.end(patience=0)
            if node is not None and node not in living_nodes(import_ray()):  # no fault of the subject
                return Broken("a Ray node was lost", worker_gone=True)
            return Broken(f"a Ray worker died ({type(error).__name__})", died=True, worker_gone=True)
        return cast("Finished | Broken", result)

    def shutdown(self) -> None:
        self._closed = self._actor.close.remote()

    def end(self, *, patience: float) -> None:
        from ray.exceptions import RayError

        if patience:
            try:
                import_ray().get(self._closed, timeout=patience)
            except RayError:  # it is killed instead
                logging.getLogger("assay").debug("a Ray worker did not close in time")
        import_ray().kill(self._actor)
        if self in self._pool.workers:
            self._pool.workers.remove(self)


class _Pool:
    """Actors of one cluster; problems and subjects are put into its object store once, and read once per node."""

    def __init__(
        self, size: int, *, ship: bool, scratch: Path | None, own_cores: bool = False, hidden: Sequence[Path] = ()
    ) -> None:
        self._hidden = hidden
        self.size = size  # fewer when nodes are lost
        self._most = size
        self._next_look = 0.0
        self.workers: list[_Worker] = []  # that were not ended, idle ones too: they hold processors
        self._own_cores = own_cores
        self._ship = ship
        self._scratch = None if ship or scratch is None else str(scratch)
        self._problems: OrderedDict[str, Any] = OrderedDict()  # the object store frees what has no reference
        self._subjects: dict[str, Any] = {}
        self._metrics: dict[str, Any] = {}
        variables = {**SINGLE_THREAD, "PYTHONHASHSEED": "0", **_OWN_CHILDREN}
        self._actor = import_ray().remote(_Actor).options(
            num_cpus=1, max_restarts=0, max_task_retries=0, runtime_env={"env_vars": variables}
        )  # fmt: skip

    def spawn(self) -> _Worker:
        worker = _Worker(self._actor.remote(self._scratch, self._own_cores, self._hidden), self)
        self.workers.append(worker)
        return worker

    def wait(self, busy: Sequence[_Worker]) -> list[_Worker]:
        by_reference = {worker.result: worker for worker in busy}
        while True:
            finished, _ = import_ray().wait(list(by_reference), num_returns=1, timeout=_POLL)
            if finished:
                ready, _ = import_ray().wait(list(by_reference), num_returns=len(by_reference), timeout=0)
                return [by_reference[reference] for reference in ready or finished]
            if stranded := self._stranded(busy):
                return stranded

    def _stranded(self, busy: Sequence[_Worker]) -> list[_Worker]:
        """Workers of whose jobs nothing will come: on a node that is lost, or waiting for one that is not there."""
        now = time.monotonic()
        if now < self._next_look:
            return []
        self._next_look = now + _LOOK
        living = living_nodes(import_ray())
        if not sum(living.values()):
            raise InfrastructureFailed(
                "no node of the Ray cluster is available. Finished cells are kept: "
                "add nodes, then run the same command to continue."
            )
        self.size = max(1, min(self._most, sum(living.values())))
        nodes = {id(worker): worker.node() for worker in self.workers}
        placed = sum(node in living for node in nodes.values())
        for worker in busy:
            node, waited = nodes[id(worker)], now - worker.began
            if node is not None and node not in living:
                worker.stranded = "a Ray node was lost"
            elif node is None and placed >= self.size and waited > _GRACE:
                worker.stranded = "no Ray node is available for this worker"
            elif node is None and placed and waited > _START:  # others took the processors: continue with ours
                worker.stranded = "no Ray node had capacity for this worker"
                self._most = self.size = placed
        return [worker for worker in busy if worker.stranded]

    def parcels(self, cell: Cell) -> dict[str, Any]:
        if not self._ship:
            return {}
        references = {
            "problem": _put(self._problems, cell.problem_digest, partial(pack_problem, Path(cell.folder))),
            "subject": _put(self._subjects, cell.subject.digest, partial(pack_subject, cell.subject)),
            **{ref.digest: _put(self._metrics, ref.digest, partial(pack_metric, ref)) for ref in cell.metrics},
        }
        self._problems.move_to_end(cell.problem_digest)
        while len(self._problems) > _PARCELS_KEPT * self.size:
            self._problems.popitem(last=False)
        return {name: reference for name, reference in references.items() if reference is not None}


def _put(references: dict[str, Any], digest: str, pack: Callable[[], bytes | None]) -> Any:
    """The reference to what is packed, which is put into the object store once; None where there is nothing to send."""
    if digest not in references:
        data = pack()
        references[digest] = None if data is None else import_ray().put(data)
    return references[digest]


class RayRunner:
    """Runs cells on a Ray cluster: one of its own on this machine, or the one at ``address``."""

    name = "ray"

    def __init__(
        self,
        workers: int | None = None,
        *,
        address: str | None = None,
        ship: bool | None = None,
        scratch: Path | None = None,
    ) -> None:
        if workers is not None:
            demand_whole(workers, "workers", least=1)
        import_ray()
        self._count = workers
        self._address = address
        self._ship = address is not None if ship is None else ship
        self._scratch = scratch
        self._workers: list[_Worker] = []

    @property
    def worker_pids(self) -> tuple[int, ...]:
        """The process ids of the workers that run now."""
        return tuple(worker.process_id() for worker in self._workers)

    def map(self, jobs: Iterable[Job], /, *, hidden: Sequence[Path] = ()) -> Iterator[Finished | Lost]:
        """Results as they come; closing the iterator ends the workers, and the cluster if it was started here."""
        with cluster(self._address, self._count) as processors:
            size = min(self._count or processors, processors)
            own_cores = self._address is None and fills_machine(size)  # elsewhere other work may share the nodes
            pool = _Pool(size, ship=self._ship, scratch=self._scratch, own_cores=own_cores, hidden=hidden)
            yield from dispatch(jobs, pool, self._workers)
