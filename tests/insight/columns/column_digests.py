"""Columns of golden and generated problems as digests, so that two versions of the code can be compared.

``python -m tests.insight.columns.column_digests FILE`` writes them; columns_before.json was written before states of
tables were handed over as what they add.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.core import Problem
from assay.insight import FeatureFunction, InsightTask, InsightTruth, generate, load, read_solution
from assay.insight.columns.compute import ComputedColumns, compute_columns
from assay.insight.columns.spending import function_limits
from assay.insight.problem.task import ProblemType
from assay.sandbox import Sandbox

BEFORE = Path(__file__).parent / "columns_before.json"
GENERATED = 20

TimedProblem = Problem[InsightTask, InsightTruth]

# functions that keep state, write into what they are given, draw, ask for the time, or fail in some states
AWKWARD = {
    "counts_calls": "calls = []\ndef counts_calls(row, aux):\n    calls.append(1)\n    return len(calls)",
    "writes": (
        "def writes(row, aux):\n    seen = 0\n    for table in aux.values():\n        seen += int('mark' in table)\n"
        "        table['mark'] = 1\n        table.iloc[:, 0] = table.iloc[::-1, 0].to_numpy()\n"
        "    return f'{seen} {table.iloc[0, 0]}'"
    ),
    "drops": (
        "def drops(row, aux):\n    name = sorted(aux)[0]\n    size = len(aux[name])\n    aux.clear()\n    return size"
    ),
    "sizes": (
        "def sizes(row, aux):\n    parts = []\n    for name, table in aux.items():\n"
        "        places = [place * number for place, number in enumerate(table.index)]\n"
        "        kind = 'RangeIndex' if isinstance(table.index, pd.RangeIndex) else 'Index'\n"
        "        parts.append(f'{name}:{table.shape}:{sum(places)}:{kind}')\n"
        "    return ' '.join(parts)"
    ),
    "cells": "def cells(row, aux):\n    return '|'.join(table.tail(7).to_csv() for table in aux.values())",
    "types": "def types(row, aux):\n    return ' '.join(str(list(map(str, table.dtypes))) for table in aux.values())",
    "patches": (
        "def patches(row, aux):\n    old = pd.DataFrame.__len__\n"
        "    pd.DataFrame.__len__ = lambda table: old(table) + 1\n"
        "    return sum(map(len, aux.values()))"
    ),
    "draws": "def draws(row, aux):\n    return random.random() + np.random.random() + np.random.default_rng().random()",
    "clock": "def clock(row, aux):\n    return str(datetime.now()) + str(time.time())",
    "fails": (
        "def fails(row, aux):\n    if (row.name + sum(map(len, aux.values()))) % 3:\n"
        "        raise ValueError(row.name)\n    return 1"
    ),
    "labels": (
        "def labels(row, df_train, aux):\n    known = df_train.iloc[:, -1]\n"
        "    return f'{known.isna().sum()} {sum(map(len, aux.values()))}'"
    ),
    "whole": "def whole(df, aux):\n    return [sum(map(len, aux.values()))] * len(df)",
    "hidden_signature": "def made():\n    return lambda row, aux: len(aux) + row.name\nhidden_signature = made()",
}


def generated_problem(number: int) -> TimedProblem:
    """One of the generated timed problems; in every other one the rows of the tables stand in no order."""
    kinds: tuple[ProblemType, ...] = ("binary", "multiclass", "regression")
    family = ("shop", "clinic", "factory")[number // 3 % 3]
    with tempfile.TemporaryDirectory() as folder:
        problem_folder = generate(
            folder, seed=2300 + number, rows=60 + 5 * number, timed=True, family=family, problem_type=kinds[number % 3]
        )
        problem = load(problem_folder)
        tables = {
            name: table.sample(frac=1, random_state=number, ignore_index=number % 4 == 1) if number % 2 else table
            for name, table in problem.task.tables.items()
        }
        return replace(problem, task=replace(problem.task, tables=tables))


def digest(computed: ComputedColumns) -> dict[str, str]:
    """By name: every value to its last digit, the columns' types, what failed and how."""
    return {
        column.name: hashlib.sha256(
            repr(
                [
                    [column.status, column.message, column.rows_failed],
                    *([str(part.dtype), part.tolist()] for part in (column.train, column.test) if part is not None),
                ]
            ).encode()
        ).hexdigest()[:24]
        for column in computed.columns
    }


def awkward_functions() -> list[FeatureFunction]:
    """All of them."""
    return [FeatureFunction(name=name, code=code) for name, code in AWKWARD.items()]


def digest_generated(number: int, sandbox: Sandbox) -> dict[str, str]:
    """Of one generated problem: the truth's functions and the awkward ones."""
    problem = generated_problem(number)
    return digest(compute_columns(problem, [*problem.truth.functions, *awkward_functions()], sandbox=sandbox))


def golden_pairs() -> list[Path]:
    """Solutions of the golden problems, where ASSAY_BENCHMARKS points at them."""
    root = os.environ.get("ASSAY_BENCHMARKS")
    return sorted(Path(root).glob("insight/agents/*/*")) if root else []


def digest_golden(pair: Path, sandbox: Sandbox) -> dict[str, str]:
    """Of one golden problem: an agent's functions."""
    problem = load(pair.parents[2] / "problems" / pair.name)
    limits = function_limits(900.0)  # one of them needs half a minute, and a busy machine many times that
    return digest(compute_columns(problem, read_solution(pair).functions, sandbox=sandbox, limits=limits))


def all_digests() -> Iterator[tuple[str, dict[str, str]]]:
    """Generated and golden ones."""
    with Sandbox.start() as sandbox:
        for number in range(GENERATED):
            yield f"generated {number}", digest_generated(number, sandbox)
        for pair in golden_pairs():
            yield f"{pair.parent.name}/{pair.name}", digest_golden(pair, sandbox)


def main(arguments: list[str]) -> None:
    """Write all digests into a file."""
    results: dict[str, Any] = {}
    for name, digests in all_digests():
        results[name] = digests
        Path(arguments[0]).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
