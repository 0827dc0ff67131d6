from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.core import InvalidInput, Problem
from assay.insight.answer.functions import FeatureFunction
from assay.insight.leakage.check import check_leakage
from assay.insight.leakage.verdict import LeakVerdict
from assay.insight.problem.task import InsightTask, InsightTruth, TableTime
from assay.insight.problem.times_file import DeclaredTimes
from assay.sandbox import Limits, Sandbox

Loans = Problem[InsightTask, InsightTruth]
Feature = Callable[..., FeatureFunction]

OTHERS = "df_train[(df_train.city == row['city']) & (df_train.loan_id != row['loan_id'])]"
MINE = "t = aux['calls.csv']; t = t[t.loan_id == row['loan_id']]"


def judge(problem: Loans, function: FeatureFunction, sandbox: Sandbox, **options: Any) -> LeakVerdict:
    report = check_leakage(problem, [function], sandbox=sandbox, **options)
    (verdict,) = report.functions
    assert report.target_leak == (verdict.verdict == "leak")
    return verdict


@pytest.mark.parametrize(
    ("returns", "takes"),
    [
        ("row['default']", "row"),
        ("1e10 + row.values[-1]", "row"),
        ("'x' * 20 + str(row.to_dict()['def' + 'ault'])", "row"),
        ("df_train.loc[row.name, 'default'] if row.name in df_train.index else 0", "row, df_train"),
        ("df_train[df_train.city == row['city']]['default'].mean()", "row, df_train"),
        ("row['amount'] * df_train['default'].mean()", "row, df_train"),
        ("df.groupby('city')['default'].transform('mean')", "df"),
    ],
)
def test_reading_the_own_label_anywhere_is_a_leak(
    loans: Loans, sandbox: Sandbox, feature: Feature, returns: str, takes: str
) -> None:
    verdict = judge(loans, feature(returns, takes=takes), sandbox)
    assert (verdict.verdict, verdict.kind, verdict.status) == ("leak", "own label", "ok")
    rows = verdict.evidence["rows"]
    assert isinstance(rows, list)
    assert all(isinstance(row, dict) and row["before"] != row["after"] for row in rows)


def test_a_leak_in_one_row_of_ninety_is_found(loans: Loans, sandbox: Sandbox, feature: Feature) -> None:
    number = int(loans.task.train["loan_id"].iloc[37])
    verdict = judge(loans, feature(f"row['default'] if row['loan_id'] == {number} else 0"), sandbox)
    assert verdict.verdict == "leak"
    assert [row["row"] for row in verdict.evidence["rows"]] == [37]  # type: ignore[union-attr, call-overload, index]


def test_a_leak_in_few_rows_does_not_hide_behind_means_of_other_labels(
    loans: Loans, sandbox: Sandbox, feature: Feature
) -> None:
    hidden = f"row['default'] if row['amount'] > 8.5 else {OTHERS}['default'].mean()"
    assert (loans.task.train["amount"] > 8.5).sum() < 9
    verdict = judge(loans, feature(hidden, takes="row, df_train"), sandbox)
    assert (verdict.verdict, verdict.kind) == ("leak", "own label")


def test_evidence_points_to_the_line(loans: Loans, sandbox: Sandbox) -> None:
    function = FeatureFunction(name="f", code="def f(row):\n    a = 1\n    return a + row['default']\n")
    verdict = judge(loans, function, sandbox)
    assert verdict.evidence["line"] == 3
    assert "default" in str(verdict.evidence["words"])
    assert verdict.to_json()["name"] == "f"


@pytest.mark.parametrize(
    ("returns", "takes"),
    [
        (f"{OTHERS}['default'].mean()", "row, df_train"),
        ("(len(df_train) * df_train['default'].mean() - row.get('default', 0)) / (len(df_train) - 1)", "row, df_train"),
        ("(df['default'].sum() - df['default']) / (len(df) - 1)", "df"),
    ],
)
def test_means_that_leave_the_own_row_out_are_clean_with_a_warning(
    loans: Loans, sandbox: Sandbox, feature: Feature, returns: str, takes: str
) -> None:
    verdict = judge(loans, feature(returns, takes=takes), sandbox)
    assert verdict.verdict == "clean"
    warnings = " ".join(map(str, verdict.evidence["warnings"]))  # type: ignore[arg-type]
    assert "uses labels of other training rows" in warnings
    assert ("the own label can be read off it" in warnings) == ("city" not in returns)


