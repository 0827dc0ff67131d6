"""Inside a guest: one function over the rows of its tables, in a process of its own that is locked down first.

What comes out is a JSON header and the buffers of one Arrow column. The host trusts neither.
"""

from __future__ import annotations

import json
import os
import re
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from types import CodeType
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from assay.core.contract.lookup import what_exists
from assay.sandbox.frames import LOCKED, read_frame, write_frame
from assay.sandbox.guest.attempts import Attempts
from assay.sandbox.guest.call import CallPlan, SignatureUnknown, plan_call
from assay.sandbox.guest.growing import GrownTables
from assay.sandbox.guest.namespace import fill_namespace, seed_randomness
from assay.sandbox.guest.output import NotAValue, build_column, plain_value
from assay.sandbox.guest.tables import LoadedTables
from assay.sandbox.lockdown.lockdown import library_places, lock_down

__all__ = ["run_guest"]

_MAX_MESSAGE = 400
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}")


class _Failed(Exception):
    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


def run_guest(channel: int, tables: LoadedTables, readable: Sequence[int]) -> NoReturn:
    """Read a request, lock down, run the function, answer, end. Everything after the lock-down is untrusted.

    A request with states of tables is answered state by state, with new names and new tables each time.
    """
    request = json.loads(read_frame(channel))
    warnings.simplefilter("ignore")
    frozen = str(request["frozen"])
    randomness = seed_randomness(request["seed"], frozen=frozen)
    namespace = fill_namespace(datetime.fromisoformat(request["clock"]))
    grown = GrownTables(request["states"], tables) if "states" in request else None
    limits = {"seconds": request["seconds"], "memory_mb": request["memory_mb"]}
    lock_down(request["layers"], keep=channel, readable=readable, **limits)
    attempts = Attempts(request["name"], request["code"], library_places())
    write_frame(channel, LOCKED)
    attempts.watch()
    before_each = randomness.put_back if frozen else None
    while True:
        if grown is not None:
            grown.receive(read_frame(channel))
        names = namespace if grown is None else dict(namespace)
        header, buffers = _reply(request, names, grown or tables, before_each)
        header["attempts"] = list(attempts.noted)
        write_frame(channel, json.dumps(header).encode())
        write_frame(channel, b"".join(buffers))
        if grown is None:
            os._exit(0)


def _reply(
    request: Mapping[str, Any],
    namespace: dict[str, Any],
    tables: LoadedTables | GrownTables,
    before_each: Callable[[], object] | None,
) -> tuple[dict[str, Any], list[bytes]]:
    try:
        return _answer(request, namespace, tables, before_each)
    except _Failed as failure:
        return {"status": failure.status, "message": str(failure)[:_MAX_MESSAGE]}, []
    except MemoryError:
        namespace.clear()
        return {"status": "memory", "message": ""}, []


def _answer(
    request: Mapping[str, Any],
    namespace: dict[str, Any],
    source: LoadedTables | GrownTables,
    before_each: Callable[[], object] | None,
) -> tuple[dict[str, Any], list[bytes]]:
    function = _define(request["name"], request["code"], namespace)
    try:
        plan = plan_call(function, source.columns)
    except SignatureUnknown as error:
        raise _Failed("exception", f"cannot be called: {error}") from None
    tables = source.fresh(plan) if isinstance(source, GrownTables) else source
    if plan.needs("train") and tables.train is None:
        raise _Failed("exception", "cannot be called: it takes df_train, and there is none here")
    values, trouble = _whole(function, plan, tables) if plan.vectorised else _each(function, plan, tables, before_each)
    if trouble.count and trouble.count == len(values):
        raise _Failed(trouble.status, trouble.message)
    column = build_column(values)
    if column.nbytes > request["output_mb"] * (1 << 20):
        size = f"{column.nbytes / (1 << 20):.0f} MB"
        raise _Failed("invalid output", f"a column of {size}, at most {request['output_mb']:g} MB are allowed")
    buffers = [None if buffer is None else buffer.to_pybytes() for buffer in column.buffers()]
    header = {
        "status": "ok",
        "message": trouble.message[:_MAX_MESSAGE],
        "rows_failed": trouble.count,
        "type": str(column.type),
        "length": len(column),
        "sizes": [-1 if buffer is None else len(buffer) for buffer in buffers],
    }
    return header, [buffer for buffer in buffers if buffer is not None]


@lru_cache(maxsize=1)
def _compiled(name: str, code: str) -> CodeType:
    return compile(code, f"<{name}>", "exec", dont_inherit=True)


