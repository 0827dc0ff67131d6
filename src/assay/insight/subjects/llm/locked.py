"""A candidate function at work in a child of this process that is locked down first.

The agent's own process may be confined already and may hold a key. A child of it gets the guest's layers on top: no
environment, no files but libraries, no network, no processes, less memory, and a time after which it is killed.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import time
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, NoReturn, TypeGuard

import pandas as pd

from assay.core.contract.lookup import what_exists
from assay.insight.answer.functions import source_lines
from assay.insight.subjects.llm.extract import Candidate
from assay.sandbox import CLOCK
from assay.sandbox.forking import fork_child
from assay.sandbox.frames import FrameTooLarge, receive_frame, write_frame
from assay.sandbox.guest.call import SignatureUnknown, plan_call
from assay.sandbox.guest.namespace import fill_namespace, seed_randomness
from assay.sandbox.guest.output import NotAValue, plain_value
from assay.sandbox.guest.rows import RowSource
from assay.sandbox.lockdown.landlock import open_places
from assay.sandbox.lockdown.limits import mapped_bytes
from assay.sandbox.lockdown.lockdown import LAYERS, library_folders, lock_down, require
from assay.sandbox.reply import clean_text

__all__ = ["Attempt", "View", "attempt"]

_CAP = 64 << 20  # bytes of a reply
_LONGEST = 400  # characters of a message
_LONGEST_LINE = 120


class View(NamedTuple):
    """Rows of the primary table without the target, and the tables that they may see.

    With ``only``, functions of one row are called for those places; the others' values are None.
    """

    rows: pd.DataFrame
    tables: Mapping[str, pd.DataFrame]
    only: frozenset[int] | None = None


class Attempt(NamedTuple):
    """The values of a function for each view, or why there are none.

    ``message`` tells of the first failure: in the view and, of a function of one row, at the row given.
    """

    status: str  # "ok", "exception", "timeout", "memory", "crashed", "invalid output"
    message: str = ""
    values: tuple[tuple[Any, ...], ...] = ()
    rows_failed: tuple[int, ...] = ()  # of each view
    view: int = 0
    row: int | None = None


def attempt(candidate: Candidate, views: Sequence[View], *, seconds: float, memory_mb: float) -> Attempt:
    """Run a function over the rows of each view; InvalidInput where this machine cannot lock a child down."""
    require("strong")
    places = open_places(library_folders())
    mapped = mapped_bytes()
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            bounds = {"seconds": seconds, "memory_mb": memory_mb, "mapped": mapped}
            pid = fork_child(partial(_child, candidate, views, theirs.fileno(), places, bounds))
        for place in places:
            os.close(place)
        try:
            raw = receive_frame(ours, cap=_CAP, deadline=time.monotonic() + seconds)
            return _read(raw, [len(view.rows) for view in views])
        except TimeoutError:
            return Attempt("timeout", f"no result within {seconds:g} s")
        except FrameTooLarge:
            return Attempt("invalid output", "the values take too much room")
        except (EOFError, OSError):
            return Attempt("crashed", "its process ended without a result")
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _child(
    candidate: Candidate, views: Sequence[View], channel: int, places: list[int], bounds: Mapping[str, Any]
) -> None:
    """Everything from here on happens in the child, which never returns."""
    warnings.simplefilter("ignore")
    seed_randomness(0)
    names = fill_namespace(CLOCK)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    lock_down(LAYERS, keep=channel, readable=places, **bounds)
    try:
        reply = _run(candidate, views, names)
    except MemoryError:
        names.clear()
        reply = {"status": "memory", "message": f"needed more than {bounds['memory_mb']:g} MB"}
    write_frame(channel, json.dumps(reply).encode())


class _Tables(dict[str, pd.DataFrame]):
    """A missing key leaves this frame in the traceback, by which a message can list the keys that exist."""

    def __missing__(self, key: object) -> NoReturn:
        raise KeyError(key)


def _run(candidate: Candidate, views: Sequence[View], names: dict[str, Any]) -> dict[str, Any]:
    """The reply: values of each view, and the first failure with its view and row."""
    failed: list[int] = []
    first: dict[str, Any] = {}
    columns: list[list[Any]] = []
    called = 0
    try:
        exec(compile(candidate.code, f"<{candidate.name}>", "exec", dont_inherit=True), names)
        function = names[candidate.name]
        for number, view in enumerate(views):
            plan = plan_call(function, view.rows.columns)
            if plan.needs("train"):
                raise SignatureUnknown("df_train is not given; take (df, aux_dataframes) or (row, aux_dataframes)")
            rest = [_Tables(view.tables) for _ in plan.positional[1:]]
            named = {name: _Tables(view.tables) for name, _ in plan.named}
            failed.append(0)
            if plan.vectorised:
                called += len(view.rows)
                columns.append(_whole(function(view.rows.copy(), *rest, **named), view.rows.index))
                continue
            values: list[Any] = []
            for place, row in enumerate(RowSource(view.rows)):
                if view.only is not None and place not in view.only:
                    values.append(None)
                    continue
                called += 1
                try:
                    values.append(plain_value(function(row[plan.key] if plan.key else row, *rest, **named)))
                except MemoryError:
                    raise
                except BaseException as error:  # noqa: BLE001 - whatever it raises fails this row
                    values.append(None)
                    failed[-1] += 1
                    first = first or {"message": _describe(error, candidate), "view": number, "row": place}
            columns.append(values)
    except MemoryError:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever it raises, also SystemExit, is its failure
        return {"status": "exception", "message": _describe(error, candidate), "view": max(len(failed) - 1, 0)}
    if called and sum(failed) == called:
        return {"status": "exception", **first}
    return {"status": "ok", **first, "failed": failed, "values": columns}


def _whole(result: Any, index: pd.Index) -> list[Any]:
    """The values of a table function in the order of its rows."""
    if isinstance(result, pd.DataFrame) and result.shape[1] == 1:
        result = result.iloc[:, 0]
    if isinstance(result, pd.Series) and not result.index.equals(index) and result.index.is_unique:
        if len(result) != len(index) or not result.index.isin(index).all():
            raise NotAValue("the returned Series has another index than df; end with .reindex(df.index)")
        result = result.reindex(index)
    listed = list(result)
    if len(listed) != len(index):
        raise NotAValue(f"returned {len(listed)} values for {len(index)} rows")
    return [plain_value(value) for value in listed]


def _describe(error: BaseException, candidate: Candidate) -> str:
    """Type, message, the line of the function's own source with its text, and which names exist instead."""
    trace, number = error.__traceback__, 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == f"<{candidate.name}>":
            number = trace.tb_lineno
        trace = trace.tb_next
    text = " ".join(f"{type(error).__name__}: {error}".split())[:_LONGEST]
    lines = source_lines(candidate.code)
    line = f" (line {number}: {lines[number - 1].strip()[:_LONGEST_LINE]})" if 0 < number <= len(lines) else ""
    hint = what_exists(error)
    return f"{text}{line}.{hint}" if hint else f"{text}{line}"