def test_means_of_numbers_that_leave_the_own_row_out_are_not_convicted_by_rounding(
    loans: Loans, sandbox: Sandbox, feature: Feature
) -> None:
    money = np.round(np.random.default_rng(3).uniform(0, 1000, size=90), 2)
    train = loans.task.train.assign(default=money)
    problem = replace(loans, task=replace(loans.task, train=train, problem_type="regression"))
    honest = feature("(df_train['default'].sum() - row['default']) / (len(df_train) - 1)", takes="row, df_train")
    assert judge(problem, honest, sandbox).verdict == "clean"
    assert judge(problem, feature("row['default'] > 500"), sandbox).verdict == "leak"


def test_classes_by_name_are_perturbed_too(loans: Loans, sandbox: Sandbox, feature: Feature) -> None:
    words = np.random.default_rng(3).choice(["low", "mid", "high"], size=90)
    problem = replace(
        loans, task=replace(loans.task, train=loans.task.train.assign(default=words), problem_type="multiclass")
    )
    assert judge(problem, feature("row['default'] == 'mid'"), sandbox).verdict == "leak"
    mean = feature("(df_train[df_train.city == row['city']]['default'] == 'high').mean()", takes="row, df_train")
    assert judge(problem, mean, sandbox).verdict == "leak"
    assert judge(problem, feature("row['city']"), sandbox).verdict == "clean"


@pytest.mark.parametrize(
    ("returns", "takes", "before"),
    [
        ("len(row)", "row", ""),
        ("int(row.isna().sum())", "row", ""),
        ("row.get('default_risk', 0)", "row", ""),
        ("df_train[df_train.city == row['city']]['amount'].mean()", "row, df_train", ""),
        ("df['amount'].rank()", "df", ""),
        ("datetime.now().year - row['day']", "row", ""),
        ("random.Random(int(row['loan_id'])).random()", "row", "import random"),
    ],
)
def test_what_only_looks_like_a_leak_is_clean(
    loans: Loans, sandbox: Sandbox, feature: Feature, returns: str, takes: str, before: str
) -> None:
    assert judge(loans, feature(returns, takes=takes, before=before), sandbox).verdict == "clean"


@pytest.mark.parametrize(
    ("returns", "takes", "before"),
    [
        ("row.name", "row", ""),
        ("1e10 + row.name", "row", ""),
        ("1e10 + list(df_train['loan_id']).index(row['loan_id'])", "row, df_train", ""),
        ("seen.append(1) or len(seen)", "row", "seen = []"),
        ("seen.append(row['default']) or seen[-2]", "row", "seen = [0]"),
        ("list(df_train['loan_id']).index(row['loan_id'])", "row, df_train", ""),
        ("df.groupby('city').cumcount()", "df", ""),
        ("row.name + random.random()", "row", "import random"),
    ],
)
def test_values_that_follow_the_order_are_a_leak(
    loans: Loans, sandbox: Sandbox, feature: Feature, returns: str, takes: str, before: str
) -> None:
    verdict = judge(loans, feature(returns, takes=takes, before=before), sandbox)
    assert (verdict.verdict, verdict.kind) == ("leak", "order")


def test_the_label_of_the_first_call_is_a_leak(loans: Loans, sandbox: Sandbox, feature: Feature) -> None:
    first = feature("seen.append(row['default']) or seen[0]", before="seen = []")
    assert judge(loans, first, sandbox).verdict == "leak"


def test_sums_in_another_order_are_the_same_sums(loans: Loans, sandbox: Sandbox, feature: Feature) -> None:
    centred = feature("row['amount'] - df_train[df_train.city == row['city']]['amount'].mean()", takes="row, df_train")
    verdict = judge(loans, centred, sandbox)
    assert verdict.verdict == "clean"
    assert "warnings" not in verdict.evidence


def test_the_order_of_other_rows_is_only_warned_of(loans: Loans, sandbox: Sandbox, feature: Feature) -> None:
    first = feature(f"{OTHERS}.iloc[0]['amount']", takes="row, df_train")
    verdict = judge(loans, first, sandbox)
    assert verdict.verdict == "clean"
    assert "order of the training table" in str(verdict.evidence["warnings"])


@pytest.mark.parametrize(
    ("returns", "before"),
    [
        ("time.perf_counter()", "import time"),
        ("kept.append([0]) or id(kept[-1])", "kept = []"),
    ],
)
def test_what_cannot_be_repeated_is_inconclusive(
    loans: Loans, sandbox: Sandbox, feature: Feature, returns: str, before: str
) -> None:
    verdict = judge(loans, feature(returns, before=before), sandbox)
    assert (verdict.verdict, verdict.kind) == ("inconclusive", "nondeterministic")


