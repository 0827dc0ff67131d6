"""Verdicts on kinds of functions that were once judged wrongly: frozen randomness, denied attempts, known labels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from assay.core import Problem
from assay.insight import FeatureFunction, InsightTask, InsightTruth, LeakVerdict, check_leakage
from assay.insight.leakage import perturbed_runs
from assay.insight.leakage.memorised import compare_agreement
from assay.sandbox import Limits, Sandbox

ROWS = 160


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox.start(remember=256) as started:
        yield started


@pytest.fixture(scope="module")
def shop() -> Problem[InsightTask, InsightTruth]:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {"id": rng.permutation(10 * ROWS)[: ROWS + 80] + 1, "size": rng.normal(size=ROWS + 80).round(3)}
    )
    labels = pd.Series(rng.integers(0, 2, size=len(frame)), name="y")
    task = InsightTask(
        name="shop",
        description="",
        domain="",
        target_column="y",
        problem_type="binary",
        train=frame[:ROWS].assign(y=labels[:ROWS]),
        test=frame[ROWS:].reset_index(drop=True),
    )
    experts = pd.DataFrame({"size": frame["size"]})
    truth = InsightTruth(
        test_target=labels[ROWS:].reset_index(drop=True),
        columns=("size",),
        descriptions=("size",),
        train=experts[:ROWS],
        test=experts[ROWS:].reset_index(drop=True),
    )
    return Problem(id="shop", digest="0", task=task, truth=truth)


def judge(problem: Problem[InsightTask, InsightTruth], sandbox: Sandbox, *codes: str) -> list[LeakVerdict]:
    functions = [FeatureFunction(name="f", code=code) for code in codes]
    return list(check_leakage(problem, functions, sandbox=sandbox, limits=Limits(function_seconds=30)).functions)


def positives(problem: Problem[InsightTask, InsightTruth], *, test: bool = True) -> list[int]:
    task = problem.task
    ids = task.train.loc[task.train["y"] == 1, "id"].tolist()
    return ids + (task.test.loc[problem.truth.test_target.to_numpy() == 1, "id"].tolist() if test else [])


def test_labels_of_both_parts_in_the_source_are_memorised(
    shop: Problem[InsightTask, InsightTruth], sandbox: Sandbox
) -> None:
    known = f"_known = {set(positives(shop))}\ndef f(row): return int(row['id'] in _known)"
    bits = sum(1 << number for number in positives(shop))
    shifted = f"def f(df): return df['id'].map(lambda k: {bits} >> int(k) & 1)"
    only_train = f"_known = {set(positives(shop, test=False))}\ndef f(row): return int(row['id'] in _known)"
    verdicts = judge(shop, sandbox, known, shifted, only_train)
    assert [(each.verdict, each.kind) for each in verdicts] == [("leak", "memorised")] * 3
    assert verdicts[0].evidence["keys"] == ["id"]
    assert verdicts[0].evidence["agreement_test"] == 1.0
    assert float(str(verdicts[0].evidence["agreement_of_a_model"])) < 0.7


def test_a_list_of_test_rows_alone_is_memorised_where_its_labels_are_others(
    shop: Problem[InsightTask, InsightTruth], sandbox: Sandbox
) -> None:
    ids = shop.task.test["id"].tolist()
    high = [number for number in positives(shop) if number in ids][:30]
    code = "_known = {}\ndef f(row): return int(row['id'] in _known)"
    leak, audited = judge(shop, sandbox, code.format(high), code.format(ids[::3]))
    assert (leak.verdict, leak.kind) == ("leak", "memorised")
    assert leak.evidence["test"] == "test rows that the source lists by their id"
    assert (leak.evidence["listed_train"], leak.evidence["listed_test"]) == (0, 30)
    assert audited.verdict == "clean"


def test_long_tables_without_labels_and_columns_that_are_the_target_are_clean(
    shop: Problem[InsightTask, InsightTruth], sandbox: Sandbox
) -> None:
    other = {number: number % 7 for number in shop.task.train["id"]}
    prices = f"_prices = {other}\ndef f(row): return _prices.get(int(row['id']), -1)"
    size = shop.task.train["size"]
    easy = Problem(
        id="easy",
        digest="0",
        task=InsightTask(
            name="easy",
            description="",
            domain="",
            target_column="y",
            problem_type="binary",
            train=shop.task.train.assign(y=(size > 0.2).astype(int)),
            test=shop.task.test,
        ),
        truth=InsightTruth(
            test_target=(shop.task.test["size"] > 0.2).astype(int),
            columns=("size",),
            descriptions=("size",),
            train=shop.truth.train,
            test=shop.truth.test,
        ),
    )
    limits = [float(value) for value in np.arange(0.2, 9, 0.05).round(2)]
    same = f"_limits = {limits}\ndef f(row): return int(row['size'] > _limits[0])"
    assert judge(shop, sandbox, prices)[0].verdict == "clean"
    assert judge(easy, sandbox, same)[0].verdict == "clean"  # it agrees with every label of both parts


def test_more_rows_of_a_class_in_the_test_part_are_no_memory() -> None:
    rng = np.random.default_rng(1)

    def part(rows: int, share: float) -> tuple[np.ndarray, np.ndarray]:
        labels = (rng.random(rows) < share).astype(int)
        seen = np.where(labels == 1, rng.random(rows) < 0.4, rng.random(rows) < 0.05).astype(int)
        return seen.astype(object), labels

    train, labels = part(1200, 0.1)
    test, unseen = part(600, 0.6)
    assert (train == labels).mean() > (test == unseen).mean() + 0.2
    assert not compare_agreement(train, labels, test, unseen, "binary").memorised


def test_what_fades_with_time_is_not_memorised() -> None:
    rng = np.random.default_rng(2)
    labels, unseen = rng.integers(0, 2, size=900), rng.integers(0, 2, size=300)
    early = np.arange(900) < 600
    values = np.where(early, labels, 0).astype(object)  # it ended before the last third
    none = np.zeros(300, dtype=object)
    assert compare_agreement(values, labels, none, unseen, "binary").memorised
    assert not compare_agreement(values, labels, none, unseen, "binary", recent=~early).memorised


RANDOM = {
    "def f(row): return row['size'] + np.random.normal()": ("clean", None),
    "_rng = np.random.default_rng()\ndef f(row): return row['size'] + _rng.normal()": ("clean", None),
    "_rng = np.random.default_rng(5)\ndef f(row): return row['size'] + _rng.normal()": ("clean", None),
    "_rng = np.random.RandomState(5)\ndef f(row): return row['size'] + _rng.rand()": ("clean", None),
    "_own = random.Random()\ndef f(row): return row['size'] + _own.random()": ("clean", None),
    "import secrets\ndef f(row): return secrets.randbelow(99)": ("clean", None),
    "def f(df): return df['size'] + np.random.normal(size=len(df))": ("clean", None),
    "def f(df): return df['size'] + np.random.default_rng(0).random(len(df))": ("clean", None),
    "def f(row): return np.random.normal() + row['y']": ("leak", "own label"),
    "_n = [0]\ndef f(row):\n    _n[0] += 1\n    return _n[0] + np.random.normal()": ("leak", "order"),
    "def f(df): return np.arange(len(df)) + np.random.normal(size=len(df))": ("leak", "order"),
}


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.soak)])
def test_random_functions_are_judged_with_their_randomness_frozen(
    step: int, shop: Problem[InsightTask, InsightTruth], sandbox: Sandbox
) -> None:
    codes = list(RANDOM)[1::step]
    verdicts = judge(shop, sandbox, *codes)
    assert {code: (each.verdict, each.kind) for code, each in zip(codes, verdicts, strict=True)} == {
        code: RANDOM[code] for code in codes
    }


def test_what_was_tried_and_denied_is_blocked_unless_it_leaks(
    shop: Problem[InsightTask, InsightTruth], sandbox: Sandbox
) -> None:
    tries = "def f(row):\n    try:\n        return len(open('/data/train.csv').read())\n"
    tries += "    except OSError:\n        return {}\n"
    fails = "def f(row): return len(open('/data/train.csv').read())"
    fell_back, leaks, failed = judge(shop, sandbox, tries.format("row['size']"), tries.format("row['y']"), fails)
    assert (fell_back.verdict, fell_back.kind, fell_back.status) == ("blocked", "file", "ok")
    assert fell_back.evidence["attempts"] == ["file /data/train.csv (line 3)"]
    assert (leaks.verdict, leaks.kind) == ("leak", "own label")
    assert (failed.verdict, failed.status) == ("blocked", "exception")


def test_a_function_that_is_honest_only_while_the_target_is_in_the_row_leaks(
    shop: Problem[InsightTask, InsightTruth], sandbox: Sandbox
) -> None:
    own = "df_train.loc[df_train['id'] == row['id'], 'y']"
    evasive = (
        f"def f(row, df_train):\n    if 'y' in row.index: return row['size']\n    return row['size'] + {own}.sum()"
    )
    honest = "def f(row, df_train): return (df_train['y'].sum() - row.get('y', 0)) / (len(df_train) - 1)"
    verdicts = judge(shop, sandbox, evasive, honest)
    assert [each.verdict for each in verdicts] == ["leak", "clean"]


def test_the_sign_of_zero_can_carry_a_label(shop: Problem[InsightTask, InsightTruth], sandbox: Sandbox) -> None:
    assert judge(shop, sandbox, "def f(row): return math.copysign(0.0, 0.5 - row['y'])")[0].verdict == "leak"


def test_another_name_than_declared_is_an_error(shop: Problem[InsightTask, InsightTruth], sandbox: Sandbox) -> None:
    (verdicts,) = judge(shop, sandbox, "def g(row): return row['size']")
    assert (verdicts.verdict, verdicts.status) == ("inconclusive", "exception")
    assert "no function named 'f': it defines g" in str(verdicts.evidence["message"])


def test_an_endless_function_costs_its_seconds_once(shop: Problem[InsightTask, InsightTruth], tmp_path: Path) -> None:
    import time

    from assay.insight import InsightAnswer, evaluate

    answer = InsightAnswer(
        solved_by="x", columns=("f",), functions=(FeatureFunction(name="f", code="def f(row):\n    while 1: pass"),)
    )
    evaluate(shop, answer, function_seconds=0.2, N_RF_ESTIMATORS=2)  # the sandbox is warm now
    begun = time.monotonic()
    verdicts = evaluate(shop, answer, function_seconds=2.0, N_RF_ESTIMATORS=2)
    assert time.monotonic() - begun < 2 * 2.0
    assert verdicts.details["functions"][0]["status"].startswith("timeout")  # type: ignore[index, call-overload, union-attr]


def test_an_endless_function_is_stopped_by_the_limit_that_it_met_first(
    shop: Problem[InsightTask, InsightTruth], sandbox: Sandbox
) -> None:
    endless = FeatureFunction(name="f", code="def f(row):\n    while True: pass")
    (verdict,) = check_leakage(shop, [endless], sandbox=sandbox, limits=Limits(function_seconds=0.3)).functions
    assert verdict.evidence["message"] == "timeout: no result within 0.3 s"


def test_a_blocked_function_says_once_that_it_was_checked_on_a_sample(
    shop: Problem[InsightTask, InsightTruth], sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(perturbed_runs, "_ENOUGH_SECONDS", -1.0)  # every function counts as slow
    monkeypatch.setattr(perturbed_runs, "_FEWEST", 100)
    code = """
def f(row):
    try:
        open("labels.csv")
    except OSError:
        pass
    return row["size"]
"""
    (verdict,) = judge(shop, sandbox, code)
    assert verdict.verdict == "blocked"
    assert verdict.evidence["warnings"] == [f"slow: checked on 100 of {ROWS} rows"]
