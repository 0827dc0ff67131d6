"""The paths whose growth is measured: each makes its data for a size and returns what is to be timed.

``python -m benchmarks.growth_paths NAME SIZE`` measures one point in a process of its own: CPU seconds, children
included, and the peak of memory above the process before it had any data, the data included.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from benchmarks.measure import Cpu, folder_bytes
from benchmarks.memory import peak_mb, reset_peak, resident_mb
from benchmarks.stand_ins import IdlePool, Instant, finished, tiny_problems, tiny_run

Work: TypeAlias = Callable[[], "dict[str, float] | None"]  # figures beside time and memory
PATHS: dict[str, Callable[[int, Path], Work]] = {}


def _path(make: Callable[[int, Path], Work]) -> Callable[[int, Path], Work]:
    PATHS[make.__name__] = make
    return make


@_path
def cases_index(rows: int, folder: Path) -> Work:
    from assay.cases import CaseExplainer

    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(rows, 20)), rng.integers(0, 3, rows)
    queries, predicted = rng.normal(size=(200, 20)), rng.integers(0, 3, 200)

    def work() -> None:
        CaseExplainer(X, y, k=5).explain_batch(queries, predictions=predicted)

    return work


@_path
def conformal_evaluation(samples: int, folder: Path) -> Work:
    from assay.conformal import calibrate, count_sets

    rng = np.random.default_rng(7)
    probabilities = rng.random((samples, 10), dtype=np.float32) ** 4
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    labels = rng.integers(0, 10, samples)
    calibration = calibrate([probabilities[:2000]], [labels[:2000]], alpha=0.1)

    def work() -> None:
        count_sets(calibration.predict_sets([probabilities]), [labels])

    return work


@_path
def drift_reading(cases: int, folder: Path) -> Work:
    from assay.drift.logs.read import read_log
    from benchmarks.drift_xes import write_log

    path = folder / "Generated.xes"
    write_log(path, cases=cases)

    def work() -> None:
        assert len(read_log(path)) == cases

    return work


@_path
def drift_explaining(documents: int, folder: Path) -> Work:
    from assay.drift.documents.document import Corpus
    from assay.drift.explanation.explainer import DriftExplainer
    from assay.drift.generate.problems import draw_problem
    from assay.drift.problem.task import profile_of

    task = draw_problem("growth", seed=[5, 1], difficulty="medium").task
    corpus = list(task.corpus)
    texts = {}
    for number in range(documents):
        own = corpus[number % len(corpus)]
        texts[f"{number:05d}_{own.name}.txt"] = f"{own.text}\n\nReference {number}, file {number * 7919 % 10007}."

    def work() -> None:
        explainer = DriftExplainer(Corpus.from_texts(texts), glossary=task.glossary)
        for drift in task.drifts:
            explainer.explain(drift, profile_of(task, drift))

    return work


@_path
def formula_examination(rows: int, folder: Path) -> Work:
    from assay.core import Problem
    from assay.formula.examine.examination import examine, oracle
    from assay.formula.generate.problems import make_problem

    generated, _ = make_problem("extrapolation", "medium", (2022, rows % 2), rows=rows, test_rows=rows)
    problem = Problem(id="growth", digest="growth", task=generated.task, truth=generated.truth)
    answer = oracle(problem)

    def work() -> None:
        examine(problem, answer, {})

    return work


@_path
def insight_scoring(rows: int, folder: Path) -> Work:
    from assay.insight import evaluate, generate, load
    from assay.insight.subjects.builtin import ground_truth

    problem = load(generate(folder, seed=1, rows=rows, difficulty="easy"))

    def work() -> None:
        evaluate(problem, ground_truth(problem), trust_columns=True, check_leakage="never")

    return work


@_path
def insight_verification(rows: int, folder: Path) -> Work:
    from assay.insight import check_leakage, generate, load
    from assay.insight.columns.compute import compute_columns
    from assay.sandbox import Sandbox

    problem = load(generate(folder, seed=1, rows=rows, difficulty="easy"))

    def work() -> None:
        with Sandbox.start() as sandbox:
            compute_columns(problem, problem.truth.functions, sandbox=sandbox)
            check_leakage(problem, problem.truth.functions, sandbox=sandbox)

    return work


def _planning(problems: int, subjects: int, folder: Path) -> Work:
    from assay.harness import make_plan, prepare

    spec = tiny_run(tiny_problems(folder / "problems", problems), subjects=subjects)

    def work() -> None:
        plan = make_plan(prepare(spec), out=folder / "out")
        assert len(plan.cells) == problems * subjects

    return work


@_path
def planning_problems(problems: int, folder: Path) -> Work:
    return _planning(problems, 5, folder)


@_path
def planning_subjects(subjects: int, folder: Path) -> Work:
    return _planning(200, subjects, folder)


@_path
def committing(cells: int, folder: Path) -> Work:
    from assay.harness import run

    spec = tiny_run(tiny_problems(folder / "problems", cells // 10), subjects=10)

    def work() -> dict[str, float]:
        assert run([spec], out=folder / "out", runner=Instant()).solved == cells
        return {"bytes": folder_bytes(folder / "out")}

    return work


@_path
def resuming(cells: int, folder: Path) -> Work:
    from assay.harness import run

    committing(cells, folder)()
    spec = tiny_run(folder / "problems", subjects=10)

    def work() -> None:
        assert run([spec], out=folder / "out", runner=Instant()).reused == cells

    return work


@_path
def report(cells: int, folder: Path) -> Work:
    from assay.report import load, write_html

    committing(cells, folder)()

    def work() -> dict[str, float]:
        page = folder / "report.html"
        write_html(load(folder / "out"), page)
        return {"bytes": page.stat().st_size}

    return work


@_path
def dispatching(workers: int, folder: Path) -> Work:
    """A thousand cells, 50 subjects a problem; the driver's own CPU is what counts."""
    from assay.harness import make_plan, prepare
    from assay.harness.execute import Job
    from assay.harness.runners.dispatch import dispatch

    spec = tiny_run(tiny_problems(folder / "problems", 40), subjects=50)
    jobs = [Job(cell=cell) for cell in make_plan(prepare(spec), out=folder / "out").cells]
    finished(jobs[0].cell, np.random.default_rng(0))

    def work() -> dict[str, float]:
        before = _own_cpu()
        count = sum(1 for _ in dispatch(iter(jobs), IdlePool(workers)))
        assert count == len(jobs)
        return {"driver_ms": 1000 * (_own_cpu() - before) / len(jobs)}

    return work


@_path
def running(workers: int, folder: Path) -> Work:
    """Real cells with a process each: their CPU must not depend on how many workers there are."""
    from assay.harness import run

    spec = tiny_run(tiny_problems(folder / "problems", 40), subjects=10)

    def work() -> None:
        assert run([spec], out=folder / "out", workers=workers).solved == 400

    return work


def _own_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def measure(name: str, size: int, warm: int) -> dict[str, Any]:
    """One point; a small one first, so that kernels are compiled and libraries loaded."""
    make = PATHS[name]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "warm").mkdir()
        (Path(folder) / "point").mkdir()
        make(warm, Path(folder) / "warm")()
        idle = resident_mb()
        work = make(size, Path(folder) / "point")
        reset_peak()  # what making the data took besides does not count
        with Cpu() as cpu:
            figures = work()
        return {"cpu": cpu.seconds, "memory_mb": peak_mb() - idle, **(figures or {})}


if __name__ == "__main__":
    print("RESULT" + json.dumps(measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