def test_random_numbers_are_frozen_and_named(loans: Loans, sandbox: Sandbox, feature: Feature) -> None:
    verdict = judge(loans, feature("row['amount'] + random.random()", before="import random"), sandbox)
    assert verdict.verdict == "clean"
    assert "uses random numbers" in str(verdict.evidence["warnings"])


def test_random_numbers_do_not_hide_a_leak(loans: Loans, sandbox: Sandbox, feature: Feature) -> None:
    verdict = judge(loans, feature("row['default'] + random.random()", before="import random"), sandbox)
    assert (verdict.verdict, verdict.kind) == ("leak", "own label")


@pytest.mark.parametrize(
    ("returns", "status", "word"),
    [("row['nothing']", "exception", "KeyError"), ("(lambda: [0 for _ in iter(int, 1)])()", "timeout", "timeout")],
)
def test_what_does_not_run_is_never_clean(
    loans: Loans, sandbox: Sandbox, feature: Feature, returns: str, status: str, word: str
) -> None:
    verdict = judge(loans, feature(returns), sandbox, limits=Limits(function_seconds=1))
    assert (verdict.verdict, verdict.kind, verdict.status) == ("inconclusive", "not run", status)
    assert word in str(verdict.evidence["message"])


@pytest.mark.parametrize(
    "returns",
    ["LABELS.get(row['loan_id'], 0)", "7.5 if LABELS.get(row['loan_id']) else 2.5", "str(LABELS.get(row['loan_id']))"],
)
def test_memorised_labels_are_a_leak(loans: Loans, sandbox: Sandbox, feature: Feature, returns: str) -> None:
    train = loans.task.train
    labels = dict(zip(train["loan_id"].tolist(), train["default"].tolist(), strict=True))
    verdict = judge(loans, feature(returns, before=f"LABELS = {labels!r}"), sandbox)
    assert (verdict.verdict, verdict.kind) == ("leak", "memorised")
    assert float(str(verdict.evidence["p_value"])) < 1e-6


def test_a_table_that_is_not_of_labels_is_no_memory(loans: Loans, sandbox: Sandbox, feature: Feature) -> None:
    ids = [*loans.task.train["loan_id"].tolist(), *loans.task.test["loan_id"].tolist()]
    table = {number: number % 7 for number in ids}
    assert judge(loans, feature("T[row['loan_id']]", before=f"T = {table!r}"), sandbox).verdict == "clean"


def test_memorised_labels_are_found_beside_means_of_other_labels(
    loans: Loans, sandbox: Sandbox, feature: Feature
) -> None:
    train = loans.task.train
    known = train.loc[train["default"] == 1, "loan_id"].tolist()
    returns = f"(row['loan_id'] in KNOWN) * 10 + {OTHERS}['default'].mean()"
    verdict = judge(loans, feature(returns, takes="row, df_train", before=f"KNOWN = set({known!r})"), sandbox)
    assert (verdict.verdict, verdict.kind) == ("leak", "memorised")


def test_labels_in_an_auxiliary_table_are_the_own_label_too(loans: Loans, sandbox: Sandbox, feature: Feature) -> None:
    outcome = loans.task.train["default"].map({0: "paid", 1: "lost"})
    file = pd.DataFrame({"loan_id": loans.task.train["loan_id"], "state": outcome}).sort_values("loan_id")
    problem = replace(loans, task=replace(loans.task, tables={**loans.task.tables, "file.csv": file}))
    look = "aux['file.csv'].set_index('loan_id')['state'].get(row['loan_id'], '?')"
    verdict = judge(problem, feature(look, takes="row, aux"), sandbox)
    assert (verdict.verdict, verdict.kind) == ("leak", "own label")
    assert "repeated ('state' of file.csv)" in str(verdict.evidence["test"])


@pytest.mark.parametrize(
    "returns",
    [
        "int(t['minutes'].sum())",
        "int(aux['calls.csv']['at'].max())",
        "len(t[(t['at'] > row['day']) & (t['at'] <= row['day'] + 1)])",
        "t['minutes'].tolist()[-1]",
    ],
)
def test_what_is_known_only_later_is_a_leak_where_times_are_declared(
    timed_loans: Loans, loans: Loans, sandbox: Sandbox, returns: str
) -> None:
    function = FeatureFunction(name="f", code=f"def f(row, aux):\n    {MINE}\n    return {returns}")
    verdict = judge(timed_loans, function, sandbox)
    assert (verdict.verdict, verdict.kind) == ("leak", "temporal")
    assert verdict.evidence["rows"]
    assert judge(loans, function, sandbox).verdict == "clean"


