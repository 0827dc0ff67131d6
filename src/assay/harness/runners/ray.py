"""The Ray runner: the same workers as actors of a Ray cluster, one processor each."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, cast

from assay.core import InvalidInput, MissingExtra
from assay.core.checks import demand_whole
from assay.core.notices import show_notices
from assay.harness.execute import Examiner, Job
from assay.harness.plan import Cell
from assay.harness.process.cores import claim_core, fills_machine
from assay.harness.process.memory import limit_worker
from assay.harness.process.process_lifetime import keeping_handlers, unhurried
from assay.harness.runners.dispatch import dispatch
from assay.harness.runners.protocol import Lost
from assay.harness.runners.shipping import pack_problem, pack_subject, with_problem, with_subject
from assay.harness.runners.worker import Broken, finish_safely
from assay.harness.store.stored_answer import Finished
from assay.intake.archives import unpack
from assay.sandbox.lockdown.lockdown import SINGLE_THREAD

__all__ = ["RayRunner"]

# Ray would kill a subject server before it could end what its subject had started
_OWN_CHILDREN: Final = {"RAY_kill_child_processes_on_worker_exit": "0"}
_POLL: Final = 1.0  # seconds; between two looks a Ctrl-C is noticed
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

    def ready(self) -> int:
        """The process id, once the actor is there."""
        return os.getpid()

    def finish(self, job: Job, parcels: dict[str, Any]) -> Finished | Broken:
        """As a local worker does; parcels are references to what has to be fetched and unpacked once."""
        try:
            cell = self._settle(job.cell, parcels)
        except (OSError, InvalidInput) as error:
            return Broken(f"{job.cell}: its files could not be unpacked: {error}")
        return finish_safely(self._examiner, Job(cell=cell, answer=job.answer))

    def _settle(self, cell: Cell, parcels: dict[str, Any]) -> Cell:
        if "problem" in parcels:
            name = f"problem-{cell.problem_digest}"
            cell = with_problem(cell, self._fetch(name, parcels["problem"]))
            self._unpacked[name] = self._own / name
            self._unpacked.move_to_end(name)
            while len(self._unpacked) > _FOLDERS_KEPT:
                shutil.rmtree(self._unpacked.popitem(last=False)[1], ignore_errors=True)
        if "subject" in parcels:
            cell = with_subject(cell, self._fetch(f"subject-{cell.subject.digest}", parcels["subject"]))
        return cell

    def _fetch(self, name: str, reference: Any) -> Path:
        target = self._own / name
        return target if target.is_dir() else unpack(_ray().get(reference), target)

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
        self.result: Any = None
        self._closed: Any = None  # what tells that it has tidied up, once it was asked to shut down

    def process_id(self) -> int:
        return int(_ray().get(self._ready))

    def submit(self, job: Job) -> None:
        self.result = self._actor.finish.remote(job, self._pool.parcels(job.cell))

    def collect(self) -> Finished | Broken:
        from ray.exceptions import RayError

        try:
            result = _ray().get(self.result)
        except RayError as error:
            self.end(patience=0)
            return Broken(f"a Ray worker died ({type(error).__name__})", died=True, worker_gone=True)
        return cast("Finished | Broken", result)

    def shutdown(self) -> None:
        self._closed = self._actor.close.remote()

    def end(self, *, patience: float) -> None:
        from ray.exceptions import RayError

        if patience:
            try:
                _ray().get(self._closed, timeout=patience)
            except RayError:  # it is killed instead
                logging.getLogger("assay").debug("a Ray worker did not close in time")
        _ray().kill(self._actor)


class _Pool:
    """Actors of one cluster; problems and subjects are put into its object store once, and read once per node."""

    def __init__(
        self, size: int, *, ship: bool, scratch: Path | None, own_cores: bool = False, hidden: Sequence[Path] = ()
    ) -> None:
        self.size = size
        self._hidden = hidden
        self._own_cores = own_cores
        self._ship = ship
        self._scratch = None if ship or scratch is None else str(scratch)
        self._problems: OrderedDict[str, Any] = OrderedDict()  # the object store frees what nobody refers to
        self._subjects: dict[str, Any] = {}
        variables = {**SINGLE_THREAD, "PYTHONHASHSEED": "0", **_OWN_CHILDREN}
        self._actor = _ray().remote(_Actor).options(
            num_cpus=1, max_restarts=0, max_task_retries=0, runtime_env={"env_vars": variables}
        )  # fmt: skip

    def spawn(self) -> _Worker:
        return _Worker(self._actor.remote(self._scratch, self._own_cores, self._hidden), self)

    def wait(self, busy: Sequence[_Worker]) -> list[_Worker]:
        by_reference = {worker.result: worker for worker in busy}
        while True:
            done, _ = _ray().wait(list(by_reference), num_returns=1, timeout=_POLL)
            if done:
                ready, _ = _ray().wait(list(by_reference), num_returns=len(by_reference), timeout=0)
                return [by_reference[reference] for reference in ready or done]

    def parcels(self, cell: Cell) -> dict[str, Any]:
        if not self._ship:
            return {}
        problem, subject = cell.problem_digest, cell.subject.digest
        if problem not in self._problems:
            self._problems[problem] = _ray().put(pack_problem(Path(cell.folder)))
        self._problems.move_to_end(problem)
        while len(self._problems) > _PARCELS_KEPT * self.size:
            self._problems.popitem(last=False)
        if subject not in self._subjects:
            data = pack_subject(cell.subject)
            self._subjects[subject] = None if data is None else _ray().put(data)
        references = {"problem": self._problems[problem], "subject": self._subjects[subject]}
        return {name: reference for name, reference in references.items() if reference is not None}


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
        _ray()
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
        with _cluster(self._address, self._count) as processors:
            size = min(self._count or processors, processors)
            own_cores = self._address is None and fills_machine(size)  # elsewhere other work may share the nodes
            pool = _Pool(size, ship=self._ship, scratch=self._scratch, own_cores=own_cores, hidden=hidden)
            yield from dispatch(jobs, pool, self._workers)


@contextmanager
def _cluster(address: str | None, workers: int | None) -> Iterator[int]:
    ray = _ray()
    started = not ray.is_initialized()
    if started:
        given: dict[str, Any] = {"address": address} if address else {"num_cpus": workers, "include_dashboard": False}
        try:
            with keeping_handlers():  # Ray would end us at once at a SIGTERM, with a trace of its own
                ray.init(logging_level=logging.ERROR, log_to_driver=False, configure_logging=False, **given)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise InvalidInput(f"Ray at {address or 'this machine'} cannot be reached: {error}") from error
    try:
        processors = int(ray.cluster_resources().get("CPU", 0))
        if processors < 1:
            raise InvalidInput("the Ray cluster has no processor to offer.")
        yield processors
    finally:
        if started:
            with unhurried():
                ray.shutdown()


def _ray() -> Any:
    os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent anywhere
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError as error:
        raise MissingExtra("The Ray runner", "ray", "ray") from error
    return ray
