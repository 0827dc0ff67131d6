"""The track as a whole: known subjects in their order, runs that resume, workers that agree."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import assay.insight
from assay.core import Budget, Problem
from assay.harness import RunSpec, run
from assay.harness.driver.progress import NoProgress
from assay.harness.plan import Cell
from assay.insight import TRACK, InsightAnswer, InsightTask, InsightTruth, generate, load, write_solution

LITE = {"N_RF_ESTIMATORS": 10}
KINDS = ("binary", "multiclass", "regression")


def test_importing_the_track_loads_no_library_that_only_some_work_needs() -> None:
    ours = ("chat", "sandbox.host", "insight.generate.problems", "insight.subjects.llm", "insight.subjects.relational")
    heavy = {"numba", "scipy.stats", "sklearn", *(f"assay.{name}" for name in ours)}
    code = f"import sys, assay.insight; print({heavy!r} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("module", TRACK.preload)
def test_preloaded_modules_exist(module: str) -> None:
    assert find_spec(module) is not None


def combined(problem: Problem[InsightTask, InsightTruth], answer: InsightAnswer) -> tuple[float, float]:
    evidence = TRACK.examine(problem, answer, {**TRACK.settings, "trust_columns": True})
    return TRACK.metric("combined_score").function(evidence), TRACK.metric("coverage").function(evidence)


@pytest.mark.parametrize("seed", range(9))
def test_the_truth_comes_first_and_nothing_covers_little(seed: int, tmp_path: Path) -> None:
    kind = KINDS[seed % 3]
    family = ("shop", "clinic", "factory")[seed // 3 % 3]
    folder = generate(
        tmp_path,
        seed=1000 + seed,
        family=family,
        problem_type=kind,  # type: ignore[arg-type]
        rows=450,
        timed=seed % 2 == 0,
        difficulty=("easy", "medium", "hard")[seed // 3 % 3],
    )
    problem = load(folder)
    best, covered = combined(problem, TRACK.oracle(problem))
    assert covered >= 0.95  # on 300 training rows; the built-in problems have 600
    for name in ("base-columns", "nothing"):  # a good agent may be ahead of the truth by chance
        score, coverage = combined(problem, TRACK.subjects[name]().solve(problem.task, Budget(seed=0)))
        assert score < best, name
        if name == "nothing":
            assert coverage <= 0.3  # what is left for experts' columns that matter little


@pytest.mark.parametrize("preset", ["spec", *TRACK.presets])
def test_subjects_that_know_the_truth_are_scored_under_every_preset(preset: str, tmp_path: Path) -> None:
    problem = load(generate(tmp_path, seed=5, rows=90, difficulty="easy"))
    settings = TRACK.configure({"preset": preset, **LITE}) | dict(TRACK.privileged_settings)
    scores = {}
    for name, make in {"oracle": TRACK.oracle, **TRACK.privileged}.items():
        evidence = TRACK.examine(problem, make(problem), settings)
        scores[name] = {metric: TRACK.metric(metric).function(evidence) for metric in ("coverage", "combined_score")}
    assert scores["oracle"] == scores["ground-truth"]
    assert scores["oracle"]["coverage"] > 0.95
    assert scores["target"]["combined_score"] < 0.1 < scores["oracle"]["combined_score"]  # convicted


def test_every_built_in_problem_ranks_the_truth_first(tmp_path: Path) -> None:
    TRACK.builtin(tmp_path)
    for folder in sorted(tmp_path.iterdir()):
        problem = load(folder)
        best, covered = combined(problem, TRACK.oracle(problem))
        assert covered >= 0.98, folder.name
        for name in ("base-columns", "nothing"):
            assert combined(problem, TRACK.subjects[name]().solve(problem.task, Budget(seed=0)))[0] < best


@pytest.fixture(scope="module")
def forty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("forty")
    for seed in range(40):
        generate(folder, seed=seed, problem_type=KINDS[seed % 3], rows=90, timed=False)  # type: ignore[arg-type]
    return folder


def spec(problems: Path) -> RunSpec:
    return RunSpec(
        track="insight",
        problems=(str(problems),),
        subjects=("base-columns", "nothing", "ground-truth"),
        settings=LITE,
    )


class Interrupting(NoProgress):
    """Stops the run in the middle, as Ctrl-C would."""

    def __init__(self, after: int) -> None:
        self.left = after

    def advance(self, cell: Cell, status: str) -> None:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


@pytest.mark.soak
def test_an_interrupted_run_of_forty_problems_resumes_to_the_same_records(forty: Path, tmp_path: Path) -> None:
    whole = run([spec(forty)], out=tmp_path / "whole", workers=1)
    assert len(whole.records) == 120
    assert all(record.status == "ok" for record in whole.records)
    stopped = run([spec(forty)], out=tmp_path / "parts", workers=2, progress=Interrupting(after=50))
    assert stopped.interrupted
    resumed = run([spec(forty)], out=tmp_path / "parts", workers=2)
    assert 50 <= resumed.reused < 120
    assert [record.content() for record in resumed.records] == [record.content() for record in whole.records]


@pytest.mark.soak
def test_a_broken_solution_fails_its_cell_and_the_run_goes_on(forty: Path, tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    problems = sorted(path.name for path in forty.iterdir())[:6]
    chosen = tmp_path / "problems"
    chosen.mkdir()
    for name in problems:
        (chosen / name).symlink_to(forty / name)
        problem = load(forty / name)
        write_solution(agent / name, TRACK.oracle(problem))
    (agent / problems[0] / "solution_attributes.json").write_text("{not json")
    (agent / problems[1] / "enriched_test.csv").unlink()
    (agent / problems[2] / "enriched_train.csv").write_bytes(b"\xff\xfe\x00")
    attributes = agent / problems[3] / "solution_attributes.json"
    attributes.write_text(
        attributes.read_text().replace('"enriched_column_names": [', '"enriched_column_names": ["gone",')
    )
    shutil.rmtree(agent / problems[4])
    given = RunSpec(
        track="insight",
        problems=(str(chosen),),
        subjects=(str(agent), "nothing"),
        settings={**LITE, "trust_columns": True},
    )
    found = run([given], out=tmp_path / "out", workers=2)
    by_problem = {record.problem: record for record in found.records if record.subject == "agent"}
    assert [by_problem[name].status for name in problems] == ["failed"] * 5 + ["ok"]
    assert all(by_problem[name].scores["combined_score"] == 0.0 for name in problems[:5])
    assert by_problem[problems[4]].error_kind == "missing answer"
    assert all(by_problem[name].error for name in problems[:5])
    assert by_problem[problems[5]].scores["coverage"] > 0.9
    assert all(record.status == "ok" for record in found.records if record.subject == "nothing")


@pytest.mark.soak
def test_a_broken_problem_is_lost_with_its_reason_and_the_run_goes_on(tmp_path: Path) -> None:
    problems = tmp_path / "problems"
    names = [generate(problems, seed=seed, rows=90).name for seed in range(3)]
    table = problems / names[0] / "problem" / "data" / "train.csv"
    table.write_text(table.read_text().replace(load(problems / names[1]).task.target_column, "renamed", 1))
    found = run([spec(problems)], out=tmp_path / "out", workers=2)
    assert {record.problem for record in found.records} == set(names[1:])
    assert {lost.cell.problem for lost in found.lost} == {names[0]}
    assert all("target column" in lost.reason for lost in found.lost)


LEFT = """
    ColumnDifference ComputedColumn ComputedColumns DOMAINS FunctionFinding ProblemType RandomFeatures
    StaticFinding TableTime builtin choose_engine compare_with_shipped compute_columns declare_times decode
    encode ground_truth hand_over infer_problem_type published_leak read_times_file
"""


@pytest.mark.parametrize(
    "name", [*LEFT.split(), *sorted(set(assay.insight.metrics.__all__) - set(assay.insight.__all__))]
)
def test_a_name_that_left_the_top_still_answers_and_says_where_it_is(name: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"assay.insight.{name} has moved; .* use assay.insight.") as caught:
        found = getattr(assay.insight, name)
    home, _, _ = str(caught[0].message).rpartition(" use ")[2].rpartition(".")
    assert getattr(importlib.import_module(home), name) is found


def test_scoring_loads_neither_another_forest_nor_what_it_has_no_use_for() -> None:
    unused = ("sklearn", "scipy", "assay.report.page.html", "assay.harness", "assay.insight.leakage.check")
    code = (
        "import sys, assay.cli.insight, assay.insight\n"
        "from assay.insight.fits.forest.versions import version_doubt\n"
        "from assay.report import print_whole\n"
        f"version_doubt()\nprint([name for name in {unused!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