def test_looking_back_is_clean_also_across_entities(timed_loans: Loans, sandbox: Sandbox, feature: Feature) -> None:
    past = "aux['calls.csv'][aux['calls.csv']['at'] <= row['day']]"
    functions = [
        feature(f"int({past}['minutes'].sum())", takes="row, aux", name="all_past"),
        feature(f"len({past}[{past}.loan_id == row['loan_id']])", takes="row, aux", name="own_past"),
        feature("aux['cities.csv'].set_index('city')['size'].get(row['city'], 0)", takes="row, aux", name="city"),
    ]
    report = check_leakage(timed_loans, functions, sandbox=sandbox)
    assert [verdict.verdict for verdict in report.functions] == ["clean"] * 3
    assert not report.target_leak


def test_later_labels_are_a_leak_and_earlier_ones_are_not(
    timed_loans: Loans, sandbox: Sandbox, feature: Feature
) -> None:
    earlier = feature("df_train[df_train.day < row['day']]['default'].sum()", takes="row, df_train")
    others = feature(f"{OTHERS}['default'].sum()", takes="row, df_train")
    assert judge(timed_loans, earlier, sandbox).verdict == "clean"
    verdict = judge(timed_loans, others, sandbox)
    assert (verdict.verdict, verdict.kind) == ("leak", "temporal")


def test_times_can_be_declared_from_outside(loans: Loans, sandbox: Sandbox) -> None:
    function = FeatureFunction(name="f", code=f"def f(row, aux):\n    {MINE}\n    return len(t[t['at'] > row['day']])")
    times = DeclaredTimes(time_column="day", tables={"calls.csv": TableTime(time_column="at")})
    assert judge(loans, function, sandbox, times=times).kind == "temporal"
    with pytest.raises(InvalidInput, match="time column 'dya' is not there"):
        check_leakage(loans, [function], sandbox=sandbox, times=replace(times, time_column="dya"))


def test_undeclared_dates_are_pointed_out(loans: Loans, sandbox: Sandbox, feature: Feature) -> None:
    visits = pd.DataFrame({"loan_id": [500], "seen_on": ["2024-01-01"]})
    problem = replace(loans, task=replace(loans.task, tables={"visits.csv": visits}))
    report = check_leakage(problem, [feature("row['amount']")], sandbox=sandbox)
    assert len(report.notes) == 1
    assert report.notes[0].startswith("visits.csv: 'seen_on' looks like dates")
    assert report.to_json()["notes"] == list(report.notes)


def test_one_leak_taints_the_solution_and_verdicts_keep_their_order(
    loans: Loans, sandbox: Sandbox, feature: Feature
) -> None:
    functions = [feature("row['amount']", name="a"), feature("row['default']", name="b"), feature("1 / 0", name="c")]
    report = check_leakage(loans, functions, sandbox=sandbox)
    assert [(v.name, v.verdict) for v in report.functions] == [("a", "clean"), ("b", "leak"), ("c", "inconclusive")]
    assert report.target_leak
    assert report.isolation == "strong"


def test_no_function_is_no_leak(loans: Loans, sandbox: Sandbox) -> None:
    report = check_leakage(loans, [], sandbox=sandbox)
    assert report.functions == ()
    assert not report.target_leak


def test_ids_of_64_bits_without_a_sign_are_checked_as_others_are(
    loans: Loans, sandbox: Sandbox, feature: Feature
) -> None:
    ids = np.random.default_rng(3).integers(2**63, 2**64, 120, dtype=np.uint64)
    train, test = loans.task.train.assign(loan_id=ids[:90]), loans.task.test.assign(loan_id=ids[90:])
    problem = replace(loans, task=replace(loans.task, train=train, test=test))
    listed = ids[:90][train["default"] == 1].tolist()
    assert judge(problem, feature(f"row['loan_id'] in {listed}"), sandbox).kind == "memorised"
    honest = "{'ulm': 'in the south', 'bonn': 'in the west', 'kiel': 'in the north'}[row['city']]"
    assert judge(problem, feature(honest), sandbox).verdict == "clean"
