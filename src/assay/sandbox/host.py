"""The sandbox, seen from outside: start it, run functions over tables, close it."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from assay.core import InfrastructureFailed, InvalidInput, Json
from assay.core.checks import demand_whole
from assay.sandbox.cache import ResultCache
from assay.sandbox.contract import CLOCK, FunctionResult, FunctionSource, Limits, Tables
from assay.sandbox.job import Job
from assay.sandbox.lockdown.landlock import abi
from assay.sandbox.lockdown.lockdown import layers_of, require
from assay.sandbox.processes import Holder, Server
from assay.sandbox.selftest import require_passed
from assay.sandbox.states import GrowingTables, PackedState
from assay.sandbox.transfer import SharedTable

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Sandbox"]

_MAX_TABLES = 200
_KEPT = 2  # processes with tables of earlier runs
_LOADED_OFTEN = 1 << 20  # bytes of tables that each of several functions may load for itself


class Sandbox:
    """Runs untrusted functions over tables, each in a locked process of its own.

    ``level`` is ``strong`` or, only when named, ``weak``; it is kept or refused, never lowered.
    ``parallel`` functions of one run are worked on at the same time. ``remember`` results are kept by their content and
    not computed again. One sandbox serves one thread at a time.
    """

    def __init__(
        self,
        *,
        level: str = "strong",
        parallel: int = 1,
        remember: int = 0,
        _off: Sequence[str] = (),
        _user: int = 0,
    ) -> None:
        require(level)
        for name, value, least in (("parallel", parallel, 1), ("remember", remember, 0)):
            demand_whole(value, f"sandbox: {name}", least=least)
        self.level = level
        self._layers = tuple(layer for layer in layers_of(level) if layer not in _off)
        self._parallel = parallel
        self._cache = ResultCache(remember)
        self._user = _user  # the tests' way to guests of an ordinary user when they run as root
        self._server: Server | None = None
        self._holders: list[Holder] = []  # of the latest runs, the last one last

    @classmethod
    def start(cls, *, level: str = "strong", parallel: int = 1, remember: int = 0, **private: Any) -> Self:
        """A sandbox that is warm and has passed its self-test; InvalidInput when the level cannot be kept."""
        sandbox = cls(level=level, parallel=parallel, remember=remember, **private)
        try:
            require_passed(sandbox)
        except BaseException:
            sandbox.close()
            raise
        return sandbox

    @property
    def facts(self) -> dict[str, str | int]:
        """What belongs into a record: the level, and what it was built from on this machine."""
        return {
            "level": self.level,
            "landlock_abi": abi() if "landlock" in self._layers else 0,
            "kernel": platform.release(),
            "machine": platform.machine(),
        }

    def close(self) -> None:
        """End the server and everything below it; the next run would start another."""
        while self._holders:
            self._holders.pop().close()
        if self._server is not None:
            self._server.stop()
            self._server = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def run(
        self,
        functions: Sequence[FunctionSource],
        tables: Tables,
        *,
        limits: Limits | None = None,
        clock: datetime = CLOCK,
        seed: int = 0,
        frozen: str = "",
        fresh: bool = False,
    ) -> list[FunctionResult]:
        """Run every function over every row; results in the order of the functions.

        With randomness ``frozen`` for "calls", every call draws the same numbers, whatever was called before it; for
        "table", all numbers of one draw are the same as well.
        Results that the sandbox remembers are not computed again unless ``fresh``. A function that fails says so in its
        result. InfrastructureFailed means that our own processes died or were killed from outside: the run can be
        repeated.
        """
        limits = limits or Limits()
        request = self._request(limits, clock, seed, frozen)
        shared = _share(tables)
        keys = self._keys(functions, shared, request)
        cached = {} if fresh else {key: result for key in keys if (result := self._cache.get(key)) is not None}
        for function, key in zip(functions, keys, strict=True):
            allowance = function.allowance
            if key not in cached and allowance is not None and allowance.left <= 0:  # no process need start
                message = f"timeout: {allowance.used_up}"
                cached[key] = FunctionResult(name=function.name, status="timeout", message=message)
        missing = [function for function, key in zip(functions, keys, strict=True) if key not in cached]
        computed = iter(self._compute(missing, tables, shared, request, limits) if missing or not functions else [])
        results = [cached.get(key) or next(computed) for key in keys]
        if self._cache:
            for key, result in zip(keys, results, strict=True):
                self._cache.put(key, result)
        return results

    def run_states(
        self,
        function: FunctionSource,
        tables: GrowingTables,
        states: Sequence[PackedState],
        *,
        train: SharedTable | None = None,
        limits: Limits | None = None,
        clock: datetime = CLOCK,
    ) -> list[FunctionResult]:
        """Run one function in each of several states of its tables, until it fails in one; results state by state.

        All states are worked on in one process, which finds new names and new tables in each. So the results are those
        of :meth:`run` for functions that change nothing but these. The process never has later states in its memory.
        """
        if not states:
            return []
        limits = limits or Limits()
        static = Tables(rows=tables.columns, train=train, auxiliary=tables.static)
        shared = _share(static)
        request = {**self._request(limits, clock, 0), "states": tables.about}
        with self._guarded():
            own = {name: shared.pop(name) for name in _only_here(static)}
            job = Job(self._open(shared), request, limits, rows=0, own=own, auxiliary=list(static.auxiliary))
            return [job.settle(guest) for guest in job.run_states(function, states)]

    def _request(self, limits: Limits, clock: datetime, seed: int, frozen: str = "") -> dict[str, Json]:
        if clock.tzinfo is not None:
            raise InvalidInput(f"sandbox: clock must be without time zone (it is taken as UTC), got {clock!r}.")
        demand_whole(seed, "sandbox: seed")
        return {
            "clock": clock.isoformat(),
            "seed": seed,
            "frozen": frozen,
            "layers": self._layers,
            "seconds": limits.function_seconds,
            "memory_mb": limits.memory_mb,
            "output_mb": limits.output_mb,
        }

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """After the death of one process end all of them; the next run starts others."""
        try:
            yield
        except InfrastructureFailed:
            self.close()
            raise

    def _keys(
        self,
        functions: Sequence[FunctionSource],
        shared: Mapping[str, SharedTable],
        request: Mapping[str, Json],
    ) -> list[str]:
        if not self._cache:
            return [str(place) for place in range(len(functions))]
        content = [(name, table.digest) for name, table in shared.items()]
        return [self._cache.key(function, content, request) for function in functions]

    def _compute(
        self,
        functions: Sequence[FunctionSource],
        tables: Tables,
        shared: dict[str, SharedTable],
        request: Mapping[str, Json],
        limits: Limits,
    ) -> list[FunctionResult]:
        rows = shared["rows"].rows
        own = {name: shared[name] for name in _only_here(tables)}
        if len(functions) > 1 and sum(table.size for table in own.values()) > _LOADED_OFTEN:
            own = {}
        in_holder = {name: table for name, table in shared.items() if name not in own}
        with self._guarded():
            job = Job(self._open(in_holder), request, limits, rows=rows, own=own, auxiliary=list(tables.auxiliary))
            if self._parallel == 1 or len(functions) < 2:
                guests = [job.run(function) for function in functions]
            else:
                with ThreadPoolExecutor(min(self._parallel, len(functions))) as pool:
                    guests = list(pool.map(job.run, functions))
            return [job.settle(guest) for guest in guests]

    def _open(self, tables: Mapping[str, SharedTable]) -> Holder:
        """A process with these tables; that of one of the latest runs where it has them."""
        matching = [holder for holder in self._holders if holder.holds(tables) and holder.alive]
        reusable = [holder for holder in self._holders if holder.small and not holder.holds(tables)][-_KEPT:]
        for holder in self._holders:
            if holder not in reusable and holder not in matching:
                holder.close()
        self._holders = reusable
        holder = matching[0] if matching else self._start_holder(tables)
        self._holders.append(holder)
        return holder

    def _start_holder(self, tables: Mapping[str, SharedTable]) -> Holder:
        fresh = self._server is None
        if self._server is None:
            self._server = Server(self._user)
        try:
            return Holder(self._server, tables)
        except InfrastructureFailed:
            if fresh:
                raise
            self.close()  # it died while idle, which no run has noticed: start another
            return self._start_holder(tables)


def _only_here(tables: Tables) -> list[str]:
    """The tables that were given as frames, and so belong to one run."""
    return [name for name, table in _named(tables).items() if not isinstance(table, SharedTable)]


def _named(tables: Tables) -> dict[str, pd.DataFrame | SharedTable]:
    train = {} if tables.train is None else {"train": tables.train}
    return {"rows": tables.rows, **train, **{f"/{name}": table for name, table in tables.auxiliary.items()}}


def _share(tables: Tables) -> dict[str, SharedTable]:
    if len(tables.auxiliary) > _MAX_TABLES:
        raise InvalidInput(
            f"sandbox: got {len(tables.auxiliary)} auxiliary tables; at most {_MAX_TABLES} can be passed."
        )
    return {
        name: table if isinstance(table, SharedTable) else SharedTable(table, name.removeprefix("/"))
        for name, table in _named(tables).items()
    }