def _define(name: str, code: str, namespace: dict[str, Any]) -> Callable[..., Any]:
    before = set(namespace)
    try:
        exec(_compiled(name, code), namespace)
    except MemoryError:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever the code raises, also SystemExit, is its failure
        raise _Failed("exception", f"exception in the code around the function: {_describe(error, name)}") from None
    function = namespace.get(name)
    if callable(function):
        return function  # type: ignore[no-any-return]
    defined = [key for key in namespace if key not in before and hasattr(namespace[key], "__code__")]
    listed = f"it defines {', '.join(sorted(defined)[:5])}" if defined else "it defines no function"
    raise _Failed("exception", f"the code has no function named {name!r}: {listed}")


class _Trouble:
    """How many rows failed, and how the first of them did."""

    def __init__(self) -> None:
        self.count = 0
        self.status = ""
        self.message = ""

    def add(self, place: int, error: BaseException, name: str) -> None:
        self.count += 1
        if self.count == 1:
            wrong = isinstance(error, NotAValue)
            self.status = "invalid output" if wrong else "exception"
            what = f"invalid output at row {place}: {error}" if wrong else ""
            self.message = what or f"exception at row {place}: {_describe(error, name)}"


def _each(
    function: Callable[..., Any],
    plan: CallPlan,
    tables: LoadedTables,
    before_each: Callable[[], object] | None = None,
) -> tuple[list[Any], _Trouble]:
    values: list[Any] = []
    trouble = _Trouble()
    rest = [_shared(source, tables) for source in plan.positional[1:]]
    named = {name: _shared(source, tables) for name, source in plan.named}
    for place, row in enumerate(_firsts(plan, tables)):
        if before_each is not None:
            before_each()
        try:
            values.append(plain_value(function(row, *rest, **named)))
        except MemoryError:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever the function raises, also SystemExit, fails this row
            values.append(None)
            trouble.add(place, error, _source_name(function))
    return values, trouble


def _firsts(plan: CallPlan, tables: LoadedTables) -> Iterator[Any]:
    return iter(tables.rows) if not plan.key else (row[plan.key] for row in tables.rows)


class _TablesByName(dict[str, pd.DataFrame]):
    """A dictionary in every way; a missing key leaves its trace, so that the failure can list what is there."""

    def __missing__(self, key: object) -> NoReturn:
        raise KeyError(key)


def _shared(source: str, tables: LoadedTables) -> Any:
    return tables.train if source == "train" else _TablesByName(tables.auxiliary)


def _whole(function: Callable[..., Any], plan: CallPlan, tables: LoadedTables) -> tuple[list[Any], _Trouble]:
    rest = [_shared(source, tables) for source in plan.positional[1:]]
    named = {name: _shared(source, tables) for name, source in plan.named}
    labels = tables.frame.index
    try:
        result = function(tables.frame.copy(), *rest, **named)
    except MemoryError:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever the function raises, also SystemExit, is its failure
        raise _Failed("exception", f"exception: {_describe(error, _source_name(function))}") from None
    if isinstance(result, pd.DataFrame) and result.shape[1] == 1:
        result = result.iloc[:, 0]
    if isinstance(result, pd.Series) and _is_reordering(result.index, labels):
        result = result.reindex(labels)  # sorted or grouped on the way: put back in place
    if not isinstance(result, pd.Series | pd.Index | np.ndarray | list | tuple) or isinstance(result, pd.MultiIndex):
        raise _Failed("invalid output", f"returned a {type(result).__name__}; a table function returns one column")
    listed = list(result)
    if len(listed) != len(labels):
        raise _Failed("invalid output", f"returned {len(listed)} values for {len(labels)} rows")
    values: list[Any] = []
    trouble = _Trouble()
    for place, value in enumerate(listed):
        try:
            values.append(plain_value(value))
        except NotAValue as error:
            values.append(None)
            trouble.add(place, error, "")
    return values, trouble


def _source_name(function: Callable[..., Any]) -> str:
    """The name that a function's source was compiled under, by which its lines are found in a traceback."""
    return str(getattr(getattr(function, "__code__", None), "co_filename", "")).strip("<>")


def _is_reordering(index: pd.Index, labels: pd.Index) -> bool:
    same = labels.is_unique and index.is_unique and len(index) == len(labels)
    return same and not index.equals(labels) and bool(index.isin(labels).all())


def _describe(error: BaseException, name: str) -> str:
    """Type, message and line of the source; addresses are masked, so that equal failures give equal texts."""
    line = next(
        (
            frame.lineno
            for frame in reversed(traceback.extract_tb(error.__traceback__))
            if frame.filename == f"<{name}>"
        ),
        error.lineno if isinstance(error, SyntaxError) else None,
    )
    text = " ".join(str(error).split())[: _MAX_MESSAGE - 100]
    place = f" (line {line})" if line else ""
    hint = what_exists(error)
    return _ADDRESS.sub("0x…", f"{type(error).__name__} {text}".strip()) + (f"{place}.{hint}" if hint else place)
