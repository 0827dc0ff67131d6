"""From an answer to evidence: what is run, what is trusted, what is said."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from assay.core import Problem, Setting, SubjectFailed
from assay.insight import TRACK, FeatureFunction, InsightAnswer, InsightTask, InsightTruth, generate, load
from assay.insight.examine.evidence import InsightEvidence
from assay.insight.examine.examination import describe, examine
from assay.insight.fits.forest import versions
from assay.insight.fits.forest.sklearn_engine import installed_version
from assay.insight.fits.measure import shared_fits
from assay.insight.metrics import METRICS
from assay.insight.subjects.builtin import ground_truth, target

LITE: dict[str, Setting] = {"N_RF_ESTIMATORS": 10}


@pytest.fixture(scope="module")
def problem(tmp_path_factory: pytest.TempPathFactory) -> Problem[InsightTask, InsightTruth]:
    return load(generate(tmp_path_factory.mktemp("problem"), seed=5, rows=120, timed=False, difficulty="easy"))


def score(problem: Problem[InsightTask, InsightTruth], answer: InsightAnswer, **settings: Setting) -> InsightEvidence:
    return examine(problem, answer, TRACK.configure({**LITE, **settings}))


def combined(evidence: InsightEvidence) -> float:
    return float(TRACK.metric("combined_score").function(evidence))


def code_only(problem: Problem[InsightTask, InsightTruth]) -> InsightAnswer:
    return replace(ground_truth(problem), functions=problem.truth.functions, train=None, test=None)


def shipped(problem: Problem[InsightTask, InsightTruth]) -> InsightAnswer:
    task, truth = problem.task, problem.truth
    return replace(
        code_only(problem),
        train=task.train.assign(**{column: truth.train[column] for column in truth.columns}),
        test=task.test.assign(**{column: truth.test[column] for column in truth.columns}),
    )


def test_columns_are_computed_from_their_functions(problem: Problem[InsightTask, InsightTruth]) -> None:
    evidence = score(problem, code_only(problem))
    trusted = score(problem, ground_truth(problem), trust_columns=True)
    assert combined(evidence) == combined(trusted)  # the functions reproduce the planted values
    assert [function.verdict for function in evidence.functions] == ["clean"] * len(problem.truth.columns)
    assert (evidence.target_leak, evidence.isolation) == (False, "strong")


def test_shipped_values_that_are_not_what_the_code_computes_are_pointed_out(
    problem: Problem[InsightTask, InsightTruth],
) -> None:
    truth, name = problem.truth, problem.truth.columns[0]
    forged = replace(
        ground_truth(problem),
        columns=(name,),
        functions=tuple(function for function in truth.functions if function.name == name),
        train=truth.train[[name]] + 1,
        test=truth.test[[name]] + 1,
    )
    evidence = score(problem, forged, check_leakage="never")
    assert any("shipped values differ" in note for note in evidence.notes)
    assert evidence.target_leak is None  # nobody looked
    honest = score(problem, replace(forged, train=None, test=None), check_leakage="never")
    assert combined(evidence) == combined(honest)  # what was shipped does not count


def test_a_leak_is_penalised_and_shown_with_evidence(problem: Problem[InsightTask, InsightTruth]) -> None:
    evidence = score(problem, target(problem), trust_columns=True, check_leakage="always")
    assert evidence.target_leak is True
    assert combined(evidence) < 0
    (function,) = evidence.functions
    assert (function.verdict, function.kind) == ("leak", "own label")
    assert function.evidence["rows"]


def test_without_its_label_a_leaking_function_has_nothing_to_give(problem: Problem[InsightTask, InsightTruth]) -> None:
    code = f"def peek(row):\n    return row.get({problem.task.target_column!r}, 0)\n"
    answer = InsightAnswer(solved_by="me", columns=("peek",), functions=(FeatureFunction(name="peek", code=code),))
    evidence = score(problem, answer)
    assert evidence.target_leak is True
    assert evidence.exclusive == 0.5  # computed without the target in the row: a constant


def test_a_function_that_fails_leaves_its_column_out_and_the_others_in(
    problem: Problem[InsightTask, InsightTruth],
) -> None:
    broken = FeatureFunction(name="broken", code="def broken(row):\n    return row['no such column']\n")
    answer = code_only(problem)
    answer = replace(answer, columns=(*answer.columns, "broken"), functions=(*answer.functions, broken))
    evidence = score(problem, answer)
    assert evidence.columns == problem.truth.columns
    assert any("'broken' is not scored" in note for note in evidence.notes)
    assert evidence.functions[-1].verdict == "inconclusive"
    assert "KeyError" in evidence.functions[-1].status


def test_functions_that_fail_in_some_rows_are_named_with_the_first_error(
    problem: Problem[InsightTask, InsightTruth],
) -> None:
    first = problem.task.train.columns[0]
    one_row = problem.task.train[first].iloc[7]
    names = [f"half_{number}" for number in range(7)]
    code = f"def {{}}(row): return 1 / (0 if row[{first!r}] == {one_row!r} else 1)"
    functions = [FeatureFunction(name=name, code=code.format(name)) for name in names]
    answer = InsightAnswer(solved_by="me", columns=tuple(names), functions=tuple(functions))
    notes = [note for note in score(problem, answer).notes if "failed in" in note]
    assert notes[0].startswith(
        "column 'half_0': its function failed in 1 row, which count as missing (exception at row"
    )
    assert "ZeroDivisionError" in notes[0]
    assert len(notes) == 6
    assert notes[-1] == "2 more functions failed in some rows"


def test_the_kind_of_a_failure_is_named_once(problem: Problem[InsightTask, InsightTruth]) -> None:
    listed = FeatureFunction(name="listed", code="def listed(row): return [1]")
    answer = InsightAnswer(solved_by="me", columns=("listed",), functions=(listed,))
    assert score(problem, answer).functions[0].status.startswith("invalid output at row 0: returned a list")


def test_values_without_code_need_trust_and_stay_unchecked(problem: Problem[InsightTask, InsightTruth]) -> None:
    with pytest.raises(SubjectFailed, match="--trust-columns"):
        score(problem, ground_truth(problem))
    evidence = score(problem, ground_truth(problem), trust_columns=True)
    assert (evidence.target_leak, evidence.isolation) == (None, "not run")
    assert describe(evidence)["trust_columns"] is True


def test_trusted_values_are_scored_without_running_a_line_of_code(problem: Problem[InsightTask, InsightTruth]) -> None:
    evidence = score(problem, target(problem), trust_columns=True)
    assert (evidence.target_leak, evidence.isolation) == (None, "not run")
    assert [function.status for function in evidence.functions] == ["not run"]


def test_what_needs_no_code_has_nothing_to_leak(problem: Problem[InsightTask, InsightTruth]) -> None:
    assert score(problem, InsightAnswer(solved_by="me", columns=())).target_leak is False
    promoted = score(problem, InsightAnswer(solved_by="me", columns=problem.task.base_columns))
    assert promoted.target_leak is False


def test_the_published_preset_takes_the_published_verdict_and_shows_ours_beside_it(
    problem: Problem[InsightTask, InsightTruth],
) -> None:
    name = problem.task.target_column
    hidden = f"def peek(row):\n    return 2 * float(row[{name[:2]!r} + {name[2:]!r}])\n"
    truth = problem.truth
    half = [problem.task.train, problem.task.test]
    answer = InsightAnswer(
        solved_by="me",
        columns=("peek",),
        functions=(FeatureFunction(name="peek", code=hidden),),
        train=half[0].assign(peek=2.0 * problem.task.train[name]),
        test=half[1].assign(**{name: truth.test_target, "peek": 2.0 * truth.test_target}),
    )
    quick = score(problem, answer, preset="insight-eval", trust_columns=True)
    assert (quick.target_leak, quick.functions[0].verdict) == (False, None)
    evidence = score(problem, answer, preset="insight-eval", trust_columns=True, check_leakage="always")
    assert evidence.target_leak is False  # a wrong arity, which the published check swallows
    assert evidence.functions[0].verdict == "leak"
    assert combined(evidence) > 0
    with pytest.raises(SubjectFailed, match="no columns"):  # run without labels in reach, the function has no value
        score(problem, answer, preset="insight-eval")


def test_the_published_rules_apply_to_computed_columns_unless_shipped_ones_are_trusted(
    problem: Problem[InsightTask, InsightTruth],
) -> None:
    given: dict[str, Setting] = {"preset": "insight-eval", "check_leakage": "never"}
    name, honest = problem.truth.columns[0], shipped(problem)
    trusted = score(problem, honest, trust_columns=True, **given)
    computed = score(problem, code_only(problem), **given)
    assert combined(computed) == combined(trusted)  # the functions reproduce the planted values
    assert computed.isolation == "strong"
    assert honest.train is not None
    evidence = score(problem, replace(honest, train=honest.train.assign(**{name: 0.0})), **given)
    assert combined(evidence) == combined(trusted)
    assert any(name in note for note in evidence.notes)


def test_evidence_is_described_in_full(problem: Problem[InsightTask, InsightTruth]) -> None:
    details = describe(score(problem, code_only(problem)))
    assert list(details) == [
        "preset",
        "problem_type",
        "target_leak",
        "isolation",
        "trust_columns",
        "solution_columns",
        "columns",
        "functions",
        "notes",
        "fits",
    ]
    columns = details["columns"]
    assert isinstance(columns, dict)
    assert set(columns) == set(problem.truth.columns)
    for name, words in zip(problem.truth.columns, problem.truth.descriptions, strict=True):
        assert columns[name]["description"] == words
        assert columns[name]["best_single_column"] in problem.truth.columns


def test_a_record_says_when_scikit_learn_grew_the_forests_because_its_version_is_not_verified(
    problem: Problem[InsightTask, InsightTruth], monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, Setting] = {"N_RF_ESTIMATORS": 7, "check_leakage": "never", "trust_columns": True}
    answer = shipped(problem)
    shared_fits().clear()
    monkeypatch.setattr(versions, "_checked", {installed_version(): True})
    exact = describe(score(problem, answer, **given))
    assert not any("forests" in str(note) for note in cast("list[str]", exact["notes"]))
    assert "scikit-learn" not in cast("dict[str, int]", exact["fits"])
    monkeypatch.setattr(versions, "_checked", {})
    monkeypatch.setattr(versions, "VERIFIED", ((0, 1, 0), (0, 2, 0)))
    for preset in ("spec", "insight-eval"):
        shared_fits().clear()
        own = describe(score(problem, answer, **given, preset=preset))
        assert set(cast("dict[str, int]", own["fits"])) <= {"scikit-learn", "direct", "no information"}
        notes = [note for note in cast("list[str]", own["notes"]) if note.startswith("forests: ")]
        assert len(notes) == 1
        assert f"scikit-learn {installed_version()} is not among the verified versions (0.1.0 to below" in notes[0]
    shared_fits().clear()


def test_every_metric_is_a_number_or_undefined(problem: Problem[InsightTask, InsightTruth]) -> None:
    evidence = score(problem, InsightAnswer(solved_by="me", columns=problem.task.base_columns))
    for metric in METRICS:
        value = metric.function(evidence)
        assert math.isnan(value) or -10 < value <= 1, metric.name


def test_solutions_given_as_folders_are_told_apart_by_problem(
    problem: Problem[InsightTask, InsightTruth], tmp_path: Path
) -> None:
    from assay.core import InvalidInput
    from assay.insight import evaluate, write_solution

    write_solution(tmp_path / "mine", ground_truth(problem))
    evidence = evaluate(problem, tmp_path / "mine", trust_columns=True, **LITE)
    body = evidence.to_json()
    for key in (
        *("preset", "problem", "subject", "problem_type", "naive_performance", "inclusive_performance"),
        *("exclusive_performance", "correlation_coverage", "incremental_performance_coverage", "predictive_coverage"),
        *("single_column_predictive_coverage", "coverage", "target_leak", "combined_score", "columns", "functions"),
        *("isolation", "seconds"),
    ):
        assert key in body, key
    assert body["target_leak"] is None
    with pytest.raises(InvalidInput, match="trust_columns"):
        evaluate(problem, tmp_path / "mine", **LITE)
