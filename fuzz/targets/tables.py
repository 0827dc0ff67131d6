"""Sets, labels, probabilities, calibrations, tables and saved explainers: what conformal and cases read."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from assay.cases import CaseExplainer
from assay.cases.problem.reading import read_table, split_label
from assay.cli.conformal import _counts, _weights
from assay.conformal import MultiTaskConformalClassifier
from assay.conformal.calibration.calibration import Calibration
from assay.conformal.calibration.scores import parse_score
from assay.conformal.problem.reading import Tables, in_order, read_labels, read_matrices, read_sets
from assay.conformal.sets.counts import SetCounts, count_sets
from fuzz.containers import mutate_explainer, zipped
from fuzz.mutation import mutate, mutate_json
from fuzz.targets.target import Target, of_file, of_text

__all__ = ["table_targets"]

_ROWS = 8
_SCORES = ("hinge", "pip(own=False)", "raps(penalty=0.1, k_reg=2)", "aps(randomized=True)", "lac", "margin")


def table_targets(folder: Path) -> Iterator[Target]:
    """All of them."""
    yield from _sets(folder / "sets")
    yield from _calibrations(folder / "calibrations")
    yield from _cases(folder / "cases-files")


def _npz(arrays: Mapping[str, Any]) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def _parquet(frame: pd.DataFrame) -> bytes:
    stream = io.BytesIO()
    frame.to_parquet(stream, index=False)
    return stream.getvalue()


def _csv(frame: pd.DataFrame) -> bytes:
    return frame.to_csv(index=False).encode()


def _sets(folder: Path) -> Iterator[Target]:
    rng = np.random.default_rng(0)
    first, second = rng.dirichlet(np.ones(3), _ROWS), rng.dirichlet(np.ones(2), _ROWS)
    labels = rng.integers(0, 2, (_ROWS, 2))
    named = pd.DataFrame({f"digit:{c}": first[:, c] for c in range(3)})
    matrices = {"probabilities_0": first, "probabilities_1": second}
    members = {"sets_0": first > 0.3, "sets_1": second > 0.3}
    lists = pd.DataFrame({"digit": ["0 2", "", "1", "[0, 1]"] * 2, "sign": ["0", "1", "0,1", ""] * 2})
    frames = pd.DataFrame({"digit": [[0, 2], [], [1], [0, 1]] * 2, "sign": [[0], [1], [0, 1], []] * 2})
    like = Tables({"0": first, "1": second}, {})
    names = Tables({"digit": first}, {"digit": ("0", "1", "x")})

    def sets(path: Path) -> object:
        predicted, tables = read_sets(path, classes=(3, 2))
        return count_sets(predicted, [labels[:, task % 2] for task in range(len(tables.names))])

    def columns(path: Path) -> object:
        return in_order(read_matrices(path), like, path)

    seeds = {"npz": _npz(members), "csv": _csv(lists), "parquet": _parquet(frames)}
    for suffix, data in seeds.items():
        way = zipped() if suffix == "npz" else None
        yield of_file(f"sets {suffix}", folder / f"sets.{suffix}", sets, (data,), breaking=way)
    yield of_file("sets csv of classes", folder / "named.csv", sets, (_csv(named > 0.3),))
    yield of_file("probabilities npz", folder / "p.npz", columns, (_npz(matrices),), breaking=zipped())
    yield of_file("probabilities csv", folder / "p.csv", read_matrices, (_csv(named),))
    yield of_file("probabilities parquet", folder / "p.parquet", read_matrices, (_parquet(named),))
    table = pd.DataFrame({"0": labels[:, 0], "1": labels[:, 1]})
    words = pd.DataFrame({"digit": ["0", "1", "x", None] * 2})
    for suffix, data in {"npz": _npz({"y": labels}), "csv": _csv(table), "parquet": _parquet(table)}.items():
        way = zipped() if suffix == "npz" else None
        yield of_file(
            f"labels {suffix}", folder / f"y.{suffix}", lambda path: read_labels(path, like), (data,), breaking=way
        )
    yield of_file("labels by name", folder / "words.csv", lambda path: read_labels(path, names), (_csv(words),))


def _calibrations(folder: Path) -> Iterator[Target]:
    folder.mkdir(parents=True)
    rng = np.random.default_rng(1)
    probabilities = [rng.dirichlet(np.ones(3), 40), rng.dirichlet(np.ones(2), 40)]
    truth = [rng.integers(0, 3, 40), rng.integers(0, 2, 40)]
    model = MultiTaskConformalClassifier(alpha=0.2).calibrate(probabilities, np.column_stack(truth))
    model.save(folder / "model.json")
    seed = (folder / "model.json").read_bytes()
    inner = json.dumps(json.loads(seed)["calibration"]).encode()
    counts = json.dumps(count_sets([matrix > 0.3 for matrix in probabilities], truth).to_json()).encode()
    test = [matrix[:5] for matrix in probabilities]

    def use(path: Path) -> object:
        return Calibration.load(path).predict_sets(test)

    def tally(data: bytes) -> object:
        return SetCounts.from_json(json.loads(data)) if _is_object(data) else None

    yield of_file("calibration", folder / "calibration.json", use, (inner,), weight=10)
    yield of_file("conformal model", folder / "model.json", MultiTaskConformalClassifier.load, (seed,), weight=10)
    yield Target("tally", (counts,), tally, weight=10, mutate=mutate_json)
    yield of_text("score", parse_score, *_SCORES, weight=10)
    yield of_text("--classes", _counts, "10,2,2", "3", weight=5)
    yield of_file("--weights", folder / "weights.json", lambda path: _weights(str(path)), (b"[1, 2.5]",), weight=10)


def _is_object(data: bytes) -> bool:
    """Whether bytes are a JSON object at all: what comes from our own workers always is."""
    try:
        return isinstance(json.loads(data), dict)
    except (ValueError, RecursionError):
        return False


def _cases(folder: Path) -> Iterator[Target]:
    folder.mkdir(parents=True)
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"age": rng.normal(40, 9, 12).round(3), "plan": ["a", "b", None] * 4, "label": ["y", "n"] * 6})

    def labelled(path: Path) -> object:
        return split_label(read_table(path), "label", path=path, ignore=("plan",))

    yield of_file("cases table csv", folder / "a.csv", labelled, (_csv(frame),))
    yield of_file("cases table parquet", folder / "a.parquet", labelled, (_parquet(frame),), breaking=mutate)
    explainer = CaseExplainer(frame[["age", "plan"]], frame["label"], metadata={"id": list(range(12))}, k=3)
    explainer.save(folder / "saved.assay")
    seed = (folder / "saved.assay").read_bytes()

    def explain(path: Path) -> object:
        return CaseExplainer.load(path).explain_batch(frame[["age", "plan"]].head(2), predictions=["y", "n"])

    yield of_file("saved explainer", folder / "saved.assay", explain, (seed,), weight=2, breaking=mutate_explainer)