def _read(raw: bytes, sizes: Sequence[int]) -> Attempt:
    """An untrusted reply."""
    wrong = Attempt("invalid output", "the reply does not follow the protocol")
    try:
        reply = json.loads(raw)
    except (ValueError, RecursionError):
        return wrong
    if not isinstance(reply, dict):
        return wrong
    message, view, row = clean_text(reply.get("message")), reply.get("view", 0), reply.get("row")
    if not _is_place(view, len(sizes)) or not (row is None or _is_place(row, sizes[view])):
        return wrong
    if reply.get("status") != "ok":
        return Attempt("memory" if reply.get("status") == "memory" else "exception", message, view=view, row=row)
    columns, failed = reply.get("values"), reply.get("failed")
    if not isinstance(columns, list) or [len(c) if isinstance(c, list) else -1 for c in columns] != list(sizes):
        return wrong
    plain = all(value is None or isinstance(value, bool | int | float | str) for column in columns for value in column)
    if not plain or not isinstance(failed, list) or len(failed) != len(sizes):
        return wrong
    if not all(_is_place(count, size + 1) for count, size in zip(failed, sizes, strict=True)):
        return wrong
    return Attempt("ok", message, tuple(map(tuple, columns)), tuple(failed), view, row)


def _is_place(value: object, size: int) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < size
