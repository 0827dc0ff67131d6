"""Solutions, feature source, times, and what language models and guests reply: what the insight track reads."""

from __future__ import annotations

import json
import shutil
import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path

from assay.chat.reply import read_reply
from assay.core import get_track
from assay.insight.answer.answer import read_solution, ready_answer
from assay.insight.columns.calling import read_needs
from assay.insight.leakage.memorised import literal_volume
from assay.insight.leakage.static.notes import explain_source
from assay.insight.problem.handover import hand_over
from assay.insight.problem.times_file import read_times_file
from assay.insight.subjects.llm.extract import extract_functions
from assay.insight.subjects.llm.locked import _read as read_attempt
from assay.sandbox.frames import FrameTooLarge
from assay.sandbox.reply import MalformedReply, receive_reply
from fuzz.mutation import mutate_json
from fuzz.targets.target import Target, of_file, of_text, restored
from fuzz.targets.tracks import smallest

__all__ = ["insight_targets"]

_SOURCE = '''import pandas as pd
from math import log

RATE = {"a": 1.5, 'b': -2}

def debt(row, df_train, aux_dataframes):
    """How much is owed."""
    orders = aux_dataframes["orders.csv"]
    mine = orders[(orders["id"] == row["id"]) & (orders["day"] <= row["day"])]
    total = sum(x for x in mine["amount"] if x > 0)
    try:
        return total * RATE.get(row["kind"], 1) + df_train.groupby("city")["churn"].mean()[row["city"]]
    except (KeyError, ZeroDivisionError) as error:
        return None

share = lambda df: df["a"] / (df["b"] + 1)
'''
_TWISTED = """class A:
    def __getattr__(self, name): return getattr(self, name)
def debt(row, *args, k: "int" = 3, **kwargs):
    global debt
    match row:
        case {"chu" "rn": x, **rest} if (y := x): return f"{y!r:>{k}}"
        case [1, *_] | None: pass
    while True:
        with open("x") as f, A() as g: yield from f
        debt = eval("row['chu' + 'rn']"); break
    async def inner(): return [await z async for z in row]
    return row.get("".join(["ch", "urn"])), {**kwargs}, (lambda: debt)()
"""
_SOLUTION = {
    "solved_by": "me",
    "enriched_column_names": ["debt"],
    "solution_type": "SolutionType.FeatureEngineering",
    "new_feature_functions": [{"name": "share", "code": "def share(row): return 1"}],
    "sorted_feature_functions": {"0.9": {"name": "debt", "code": _SOURCE}, "n/a": {"name": "b", "code": "b = 1"}},
    "feature_descriptions": ["how much is owed"],
    "notes": ["one"],
}
_TIMES = {"time_column": "day", "tables": {"orders.csv": {"time_column": "day"}, "cities.csv": {"static": True}}}
_CHAT = {"choices": [{"message": {"content": "yes"}}], "usage": {"prompt_tokens": 7, "completion_tokens": 1}}


def insight_targets(folder: Path) -> Iterator[Target]:
    """All of them; the built-in problems of the track lie in the folder already."""
    place = folder / "solutions"
    yield from _solutions(place)
    yield from _sources()
    yield from _replies()
    yield of_file("times file", place / "times.json", read_times_file, (json.dumps(_TIMES).encode(),), weight=20)
    track = get_track("insight")
    problem, out = place / "problem", place / "out"
    shutil.copytree(smallest(track, folder / "insight"), problem)
    for name in ("problem.json", "data/test.csv"):
        path = problem / "problem" / name

        def handed_over(_: Path) -> None:
            try:
                hand_over(problem, out / "task")
            finally:
                shutil.rmtree(out, ignore_errors=True)

        yield restored(of_file(f"handover {name}", path, handed_over, (path.read_bytes(),), weight=2), path)


def _solutions(folder: Path) -> Iterator[Target]:
    table = b"id,debt\n" + b"".join(b"%d,%d.5\n" % (row, row) for row in range(10))
    seed = json.dumps(_SOLUTION).encode()
    for name in ("solution_attributes.json", "enriched_train.csv", "enriched_test.csv"):
        own = folder / f"ready-{name}" / "t"
        own.mkdir(parents=True)
        for part in ("train", "test"):
            (own / f"enriched_{part}.csv").write_bytes(table)
        (own / "solution_attributes.json").write_bytes(seed)
        data = seed if name.endswith(".json") else table
        yield of_file(f"solution {name}", own / name, lambda path: read_solution(path.parent), (data,), weight=10)
    bare = folder / "ready-bare" / "t" / "solution_attributes.json"
    yield of_file("ready solution", bare, lambda path: ready_answer(path.parent.parent, "t"), (seed,), weight=10)


def _sources() -> Iterator[Target]:
    def source(text: str) -> object:
        columns = ("id", "churn")
        return (
            explain_source(text, "debt", target="churn", tables=("orders.csv",)),
            read_needs(text, "debt", columns),
            literal_volume(text, known=columns),
        )

    fenced = f"Sure!\n```python\n{_SOURCE}```\nand\n~~~\n{_TWISTED}~~~"
    wrapped = json.dumps([{"code": _SOURCE, "why": {"code": "def a(row): return 2"}}])
    yield of_text("feature source", source, _SOURCE, _TWISTED, weight=10)
    yield of_text("model's functions", extract_functions, fenced, _SOURCE, f"```json\n{wrapped}\n```", weight=10)


def _replies() -> Iterator[Target]:
    chat = json.dumps(_CHAT).encode()
    parts = chat.replace(b'"yes"', b'[{"type": "text", "text": "yes"}, {"type": "image"}, 3]')

    def reply(data: bytes) -> object:
        return read_reply(data, seconds=0.1, attempts=1)

    yield Target("chat reply", (chat, parts), reply, weight=20, mutate=mutate_json)
    attempt = b'{"status": "ok", "message": "m", "values": [[1, 2.5, null], ["x"]], "failed": 0}'
    yield Target("trial reply", (attempt,), lambda data: read_attempt(data, (3, 1)), weight=20, mutate=mutate_json)
    header = b'{"status": "ok", "rows_failed": 0, "type": "double", "length": 3, "sizes": [-1, 24]}'
    words = b'{"status": "ok", "rows_failed": 1, "type": "string", "length": 3, "sizes": [1, 16, 3]}'
    column = struct.pack("<3d", 1.0, 2.0, 3.0)
    texts = b"\x07" + struct.pack("<4i", 0, 1, 2, 3) + b"abc"
    seeds = tuple(_framed(head) + _framed(body) for head, body in ((header, column), (words, texts)))
    yield Target("guest's reply", seeds, _guest_reply, weight=10)


def _framed(payload: bytes) -> bytes:
    from assay.sandbox.frames import send_frame

    ours, theirs = socket.socketpair()
    with ours, theirs:
        send_frame(ours, payload)
        return theirs.recv(1 << 16)


def _guest_reply(data: bytes) -> object:
    """The kinds of trouble that the sandbox's own protocol names are its clear errors."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(data[: 1 << 16])
        ours.shutdown(socket.SHUT_WR)
        try:
            return receive_reply(theirs, rows=3, cap=1 << 16, deadline=time.monotonic() + 5)
        except (MalformedReply, EOFError, TimeoutError, FrameTooLarge):
            return None
