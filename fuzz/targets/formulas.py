"""Formulas in every dialect, their tables and files, and the results of SRBench."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from assay.core import InvalidInput
from assay.formula import parse
from assay.formula.answer.model_files import read_formulas, subject_folders
from assay.formula.answer.precomputed import precomputed_answer
from assay.formula.answer.srbench import import_results, read_results
from assay.formula.competition.data import read_data_sets
from assay.formula.equivalence.sampling import parse_domain
from assay.formula.expression.dialects import DialectName
from assay.intake.columns import read_columns
from fuzz.targets.target import Target, of_file, of_text

__all__ = ["formula_targets"]

_TEXTS = (
    "x0*x0 + sin(x1)",
    "add(sin(X1), mul(X0, X0))",
    "((-1.0 + 2e-3 * X1 ^ 2) / sqrt(abs(X2)))",
    "I1+I2+2*(I1*I2)**0.5*cos(delta)",
    "log(exp(x_0)) / tanh(x[:,1]) - max(0, x_2)",
    "square(x0) + cube(x1) + inv(x2) - -(x3)",
    "x0**2**x1 % 3 // 2 + (x0 if x1 > 0 else 2)",
    "1e308*1e308 + pi*E + exp(exp(exp(700)))",
)
_RESULT = {
    "dataset": "feynman_I_6_2",
    "algorithm": "AFP",
    "symbolic_model": "x0*x0 + 1",
    "true_model": "y = x0**2 + 1",
    "random_state": 860,
    "target_noise": 0.01,
    "r2_test": 0.9,
    "model_size": 5,
    "time_time": 3.5,
    "symbolic_error_is_zero": True,
    "simplified_symbolic_model": "x0**2 + 1",
}


def _or_error(text: str, dialect: DialectName) -> object:
    """The formula; a text of one dialect may be refused in another."""
    try:
        return parse(text, dialect=dialect)
    except InvalidInput as error:
        return error


def formula_targets(folder: Path) -> Iterator[Target]:
    """All of them."""
    place = folder / "formulas"

    def every_dialect(text: str) -> object:
        return [_or_error(text, dialect) for dialect in get_args(DialectName)]

    yield of_text("formula", parse, *_TEXTS, weight=100)
    yield of_text("formula in dialects", every_dialect, *_TEXTS, weight=40)
    yield of_text("domain", parse_domain, "x=0:5, y=-1:1", "a=1e-3:2", weight=20)
    lines = b"# found\ny = x0 + 1\n\nf(x) = sin(x0)\n"
    yield of_file("formulas file", place / "f.txt", read_formulas, (lines,), weight=20)
    folder = place / "ready"
    yield of_file("ready formulas", folder / "t.txt", lambda path: precomputed_answer(path.parent, "t"), (lines,))
    numbers = b'x,"y, z",target\n' + b"".join(b"%d,%d.5,%d\n" % (row, row * 2, row * 3) for row in range(12))
    yield of_file("formula table", place / "t.csv", lambda path: read_columns(path, ("x", "target")), (numbers,))
    yield of_file("judged table", place / "judged" / "t.csv", lambda path: read_data_sets(path.parent), (numbers,))
    models = place / "models" / "mine" / "1"
    yield of_file("models folder", models / "t.txt", lambda _: subject_folders(place / "models"), (lines,), weight=2)
    yield from _srbench(place / "srbench")


def _srbench(folder: Path) -> Iterator[Target]:
    seed = json.dumps(_RESULT).encode()
    out = folder / "out"

    def imported(_: Path) -> object:
        try:
            return import_results(folder / "results", out / "here", compare=False)
        finally:
            shutil.rmtree(out, ignore_errors=True)

    yield of_file(
        "srbench result", folder / "one" / "r.json", lambda path: read_results(path.parent), (seed,), weight=10
    )
    yield of_file("srbench import", folder / "results" / "r.json.updated", imported, (seed,), weight=5)
